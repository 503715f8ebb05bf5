//! Liveness: what must happen eventually, in linear temporal logic, on systems of ranks with finitely many states.
//!
//! | module | what |
//! |---|---|
//! | `formula`, `parse` | [`Formula`]: operators, propositions, reading and printing |
//! | `normal`, `translate`, `reduce` | [`Automaton::of`]: from a formula to a small Büchi automaton |
//! | `stutter` | [`is_stutter_invariant`]: whether a formula can tell how often states are repeated |
//! | `repetition` | [`Automaton::cannot_tell_repetitions`]: the same of an automaton without a formula, if it is seen |
//! | `condition`, `automaton`, `components` | automata over up to 64 propositions |
//! | `hoa`, `hoa_tokens`, `hoa_write`, `label` | [`Hoa`], [`Automaton::to_hoa`]: automata in files of other tools |
//! | `claim`, `claim_words` | [`Automaton::parse_claim`]: never claims |
//! | `graph` | [`Graph`]: what is asked of a system |
//! | `known`, `product`, `search`, `lasso` | [`check`]: an execution that an automaton accepts, if there is one |
//! | `offers` | the same where offers have to be accepted |
//!
//! Nothing here knows MPI or how a state of a program is stored.
//!
//! A polling rank 0, and a rank 1 that may set `done` at any moment:
//!
//! ```
//! use smpi_liveness::{Automaton, Fairness, Formula, Graph, Limits, Outcome, Ranks, Successor, Unary, check};
//!
//! struct Polling;
//!
//! impl Graph for Polling {
//!     type State = bool;
//!     type Stop = std::convert::Infallible;
//!     fn ranks(&self) -> usize { 2 }
//!     fn initial(&mut self) -> Result<bool, Self::Stop> { Ok(false) }
//!     fn key(&self, done: &bool) -> u128 { u128::from(*done) }
//!     fn valuation(&self, done: &bool) -> u64 { u64::from(*done) }
//!     fn enabled(&self, done: &bool) -> Ranks { if *done { [0].into_iter().collect() } else { Ranks::first(2) } }
//!     fn successors(&mut self, done: &bool, found: &mut Vec<Successor<bool>>) -> Result<(), Self::Stop> {
//!         found.push(Successor { state: *done, moved: [0].into_iter().collect(), accepted: Vec::new() });
//!         if !*done {
//!             found.push(Successor { state: true, moved: [1].into_iter().collect(), accepted: Vec::new() });
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let property = Formula::parse("F done")?;
//! let violations = Automaton::of(&property.under(Unary::Not))?.over(&["done".to_string()])?;
//! let (outcome, _) = check(&mut Polling, &violations, Fairness::Weak, Limits::default());
//! assert!(matches!(outcome, Outcome::Holds));
//! // If rank 1 may be forgotten, rank 0 polls for ever.
//! let (outcome, _) = check(&mut Polling, &violations, Fairness::None, Limits::default());
//! let Outcome::Violated(found) = outcome else { panic!() };
//! assert_eq!((found.prefix.len(), found.cycle.len()), (0, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is decided
//!
//! An *execution* of a [`Graph`] is an infinite sequence of states that begins in the initial one and in which each
//! state is a successor of the one before it. Where there is no successor, the program has ended or hangs in a
//! deadlock. Its last state is then repeated for ever, and no rank can move. So `F done` is violated by an execution
//! that ends before `done`, and `G (request -> F granted)` by one that ends between the two.
//!
//! A formula is true of an execution or not, by the valuations of its states. It *holds* if it is true of every
//! execution that counts. [`check`] is given an automaton of the violations, [`Automaton::of`] the negated formula (or
//! one of the user's), and looks for an execution that counts and that the automaton accepts.
//!
//! # Fairness
//!
//! With [`Fairness::Weak`] an execution does not count if from some moment on a rank can move in every state and never
//! does: a scheduler that forgets a rank for ever does not exist, and almost no liveness property would hold if it did.
//!
//! Call a step *fair to rank r* if r moves in it, or could not move in the state before it. An execution counts exactly
//! if it has, for each rank, infinitely many steps that are fair to it. For if there are finitely many, r can move in
//! all states after the last of them and never does. If from some moment on r can move in all states and does not, no
//! later step is fair to it. So fairness to a rank is a Büchi condition like the acceptance sets of the automaton, on
//! steps, and an execution counts and is accepted exactly if it has infinitely many steps of each set.
//!
//! With [`Fairness::Offers`] an execution that counts has, in addition, infinitely many steps that accept each offer
//! which stands in infinitely many of its states (*strong fairness*). `offers` says how that is decided. Ample sets are
//! not made for it: a graph must have none then.
//!
//! # Why components decide
//!
//! The product's states are pairs of a state of the system and one of the automaton. There are finitely many, so from
//! some moment on an execution of the product repeats all of its steps, and these steps and states are strongly
//! connected. They lie in one strongly connected component, which thus has inner steps of each set. Conversely a
//! component with inner steps of each set has a cycle that goes through one of each: from each step there is a way to
//! the next. All conditions but those on offers ask for something to happen infinitely often and none forbids anything,
//! so a larger component is never worse than a smaller one, and it is enough to know the components. `search` finds
//! them while it explores. It may stop as soon as the part that it has seen of a component has inner steps of each set:
//! that part is strongly connected itself.
//!
//! # Ample sets
//!
//! Formulas without `X`, and those with `X` for which [`is_stutter_invariant`] says so, cannot tell two executions that
//! differ only in how often states are repeated. For these a graph may name an *ample* part A of a state's successors
//! ([`Graph::ample`]) that is explored in their place, as in Peled's "Combining partial order reductions with
//! on-the-fly model-checking" (1996). A consists of all alternatives of one choice c of one rank r, and
//!
//! 1. in every execution from the state, up to where c is made: each alternative stays possible, no other appears, and
//!    making it before or after any step of the execution leads to states in which the same can happen;
//! 2. as long as c is not made, r makes only finitely many moves;
//! 3. no alternative of c changes the valuation, wherever c is made.
//!
//! Of the whole system is asked, 4., that a rank that can move can do so until it moves. And `known` takes care that,
//! 5., each cycle of what is explored has a state all of whose successors are: a state becomes a reduced one only if
//! that makes no cycle of reduced states. This is a property of the system's states alone, whatever states of the
//! automaton they are beside, and both [`Graph::enabled`] and `moved` are those of the whole system. So an execution
//! that is found is one of the system, and counts there. What has to be shown is that one is found.
//!
//! *Claim.* If an execution that counts is accepted, one that counts and is accepted is explored. Let σ be such an
//! execution. ρ is made step by step, from the initial state; θ is what remains of σ, possible in the state reached.
//! (a) If the state is expanded fully, the first step of θ is taken. (b) Else, if θ makes the choice c, this step is
//! taken, before what comes earlier in θ; by 1 it is in A, and the rest of θ stays possible. (c) Else, without
//! fairness, any step of A is taken, and θ stays possible. With fairness (c) does not occur: c stays open, so r could
//! always move, and by 2 it moves only finitely often; σ would not count. Nor does it where σ ends, as c would be open
//! at the end.
//!
//! - *ρ has all steps of σ.* There are finitely many states, so by 5 case (a) comes again and again, each time with the
//!   first step that remains.
//! - *ρ has the valuations of σ but for repetitions.* What is moved forward in (b), or added in (c), changes none, by
//!   3.
//!   All other steps are in their order. So the automaton accepts ρ.
//! - *With fairness, ρ counts.* It has exactly the steps of σ. A rank that moves infinitely often in σ does so in ρ.
//!   One
//!   that does not was unable to move again and again, and so, by 4, ever since its last move. Were it able to in some
//!   state of ρ behind that move, then by 4 also after all other steps of a beginning of σ that contains those made so
//!   far: but there it is not. ∎
//!
//! Condition 2 is no luxury: a rank that goes on for ever without making c might leave another one unable to move for
//! ever, while c would let it go on. That execution counts, and those with c do not unless the other one moves.
//!
//! # Order
//!
//! The same formula gives the same automaton, and the same system and automaton the same counterexample. Hash maps are
//! only looked into.
#![forbid(unsafe_code)]

mod automaton;
mod claim;
mod claim_words;
mod components;
mod condition;
mod formula;
mod graph;
mod hoa;
mod hoa_tokens;
mod hoa_write;
mod known;
mod label;
mod lasso;
mod normal;
mod offers;
mod parse;
mod product;
mod reduce;
mod repetition;
mod search;
mod stutter;
mod syntax;
mod translate;

pub use automaton::{Automaton, AutomatonState, MOST_SETS, StateNumber, Transition, UnknownProposition};
pub use condition::{Condition, MOST_PROPOSITIONS};
pub use formula::{Binary, Formula, Unary};
pub use graph::{Graph, MOST_RANKS, Ranks, Successor};
pub use hoa::Hoa;
pub use lasso::{Counterexample, Step};
pub use parse::in_one_line;
pub use product::Coverage;
pub use search::{Fairness, Limits, Outcome, check};
pub use stutter::is_stutter_invariant;
pub use syntax::{SyntaxError, is_name};
pub use translate::TooLarge;

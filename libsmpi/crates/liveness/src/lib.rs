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
//!         found.push(Successor { state: *done, moved: [0].into_iter().collect() });
//!         if !*done {
//!             found.push(Successor { state: true, moved: [1].into_iter().collect() });
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
//! # Why components decide
//!
//! The product's states are pairs of a state of the system and one of the automaton. There are finitely many, so from
//! some moment on an execution of the product repeats all of its steps, and these steps and states are strongly
//! connected. They lie in one strongly connected component, which thus has inner steps of each set. Conversely a
//! component with inner steps of each set has a cycle that goes through one of each: from each step there is a way to
//! the next. All conditions ask for something to happen infinitely often and none forbids anything, so a larger
//! component is never worse than a smaller one, and it is enough to know the components themselves. `search` finds them
//! while it explores. It may stop as soon as the part that it has seen of a component has inner steps of each set: that
//! part is strongly connected itself.
//!
//! # Repeated states, and what may be left out
//!
//! Formulas without `X`, and those with `X` for which [`is_stutter_invariant`] says so, cannot tell two executions that
//! differ only in how often states are repeated. For these a graph may leave executions out, as long as for each
//! execution that counts it keeps one that counts and has the same valuations but for repetitions. It has to see to
//! two things. Steps that change a proposition must keep their order. And on each of its cycles, a rank that can move
//! in the whole system must either move or be found unable to move somewhere: [`Graph::enabled`] speaks of the whole
//! system, and a cycle on which a rank is never explored is taken to be unfair to that rank.
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

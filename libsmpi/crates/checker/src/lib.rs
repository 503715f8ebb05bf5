//! Explores every relevant outcome of a parallel program, and each of them once.
//!
//! A parallel program can go on in several ways wherever MPI leaves something open: which sender's message a wildcard
//! receive takes, which of several completed requests Waitany returns, whether a poll says "not yet". This crate
//! decides which of these ways have to be tried so that no result, deadlock or failed assertion is missed, tries them,
//! and says whether that was all of them.
//!
//! It sees a program as a [`System`]: something that runs until only *choices* are left, and goes on when one of them
//! is made. It knows no MPI calls, no ranks' memory and no processes. Real programs become such a system in libsmpi's
//! `verify`, on top of `smpi-mpi`; the tests have small models of them (`tests/explore/model`).
//!
//! *Invariant.* What is explored follows from the system alone: not from the host's time, from addresses, or from the
//! number of workers. Counts of executions are exact, and tests compare them.
//!
//! | to learn | read |
//! |---|---|
//! | what a program must offer, and promise | [`System`], [`Choices`], [`Event`] |
//! | how it is explored | [`explore()`] in [`mod@reduction::matches`], and its rule in [`reduction::expansion`] |
//! | what comes of it | [`Verdict`], [`Observer`], [`Limits`] |
//! | how several workers share the work | [`jobs`], and [`wire`] for workers in other processes |
//! | how an execution is named and repeated | [`token`] |
//! | what the default is compared with | [`none`] and [`dpor`], over an [`interleaving::Interleaving`] |
//! | who may match whom, and what Waitany may return | [`held`], [`alternatives`] |
//! | what causes what, and what comes late | [`history`], [`late`] |
//!
//! Begin with [`System`], then [`mod@reduction::matches`]; `tests/explore/papers.rs` has small programs with their
//! counts. The rest of this page says why nothing is missed. What users see of it is in docs/verification.md.
//!
//! # What is explored
//!
//! All ranks run until nothing moves by itself ([`System::settle`]). Posting sends and receives, matching a receive
//! that names its sender, completing what is matched, passing a barrier: all this commutes with everything that other
//! ranks do, so one order of it is as good as any. What is left are *choices* ([`ChoiceKind`]): the sender that a
//! wildcard receive or probe takes, the completed request that Waitany returns, yes or no of Test and Iprobe,
//! `MC_random`, what becomes of an operation that is cancelled. Making a choice is an *event*: a pair of a choice and
//! one of its candidates. An execution is what happens between the beginning and an end without choices.
//!
//! A **configuration** is a set of events that can be made one after the other from the beginning. Ids of choices and
//! keys of candidates do not depend on the order of other ranks' choices, and the contract of [`System`] makes the
//! state at rest a function of the configuration:
//!
//! - *stability*: an enabled (choice, candidate) stays enabled until that choice is made;
//! - *diamond*: events of two different enabled choices can be made in either order, with the same result.
//!
//! Why MPI matching has both: a receive R may take message m if R accepts m, no older unmatched receive of the same
//! rank accepts m, and m is the oldest unmatched message of its sender that R accepts (MPI 5.0 §3.5). "Older" things
//! can only disappear, so this stays true until R or m is taken; and only R can take m, since any other receive that
//! accepts m is either older (there is none) or younger (and must leave m to R). Hence events exclude each other only
//! if they are of the *same* choice. Completed requests stay complete, so Waitany and Test are stable, too; "no" is
//! always a possible answer of a first Test, because completion may take arbitrarily long. Barriers wait for all, sends
//! that do not buffer for their receive: conjunctions of things that stay.
//!
//! Two executions with the same final configuration are the same execution for every rank. So the number of
//! executions that must be seen is the number of *maximal configurations*: of distinct matchings.
//!
//! # The algorithm, and why it is complete
//!
//! [`explore()`] goes depth first through configurations. At configuration C it takes one enabled choice c
//! ([`Choices::first`]) and explores C + (c, k) for each candidate k that c has at C. Only if a **late arrival** for c
//! was seen in one of these subtrees is C *expanded*: explored for all other enabled choices as well. A late arrival
//! for c at D ⊇ C + (c, k) is a k′ that c did not have when it was made, that it would have at D had it not been made,
//! and whose appearance does not causally depend on (c, k).
//!
//! *Claim.* Every maximal configuration M ⊇ C is visited from C. (Executions are finite: induction over |M \ C|.)
//! 1. M contains (c, k) with k a candidate of c at C. Then M ⊇ C + (c, k), which is explored.
//! 2. M contains no event of c. Impossible: by stability c is still enabled at M, so M is not maximal.
//! 3. M contains (c, k′), and k′ is not yet a candidate at C. Let H ⊆ M \ C be the events that had to be made before k′
//!    could appear. H is not empty and has no event of c. Take any candidate k of c at C. By the diamond property,
//!    applied along H, C + (c, k) + H is a configuration: (c, k) stays enabled and commutes with each event of H in
//!    turn. By induction some maximal configuration M′ above it is visited from C + (c, k). On the way there, once all
//!    of H is made, k′ appears, and it does not depend on c, as H has no event of c: a late arrival. So C is expanded.
//!    The first event of H made in some order leading to M is (c″, k″) with c″ ≠ c enabled at C, so M ⊇ C + (c″, k″) is
//!    explored, and by induction M is visited. ∎
//!
//! For case 3 it must be enough to look for k′ where things *appear*: at posted messages and at completions ([`late`]).
//! A message that was there before c was made, and only hidden from the receive c by an older held receive, is no late
//! arrival in this sense; but then that older receive was enabled at C and has a lower number, so c was not the first
//! open choice of C.
//!
//! *Memo.* Below an open choice, configurations are remembered by an order-free 128-bit key ([`Configuration`]), so
//! that each is explored once, and each maximal one is counted once. A remembered configuration keeps the set of
//! choices that had late arrivals in its subtree: arriving there again by another path reports them upwards again. What
//! arrived on a branch itself is seen by taking the branch. Below choices that are *closed* (the system knows that no
//! candidate can come late), branches differ in the event of one choice and never meet again: nothing is remembered
//! there.
//!
//! The rule itself is in [`reduction::expansion`].
//!
//! *Cost.* Without late arrivals, the visited configurations form a tree whose leaves are the executions. An expansion
//! may visit configurations that lead to no new execution; it never repeats one. Causality may be underestimated, and
//! late arrivals overreported, at the price of expansions; the other way round loses executions.
//!
//! *Failures.* A rank that fails (an assertion) should stop while the others go on: then the argument holds as it
//! stands. If the whole program ends ([`Settled::Failed`]), stability is lost there: what concurrent ranks would still
//! have done is not seen. Open choices above such an end are expanded, so that every execution without such an end is
//! still seen, and at least one of those with one.
//!
//! *Polling.* A rank that polls again after a "no" waits until the answer is yes, unless nothing else can move; then
//! "no" is forced, and that depends on all choices made before ([`history::History::all`]). As long as any choice is
//! enabled no "no" is forced, so in case 3 H contains none, and the argument is untouched.
//!
//! # Relation to other reductions
//!
//! Configurations are those of the unfolding of the program with "different choices are independent"; the candidates of
//! c at an unexpanded C are a persistent set, and in case 3 the late arrival plays the role of a race that dynamic
//! partial-order reduction detects after the fact (Flanagan and Godefroid, POPL 2005; source sets of Abdulla et al.,
//! POPL 2014, would add only an initial of H where we add all). "A Simple Model of Communication APIs" (Rosa, Merz,
//! Quinson, 2010) calls two sends to one mailbox dependent; here they are not: only the choice of the receiver tells
//! them apart.
//!
//! One difference is in the semantics, not in the reduction: the papers' mailboxes contain a message as soon as it is
//! sent. MPI orders messages of one sender only, so a message may be overtaken by one that it caused. Those outcomes
//! are explored here.
//!
//! *Alike candidates.* A system may declare that, as far as it knows, all candidates of a choice lead to the same
//! ([`Choice::alike`]); then the first is tried, and the others are withheld until the system reports, anywhere below,
//! that a difference was seen ([`System::seen`]). What the system must guarantee, and why that is enough, is in
//! docs/verification.md, "Results that nobody looks at". Late arrivals for such a choice count only once it is seen.
//!
//! # Reluctant choices: calls that wait and need not
//!
//! A standard-mode send s may wait for its receive or not, each for itself. A system may let it wait, and offer "it
//! goes on" as a *reluctant* choice b(s) ([`Choices::reluctant`]). A **mixture** says of each send whether it is
//! buffered. A state is a deadlock of some mixture exactly if it is reached by some b's, no choice is enabled that is
//! not reluctant, and some rank is not through: take the mixture in which the sends with a b are buffered and all
//! others wait. [`explore()`] shows all of these (as [`Settled::Reluctant`], or as a deadlock where no b is enabled),
//! and all ends of all mixtures.
//!
//! Two things are asked of the system. *A waiting call that need not wait teaches nothing*: matching s adds nothing to
//! its sender's history, which therefore is the one that it would have with an unlimited buffer; what causes a
//! candidate does not depend on whether a match or a b came first. And *b(s) is offered as long as its rank's present
//! call waits for s or tests it*; when a Waitany or Test returns something else while b(s) is enabled, that is a late
//! arrival at once ([`late::Late::could_have_come`]), as b(s) is gone with the call.
//!
//! b(s) is not stable: the match of s disables it. Then it is *redundant*: with and without it, s is matched and its
//! sender goes on. But a set of events does not tell whether it is. If rank 0 waits in a send to 2, and 2 for a message
//! of 1, which 1 sends when 0 has gone on, then all of that follows from b(s) without a choice, s is matched in the
//! end, and without b(s) nothing moves. So b's are no part of the key of a configuration; the system *marks* instead
//! what they have changed ([`System::marks`]): how far each rank has come, which sends are over and not matched. How
//! far its ranks have come and what was chosen determine a state.
//!
//! *At C, all b's are branches if nothing else is enabled; else they are branches if C is expanded.* Claim: from C, all
//! targets D that can be reached from C are visited, a target being a state where only reluctant choices, or none, are
//! enabled. (Induction from long configurations to short ones.)
//! 1. A choice c that is not reluctant is taken at C, and D has (c, k), a candidate at C. All that led from C to D
//!    commutes with it, but for b's that it makes redundant; without these D is the same. So D can be reached from C +
//!    (c, k).
//! 2. D has no event of c: impossible, c would still be enabled at D.
//! 3. D has (c, k′), not yet a candidate at C. H, what must happen for k′, commutes with any (c, k), but for redundant
//!    b's. Some target above C + (c, k) + H is visited. On the way there k′ appears: by the same messages, since their
//!    senders' events are the same, or by a match where H had a b. In both cases it does not depend on c, by what is
//!    asked of histories: a late arrival. (If c is of a call that waits for s and H is b(s), by what is asked of such
//!    calls.) So C is expanded, and a first event of H is a branch.
//! 4. Only reluctant choices are enabled at C. Then D = C, which is shown, or the first event from C to D is a branch.
//!    ∎
//!
//! *Polls.* Where nothing else moves, "all polls say no" is one more choice beside the b's. Making it withdraws the
//! b's: had these sends been buffered, something would have moved. The marks say which ones were withdrawn.
//!
//! *Cost.* A program that does not deadlock although all sends wait, and has no open choices, costs what it costs then.
//! Where senders wait at an expanded state, or at a deadlock, their b's multiply: 2ⁿ states for n independent senders.
//!
//! *Void executions.* What the program does later may decide what was possible earlier: a receive that is going to be
//! cancelled need not have taken a message. Such a choice anticipates that, and where it does not come true, the end is
//! [`Settled::Void`]: a maximal configuration like any other, so the claim holds for all of them, but not an execution.
//! The system must say so at the end only: an earlier cut would lose late arrivals.
//!
//! # The slow reductions
//!
//! [`Reduction`] names them, and each is a [`Strategy`]. [`reduction::none`] takes every step in every order and is the
//! oracle; [`reduction::dpor`] is the papers' reduction; both work on an [`interleaving::Interleaving`], of the tests'
//! models and of real programs alike. [`none::AllOrders`] makes one of any [`System`], so that lazy expansion can be
//! compared with none.
#![forbid(unsafe_code)]

pub mod alternatives;
pub mod choice;
pub mod configuration;
pub mod held;
pub mod history;
pub mod interleaving;
pub mod jobs;
pub mod late;
pub mod reduction;
mod shared_list;
pub mod system;
pub mod token;
pub mod verdict;
pub mod wire;

pub use choice::{Choice, ChoiceId, ChoiceKind, Choices, Event, GO_ON};
pub use configuration::Configuration;
pub use held::{Fate, Held, HeldReceive, Senders};
pub use reduction::matches::{Part, PartResult, explore, explore_part};
pub use reduction::{Reduction, Strategy, dpor, none};
pub use system::{Settled, System};
pub use token::{ReplayError, ReplayStep, Token, replay};
pub use verdict::{Counterexample, Flow, Limits, Observer, Outlook, Stats, Stop, Unobserved, Verdict};

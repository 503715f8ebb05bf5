//! Explores every relevant outcome of a parallel program, each of them once.
//!
//! A parallel program can go on in several ways wherever MPI leaves something open: which sender's message a wildcard
//! receive takes, which of several completed requests Waitany returns, whether a poll says "not yet". This crate
//! decides which of these ways must be tried so that no result, deadlock or failed assertion is missed. It tries them,
//! and says whether it tried all.
//!
//! It sees a program as a [`System`]: a machine that runs until only *choices* are left, and goes on when one of them
//! is made. It knows no MPI calls, no ranks' memory and no processes. `smpi-verify` makes real programs such a system;
//! the tests have small models (`tests/explore/model`).
//!
//! *Invariant.* The exploration depends on the system alone, not on the host's time, addresses, or the number of
//! workers. Counts of executions are exact, and tests compare them.
//!
//! | to learn | read |
//! |---|---|
//! | what a program must offer, and promise | [`System`], [`Choices`], [`Event`] |
//! | how it is explored | [`explore()`] in [`mod@reduction::matches`], and its rule in [`reduction::expansion`] |
//! | what the result is | [`Verdict`], [`Observer`], [`Limits`] |
//! | how several workers share the work | [`jobs`], and [`wire`] for workers in other processes |
//! | what is walked where not everything can be explored | [`walks`] |
//! | how an execution is named and repeated | [`token`] |
//! | what is left out where nobody hears of two choices together | [`reduction::histories`], [`influence`] |
//! | what the default is compared with | [`none`] and [`dpor`], over an [`interleaving::Interleaving`] |
//! | what is explored where some choices are decided from outside | [`restricted`] |
//! | who may match whom, and what Waitany may return | [`held`], [`alternatives`] |
//! | what causes what, and what comes late | [`history`], [`late`] |
//!
//! Begin with [`System`], then [`mod@reduction::matches`]; `tests/explore/papers.rs` has small programs with their
//! counts. The rest of this page proves that nothing is missed. docs/verification.md is the page for users.
//!
//! # What is explored
//!
//! All ranks run until nothing moves by itself ([`System::settle`]). Posting sends and receives, matching a receive
//! that names its sender, completing what is matched, passing a barrier: these steps commute with everything that other
//! ranks do, so one order of them is as good as any. What remains open are *choices* ([`ChoiceKind`]): the sender that
//! a wildcard receive or probe takes, the completed request that Waitany returns, yes or no of Test and Iprobe,
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
//! rank accepts m, and m is the oldest unmatched message of its sender that R accepts (MPI 5.0 §3.5). Older receives
//! and messages can only disappear, so this stays true until R or m is taken. Only R can take m: no older receive
//! accepts m, and a younger one must leave m to R. Hence events exclude each other only if they belong to the *same*
//! choice. Completed requests stay complete, so Waitany and Test are stable, too. "No" is always a possible answer of a
//! first Test, because completion may take arbitrarily long. Barriers wait for all ranks, unbuffered sends for their
//! receive: these conditions, once true, stay true.
//!
//! Two executions with the same final configuration are the same execution for every rank. So the number of
//! executions that must be seen is the number of *maximal configurations*: of distinct matchings.
//!
//! # The algorithm, and why it is complete
//!
//! [`explore()`] goes depth first through configurations. At configuration C it takes one enabled choice c
//! ([`Choices::first`]) and explores C + (c, k) for each candidate k that c has at C. If a **late arrival** for c was
//! seen in one of these subtrees, C is *expanded*: explored for all other enabled choices as well. Otherwise it is not.
//! A late arrival for c at D ⊇ C + (c, k) is a candidate k′ with three properties: c did not have k′ when c was made; c
//! would have k′ at D if c were still open; the appearance of k′ does not causally depend on (c, k).
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
//! Case 3 looks for k′ only where candidates *appear*: at posted messages and at completions ([`late`]). This is
//! enough. A message that was there before c was made, hidden from the receive c by an older held receive, is no late
//! arrival in this sense. But then the older receive was enabled at C and has a lower number, so c was not the first
//! open choice of C.
//!
//! *Memo.* Below an open choice, the checker stores an order-free 128-bit key of each configuration
//! ([`Configuration`]). So each configuration is explored once, and each maximal one is counted once. With the key it
//! stores the choices that had late arrivals in the subtree. If another path reaches the configuration again, these are
//! reported upwards again. Late arrivals on the path itself are seen by taking it. A choice is *closed* if the system
//! knows that no candidate can come late. Below closed choices, branches differ in the event of one choice and never
//! meet again, so no key is stored there.
//!
//! The rule itself is in [`reduction::expansion`].
//!
//! *Cost.* Without late arrivals, the visited configurations form a tree whose leaves are the executions. An expansion
//! may visit configurations that lead to no new execution; it never repeats one. If causality is underestimated, late
//! arrivals are overreported, which only costs expansions. If it is overestimated, executions are lost.
//!
//! *Failures.* A rank that fails (an assertion) should stop while the others go on: then the proof holds unchanged. If
//! the whole program ends ([`Settled::Failed`]), stability is lost there, because concurrent ranks do not go on. So
//! open choices above such an end are expanded. Then every execution without such an end is still seen, and at least
//! one execution with such an end.
//!
//! *Polling.* A rank that polls again after a "no" waits until the answer is yes, unless nothing else can move. Then
//! "no" is forced, and depends on all choices made before ([`history::History::all`]). While any choice is enabled, no
//! "no" is forced. So H in case 3 contains none, and the proof is unaffected. A poll of a rank that is
//! where it was not told "no" before is not forced: it is a choice like the first one.
//!
//! # States without their history
//!
//! A configuration is a history, and a program that runs for ever has infinitely many. A system may name its states by
//! what may still become of them ([`System::fingerprint`]). Then a state is explored once, whatever led to it, and an
//! exploration ends if there are finitely many states. Two things are lost, and both cost branches only:
//!
//! - *Evidence.* What was found below a state speaks of the choices of its first history, and a path with other choices
//!   may meet the state. So it is kept of each state what arrives below, and from which parts of the state it follows
//!   ([`below`]). What follows from none that depends on a choice of the path would be late for this choice. Where that
//!   is not known, all open choices of the path count as late ([`reduction::expansion::Evidence::cut`]), and their
//!   states are expanded. The same holds if the path meets itself.
//! - *Progress.* A closed choice is explored alone, because the others stay enabled. On a cycle they might stay so for
//!   ever: no execution is longer than the others then, but a rank would never move. So the last state of a path that
//!   meets itself is expanded, even if its choice is closed. Each cycle has such a state.
//!
//! *Claim.* Each target (a state where only reluctant choices, or none, are enabled) that can be reached from an
//! explored state C is visited. Take such a C and a way w to a target with as few events as possible over all explored
//! states.
//! 1. C is expanded, or w has an event of the choice c that is branched on with a candidate that c has at C. Then w can
//!    be reordered so that its first event is a branch. It leads to an explored state with a shorter way: a
//!    contradiction, unless w is empty.
//! 2. w has no event of c. Impossible, as above: c would be enabled at the target.
//! 3. w has an event of c with a later candidate. Then c is open and C not expanded. So no path below C met itself, or
//!    a state below which something is not known. The explored paths from C are a finite tree then: where one meets a
//!    state that was explored, it goes on as that one did, since the same can happen there. The proof above holds in
//!    this tree, and a late arrival is seen. Below a state that was met with another history, it is among those that
//!    are kept of the state. It is kept which parts of the state it follows from, or fewer, and what each part knows on
//!    this path is part of what it follows from here. So it does not count as caused by c where it is not. Then C is
//!    expanded: a contradiction.
//!
//! *Claim.* Each failure of one rank that can be reached is seen, even where the others run for ever. Take w as above,
//! to a state with the failure. In case 2, w can be done after any event of c, too: its length stays as it is. Going
//! on like this from state to state must either come to case 1 or 3, or meet itself, as there are finitely many
//! states; but each cycle has an expanded state, which is case 1. ∎
//!
//! *Ends.* The first claim's proof goes from an explored state by one explored branch to a state with a shorter way. So
//! if an end can be reached from an explored state at all, explored branches lead to one, and a component of explored
//! states without an end is one of the program, too ([`Verdict::lost`]).
//!
//! # Relation to other reductions
//!
//! Configurations are those of the program's unfolding, with different choices independent. The candidates of c at an
//! unexpanded C are a persistent set. In case 3, the late arrival plays the role of a race that dynamic partial-order
//! reduction detects afterwards (Flanagan and Godefroid, POPL 2005). Source sets (Abdulla et al., POPL 2014) would add
//! only an initial of H; we add all enabled choices. "A Simple Model of Communication APIs" (Rosa, Merz, Quinson, 2010)
//! calls two sends to one mailbox dependent; here they are not: only the choice of the receiver tells them apart.
//!
//! One difference is in the semantics, not in the reduction. The papers' mailboxes contain a message as soon as it is
//! sent. MPI orders only messages of one sender, so a message may be overtaken by one that it caused. These outcomes
//! are explored here.
//!
//! *Alike candidates.* A system may declare that, as far as it knows, all candidates of a choice have the same effect
//! ([`Tried::First`]). Then the first is tried. The others are withheld until the system reports, anywhere below, that
//! a difference was seen ([`System::seen`]). The system's duties, and the proof that they are enough, are in
//! docs/verification.md, "Results that nobody looks at". Late arrivals for such a choice count only once it is seen.
//!
//! *Unheard answers.* Of a choice whose outcome nobody has looked at so far, the last candidate may stand for all
//! ([`Tried::Last`]): "not yet" of a poll. The others are withheld likewise, and late arrivals count likewise.
//! *Claim.* Let M be a maximal configuration. Replace by "not yet" each answer of such a choice that nobody looks at
//! in M: that gives a maximal configuration M\* with the same ends, in which nobody looks at them either. M\* is
//! visited, by the claim above: as far as it goes, each of these choices has the candidate that M\* has. If somebody
//! does look at one in M, so he does in M\* where only the others are replaced, as both go on in step until then: it
//! is reported below the state C that branches on this choice, so all of its candidates are tried at C, and C is
//! expanded where one has come late. Where states are recognised whatever led to them, the name of a state tells what
//! may still be looked at, so who comes to a state by another path looks at the same: what was seen of a rank's
//! choice below it is seen of those of that rank on this path ([`System::unheard`]). Where it is not known what was
//! seen below, all of them count as seen.
//!
//! *Needless candidates.* The last candidates of a choice may bring nothing as far as the system knows
//! ([`Tried::AllButLast`]): each execution with one of them is one of those with another candidate, but for things that
//! nobody sees. They are withheld in the same way, and tried, too, where a failure below may have hidden the
//! difference. Which polls that find nothing are such candidates, and why, says `smpi_choices` (`driver/ahead.rs`).
//!
//! # Reluctant choices: calls that wait and need not
//!
//! Each standard-mode send s may wait for its receive or not. A system may let s wait, and offer "s goes on" as a
//! *reluctant* choice b(s) ([`Choices::reluctant`]). A **mixture** says of each send whether it is buffered. A state
//! reached by some b's is a deadlock of some mixture exactly if only reluctant choices are enabled and some rank has
//! not ended. In this mixture, the sends with a b are buffered and all others wait. [`explore()`] shows all of these
//! (as [`Settled::Reluctant`], or as a deadlock where no b is enabled), and all ends of all mixtures.
//!
//! The system has two duties. *A waiting call that need not wait teaches nothing*: matching s adds nothing to its
//! sender's history. So this history is the one with an unlimited buffer, and the causes of a candidate do not depend
//! on whether a match or a b came first. *b(s) is offered while its rank's present call waits for s or tests s.* If a
//! Waitany or Test returns something else while b(s) is enabled, b(s) is gone with the call, and this counts as a late
//! arrival at once ([`late::Late::could_have_come`]).
//!
//! b(s) is not stable: the match of s disables it. Then b(s) is *redundant*: with and without it, s is matched and its
//! sender goes on. But a set of events does not show whether b(s) is redundant. Example: rank 0 waits in a send to 2,
//! rank 2 waits for a message of 1, and 1 sends this message when 0 has gone on. All this follows from b(s) without a
//! choice, and in the end s is matched; but without b(s) nothing moves. So b's are no part of a configuration's key.
//! Instead, the system *marks* what they have changed ([`System::marks`]): how far each rank has come, and which sends
//! are over but not matched. The ranks' progress and the choices determine a state.
//!
//! *At C, all b's are branches if nothing else is enabled; else they are branches if C is expanded.* A *target* is a
//! state where only reluctant choices, or none, are enabled. Claim: all targets D that can be reached from C are
//! visited from C. (Induction from long configurations to short ones.)
//! 1. A choice c that is not reluctant is taken at C, and D has (c, k), a candidate at C. All events from C to D
//!    commute with (c, k), except b's that it makes redundant. Without these b's D is the same. So D can be reached
//!    from C + (c, k).
//! 2. D has no event of c: impossible, c would still be enabled at D.
//! 3. D has (c, k′), not yet a candidate at C. Let H be the events needed for k′. H commutes with any (c, k), except
//!    for redundant b's. Some target above C + (c, k) + H is visited. On the way there k′ appears: by the same
//!    messages, since their senders' events are the same, or by a match where H had a b. In both cases k′ does not
//!    depend on c, by the first duty, so it is a late arrival. (If c belongs to a call that waits for s, and H is b(s),
//!    this follows from the second duty.) So C is expanded, and a first event of H is a branch.
//! 4. Only reluctant choices are enabled at C. Then D = C, which is shown, or the first event from C to D is a branch.
//!    ∎
//!
//! *Polls.* Where nothing else moves, "all polls say no" is one more choice beside the b's. Making this choice
//! withdraws the b's: had these sends been buffered, something would have moved. The marks say which b's were
//! withdrawn.
//!
//! *Cost.* If a program has no open choices, and does not deadlock when all sends wait, b's add no cost. Where senders
//! wait at an expanded state, or at a deadlock, their b's multiply: 2ⁿ states for n independent senders.
//!
//! *Void executions.* Later actions of the program may decide what was possible earlier: a receive that will be
//! cancelled need not take a message. A choice may anticipate the cancellation. If the cancellation does not come, the
//! end is [`Settled::Void`]: a maximal configuration like any other, so the claim covers it, but not an execution. The
//! system must report this only at the end: an earlier cut would lose late arrivals.
//!
//! # The slow reductions
//!
//! [`Reduction`] names them, and each is a [`Strategy`]. [`reduction::none`] takes every step in every order and is the
//! oracle; [`reduction::dpor`] is the papers' reduction. Both work on an [`interleaving::Interleaving`]: the tests'
//! models and real programs are such. [`none::AllOrders`] turns any [`System`] into one, to compare lazy expansion with
//! no reduction.
#![forbid(unsafe_code)]

pub mod alternatives;
pub mod below;
pub mod choice;
pub mod configuration;
pub mod held;
pub mod history;
pub mod influence;
pub mod interleaving;
pub mod jobs;
pub mod late;
mod logarithms;
pub mod reduction;
pub mod restricted;
mod shared_list;
pub mod system;
pub mod token;
pub mod told;
pub mod tolls;
pub mod verdict;
pub mod walks;
pub mod wire;

pub use choice::{Choice, ChoiceId, ChoiceKind, Choices, Event, GO_ON, Tried};
pub use configuration::Configuration;
pub use held::{Fate, Held, HeldReceive, Senders};
pub use influence::Influence;
pub use reduction::matches::{Part, PartResult, explore, explore_kept, explore_part};
pub use reduction::through::executions_through;
pub use reduction::{Reduction, Strategy, dpor, none};
pub use system::{Prospect, Settled, System};
pub use token::{ReplayError, ReplayStep, Token, replay};
pub use told::Told;
pub use tolls::{Caller, Toll, Tolls};
pub use verdict::{
    Ambiguous, Counterexample, Difference, Flow, Keep, Limits, Moved, NewFile, Observer, Outlook, Stats, Stop,
    Unobserved, Verdict,
};

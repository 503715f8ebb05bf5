//! Why an execution fails: the choice after which it had to, the failing execution that is nearest to the natural
//! one, and what of it is enough to fail.
//!
//! An execution is a set of events, each a choice with what was chosen, and the order of those that commute means
//! nothing. Let E be the events of a failing execution. A set C of events that can be made is *open* if some
//! execution that contains C is right, that is, ends without the failure; else it is *sealed*. What contains a sealed
//! set is sealed, as its executions are among those of the set. Everything here follows from that:
//!
//! - **The decision** ([`decision`]). The beginnings of an execution, the shorter ones first, are open up to some
//!   length and sealed from then on, so bisection finds the last choice from which some continuation is right. Any
//!   order of E in which its events can be made has such a choice. An event is the last one in some order exactly if
//!   it is maximal in a smallest sealed part of E: without it that part is open, and all else can come later. So
//!   smallest parts are looked for, by leaving events out as long as what remains is sealed.
//! - **The nearest failing execution** ([`nearest`]). Executions by the number of choices that are not the natural
//!   ones; where states have names, the shortest way to each.
//! - **The condition** ([`condition`]). A set S of events *forces* the failure if no right execution contains S.
//!   Unlike a beginning, S need not be something that can be made by itself: the rest is free. A set that is enough
//!   for all executions that are known is tried: the program is explored with it forced. A right execution that is
//!   found there joins the known ones, and the next set is looked for, so a set remains that is enough for all. Then
//!   the program is explored without it, to see whether it is needed.
//! - **A trial** ([`mod@trial`]). The program is made otherwise, by whoever asks, and explored: how many of its
//!   executions fail says whether that would help. Nothing is concluded from the executions of the program as it is.
//!
//! Executions are asked for as far as a [`Budget`] goes, by a [`Program`]; what is known is not executed again
//! ([`known`]). A claim about all executions is made only where the exploration was complete, and says how many there
//! were ([`Fate`]). Explorations show one execution of those that differ in nothing that the program can see.
//!
//! An exploration leaves out that a poll finds nothing where its rank comes round to it and nothing new can follow.
//! To an explanation that matters: what could be chosen before such a round can be chosen behind it, so what was
//! chosen before has decided nothing. Right executions that go round are looked for at random
//! ([`Explainer::look_round`]); they are known, and not counted.
//!
//! The decision is what SimGrid's model checker calls the critical transition. Leaving out what is not needed is
//! delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2),
//! 2002), on sets of which all supersets fail, so that one event at a time is enough.
//!
//! *Nothing here knows MPI, or what a failure is.*
#![forbid(unsafe_code)]

mod by_states;
pub mod condition;
pub mod decision;
pub mod explorer;
mod hitting;
pub mod known;
pub mod nearest;
pub mod program;
pub mod restricted;
pub mod trial;

pub use by_states::{WayOut, way_out};
pub use condition::{Condition, condition};
pub use decision::{Blame, Budget, Explainer, Fate, Sealed};
pub use explorer::{Explorer, Sample};
pub use known::{Fault, Judge, Known, Row};
pub use nearest::Nearest;
pub use program::{Program, Seen};
pub use restricted::Rule;
pub use trial::{Trial, trial};

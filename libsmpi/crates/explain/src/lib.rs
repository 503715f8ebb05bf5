//! Why an execution fails: the choice after which it had to, the failing execution that is nearest to the natural one,
//! and what of it is enough to fail.
//!
//! An execution is a set of events, each a choice with what was chosen, and the order of those that commute means
//! nothing. Let E be the events of a failing execution. A set C of events that can be made is *open* if some execution
//! that contains C is right, that is, ends without the failure; else it is *sealed*. What contains a sealed set is
//! sealed, as its executions are among those of the set. Everything here follows from that:
//!
//! - **The decision** ([`decision`]). The beginnings of an execution, the shorter ones first, are open up to some
//!   length and sealed from then on, so bisection finds the last choice from which some continuation is right. Any order
//!   of E in which its events can be made has such a choice. An event is the last one in some order exactly if it is
//!   maximal in a smallest sealed part of E: without it that part is open, and all else can come later. So smallest
//!   parts are looked for, by leaving events out as long as what remains is sealed.
//! - **The nearest failing execution** ([`nearest`]). Executions by the number of choices that are not the natural ones.
//! - **The condition** ([`condition`]). A set S of events *forces* the failure if no right execution contains S. Unlike
//!   a beginning, S need not be something that can be made by itself: the rest is free. A set that is enough for all
//!   executions that are known is tried: the program is explored with it forced. A right execution that is found there
//!   joins the known ones, and the next set is looked for, so a set remains that is enough for all. Then the program is
//!   explored without it, to see whether it is needed.
//!
//! Executions are asked for as far as a [`Budget`] goes, by a [`Program`]; what is known is not executed again
//! ([`known`]). A claim about all executions is made only where the exploration was complete, and says how many there
//! were ([`Fate`]). Explorations show one execution of those that differ in nothing that the program can see.
//!
//! The decision is what SimGrid's model checker calls the critical transition. Leaving out what is not needed is delta
//! debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", IEEE TSE 28(2), 2002), on sets
//! of which all supersets fail, so that one event at a time is enough.
//!
//! *Nothing here knows MPI, or what a failure is.*
#![forbid(unsafe_code)]

pub mod condition;
pub mod decision;
pub mod explorer;
pub mod known;
pub mod nearest;
pub mod restricted;

pub use condition::{Condition, condition};
pub use decision::{Blame, Explainer};
pub use explorer::Explorer;
pub use known::{Fault, Judge, Known, Row};
pub use nearest::Nearest;
pub use restricted::Rule;

use smpi_checker::Event;

/// What an explanation asks of a program.
pub trait Program {
    /// Explores what begins with these events, in this order, and shows each execution to `show`: at most `most`, and
    /// none after the first that is right of `fault`, if one is given.
    fn below(&mut self, prefix: &[Event], most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen;

    /// Explores what a rule leaves, in the same way.
    fn under(&mut self, rule: Rule<'_>, most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen;

    /// Whether executions that come to the same state are shown once: then what is shown of all is not all.
    fn merges(&self) -> bool;

    /// The failing execution that is nearest to the natural one, among at most so many.
    fn nearest(&mut self, fault: Fault, most: u64) -> Option<Nearest>;

    /// Some executions that begin with these events and go on at random, at most `most`, shown to `show` up to the
    /// first that is right.
    fn at_random(&mut self, prefix: &[Event], most: u64, fault: Fault, show: &mut dyn FnMut(Row)) -> u64;

    /// These events in their order, without those that cannot be made when their turn comes.
    fn possible(&mut self, events: &[Event]) -> Vec<Event>;
}

/// What an exploration has seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// Executions, whatever became of them.
    pub executions: u64,
    /// There are no others, and of each it is known how it ends.
    pub complete: bool,
}

/// How many executions may be tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// From the beginning, and for the nearest failing execution.
    pub survey: u64,
    /// For any other question.
    pub each: u64,
    /// In all.
    pub left: u64,
}

impl Budget {
    /// What there is for the next question.
    fn next(&self) -> u64 {
        self.each.min(self.left)
    }

    fn pay(&mut self, executions: u64) {
        self.left = self.left.saturating_sub(executions);
    }
}

/// What can still become of an execution after some events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Some continuation is right.
    Open,
    /// All fail, so many.
    Sealed(u64),
    /// None of so many was right, and there may be others.
    Doubtful(u64),
}

//! What an explanation asks of a program.

use smpi_checker::Event;

use crate::known::{Fault, Row};
use crate::nearest::Nearest;
use crate::restricted::Rule;

/// What an explanation asks of a program.
pub trait Program {
    /// Explores what begins with these events, in this order, and shows each execution to `show`: at most `most`, and
    /// none after the first that is right of `fault`, if one is given.
    fn below(&mut self, prefix: &[Event], most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen;

    /// Explores what a rule leaves, in the same way.
    fn under(&mut self, rule: Rule<'_>, most: u64, fault: Option<Fault>, show: &mut dyn FnMut(Row)) -> Seen;

    /// Whether executions that come to the same state are shown once: then what is shown of all is not all.
    fn merges(&self) -> bool;

    /// The failing execution with these events that is nearest to the natural one, among at most so many. Where
    /// executions are merged, that of all failing ones.
    fn nearest(&mut self, fault: Fault, events: &[Event], most: u64) -> Option<Nearest>;

    /// Some executions that begin with these events and go on at random, at most `most`, shown to `show` up to the
    /// first that is right.
    fn at_random(&mut self, prefix: &[Event], most: u64, fault: Fault, show: &mut dyn FnMut(Row)) -> u64;

    /// So many executions that begin with these events and go on at random, for no more than some choices, shown to
    /// `show` whatever becomes of them.
    fn wander(&mut self, prefix: &[Event], count: u64, show: &mut dyn FnMut(Row));

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

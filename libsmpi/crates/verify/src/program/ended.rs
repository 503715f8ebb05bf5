//! Executions that have come to their end while the program was explored: the first ones, for whoever explains what was
//! found and has no time to execute as many again.

use smpi_checker::{Event, Settled};
use smpi_choices::Discoveries;
use smpi_report::finding::{Buffering, Finding};

use super::{Program, foreseen};

/// As many as an explanation looks at first.
const MOST: usize = 1_000;

/// Choices of all of them together, at most.
const MOST_EVENTS: usize = 1 << 18;

/// Those that are kept.
#[derive(Default)]
pub(crate) struct Ended {
    executions: Vec<Execution>,
    events: usize,
}

/// One of them.
pub(crate) struct Execution {
    pub buffering: Buffering,
    pub foreseen: Discoveries,
    pub path: Vec<Event>,
    /// What is wrong at its end.
    pub found: Vec<Finding>,
}

impl Ended {
    /// All of them, in the order in which they were met.
    pub fn executions(&self) -> &[Execution] {
        &self.executions
    }
}

impl Program {
    /// An execution has come to an end. It is kept if there is room, and if this end is the only one that it has.
    pub fn keep_execution(&mut self, settled: Settled, path: &[Event], buffering: Buffering, found: &[Finding]) {
        let events = self.ended.events + path.len();
        let is_end = matches!(settled, Settled::Finished | Settled::Deadlock | Settled::Failed);
        let is_known = is_end && !self.is_cut_short() && !found.iter().any(|finding| finding.is_limit);
        if self.ended.executions.len() == MOST || events > MOST_EVENTS || !is_known || self.naming.is_some() {
            return;
        }
        self.ended.events = events;
        let (foreseen, path, found) = (foreseen(), path.to_vec(), found.to_vec());
        self.ended.executions.push(Execution { buffering, foreseen, path, found });
    }
}

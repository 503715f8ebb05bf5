//! WaitAny, TestAny and the papers' sequenced WaitAll, as questions about the state: when is which of them enabled?
//!
//! Who answers "enabled, but later" is not decided here: the simulated world calls [`Mailboxes::complete`] when the
//! transfer's time is over, the checker when it chooses the transition.

use crate::communication::CommId;
use crate::mailboxes::Mailboxes;

impl Mailboxes {
    /// True when a Wait on this communication is enabled: it is matched, done, or over.
    ///
    /// Test is always enabled; this is the answer it may give at the earliest.
    pub fn is_ready(&self, comm: CommId) -> bool {
        self.get(comm).is_none_or(|comm| comm.is_ready())
    }

    /// WaitAny is enabled when one of its communications is ready; the first such index, in the given order. `None`
    /// means that WaitAny blocks, and that TestAny answers no.
    pub fn wait_any(&self, comms: &[CommId]) -> Option<usize> {
        comms.iter().position(|&comm| self.is_ready(comm))
    }

    /// All indices that WaitAny may return, in the given order: the choices of a checker.
    pub fn wait_any_choices(&self, comms: &[CommId]) -> impl Iterator<Item = usize> {
        comms.iter().enumerate().filter(|&(_, &comm)| self.is_ready(comm)).map(|(index, _)| index)
    }

    /// The sequenced WaitAll ("SimGrid MC: Verification Support for a Multi-API Simulation Platform", listing 3.2)
    /// waits for one communication after the other, so that the order of completions is no choice. This is the index of
    /// the wait at which it stands, or `None` when it is through.
    pub fn wait_all(&self, comms: &[CommId]) -> Option<usize> {
        comms.iter().position(|&comm| !self.is_ready(comm))
    }
}

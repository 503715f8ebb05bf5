//! Operations that wait for other ranks although MPI lets them go on.

use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind};
use smpi_mailbox::CommId;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Body, Operation, Send};

/// What an operation waits for, and need not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    /// The receive of its message.
    Receive(CommId),
    /// The other ranks of a collective operation.
    Meeting(Operation),
}

/// An operation that waits, and need not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub id: ChoiceId,
    pub slot: u32,
    pub what: What,
    /// Nothing else moved, and it did not go on: it never does.
    pub kept: bool,
}

/// What is known of such operations. Empty where all do the same.
#[derive(Clone, Default, Debug)]
pub(crate) struct Reluctant {
    /// In the order of their numbers, rank by rank as they come.
    pub waiting: Vec<Waiting>,
    /// Those that went on, as long as what they could have waited for has not come.
    pub gone_on: Vec<(ChoiceId, What)>,
}

impl Waiting {
    pub fn kind(&self) -> ChoiceKind {
        match self.what {
            What::Receive(_) => ChoiceKind::Buffering,
            What::Meeting(_) => ChoiceKind::Leaving,
        }
    }
}

impl Reluctant {
    /// What was waited for has come (or was withdrawn): whether somebody waits makes no difference any more. Those that
    /// did.
    pub fn settled(&mut self, what: What) -> Vec<(WorldRank, u32)> {
        self.gone_on.retain(|gone_on| gone_on.1 != what);
        let settled = self.waiting.extract_if(.., |waiting| waiting.what == what);
        settled.map(|waiting| (waiting.id.rank(), waiting.slot)).collect()
    }

    pub fn of_slot(&self, rank: WorldRank, slot: u32) -> Option<&Waiting> {
        self.waiting.iter().find(|waiting| waiting.id.rank() == rank && waiting.slot == slot)
    }
}

/// Whether an operation may wait for others and need not.
pub(crate) fn is_reluctant(body: &Body) -> bool {
    let is_standard = |send: &Send| matches!(send.mode, Mode::Standard | Mode::Ready);
    match body {
        Body::Send(send) => is_standard(send),
        Body::SendRecv(both) => is_standard(&both.send),
        Body::Collective(_) => true,
        _ => false,
    }
}

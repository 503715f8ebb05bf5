//! Canonical form of the network state: two states with equal forms behave alike, however they were reached.
//!
//! The form omits what no primitive can observe: slots and generations of ids, absolute sequence numbers, the index,
//! and the relative order of entries that no pattern can bring together (different mailboxes, different contexts,
//! different sides). The order within one mailbox, side and context is kept, because a receive with two wildcards sees
//! it. The theorems of [`crate::independence`] speak of this form, and their tests compare it. No run needs it.

use std::collections::BTreeMap;

use smpi_base::WorldRank;

use crate::communication::{Communication, State};
use crate::envelope::{Context, Envelope, Pattern};
use crate::mailboxes::Mailboxes;

/// What is observable of one communication. Tokens name it, so callers that compare states use tokens that depend on
/// the posting rank only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// Where it stands.
    pub state: State,
    /// Envelope of the message; `None` while only the receive is there.
    pub envelope: Option<Envelope>,
    /// What the receive or the matched probe asked for.
    pub pattern: Pattern,
    /// Sending rank, or [`crate::NO_RANK`].
    pub from: WorldRank,
    /// Receiving rank.
    pub to: WorldRank,
    /// Bytes of the message.
    pub size: u64,
    /// The sender's token.
    pub send_token: u64,
    /// The receiver's token.
    pub recv_token: u64,
}

/// The two queues of one mailbox, restricted to one context: sends and receives, each in posting order.
pub type Queues = (Vec<Entry>, Vec<Entry>);

/// Canonical form of a [`Mailboxes`]; compare or hash it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Canonical {
    /// Unmatched operations of each mailbox and context. Mailboxes without any do not appear.
    pub waiting: BTreeMap<(WorldRank, Context), Queues>,
    /// Claimed and matched communications, sorted.
    pub joined: Vec<Entry>,
}

impl Mailboxes {
    /// The canonical form of the present state, in time proportional to the number of live communications and of ranks.
    pub fn canonical(&self) -> Canonical {
        let mut waiting: BTreeMap<(WorldRank, Context), Queues> = BTreeMap::new();
        for (_, comm) in self.pending() {
            let (sends, receives) = waiting.entry((comm.to, comm.envelope.context)).or_default();
            let queue = if comm.state == State::SendPosted { sends } else { receives };
            queue.push(entry(comm));
        }
        let joined = self.iter().filter(|(_, comm)| !matches!(comm.state, State::SendPosted | State::RecvPosted));
        let mut joined: Vec<Entry> = joined.map(|(_, comm)| entry(comm)).collect();
        joined.sort_unstable();
        Canonical { waiting, joined }
    }
}

fn entry(comm: &Communication) -> Entry {
    Entry {
        state: comm.state,
        envelope: (comm.state != State::RecvPosted).then_some(comm.envelope),
        pattern: comm.pattern(),
        from: comm.from,
        to: comm.to,
        size: comm.size,
        send_token: comm.send_token,
        recv_token: comm.recv_token,
    }
}

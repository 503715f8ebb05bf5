//! A record of what ranks did, for the sequence chart of a finding: the program's own messages and collective
//! operations.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_base::map::Map;

use super::observation::Origin;

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Taped {
    /// A message was posted.
    Sent {
        /// Its number on the tape.
        message: u64,
        /// Its sender.
        from: WorldRank,
        /// Its receiver.
        to: WorldRank,
        /// Payload in bytes.
        bytes: u64,
        /// Its tag.
        tag: i32,
        /// Where it was sent.
        origin: Origin,
    },
    /// A message was matched.
    Got {
        /// Its number on the tape.
        message: u64,
        /// Its sender.
        from: WorldRank,
        /// Its receiver.
        rank: WorldRank,
        /// Numbers of all messages that could have been taken; empty when there was no choice.
        candidates: Vec<u64>,
        /// Where it was received.
        origin: Origin,
    },
    /// A collective operation took place.
    Collective {
        /// Which.
        name: Function,
        /// Who took part, ascending, and where each called it.
        members: Vec<(WorldRank, Origin)>,
    },
}

/// The tape, and what is needed to write it.
#[derive(Clone, Debug, Default)]
pub struct Tape {
    pub(crate) events: Vec<Taped>,
    pub(crate) sent: u64,
    /// What the next match could have taken instead.
    pub(crate) candidates: Vec<u64>,
    /// The call that a rank has made last.
    pub(crate) calls: Map<WorldRank, Origin>,
}

impl Tape {
    /// Where a rank is, for what does not know where it was made itself: blocking calls.
    pub(crate) fn or_call(&self, rank: WorldRank, origin: Origin) -> Origin {
        match origin.site {
            0 => self.calls.get(&rank).copied().unwrap_or(origin),
            _ => origin,
        }
    }
}

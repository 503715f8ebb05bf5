//! A record of what ranks did, for the sequence chart of a finding: the program's own messages and collective
//! operations; and of what they did with files.

use std::path::PathBuf;

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
    /// A file was looked at or written.
    File {
        /// By whom.
        rank: WorldRank,
        /// Where.
        origin: Origin,
        /// Its path.
        path: PathBuf,
        /// It was written.
        writes: bool,
        /// Begin and end of each run of bytes, in order; none where something else was looked at.
        runs: Vec<(u64, u64)>,
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
    /// The calls one by one, where somebody goes through them.
    pub(crate) steps: Option<Box<Steps>>,
}

/// The program's calls one by one, for who goes through an execution: which there were, what belongs to which, and in
/// which of them a rank is to stop.
#[derive(Clone, Debug, Default)]
pub struct Steps {
    /// Calls that ranks have made since the program began.
    pub made: usize,
    /// The rank that makes the call with this number, from 0 on, stops at its beginning.
    pub pause_at: Option<usize>,
    /// It has stopped there.
    pub paused: Option<WorldRank>,
    /// The calls since these steps are followed.
    pub calls: Vec<Step>,
    /// For events of the tape, by their places on it: the call that has posted the message, or the receive.
    pub posted_by: Vec<(usize, usize)>,
    /// A call has posted an operation, and another one, or the same, has told its rank that it is over.
    pub taken: Vec<(usize, usize)>,
    /// The last call of each rank.
    pub(crate) last: Map<WorldRank, usize>,
    /// Posts of this instant whose calls are known.
    pub(crate) known_posts: usize,
    /// The call that has posted the operation of a request, by the request's slot.
    pub(crate) posting: Map<(WorldRank, u32), usize>,
}

/// A call of the program.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// Who makes it.
    pub rank: WorldRank,
    /// Where.
    pub origin: Origin,
    /// Events on the tape before it.
    pub taped: usize,
}

impl Tape {
    /// Where a rank is, for what does not know where it was made itself: blocking calls.
    pub(crate) fn or_call(&self, rank: WorldRank, origin: Origin) -> Origin {
        match origin.site {
            0 => self.calls.get(&rank).copied().unwrap_or(origin),
            _ => origin,
        }
    }

    /// Notes which call has posted what comes onto the tape next.
    pub(crate) fn note_poster(&mut self, rank: WorldRank, slot: Option<u32>) {
        let next = self.events.len();
        if let Some(steps) = &mut self.steps
            && let Some(&call) = slot.and_then(|slot| steps.posting.get(&(rank, slot)))
        {
            steps.posted_by.push((next, call));
        }
    }
}

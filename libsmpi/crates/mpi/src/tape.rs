//! A record of what ranks did, for the sequence chart of a finding: the program's own messages and collective
//! operations.
//!
//! Nothing is recorded unless [`World::start_tape`] was called: the checker executes the schedule of a finding once
//! more for it.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Context};

use crate::comm::CONTEXTS_PER_COMM;
use crate::notes::Origin;
use crate::progress::slot_of;
use crate::request::Owner;
use crate::world::World;

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
    events: Vec<Taped>,
    sent: u64,
    /// What the next match could have taken instead.
    candidates: Vec<u64>,
}

impl World {
    /// Records from now on.
    pub fn start_tape(&mut self) {
        self.tape = Some(Tape::default());
    }

    /// Ends the recording and hands it over.
    pub fn take_tape(&mut self) -> Vec<Taped> {
        self.tape.take().map_or(Vec::new(), |tape| tape.events)
    }

    /// Notes a message that was just posted.
    pub(crate) fn tape_send(&mut self, comm: CommId, context: Context, bytes: u64, tag: i32, origin: Origin) {
        let (Some(tape), Some(communication)) = (&mut self.tape, self.boxes.get(comm)) else { return };
        if context.is_multiple_of(CONTEXTS_PER_COMM) {
            let message = tape.sent;
            tape.sent += 1;
            self.flights[slot_of(comm)].message = message;
            let (from, to) = (communication.from, communication.to);
            tape.events.push(Taped::Sent { message, from, to, bytes, tag, origin });
        }
    }

    /// Notes what the receive that is chosen for next could take.
    pub(crate) fn tape_candidates(&mut self, comms: impl Iterator<Item = CommId>) {
        if let Some(tape) = &mut self.tape {
            tape.candidates = comms.map(|comm| self.flights[slot_of(comm)].message).collect();
        }
    }

    /// Notes a match.
    pub(crate) fn tape_match(&mut self, comm: CommId, receiver: Owner) {
        let (Some(tape), Some(communication)) = (&mut self.tape, self.boxes.get(comm)) else { return };
        if communication.envelope.context.is_multiple_of(CONTEXTS_PER_COMM) {
            let request = self.ranks[receiver.rank.index()].requests.at_slot(receiver.slot);
            tape.events.push(Taped::Got {
                message: self.flights[slot_of(comm)].message,
                from: communication.from,
                rank: receiver.rank,
                candidates: std::mem::take(&mut tape.candidates),
                origin: request.map_or(Origin::default(), |request| request.origin()),
            });
        }
    }

    /// Notes a collective operation that all its ranks have called.
    pub(crate) fn tape_collective(&mut self, name: Function, members: Vec<(WorldRank, Origin)>) {
        if let Some(tape) = &mut self.tape {
            tape.events.push(Taped::Collective { name, members });
        }
    }
}

//! A record of what ranks did, for the sequence chart of a finding: the program's own messages and collective
//! operations.
//!
//! Nothing is recorded unless [`World::start_tape`] was called: a verification executes the schedule of a finding once
//! more for it.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Envelope};

use super::{Outgoing, World};
use crate::comm::TrafficKind;
use crate::p2p::request::Owner;
use crate::usage::{Origin, Tape, Taped};

impl World {
    /// Where the program sends the message of a request, as far as anybody wants to know: for a record, and because the
    /// request may be gone before its message is received.
    #[inline]
    pub(super) fn sent_at(&self, rank: WorldRank, slot: u32) -> Option<Origin> {
        let origin = self.request_at(rank, slot)?.origin();
        let origin = self.observers.tape.as_ref().map_or(origin, |tape| tape.or_call(rank, origin));
        (origin.site != 0).then_some(origin)
    }

    /// Records from now on.
    pub fn start_tape(&mut self) {
        self.observers.tape = Some(Tape::default());
    }

    /// Ends the recording and hands it over.
    pub fn take_tape(&mut self) -> Vec<Taped> {
        self.observers.tape.take().map_or(Vec::new(), |tape| tape.events)
    }

    /// Records to this from now on, or nothing; returns what it has recorded to so far.
    pub fn replace_tape(&mut self, tape: Option<Tape>) -> Option<Tape> {
        std::mem::replace(&mut self.observers.tape, tape)
    }

    /// Notes which call a rank makes now.
    pub fn tape_call(&mut self, rank: WorldRank, origin: Origin) {
        if let Some(tape) = &mut self.observers.tape {
            tape.calls.insert(rank, origin);
        }
    }

    /// How much is recorded so far.
    pub fn taped(&self) -> usize {
        self.observers.tape.as_ref().map_or(0, |tape| tape.events.len())
    }

    /// Notes a message that was just posted.
    #[cold]
    pub(super) fn tape_send(&mut self, comm: CommId, outgoing: &mut Outgoing) {
        let of_whole =
            self.state.boxes.get(comm).and_then(|communication| self.tag_of_whole(communication.from, outgoing));
        let (Some(tape), Some(communication)) = (&mut self.observers.tape, self.state.boxes.get(comm)) else { return };
        let &mut Outgoing { envelope: Envelope { context, tag, .. }, size: bytes, .. } = outgoing;
        let origin = outgoing.rare.as_ref().and_then(|rare| rare.origin).unwrap_or_default();
        let tag = of_whole.unwrap_or(tag);
        if TrafficKind::base_of_programs(context).is_some() {
            let message = tape.sent;
            tape.sent += 1;
            outgoing.rare.get_or_insert_default().message = message;
            let (from, to) = (communication.from, communication.to);
            tape.events.push(Taped::Sent { message, from, to, bytes, tag, origin });
        }
    }

    /// The program's tag of a partitioned send of which this is a partition, which has a tag of its own.
    fn tag_of_whole(&self, from: WorldRank, outgoing: &Outgoing) -> Option<i32> {
        let whole = self.request_at(from, outgoing.slot()?)?.part_of?;
        self.partitioned(from, whole).map(|whole| whole.tag)
    }

    /// Whether a record is made.
    pub fn is_taped(&self) -> bool {
        self.observers.tape.is_some()
    }

    /// Notes what the receive that takes its message next could have taken.
    pub fn tape_candidates(&mut self, comms: &[CommId]) {
        if let Some(tape) = &mut self.observers.tape {
            let number = |&comm| self.state.in_transit.rare(comm).map_or(0, |rare| rare.message);
            tape.candidates = comms.iter().map(number).collect();
        }
    }

    /// Notes a match.
    pub(super) fn tape_match(&mut self, comm: CommId, receiver: Owner) {
        let (Some(tape), Some(communication)) = (&mut self.observers.tape, self.state.boxes.get(comm)) else { return };
        if TrafficKind::base_of_programs(communication.envelope.context).is_some() {
            let request = self.state.ranks[receiver.rank.index()].requests.at_slot(receiver.slot);
            let origin = request.map_or(Origin::default(), |request| request.origin());
            tape.events.push(Taped::Got {
                message: self.state.in_transit.rare(comm).map_or(0, |rare| rare.message),
                from: communication.from,
                rank: receiver.rank,
                candidates: std::mem::take(&mut tape.candidates),
                origin: tape.or_call(receiver.rank, origin),
            });
        }
    }

    /// Notes a collective operation that all its ranks have called.
    pub(super) fn tape_collective(&mut self, name: Function, members: Vec<(WorldRank, Origin)>) {
        if let Some(tape) = &mut self.observers.tape {
            tape.events.push(Taped::Collective { name, members });
        }
    }
}

//! A record of what ranks did, for the sequence chart of a finding: the program's own messages and collective
//! operations.
//!
//! Nothing is recorded unless [`World::start_tape`] was called: a verification executes the schedule of a finding once
//! more for it.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Envelope};

use super::{Outgoing, Post, World};
use crate::comm::TrafficKind;
use crate::p2p::request::Owner;
use crate::usage::{Origin, Step, Steps, Tape, Taped};

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

    /// Notes which call a rank makes now; whether it is to stop there.
    pub fn tape_call(&mut self, rank: WorldRank, origin: Origin) -> bool {
        self.tape_posts();
        let Some(tape) = &mut self.observers.tape else { return false };
        tape.calls.insert(rank, origin);
        let taped = tape.events.len();
        let Some(steps) = &mut tape.steps else { return false };
        let number = steps.made;
        steps.made += 1;
        steps.last.insert(rank, number);
        steps.calls.push(Step { rank, origin, taped });
        let stops = steps.pause_at == Some(number);
        if stops {
            steps.paused = Some(rank);
        }
        stops
    }

    /// Follows the calls one by one from now on, with a tape of its own.
    pub fn start_steps(&mut self, steps: Steps) {
        self.observers.tape = Some(Tape { steps: Some(Box::new(steps)), ..Tape::default() });
    }

    /// What is followed so far.
    pub fn steps(&self) -> Option<&Steps> {
        self.observers.tape.as_ref()?.steps.as_deref()
    }

    /// Ends that, and hands over what was followed.
    pub fn take_steps(&mut self) -> (Vec<Taped>, Steps) {
        let tape = self.observers.tape.take().unwrap_or_default();
        (tape.events, tape.steps.map_or(Steps::default(), |steps| *steps))
    }

    /// Which calls have made the posts of this instant so far: each is that of its rank's last call.
    pub(super) fn tape_posts(&mut self) {
        let Some(steps) = self.observers.tape.as_mut().and_then(|tape| tape.steps.as_mut()) else { return };
        for (rank, post) in self.state.posts.iter().skip(steps.known_posts) {
            let slot = match post {
                Post::Send(outgoing) => outgoing.slot(),
                Post::Start(slot) => Some(*slot),
                _ => None,
            };
            if let (Some(slot), Some(&call)) = (slot, steps.last.get(rank)) {
                steps.posting.insert((*rank, slot), call);
            }
        }
        steps.known_posts = self.state.posts.len();
    }

    /// The posts of this instant are about to be committed.
    #[cold]
    pub(super) fn tape_commit(&mut self) {
        self.tape_posts();
        if let Some(steps) = self.observers.tape.as_mut().and_then(|tape| tape.steps.as_mut()) {
            steps.known_posts = 0;
        }
    }

    /// A rank takes the completion of a request.
    #[cold]
    pub(super) fn tape_taken(&mut self, rank: WorldRank, slot: u32) {
        self.tape_posts();
        let Some(steps) = self.observers.tape.as_mut().and_then(|tape| tape.steps.as_mut()) else { return };
        if let (Some(&posted), Some(&call)) = (steps.posting.get(&(rank, slot)), steps.last.get(&rank)) {
            steps.taken.push((posted, call));
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
            tape.note_poster(from, outgoing.slot());
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
            tape.note_poster(receiver.rank, Some(receiver.slot));
            tape.events.push(Taped::Got {
                message: self.state.in_transit.rare(comm).map_or(0, |rare| rare.message),
                from: communication.from,
                rank: receiver.rank,
                candidates: std::mem::take(&mut tape.candidates),
                origin: tape.or_call(receiver.rank, origin),
            });
        }
    }

    /// Notes what a rank does with a file, which `what` tells where a record is made.
    pub fn tape_file(&mut self, what: impl FnOnce() -> Taped) {
        if let Some(tape) = &mut self.observers.tape {
            tape.events.push(what());
        }
    }

    /// Notes a collective operation that all its ranks have called.
    pub(super) fn tape_collective(&mut self, name: Function, members: Vec<(WorldRank, Origin)>) {
        if let Some(tape) = &mut self.observers.tape {
            tape.events.push(Taped::Collective { name, members });
        }
    }
}

//! Observers of the program: they get the same events as the driver, and change nothing.

use smpi_base::WorldRank;
use smpi_mailbox::CommId;

use super::{NOBODY, World};
use crate::collective::Part;
use crate::op::Predefined;
use crate::p2p::request::{Owner, RequestKey};
use crate::usage::{Holder, Items, Lent, Mistyped, Observation, Origin, Side, Touch, Trouble};

impl World {
    /// Whether somebody has to be told of every send.
    pub(super) fn follows_sends(&self) -> bool {
        self.state.causality.is_some() || self.observers.tape.is_some()
    }

    /// A message is matched, and nothing was copied yet.
    #[inline]
    pub(super) fn observe_match(&mut self, comm: CommId, sender: (WorldRank, u64), receiver: Owner) {
        // Causality is about messages of the program.
        let has_causes = || self.state.in_transit.rare(comm).is_some_and(|rare| rare.causes.is_some());
        let is_heard = || self.state.causality.is_some() && has_causes();
        let is_observed = self.observers.contents || self.observers.tape.is_some() || self.observers.matched.is_some();
        if is_observed || is_heard() {
            self.tell_of_match(comm, sender, receiver);
        }
    }

    #[inline(never)]
    fn tell_of_match(&mut self, comm: CommId, sender: (WorldRank, u64), receiver: Owner) {
        if self.observers.tape.is_some() {
            self.tape_match(comm, receiver);
        }
        if let (Some(matched), Some(message)) = (&mut self.observers.matched, self.state.boxes.get(comm)) {
            matched.push((message.to, message.from, message.envelope.tag));
        }
        if self.observers.contents {
            // Nobody may have changed the buffers of a message before it is copied.
            if sender.1 != NOBODY {
                let sender = Owner::of(sender.1);
                self.check_contents(sender.rank, sender.slot, false);
            }
            self.check_contents(receiver.rank, receiver.slot, false);
        }
        if self.state.causality.is_some() {
            self.match_causes(comm, receiver);
        }
    }

    /// A rank is about to take the completion of a request.
    #[inline]
    pub(super) fn observe_taken(&mut self, rank: WorldRank, key: RequestKey) {
        if self.observers.contents {
            self.check_contents(rank, key.slot, true);
        }
        if self.state.causality.is_some() {
            self.take_causes(rank, key);
        }
        if self.observers.tape.is_some() {
            self.tape_taken(rank, key.slot);
        }
    }

    /// Takes what was noticed since the last time.
    pub fn take_observations(&mut self) -> Vec<Observation> {
        let mut taken = std::mem::take(&mut self.observers.observations);
        // Accesses come while ranks run, in whatever order that is.
        taken.sort_by_key(|one| match one {
            Observation::Access { side, .. }
            | Observation::Shared { call: side, .. }
            | Observation::Overlap { side, .. }
            | Observation::Outside { side, .. }
            | Observation::Breach { side, .. }
            | Observation::Gone { side, .. }
            | Observation::GivenUp { side, .. }
            | Observation::Mistyped(side, _)
            | Observation::Characters(side, _)
            | Observation::NoDatatype(side) => Some(side.rank),
            _ => None,
        });
        taken
    }

    /// Notes something about the program.
    pub fn observe(&mut self, observation: Observation) {
        self.observers.observations.push(observation);
    }

    /// A rank touched memory that belongs to MPI because of something that it started at `origin`: one of its requests,
    /// or an access to a window, which has no request of this key.
    pub fn note_access(
        &mut self,
        rank: WorldRank,
        (key, origin): (RequestKey, Origin),
        receives: bool,
        (touch, place): (Touch, Origin),
    ) {
        let side = Side { rank, origin, away: true };
        if touch != Touch::Read {
            self.forget_content(rank, key);
        }
        self.observe(Observation::Access { side, touch, receives, place });
    }

    /// A call of a rank, with this request of its own if it has one, uses memory that belongs to MPI because of
    /// `other`, which was started at `origin`.
    pub fn note_shared(
        &mut self,
        (rank, place, own): (WorldRank, Origin, Option<RequestKey>),
        writes: bool,
        (other, origin, receives): (RequestKey, Origin, bool),
    ) {
        let call = Side { rank, origin: place, away: true };
        let side = Side { rank, origin, away: true };
        own.into_iter().chain([other]).for_each(|key| self.forget_content(rank, key));
        self.observe(Observation::Shared { call, writes, other: side, receives });
    }

    /// The data of a call of a rank reaches so many bytes beyond the object in which it lies.
    pub fn note_outside(&mut self, rank: WorldRank, place: Origin, holder: Holder, beyond: u64) {
        self.observe(Observation::Outside { side: Side { rank, origin: place, away: true }, holder, beyond });
    }

    /// A rank starts a persistent request of which it has freed the buffer.
    pub fn note_gone(&mut self, rank: WorldRank, place: Origin, made: Origin, freed: Origin) {
        self.observe(Observation::Gone { side: Side { rank, origin: place, away: true }, made, freed });
    }

    /// A rank gives up memory that MPI has for this.
    pub fn note_given_up(&mut self, rank: WorldRank, place: Origin, touch: Touch, lent: Lent) {
        self.observe(Observation::GivenUp { side: Side { rank, origin: place, away: true }, touch, lent });
    }

    /// The datatype of a call of a rank does not describe the variable in which its data lies.
    pub fn note_mistyped(&mut self, rank: WorldRank, place: Origin, mistyped: Mistyped) {
        self.observe(Observation::Mistyped(Side { rank, origin: place, away: true }, Box::new(mistyped)));
    }

    /// The buffers of a call of a rank overlap.
    pub fn note_overlap(&mut self, rank: WorldRank, place: Origin, twice: bool) {
        self.observe(Observation::Overlap { side: Side { rank, origin: place, away: true }, twice });
    }

    /// A rank computes with characters at a window.
    pub fn note_characters(&mut self, rank: WorldRank, origin: Origin, op: Option<Predefined>) {
        self.observe(Observation::Characters(Side { rank, origin, away: true }, op));
    }

    /// A call of a rank has no datatype, for no elements.
    pub fn note_no_datatype(&mut self, rank: WorldRank, origin: Origin) {
        self.observe(Observation::NoDatatype(Side { rank, origin, away: true }));
    }

    /// What is known exactly of a buffer need not be noticed again by its content.
    fn forget_content(&mut self, rank: WorldRank, key: RequestKey) {
        if let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key) {
            let watched = request.watched.get_or_insert_default();
            watched.content = None;
            watched.is_misused = true;
        }
    }

    /// True when there is something to take.
    #[inline]
    pub fn has_observations(&self) -> bool {
        !self.observers.observations.is_empty()
    }

    /// Says where a rank is that has just noticed a changed buffer.
    pub fn place_observations(&mut self, rank: WorldRank, place: Origin) {
        for one in &mut self.observers.observations {
            if let Observation::Buffer { side, at_completion: true, noticed, .. } = one
                && side.rank == rank
                && noticed.site == 0
            {
                *noticed = place;
            }
        }
    }

    /// What a rank says about its next Waitany does not fit; `origin` is where it said so.
    pub fn note_annotation(&mut self, rank: WorldRank, origin: Origin, trouble: Trouble) {
        self.observe(Observation::Annotation(Side { rank, origin, away: true }, trouble));
    }

    pub(super) fn side(&self, rank: WorldRank, slot: Option<u32>) -> Side {
        let state = &self.state.ranks[rank.index()];
        let request = slot.and_then(|slot| state.requests.at_slot(slot));
        let origin = request.map_or(Origin::default(), |request| request.origin());
        Side { rank, origin, away: request.is_none_or(|request| !state.waits_for(request)) }
    }

    /// Compares the types of a message with those of the receive that takes it.
    #[cold]
    pub(super) fn check_types(
        &mut self,
        sent: Items,
        (comm, sender): (CommId, (WorldRank, u64)),
        receiver: Owner,
        part: &Part,
        tag: i32,
    ) {
        if sent.fits(part) {
            return;
        }
        let slot = (sender.1 != u64::MAX).then(|| Owner::of(sender.1).slot);
        let mut sender = self.side(sender.0, slot);
        // Who has sent it need not have waited for this.
        if let Some(sent_from) = self.sent_from(comm).filter(|_| slot.is_none()) {
            sender.origin = sent_from;
        }
        let receiver = self.side(receiver.rank, Some(receiver.slot));
        self.observe(Observation::Types { sender, receiver, sent, wanted: Items::of(part), tag });
    }
}

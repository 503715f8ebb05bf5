//! Buffers that belong to MPI: a hash of their contents shows whether the program has changed them.

use smpi_base::WorldRank;
use smpi_mailbox::CommId;

use super::{Data, RankMemory, World};
use crate::buffers::{read_only_parts, sent_part};
use crate::collective::Part;
use crate::memory::Memory;
use crate::p2p::request::{Body, Content, Owner, Phase, Request, RequestKey, Watched};
use crate::usage::{Observation, Origin, Side, digest};

impl World {
    /// A digest of a message that was sent just now: what is in it, and how long it is.
    pub fn digest_of(&self, comm: CommId) -> u64 {
        let Some(message) = self.state.boxes.get(comm) else { return 0 };
        let mut bytes = Vec::new();
        match self.state.in_transit.kept(comm).and_then(|kept| kept.data.as_ref()) {
            Some(Data::Packed(packed)) => bytes.extend_from_slice(packed),
            Some(Data::InPlace(part)) if part.size() > 0 && !part.place(message.from).is_void(&*self.memory) => {
                part.datatype.pack(&*self.memory, message.from, part.at, part.count as u64, &mut bytes);
            }
            Some(Data::InPlace(_) | Data::Delivered) | None => {}
        }
        bytes.extend_from_slice(&message.size.to_le_bytes());
        digest(&bytes)
    }

    /// The program gets the handle of a request: where it was made is remembered, and, where that is watched, what
    /// its buffer holds.
    pub fn watch(&mut self, rank: WorldRank, key: RequestKey, origin: Origin) {
        if let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key) {
            let is_misused = request.watched.as_ref().is_some_and(|watched| watched.is_misused);
            request.watched = Some(Box::new(Watched { origin, content: None, is_misused, in_call: false }));
        }
        self.watch_contents(rank, key.slot);
    }

    /// A call starts a request: where that is, is remembered unless it was made elsewhere.
    pub fn place(&mut self, rank: WorldRank, key: RequestKey, origin: Origin) {
        if let Some(request) = self.state.ranks[rank.index()].requests.get_mut(key)
            && request.watched.is_none()
        {
            let here = Watched { origin, in_call: true, ..Watched::default() };
            // Every call does so: a box that another request had needs no allocator.
            request.watched = Some(match self.spare_watched.pop() {
                Some(mut place) => {
                    *place = here;
                    place
                }
                None => Box::new(here),
            });
        }
    }

    /// Remembers what the buffers of a request of the program hold, where that is watched.
    #[inline]
    pub(super) fn watch_contents(&mut self, rank: WorldRank, slot: u32) {
        if self.observers.contents {
            self.remember_contents(rank, slot);
        }
    }

    #[inline(never)]
    fn remember_contents(&mut self, rank: WorldRank, slot: u32) {
        if let Some(request) = self.state.ranks[rank.index()].requests.at_slot_mut(slot)
            && request.watched.as_ref().is_some_and(|watched| !watched.is_misused && !watched.in_call)
            && request.phase != Phase::Inactive
        {
            let now = content(&mut *self.memory, rank, request);
            request.watched.iter_mut().for_each(|watched| watched.content = now);
        }
    }

    /// A message was received into a buffer of a request: remembers what the buffer holds now.
    #[inline]
    pub(super) fn watch_received(&mut self, receiver: Owner) {
        if !self.observers.contents {
            return;
        }
        // Those of a collective operation that are received into are not watched.
        let request = self.state.ranks[receiver.rank.index()].requests.at_slot(receiver.slot);
        if request.is_some_and(|request| !matches!(request.body, Body::Collective(_))) {
            self.watch_contents(receiver.rank, receiver.slot);
        }
    }

    /// Notes it when the program has changed a buffer since it was looked at last.
    #[inline]
    pub(super) fn check_contents(&mut self, rank: WorldRank, slot: u32, at_completion: bool) {
        let request = self.state.ranks[rank.index()].requests.at_slot(slot);
        if request.and_then(|request| request.watched.as_ref()?.content).is_some() {
            self.compare_contents(rank, slot, at_completion);
        }
    }

    #[inline(never)]
    fn compare_contents(&mut self, rank: WorldRank, slot: u32, at_completion: bool) {
        // What lay on the stack of a rank that has ended is nobody's any more.
        if self.state.ranks[rank.index()].ended {
            return;
        }
        let Some(request) = self.state.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
        let Some(before) = request.watched.as_ref().and_then(|watched| watched.content) else { return };
        if !at_completion && matches!(request.body, Body::Collective(_)) {
            return;
        }
        let now = content(&mut *self.memory, rank, request);
        if now == Some(before) {
            return;
        }
        request.watched.iter_mut().for_each(|watched| watched.content = now);
        let send = now.is_some_and(|now| now.sent != before.sent);
        let side = self.side(rank, Some(slot));
        let side = Side { away: at_completion || side.away, ..side };
        self.observe(Observation::Buffer { side, send, at_completion, noticed: Origin::default() });
    }
}

/// What the buffers of an operation hold; `None` for operations without.
fn content(memory: &mut dyn RankMemory, rank: WorldRank, request: &Request) -> Option<Content> {
    let mut hash = |part: &Part| {
        let mut bytes = Vec::new();
        if part.size() > 0 {
            let memory: &dyn Memory = memory;
            part.datatype.pack(memory, rank, part.at, part.count as u64, &mut bytes);
        }
        digest(&bytes)
    };
    Some(match &request.body {
        Body::Send(send) if send.to.is_some() => Content { sent: hash(&send.part), received: 0 },
        Body::Recv(recv) => Content { sent: 0, received: hash(&recv.part) },
        Body::MatchedRecv(part, _) => Content { sent: 0, received: hash(part) },
        Body::SendRecv(both) => {
            Content { sent: sent_part(request).map_or(0, &mut hash), received: hash(&both.recv.part) }
        }
        Body::Collective(collective) => {
            let sent = read_only_parts(&collective.schedule);
            let sent = sent.iter().fold(0, |all: u64, part| all.rotate_left(9) ^ hash(part));
            Content { sent, received: 0 }
        }
        _ => return None,
    })
}

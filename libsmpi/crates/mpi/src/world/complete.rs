//! Operations end: their ranks are woken, and take the completions.

use std::mem;

use smpi_base::WorldRank;

use super::{Driver, Moment, Notice, World};
use crate::error::MpiError;
use crate::p2p::buffered::BufferOwner;
use crate::p2p::request::{Body, Completion, Phase, Request, RequestKey};

/// What checks remember of requests is kept of so many that are gone, to be used again.
const MAX_SPARE: usize = 64;

impl World {
    /// An operation is over: wakes its rank when that waits for nothing else.
    pub fn complete<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let is_awaited = self.state.ranks[rank.index()].set_phase(slot, Phase::Done);
        if self.request_at(rank, slot).is_none() {
            return;
        }
        driver.told(self, Notice::Completed { rank, slot });
        if self.request_at(rank, slot).is_some_and(|request| request.freed || !driver.explores()) {
            self.give_back(rank, slot);
        }
        let state = &mut self.state.ranks[rank.index()];
        let Some(request) = state.requests.at_slot_mut(slot) else { return };
        if (mem::take(&mut request.waited) || is_awaited) && state.waiting > 0 {
            state.waiting -= 1;
            if state.waiting == 0 {
                self.woken.push(rank);
            }
        }
        let part_of = request.part_of;
        if request.freed
            && let Some(key) = state.requests.key_at(slot)
        {
            state.unlist(key);
            state.requests.remove(key);
        }
        if let Some(whole) = part_of {
            self.partition_over(driver, rank, (whole, slot));
        }
        if self.is_server(rank) {
            self.serve(driver, rank, slot);
        }
    }

    /// Releases the scratch memory of an operation that is over. Where states are compared that is when its rank learns
    /// of it: until then the rank's heap does not tell what others have done.
    #[inline]
    fn give_back(&mut self, rank: WorldRank, slot: u32) {
        if self.request_at(rank, slot).is_some_and(has_scratch) {
            self.release_scratch(rank, slot);
        }
    }

    #[inline(never)]
    fn release_scratch(&mut self, rank: WorldRank, slot: u32) {
        self.put_away_of(rank);
        let Some(request) = self.state.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
        match &mut request.body {
            Body::Collective(collective) => {
                for block in collective.schedule.scratch.drain(..) {
                    self.memory.release(rank, block.at, block.len);
                }
            }
            Body::SendRecv(both) => {
                if let Some(block) = both.copy.take() {
                    self.memory.release(rank, block.at, block.len);
                }
            }
            _ => {}
        }
    }

    /// One half of a combined send and receive is over.
    pub(super) fn half_done<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        if let Some(request) = self.request_at_mut(rank, slot)
            && let Body::SendRecv(both) = &mut request.body
        {
            both.open -= 1;
            if both.open == 0 {
                self.complete(driver, rank, slot);
            }
        }
    }

    /// What was done with a file is over: as many bytes were moved, up to an error if there was one.
    pub fn complete_file<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        key: RequestKey,
        (bytes, error): (u64, Option<MpiError>),
    ) {
        self.set_file_outcome(rank, key, (bytes, error));
        self.complete(driver, rank, key.slot);
    }

    /// Operations with files of which ranks have taken the completion since this was asked last, and when that was.
    pub fn take_file_ends(&mut self) -> Vec<(RequestKey, Moment)> {
        mem::take(&mut self.file_ends)
    }

    /// Whether there are such.
    #[inline]
    pub fn has_file_ends(&self) -> bool {
        !self.file_ends.is_empty()
    }

    /// A request will say, when it is over, that as many bytes of a file were moved, up to an error if there was one.
    pub fn set_file_outcome(&mut self, rank: WorldRank, key: RequestKey, (bytes, error): (u64, Option<MpiError>)) {
        if let Some(request) = self.request(rank, key) {
            request.status.bytes = bytes;
            request.error = error;
        }
    }

    /// True when the request is over and can be taken.
    #[inline]
    pub fn is_done(&self, rank: WorldRank, key: RequestKey) -> bool {
        self.state.ranks[rank.index()].requests.get(key).is_some_and(|request| request.phase == Phase::Done)
    }

    /// Hands a finished request to its rank: a persistent one becomes inactive, any other is gone.
    pub fn take_completion<D: Driver>(
        &mut self,
        driver: &mut D,
        rank: WorldRank,
        key: RequestKey,
    ) -> Option<Completion> {
        if !self.is_done(rank, key) {
            return None;
        }
        self.returned(rank, key);
        self.observe_taken(rank, key);
        driver.told(self, Notice::Taken { rank, key, shown: false });
        self.rest_members(rank, key.slot);
        self.tally_taken(driver, rank, key);
        self.give_back(rank, key.slot);
        let state = &mut self.state.ranks[rank.index()];
        let request = state.requests.get_mut(key)?;
        let ends_use = mem::take(&mut request.uses_file);
        let generalized = if let Body::Generalized(id) = request.body { Some(id) } else { None };
        let is_receive = match &request.body {
            Body::Recv(_) | Body::MatchedRecv(..) | Body::SendRecv(_) => true,
            Body::Partitioned(partitioned) => !partitioned.sends,
            _ => false,
        };
        let error = request.error.take().map(|error| {
            let origin = request.origin();
            error.on(request.comm_handle).of((origin.site, origin.call))
        });
        let completion = Completion {
            status: request.status,
            error,
            gone: !request.persistent,
            generalized,
            received: (is_receive && request.unawaited && request.status.source >= 0).then_some(request.status.bytes),
        };
        request.comm = None;
        if request.persistent {
            request.watched.iter_mut().for_each(|watched| watched.content = None);
            state.set_phase(key.slot, Phase::Inactive);
        } else {
            if let Some(watched) = request.watched.take()
                && self.spare_watched.len() < MAX_SPARE
            {
                self.spare_watched.push(watched);
            }
            state.unlist(key);
            state.requests.discard(key);
        }
        if ends_use && let Some(moment) = self.moment(rank) {
            self.file_ends.push((key, moment));
        }
        Some(completion)
    }

    /// The program forgets a request (MPI 5.0 §3.7.3): at once, or when the operation is over.
    pub fn free_request(&mut self, rank: WorldRank, key: RequestKey) {
        self.returned(rank, key);
        self.free_members(rank, key.slot);
        let state = &mut self.state.ranks[rank.index()];
        let Some(request) = state.requests.get_mut(key) else { return };
        request.freed = true;
        if request.phase != Phase::Active {
            self.give_back(rank, key.slot);
            let state = &mut self.state.ranks[rank.index()];
            state.unlist(key);
            state.requests.remove(key);
        }
    }

    /// Forgets a request of which nothing has begun.
    pub fn forget_request(&mut self, rank: WorldRank, key: RequestKey) {
        self.state.ranks[rank.index()].requests.remove(key);
    }

    /// A rank is through: it posts nothing any more.
    pub fn rank_ended<D: Driver>(&mut self, driver: &mut D, rank: WorldRank) {
        self.state.ranks[rank.index()].ended = true;
        self.put_away_posts(rank);
        driver.told(self, Notice::RankEnded(rank));
    }

    /// A rank is there from now on: `parent` has spawned it.
    pub fn rank_begins<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, parent: WorldRank) {
        self.state.ranks[rank.index()].ended = false;
        if let Some(causality) = &mut self.state.causality {
            let known = causality.tell(parent);
            causality.hear(rank, &known);
        }
        driver.told(self, Notice::RankBegins { rank, parent });
    }

    /// An attached buffer is empty: those that wait for it go on.
    pub(super) fn wake_drained<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, owner: BufferOwner) {
        let state = &mut self.state.ranks[rank.index()];
        if state.draining.take_if(|waited| *waited == owner).is_some() {
            self.woken.push(rank);
        }
        let is_due = |request: &Request| {
            request.phase == Phase::Active && matches!(request.body, Body::Flush(flushed) if flushed == owner)
        };
        let due: Vec<u32> =
            state.requests.iter().filter(|(_, request)| is_due(request)).map(|(key, _)| key.slot).collect();
        due.into_iter().for_each(|slot| self.complete(driver, rank, slot));
    }
}

/// Whether an operation gives memory back when it is over, in which payloads may lie. A persistent one needs that
/// again.
#[inline]
fn has_scratch(request: &Request) -> bool {
    match &request.body {
        Body::Collective(collective) if !request.persistent || request.freed => !collective.schedule.scratch.is_empty(),
        Body::SendRecv(both) => both.copy.is_some(),
        _ => false,
    }
}

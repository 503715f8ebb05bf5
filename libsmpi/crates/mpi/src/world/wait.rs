//! Waiting: WaitAny, WaitAll and TestAny of the papers ("A Simple Model of Communication APIs", Rosa, Merz, Quinson;
//! AVOCS 2010), over requests.
//!
//! | primitive | here | MPI functions made of it |
//! |---|---|---|
//! | WaitAny | [`Chooser::wait_any`](super::Chooser::wait_any) | `MPI_Waitany`, `Waitsome` |
//! | WaitAny in sequence | [`World::wait_all`] | `MPI_Wait`, `Waitall` and every blocking call |
//! | TestAny | [`Chooser::test`](super::Chooser::test) | `MPI_Test`, `Testany`, `Testsome`, `Testall` |
//!
//! A sequence of single waits ends when all requests are complete, in whatever order they complete. So a rank in
//! WaitAll is woken once, by the last completion.

use std::mem;

use smpi_base::WorldRank;

use super::{Driver, Probed, World};
use crate::p2p::buffered::BufferOwner;
use crate::p2p::request::{Phase, RequestKey};

impl World {
    /// Whether a rank that waits for all of these goes on; else it must be suspended until it is woken, and ask again.
    pub fn wait_all(&mut self, rank: WorldRank, keys: impl Iterator<Item = RequestKey> + Clone) -> bool {
        self.wait_begin(rank, keys, true)
    }

    /// Declares that `rank` waits for `keys`: for all of them, or for any one. Returns true when there is nothing to
    /// wait for; otherwise the rank must be suspended until it is woken, and ask again.
    pub(super) fn wait_begin(
        &mut self,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        all: bool,
    ) -> bool {
        let state = &mut self.state.ranks[rank.index()];
        let mut open = 0;
        for key in keys.clone() {
            let Some(request) = state.requests.get(key) else { continue };
            if request.phase == Phase::Active {
                open += 1;
            } else if !all && request.phase == Phase::Done {
                return true;
            }
        }
        if open == 0 {
            return true;
        }
        for key in keys {
            if let Some(request) = state.requests.get_mut(key) {
                request.waited = request.phase == Phase::Active;
            }
        }
        state.waiting = if all { open } else { 1 };
        false
    }

    /// Ends a wait that was not for all: the other requests do not wake the rank any more.
    pub(super) fn wait_end(&mut self, rank: WorldRank, keys: impl Iterator<Item = RequestKey>) {
        let state = &mut self.state.ranks[rank.index()];
        state.waiting = 0;
        for key in keys {
            if let Some(request) = state.requests.get_mut(key) {
                request.waited = false;
            }
        }
    }

    /// Whether none of these is under way.
    pub fn all_finished(&self, rank: WorldRank, mut keys: impl Iterator<Item = RequestKey>) -> bool {
        let requests = &self.state.ranks[rank.index()].requests;
        keys.all(|key| requests.get(key).is_none_or(|request| request.phase != Phase::Active))
    }

    /// Ranks that can go on, in the order in which they were woken.
    pub fn take_woken(&mut self, into: &mut Vec<WorldRank>) {
        self.put_away_all();
        into.append(&mut self.woken);
    }

    /// The ranks that [`World::take_woken`] would tell of now.
    pub fn woken(&self) -> &[WorldRank] {
        &self.woken
    }

    /// Lets a rank go on whose question is answered.
    pub fn wake(&mut self, rank: WorldRank) {
        self.woken.push(rank);
    }

    /// Whether the rank is blocked in a probe.
    pub fn is_probing<D: Driver>(&self, driver: &D, rank: WorldRank) -> bool {
        self.state.ranks[rank.index()].probing.is_some() || driver.is_asking(rank)
    }

    /// The answer to the last probe.
    pub fn take_probed(&mut self, rank: WorldRank) -> Option<Probed> {
        self.state.ranks[rank.index()].probed.take()
    }

    /// Declares that the rank waits until one of its attached buffers is empty. Returns true when it is.
    pub fn wait_drained(&mut self, rank: WorldRank, owner: BufferOwner) -> bool {
        let state = &mut self.state.ranks[rank.index()];
        let empty = state.buffers.is_empty(owner);
        state.draining = (!empty).then_some(owner);
        if empty {
            state.buffers.note_waited(owner);
        }
        empty
    }

    /// Wakes a rank that is blocked, in whatever call, so that it does what is due; then it waits on for the same
    /// thing. Progress of a collective must not depend on which call its ranks are in (MPI 5.0 §3.5, §6.12).
    pub(super) fn wake_for_user_work<D: Driver>(&mut self, driver: &D, rank: WorldRank) {
        let is_probing = self.is_probing(driver, rank);
        let state = &mut self.state.ranks[rank.index()];
        if mem::take(&mut state.waiting) > 0 || is_probing || state.draining.is_some() {
            self.woken.push(rank);
        }
    }
}

//! What a rank knows of its requests that are over, without having taken their completions. Who asks again is told the
//! same: MPI 5.0 §3.7.6 promises so of `MPI_Request_get_status`.
//!
//! | what tells | of which requests |
//! |---|---|
//! | a start | one that is with `MPI_PROC_NULL` only ([`Body::is_with_nobody`]) |
//! | `MPI_Request_get_status` and its kin | those that it says are complete; of a partitioned one, all partitions |
//! | `MPI_Parrived` | the partition; with the last one, the whole |
//! | `MPI_Grequest_complete` | the request: its rank has completed it itself |
//! | `MPI_Win_flush` and whatever else waits for accesses to a window | those of these accesses (`MPI_Rput` and its
//! kin) |
//!
//! All of it is [`Request::shown`](crate::p2p::request::Request::shown), and only this file and the start set it. What
//! a rank knows of messages that it has not received is the driver's, because only a driver that chooses can forget it.

use smpi_base::WorldRank;

use super::{Driver, Notice, World};
use crate::p2p::request::{Body, Phase, RequestKey};
use crate::rma::WindowId;

impl World {
    /// Whether a rank knows that a request of its is done.
    pub fn knows_done(&self, rank: WorldRank, slot: u32) -> bool {
        self.request_at(rank, slot).is_some_and(|request| request.shown)
    }

    /// Tells a rank that a request is done, whose completion it does not take (`MPI_Request_get_status`). The program
    /// may use its buffers from now on.
    pub fn show<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) {
        if !self.is_done(rank, key) {
            return;
        }
        self.returned(rank, key);
        if self.observers.contents {
            self.check_contents(rank, key.slot, true);
        }
        self.learn(rank, key);
        driver.told(self, Notice::Taken { rank, key, shown: true });
        self.mark_known(rank, key);
        for member in self.members(rank, key.slot).to_vec() {
            self.mark_known(rank, member);
        }
        if let Some(whole) = self.partitioned_mut(rank, key.slot).filter(|whole| !whole.sends) {
            whole.marked.fill(true);
            whole.told = whole.partitions;
        }
    }

    fn mark_known(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(request) = self.request(rank, key) else { return };
        request.shown = true;
        request.watched.iter_mut().for_each(|watched| watched.content = None);
    }

    /// Tells a rank that a partition has arrived. One that knows of all partitions knows that the whole is over.
    pub fn tell_partition<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey, partition: u32) {
        let Some(partitioned) = self.partitioned_mut(rank, key.slot) else { return };
        let is_news = !std::mem::replace(&mut partitioned.marked[partition as usize], true);
        partitioned.told += u32::from(is_news);
        let is_last = partitioned.told == partitioned.partitions;
        let Some(&member) = partitioned.members.get(partition as usize) else { return };
        self.show(driver, rank, member);
        if is_last && self.is_done(rank, key) {
            self.mark_known(rank, key);
        }
    }

    /// A rank has completed a generalized request of its own.
    pub fn complete_generalized<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) {
        self.complete(driver, rank, key.slot);
        if self.is_done(rank, key) {
            self.mark_known(rank, key);
        }
    }

    /// A rank has waited for its accesses to a target of a window, or to all: those are over that it has requests for.
    pub(super) fn know_accesses(&mut self, rank: WorldRank, window: WindowId, target: Option<u32>) {
        let is_meant = |body: &Body| matches!(*body, Body::Access(Some((id, to))) if id == window && target.is_none_or(|target| target == to));
        let all = self.state.ranks[rank.index()].requests.iter();
        let over = all.filter(|(_, request)| is_meant(&request.body) && request.phase == Phase::Done);
        for key in over.map(|(key, _)| key).collect::<Vec<_>>() {
            self.mark_known(rank, key);
        }
    }
}

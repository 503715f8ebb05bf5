//! `MPI_Cancel` (MPI 5.0 §3.8.4): an operation that has not matched is withdrawn, any other completes.

use smpi_base::WorldRank;
use smpi_mailbox::CommId;

use super::{Driver, Notice, Post, World};
use crate::p2p::protocol::Protocol;
use crate::p2p::request::{Body, Owner, Phase, Request, RequestKey, Send, Status};

impl Request {
    /// Whether `MPI_Cancel` can make a difference.
    pub fn may_be_cancelled(&self) -> bool {
        match &self.body {
            Body::Send(send) => send.to.is_some(),
            Body::Recv(recv) => recv.source != Status::PROC_NULL.source,
            _ => false,
        }
    }
}

impl World {
    /// Posts the cancellation of an active request. Nothing happens to one whose rank has been told that it is done:
    /// its operation is not pending any more.
    pub fn post_cancel<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) {
        if self.state.ranks[rank.index()].requests.get(key).is_some_and(|request| request.shown) {
            return;
        }
        if !driver.cancelling(self, rank, key) {
            self.hear_of_message(rank, key);
        }
        self.post(driver, rank, Post::Cancel(key));
    }

    /// A rank does not wait for a message that is eager or detached; when it cancels it, it has to hear what became of
    /// it.
    fn hear_of_message(&mut self, rank: WorldRank, key: RequestKey) {
        let Some(request) = self.state.ranks[rank.index()].requests.get(key) else { return };
        if let Body::Send(send) = &request.body
            && send.to.is_some()
            && request.phase == Phase::Done
            && self.is_detached(rank, send)
        {
            self.state.ranks[rank.index()].set_phase(key.slot, Phase::Active);
        }
    }

    /// Whether the sender goes on before its message is received.
    pub fn is_detached(&self, rank: WorldRank, send: &Send) -> bool {
        self.thresholds_of(rank).choose(send.mode, send.part.size()) != Protocol::Rendezvous
    }

    /// Commits a cancellation.
    pub(super) fn cancel<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) {
        let requests = &self.state.ranks[rank.index()].requests;
        if requests.get(key).is_none_or(|request| request.phase != Phase::Active) || driver.cancels(self, rank, key) {
            return;
        }
        let Some(request) = self.state.ranks[rank.index()].requests.get(key) else { return };
        let is_detached = matches!(&request.body, Body::Send(send) if self.is_detached(rank, send));
        let is_withdrawn = match request.comm {
            Some(comm) => self.take_back(driver, rank, comm),
            None => driver.forget_receive(rank, Owner { rank, slot: key.slot, step: None }),
        };
        if let Some(request) = self.request(rank, key).filter(|_| is_withdrawn) {
            request.status.cancelled = true;
        }
        // The sender of a detached message that was received has waited for nothing but this answer.
        if is_withdrawn || is_detached {
            self.complete(driver, rank, key.slot);
        }
        if is_withdrawn {
            driver.cancelled(self, rank);
        }
    }

    /// Completes an operation as cancelled.
    pub fn complete_cancelled<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, key: RequestKey) {
        if let Some(request) = self.request(rank, key) {
            request.status.cancelled = true;
            self.complete(driver, rank, key.slot);
        }
    }

    /// Takes an operation out of its mailbox. False when it was matched before. A message that is on its way already
    /// still uses the network, and is dropped when it arrives.
    pub fn take_back<D: Driver>(&mut self, driver: &mut D, from: WorldRank, comm: CommId) -> bool {
        if !self.state.boxes.cancel(comm) {
            return false;
        }
        driver.told(self, Notice::TakenBack(comm));
        let buffered = self.state.in_transit.rare(comm).and_then(|rare| rare.buffered);
        self.state.in_transit.forget(comm);
        if let Some((owner, bytes)) = buffered
            && self.state.ranks[from.index()].buffers.give_back(owner, bytes)
        {
            self.wake_drained(driver, from, owner);
        }
        true
    }
}

//! What tools count (MPI 5.0 §15.3): nothing is done here but in ranks that have a [`Tally`].
//!
//! | counted | when |
//! |---|---|
//! | messages sent, collective operations begun | at the call that starts them |
//! | messages received, collective operations ended | when the rank takes the completion |
//! | messages that joined a receive, or found none | when they are committed |
//!
//! So the first two depend on nothing but what the rank itself has done and been told.

use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Context};

use super::{Driver, World};
use crate::comm::TrafficKind;
use crate::p2p::protocol::Thresholds;
use crate::p2p::request::{Body, RequestKey, Send, Status};
use crate::tool::{Facts, Kind, Queue, Tally};

impl World {
    /// What is counted for a rank's tool, from now on if nothing was.
    pub fn tally(&mut self, rank: WorldRank) -> &mut Tally {
        self.observers.is_tallied = true;
        self.state.ranks[rank.index()].tally.get_or_insert_default()
    }

    /// The same, if it is there.
    pub fn known_tally(&mut self, rank: WorldRank) -> Option<&mut Tally> {
        self.state.ranks[rank.index()].tally.as_deref_mut()
    }

    /// Nothing is counted any more for the rank's tool.
    pub fn forget_tally(&mut self, rank: WorldRank) {
        self.state.ranks[rank.index()].tally = None;
    }

    /// The protocol switch points of a rank's messages.
    #[inline]
    pub fn thresholds_of(&self, rank: WorldRank) -> Thresholds {
        self.state.ranks[rank.index()].own_thresholds.as_deref().copied().unwrap_or(self.rules.thresholds)
    }

    /// Sets those of one rank.
    pub fn set_thresholds_of(&mut self, rank: WorldRank, thresholds: Thresholds) {
        self.state.ranks[rank.index()].own_thresholds = Some(Box::new(thresholds));
    }

    /// Sets those of one rank, or gives it those of all; returns its own ones, if it had some.
    pub fn replace_thresholds_of(&mut self, rank: WorldRank, thresholds: Option<Thresholds>) -> Option<Thresholds> {
        let own = &mut self.state.ranks[rank.index()].own_thresholds;
        std::mem::replace(own, thresholds.map(Box::new)).map(|own| *own)
    }

    /// Length of a queue of the rank; with a context, only of the program's messages on the communicator with this base
    /// context. A length on all communicators counts messages of collective operations, too.
    pub fn queue_length(&self, rank: WorldRank, queue: Queue, context: Option<Context>) -> u64 {
        let Some(context) = context else {
            return u64::from(match queue {
                Queue::Unexpected => self.state.boxes.waiting(rank),
                Queue::Posted => self.state.boxes.posted(rank),
            });
        };
        let is_on = |of: Context| TrafficKind::base_of_programs(of) == Some(context);
        let count = match queue {
            Queue::Unexpected => {
                self.state.boxes.waiting_sends(rank).filter(|(_, message)| is_on(message.envelope.context)).count()
            }
            Queue::Posted => {
                self.state.boxes.posted_receives(rank).filter(|(_, receive)| is_on(receive.pattern().context)).count()
            }
        };
        count as u64
    }

    /// The program has started a send.
    #[inline]
    pub(super) fn tally_send<D: Driver>(&mut self, driver: &D, rank: WorldRank, send: &Send) {
        if self.observers.is_tallied {
            self.count_send(driver, rank, send);
        }
    }

    #[cold]
    fn count_send<D: Driver>(&mut self, driver: &D, rank: WorldRank, send: &Send) {
        let (Some(context), bytes) = (TrafficKind::base_of_programs(send.context), send.part.size()) else { return };
        // A rank of the world where it is none of the communicator's that the message names.
        let peer = send.to.map_or(-1, |to| to.0 as i32);
        let Some(tally) = self.known_tally(rank) else { return };
        tally.count(context, |traffic| traffic.sent.add(bytes));
        let facts = Facts::Message { peer, tag: send.tag, bytes, is_unexpected: false };
        tally.tell(Kind::Sent, context, driver.now(), facts);
    }

    /// A message of a collective operation has left.
    #[inline]
    pub(super) fn tally_collective_message(&mut self, rank: WorldRank, bytes: u64) {
        if self.observers.is_tallied
            && let Some(tally) = self.known_tally(rank)
        {
            tally.of_collectives.add(bytes);
        }
    }

    /// A message and a receive have joined; the message was there first if it `is_unexpected`.
    #[inline]
    pub(super) fn tally_match<D: Driver>(&mut self, driver: &D, comm: CommId, is_unexpected: bool) {
        if self.observers.is_tallied {
            self.count_match(driver, comm, is_unexpected);
        }
    }

    #[cold]
    fn count_match<D: Driver>(&mut self, driver: &D, comm: CommId, is_unexpected: bool) {
        let Some(message) = self.state.boxes.get(comm) else { return };
        let (rank, envelope, bytes) = (message.to, message.envelope, message.size);
        self.tally_queues(rank);
        if let (Some(context), Some(tally)) = (TrafficKind::base_of_programs(envelope.context), self.known_tally(rank))
        {
            let facts = Facts::Message { peer: envelope.source as i32, tag: envelope.tag, bytes, is_unexpected };
            tally.tell(Kind::Matched, context, driver.now(), facts);
        }
    }

    /// A message has found no receive.
    #[inline]
    pub(super) fn tally_unexpected<D: Driver>(&mut self, driver: &D, comm: CommId) {
        if self.observers.is_tallied {
            self.count_unexpected(driver, comm);
        }
    }

    #[cold]
    fn count_unexpected<D: Driver>(&mut self, driver: &D, comm: CommId) {
        let Some(message) = self.state.boxes.get(comm) else { return };
        let (rank, envelope, bytes) = (message.to, message.envelope, message.size);
        self.tally_queues(rank);
        if let (Some(context), Some(tally)) = (TrafficKind::base_of_programs(envelope.context), self.known_tally(rank))
        {
            tally.count(context, |traffic| traffic.unexpected.add(bytes));
            let facts = Facts::Message { peer: envelope.source as i32, tag: envelope.tag, bytes, is_unexpected: true };
            tally.tell(Kind::Unexpected, context, driver.now(), facts);
        }
    }

    /// The lengths of a rank's queues have changed.
    #[inline]
    pub(super) fn tally_queues(&mut self, rank: WorldRank) {
        if self.observers.is_tallied && self.state.ranks[rank.index()].tally.is_some() {
            let lengths = [Queue::Unexpected, Queue::Posted].map(|queue| self.queue_length(rank, queue, None));
            if let Some(tally) = self.known_tally(rank) {
                tally.see(|queue| lengths[queue as usize]);
            }
        }
    }

    /// The rank is about to take the completion of a request that is over.
    #[inline]
    pub(super) fn tally_taken<D: Driver>(&mut self, driver: &D, rank: WorldRank, key: RequestKey) {
        if self.observers.is_tallied {
            self.count_taken(driver, rank, key);
        }
    }

    #[cold]
    fn count_taken<D: Driver>(&mut self, driver: &D, rank: WorldRank, key: RequestKey) {
        let Some(request) = self.request(rank, key) else { return };
        let Status { source, tag, bytes, cancelled, .. } = request.status;
        let context = match &request.body {
            Body::Recv(recv) => recv.context,
            Body::SendRecv(both) => both.recv.context,
            Body::Collective(_) => return self.count_collective(driver, rank, key, Kind::Ended),
            _ => return,
        };
        if !cancelled && source >= 0 {
            let facts = Facts::Message { peer: source, tag, bytes, is_unexpected: false };
            self.count_received(driver, rank, context, facts);
        }
    }

    /// The rank has started something else than a send.
    #[inline]
    pub(super) fn tally_started<D: Driver>(&mut self, driver: &D, rank: WorldRank, key: RequestKey) {
        if self.observers.is_tallied {
            self.count_started(driver, rank, key);
        }
    }

    #[cold]
    fn count_started<D: Driver>(&mut self, driver: &D, rank: WorldRank, key: RequestKey) {
        match self.request(rank, key).map(|request| &request.body) {
            Some(Body::SendRecv(both)) if both.send.to.is_some() => {
                let send = both.send.clone();
                self.count_send(driver, rank, &send);
            }
            Some(&Body::MatchedRecv(_, comm)) => self.count_matched_probe(driver, rank, comm),
            Some(Body::Collective(_)) => self.count_collective(driver, rank, key, Kind::Begun),
            _ => {}
        }
    }

    /// The rank receives a message that a matched probe took: when that is over, nobody knows its communicator.
    fn count_matched_probe<D: Driver>(&mut self, driver: &D, rank: WorldRank, comm: CommId) {
        let Some(message) = self.state.boxes.get(comm) else { return };
        let (envelope, bytes) = (message.envelope, message.size);
        let facts = Facts::Message { peer: envelope.source as i32, tag: envelope.tag, bytes, is_unexpected: true };
        self.count_received(driver, rank, envelope.context, facts);
    }

    fn count_received<D: Driver>(&mut self, driver: &D, rank: WorldRank, context: Context, facts: Facts) {
        let (Some(context), Some(tally)) = (TrafficKind::base_of_programs(context), self.known_tally(rank)) else {
            return;
        };
        if let Facts::Message { bytes, .. } = facts {
            tally.count(context, |traffic| traffic.received.add(bytes));
        }
        tally.tell(Kind::Received, context, driver.now(), facts);
    }

    /// The rank has started a collective operation, or takes its completion.
    fn count_collective<D: Driver>(&mut self, driver: &D, rank: WorldRank, key: RequestKey, kind: Kind) {
        let Some(Body::Collective(collective)) = self.request(rank, key).map(|request| &request.body) else { return };
        let (context, facts) = (collective.comm.context, Facts::Collective(collective.call.name, collective.call.form));
        let Some(tally) = self.known_tally(rank) else { return };
        if kind == Kind::Begun {
            tally.count(context, |traffic| traffic.collectives += 1);
        }
        tally.tell(kind, context, driver.now(), facts);
    }
}

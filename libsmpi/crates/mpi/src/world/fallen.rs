//! Ranks whose hosts have failed, and the operations that wait for them.
//!
//! MPI 5.0 calls an operation that failed because a peer has ended `MPI_ERR_PROC_ABORTED` (§9.4) and leaves open when
//! it is noticed. Here that is at once, as soon as nothing of the operation is under way:
//!
//! | waits | fails |
//! |---|---|
//! | a send that needs its receiver, a receive from one rank | when that rank has failed |
//! | a collective operation | when a rank of its communicator has |
//! | a receive from any rank, a probe, an access to a window | never: the run may end in a deadlock |
//!
//! Messages that the failed rank had let go arrive; those that were to be read from its memory do not.

use smpi_base::WorldRank;
use smpi_base::map::Set;
use smpi_mailbox::{CommId, Communication, State};

use super::{Driver, NOBODY, World};
use crate::comm::CommCore;
use crate::error::{ErrorClass, MpiError};
use crate::p2p::request::{Body, Owner, Phase, Request};

impl World {
    /// The host of a rank has failed: the rank does nothing any more.
    pub fn rank_fell<D: Driver>(&mut self, driver: &mut D, rank: WorldRank) {
        self.ranks[rank.index()].fallen = true;
        self.any_fallen = true;
        self.rank_ended(driver, rank);
        self.withdraw(driver, |communication| owners(communication).any(|owner| owner.rank == rank));
    }

    /// Whether a rank's host has failed.
    pub fn has_fallen(&self, rank: WorldRank) -> bool {
        self.ranks[rank.index()].fallen
    }

    /// Ends the operations that wait for failed ranks. To be called when something may have changed.
    pub fn fail_with_fallen<D: Driver>(&mut self, driver: &mut D) {
        if !self.any_fallen {
            return;
        }
        let mut under_way: Set<(WorldRank, u32)> = Set::default();
        for (_, communication) in self.boxes.iter().filter(|(_, communication)| communication.state == State::Matched) {
            under_way.extend(owners(communication).map(slot_of));
        }
        let mut failing: Vec<((WorldRank, u32), WorldRank)> = Vec::new();
        for rank in self.all_ranks().filter(|rank| !self.ranks[rank.index()].ended) {
            for (key, request) in self.ranks[rank.index()].requests.iter() {
                if request.phase == Phase::Active && !under_way.contains(&(rank, key.slot)) {
                    failing.extend(self.fallen_peer(request).map(|peer| ((rank, key.slot), peer)));
                }
            }
        }
        for &(owner, peer) in &failing {
            self.withdraw(driver, |communication| owners(communication).any(|found| slot_of(found) == owner));
            let (rank, slot) = owner;
            if let Some(request) = self.request_at_mut(rank, slot) {
                let message = format!("rank {peer} of the world takes part, and its host has failed");
                request.error = Some(MpiError::new(ErrorClass::PROC_ABORTED, message));
                request.status.error = ErrorClass::PROC_ABORTED.0;
            }
            self.complete(driver, rank, slot);
        }
    }

    /// The failed rank without which a request does not end.
    fn fallen_peer(&self, request: &Request) -> Option<WorldRank> {
        let fallen = |rank: &Option<WorldRank>| rank.filter(|rank| self.has_fallen(*rank));
        match &request.body {
            Body::Send(send) => fallen(&send.to),
            Body::Recv(recv) => fallen(&recv.from),
            Body::SendRecv(both) => fallen(&both.send.to).or(fallen(&both.recv.from)),
            Body::Collective(collective) => self.fallen_member(&collective.comm),
            _ => None,
        }
    }

    fn fallen_member(&self, comm: &CommCore) -> Option<WorldRank> {
        let remote = comm.remote.as_ref().map(|_| comm.peers());
        let mut members = comm.group.worlds().chain(remote.into_iter().flat_map(|group| group.worlds()));
        members.find(|rank| self.has_fallen(*rank))
    }

    /// Takes communications back that have not matched.
    fn withdraw<D: Driver>(&mut self, driver: &mut D, is_one: impl Fn(&Communication) -> bool) {
        let is_open = |state| matches!(state, State::SendPosted | State::RecvPosted);
        let found: Vec<(CommId, WorldRank)> = self
            .boxes
            .iter()
            .filter(|(_, communication)| is_open(communication.state) && is_one(communication))
            .map(|(comm, found)| (comm, if found.state == State::SendPosted { found.from } else { found.to }))
            .collect();
        for (comm, rank) in found {
            self.take_back(driver, rank, comm);
        }
    }
}

/// Who waits for a communication: its sender, its receiver, both or, where a message goes by itself, nobody.
fn owners(communication: &Communication) -> impl Iterator<Item = Owner> + use<> {
    let has_sender = communication.state != State::RecvPosted && communication.send_token != NOBODY;
    let has_receiver = matches!(communication.state, State::RecvPosted | State::Matched);
    let sender = has_sender.then(|| Owner::of(communication.send_token));
    sender.into_iter().chain(has_receiver.then(|| Owner::of(communication.recv_token)))
}

fn slot_of(owner: Owner) -> (WorldRank, u32) {
    (owner.rank, owner.slot)
}

//! Ranks whose hosts have failed, and the operations that wait for them.
//!
//! MPI 5.0 calls an operation that failed because a peer has ended `MPI_ERR_PROC_ABORTED` (§9.4) and leaves open when
//! it is noticed. Here that is at once, as soon as nothing of the operation is under way:
//!
//! | waits | fails |
//! |---|---|
//! | a send that needs its receiver, a receive from one rank | when that rank has failed |
//! | a probe of one rank | when that rank has failed, and has sent no such message |
//! | a collective operation | when a rank of its communicator has |
//! | a lock of a window, what completes accesses to it | when the target has; of all targets, when any has |
//! | a receive from any rank, a probe of any | never: the run may end in a deadlock |
//!
//! Messages that the failed rank had let go arrive; those that were to be read from its memory do not.

use smpi_base::WorldRank;
use smpi_base::map::Set;
use smpi_mailbox::{CommId, Communication, State};

use super::{Driver, NOBODY, World};
use crate::comm::CommCore;
use crate::error::{ErrorClass, MpiError, Result};
use crate::p2p::request::{Body, Owner, Phase, Request};
use crate::rma::WindowId;

impl World {
    /// The host of a rank has failed: the rank does nothing any more.
    pub fn rank_fell<D: Driver>(&mut self, driver: &mut D, rank: WorldRank) {
        self.state.ranks[rank.index()].fallen = true;
        self.state.any_fallen = true;
        self.rank_ended(driver, rank);
        self.withdraw(driver, |communication| owners(communication).any(|owner| owner.rank == rank));
    }

    /// Whether a rank's host has failed.
    pub fn has_fallen(&self, rank: WorldRank) -> bool {
        self.state.ranks[rank.index()].fallen
    }

    /// Ends the operations that wait for failed ranks. To be called when something may have changed.
    #[inline]
    pub fn fail_with_fallen<D: Driver>(&mut self, driver: &mut D) {
        if self.state.any_fallen {
            self.fail_with_these(driver);
        }
    }

    #[inline(never)]
    fn fail_with_these<D: Driver>(&mut self, driver: &mut D) {
        let mut under_way: Set<(WorldRank, u32)> = Set::default();
        for (_, communication) in
            self.state.boxes.iter().filter(|(_, communication)| communication.state == State::Matched)
        {
            under_way.extend(owners(communication).map(slot_of));
        }
        let mut failing: Vec<((WorldRank, u32), WorldRank)> = Vec::new();
        for rank in self.all_ranks().filter(|rank| !self.state.ranks[rank.index()].ended) {
            for (key, request) in self.state.ranks[rank.index()].requests.iter() {
                if request.phase == Phase::Active && !under_way.contains(&(rank, key.slot)) {
                    failing.extend(self.fallen_peer(request).map(|peer| ((rank, key.slot), peer)));
                }
            }
        }
        for &(owner, peer) in &failing {
            self.withdraw(driver, |communication| owners(communication).any(|found| slot_of(found) == owner));
            let (rank, slot) = owner;
            // A partitioned operation may have failed with its last partition.
            if let Some(request) = self.request_at_mut(rank, slot).filter(|request| request.phase == Phase::Active) {
                request.error = Some(aborted(peer));
                request.status.error = ErrorClass::PROC_ABORTED.0;
                self.complete(driver, rank, slot);
            }
        }
        self.wake_probes();
    }

    /// Wakes the ranks that probe for messages of failed ranks.
    fn wake_probes(&mut self) {
        for rank in self.all_ranks() {
            let state = &self.state.ranks[rank.index()];
            if state.probing.is_some() && state.probes.is_some_and(|from| self.has_fallen(from)) {
                self.woken.push(rank);
            }
        }
    }

    /// A probe of a failed rank finds nothing any more; `None` when the rank is in no such probe.
    pub fn give_up_probe(&mut self, rank: WorldRank) -> Option<MpiError> {
        let state = &self.state.ranks[rank.index()];
        let from = state.probes.filter(|from| state.probing.is_some() && self.has_fallen(*from))?;
        self.state.ranks[rank.index()].probing = None;
        Some(aborted(from))
    }

    /// The rank that the next probe of a rank names.
    pub fn note_probed(&mut self, rank: WorldRank, from: Option<WorldRank>) {
        self.state.ranks[rank.index()].probes = from;
    }

    /// An error if the target of accesses has failed; of all targets, if any has.
    pub fn check_target(&self, window: WindowId, target: Option<u32>) -> Result<()> {
        if !self.state.any_fallen {
            return Ok(());
        }
        self.fallen_target(window, target).map_or(Ok(()), |rank| Err(aborted(rank)))
    }

    fn fallen_target(&self, window: WindowId, target: Option<u32>) -> Option<WorldRank> {
        let members = self.state.windows.get(&window)?.group.worlds().zip(0..);
        let asked = members.filter(|(_, member)| target.is_none_or(|target| target == *member));
        asked.map(|(rank, _)| rank).find(|rank| self.has_fallen(*rank))
    }

    /// The failed rank without which a request does not end.
    fn fallen_peer(&self, request: &Request) -> Option<WorldRank> {
        let fallen = |rank: &Option<WorldRank>| rank.filter(|rank| self.has_fallen(*rank));
        match &request.body {
            Body::Send(send) => fallen(&send.to),
            Body::Recv(recv) => fallen(&recv.from),
            Body::SendRecv(both) => fallen(&both.send.to).or(fallen(&both.recv.from)),
            Body::Partitioned(all) => fallen(&all.peer),
            Body::Collective(collective) => self.fallen_member(&collective.comm),
            Body::Window(wait) => self.fallen_target(wait.window, wait.target),
            _ => None,
        }
    }

    fn fallen_member(&self, comm: &CommCore) -> Option<WorldRank> {
        let remote = comm.remote.as_ref().map(|_| comm.peers());
        let mut members = comm.group.worlds().chain(remote.into_iter().flat_map(|group| group.worlds()));
        members.find(|rank| self.has_fallen(*rank))
    }

    /// Takes communications back that have not matched.
    pub(super) fn withdraw<D: Driver>(&mut self, driver: &mut D, is_one: impl Fn(&Communication) -> bool) {
        let is_open = |state| matches!(state, State::SendPosted | State::RecvPosted);
        let found: Vec<(CommId, WorldRank)> = self
            .state
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

/// What becomes of an operation in which a failed rank takes part.
fn aborted(peer: WorldRank) -> MpiError {
    MpiError::new(ErrorClass::PROC_ABORTED, format!("rank {peer} of the world takes part, and its host has failed"))
}

/// Who waits for a communication: its sender, its receiver, both or, where a message goes by itself, nobody.
pub(super) fn owners(communication: &Communication) -> impl Iterator<Item = Owner> + use<> {
    let has_sender = communication.state != State::RecvPosted && communication.send_token != NOBODY;
    let has_receiver = matches!(communication.state, State::RecvPosted | State::Matched);
    let sender = has_sender.then(|| Owner::of(communication.send_token));
    sender.into_iter().chain(has_receiver.then(|| Owner::of(communication.recv_token)))
}

pub(super) fn slot_of(owner: Owner) -> (WorldRank, u32) {
    (owner.rank, owner.slot)
}

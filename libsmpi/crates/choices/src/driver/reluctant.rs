//! Calls that wait and need not (`--buffering each`): each send is buffered or not, for itself, and each rank waits for
//! the others in a collective operation or not.
//!
//! A standard-mode send waits as with zero buffering. "This send is *buffered after all*" is a reluctant choice of the
//! checker (see the crate `smpi-checker`). It is offered while the rank's present call asks about the send: a wait that
//! only such operations hold up, a Waitany or a test. The choice acts like a buffer: the payload is copied, the request
//! is complete, and the message stays in the mailbox. Likewise, a rank waits in a collective operation until all ranks
//! have called it, and *leaves early* by choice when it has the data that it needs.
//!
//! The rank learns nothing from the match of such a send, nor from others' calls of the collective: it could have gone
//! on without them. So the causes of its next action are the same.

use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event, GO_ON};
use smpi_mailbox::CommId;
use smpi_mpi::p2p::request::{Body, Owner, Phase};
use smpi_mpi::world::{HowMany, NOBODY, Post, World};

use super::Verification;
use crate::state::{Question, Waiting, What, is_reluctant};

impl Verification {
    /// A message was posted that nobody has received yet.
    pub(super) fn note_waiting(&mut self, world: &World, token: u64, comm: CommId) {
        if token == NOBODY || !self.is_reluctant(world, Owner::of(token)) {
            return;
        }
        let Owner { rank, slot, .. } = Owner::of(token);
        let number = self.state.ranks.at(rank).request(slot).going_on;
        let id = ChoiceId::of(rank, number);
        self.state.reluctant.waiting.push(Waiting { id, slot, what: What::Receive(comm), kept: false });
    }

    /// Whether the sender of a message waits for its receive and need not.
    pub(super) fn is_reluctant(&self, world: &World, sender: Owner) -> bool {
        let body = || world.request_at(sender.rank, sender.slot).map(|request| &request.body);
        self.reluctant_sends
            && match body() {
                Some(Body::Collective(_)) | None => false,
                Some(body) => is_reluctant(body),
            }
    }

    /// A rank's part of a collective operation is done. It waits for the ranks that have not called it yet, and need
    /// not: false.
    pub(super) fn leaves(&mut self, world: &World, rank: WorldRank, slot: u32) -> bool {
        let Some(Body::Collective(collective)) = world.request_at(rank, slot).map(|request| &request.body) else {
            return true;
        };
        let key = collective.operation();
        if !self.reluctant_sends || collective.schedule.gated || !world.is_awaited(key) {
            return true;
        }
        let tracked = self.state.ranks.at(rank).request(slot);
        let (id, history) = (ChoiceId::of(rank, tracked.going_on), tracked.history.clone());
        self.state.reluctant.waiting.push(Waiting { id, slot, what: What::Meeting(key), kept: false });
        // It could be over now.
        self.state.is_over(rank, slot, &history);
        false
    }

    /// What is asked about, and can go on.
    fn offers(&self, world: &World) -> Vec<(ChoiceId, ChoiceKind)> {
        let is_offered = |waiting: &&Waiting| self.may_go_on(world, waiting) && self.is_asked(world, waiting);
        let waiting = self.state.reluctant.waiting.iter().filter(is_offered);
        let mut offers: Vec<_> = waiting.map(|waiting| (waiting.id, waiting.kind())).collect();
        offers.sort_unstable_by_key(|offer| offer.0);
        offers
    }

    /// Whether the operation could go on. Of a send that the program cancels, it is settled before whether its message
    /// is delivered; and a cancellation that comes before the call that waits is committed before that call ends.
    fn may_go_on(&self, world: &World, waiting: &Waiting) -> bool {
        let rank = waiting.id.rank();
        let is_cancelled = |post: &Post| matches!(post, Post::Cancel(key) if key.slot == waiting.slot);
        let is_delivered = match waiting.what {
            What::Receive(comm) => self.is_delivered(rank, comm),
            What::Meeting(_) => true,
        };
        !waiting.kept && is_delivered && !world.posts().iter().any(|(by, post)| *by == rank && is_cancelled(post))
    }

    /// Whether its rank's present call could end if this operation went on. Of several that it would take, the first
    /// stands for all.
    fn is_asked(&self, world: &World, waiting: &Waiting) -> bool {
        let rank = waiting.id.rank();
        let Some(pending) = &self.state.ranks.at(rank).pending else {
            let waits = world.state.ranks[rank.index()].waits_for_requests();
            return waits && self.is_first(world, waiting, &expanded(world, rank, &waited(world, rank)));
        };
        pending.question.requests().is_some_and(|requests| match requests.how_many {
            HowMany::All => self.is_first(world, waiting, &expanded(world, rank, &requests.slots)),
            _ => match whole_of(world, rank, waiting.slot) {
                Some(whole) if requests.slots.contains(&whole) => {
                    self.is_first(world, waiting, &expanded(world, rank, &[whole]))
                }
                _ => requests.slots.contains(&waiting.slot) && is_last_half(world, rank, waiting.slot),
            },
        })
    }

    /// Whether all of these requests that are not over could go on, and this is the first of them.
    fn is_first(&self, world: &World, waiting: &Waiting, slots: &[u32]) -> bool {
        let rank = waiting.id.rank();
        let is_open = |slot| world.request_at(rank, slot).is_some_and(|request| request.phase == Phase::Active);
        let open = || slots.iter().copied().filter(|&slot| is_open(slot));
        let waits = |slot| self.state.reluctant.of_slot(rank, slot).filter(|other| self.may_go_on(world, other));
        open().all(|slot| waits(slot).is_some() && is_last_half(world, rank, slot))
            && open().filter_map(waits).map(|other| other.id).min() == Some(waiting.id)
    }

    /// Whether a question could have had a further answer at once, if an operation went on; `open` are the slots that
    /// it is about and that are not over. Of a combined send and receive the other half may come later, and that is not
    /// noticed.
    pub(super) fn could_be_over(&self, world: &World, rank: WorldRank, question: &Question, open: &[u64]) -> bool {
        let one_waits = |slot| self.state.reluctant.of_slot(rank, slot).is_some_and(|other| !other.kept);
        let is_open = |slot: &u32| world.request_at(rank, *slot).is_some_and(|one| one.phase == Phase::Active);
        let waits = |&slot: &u64| expanded(world, rank, &[slot as u32]).into_iter().filter(is_open).all(one_waits);
        question.requests().is_some_and(|requests| match requests.how_many {
            HowMany::All => !open.is_empty() && open.iter().all(waits),
            _ => open.iter().any(waits),
        })
    }

    /// Adds the reluctant choices. Where nothing else is enabled, that the poll whose turn it is finds nothing is
    /// one, too, and comes first. (Those of others have their turns later: with one rank polling on beside another
    /// that waits for its turn for ever longer, there would be no end of states.)
    pub(super) fn offer(&mut self, world: &World, max_futile: u32, out: &mut Choices) {
        let offers = self.offers(world);
        if out.is_empty() && !offers.is_empty() && world.posts().is_empty() {
            let mut polls = Choices::new();
            self.next_forced(world, max_futile, &mut polls);
            self.forced = !polls.is_empty();
            for poll in polls.iter() {
                polls.candidates(poll).iter().for_each(|&key| out.reluctant(poll.id, poll.kind, key));
            }
        }
        offers.into_iter().for_each(|(id, kind)| out.reluctant(id, kind, GO_ON));
    }

    /// Nothing else moves, and a poll is answered "not yet" instead of letting a call go on: those that could wait for
    /// good. Otherwise they would not have waited until now.
    pub(super) fn keep_offers(&mut self, world: &World) {
        let offers = self.offers(world);
        let is_offered = |waiting: &&mut Waiting| offers.iter().any(|offer| offer.0 == waiting.id);
        let kept = self.state.reluctant.waiting.iter_mut().filter(is_offered);
        kept.for_each(|waiting| waiting.kept = true);
    }

    /// An operation goes on, and so do the others that its rank waits for at the same time.
    pub(super) fn go_on(&mut self, world: &mut World, id: ChoiceId) {
        let rank = id.rank();
        let slots = match self.state.ranks.at(rank).pending.as_ref().map(|pending| pending.question.requests()) {
            Some(Some(requests)) if requests.how_many == HowMany::All => expanded(world, rank, &requests.slots),
            Some(_) => self.whole_of_choice(world, id),
            None if world.state.ranks[rank.index()].waits_for_requests() => expanded(world, rank, &waited(world, rank)),
            None => Vec::new(),
        };
        self.state.next_position();
        let reluctant = &mut self.state.reluctant;
        let (going_on, waiting): (Vec<Waiting>, _) = reluctant
            .waiting
            .drain(..)
            .partition(|waiting| waiting.id == id || waiting.id.rank() == rank && slots.contains(&waiting.slot));
        reluctant.waiting = waiting;
        reluctant.gone_on.extend(going_on.iter().map(|one| (one.id, one.what)));
        for Waiting { slot, what, .. } in going_on {
            match what {
                What::Receive(comm) => {
                    self.note_detached(rank, comm);
                    world.buffer_message(self, rank, slot, comm);
                }
                What::Meeting(_) => world.complete(self, rank, slot),
            }
        }
    }

    /// The slots of all partitions of the operation of which one is the choice.
    fn whole_of_choice(&self, world: &World, id: ChoiceId) -> Vec<u32> {
        let slot = self.reluctant_slot(id).and_then(|(slot, _)| whole_of(world, id.rank(), slot));
        slot.map_or(Vec::new(), |whole| expanded(world, id.rank(), &[whole]))
    }

    /// What those that went on still change, for [`smpi_checker::System::marks`]: how far each rank has come, which
    /// operations are over before their time, and which wait for good.
    pub fn marks(&self, out: &mut Vec<Event>) {
        if !self.reluctant_sends {
            return;
        }
        let mark = |choice: ChoiceId, candidate: u64| Event { choice, candidate };
        let ranks = self.state.ranks.iter().zip((0..).map(WorldRank));
        out.extend(ranks.map(|(state, rank)| mark(ChoiceId::of(rank, state.progress), 1)));
        out.extend(self.state.reluctant.gone_on.iter().map(|&(id, _)| mark(id, 2)));
        let kept = self.state.reluctant.waiting.iter().filter(|waiting| waiting.kept);
        out.extend(kept.map(|waiting| mark(waiting.id, 3)));
    }

    /// The operation that a choice is about: its request's slot, and the kind of the choice.
    pub(super) fn reluctant_slot(&self, id: ChoiceId) -> Option<(u32, ChoiceKind)> {
        let mut waiting = self.state.reluctant.waiting.iter();
        waiting.find(|waiting| waiting.id == id).map(|waiting| (waiting.slot, waiting.kind()))
    }
}

/// The slots of the requests that a rank waits for.
fn waited(world: &World, rank: WorldRank) -> Vec<u32> {
    let state = &world.state.ranks[rank.index()];
    state.requests.iter().filter(|(_, request)| state.waits_for(request)).map(|(key, _)| key.slot).collect()
}

/// These slots, with those of its partitions in the place of a partitioned send. One of which not all partitions are
/// ready cannot go on.
fn expanded(world: &World, rank: WorldRank, slots: &[u32]) -> Vec<u32> {
    let mut found = Vec::with_capacity(slots.len());
    for &slot in slots {
        let is_open = world.request_at(rank, slot).is_some_and(|request| request.phase == Phase::Active);
        match world.partitioned(rank, slot).filter(|all| is_open && all.sends && !all.marked.contains(&false)) {
            Some(all) => found.extend(all.members.iter().map(|member| member.slot)),
            None => found.push(slot),
        }
    }
    found
}

/// The slot of the operation of which the one in a slot is a partition.
fn whole_of(world: &World, rank: WorldRank, slot: u32) -> Option<u32> {
    world.request_at(rank, slot)?.part_of
}

/// Whether nothing but its send keeps a request from being over.
fn is_last_half(world: &World, rank: WorldRank, slot: u32) -> bool {
    match world.request_at(rank, slot).map(|request| &request.body) {
        Some(Body::SendRecv(both)) => both.open == 1,
        _ => true,
    }
}

//! Collective requests go through the steps of their schedules.

use smpi_base::WorldRank;
use smpi_mailbox::{Envelope, Pattern};

use super::{Data, Driver, NOBODY, Notice, Outgoing, Post, RankMemory, World};
use crate::buffers;
use crate::collective::{Builder, Part, Schedule, ScratchSource, Step, reduce_parts};
use crate::comm::{CommCore, TrafficKind};
use crate::datatype::{Datatype, copy_typed};
use crate::error::Result;
use crate::memory::Addr;
use crate::op::Op;
use crate::p2p::protocol::{Mode, Protocol};
use crate::p2p::request::{Body, Owner};

/// A reduction that only the rank itself can do, because the operation is the program's function.
#[derive(Clone, Debug)]
pub struct UserReduction {
    /// Request it belongs to.
    pub slot: u32,
    /// Identity of the function.
    pub id: u64,
    /// Left operand.
    pub input: Addr,
    /// Right operand and result.
    pub inout: Addr,
    /// Elements.
    pub count: i64,
    /// Handle value of the datatype, as the program passed it.
    pub datatype_handle: u64,
    /// The datatype, which lives on when the program has freed its handle.
    pub datatype: Datatype,
}

/// Scratch memory of one rank.
struct Scratch<'a> {
    rank: WorldRank,
    memory: &'a mut dyn RankMemory,
}

impl ScratchSource for Scratch<'_> {
    fn reserve(&mut self, len: usize) -> Addr {
        self.memory.reserve(self.rank, len)
    }
}

impl World {
    /// The schedule of a rank in a collective operation on a communicator: `fill` adds its steps.
    pub fn schedule(&mut self, rank: WorldRank, comm: &CommCore, fill: impl FnOnce(&mut Builder)) -> Schedule {
        let remote = comm.remote.as_ref().map_or(0, |group| group.size());
        let mut scratch = Scratch { rank, memory: &mut *self.memory };
        let mut builder = Builder::new(comm.rank, comm.group.size(), remote, &mut scratch);
        fill(&mut builder);
        let schedule = builder.finish();
        // What is made of nothing is nothing.
        if !schedule.scratch.is_empty() && buffers::uses_void(&schedule, rank, &*self.memory) {
            schedule.scratch.iter().for_each(|block| self.memory.disregard(block.at, block.len, true));
        }
        schedule
    }

    /// Runs a schedule's steps until one has to wait.
    pub(super) fn advance<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        if self.state.ranks[rank.index()].fallen {
            return;
        }
        loop {
            let Some(request) = self.state.ranks[rank.index()].requests.at_slot_mut(slot) else { return };
            let Body::Collective(collective) = &mut request.body else { return };
            let schedule = &mut collective.schedule;
            let Some(step) = schedule.steps.get(schedule.next) else {
                if schedule.outstanding == 0 && driver.may_leave(self, rank, slot) {
                    self.complete(driver, rank, slot);
                }
                return;
            };
            match step {
                Step::Fence => {
                    if schedule.outstanding > 0 {
                        return;
                    }
                    schedule.next += 1;
                    driver.told(self, Notice::FencePassed { rank, slot });
                }
                Step::Await(awaited) => {
                    let awaited = *awaited;
                    if !schedule.is_done(awaited) {
                        return;
                    }
                    schedule.next += 1;
                    driver.told(self, Notice::MessageAwaited { rank, slot, step: awaited });
                }
                Step::Send(..) | Step::Recv(..) => {
                    let owner = Owner { rank, slot, step: Some(schedule.next as u32) };
                    schedule.next += 1;
                    // Counted before posting: a message may be over at once.
                    schedule.outstanding += 1;
                    let step = schedule.steps[schedule.next - 1].clone();
                    self.post_step(driver, owner, step);
                }
                Step::Copy(both) => {
                    let [from, to] = (**both).clone();
                    schedule.next += 1;
                    self.about_to_write(rank, &to);
                    copy_typed(&mut *self.memory, from.place(rank), to.place(rank));
                }
                Step::Reduce(both) => match schedule.op {
                    Some(Op::Predefined(op)) => {
                        let [input, inout] = (**both).clone();
                        schedule.next += 1;
                        self.about_to_write(rank, &inout);
                        let outcome = reduce_parts(&mut *self.memory, rank, op, &input, &inout);
                        self.note_error(rank, slot, outcome);
                    }
                    _ => {
                        self.state.ranks[rank.index()].user_work.push(slot);
                        self.wake_for_user_work(driver, rank);
                        return;
                    }
                },
            }
        }
    }

    fn note_error(&mut self, rank: WorldRank, slot: u32, outcome: Result<()>) {
        if let Err(error) = outcome
            && let Some(request) = self.request_at_mut(rank, slot)
        {
            request.error.get_or_insert(error);
        }
    }

    /// Posts the message of a schedule's step.
    fn post_step<D: Driver>(&mut self, driver: &mut D, owner: Owner, step: Step) {
        let Owner { rank, slot, step: index } = owner;
        let Some(Body::Collective(collective)) = self.request_at(rank, slot).map(|request| &request.body) else {
            return;
        };
        let (Step::Send(peer, _) | Step::Recv(peer, _)) = &step else { return };
        let comm = &collective.comm;
        let number = peer.number();
        let (kind, group) = match peer.is_remote() {
            true => (TrafficKind::Collective, comm.peers()),
            false if comm.remote.is_some() => (TrafficKind::LocalCollective, &comm.group),
            false => (TrafficKind::Collective, &comm.group),
        };
        let (context, tag, source) = (comm.context_of(kind), collective.tag, comm.rank);
        let detached = collective.schedule.detached;
        let Some(to) = group.world(number) else { return };
        match step {
            Step::Send(_, part) => {
                let size = part.size();
                let protocol = match self.thresholds_of(rank).choose(Mode::Standard, size) {
                    _ if detached => Protocol::Detached,
                    protocol => protocol,
                };
                let waits = protocol == Protocol::Rendezvous;
                let envelope = Envelope { context, source, tag };
                let mut outgoing = Outgoing {
                    token: if waits { owner.token() } else { NOBODY },
                    ..Outgoing::new(to, envelope, size, protocol, Data::InPlace(part))
                };
                self.send(driver, rank, &mut outgoing, Some(slot));
                self.tally_collective_message(rank, size);
                if !waits
                    && let Some(request) = self.request_at_mut(rank, slot)
                    && let (Body::Collective(collective), Some(index)) = (&mut request.body, index)
                {
                    collective.schedule.message_done(index);
                }
            }
            Step::Recv(..) => {
                let pattern = Pattern { context, source: Some(number), tag: Some(tag) };
                self.recv(driver, pattern, owner);
            }
            _ => {}
        }
    }

    /// The next reduction that the rank itself has to do, if any.
    #[inline]
    pub fn user_work(&self, rank: WorldRank) -> Option<UserReduction> {
        let slot = *self.state.ranks[rank.index()].user_work.last()?;
        self.user_work_of(rank, slot)
    }

    #[inline(never)]
    fn user_work_of(&self, rank: WorldRank, slot: u32) -> Option<UserReduction> {
        let state = &self.state.ranks[rank.index()];
        let Body::Collective(collective) = &state.requests.at_slot(slot)?.body else { return None };
        let schedule = &collective.schedule;
        let (Step::Reduce(both), Some(Op::User(user))) = (schedule.steps.get(schedule.next)?, schedule.op) else {
            return None;
        };
        let [input, Part { at, count, datatype }] = &**both;
        Some(UserReduction {
            slot,
            id: user.id,
            input: input.at,
            inout: *at,
            count: *count,
            datatype_handle: schedule.user_datatype,
            datatype: datatype.clone(),
        })
    }

    /// The reduction that [`World::user_work`] named is done; the schedule goes on with the next commit.
    pub fn user_work_done<D: Driver>(&mut self, driver: &mut D, rank: WorldRank, slot: u32) {
        let state = &mut self.state.ranks[rank.index()];
        state.user_work.retain(|&other| other != slot);
        if let Some(request) = state.requests.at_slot_mut(slot)
            && let Body::Collective(collective) = &mut request.body
        {
            collective.schedule.next += 1;
            self.post(driver, rank, Post::Advance(slot));
        }
    }
}

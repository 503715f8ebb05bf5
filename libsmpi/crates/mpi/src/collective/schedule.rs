//! The schedule of one collective call on one rank, and the builder that algorithms fill.
//!
//! This file does not execute steps: `world/schedule.rs` does.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use smpi_base::{HostId, WorldRank};

use crate::collective::hosts::Placement;
use crate::collective::select::{Form, Operation, Stages};
use crate::datatype::{Basic, Datatype, Place};
use crate::group::Group;
use crate::memory::Addr;
use crate::op::Op;

/// `count` elements of a datatype at an address of the own rank: the only way a schedule names data.
#[derive(Clone, Hash, Debug)]
pub struct Part {
    /// Address of element 0, as MPI defines it (the datatype's lower bound may be elsewhere).
    pub at: Addr,
    /// Number of elements.
    pub count: i64,
    /// Their type.
    pub datatype: Datatype,
}

impl Part {
    /// No data: what a message has that only tells that it was sent.
    pub fn nothing() -> Part {
        Part { at: Addr::BOTTOM, count: 0, datatype: Datatype::basic(Basic::Byte) }
    }

    /// `count` elements of the same type, starting `first` elements further on.
    pub fn slice(&self, first: i64, count: i64) -> Part {
        let at = self.at.offset(first * self.datatype.extent());
        Part { at, count, datatype: self.datatype.clone() }
    }

    /// Adds its data as runs of bytes, from and up to.
    pub(crate) fn add_runs(&self, runs: &mut Vec<(u64, u64)>) {
        if self.size() == 0 {
            return;
        }
        if let Some(run) = self.as_run() {
            return runs.push(run);
        }
        self.datatype.for_each_block(self.count as u64, &mut |blocks| runs.extend(blocks.runs(self.at)));
    }

    /// The data from and up to, where it is one run of bytes.
    pub(crate) fn as_run(&self) -> Option<(u64, u64)> {
        let start = self.at.offset(self.datatype.contiguous_offset(self.count as u64)?).0;
        Some((start, start + self.size()))
    }

    /// The data of several parts as runs of bytes, ascending, and whether some byte is data twice.
    pub(crate) fn runs_of_all(parts: &[Part]) -> (Vec<(u64, u64)>, bool) {
        let mut runs = Vec::new();
        parts.iter().for_each(|part| part.add_runs(&mut runs));
        runs.sort_unstable();
        let twice = runs.windows(2).any(|pair| pair[1].0 < pair[0].1);
        (runs, twice)
    }

    /// The part as one side of a copy.
    pub fn place(&self, rank: WorldRank) -> Place<'_> {
        Place { rank, base: self.at, count: self.count as u64, datatype: &self.datatype }
    }

    /// Bytes that travel when this part is sent.
    pub fn size(&self) -> u64 {
        self.count as u64 * self.datatype.size()
    }
}

/// The other side of a message: a rank of the own group, or of the remote one of an intercommunicator. It is small,
/// because there are many steps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Peer(u32);

impl Peer {
    /// The bit that tells the remote group: ranks are fewer.
    const REMOTE: u32 = 1 << 31;

    /// A rank of the own group.
    pub fn local(number: u32) -> Peer {
        Peer(number)
    }

    /// A rank of the remote group.
    pub fn remote(number: u32) -> Peer {
        Peer(number | Peer::REMOTE)
    }

    /// Whether it is of the remote group.
    pub fn is_remote(self) -> bool {
        self.0 & Peer::REMOTE != 0
    }

    /// Its rank there.
    pub fn number(self) -> u32 {
        self.0 & !Peer::REMOTE
    }
}

/// One step; see the module's text for when it runs. There is one for each end of a message, and a rank may have
/// thousands under way: so what has two parts is apart.
#[derive(Clone, Hash, Debug)]
pub enum Step {
    /// Send a part.
    Send(Peer, Part),
    /// Receive into a part.
    Recv(Peer, Part),
    /// Wait for every message posted so far.
    Fence,
    /// Wait for the message that the step with this index posted.
    Await(u32),
    /// Copy between two parts with the same type signature: what is read, and what is written.
    Copy(Box<[Part; 2]>),
    /// `inout = input op inout`, element by element: the left operand `input`, and `inout`, right operand and result.
    Reduce(Box<[Part; 2]>),
}

const _: () = assert!(size_of::<Step>() <= 40);

/// A block of scratch memory of the rank, to be released with the schedule.
#[derive(Clone, Copy, Hash, Debug)]
pub struct Scratch {
    /// First byte.
    pub at: Addr,
    /// Length in bytes.
    pub len: usize,
}

/// The algorithm of a collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The operation.
    pub operation: Operation,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// Bytes that it was chosen for: see [`crate::collective::select::Case::bytes`].
    pub bytes: u64,
}

/// Says nothing that the steps do not say.
impl Hash for Chosen {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

/// The program of one collective on one rank.
#[derive(Clone, Hash, Debug, Default)]
pub struct Schedule {
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Scratch memory that the steps use.
    pub scratch: Vec<Scratch>,
    /// The operation of every [`Step::Reduce`].
    pub op: Option<Op>,
    /// Handle value of the datatype that a user's reduction function is told.
    pub user_datatype: u64,
    /// Next step to run.
    pub next: usize,
    /// Messages posted and not yet complete.
    pub outstanding: u32,
    /// By step, 64 to a word: its message is complete. Empty where no step awaits a single message.
    pub(crate) done: Vec<u64>,
    /// The steps begin when all ranks of the communicator have called the operation.
    pub gated: bool,
    /// No send of the schedule waits for its receive, however messages of the program are sent.
    pub detached: bool,
    /// The algorithm that the steps are from, where there was a choice.
    pub chosen: Option<Chosen>,
}

impl Schedule {
    /// Whether some step waits for a single message.
    pub fn awaits_single_messages(&self) -> bool {
        !self.done.is_empty()
    }

    /// Whether the message of a step is complete, in a schedule that awaits single messages.
    pub(crate) fn is_done(&self, step: u32) -> bool {
        self.done[step as usize / 64] >> (step % 64) & 1 == 1
    }

    /// The message of a step is complete.
    pub(crate) fn message_done(&mut self, step: u32) {
        self.outstanding -= 1;
        if let Some(word) = self.done.get_mut(step as usize / 64) {
            *word |= 1 << (step % 64);
        }
    }

    /// Nothing of it has been done.
    pub(crate) fn rewind(&mut self) {
        (self.next, self.outstanding) = (0, 0);
        self.done.fill(0);
    }
}

/// A message that a schedule posts, for [`Builder::wait_for`].
#[derive(Clone, Copy, Debug)]
pub struct Posted(u32);

/// Where a builder gets scratch memory of the rank from.
pub trait ScratchSource {
    /// A block of `len` bytes, aligned to 16, in memory that [`crate::memory::Memory`] can reach. Contents arbitrary.
    fn reserve(&mut self, len: usize) -> Addr;
}

/// Collects the steps of one rank's schedule.
pub struct Builder<'a> {
    /// The own rank in the (local) group.
    pub rank: u32,
    /// Size of the (local) group.
    pub size: u32,
    /// Size of the remote group of an intercommunicator; 0 otherwise.
    pub remote_size: u32,
    /// The host of each rank of the world, and the (local) group; `None` when nobody told.
    hosts: Option<(Arc<Placement>, Group)>,
    /// How the operation was called, until its algorithm is chosen.
    form: Form,
    /// What comes before an algorithm that asks for hosts.
    prelude: Option<fn(&mut Builder)>,
    /// What the algorithm that was chosen last does within and between hosts.
    pub(super) stages: Stages,
    /// Ranks of the communicator among which the steps are done now; `None` for all.
    members: Option<Vec<u32>>,
    schedule: Schedule,
    /// A step waits for a single message.
    awaits: bool,
    /// Where the last fence is.
    last_fence: Option<u32>,
    memory: &'a mut dyn ScratchSource,
}

impl<'a> Builder<'a> {
    /// An empty schedule for `rank` of `size`.
    pub fn new(rank: u32, size: u32, remote_size: u32, memory: &'a mut dyn ScratchSource) -> Builder<'a> {
        let schedule = Schedule::default();
        Builder {
            rank,
            size,
            remote_size,
            hosts: None,
            form: Form::Blocking,
            prelude: None,
            stages: Stages::default(),
            members: None,
            schedule,
            awaits: false,
            last_fence: None,
            memory,
        }
    }

    /// Tells the host of each rank of the world and which of these the (local) group has, for algorithms that treat
    /// neighbours in another way.
    pub fn set_hosts(&mut self, hosts: Arc<Placement>, group: Group) {
        self.hosts = Some((hosts, group));
    }

    /// Tells how the operation is called. Blocking is what nobody needs to tell.
    pub fn set_form(&mut self, form: Form) {
        self.form = form;
    }

    /// How the operation was called, for the one who chooses its algorithm. Whoever asks later chooses a part of it,
    /// and between two groups there are only parts.
    pub(super) fn take_form(&mut self) -> Form {
        let form = std::mem::take(&mut self.form);
        if self.remote_size > 0 { Form::Blocking } else { form }
    }

    /// Adds steps before those of an algorithm that asks which ranks of the whole communicator share a host, once.
    pub fn set_prelude(&mut self, prelude: fn(&mut Builder)) {
        self.prelude = Some(prelude);
    }

    /// Whether no such algorithm has come yet.
    pub fn has_prelude(&self) -> bool {
        self.prelude.is_some()
    }

    /// An algorithm that asks for hosts begins.
    pub(super) fn begin_with_hosts(&mut self) {
        if self.has_no_message()
            && self.is_whole()
            && self.remote_size == 0
            && let Some(prelude) = self.prelude.take()
        {
            prelude(self);
            self.fence();
        }
    }

    /// The host of a rank of the present group, if somebody told.
    pub(super) fn host(&self, rank: u32) -> Option<HostId> {
        let (placement, group) = self.hosts.as_ref()?;
        placement.hosts().get(group.world(self.member(rank))?.index()).copied()
    }

    /// The hosts of the world's ranks, and the group of the communicator, if somebody told.
    pub(super) fn placement(&self) -> Option<(&Placement, &Group)> {
        self.hosts.as_ref().map(|(placement, group)| (&**placement, group))
    }

    /// Notes the algorithm of the operation. False where it is that of a part of one.
    pub(super) fn note_choice(&mut self, chosen: Chosen) -> bool {
        let is_outermost = self.schedule.chosen.is_none() && self.is_whole();
        if is_outermost {
            self.schedule.chosen = Some(chosen);
        }
        is_outermost
    }

    /// Whether all steps so far are the rank's own.
    fn has_no_message(&self) -> bool {
        self.schedule.steps.iter().all(|step| matches!(step, Step::Copy { .. } | Step::Reduce { .. }))
    }

    /// Whether the present group is the whole communicator.
    pub(super) fn is_whole(&self) -> bool {
        self.members.is_none()
    }

    /// Adds steps among some of the ranks, by their numbers in the present group: inside, `rank`, `size` and all peers
    /// are numbers among `members`. Only members call this.
    pub(crate) fn among(&mut self, members: &[u32], fill: impl FnOnce(&mut Builder)) {
        let Some(place) = members.iter().position(|&member| member == self.rank) else { return };
        let outside = (self.rank, self.size, self.remote_size);
        let translated = members.iter().map(|&member| self.member(member)).collect();
        let group = self.members.replace(translated);
        (self.rank, self.size, self.remote_size) = (place as u32, members.len() as u32, 0);
        fill(self);
        (self.rank, self.size, self.remote_size) = outside;
        self.members = group;
    }

    /// The number in the communicator of a rank of the present group.
    fn member(&self, rank: u32) -> u32 {
        self.members.as_ref().map_or(rank, |members| members[rank as usize])
    }

    /// Sets the operation of all reductions in this schedule, and the handle value a user function is told.
    pub fn set_op(&mut self, op: Op, user_datatype: u64) {
        self.schedule.op = Some(op);
        self.schedule.user_datatype = user_datatype;
    }

    /// No step is done before all ranks of the communicator have called the operation.
    pub fn close_gate(&mut self) {
        self.schedule.gated = true;
    }

    /// The steps begin at once, and wait for what they receive only.
    pub(crate) fn open_gate(&mut self) {
        self.schedule.gated = false;
        self.schedule.detached = true;
    }

    /// Whether the schedule's operation commutes; true when there is none.
    pub fn commutes(&self) -> bool {
        self.schedule.op.is_none_or(|op| op.is_commutative())
    }

    /// Sends `part` to `peer` of the local group.
    pub fn send(&mut self, peer: u32, part: &Part) {
        let peer = Peer::local(self.member(peer));
        self.schedule.steps.push(Step::Send(peer, part.clone()));
    }

    /// Receives into `part` from `peer` of the local group.
    pub fn recv(&mut self, peer: u32, part: &Part) {
        let peer = Peer::local(self.member(peer));
        self.schedule.steps.push(Step::Recv(peer, part.clone()));
    }

    /// Sends `part` to `peer` of the remote group.
    pub fn send_remote(&mut self, peer: u32, part: &Part) {
        self.schedule.steps.push(Step::Send(Peer::remote(peer), part.clone()));
    }

    /// Receives into `part` from `peer` of the remote group.
    pub fn recv_remote(&mut self, peer: u32, part: &Part) {
        self.schedule.steps.push(Step::Recv(Peer::remote(peer), part.clone()));
    }

    /// Waits until all messages so far are complete. Two fences in a row are one.
    pub fn fence(&mut self) {
        if !matches!(self.schedule.steps.last(), None | Some(Step::Fence)) {
            self.last_fence = Some(self.schedule.steps.len() as u32);
            self.schedule.steps.push(Step::Fence);
        }
    }

    /// Receives into `part`, like [`Builder::recv`]. The data may be read after a [`Builder::wait_for`] it.
    pub(super) fn begin_recv(&mut self, peer: u32, part: &Part) -> Posted {
        self.recv(peer, part);
        self.last_posted()
    }

    /// Sends `part`, like [`Builder::send`]. It may be written after a [`Builder::wait_for`] it.
    pub(super) fn begin_send(&mut self, peer: u32, part: &Part) -> Posted {
        self.send(peer, part);
        self.last_posted()
    }

    fn last_posted(&self) -> Posted {
        Posted(self.schedule.steps.len() as u32 - 1)
    }

    /// Waits for one message, and for no other that was posted before or after it.
    pub(super) fn wait_for(&mut self, message: Posted) {
        let Posted(step) = message;
        // A fence since then waited for it as well.
        if self.last_fence.is_none_or(|fence| fence < step) {
            self.schedule.steps.push(Step::Await(step));
            self.awaits = true;
        }
    }

    /// Adds the steps of `fill`, which wait for their own messages only, whatever else is under way. Those of `post`
    /// come before the last wait among them.
    pub(super) fn aside(&mut self, fill: impl FnOnce(&mut Builder), post: impl FnOnce(&mut Builder)) {
        let (first, fence) = (self.schedule.steps.len(), self.last_fence);
        fill(self);
        let added = self.schedule.steps.split_off(first);
        self.last_fence = fence;
        let last = added.iter().rposition(|step| matches!(step, Step::Fence | Step::Await(_)));
        let (mut post, mut places, mut own) = (Some(post), Vec::new(), Vec::new());
        for (index, step) in added.into_iter().enumerate() {
            if Some(index) == last
                && let Some(post) = post.take()
            {
                post(self);
            }
            places.push(self.schedule.steps.len() as u32);
            match step {
                Step::Fence => own.drain(..).for_each(|message| self.wait_for(message)),
                Step::Await(message) => self.wait_for(Posted(places[message as usize - first])),
                step => {
                    let is_message = matches!(step, Step::Send(..) | Step::Recv(..));
                    self.schedule.steps.push(step);
                    own.extend(is_message.then(|| self.last_posted()));
                }
            }
        }
    }

    /// Copies `from` to `to` (nothing when they are the same place with the same shape). Equal addresses are not enough
    /// for that: with `MPI_BOTTOM` the datatypes have the places.
    pub fn copy(&mut self, from: &Part, to: &Part) {
        let same = from.at == to.at && from.count == to.count && from.datatype.is_same(&to.datatype);
        if from.size() > 0 && !same {
            self.schedule.steps.push(Step::Copy(Box::new([from.clone(), to.clone()])));
        }
    }

    /// `inout = input op inout`.
    pub fn reduce(&mut self, input: &Part, inout: &Part) {
        if inout.count > 0 {
            self.schedule.steps.push(Step::Reduce(Box::new([input.clone(), inout.clone()])));
        }
    }

    /// Scratch memory for `count` elements of `datatype` in their normal layout (true bounds included).
    pub fn scratch(&mut self, count: i64, datatype: &Datatype) -> Part {
        let span = if count > 0 { (count - 1) * datatype.extent().abs() + datatype.true_extent() } else { 0 };
        let len = span.max(0) as usize;
        let base = self.memory.reserve(len);
        self.schedule.scratch.push(Scratch { at: base, len });
        // With a negative extent the elements grow downwards from the last place.
        let downwards = if datatype.extent() < 0 { (count - 1) * -datatype.extent() } else { 0 };
        Part { at: base.offset(downwards - datatype.true_lb()), count, datatype: datatype.clone() }
    }

    /// The finished schedule.
    pub fn finish(self) -> Schedule {
        let mut schedule = self.schedule;
        if self.awaits {
            schedule.done = vec![0; schedule.steps.len().div_ceil(64)];
        }
        schedule
    }
}

//! The system of flows and resources, its changes, and the loop of the incremental solution.
//!
//! ```text
//! flows      weight bound class ... ──► members of one flow, contiguous
//! members    (resource, position, amount)        │ position
//! resources  capacity usage ... entries ◄────────┘
//! entries    (flow, member), swap-removed
//! classes    one per resource, see `class.rs`
//! ```
//!
//! A resource and its class have one number, called `place` where it means both.

use crate::solver::candidates::Candidates;
use crate::solver::class::{Class, Member};
use smpi_base::heap::IndexedHeap;

/// Relative tolerance of the comparison of levels. Above the rounding of sums over thousands of flows, far below what a
/// simulated time may differ by.
const TOLERANCE: f64 = 1e-9;

/// A level that is higher than another one beyond the tolerance is so by this factor.
pub(super) const ABOVE: f64 = 1.0 + TOLERANCE;

/// [`Flow::class`] of a flow that is at its bound.
pub(super) const BOUND: u32 = u32::MAX;

/// A flow, addressed by the caller's ids. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Flow {
    /// Reciprocal of the penalty.
    pub weight: f64,
    /// `bound / weight`.
    pub bound_level: f64,
    /// In a class: the progress of the class at which the flow ends. At its bound: what remained at `since`.
    /// While it moves: what remains. All divided by the weight, so that it means the same in every class.
    pub work: f64,
    pub since: f64,
    /// What its owner keeps with it: see [`MaxMin::set_size`].
    size: f64,
    /// The resource that certifies the rate, or [`BOUND`].
    pub class: u32,
    /// Tells the valid end of the flow from outdated ones.
    pub stamp: u32,
    /// The flow has moved in the solution of this epoch.
    pub moved: u32,
    first_member: u32,
    members: u32,
    /// The logarithm of the length of its range of members; 0 when it has none.
    room: u8,
    pub state: State,
}

const _: () = assert!(size_of::<Flow>() == 64 && size_of::<Member>() == 20);

/// Life of a flow's slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Absent,
    /// Known, takes no share.
    Idle,
    /// Takes a share from the next solution on.
    Fresh,
    Active,
}

/// A [`Member`] from the resource's side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub flow: u32,
    pub member: u32,
}

/// A capacity that flows share. One cache line: what a flow that is alone on it needs.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Resource {
    pub capacity: f64,
    /// Σ amount · rate.
    pub usage: f64,
    /// At most the lowest bound level of the flows on it that are in a class.
    pub least_bound: f64,
    /// While it is quiet: Σ amount · weight. Then `usage` and `least_bound` mean nothing.
    pub weight: f64,
    pub entries: Vec<Entry>,
    /// Listed in [`MaxMin::lost_flows`].
    is_listed: bool,
    /// Far from being full, see `quiet.rs`.
    pub is_quiet: bool,
}

/// Scratch of a solution for one resource.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Work {
    // Of one filling.
    /// Capacity that is not taken.
    pub free: f64,
    /// Σ amount · weight of the undecided flows.
    pub active_weight: f64,
    /// Undecided flows.
    pub active: u32,

    // Of one solution.
    /// The resource is in `S` when this is the solver's epoch; else the rest means nothing.
    pub epoch: u32,
    /// Flows of `S`.
    pub inside: u32,
    /// −Σ amount · weight of these. It falls, as `outside_usage` does: so both are one operation of the processor.
    pub minus_weight: f64,
    /// What all others take.
    pub outside_usage: f64,
    /// The highest level of a flow of `S` that is not of the resource's own class. (Levels are decided in their order.)
    pub highest: f64,
}

impl Work {
    /// The resource is in the `S` of an epoch, none of its flows is.
    pub fn new(usage: f64, epoch: u32) -> Work {
        Work {
            free: 0.0,
            active_weight: 0.0,
            active: 0,
            epoch,
            inside: 0,
            minus_weight: 0.0,
            outside_usage: usage,
            highest: 0.0,
        }
    }

    /// Flows are now in `S` that were outside, where they took `weight · level`.
    #[inline]
    pub fn include(&mut self, flows: u32, weight: f64, level: f64) {
        self.inside += flows;
        self.minus_weight -= weight;
        self.outside_usage -= weight * level;
    }

    /// True when all flows of the resource that this is about are in `S`.
    pub fn is_all(&self, resource: &Resource) -> bool {
        self.inside as usize == resource.entries.len()
    }

    /// Capacity that the flows outside `S` leave.
    pub fn left_over(&self, resource: &Resource) -> f64 {
        if self.is_all(resource) { resource.capacity } else { (resource.capacity - self.outside_usage).max(0.0) }
    }

    /// The level that the undecided flows reach when nothing else stops them.
    pub fn ratio(&self) -> f64 {
        self.free.max(0.0) / self.active_weight
    }
}

/// The system of flows and resources.
#[derive(Debug, Default)]
pub(crate) struct MaxMin {
    pub(super) flows: Vec<Flow>,
    /// Each flow's members are together, in a range for two to the power of [`Flow::room`] of them.
    pub(super) members: Vec<Member>,
    /// Ranges of `members` that no flow uses, by the logarithm of their length.
    free_ranges: Vec<Vec<u32>>,
    pub(super) resources: Vec<Resource>,
    /// Invariant: as many as resources, and so is `work`.
    pub(super) classes: Vec<Class>,
    pub(super) work: Vec<Work>,
    /// Date of the first end in every class.
    pub(super) ends: IndexedHeap<f64>,
    /// Flows activated since the last solution; some may have gone again.
    fresh: Vec<u32>,
    /// Resources that flows have left since the last solution. Invariant: each once, those that say they are listed.
    lost_flows: Vec<u32>,

    // Scratch.
    pub(super) now: f64,
    /// Number of the present solution.
    pub(super) epoch: u32,
    /// Number of the present filling.
    pub(super) filling: u32,
    /// `S`, by places. Invariant: those whose resource has the present `epoch`, each once.
    pub(super) set: Vec<u32>,
    /// Flows that have changed their class in this solution.
    pub(super) moved: Vec<u32>,
    /// Flows that the last filling has stopped at their bounds, with the classes they came from.
    pub(super) bounded: Vec<(u32, u32)>,
    pub(super) candidates: Candidates,
    pub(super) batch: Vec<u32>,
    pub(super) joining: Vec<u32>,
    /// Flows of the largest class of `S`.
    pub(super) largest: u32,
}

const NEW_FLOW: Flow = Flow {
    weight: 1.0,
    bound_level: 0.0,
    work: 0.0,
    since: 0.0,
    size: 0.0,
    class: BOUND,
    stamp: 0,
    moved: 0,
    first_member: 0,
    members: 0,
    room: 0,
    state: State::Absent,
};

impl MaxMin {
    pub fn new() -> MaxMin {
        MaxMin::default()
    }

    /// Adds a resource and returns its number; they are numbered from zero.
    pub fn add_resource(&mut self, capacity: f64) -> u32 {
        self.resources.push(Resource {
            capacity,
            usage: 0.0,
            least_bound: f64::INFINITY,
            weight: 0.0,
            entries: Vec::new(),
            is_listed: false,
            is_quiet: false,
        });
        self.classes.push(Class::default());
        self.work.push(Work::new(0.0, 0));
        self.resources.len() as u32 - 1
    }

    /// Describes a flow: `uses` are its resources, each once, with the amount consumed per unit of its rate.
    /// It takes no share before [`MaxMin::activate`]. Either the bound is finite or there is a resource.
    pub fn add(&mut self, id: u32, penalty: f64, bound: f64, uses: &[(u32, f64)]) {
        if id as usize >= self.flows.len() {
            self.flows.resize(id as usize + 1, NEW_FLOW);
        }
        self.reserve_members(id, uses.len());
        let flow = &mut self.flows[id as usize];
        debug_assert!(flow.state == State::Absent);
        *flow = Flow {
            weight: 1.0 / penalty,
            bound_level: bound * penalty,
            members: uses.len() as u32,
            state: State::Idle,
            first_member: flow.first_member,
            room: flow.room,
            size: flow.size,
            stamp: flow.stamp,
            moved: flow.moved,
            ..NEW_FLOW
        };
        let room = &mut self.members[flow.first_member as usize..];
        for (member, &(resource, amount)) in room.iter_mut().zip(uses) {
            *member = Member { resource, position: 0, amount, cell: 0 };
        }
    }

    /// Keeps a number for the flow of a slot, whatever becomes of it: what it will be activated with, or has left.
    pub fn set_size(&mut self, id: u32, size: f64) {
        self.flows[id as usize].size = size;
    }

    /// The number that was kept.
    pub fn size(&self, id: u32) -> f64 {
        self.flows[id as usize].size
    }

    /// The flow takes a share from the next solution on, and ends when `size` has come through.
    pub fn activate(&mut self, id: u32, size: f64) {
        let flow = &mut self.flows[id as usize];
        debug_assert!(flow.state == State::Idle);
        flow.state = State::Fresh;
        flow.work = size / flow.weight;
        self.fresh.push(id);
        let first = flow.first_member;
        let members = &mut self.members[first as usize..(first + flow.members) as usize];
        for (index, member) in members.iter_mut().enumerate() {
            let resource = &mut self.resources[member.resource as usize];
            member.position = resource.entries.len() as u32;
            resource.entries.push(Entry { flow: id, member: first + index as u32 });
            if resource.is_quiet {
                resource.weight += member.amount * flow.weight;
            }
        }
    }

    /// Removes a flow, whatever its state. The caller takes care of the date of a flow at its bound.
    pub fn remove(&mut self, id: u32) {
        let flow = &mut self.flows[id as usize];
        let state = std::mem::replace(&mut flow.state, State::Absent);
        if matches!(state, State::Absent | State::Idle) {
            return;
        }
        flow.stamp = flow.stamp.wrapping_add(1);
        let weight = flow.weight;
        let rate = if state == State::Active { self.rate(id) } else { 0.0 };
        if state == State::Active && self.flows[id as usize].class != BOUND {
            self.leave_class(id);
        }
        for index in self.members_of(id) {
            let member = self.members[index];
            let resource = &mut self.resources[member.resource as usize];
            resource.entries.swap_remove(member.position as usize);
            if let Some(moved) = resource.entries.get(member.position as usize) {
                self.members[moved.member as usize].position = member.position;
            }
            if resource.entries.is_empty() {
                resource.usage = 0.0;
                resource.least_bound = f64::INFINITY;
                resource.is_quiet = false;
                self.classes[member.resource as usize].patience = 0;
            } else if resource.is_quiet {
                resource.weight -= member.amount * weight;
            } else {
                resource.usage -= member.amount * rate;
                if !resource.is_listed {
                    resource.is_listed = true;
                    self.lost_flows.push(member.resource);
                }
            }
        }
    }

    /// Whether anything has changed since the last solution.
    pub fn has_changed(&self) -> bool {
        !self.fresh.is_empty() || !self.lost_flows.is_empty()
    }

    /// Finds the rates after all changes since the last call. Flows that run at their bound get their date in `dates`,
    /// by their id; the ends of all others are known to [`MaxMin::collect`].
    pub fn solve(&mut self, now: f64, dates: &mut IndexedHeap<f64>) {
        if !self.has_changed() {
            return;
        }
        self.now = now;
        self.epoch += 1;
        self.begin(dates);
        if self.set.is_empty() {
            return;
        }
        loop {
            self.fill();
            let has_woken = self.wake_exceeded();
            if !self.review() && !has_woken {
                break;
            }
            self.release_bounded();
        }
        self.set_ends(dates);
        self.largest = self.set.iter().map(|place| self.classes[*place as usize].flows).max().unwrap_or(0);
        for index in 0..self.set.len() {
            self.settle(self.set[index]);
        }
    }

    /// Starts a solution: `S` = the resources of new flows and those that flows have left, as far as they certify
    /// anybody. Flows that share nothing are decided at once.
    fn begin(&mut self, dates: &mut IndexedHeap<f64>) {
        self.set.clear();
        self.moved.clear();
        self.bounded.clear();
        let mut fresh = std::mem::take(&mut self.fresh);
        for id in fresh.drain(..) {
            if self.flows[id as usize].state != State::Fresh {
                continue;
            }
            self.make_room(id);
            if self.decide_alone(id) {
                let flow = &self.flows[id as usize];
                dates.set(id, self.now + flow.work / flow.bound_level);
            } else {
                let class = self.likely_class(id);
                let flow = &mut self.flows[id as usize];
                flow.state = State::Active;
                flow.moved = self.epoch;
                self.moved.push(id);
                self.add_flow(id, 0.0, class);
            }
        }
        self.fresh = fresh;
        // Last, because a flow that is decided alone sets the usage of a resource that others have just left.
        let mut left = std::mem::take(&mut self.lost_flows);
        for id in left.drain(..) {
            self.resources[id as usize].is_listed = false;
            if self.classes[id as usize].flows > 0 {
                self.add_to_set(id);
            }
        }
        self.lost_flows = left;
    }

    /// Decides a flow that reaches its bound because each of its resources is quiet, or has nobody else.
    fn decide_alone(&mut self, id: u32) -> bool {
        let flow = &mut self.flows[id as usize];
        let members = &self.members[flow.first_member as usize..(flow.first_member + flow.members) as usize];
        let rate = flow.bound_level * flow.weight;
        let alone = |m: &Member| {
            let resource = &self.resources[m.resource as usize];
            if resource.is_quiet {
                return flow.bound_level <= self.classes[m.resource as usize].ceiling;
            }
            resource.entries.len() == 1 && m.amount * rate <= resource.capacity
        };
        if !members.iter().all(alone) {
            return false;
        }
        flow.since = self.now;
        flow.state = State::Active;
        for member in members {
            self.resources[member.resource as usize].usage = member.amount * rate;
            self.classes[member.resource as usize].highest = f64::INFINITY;
        }
        true
    }

    /// The resource that will probably certify a new flow: the one with the least capacity for each of its flows. A
    /// quiet one only if there is no other; then it is quiet no longer.
    fn likely_class(&mut self, id: u32) -> u32 {
        let mut best = (true, f64::INFINITY, BOUND);
        for member in &self.members[self.members_of(id)] {
            let resource = &self.resources[member.resource as usize];
            let share = resource.capacity / (member.amount * resource.entries.len() as f64);
            if (resource.is_quiet, share) < (best.0, best.1) {
                best = (resource.is_quiet, share, member.resource);
            }
        }
        let (is_quiet, _, place) = best;
        if is_quiet && place != BOUND {
            self.wake(place);
        }
        place
    }

    /// The level of an active flow.
    pub fn level(&self, id: u32) -> f64 {
        let flow = &self.flows[id as usize];
        if flow.class == BOUND { flow.bound_level } else { self.classes[flow.class as usize].level }
    }

    /// The rate of an active flow.
    pub fn rate(&self, id: u32) -> f64 {
        self.level(id) * self.flows[id as usize].weight
    }

    /// True when the class of the resource is in `S`.
    pub(super) fn is_in_set(&self, place: u32) -> bool {
        self.work[place as usize].epoch == self.epoch
    }

    /// True when all flows of the resource are in `S`.
    pub(super) fn is_inside(&self, place: u32) -> bool {
        self.work[place as usize].is_all(&self.resources[place as usize])
    }

    /// The members of a flow.
    pub(super) fn members_of(&self, id: u32) -> std::ops::Range<usize> {
        let flow = &self.flows[id as usize];
        flow.first_member as usize..(flow.first_member + flow.members) as usize
    }

    /// Makes the usage of a resource of `S` agree with the rates, and the date of its class with its level. The
    /// difference to the capacity gathers rounding errors, so every now and then, at a cost that is spread over the
    /// solutions since, it is summed up afresh.
    fn settle(&mut self, place: u32) {
        let (resource, class) = (&mut self.resources[place as usize], &mut self.classes[place as usize]);
        let work = &self.work[place as usize];
        let inside = work.is_all(resource);
        class.highest = match class.flows {
            0 => f64::INFINITY,
            _ if inside => work.highest,
            _ => class.highest.max(work.highest),
        };
        class.age = if inside { 0 } else { class.age + 1 };
        if class.age as usize <= resource.entries.len() + 64 {
            resource.usage = resource.capacity - work.free;
        } else {
            class.age = 0;
            let resource = &self.resources[place as usize];
            let use_of = |e: &Entry| self.members[e.member as usize].amount * self.rate(e.flow);
            let usage = resource.entries.iter().map(use_of).sum();
            self.resources[place as usize].usage = usage;
        }
        self.schedule(place);
        self.calm(place);
    }

    /// Gives the flow's slot a range of members for this many, keeping the present one when it is long enough.
    fn reserve_members(&mut self, id: u32, needed: usize) {
        let flow = &mut self.flows[id as usize];
        if flow.room > 0 && needed <= 1 << flow.room || needed == 0 {
            return;
        }
        let capacity = needed.next_power_of_two().max(4);
        let logarithm = capacity.trailing_zeros() as usize;
        if self.free_ranges.len() <= logarithm {
            self.free_ranges.resize_with(logarithm + 1, Vec::new);
        }
        if flow.room > 0 {
            self.free_ranges[usize::from(flow.room)].push(flow.first_member);
        }
        flow.first_member = self.free_ranges[logarithm].pop().unwrap_or_else(|| {
            let first = self.members.len();
            self.members.resize(first + capacity, Member::default());
            first as u32
        });
        flow.room = logarithm as u8;
    }
}

#[cfg(test)]
impl MaxMin {
    /// Flows in the classes that the last solution looked at.
    pub fn flows_in_set(&self) -> usize {
        self.set.iter().map(|c| self.classes[*c as usize].flows as usize).sum()
    }

    /// Resources that the last solution looked at.
    pub fn resources_in_set(&self) -> usize {
        self.set.len()
    }
}

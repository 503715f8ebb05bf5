//! The system of flows and resources, its changes, and the loop of the incremental solution.
//!
//! ```text
//! flows      level rate weight bound ... ──► members of one flow, contiguous
//! members    (resource, position, amount)        │ position
//! resources  capacity usage level ... entries ◄──┘
//! entries    (flow, member), swap-removed
//! ```

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Relative tolerance of saturation and of the comparison of levels. Above the rounding of sums over thousands of flows,
/// far below what a simulated time may differ by.
pub(super) const TOLERANCE: f64 = 1e-9;

/// Rates that differ by less are the same: rounding alone is no reason to compute a new date.
const SAME_RATE: f64 = 1e-12;

/// [`Flow::bottleneck`] of a flow that is at its bound.
pub(super) const BOUND: u32 = u32::MAX;

/// End of a chain of members.
pub(super) const NONE: u32 = u32::MAX;

/// A flow, addressed by the caller's ids. One cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Flow {
    /// `z = rate / weight`.
    pub level: f64,
    pub rate: f64,
    /// Reciprocal of the penalty.
    pub weight: f64,
    /// `bound / weight`.
    pub bound_level: f64,
    /// The resource that certifies the rate, or [`BOUND`].
    pub bottleneck: u32,
    /// The flow is in `S` when this is the solver's epoch.
    epoch: u32,
    /// The rate is decided when this is the solver's wave.
    pub wave: u32,
    first_member: u32,
    members: u32,
    member_room: u32,
    state: State,
}

/// Life of a flow's slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Absent,
    /// Known, takes no share.
    Idle,
    /// Takes a share from the next solution on.
    Fresh,
    Active,
}

/// What a flow consumes of one resource.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Member {
    pub resource: u32,
    /// Place in the resource's entries while the flow is active.
    position: u32,
    pub amount: f64,
}

/// The same from the resource's side.
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
    usage: f64,
    /// When saturated, at least the highest level on it (within the tolerance); infinite when it certifies nobody.
    pub level: f64,
    pub entries: Vec<Entry>,
    /// The resource is touched when this is the solver's epoch.
    epoch: u32,
    /// Solutions since `usage` was summed up afresh.
    age: u32,
    /// A flow has left since the last solution.
    left: bool,
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
    /// Highest level of the flows decided in this filling.
    pub highest: f64,
    /// The level at which this resource stopped flows in this filling; negative: it did not.
    pub stop_level: f64,
    /// Undecided flows.
    pub active: u32,

    // Of one solution.
    /// Flows of `S` on this resource.
    pub inside: u32,
    /// Chain of the members of `S` on this resource.
    pub chain: u32,
    /// What the flows outside `S` take.
    outside_usage: f64,
    /// Σ amount · weight of the flows of `S`.
    pub inside_weight: f64,
    /// Lowest bound level in `S`.
    pub least_bound: f64,
}

const NO_WORK: Work = Work {
    free: 0.0,
    active_weight: 0.0,
    highest: 0.0,
    stop_level: -1.0,
    active: 0,
    inside: 0,
    chain: NONE,
    outside_usage: 0.0,
    inside_weight: 0.0,
    least_bound: f64::INFINITY,
};

impl Work {
    /// The level that the undecided flows reach when nothing else stops them.
    pub fn ratio(&self) -> f64 {
        self.free.max(0.0) / self.active_weight
    }
}

/// A resource and a lower limit of its ratio, ordered by that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Candidate {
    pub ratio: f64,
    pub resource: u32,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ratio.total_cmp(&other.ratio).then(self.resource.cmp(&other.resource))
    }
}

/// The system of flows and resources.
#[derive(Debug, Default)]
pub(crate) struct MaxMin {
    pub(super) flows: Vec<Flow>,
    pub(super) members: Vec<Member>,
    /// Rooms for members that no flow uses, by the logarithm of their size.
    free_rooms: Vec<Vec<u32>>,
    pub(super) resources: Vec<Resource>,
    pub(super) work: Vec<Work>,
    /// Flows activated since the last solution; some may have gone again.
    fresh: Vec<u32>,
    /// Resources that flows have left since the last solution.
    left: Vec<u32>,

    // Scratch.
    epoch: u32,
    pub(super) wave: u32,
    /// `S`, with the rates before this solution.
    chosen: Vec<(u32, f64)>,
    /// Resources of `S` and those that flows have left.
    pub(super) touched: Vec<u32>,
    /// Next member of the chain and the flow, by member.
    pub(super) chains: Vec<(u32, u32)>,
    pub(super) candidates: BinaryHeap<Reverse<Candidate>>,
    pub(super) batch: Vec<u32>,
    pub(super) suspects: Vec<u32>,
}

const NEW_FLOW: Flow = Flow {
    level: 0.0,
    rate: 0.0,
    weight: 1.0,
    bound_level: 0.0,
    bottleneck: BOUND,
    epoch: 0,
    wave: 0,
    first_member: 0,
    members: 0,
    member_room: 0,
    state: State::Absent,
};

impl MaxMin {
    pub fn new() -> MaxMin {
        MaxMin::default()
    }

    /// Adds a resource; resources are numbered from zero.
    pub fn add_resource(&mut self, capacity: f64) {
        self.resources.push(Resource {
            capacity,
            usage: 0.0,
            level: f64::INFINITY,
            entries: Vec::new(),
            epoch: 0,
            age: 0,
            left: false,
        });
        self.work.push(NO_WORK);
    }

    /// Describes a flow: `uses` are its resources, each once, with the amount consumed per unit of its rate.
    /// It takes no share before [`MaxMin::activate`]. Either the bound is finite or there is a resource.
    pub fn add(&mut self, id: u32, penalty: f64, bound: f64, uses: &[(u32, f64)]) {
        if id as usize >= self.flows.len() {
            self.flows.resize(id as usize + 1, NEW_FLOW);
        }
        self.make_room(id, uses.len());
        let flow = &mut self.flows[id as usize];
        debug_assert!(flow.state == State::Absent);
        *flow = Flow {
            weight: 1.0 / penalty,
            bound_level: bound * penalty,
            members: uses.len() as u32,
            state: State::Idle,
            first_member: flow.first_member,
            member_room: flow.member_room,
            epoch: flow.epoch,
            wave: flow.wave,
            ..NEW_FLOW
        };
        let room = &mut self.members[flow.first_member as usize..];
        for (member, &(resource, amount)) in room.iter_mut().zip(uses) {
            *member = Member { resource, position: 0, amount };
        }
    }

    /// The flow takes a share from the next solution on.
    pub fn activate(&mut self, id: u32) {
        let flow = &mut self.flows[id as usize];
        debug_assert!(flow.state == State::Idle);
        flow.state = State::Fresh;
        self.fresh.push(id);
        for index in flow.first_member..flow.first_member + flow.members {
            let member = &mut self.members[index as usize];
            let entries = &mut self.resources[member.resource as usize].entries;
            member.position = entries.len() as u32;
            entries.push(Entry { flow: id, member: index });
        }
    }

    /// The flow is gone, whatever its state.
    pub fn remove(&mut self, id: u32) {
        let flow = &mut self.flows[id as usize];
        let state = std::mem::replace(&mut flow.state, State::Absent);
        if matches!(state, State::Absent | State::Idle) {
            return;
        }
        let flow = *flow;
        for index in flow.first_member..flow.first_member + flow.members {
            let member = self.members[index as usize];
            let resource = &mut self.resources[member.resource as usize];
            resource.entries.swap_remove(member.position as usize);
            if let Some(moved) = resource.entries.get(member.position as usize) {
                self.members[moved.member as usize].position = member.position;
            }
            if resource.entries.is_empty() {
                resource.usage = 0.0;
                resource.level = f64::INFINITY;
                resource.age = 0;
            } else {
                resource.usage -= member.amount * flow.rate;
                if !resource.left {
                    resource.left = true;
                    self.left.push(member.resource);
                }
            }
        }
    }

    /// Finds the rates after all changes since the last call, and tells those that differ.
    pub fn solve(&mut self, mut changed: impl FnMut(u32, f64)) {
        if self.fresh.is_empty() && self.left.is_empty() {
            return;
        }
        self.epoch += 1;
        self.begin(&mut changed);
        if self.touched.is_empty() {
            return;
        }
        loop {
            self.fill();
            if !self.review() {
                break;
            }
        }
        for index in 0..self.touched.len() {
            self.settle(self.touched[index]);
        }
        for &(id, before) in &self.chosen {
            let flow = &mut self.flows[id as usize];
            if (flow.rate - before).abs() > SAME_RATE * flow.rate {
                changed(id, flow.rate);
            } else {
                flow.rate = before;
            }
        }
    }

    /// Starts a solution: `S` = the new flows. Those that share nothing are decided at once.
    fn begin(&mut self, changed: &mut impl FnMut(u32, f64)) {
        self.chosen.clear();
        self.touched.clear();
        let mut fresh = std::mem::take(&mut self.fresh);
        for id in fresh.drain(..) {
            let flow = &mut self.flows[id as usize];
            if flow.state != State::Fresh {
                continue;
            }
            flow.state = State::Active;
            if self.decide_alone(id) {
                changed(id, self.flows[id as usize].rate);
            } else {
                self.choose(id);
            }
        }
        self.fresh = fresh;
        // Last, because a flow that is decided alone sets the usage of a resource that others have just left.
        let mut left = std::mem::take(&mut self.left);
        for id in left.drain(..) {
            self.resources[id as usize].left = false;
            if !self.resources[id as usize].entries.is_empty() {
                self.touch(id);
            }
        }
        self.left = left;
    }

    /// Decides a flow that is alone on all its resources.
    fn decide_alone(&mut self, id: u32) -> bool {
        let flow = &mut self.flows[id as usize];
        let members = &self.members[flow.first_member as usize..(flow.first_member + flow.members) as usize];
        let mut rate = flow.bound_level * flow.weight;
        let mut bottleneck = BOUND;
        for member in members {
            let resource = &self.resources[member.resource as usize];
            if resource.entries.len() > 1 {
                return false;
            }
            if member.amount * rate > resource.capacity {
                rate = resource.capacity / member.amount;
                bottleneck = member.resource;
            }
        }
        flow.rate = rate;
        flow.level = rate / flow.weight;
        flow.bottleneck = bottleneck;
        for member in members {
            let resource = &mut self.resources[member.resource as usize];
            resource.usage = member.amount * rate;
            resource.level = if member.resource == bottleneck { flow.level } else { f64::INFINITY };
        }
        true
    }

    /// True when the flow is in `S`.
    pub(super) fn is_chosen(&self, id: u32) -> bool {
        self.flows[id as usize].epoch == self.epoch
    }

    /// Puts a flow in `S`.
    pub(super) fn choose(&mut self, id: u32) {
        if self.is_chosen(id) {
            return;
        }
        let flow = &mut self.flows[id as usize];
        flow.epoch = self.epoch;
        let flow = *flow;
        self.chosen.push((id, flow.rate));
        for index in flow.first_member..flow.first_member + flow.members {
            let Member { resource: place, amount, .. } = self.members[index as usize];
            self.touch(place);
            let work = &mut self.work[place as usize];
            work.inside += 1;
            work.outside_usage -= amount * flow.rate;
            work.inside_weight += amount * flow.weight;
            work.least_bound = work.least_bound.min(flow.bound_level);
            self.chains[index as usize] = (work.chain, id);
            work.chain = index;
        }
    }

    fn touch(&mut self, place: u32) {
        let resource = &mut self.resources[place as usize];
        if resource.epoch == self.epoch {
            return;
        }
        resource.epoch = self.epoch;
        self.work[place as usize] = Work { outside_usage: resource.usage, ..NO_WORK };
        self.touched.push(place);
    }

    /// True when all flows of the resource are in `S`.
    pub(super) fn is_inside(&self, place: u32) -> bool {
        self.work[place as usize].inside as usize == self.resources[place as usize].entries.len()
    }

    /// Capacity that the flows outside `S` leave.
    pub(super) fn left_over(&self, place: u32) -> f64 {
        let capacity = self.resources[place as usize].capacity;
        if self.is_inside(place) { capacity } else { (capacity - self.work[place as usize].outside_usage).max(0.0) }
    }

    /// The members of a flow.
    pub(super) fn members_of(&self, id: u32) -> std::ops::Range<usize> {
        let flow = &self.flows[id as usize];
        flow.first_member as usize..(flow.first_member + flow.members) as usize
    }

    /// Makes the usage of a touched resource agree with the rates. The difference to the capacity gathers rounding
    /// errors, so every now and then, at a cost that is spread over the solutions since, it is summed up afresh.
    fn settle(&mut self, place: u32) {
        let inside = self.is_inside(place);
        let resource = &mut self.resources[place as usize];
        resource.age = if inside { 0 } else { resource.age + 1 };
        if resource.age as usize <= resource.entries.len() + 64 {
            resource.usage = resource.capacity - self.work[place as usize].free;
        } else {
            resource.age = 0;
            let (flows, members) = (&self.flows, &self.members);
            let use_of = |e: &Entry| members[e.member as usize].amount * flows[e.flow as usize].rate;
            resource.usage = resource.entries.iter().map(use_of).sum();
        }
    }

    /// Gives the flow's slot a room for its members, keeping the present one when it is large enough.
    fn make_room(&mut self, id: u32, needed: usize) {
        let flow = &mut self.flows[id as usize];
        if needed <= flow.member_room as usize {
            return;
        }
        let room = needed.next_power_of_two().max(4);
        let class = room.trailing_zeros() as usize;
        if self.free_rooms.len() <= class {
            self.free_rooms.resize_with(class + 1, Vec::new);
        }
        if flow.member_room > 0 {
            self.free_rooms[flow.member_room.trailing_zeros() as usize].push(flow.first_member);
        }
        flow.first_member = self.free_rooms[class].pop().unwrap_or_else(|| {
            let first = self.members.len();
            self.members.resize(first + room, Member::default());
            self.chains.resize(first + room, (NONE, NONE));
            first as u32
        });
        flow.member_room = room as u32;
    }
}

#[cfg(test)]
impl MaxMin {
    /// The rate of an active flow.
    pub fn rate(&self, id: u32) -> f64 {
        self.flows[id as usize].rate
    }

    /// Flows that the last solution looked at.
    pub fn chosen_count(&self) -> usize {
        self.chosen.len()
    }
}

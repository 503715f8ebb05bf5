//! Classes: the flows that one resource certifies. They have one level, hence one virtual clock.
//!
//! The flows of class `q` run at `x_f = λ_q w_f` with one level `λ_q` and weights `w_f = 1 / p_f`. Let
//!
//! ```text
//! V_q(t) = ∫ λ_q dt            the progress of the class
//! A_rq   = Σ_f∈q a_rf w_f      the column of the class: what it takes of resource r per unit of its level
//! ```
//!
//! A flow of size `s` that joins when the progress is `V` ends when it is `V + s / w_f`. So another level changes two
//! numbers and one date, not the dates of all flows, and what a class takes of the resources follows from its column
//! alone. `s / w_f` less the progress made is in the unit of levels, so it carries over when a flow changes its class.

use crate::solver::maxmin::{BOUND, Flow, MaxMin, Work};
use smpi_base::heap::IndexedHeap;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Changes of `A_qq` before it is summed up afresh, in addition to the number of the entries.
const CHANGES: usize = 256;

/// Part of a column: what one flow of the class takes of one resource. Flows have a cell each, though they may cross
/// the same resource: then joining and leaving need no search, and nothing is added up that rounding could wear off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub resource: u32,
    /// The member that says where this cell is.
    member: u32,
    /// Amount · weight.
    pub weight: f64,
}

/// When a flow ends; outdated when the stamp is not the flow's.
#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    progress: f64,
    flow: u32,
    stamp: u32,
}

impl Eq for End {}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        self.progress.total_cmp(&other.progress).then(self.flow.cmp(&other.flow)).then(self.stamp.cmp(&other.stamp))
    }
}

/// The flows that a resource certifies.
#[derive(Debug, Default)]
pub(super) struct Class {
    pub level: f64,
    pub flows: u32,
    /// The level is decided when this is the solver's wave.
    pub wave: u32,
    /// `A_qq`.
    pub weight: f64,
    /// The rest of the column.
    pub cells: Vec<Cell>,
    /// Changes since `A_qq` was summed up afresh.
    changes: u32,
    /// `V_q` at the date `updated`.
    pub progress: f64,
    updated: f64,
    ends: BinaryHeap<Reverse<End>>,
}

impl Class {
    fn date(&self, end: f64) -> f64 {
        self.updated + (end - self.progress).max(0.0) / self.level
    }
}

impl MaxMin {
    /// Puts a resource with its class in `S`, and so all that the class crosses: they would have to follow anyhow.
    pub(super) fn choose(&mut self, place: u32) {
        let mut next = self.chosen.len();
        self.mark(place);
        while let Some(&place) = self.chosen.get(next) {
            next += 1;
            let class = &mut self.classes[place as usize];
            class.progress += class.level * (self.now - class.updated);
            class.updated = self.now;
            if class.flows == 0 {
                class.progress = 0.0;
                continue;
            }
            let (level, flows, weight) = (class.level, class.flows, class.weight);
            let cells = std::mem::take(&mut class.cells);
            self.include(place, flows, weight, level);
            for cell in &cells {
                self.mark(cell.resource);
                self.include(cell.resource, 1, cell.weight, level);
            }
            self.classes[place as usize].cells = cells;
        }
    }

    fn mark(&mut self, place: u32) {
        let resource = &mut self.resources[place as usize];
        if resource.epoch != self.epoch {
            resource.epoch = self.epoch;
            self.work[place as usize] = Work::new(resource.usage);
            self.chosen.push(place);
        }
    }

    /// Flows that are now in `S` were outside, where they took `weight · level`.
    fn include(&mut self, place: u32, flows: u32, weight: f64, level: f64) {
        let work = &mut self.work[place as usize];
        work.inside += flows;
        work.inside_weight += weight;
        work.outside_usage -= weight * level;
    }

    /// Puts a flow that has no class, and took shares at `level`, in `S` and in a class.
    pub(super) fn enter(&mut self, id: u32, level: f64, class: u32) {
        let weight = self.flows[id as usize].weight;
        for index in self.members_of(id) {
            let member = self.members[index];
            if !self.is_chosen(member.resource) {
                self.choose(member.resource);
            }
            self.include(member.resource, 1, member.amount * weight, level);
        }
        self.lower_least_bounds(id);
        self.join_class(id, class);
    }

    /// A flow of `S` stops at its bound in this filling. It stays in `S`: if the filling has to be repeated, it gets
    /// its class back. Otherwise two flows that go in and out of `S` could change places for ever.
    pub(super) fn stop_at_bound(&mut self, id: u32) {
        self.uproot(id);
        self.bounded.push((id, self.flows[id as usize].class));
        self.leave_class(id);
        let Flow { weight, bound_level, .. } = self.flows[id as usize];
        for index in self.members_of(id) {
            let member = self.members[index];
            let weight = member.amount * weight;
            let work = &mut self.work[member.resource as usize];
            work.free -= weight * bound_level;
            work.active -= 1;
            work.active_weight -= weight;
        }
    }

    /// The filling is to be repeated: flows that it has stopped at their bounds return to their classes.
    pub(super) fn release_bounded(&mut self) {
        let mut bounded = std::mem::take(&mut self.bounded);
        for (id, class) in bounded.drain(..) {
            self.lower_least_bounds(id);
            self.join_class(id, class);
        }
        self.bounded = bounded;
    }

    /// The flow joins a class: a level may meet its bound.
    fn lower_least_bounds(&mut self, id: u32) {
        let bound_level = self.flows[id as usize].bound_level;
        for index in self.members_of(id) {
            let resource = &mut self.resources[self.members[index].resource as usize];
            resource.least_bound = resource.least_bound.min(bound_level);
        }
    }

    /// The flow is about to change its class: settles what remains of it.
    pub(super) fn uproot(&mut self, id: u32) {
        let flow = &mut self.flows[id as usize];
        if flow.moved != self.epoch {
            flow.moved = self.epoch;
            flow.stamp = flow.stamp.wrapping_add(1);
            let remaining = if flow.class == BOUND {
                flow.work - flow.bound_level * (self.now - flow.since)
            } else {
                flow.work - self.classes[flow.class as usize].progress
            };
            flow.work = remaining.max(0.0);
            self.moved.push(id);
        }
    }

    /// Moves a flow of `S` to another class of `S`.
    pub(super) fn change_class(&mut self, id: u32, class: u32) {
        self.uproot(id);
        self.leave_class(id);
        self.join_class(id, class);
    }

    pub(super) fn join_class(&mut self, id: u32, place: u32) {
        let range = self.members_of(id);
        let flow = &mut self.flows[id as usize];
        flow.class = place;
        let weight = flow.weight;
        let class = &mut self.classes[place as usize];
        class.flows += 1;
        class.changes += 1;
        for index in range {
            let member = &mut self.members[index];
            let weight = member.amount * weight;
            if member.resource == place {
                class.weight += weight;
            } else {
                member.cell = class.cells.len() as u32;
                class.cells.push(Cell { resource: member.resource, member: index as u32, weight });
            }
        }
    }

    /// Takes a flow out of its class.
    pub(super) fn leave_class(&mut self, id: u32) {
        let range = self.members_of(id);
        let flow = &mut self.flows[id as usize];
        let (place, weight) = (flow.class, flow.weight);
        flow.class = BOUND;
        let class = &mut self.classes[place as usize];
        class.flows -= 1;
        class.changes += 1;
        if class.flows == 0 {
            class.weight = 0.0;
            class.changes = 0;
            class.cells.clear();
            class.ends.clear();
            self.ends.remove(place);
            return;
        }
        for index in range {
            let member = self.members[index];
            if member.resource == place {
                class.weight -= member.amount * weight;
            } else {
                class.cells.swap_remove(member.cell as usize);
                if let Some(moved) = class.cells.get(member.cell as usize) {
                    self.members[moved.member as usize].cell = member.cell;
                }
            }
        }
    }

    /// The solution is found: gives the flows that have moved their dates.
    pub(super) fn plant(&mut self, dates: &mut IndexedHeap<f64>) {
        let mut moved = std::mem::take(&mut self.moved);
        for id in moved.drain(..) {
            let flow = &mut self.flows[id as usize];
            if flow.class == BOUND {
                flow.since = self.now;
                dates.set(id, self.now + flow.work / flow.bound_level);
            } else {
                dates.remove(id);
                let class = &mut self.classes[flow.class as usize];
                flow.work += class.progress;
                class.ends.push(Reverse(End { progress: flow.work, flow: id, stamp: flow.stamp }));
            }
        }
        self.moved = moved;
    }

    /// The class has a new level: gives it the date of its first end, and clears it of what has gathered.
    pub(super) fn schedule(&mut self, place: u32) {
        let flows = &self.flows;
        let class = &mut self.classes[place as usize];
        if class.flows == 0 {
            return;
        }
        let valid = |end: &End| flows[end.flow as usize].stamp == end.stamp;
        if class.ends.len() > 2 * class.flows as usize + 32 {
            class.ends.retain(|end| valid(&end.0));
        }
        while let Some(Reverse(end)) = class.ends.peek() {
            if valid(end) {
                self.ends.set(place, class.date(end.progress));
                break;
            }
            class.ends.pop();
        }
        if class.changes as usize > self.resources[place as usize].entries.len() + CHANGES {
            self.sum_up(place);
        }
    }

    /// Computes `A_qq` afresh, without the rounding errors of its changes.
    fn sum_up(&mut self, place: u32) {
        let mut weight = 0.0;
        for entry in &self.resources[place as usize].entries {
            let flow = &self.flows[entry.flow as usize];
            if flow.class == place {
                weight += self.members[entry.member as usize].amount * flow.weight;
            }
        }
        let class = &mut self.classes[place as usize];
        class.weight = weight;
        class.changes = 0;
    }

    /// The date at which the first flow of a class ends.
    pub fn next(&self) -> Option<f64> {
        self.ends.peek().map(|(date, _)| date)
    }

    /// Tells the flows of classes whose end is due. The caller removes them before the next solution.
    pub fn collect(&mut self, due: impl Fn(f64) -> bool, mut ended: impl FnMut(u32)) {
        while let Some((_, place)) = self.ends.peek().filter(|(date, _)| due(*date)) {
            self.ends.pop();
            let class = &mut self.classes[place as usize];
            while let Some(Reverse(end)) = class.ends.peek().copied() {
                if self.flows[end.flow as usize].stamp == end.stamp {
                    if !due(class.date(end.progress)) {
                        break;
                    }
                    ended(end.flow);
                }
                class.ends.pop();
            }
        }
    }
}

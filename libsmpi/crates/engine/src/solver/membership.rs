//! Which classes are in the set `S` of a solution, and which class each flow belongs to.
//!
//! `S` holds with a class all resources that the class crosses, and of each of them what the flows of `S` take and what
//! all others take ([`Work`]). Flows enter `S`, change their class inside it, and stop at their bounds; a class leaves
//! only with the end of the solution. Quiet resources (`quiet.rs`) are never in `S`.

use crate::solver::class::Cell;
use crate::solver::maxmin::{BOUND, Flow, MaxMin, Work};

impl MaxMin {
    /// Puts a resource with its class in `S`, and with it all resources that the class crosses, with theirs.
    pub(super) fn add_to_set(&mut self, place: u32) {
        let mut next = self.set.len();
        self.add_alone(place);
        while let Some(&place) = self.set.get(next) {
            next += 1;
            let class = &mut self.classes[place as usize];
            class.advance(self.now);
            if class.flows == 0 {
                continue;
            }
            let (level, epoch) = (class.level, self.epoch);
            let (works, resources) = (&mut self.work[..], &self.resources[..]);
            works[place as usize].include(class.flows, class.weight, level);
            for cell in &class.cells {
                let work = &mut works[cell.resource as usize];
                if work.epoch != epoch {
                    *work = Work::new(resources[cell.resource as usize].usage, epoch);
                    self.set.push(cell.resource);
                }
                work.include(1, cell.weight, level);
            }
        }
    }

    /// Puts a resource in `S`, without what its class crosses.
    pub(super) fn add_alone(&mut self, place: u32) {
        let work = &mut self.work[place as usize];
        if work.epoch != self.epoch {
            *work = Work::new(self.resources[place as usize].usage, self.epoch);
            self.set.push(place);
        }
    }

    /// Puts a flow that has no class, and took shares at `level`, in `S` and in a class.
    pub(super) fn add_flow(&mut self, id: u32, level: f64, class: u32) {
        let weight = self.flows[id as usize].weight;
        for index in self.members_of(id) {
            let member = self.members[index];
            if self.resources[member.resource as usize].is_quiet {
                continue;
            }
            if !self.is_in_set(member.resource) {
                self.add_to_set(member.resource);
            }
            self.work[member.resource as usize].include(1, member.amount * weight, level);
        }
        self.lower_least_bounds(id);
        self.join_class(id, class);
    }

    /// A flow of `S` stops at its bound in this filling. It stays in `S`: if the filling has to be repeated, it gets
    /// its class back. Otherwise two flows that go in and out of `S` could change places for ever.
    pub(super) fn stop_at_bound(&mut self, id: u32) {
        self.settle_remaining(id);
        self.bounded.push((id, self.flows[id as usize].class));
        self.leave_class(id);
        let Flow { weight, bound_level, .. } = self.flows[id as usize];
        for index in self.members_of(id) {
            let member = self.members[index];
            if self.resources[member.resource as usize].is_quiet {
                continue;
            }
            let weight = member.amount * weight;
            let work = &mut self.work[member.resource as usize];
            work.free -= weight * bound_level;
            work.active -= 1;
            work.active_weight -= weight;
            work.highest = work.highest.max(bound_level);
        }
    }

    /// Returns the flows that the last filling has stopped at their bounds to their classes, because it is repeated.
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
        for member in &self.members[self.members_of(id)] {
            let resource = &mut self.resources[member.resource as usize];
            resource.least_bound = resource.least_bound.min(bound_level);
        }
    }

    /// Works out what remains of a flow that is about to change its class; its present end is outdated.
    pub(super) fn settle_remaining(&mut self, id: u32) {
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
        self.settle_remaining(id);
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
        let mut has_quiet = false;
        for (index, member) in range.clone().zip(&mut self.members[range.clone()]) {
            let weight = member.amount * weight;
            if member.resource == place {
                class.weight += weight;
            } else if self.resources[member.resource as usize].is_quiet {
                has_quiet = true;
            } else {
                member.cell = class.cells.len() as u32;
                class.cells.push(Cell { resource: member.resource, member: index as u32, weight });
            }
        }
        if has_quiet {
            self.note_ceilings(place, range);
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
            class.clear();
            self.ends.remove(place);
            return;
        }
        for index in range {
            let member = self.members[index];
            if member.resource == place {
                class.weight -= member.amount * weight;
            } else if !self.resources[member.resource as usize].is_quiet {
                class.remove_cell(member.cell, &mut self.members);
            }
        }
    }
}

//! Flows and capacities that change while flows are under way: a flow leaves the system and comes back with what
//! remains of it, so a change needs no rule of its own.

use crate::solver::maxmin::{BOUND, MaxMin, State};

impl MaxMin {
    /// Gives a flow another penalty and bound. True when it takes a share: then the caller removes the date that it may
    /// have at its bound.
    pub fn change(&mut self, id: u32, penalty: f64, bound: f64, now: f64) -> bool {
        let uses: Vec<(u32, f64)> = self.uses(id).collect();
        let size = self.suspend(id, now);
        self.remove(id);
        self.add(id, penalty, bound, &uses);
        if let Some(size) = size {
            self.activate(id, size);
        }
        size.is_some()
    }

    /// Takes its share from a flow; it keeps its place and may be activated again. What remains of its size, or nothing
    /// if it takes no share.
    pub fn suspend(&mut self, id: u32, now: f64) -> Option<f64> {
        let left = self.left(id, now)?;
        self.remove(id);
        self.flows[id as usize].state = State::Idle;
        Some(left)
    }

    /// What remains of the size of a flow that takes a share.
    pub fn left(&self, id: u32, now: f64) -> Option<f64> {
        let flow = &self.flows[id as usize];
        let work = match flow.state {
            State::Absent | State::Idle => return None,
            State::Fresh => flow.work,
            State::Active if flow.class == BOUND => flow.work - flow.bound_level * (now - flow.since),
            State::Active => flow.work - self.classes[flow.class as usize].progress_at(now),
        };
        Some(work.max(0.0) * flow.weight)
    }

    /// The resources of a flow, each with what it consumes per unit of its rate.
    pub fn uses(&self, id: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.members[self.members_of(id)].iter().map(|member| (member.resource, member.amount))
    }

    /// Changes a capacity. The caller changes the flows on it, too.
    pub fn set_capacity(&mut self, resource: u32, capacity: f64) {
        self.resources[resource as usize].capacity = capacity;
    }

    /// A capacity at present.
    pub fn capacity(&self, resource: u32) -> f64 {
        self.resources[resource as usize].capacity
    }

    /// Which part of a resource is used, from 0 to 1, as shared out last.
    pub fn use_of(&self, resource: u32) -> f64 {
        let active = self.flows_on(resource).filter(|&flow| self.flows[flow as usize].state == State::Active);
        let amount = |flow: u32| self.uses(flow).filter(|part| part.0 == resource).map(|part| part.1).sum::<f64>();
        let used: f64 = active.map(|flow| amount(flow) * self.rate(flow)).sum();
        let capacity = self.capacity(resource);
        if capacity > 0.0 { (used / capacity).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The flows that take a share of a resource.
    pub fn flows_on(&self, resource: u32) -> impl Iterator<Item = u32> + '_ {
        self.resources[resource as usize].entries.iter().map(|entry| entry.flow)
    }
}

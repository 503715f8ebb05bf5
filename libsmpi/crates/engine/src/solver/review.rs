//! Certificates: must flows outside `S` yield to a class that a filling has stopped?
//!
//! Every flow of `S` has its bottleneck after a filling: the resource of its class is full, and no flow of `S` has a
//! higher level there. Flows outside `S` keep their rates and their bottlenecks, because `S` holds with a class all
//! resources that it crosses. So what can be wrong is only that a flow outside has a higher level than the class of a
//! resource of `S`.
//!
//! Each class knows a limit of the levels of all other flows on its resource. So the flows are looked at only where the
//! level of the class has come down to this limit, which it seldom does: most changes are ends of flows, after which
//! nearly all levels rise.

use crate::solver::maxmin::{ABOVE, BOUND, MaxMin};

impl MaxMin {
    /// Checks the resources of `S` after a filling. True when flows joined `S`.
    pub(super) fn review(&mut self) -> bool {
        let mut joining = std::mem::take(&mut self.joining);
        let mut joined = false;
        for index in 0..self.set.len() {
            let place = self.set[index];
            let class = &self.classes[place as usize];
            if class.flows == 0 || self.is_inside(place) {
                continue;
            }
            let limit = class.level * ABOVE;
            if class.highest <= limit {
                continue;
            }
            joining.clear();
            let mut highest = 0.0_f64;
            for entry in &self.resources[place as usize].entries {
                if self.is_member(entry.flow) {
                    continue;
                }
                let level = self.level(entry.flow);
                highest = highest.max(level);
                if level > limit {
                    joining.push(entry.flow);
                }
            }
            self.classes[place as usize].highest = highest;
            for &id in &joining {
                joined = true;
                self.make_yield(id, place);
            }
        }
        self.joining = joining;
        joined
    }

    /// True when the flow is in `S`. Of those at their bound these are the ones that have had a class in this solution.
    pub(super) fn is_member(&self, id: u32) -> bool {
        let flow = &self.flows[id as usize];
        if flow.class == BOUND { flow.moved == self.epoch } else { self.is_in_set(flow.class) }
    }

    /// Makes a flow outside `S` yield at this resource: its class joins `S`, or the flow does if it is at its bound.
    fn make_yield(&mut self, id: u32, place: u32) {
        if self.is_member(id) {
            return;
        }
        let flow = &self.flows[id as usize];
        if flow.class == BOUND {
            let level = flow.bound_level;
            self.settle_remaining(id);
            self.add_flow(id, level, place);
        } else {
            self.add_to_set(flow.class);
        }
    }
}

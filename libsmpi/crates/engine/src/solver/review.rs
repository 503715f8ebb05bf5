//! Certificates: does every flow outside `S` still have its bottleneck, and is no flow of `S` stuck below one that could yield?
//!
//! `Resource::level` is the certificate that a resource offers: a flow that crosses it and whose level is not lower is as
//! fast as it can be there. It is infinite for resources that are not saturated, or of which this was never needed.
//! It may be too high (then a flow is looked at without need) but not too low beyond the tolerance.

use crate::solver::maxmin::{BOUND, MaxMin, TOLERANCE};

const ABOVE: f64 = 1.0 + TOLERANCE;
const BELOW: f64 = 1.0 - TOLERANCE;

impl MaxMin {
    /// Checks the touched resources after a filling. True when flows joined `S`.
    pub(super) fn review(&mut self) -> bool {
        let before = self.touched.len();
        let mut joined = false;
        self.suspects.clear();
        // Levels first, because a flow that loses one bottleneck may have another among the touched resources.
        let mut joining = std::mem::take(&mut self.batch);
        joining.clear();
        for index in 0..before {
            self.review_resource(self.touched[index], &mut joining);
        }
        for &id in &joining {
            joined |= !self.is_chosen(id);
            self.choose(id);
        }
        self.batch = joining;
        let suspects = std::mem::take(&mut self.suspects);
        for &id in &suspects {
            if !self.is_chosen(id) && !self.certify(id) {
                joined = true;
                self.choose(id);
            }
        }
        self.suspects = suspects;
        joined
    }

    /// Brings the level of one resource up to date. Flows that must join `S` go to `joining`; flows that may have
    /// lost their bottleneck go to `suspects`.
    fn review_resource(&mut self, place: u32, joining: &mut Vec<u32>) {
        let (resource, work) = (&self.resources[place as usize], &self.work[place as usize]);
        let saturated = work.free <= TOLERANCE * resource.capacity;
        let (old, highest, stop) = (resource.level, work.highest, work.stop_level);
        if self.is_inside(place) {
            self.resources[place as usize].level = if saturated { highest } else { f64::INFINITY };
            return;
        }
        if !saturated {
            if old.is_finite() {
                self.resources[place as usize].level = f64::INFINITY;
                self.suspect_all_below(place, f64::INFINITY);
            }
            return;
        }
        let stopped_low = stop >= 0.0 && stop < old * BELOW;
        if !stopped_low && (old.is_infinite() || highest <= old * ABOVE) {
            // Either the resource certifies nobody, or its level still holds. Keeping the old level rather than
            // the new maximum prevents it from creeping away by the tolerance at every solution.
            return;
        }
        let outside = self.highest_outside(place);
        if stop >= 0.0 && outside > stop * ABOVE {
            self.collect_higher(place, stop, joining);
        }
        let level = highest.max(outside);
        self.resources[place as usize].level = level;
        self.suspect_all_below(place, level * BELOW);
    }

    fn highest_outside(&self, place: u32) -> f64 {
        let levels = self.resources[place as usize].entries.iter().filter(|e| !self.is_chosen(e.flow));
        levels.map(|e| self.flows[e.flow as usize].level).fold(0.0, f64::max)
    }

    /// Flows outside `S` that rely on this resource and have a lower level than `limit`.
    fn suspect_all_below(&mut self, place: u32, limit: f64) {
        let mut suspects = std::mem::take(&mut self.suspects);
        for entry in &self.resources[place as usize].entries {
            let flow = &self.flows[entry.flow as usize];
            if flow.bottleneck == place && flow.level < limit && !self.is_chosen(entry.flow) {
                suspects.push(entry.flow);
            }
        }
        self.suspects = suspects;
    }

    /// Flows of `S` are stuck on this resource at level `stop` while flows outside have higher levels. If only these were
    /// to share, they would meet at a level `meeting`; whoever is above that has to yield.
    fn collect_higher(&self, place: u32, stop: f64, joining: &mut Vec<u32>) {
        let resource = &self.resources[place as usize];
        let (mut capacity, mut weight) = (self.work[place as usize].free.max(0.0), 0.0);
        for entry in &resource.entries {
            let flow = &self.flows[entry.flow as usize];
            let chosen = self.is_chosen(entry.flow);
            if (chosen && flow.bottleneck == place) || (!chosen && flow.level > stop) {
                let amount = self.members[entry.member as usize].amount;
                capacity += amount * flow.rate;
                weight += amount * flow.weight;
            }
        }
        // At least the highest level is above the meeting point; the margin keeps rounding from hiding that.
        let meeting = (capacity / weight * BELOW).max(stop * ABOVE);
        let higher = |id: &u32| self.flows[*id as usize].level > meeting && !self.is_chosen(*id);
        joining.extend(resource.entries.iter().map(|e| e.flow).filter(higher));
    }

    /// Looks for a bottleneck of a flow outside `S`.
    fn certify(&mut self, id: u32) -> bool {
        let flow = self.flows[id as usize];
        let limit = flow.level * ABOVE;
        let range = self.members_of(id);
        let found = self.members[range].iter().find(|m| self.resources[m.resource as usize].level <= limit);
        let bottleneck = match found {
            Some(member) => member.resource,
            None if flow.level >= flow.bound_level * BELOW => BOUND,
            None => return false,
        };
        self.flows[id as usize].bottleneck = bottleneck;
        true
    }
}

//! Progressive filling: the exact levels of the classes in `S` while all others keep theirs.
//!
//! A common level rises; a flow stops at its bound or when one of its resources is full. The next resource to be full
//! is the one with the least `ratio = free / Σ amount · weight` over its undecided flows. Deciding flows at a level
//! that is not above a resource's ratio never lowers that ratio, so a heap with outdated ratios holds lower limits:
//! what it yields is brought up to date and put back when it is no longer the least.
//!
//! A full resource decides its whole class by the column, and takes over the undecided flows of other classes. So the
//! class that a flow had before does not matter for the result; it saves work, because most flows stay where they are.

use crate::solver::candidates::Candidate;
use crate::solver::maxmin::{BOUND, MaxMin};

/// Ratios this close are equal: symmetric resources differ by rounding, and need not take turns.
const SAME_RATIO: f64 = 1.0 + 1e-12;

impl MaxMin {
    /// Decides every class of `S`.
    pub(super) fn fill(&mut self) {
        self.filling += 1;
        self.candidates.clear();
        for &place in &self.set {
            let (work, resource) = (&mut self.work[place as usize], &self.resources[place as usize]);
            work.free = work.left_over(resource);
            work.active = work.inside;
            work.highest = 0.0;
            work.active_weight = -work.minus_weight;
            if work.active > 0 {
                self.candidates.add(Candidate::new(work.ratio(), place));
            }
        }
        self.candidates.sort();
        while let Some(candidate) = self.candidates.pop() {
            let place = candidate.resource();
            let work = &self.work[place as usize];
            if work.active == 0 {
                continue;
            }
            let level = work.ratio();
            let next = self.candidates.least_ratio();
            if level > next * SAME_RATIO {
                self.candidates.put_back(Candidate::new(level, place));
                continue;
            }
            self.stop(place, level);
        }
    }

    /// The resource is full when its flows reach `level`. Flows whose bound is lower stop there first; then the
    /// resource may be full later than that and gets another turn.
    fn stop(&mut self, place: u32, level: f64) {
        if level >= self.resources[place as usize].least_bound && self.stop_bounded(place, level) {
            let work = &self.work[place as usize];
            if work.active > 0 {
                self.candidates.put_back(Candidate::new(work.ratio(), place));
            }
            return;
        }
        if self.work[place as usize].active > self.classes[place as usize].flows {
            self.take_over(place, level);
        }
        let (classes, works) = (&mut self.classes, &mut self.work);
        let class = &mut classes[place as usize];
        class.level = level;
        class.decided_in = self.filling;
        let work = &mut works[place as usize];
        work.free -= class.weight * level;
        work.active -= class.flows;
        work.active_weight -= class.weight;
        for cell in &class.cells {
            let work = &mut works[cell.resource as usize];
            work.free -= cell.weight * level;
            work.active -= 1;
            work.active_weight -= cell.weight;
            work.highest = level;
        }
    }

    /// True when the flow is in a class of `S` whose level is not known yet.
    fn is_undecided(&self, id: u32) -> bool {
        let class = self.flows[id as usize].class;
        class != BOUND && self.is_in_set(class) && self.classes[class as usize].decided_in != self.filling
    }

    /// Stops the flows at their bounds that are not above `level`. False when there are none.
    fn stop_bounded(&mut self, place: u32, level: f64) -> bool {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let mut least = f64::INFINITY;
        for entry in &self.resources[place as usize].entries {
            let flow = &self.flows[entry.flow as usize];
            if flow.bound_level <= level && self.is_undecided(entry.flow) {
                batch.push(entry.flow);
            } else if flow.class != BOUND {
                least = least.min(flow.bound_level);
            }
        }
        self.resources[place as usize].least_bound = least;
        for &id in &batch {
            self.stop_at_bound(id);
        }
        let any = !batch.is_empty();
        self.batch = batch;
        any
    }

    /// Moves the undecided flows on a full resource to its class. Those whose class is about to stop at the same level
    /// can stay, which saves symmetric systems from moving all flows. Their class does stop there if no flow on its
    /// resource has a lower bound: only such a flow could still raise the ratio.
    fn take_over(&mut self, place: u32, level: f64) {
        let mut batch = std::mem::take(&mut self.batch);
        batch.clear();
        let limit = level * SAME_RATIO;
        for entry in &self.resources[place as usize].entries {
            let class = self.flows[entry.flow as usize].class;
            if class == place || !self.is_undecided(entry.flow) {
                continue;
            }
            let stays =
                self.work[class as usize].ratio() <= limit && self.resources[class as usize].least_bound > limit;
            if !stays {
                batch.push(entry.flow);
            }
        }
        for &id in &batch {
            self.change_class(id, place);
        }
        self.batch = batch;
    }
}

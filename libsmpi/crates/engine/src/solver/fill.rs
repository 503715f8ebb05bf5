//! Progressive filling: the exact rates of the flows in `S` while all others keep theirs.
//!
//! A common level rises; a flow stops at its bound or when one of its resources is full. The next resource to be full
//! is the one with the least `ratio = free / Σ amount · weight` over its undecided flows. Deciding flows at a level that is
//! not above a resource's ratio never lowers that ratio, so a heap with outdated ratios holds lower limits: what it
//! yields is brought up to date and put back when it is no longer the least.

use crate::solver::maxmin::{BOUND, Candidate, MaxMin, NONE};
use std::cmp::Reverse;

/// Ratios this close are equal: symmetric resources differ by rounding, and need not take turns.
const SAME_RATIO: f64 = 1.0 + 1e-12;

impl MaxMin {
    /// Decides every flow of `S`.
    pub(super) fn fill(&mut self) {
        self.wave += 1;
        self.candidates.clear();
        for index in 0..self.touched.len() {
            let place = self.touched[index];
            let free = self.left_over(place);
            let work = &mut self.work[place as usize];
            work.free = free;
            work.active = work.inside;
            work.active_weight = work.inside_weight;
            work.highest = 0.0;
            work.stop_level = -1.0;
            if work.active > 0 {
                self.candidates.push(Reverse(Candidate { ratio: work.ratio(), resource: place }));
            }
        }
        while let Some(Reverse(candidate)) = self.candidates.pop() {
            let place = candidate.resource;
            let work = &self.work[place as usize];
            if work.active == 0 {
                continue;
            }
            let level = work.ratio();
            let next = self.candidates.peek().map_or(f64::INFINITY, |c| c.0.ratio);
            if level > next * SAME_RATIO {
                self.candidates.push(Reverse(Candidate { ratio: level, resource: place }));
                continue;
            }
            self.stop(place, level);
        }
    }

    /// The resource is full when its flows reach `level`. Flows whose bound is lower stop there first; then the
    /// resource may be full later than that and gets another turn.
    fn stop(&mut self, place: u32, level: f64) {
        let mut batch = std::mem::take(&mut self.batch);
        self.undecided(place, &mut batch);
        let mut bounded = false;
        if self.work[place as usize].least_bound <= level {
            for &id in &batch {
                let flow = &self.flows[id as usize];
                if flow.bound_level <= level {
                    bounded = true;
                    let (level, rate) = (flow.bound_level, flow.bound_level * flow.weight);
                    self.decide(id, level, rate, BOUND);
                }
            }
        }
        if bounded {
            let work = &self.work[place as usize];
            if work.active > 0 {
                self.candidates.push(Reverse(Candidate { ratio: work.ratio(), resource: place }));
            }
        } else {
            self.work[place as usize].stop_level = level;
            for &id in &batch {
                let rate = level * self.flows[id as usize].weight;
                self.decide(id, level, rate, place);
            }
        }
        self.batch = batch;
    }

    /// Lists the undecided flows of `S` on a resource.
    fn undecided(&self, place: u32, batch: &mut Vec<u32>) {
        batch.clear();
        if self.is_inside(place) {
            let undecided = |id: &u32| self.flows[*id as usize].wave != self.wave;
            batch.extend(self.resources[place as usize].entries.iter().map(|e| e.flow).filter(undecided));
        } else {
            let mut member = self.work[place as usize].chain;
            while member != NONE {
                let (next, id) = self.chains[member as usize];
                if self.flows[id as usize].wave != self.wave {
                    batch.push(id);
                }
                member = next;
            }
        }
    }

    fn decide(&mut self, id: u32, level: f64, rate: f64, bottleneck: u32) {
        let flow = &mut self.flows[id as usize];
        flow.wave = self.wave;
        flow.level = level;
        flow.rate = rate;
        flow.bottleneck = bottleneck;
        let weight = flow.weight;
        let range = self.members_of(id);
        for member in &self.members[range] {
            let work = &mut self.work[member.resource as usize];
            work.free -= member.amount * rate;
            work.active -= 1;
            work.active_weight -= member.amount * weight;
            work.highest = work.highest.max(level);
        }
    }
}

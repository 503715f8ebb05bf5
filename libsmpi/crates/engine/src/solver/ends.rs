//! When flows end: the dates of flows at their bounds, and of each class the date of its first end.

use crate::solver::class::End;
use crate::solver::maxmin::{BOUND, MaxMin};
use smpi_base::heap::IndexedHeap;
use std::cmp::Reverse;

/// Changes of `A_qq` before it is summed up afresh, in addition to the number of the entries.
const CHANGES: usize = 256;

impl MaxMin {
    /// Sets the ends of the flows that have changed their class or stopped at their bound, once the solution is found.
    pub(super) fn set_ends(&mut self, dates: &mut IndexedHeap<f64>) {
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

    /// Sets the date of a class's first end after its level has changed, and removes outdated ends when there are many.
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

    /// Calls `ended` for each flow of a class whose end is due. The caller removes them before the next solution.
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

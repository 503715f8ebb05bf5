//! Quiet resources: so far from being full that nobody need look at them.
//!
//! A quiet resource `r` has a *ceiling* `c_r`, with
//!
//! ```text
//! c_r · Σ_f a_rf w_f ≤ C_r        and no flow on r has a higher level
//! ```
//!
//! so it cannot be full, and certifies nobody. Classes have no cells for it: each knows the ceilings of the quiet
//! resources that it crosses, the lowest first, and needs only this one. So the cost of a change does not grow with
//! the links of all flows that share a bottleneck (many pairs over one backbone, many senders to one host).
//!
//! When a level rises above a ceiling, or flows come, the ceiling is set anew. If there is not room enough for that,
//! the resource *wakes* and takes part like all others, until it is far from being full again. Ceilings are set with
//! room ([`ROOM`]) in both directions. So the cost, which is that of all flows on the resource, is spread over many
//! changes.

use crate::solver::class::{Ceiling, Cell};
use crate::solver::maxmin::{BOUND, MaxMin, State};
use std::cmp::Reverse;
use std::ops::Range;

/// A new ceiling is above the levels by at least this factor, and below what the resource could carry by this factor.
const ROOM: f64 = 1.5;

/// A resource becomes quiet only if it spares a class of at least so many flows a cell, however few flows are on it: of
/// many senders to one host each may have a link of its own.
const LEAST_FLOWS: u32 = if cfg!(test) { 1 } else { 16 };

/// Solutions of a resource, at least, until one that could not be quiet is looked at again. A look costs its flows.
const PATIENCE: u32 = 16;

/// Ceilings of a class that are always worth keeping.
const CEILINGS: u32 = 64;

/// What a look at all flows of a resource finds.
struct Survey {
    /// Σ amount · weight.
    weight: f64,
    /// The highest level of a flow.
    highest: f64,
    /// Flows of the largest class that crosses the resource.
    flows: u32,
}

impl MaxMin {
    /// Makes a resource quiet if it is far from being full, certifies nobody, and that spares enough.
    pub(super) fn calm(&mut self, place: u32) {
        let resource = &self.resources[place as usize];
        let class = &mut self.classes[place as usize];
        if class.flows > 0 || resource.entries.is_empty() || ROOM * resource.usage > resource.capacity {
            return;
        }
        if class.patience > 0 {
            class.patience -= 1;
            return;
        }
        // One with few flows is looked at when a large class has changed, which it may spare a cell.
        if self.largest < LEAST_FLOWS && resource.entries.len() < PATIENCE as usize {
            return;
        }
        let entries = resource.entries.len() as u32;
        let survey = self.survey(place);
        let Some(level) = self.new_ceiling(place, &survey).filter(|_| survey.flows >= LEAST_FLOWS) else {
            self.classes[place as usize].patience = entries.max(PATIENCE);
            return;
        };
        for index in 0..entries as usize {
            let entry = self.resources[place as usize].entries[index];
            let class = self.flows[entry.flow as usize].class;
            if class != BOUND {
                let cell = self.members[entry.member as usize].cell;
                self.classes[class as usize].remove_cell(cell, &mut self.members);
            }
        }
        self.resources[place as usize].is_quiet = true;
        self.set_ceiling(place, level, survey.weight);
    }

    /// Makes sure that the quiet resources of a new flow can carry it too.
    pub(super) fn make_room(&mut self, id: u32) {
        for index in self.members_of(id) {
            let place = self.members[index].resource;
            let resource = &self.resources[place as usize];
            if resource.is_quiet && resource.weight * self.classes[place as usize].ceiling > resource.capacity {
                self.set_anew(place);
            }
        }
    }

    /// Deals with the flows of `S` that a filling has raised above ceilings. True when resources woke.
    pub(super) fn wake_exceeded(&mut self) -> bool {
        let mut has_woken = false;
        for index in 0..self.set.len() {
            let class = self.set[index] as usize;
            while let Some(Reverse(ceiling)) = self.classes[class].ceilings.peek().copied() {
                let is_valid = self.is_valid(ceiling);
                if is_valid && ceiling.level >= self.classes[class].level {
                    break;
                }
                self.classes[class].ceilings.pop();
                has_woken |= is_valid && self.set_anew(ceiling.resource);
            }
        }
        // Flows at their bounds have no class any more that knows their ceilings.
        for index in 0..self.bounded.len() {
            let (id, _) = self.bounded[index];
            let level = self.flows[id as usize].bound_level;
            for member in self.members_of(id) {
                let place = self.members[member].resource;
                if self.resources[place as usize].is_quiet && self.classes[place as usize].ceiling < level {
                    has_woken |= self.set_anew(place);
                }
            }
        }
        has_woken
    }

    /// Puts a quiet resource among those that count, and in `S`.
    pub(super) fn wake(&mut self, place: u32) {
        self.resources[place as usize].is_quiet = false;
        let class = &mut self.classes[place as usize];
        class.patience = 0;
        class.highest = f64::INFINITY;
        class.advance(self.now);
        self.add_alone(place);
        let entries = std::mem::take(&mut self.resources[place as usize].entries);
        let (mut usage, mut least_bound) = (0.0, f64::INFINITY);
        for entry in &entries {
            let flow = self.flows[entry.flow as usize];
            if flow.state != State::Active {
                continue;
            }
            let weight = self.members[entry.member as usize].amount * flow.weight;
            if self.is_member(entry.flow) {
                let work = &mut self.work[place as usize];
                work.inside += 1;
                work.minus_weight -= weight;
            } else {
                usage += weight * self.level(entry.flow);
            }
            if flow.class != BOUND {
                least_bound = least_bound.min(flow.bound_level);
                let class = &mut self.classes[flow.class as usize];
                self.members[entry.member as usize].cell = class.cells.len() as u32;
                class.cells.push(Cell { resource: place, member: entry.member, weight });
            }
        }
        self.work[place as usize].outside_usage = usage;
        let resource = &mut self.resources[place as usize];
        resource.entries = entries;
        resource.least_bound = least_bound;
    }

    /// Tells a class the ceilings of the quiet resources among these members.
    pub(super) fn note_ceilings(&mut self, class: u32, members: Range<usize>) {
        for index in members {
            let place = self.members[index].resource;
            if self.resources[place as usize].is_quiet {
                let level = self.classes[place as usize].ceiling;
                self.note_ceiling(class, Ceiling { level, resource: place });
            }
        }
    }

    /// Sets the ceiling of a quiet resource anew, because flows need that. True when it had to wake.
    fn set_anew(&mut self, place: u32) -> bool {
        let survey = self.survey(place);
        match self.new_ceiling(place, &survey) {
            Some(level) => self.set_ceiling(place, level, survey.weight),
            None => self.wake(place),
        }
        !self.resources[place as usize].is_quiet
    }

    /// The ceiling that flows leave room for, if they do.
    fn new_ceiling(&self, place: u32, survey: &Survey) -> Option<f64> {
        let level = self.resources[place as usize].capacity / (survey.weight * ROOM);
        (level >= survey.highest * ROOM).then_some(level)
    }

    fn set_ceiling(&mut self, place: u32, level: f64, weight: f64) {
        self.resources[place as usize].weight = weight;
        self.classes[place as usize].ceiling = level;
        for index in 0..self.resources[place as usize].entries.len() {
            let entry = self.resources[place as usize].entries[index];
            let class = self.flows[entry.flow as usize].class;
            if class != BOUND {
                self.note_ceiling(class, Ceiling { level, resource: place });
            }
        }
    }

    /// Tells a class a ceiling. Every now and then those that are outdated, or there twice, are removed.
    fn note_ceiling(&mut self, class: u32, ceiling: Ceiling) {
        let place = class as usize;
        self.classes[place].ceilings.push(Reverse(ceiling));
        let count = self.classes[place].ceilings.len() as u32;
        if count <= self.classes[place].crowded.max(CEILINGS) {
            return;
        }
        let mut ceilings = std::mem::take(&mut self.classes[place].ceilings).into_vec();
        ceilings.retain(|ceiling| self.is_valid(ceiling.0));
        ceilings.sort_unstable();
        ceilings.dedup();
        self.classes[place].crowded = 2 * ceilings.len() as u32;
        self.classes[place].ceilings = ceilings.into();
    }

    fn is_valid(&self, ceiling: Ceiling) -> bool {
        let place = ceiling.resource as usize;
        self.resources[place].is_quiet && self.classes[place].ceiling == ceiling.level
    }

    fn survey(&self, place: u32) -> Survey {
        let mut survey = Survey { weight: 0.0, highest: 0.0, flows: 0 };
        for entry in &self.resources[place as usize].entries {
            let flow = &self.flows[entry.flow as usize];
            survey.weight += self.members[entry.member as usize].amount * flow.weight;
            if flow.state == State::Active {
                survey.highest = survey.highest.max(self.level(entry.flow));
                let class = flow.class;
                survey.flows = survey.flows.max(if class == BOUND { 0 } else { self.classes[class as usize].flows });
            }
        }
        survey
    }
}

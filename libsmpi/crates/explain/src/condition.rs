//! What of a failing execution is enough to fail.

use smpi_checker::Event;

use crate::decision::Explainer;
use crate::known::{Fault, Known, Row};
use crate::program::Program;
use crate::restricted::Rule;

/// Events of an execution among which all sets of three are looked at.
const MOST_FOR_THREE: usize = 60;

/// Some events of a failing execution, of which every execution that has them all fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    /// The events, in the order of the execution.
    pub events: Vec<Event>,
    /// Executions that have them; all fail.
    pub failing: u64,
    /// Executions that have not all of them, and fail.
    pub failing_otherwise: u64,
    /// Executions that have not all of them, and are right.
    pub right_otherwise: u64,
    /// All that have them are among these.
    pub is_forced: bool,
    /// All others are among these.
    pub is_exact: bool,
    /// No smaller set is enough.
    pub is_smallest: bool,
}

/// Conditions that are tried where not all executions are known.
const MOST_TRIED: u32 = 30;

impl<P: Program> Explainer<'_, P> {
    /// The smallest condition among the events of a failing execution. Where the known executions do not tell, those
    /// that it leaves are explored, and a right one among them is known when the next condition is looked for.
    pub fn condition(&mut self, fault: Fault, path: &[Event]) -> Option<Condition> {
        if self.program().merges() {
            return None;
        }
        for _ in 0..MOST_TRIED {
            let mut found = condition(&self.known, fault, path)?;
            if self.known.tells_all() {
                return Some(found);
            }
            let with = self.explore_under(Rule { forced: &found.events, forbidden: None }, Some(fault));
            if self.known.right(fault, &found.events).is_some() {
                self.known.complete = false;
                continue;
            }
            // Those without it are those without its first event, those with that one and without the second, …
            let mut is_exact = true;
            for at in 0..found.events.len() {
                let rule = Rule { forced: &found.events[..at], forbidden: Some(found.events[at]) };
                is_exact &= self.explore_under(rule, None);
            }
            let (failing, right) = self.known.counts(fault);
            found.failing = self.known.failing(fault, &found.events);
            (found.failing_otherwise, found.right_otherwise) = (failing - found.failing, right);
            (found.is_forced, found.is_exact) = (with, is_exact);
            return Some(found);
        }
        None
    }

    /// Explores what a rule leaves; whether that was all of it.
    fn explore_under(&mut self, rule: Rule<'_>, fault: Option<Fault>) -> bool {
        let seen = self.explore(&mut |program, most, show| program.under(rule, most, fault, show));
        seen.complete
    }
}

/// The smallest condition among the events of a failing execution, as far as executions are known; of several that
/// are equally small, the one that fewest others fail without. `None` where nothing is right, so that nothing is
/// needed, and where the known ones do not tell.
pub fn condition(known: &Known, fault: Fault, path: &[Event]) -> Option<Condition> {
    let right: Vec<&Row> = known.rows().iter().filter(|row| !row.fails(fault)).collect();
    let failing: Vec<&Row> = known.rows().iter().filter(|row| row.fails(fault)).collect();
    if right.is_empty() {
        return None;
    }
    // What all right executions have rules out none of them.
    let telling: Vec<Event> = path.iter().copied().filter(|event| !right.iter().all(|row| row.has(event))).collect();
    let best = [1, 2, 3].into_iter().find_map(|size| of_size(&right, &failing, &telling, size));
    let is_smallest = best.is_some();
    let events = best.or_else(|| greedy(&right, &telling))?;
    let with = known.failing(fault, &events);
    Some(Condition {
        failing: with,
        failing_otherwise: failing.len() as u64 - with,
        right_otherwise: right.len() as u64,
        events,
        is_forced: known.tells_all(),
        is_exact: known.tells_all(),
        is_smallest,
    })
}

/// The best set of this size.
fn of_size(right: &[&Row], failing: &[&Row], events: &[Event], size: usize) -> Option<Vec<Event>> {
    if size > events.len() || size == 3 && events.len() > MOST_FOR_THREE {
        return None;
    }
    let mut best: Option<(usize, Vec<Event>)> = None;
    let mut places: Vec<usize> = (0..size).collect();
    loop {
        let set: Vec<Event> = places.iter().map(|&place| events[place]).collect();
        if !right.iter().any(|row| row.includes(&set)) {
            let otherwise = failing.iter().filter(|row| !row.includes(&set)).count();
            if best.as_ref().is_none_or(|(least, _)| otherwise < *least) {
                best = Some((otherwise, set));
            }
        }
        // The next set in lexicographic order.
        let Some(place) = (0..size).rev().find(|&place| places[place] < events.len() - size + place) else { break };
        places[place] += 1;
        for later in place + 1..size {
            places[later] = places[later - 1] + 1;
        }
    }
    best.map(|(_, set)| set)
}

/// A set of which each event is needed: the events are left out one after the other, where the rest is enough.
fn greedy(right: &[&Row], events: &[Event]) -> Option<Vec<Event>> {
    let is_enough = |set: &[Event]| !right.iter().any(|row| row.includes(set));
    let mut set = events.to_vec();
    if !is_enough(&set) {
        return None;
    }
    for index in (0..set.len()).rev() {
        let event = set.remove(index);
        if !is_enough(&set) {
            set.insert(index, event);
        }
    }
    Some(set)
}

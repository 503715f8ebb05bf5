//! What of a failing execution is enough to fail.

use smpi_checker::Event;

use crate::known::{Fault, Known, Row};

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
    /// No smaller set is enough.
    pub is_smallest: bool,
}

/// The smallest condition among the events of a failing execution, as far as executions are known; of several that are
/// equally small, the one that fewest others fail without. `None` where nothing is right, so that nothing is needed,
/// and where the known ones do not tell.
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

//! What of a failing execution is enough to fail.

use smpi_checker::Event;

use crate::decision::Explainer;
use crate::hitting::smallest;
use crate::known::{Fault, Known, Row};
use crate::program::Program;
use crate::restricted::Rule;

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
    /// Of the right ones, those that show another error.
    pub erring_otherwise: u64,
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
            found.erring_otherwise = self.known.erring(fault);
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
    let right: Vec<&Row> = known.all_right(fault).collect();
    let failing: Vec<&Row> = known.rows().iter().filter(|row| row.fails(fault)).collect();
    if right.is_empty() {
        return None;
    }
    // What all right executions have rules out none of them.
    let telling: Vec<Event> = path.iter().copied().filter(|event| !right.iter().all(|row| row.has(event))).collect();
    let lacks = |row: &&Row| (0..telling.len()).filter(|&at| !row.has(&telling[at])).collect::<Vec<_>>();
    let best = smallest(&right.iter().map(lacks).collect::<Vec<_>>());
    let is_smallest = best.is_some();
    let events = match best {
        Some(best) => best
            .sets
            .into_iter()
            .map(|set| set.into_iter().map(|at| telling[at]).collect::<Vec<_>>())
            .min_by_key(|set| failing.iter().filter(|row| !row.includes(set)).count())?,
        None => greedy(&right, &telling)?,
    };
    let with = known.failing(fault, &events);
    Some(Condition {
        failing: with,
        failing_otherwise: failing.len() as u64 - with,
        right_otherwise: known.counts(fault).1,
        erring_otherwise: known.erring(fault),
        events,
        is_forced: known.tells_all(),
        is_exact: known.tells_all(),
        is_smallest,
    })
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

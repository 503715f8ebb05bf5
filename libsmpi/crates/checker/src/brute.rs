//! The reduction `none`: every step of every agent in every order. The oracle that all others are compared with.
//!
//! States with equal keys are explored once, if the system has keys: that leaves out repeated work, not states.

use smpi_base::map::Set;

use crate::choice::{Choices, Event};
use crate::configuration::Configuration;
use crate::interleaving::{Interleaving, Step};
use crate::system::{Settled, System};
use crate::verdict::Flow;

/// What brute force saw.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Brute {
    /// Everything was explored.
    pub complete: bool,
    /// States (with keys: different ones).
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Ends reached (with keys: different ones).
    pub executions: u64,
}

struct Frame<T> {
    snapshot: T,
    next: usize,
    start: usize,
}

/// Explores everything, up to `states` states, and shows each end to `end`, which may stop.
pub fn explore<S: Interleaving>(
    system: &mut S,
    states: u64,
    end: &mut dyn FnMut(&mut S, Settled, &[Step]) -> Flow,
) -> Brute {
    let mut result = Brute::default();
    let mut seen: Set<u128> = Set::default();
    let mut frames: Vec<Frame<S::Snapshot>> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut path: Vec<Step> = Vec::new();
    let mut enabled = Vec::new();
    system.reset();
    let mut arrived = true;
    loop {
        if arrived {
            arrived = false;
            let fresh = system.key().is_none_or(|key| seen.insert(key));
            if fresh {
                if result.states == states {
                    return result;
                }
                result.states += 1;
                enabled.clear();
                system.enabled(&mut enabled);
                if enabled.is_empty() {
                    result.executions += 1;
                    let settled = system.ended();
                    if end(system, settled, &path) == Flow::Stop {
                        return result;
                    }
                }
                frames.push(Frame { snapshot: system.snapshot(), next: steps.len(), start: steps.len() });
                steps.append(&mut enabled);
            } else {
                path.pop();
            }
        }
        let Some(frame) = frames.last_mut() else { break };
        if frame.next == steps.len() {
            steps.truncate(frame.start);
            frames.pop();
            path.pop();
            continue;
        }
        let step = steps[frame.next];
        frame.next += 1;
        system.restore(&frame.snapshot);
        system.step(step);
        path.push(step);
        result.transitions += 1;
        arrived = true;
    }
    result.complete = true;
    result
}

/// All orders of a system's choices. With `recognise`, sets of choices that were made before are not explored again.
pub struct AllOrders<'a, S> {
    /// The system.
    pub system: &'a mut S,
    recognise: bool,
    path: Vec<Event>,
    settled: Settled,
}

impl<'a, S: System> AllOrders<'a, S> {
    /// A system from its beginning.
    pub fn new(system: &'a mut S, recognise: bool) -> AllOrders<'a, S> {
        let mut orders = AllOrders { system, recognise, path: Vec::new(), settled: Settled::Finished };
        orders.reset();
        orders
    }

    fn settle(&mut self) {
        self.settled = self.system.settle();
        self.system.late(&mut Vec::new());
    }

    fn take(&mut self, event: Event) {
        self.path.push(event);
        self.system.take(event);
        self.settle();
    }

    /// The present choices, as events in the order of their alternatives.
    fn events(&mut self) -> Vec<Event> {
        if self.settled.is_end() {
            return Vec::new();
        }
        let mut choices = Choices::new();
        self.system.choices(&mut choices);
        let events = choices.iter().flat_map(|choice| {
            choices.candidates(choice).iter().map(|&candidate| Event { choice: choice.id, candidate })
        });
        events.collect()
    }
}

impl<S: System> Interleaving for AllOrders<'_, S> {
    type Snapshot = (Option<S::Snapshot>, Vec<Event>, Settled);

    fn reset(&mut self) {
        self.path.clear();
        self.system.reset();
        self.settle();
    }

    fn enabled(&mut self, out: &mut Vec<Step>) {
        let events = self.events().into_iter().zip(0..);
        out.extend(events.map(|(event, alternative)| Step { agent: event.choice.rank.0, alternative }));
    }

    fn step(&mut self, step: Step) {
        let event = self.events()[step.alternative as usize];
        self.take(event);
    }

    fn ended(&mut self) -> Settled {
        self.settled
    }

    fn key(&mut self) -> Option<u128> {
        let key = || self.path.iter().fold(Configuration::default(), |key, &event| key.with(event));
        self.recognise.then(|| key().0)
    }

    fn snapshot(&mut self) -> Self::Snapshot {
        (self.system.snapshot(), self.path.clone(), self.settled)
    }

    fn restore(&mut self, (snapshot, path, settled): &Self::Snapshot) {
        if let Some(snapshot) = snapshot {
            self.system.restore(snapshot);
            self.path.clone_from(path);
            self.settled = *settled;
        } else {
            self.reset();
            path.iter().for_each(|&event| self.take(event));
        }
    }
}

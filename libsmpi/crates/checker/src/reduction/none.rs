//! The reduction `none`: every step of every agent in every order. The oracle that all others are compared with.
//!
//! If the system has keys, states with equal keys are explored once. This omits repeated work, not states.

use smpi_base::map::Set;

use crate::choice::{Choices, Event};
use crate::configuration::Configuration;
use crate::interleaving::{Interleaving, Step};
use crate::reduction::Strategy;
use crate::reduction::tally::{Course, State, Tally};
use crate::system::{Settled, System};
use crate::verdict::{Flow, Limits, Observer, Verdict};

/// The reduction as a [`Strategy`]. [`crate::Stats::configurations`] counts states, each once if the system has keys.
pub struct All;

struct Frame<T> {
    snapshot: T,
    /// The next of its steps in the arena, and the first.
    next: usize,
    start: usize,
    /// Choices made on the way here.
    made: usize,
}

impl<S: Interleaving> Strategy<S> for All {
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        let mut seen: Set<u128> = Set::default();
        let mut frames: Vec<Frame<S::Snapshot>> = Vec::new();
        let mut steps: Vec<Step> = Vec::new();
        let mut walk = Walk::new(system, limits, observer);
        let mut arrived = true;
        loop {
            if arrived {
                arrived = false;
                let fresh = walk.system.key().is_none_or(|key| seen.insert(key));
                if fresh {
                    let start = steps.len();
                    let Some(mut enabled) = walk.visit(frames.len()) else { break };
                    steps.append(&mut enabled);
                    frames.push(Frame { snapshot: walk.system.snapshot(), next: start, start, made: walk.made.len() });
                } else {
                    walk.tally.verdict.stats.revisits += 1;
                }
            }
            let Some(frame) = frames.last_mut() else { break };
            if frame.next == steps.len() {
                steps.truncate(frame.start);
                frames.pop();
                continue;
            }
            let step = steps[frame.next];
            frame.next += 1;
            walk.system.restore(&frame.snapshot);
            walk.made.truncate(frame.made);
            walk.take(step);
            arrived = true;
        }
        walk.finish()
    }
}

/// What the depth-first explorations of steps have in common.
pub(super) struct Walk<'a, S> {
    pub system: &'a mut S,
    pub tally: Tally<'a, S>,
    /// The choices among the steps of the path.
    pub made: Vec<Event>,
}

impl<'a, S: Interleaving> Walk<'a, S> {
    /// A walk that starts at the system's beginning.
    pub fn new(system: &'a mut S, limits: &'a Limits, observer: &'a mut dyn Observer<S>) -> Walk<'a, S> {
        system.reset();
        Walk { system, tally: Tally::new(limits, observer), made: Vec::new() }
    }

    /// A state is met, `depth` steps from the beginning: its steps, none where an execution ends; `None` stops
    /// everything.
    pub fn visit(&mut self, depth: usize) -> Option<Vec<Step>> {
        let mut enabled = Vec::new();
        self.system.enabled(&mut enabled);
        let settled = match enabled.is_empty() {
            true => self.system.ended(),
            false if self.system.is_reluctant() => Settled::Reluctant,
            false => Settled::Choices,
        };
        let state = State { settled, failed: self.system.failed(), depth };
        let (flow, steps) = match self.tally.meet(state, &|_, _| None) {
            Course::Stop => (Flow::Stop, Vec::new()),
            Course::Void => (Flow::Continue, Vec::new()),
            Course::End { settled, failed } => (self.end(settled, failed), Vec::new()),
            Course::EndAndExplore => (self.end(settled, true), enabled),
            Course::Explore => (Flow::Continue, enabled),
        };
        (flow == Flow::Continue).then_some(steps)
    }

    /// An execution ends.
    fn end(&mut self, settled: Settled, failed: bool) -> Flow {
        self.tally.end(self.system, settled, failed, &self.made)
    }

    /// Takes a step.
    pub fn take(&mut self, step: Step) {
        let event = self.system.event(step);
        self.made.extend(event);
        self.system.step(step);
        self.tally.verdict.stats.transitions += 1;
    }

    pub fn finish(self) -> Verdict {
        let left_out = self.system.left_out();
        self.tally.finish(left_out)
    }
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
        choices.events().collect()
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
        out.extend(events.map(|(event, alternative)| Step { agent: event.choice.rank().0, alternative }));
    }

    fn step(&mut self, step: Step) {
        if let Some(event) = self.event(step) {
            self.take(event);
        }
    }

    fn event(&mut self, step: Step) -> Option<Event> {
        self.events().get(step.alternative as usize).copied()
    }

    fn failed(&self) -> bool {
        self.system.failed()
    }

    fn left_out(&self) -> bool {
        self.system.left_out()
    }

    fn ended(&mut self) -> Settled {
        self.settled
    }

    fn is_reluctant(&mut self) -> bool {
        self.settled == Settled::Reluctant
    }

    fn key(&mut self) -> Option<u128> {
        let mut marks = Vec::new();
        self.system.marks(&mut marks);
        self.recognise.then(|| Configuration::of(&self.path).with_marks(&marks).0)
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

//! A system that is moved from state to state, and what it has shown on the way.
//!
//! After each step, the cursor collects what the step shows about earlier choices, so that nothing is left for the next
//! step. It does so for repeated steps, too. Only this file moves a [`System`], except replays of tokens, which collect
//! nothing.

use serde::{Deserialize, Serialize};

use crate::below::{Arrival, Arriving, Causes};
use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::history::PassedOn;
use crate::reduction::expansion::Evidence;
use crate::system::{Prospect, Settled, System};

/// A system at rest in some state.
pub struct Cursor<'a, S> {
    /// The system.
    pub system: &'a mut S,
    /// What the last step has shown; [`Evidence::cut`] is never set.
    pub shown: Evidence,
    /// What came in the last step, or below the state that was recalled since then.
    pub arrived: Vec<Arrival>,
    marks: Vec<Event>,
    choices: Choices,
}

/// What a state is recognised by.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Name {
    /// What is compared.
    pub key: Configuration,
    /// The choices that led there, with the system's marks.
    pub configuration: Configuration,
    /// The key is the state's own, so that other choices may lead there, too.
    pub is_state: bool,
}

impl<'a, S: System> Cursor<'a, S> {
    /// The system in whatever state it is in.
    pub fn new(system: &'a mut S) -> Cursor<'a, S> {
        Cursor { system, shown: Evidence::default(), arrived: Vec::new(), marks: Vec::new(), choices: Choices::new() }
    }

    /// Starts again from the beginning.
    pub fn reset(&mut self) -> Settled {
        self.system.reset();
        self.settle()
    }

    /// Makes a choice.
    pub fn take(&mut self, event: Event) -> Settled {
        self.system.take(event);
        self.settle()
    }

    /// Starts again from the beginning, and makes these choices.
    pub fn replay(&mut self, path: &[Event]) -> Settled {
        let start = self.reset();
        path.iter().fold(start, |_, &event| self.take(event))
    }

    /// Goes back to the state of a snapshot.
    pub fn restore(&mut self, snapshot: &S::Snapshot) {
        self.system.restore(snapshot);
        self.listen();
    }

    /// The key of the present state; `base` is that of the choices that led to it.
    pub fn key(&mut self, base: Configuration) -> Configuration {
        self.marks.clear();
        self.system.marks(&mut self.marks);
        base.with_marks(&self.marks)
    }

    /// What the present state is recognised by; `base` is the key of the choices that led to it.
    pub fn name(&mut self, base: Configuration) -> Name {
        let configuration = self.key(base);
        let state = self.system.fingerprint();
        Name { key: state.unwrap_or(configuration), configuration, is_state: state.is_some() }
    }

    /// The choices of the present state.
    pub fn choices(&mut self) -> &Choices {
        self.choices.clear();
        self.system.choices(&mut self.choices);
        &self.choices
    }

    /// What can come of the choices that were asked for last.
    pub fn prospect(&self) -> Prospect {
        self.system.prospect(&self.choices)
    }

    fn settle(&mut self) -> Settled {
        let settled = self.system.settle();
        self.listen();
        settled
    }

    /// Collects what is shown by all that comes below the present state.
    pub fn recall<'b>(&mut self, below: impl Iterator<Item = (&'b Causes, impl Iterator<Item = Arriving>)>) {
        self.arrived.clear();
        let mut known = PassedOn::default();
        for (causes, mut arriving) in below {
            self.system.recall(&mut known, causes, &mut arriving, &mut self.arrived);
        }
        self.collect();
    }

    fn listen(&mut self) {
        self.arrived.clear();
        self.system.arrived(&mut self.arrived);
        self.collect();
    }

    fn collect(&mut self) {
        let Evidence { late, seen, .. } = &mut self.shown;
        late.clear();
        seen.clear();
        self.system.late(late);
        self.system.seen(seen);
        tidy(late);
        tidy(seen);
    }
}

/// Puts a list, which is mostly empty, in ascending order without repetition.
#[inline]
fn tidy(ids: &mut Vec<ChoiceId>) {
    if ids.len() > 1 {
        ids.sort_unstable();
        ids.dedup();
    }
}

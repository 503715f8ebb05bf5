//! What a program has given when it comes to a state that it has been in before.
//!
//! What ranks have printed belongs to no state: the same can happen whatever it was. So executions that have given
//! different things meet, and only the first of them is followed. But if from such a state an execution comes to its
//! end, two whole executions have given different things: both ways to the state, with the same choices behind them.
//! Conversely, let all executions that come to a state from which one can end have given the same. Then each whole
//! execution has, at each of its states, given what the first way there has, and so in the end.
//!
//! That holds for what is explored: whatever ranks give follows from what they did themselves, so it is the same in all
//! orders of independent choices, and each execution has such an order that is explored (the crate's documentation).
//! Whether executions end from a state is known when its component is complete (`endings`).

use serde::{Deserialize, Serialize};
use smpi_base::map::Map;

use crate::configuration::Configuration;
use crate::verdict::Ambiguous;

/// What was given on the first way to each state.
#[derive(Default)]
pub(super) struct Given {
    /// In the first state of all.
    first: Option<Option<u128>>,
    /// In states that were come to with something else.
    others: Map<Configuration, Option<u128>>,
    /// The keys of those that came since somebody kept them, where somebody does.
    new: Option<Vec<Configuration>>,
    /// The first state that is known to be ambiguous.
    pub ambiguous: Option<Box<Ambiguous>>,
}

/// What is new of it.
#[derive(Serialize, Deserialize)]
pub(super) struct NewGiven {
    first: Option<Option<u128>>,
    others: Vec<(Configuration, Option<u128>)>,
    ambiguous: Option<Box<Ambiguous>>,
}

impl Given {
    /// A state is come to for the first time.
    pub fn enter(&mut self, state: Configuration, given: Option<u128>) {
        if *self.first.get_or_insert(given) != given {
            self.others.insert(state, given);
            self.new.iter_mut().for_each(|new| new.push(state));
        }
    }

    /// Remembers from now on what is new.
    pub fn remember_news(&mut self) {
        self.new.get_or_insert_default();
    }

    /// What is new.
    pub fn news(&self) -> NewGiven {
        let new = self.new.iter().flatten();
        let others = new.filter_map(|&state| Some((state, *self.others.get(&state)?)));
        NewGiven { first: self.first, others: others.collect(), ambiguous: self.ambiguous.clone() }
    }

    /// Nothing is new any more.
    pub fn forget_news(&mut self) {
        self.new.iter_mut().for_each(Vec::clear);
    }

    /// Adds what was new elsewhere.
    pub fn add(&mut self, NewGiven { first, others, ambiguous }: NewGiven) {
        (self.first, self.ambiguous) = (first, ambiguous);
        self.others.extend(others);
    }

    /// Whether something else was given on the first way to a state.
    pub fn differs(&self, state: Configuration, given: Option<u128>) -> bool {
        let before = self.others.get(&state).copied().or(self.first).flatten();
        before.zip(given).is_some_and(|(before, given)| before != given)
    }

    /// Executions end from a state that was come to by this way, with something else.
    pub fn note(&mut self, found: Box<Ambiguous>) {
        self.ambiguous.get_or_insert(found);
    }
}

//! Büchi automata: what they accept, and their propositions' numbers.
//!
//! Acceptance is generalised and on transitions: an automaton has some sets, and a run is accepted if it takes
//! transitions of each set infinitely often. That is what formulas translate to most directly, and the search, which
//! looks for components and not for single cycles, needs nothing simpler: giving each set a copy of the automaton
//! (degeneralisation) would only multiply the states.

use crate::components::Edge;
use crate::condition::{Condition, MOST_PROPOSITIONS};
use std::fmt;

/// The number of an automaton's state.
pub type StateNumber = u32;

/// How many acceptance sets an automaton can have.
pub const MOST_SETS: usize = 60;

/// All sets of an automaton with `sets` of them, as bits.
pub(crate) fn all_sets(sets: usize) -> u64 {
    (1 << sets) - 1
}

/// An automaton that reads infinite sequences of states and accepts some of them.
///
/// A run begins in a state of `initial`. In each step it takes a transition whose condition holds in the system's
/// current state. The run is accepted if it takes transitions of each set for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// The propositions' names: proposition i is bit i of a valuation. At most
    /// [`MOST_PROPOSITIONS`].
    pub propositions: Vec<String>,
    /// The states.
    pub states: Vec<AutomatonState>,
    /// Where a run can begin.
    pub initial: Vec<StateNumber>,
    /// How many acceptance sets there are, at most [`MOST_SETS`]. With none, every infinite run is accepted.
    pub sets: usize,
}

/// A state of an automaton.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutomatonState {
    /// What the automaton's author called it.
    pub name: Option<String>,
    /// Its transitions, in order.
    pub transitions: Vec<Transition>,
}

/// A transition of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Where it can be taken.
    pub condition: Condition,
    /// The state after it.
    pub target: StateNumber,
    /// The acceptance sets that it is in: bit i for set i.
    pub sets: u64,
}

/// Propositions of an automaton that nobody defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownProposition {
    /// The first of them.
    pub name: String,
    /// What is defined.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownProposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = if self.known.is_empty() {
            "there are none".to_string()
        } else {
            format!("known: {}", self.known.join(", "))
        };
        write!(f, "no proposition is called `{}` ({known})", self.name)
    }
}

impl std::error::Error for UnknownProposition {}

impl Automaton {
    /// All acceptance sets as bits.
    pub(crate) fn all_sets(&self) -> u64 {
        all_sets(self.sets)
    }

    /// The same automaton over `names`: proposition i is called `names[i]`, whether the automaton asks for it or not.
    ///
    /// Errors: a proposition of the automaton is not in `names`. Panics if there are more than 64 names.
    pub fn over(&self, names: &[String]) -> Result<Automaton, UnknownProposition> {
        assert!(names.len() <= MOST_PROPOSITIONS, "a valuation has {MOST_PROPOSITIONS} bits");
        let number = |name: &String| {
            let unknown = || UnknownProposition { name: name.clone(), known: names.to_vec() };
            names.iter().position(|known| known == name).map(|n| n as u8).ok_or_else(unknown)
        };
        let numbers: Vec<u8> = self.propositions.iter().map(number).collect::<Result<_, _>>()?;
        let mut automaton = Automaton { propositions: names.to_vec(), ..self.clone() };
        for transition in automaton.states.iter_mut().flat_map(|state| &mut state.transitions) {
            transition.condition = transition.condition.renumbered(&numbers);
        }
        Ok(automaton)
    }
}

/// Which nodes can be reached from `roots`.
pub(crate) fn reachable(edges: &[Vec<Edge>], roots: &[u32]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut todo = roots.to_vec();
    while let Some(node) = todo.pop() {
        if !std::mem::replace(&mut reached[node as usize], true) {
            todo.extend(edges[node as usize].iter().map(|(target, _)| *target));
        }
    }
    reached
}

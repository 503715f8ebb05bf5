//! The product of a system and an automaton, as far as it is explored.
//!
//! A step of the product is a step of the system beside a transition of the automaton whose condition holds in the
//! state before it.

use crate::automaton::Automaton;
use crate::graph::Graph;
use crate::known::{Hop, Known};
use smpi_base::map::Map;

/// What a search saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// States of the system.
    pub states: usize,
    /// Steps between them; an execution that ends counts as one.
    pub steps: usize,
    /// States of the system of which only an ample part of the successors was explored.
    pub reduced: usize,
    /// States of the product of system and automaton.
    pub product_states: usize,
}

/// Acceptance sets: those of the automaton, and one for each rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) sets: u64,
    pub(crate) ranks: u128,
}

impl Marks {
    pub(crate) fn and(self, other: Marks) -> Marks {
        Marks { sets: self.sets | other.sets, ranks: self.ranks | other.ranks }
    }

    /// What is missing to these of `wanted`.
    pub(crate) fn missing(self, wanted: Marks) -> Marks {
        Marks { sets: wanted.sets & !self.sets, ranks: wanted.ranks & !self.ranks }
    }

    /// The sets one by one.
    pub(crate) fn single(self) -> impl Iterator<Item = Marks> {
        let sets = (0..u64::BITS).map(move |i| Marks { sets: self.sets & 1 << i, ranks: 0 });
        let ranks = (0..u128::BITS).map(move |i| Marks { sets: 0, ranks: self.ranks & 1 << i });
        sets.chain(ranks).filter(|set| !set.is_empty())
    }

    pub(crate) fn is_empty(self) -> bool {
        self == Marks::default()
    }
}

/// A state of the product: numbers of states of the system and of the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) system: u32,
    pub(crate) automaton: u32,
}

/// A step of the product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) target: Pair,
    pub(crate) marks: Marks,
    /// Which successor of the system's state it takes.
    pub(crate) successor: u32,
    /// The step of the system.
    pub(crate) hop: Hop,
}

/// The explored part of the product. A state's number says when it was found.
pub(crate) struct Product<'a, G: Graph> {
    pub(crate) violations: &'a Automaton,
    pub(crate) wanted: Marks,
    pub(crate) known: Known<G>,
    pub(crate) pairs: Vec<Pair>,
    numbers: Map<Pair, u32>,
    /// Whether a state's component is complete, and accepts nothing.
    closed: Vec<bool>,
}

impl<'a, G: Graph> Product<'a, G> {
    pub(crate) fn new(violations: &'a Automaton, wanted: Marks) -> Product<'a, G> {
        let (pairs, numbers, closed) = (Vec::new(), Map::default(), Vec::new());
        Product { violations, wanted, known: Known::new(), pairs, numbers, closed }
    }

    pub(crate) fn coverage(&self) -> Coverage {
        let (states, steps, reduced) = (self.known.len(), self.known.steps(), self.known.reduced());
        Coverage { states, steps, reduced, product_states: self.pairs.len() }
    }

    /// Adds a new state and returns its number.
    pub(crate) fn add(&mut self, pair: Pair) -> u32 {
        let number = self.pairs.len() as u32;
        self.pairs.push(pair);
        self.numbers.insert(pair, number);
        self.closed.push(false);
        number
    }

    /// From now on the state is one of a component that is complete.
    pub(crate) fn close(&mut self, number: u32) {
        self.closed[number as usize] = true;
    }

    pub(crate) fn number(&self, pair: Pair) -> Option<u32> {
        self.numbers.get(&pair).copied()
    }

    pub(crate) fn is_closed(&self, number: u32) -> bool {
        self.closed[number as usize]
    }

    /// The first step of `pair` at `place` or after it, and the place behind it. A place is a transition of the
    /// automaton and a successor of the system. `None`: there is no further step, or the state is not expanded.
    pub(crate) fn edge(&self, pair: Pair, mut place: (u32, u32)) -> Option<(Edge, (u32, u32))> {
        let hops = self.known.hops(pair.system);
        if hops.is_empty() {
            return None;
        }
        place = self.possible(pair, place)?;
        if place.1 as usize == hops.len() {
            place = self.possible(pair, (place.0 + 1, 0))?;
        }
        let transition = &self.violations.states[pair.automaton as usize].transitions[place.0 as usize];
        let hop = hops[place.1 as usize];
        let edge = Edge {
            target: Pair { system: hop.target, automaton: transition.target },
            marks: Marks { sets: transition.sets, ranks: self.known.fair_to(pair.system, hop) },
            successor: self.known.before(pair.system) + place.1,
            hop,
        };
        Some((edge, (place.0, place.1 + 1)))
    }

    /// The steps of a state whose ends are known, with these.
    pub(crate) fn steps(&self, number: u32) -> impl Iterator<Item = (Edge, u32)> {
        let pair = self.pairs[number as usize];
        let mut place = (0, 0);
        let edges = std::iter::from_fn(move || {
            let (edge, next) = self.edge(pair, place)?;
            place = next;
            Some(edge)
        });
        edges.filter_map(|edge| Some((edge, self.number(edge.target)?)))
    }

    /// The offers that stand in a state.
    pub(crate) fn offers(&self, number: u32) -> &[u32] {
        self.known.offers(self.pairs[number as usize].system)
    }

    /// The first place from `place` on whose transition can be taken.
    pub(crate) fn possible(&self, pair: Pair, place: (u32, u32)) -> Option<(u32, u32)> {
        if place.1 > 0 {
            // Behind a step with this transition.
            return Some(place);
        }
        let transitions = &self.violations.states[pair.automaton as usize].transitions;
        let valuation = self.known.valuation(pair.system);
        let later =
            (place.0..transitions.len() as u32).find(|t| transitions[*t as usize].condition.holds(valuation))?;
        Some((later, 0))
    }
}

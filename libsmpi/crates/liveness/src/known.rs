//! What a search knows of the system: each state once, with what holds in it and where it leads.
//!
//! A state is expanded at most once, however many states of the automaton meet it, because a step of a program costs
//! far more than a look into a table. What is kept for good is some 40 bytes per state and 12 per step.

use crate::graph::{Graph, Ranks, Successor};
use smpi_base::map::{Map, Set};

/// States of which an ample part is explored that are looked at, beside one more, for a cycle of such states.
const MOST_LOOKED_AT: usize = 1_000;

/// A step between known states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hop {
    pub(crate) target: u32,
    /// The ranks that moved, as their number in `sets`.
    moved: u32,
    /// The offers that were accepted, as their number in `lists`.
    accepted: u32,
}

#[derive(Default)]
struct State {
    valuation: u64,
    /// The ranks that can move, as their number in `sets`.
    enabled: u32,
    /// The offers that stand, as their number in `lists`.
    offers: u32,
    /// Where its steps begin in `hops`, and how many they are.
    first: usize,
    count: u32,
    /// Of its successors, how many come before these.
    before: u32,
    /// Whether only an ample part of its successors is explored.
    reduced: bool,
    /// Whether the execution ends here.
    ended: bool,
}

/// The known part of a system.
pub(crate) struct Known<G: Graph> {
    numbers: Map<u128, u32>,
    states: Vec<State>,
    /// States that were met and not expanded yet.
    waiting: Map<u32, G::State>,
    hops: Vec<Hop>,
    sets: Vec<Ranks>,
    set_numbers: Map<Ranks, u32>,
    /// Lists of offers, ascending.
    lists: Vec<Vec<u32>>,
    list_numbers: Map<Vec<u32>, u32>,
    found: Vec<Successor<G::State>>,
}

impl<G: Graph> Known<G> {
    pub(crate) fn new() -> Known<G> {
        Known {
            numbers: Map::default(),
            states: Vec::new(),
            waiting: Map::default(),
            hops: Vec::new(),
            sets: Vec::new(),
            set_numbers: Map::default(),
            lists: Vec::new(),
            list_numbers: Map::default(),
            found: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn steps(&self) -> usize {
        self.hops.len()
    }

    fn set(&mut self, ranks: Ranks) -> u32 {
        *self.set_numbers.entry(ranks).or_insert_with(|| {
            self.sets.push(ranks);
            self.sets.len() as u32 - 1
        })
    }

    fn list(&mut self, mut offers: Vec<u32>) -> u32 {
        offers.sort_unstable();
        offers.dedup();
        *self.list_numbers.entry(offers).or_insert_with_key(|offers| {
            self.lists.push(offers.clone());
            self.lists.len() as u32 - 1
        })
    }

    /// The number of a state, which may be new.
    pub(crate) fn add(&mut self, graph: &G, state: G::State) -> u32 {
        let number = self.states.len() as u32;
        let key = graph.key(&state);
        if let Some(known) = self.numbers.get(&key) {
            return *known;
        }
        self.numbers.insert(key, number);
        let (valuation, enabled) = (graph.valuation(&state), self.set(graph.enabled(&state)));
        let offers = self.list(graph.offers(&state));
        self.states.push(State { valuation, enabled, offers, ..State::default() });
        self.waiting.insert(number, state);
        number
    }

    /// Asks for the successors of a state, if that has not been done; for an ample part of them if that is enough. An
    /// execution that has ended goes on in the same state for ever, and no rank can move.
    pub(crate) fn expand(&mut self, graph: &mut G, number: u32) -> Result<(), G::Stop> {
        let Some(state) = self.waiting.remove(&number) else { return Ok(()) };
        graph.known(self.len(), self.steps());
        let first = self.hops.len();
        let mut next = 0;
        while let Some(before) = graph.ample(&state, next, &mut self.found)? {
            self.add_hops(graph);
            let count = (self.hops.len() - first) as u32;
            if !self.is_on_reduced_cycle(number, first) {
                let state = &mut self.states[number as usize];
                (state.first, state.count, state.before, state.reduced) = (first, count, before, true);
                return Ok(());
            }
            self.hops.truncate(first);
            next = before + count;
        }
        graph.successors(&state, &mut self.found)?;
        let ended = self.found.is_empty();
        if ended {
            let (none, no_offers) = (self.set(Ranks::NONE), self.list(Vec::new()));
            let state = &mut self.states[number as usize];
            (state.enabled, state.offers) = (none, no_offers);
            self.hops.push(Hop { target: number, moved: none, accepted: no_offers });
        }
        self.add_hops(graph);
        let count = (self.hops.len() - first) as u32;
        let state = &mut self.states[number as usize];
        (state.first, state.count, state.ended) = (first, count, ended);
        Ok(())
    }

    /// Adds a step for each successor that was found.
    fn add_hops(&mut self, graph: &G) {
        let mut found = std::mem::take(&mut self.found);
        for Successor { state, moved, accepted } in found.drain(..) {
            let hop = Hop { target: self.add(graph, state), moved: self.set(moved), accepted: self.list(accepted) };
            self.hops.push(hop);
        }
        self.found = found;
    }

    /// Whether the state, with the steps from `first` on as an ample part, would be on a cycle of states of which none
    /// is expanded fully; or might be, as far as is looked.
    fn is_on_reduced_cycle(&self, number: u32, first: usize) -> bool {
        let mut reached: Vec<u32> = self.hops[first..].iter().map(|hop| hop.target).collect();
        let mut seen: Set<u32> = Set::default();
        while let Some(target) = reached.pop() {
            if target == number || seen.len() == MOST_LOOKED_AT {
                return true;
            }
            let state = &self.states[target as usize];
            if state.reduced && seen.insert(target) {
                reached.extend(self.hops(target).iter().map(|hop| hop.target));
            }
        }
        false
    }

    pub(crate) fn valuation(&self, state: u32) -> u64 {
        self.states[state as usize].valuation
    }

    /// Whether the execution ends in this state, as far as is known.
    pub(crate) fn ended(&self, state: u32) -> bool {
        self.states[state as usize].ended
    }

    /// How many states have only an ample part of their successors.
    pub(crate) fn reduced(&self) -> usize {
        self.states.iter().filter(|state| state.reduced).count()
    }

    /// How many successors of a state come before those of [`Known::hops`].
    pub(crate) fn before(&self, state: u32) -> u32 {
        self.states[state as usize].before
    }

    /// The steps of a state; none if it has not been expanded.
    pub(crate) fn hops(&self, state: u32) -> &[Hop] {
        let state = &self.states[state as usize];
        &self.hops[state.first..state.first + state.count as usize]
    }

    pub(crate) fn moved(&self, hop: Hop) -> Ranks {
        self.sets[hop.moved as usize]
    }

    /// The offers that stand in a state.
    pub(crate) fn offers(&self, state: u32) -> &[u32] {
        &self.lists[self.states[state as usize].offers as usize]
    }

    /// The offers that are accepted in a step.
    pub(crate) fn accepted(&self, hop: Hop) -> &[u32] {
        &self.lists[hop.accepted as usize]
    }

    /// The ranks to which the step is fair: they move in it, or could not move before it.
    pub(crate) fn fair_to(&self, state: u32, hop: Hop) -> u128 {
        let enabled = self.sets[self.states[state as usize].enabled as usize];
        self.moved(hop).0 | !enabled.0
    }

    /// The keys of some states: by a look at all of them, because only counterexamples ask.
    pub(crate) fn keys(&self, wanted: impl Iterator<Item = u32>) -> Map<u32, u128> {
        let mut keys: Map<u32, u128> = wanted.map(|number| (number, 0)).collect();
        for (key, number) in &self.numbers {
            if let Some(found) = keys.get_mut(number) {
                *found = *key;
            }
        }
        keys
    }
}

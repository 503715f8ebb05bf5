//! Small random systems of ranks, and executions of them.

use crate::words::Word;
use smpi_base::rng::Rng;
use smpi_liveness::{Counterexample, Fairness, Graph, Ranks, Successor};

/// A system whose states are numbers; it begins in 0.
#[derive(Clone, Debug, Default)]
pub struct System {
    pub ranks: usize,
    pub states: Vec<State>,
}

#[derive(Clone, Debug, Default)]
pub struct State {
    pub valuation: u64,
    pub enabled: Ranks,
    pub successors: Vec<(usize, Ranks)>,
    /// The offers that stand.
    pub offers: Vec<u32>,
    /// The offers that each successor accepts; none of those that are missing.
    pub accepted: Vec<Vec<u32>>,
}

impl State {
    pub fn accepts(&self, successor: usize) -> &[u32] {
        self.accepted.get(successor).map_or(&[], |accepted| accepted)
    }
}

/// Offers of a random system.
pub const OFFERS: u32 = 3;

/// Keys need not be numbers from zero.
pub fn key(state: usize) -> u128 {
    (state as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
}

impl Graph for System {
    type State = usize;
    type Stop = std::convert::Infallible;

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn initial(&mut self) -> Result<usize, Self::Stop> {
        Ok(0)
    }

    fn key(&self, state: &usize) -> u128 {
        key(*state)
    }

    fn valuation(&self, state: &usize) -> u64 {
        self.states[*state].valuation
    }

    fn enabled(&self, state: &usize) -> Ranks {
        self.states[*state].enabled
    }

    fn successors(&mut self, state: &usize, found: &mut Vec<Successor<usize>>) -> Result<(), Self::Stop> {
        let here = &self.states[*state];
        found.extend(here.successors.iter().enumerate().map(|(place, (state, moved))| Successor {
            state: *state,
            moved: *moved,
            accepted: here.accepts(place).to_vec(),
        }));
        Ok(())
    }

    fn offers(&self, state: &usize) -> Vec<u32> {
        self.states[*state].offers.clone()
    }
}

/// A step of an execution: the state before it, and which successor is taken. `None`: the execution has ended.
pub type Taken = (usize, Option<usize>);

impl System {
    /// A random system with 1 to `most` states, 1 to 3 ranks and `names` propositions. Some states have no successors,
    /// some have steps to themselves, some steps are of several ranks, and some states promise ranks that never move.
    /// In every third system all ranks can always move, so that fairness asks for a step of each.
    pub fn random(rng: &mut Rng, most: usize, names: usize) -> System {
        let (count, ranks) = (1 + rng.below(most), 1 + rng.below(3));
        let all_enabled = rng.below(3) == 0;
        let states = (0..count)
            .map(|state| {
                let successor = |rng: &mut Rng| {
                    let mut moved: Ranks = [rng.below(ranks)].into_iter().collect();
                    if rng.below(5) == 0 {
                        moved.insert(rng.below(ranks));
                    }
                    let target = if rng.below(8) == 0 { state } else { rng.below(count) };
                    (target, moved)
                };
                let successors: Vec<(usize, Ranks)> = (0..rng.below(4)).map(|_| successor(rng)).collect();
                let mut enabled: Ranks = successors.iter().flat_map(|(_, moved)| moved.iter()).collect();
                if all_enabled {
                    enabled = Ranks::first(ranks);
                } else if rng.below(6) == 0 {
                    enabled.insert(rng.below(ranks));
                }
                State { valuation: rng.below(1 << names) as u64, enabled, successors, ..State::default() }
            })
            .collect();
        System { ranks, states }
    }

    /// The same system with up to [`OFFERS`] random offers: each stands in some states, and some steps accept it.
    pub fn with_offers(mut self, rng: &mut Rng) -> System {
        let some = |rng: &mut Rng, share: usize| (0..OFFERS).filter(|_| rng.below(share) == 0).collect::<Vec<u32>>();
        for state in &mut self.states {
            // An end offers nothing.
            if !state.successors.is_empty() {
                state.offers = some(rng, 3);
            }
            state.accepted = state.successors.iter().map(|_| some(rng, 5)).collect();
        }
        self
    }

    /// The possible steps of a state.
    pub fn steps(&self, state: usize) -> Vec<Option<usize>> {
        match self.states[state].successors.len() {
            0 => vec![None],
            count => (0..count).map(Some).collect(),
        }
    }

    pub fn after(&self, (state, successor): Taken) -> usize {
        successor.map_or(state, |s| self.states[state].successors[s].0)
    }

    /// Whether an execution that goes round this cycle for ever counts.
    pub fn is_fair(&self, cycle: &[Taken], fairness: Fairness) -> bool {
        let is_accepted = |offer: &u32| {
            cycle
                .iter()
                .any(|(state, successor)| successor.is_some_and(|s| self.states[*state].accepts(s).contains(offer)))
        };
        let accepts_all = || cycle.iter().flat_map(|(state, _)| &self.states[*state].offers).all(is_accepted);
        self.is_fair_to_ranks(cycle, fairness) && (fairness != Fairness::Offers || accepts_all())
    }

    fn is_fair_to_ranks(&self, cycle: &[Taken], fairness: Fairness) -> bool {
        fairness == Fairness::None
            || (0..self.ranks).all(|rank| {
                cycle.iter().any(|(state, successor)| match successor {
                    None => true,
                    Some(s) => {
                        let state = &self.states[*state];
                        !state.enabled.contains(rank) || state.successors[*s].1.contains(rank)
                    }
                })
            })
    }

    pub fn word(&self, prefix: &[Taken], cycle: &[Taken]) -> Word {
        let letters = |steps: &[Taken]| -> Vec<u64> { steps.iter().map(|(s, _)| self.states[*s].valuation).collect() };
        Word::new(&letters(prefix), &letters(cycle))
    }

    /// A random execution that ends in a cycle, or none if the walk was too long.
    pub fn random_lasso(&self, rng: &mut Rng) -> Option<(Vec<Taken>, Vec<Taken>)> {
        let mut path: Vec<Taken> = Vec::new();
        let mut at = 0;
        // Not the first state that is met again is taken, so that cycles meet states more than once.
        let least = rng.below(12);
        for _ in 0..30 {
            let again: Vec<usize> = (0..path.len()).filter(|i| path[*i].0 == at).collect();
            if path.len() >= least && !again.is_empty() {
                let back = again[rng.below(again.len())];
                let cycle = path.split_off(back);
                return Some((path, cycle));
            }
            let steps = self.steps(at);
            path.push((at, steps[rng.below(steps.len())]));
            at = self.after(path[path.len() - 1]);
        }
        None
    }

    /// All executions of at most `longest` steps that end in a cycle.
    pub fn all_lassos(&self, longest: usize, mut see: impl FnMut(&[Taken], &[Taken])) {
        let mut todo: Vec<Vec<Taken>> = vec![Vec::new()];
        while let Some(path) = todo.pop() {
            let at = path.last().map_or(0, |last| self.after(*last));
            for back in (0..path.len()).filter(|i| path[*i].0 == at) {
                see(&path[..back], &path[back..]);
            }
            if path.len() < longest {
                todo.extend(self.steps(at).into_iter().map(|step| {
                    let mut longer = path.clone();
                    longer.push((at, step));
                    longer
                }));
            }
        }
    }

    /// The steps of a counterexample, after a look at whether they are an execution of this system that counts.
    pub fn retrace(&self, found: &Counterexample, fairness: Fairness) -> Result<(Vec<Taken>, Vec<Taken>), String> {
        let mut at = 0;
        let mut taken = Vec::new();
        let mut first_of_cycle = None;
        for (i, step) in found.prefix.iter().chain(&found.cycle).enumerate() {
            if i == found.prefix.len() {
                first_of_cycle = Some(at);
            }
            let state = &self.states[at];
            let moved = step.successor.map_or(Ranks::NONE, |s| state.successors[s].1);
            let ended = state.successors.is_empty();
            if step.key != key(at) || step.valuation != state.valuation || step.moved != moved {
                return Err(format!("step {i} is not one of state {at}: {step:?}"));
            }
            if step.successor.is_none() != ended {
                return Err(format!("step {i} from {at}: {step:?}, but ended is {ended}"));
            }
            taken.push((at, step.successor));
            at = self.after((at, step.successor));
        }
        if first_of_cycle != Some(at) {
            return Err(format!("the cycle begins in {first_of_cycle:?} and ends in {at}"));
        }
        let cycle = taken.split_off(found.prefix.len());
        if !self.is_fair(&cycle, fairness) {
            return Err("the cycle is not fair".to_string());
        }
        Ok((taken, cycle))
    }
}

//! Random systems of ranks that wait for each other, with and without ample sets: the search with them against a
//! decision about the whole system.
//!
//! A rank does something by itself, in one of several ways, or sends to a rank and waits for it, or receives from any
//! rank, or from one. Whose message is taken is a choice of the receiver.

use crate::naive;
use crate::oracle::cases;
use crate::systems::{self, System};
use crate::words::{NAMES, random_formula};
use smpi_base::rng::Rng;
use smpi_liveness::{
    Automaton, Coverage, Fairness, Formula, Graph, Limits, Outcome, Ranks, Successor, Unary, check,
    is_stutter_invariant,
};

/// States of the systems that are decided.
const STATES: std::ops::RangeInclusive<usize> = 6..=200;

/// What a rank does at a place of its program, and where it is then.
#[derive(Clone, Debug)]
enum Place {
    /// One of these, with the propositions of the rank that change.
    Own(Vec<(usize, u64)>),
    Send {
        to: usize,
        then: usize,
    },
    Receive {
        from: Option<usize>,
        then: Vec<usize>,
    },
    End,
}

#[derive(Clone, PartialEq, Debug)]
struct Here {
    places: Vec<usize>,
    valuation: u64,
}

type Programs = Vec<Vec<Place>>;

fn random_programs(rng: &mut Rng, ranks: usize) -> Programs {
    let place = |rng: &mut Rng, rank: usize, count: usize| match rng.below(11) {
        0..5 => {
            let shown = |rng: &mut Rng| if rng.below(3) == 0 { 1 << rank } else { 0 };
            Place::Own((0..1 + rng.below(2)).map(|_| (rng.below(count), shown(rng))).collect())
        }
        5..8 => Place::Send { to: (rank + 1 + rng.below(ranks - 1)) % ranks, then: rng.below(count) },
        8..10 => {
            let from = (rng.below(3) == 0).then(|| (rank + 1 + rng.below(ranks - 1)) % ranks);
            Place::Receive { from, then: (0..ranks).map(|_| rng.below(count)).collect() }
        }
        _ => Place::End,
    };
    let program = |rank: usize, rng: &mut Rng| {
        let count = 2 + rng.below(4);
        (0..count).map(|_| place(rng, rank, count)).collect()
    };
    (0..ranks).map(|rank| program(rank, rng)).collect()
}

/// The steps of each rank: states after them.
fn steps(programs: &Programs, here: &Here) -> Vec<Vec<Here>> {
    let at = |rank: usize| &programs[rank][here.places[rank]];
    let after = |changes: &[(usize, usize)], shown: u64| {
        let mut after = Here { places: here.places.clone(), valuation: here.valuation ^ shown };
        changes.iter().for_each(|(rank, place)| after.places[*rank] = *place);
        after
    };
    let of = |rank: usize| match at(rank) {
        Place::Own(ways) => ways.iter().map(|&(then, shown)| after(&[(rank, then)], shown)).collect(),
        Place::Receive { from, then } => (0..programs.len())
            .filter_map(|sender| match at(sender) {
                Place::Send { to, then: next } if *to == rank && from.is_none_or(|from| from == sender) => {
                    Some(after(&[(rank, then[sender]), (sender, *next)], 0))
                }
                _ => None,
            })
            .collect(),
        Place::Send { .. } | Place::End => Vec::new(),
    };
    (0..programs.len()).map(of).collect()
}

/// The ranks all of whose steps may be explored alone.
fn alone(programs: &Programs, here: &Here, steps: &[Vec<Here>]) -> Vec<usize> {
    let is_invisible = |rank: &usize| steps[*rank].iter().all(|after| after.valuation == here.valuation);
    let is_certain = |rank: &usize| match &programs[*rank][here.places[*rank]] {
        Place::Own(_) => true,
        Place::Receive { from, .. } => (0..programs.len()).all(|sender| {
            let waits = matches!(programs[sender][here.places[sender]], Place::Send { to, .. } if to == *rank);
            let ended = matches!(programs[sender][here.places[sender]], Place::End);
            sender == *rank || waits || ended || from.is_some_and(|from| from != sender)
        }),
        _ => false,
    };
    (0..programs.len()).filter(|rank| !steps[*rank].is_empty() && is_certain(rank) && is_invisible(rank)).collect()
}

/// A system, and for each state the parts of its successors that may be explored alone: how many come before, how many
/// they are.
struct Reduced {
    system: System,
    parts: Vec<Vec<(usize, usize)>>,
}

impl Reduced {
    /// `None` if it is too small, or too large.
    fn random(rng: &mut Rng) -> Option<Reduced> {
        let ranks = 2 + rng.below(2);
        let programs = random_programs(rng, ranks);
        let mut states = vec![Here { places: vec![0; ranks], valuation: 0 }];
        let mut reduced = Reduced { system: System { ranks, states: Vec::new() }, parts: Vec::new() };
        while reduced.parts.len() < states.len() {
            let here = states[reduced.parts.len()].clone();
            let steps = steps(&programs, &here);
            let alone = alone(&programs, &here, &steps);
            let (mut successors, mut parts) = (Vec::new(), Vec::new());
            for (rank, steps) in steps.iter().enumerate() {
                if alone.contains(&rank) && alone.len() + steps.len() > 1 {
                    parts.push((successors.len(), steps.len()));
                }
                for after in steps {
                    let number = states.iter().position(|state| state == after).unwrap_or(states.len());
                    if number == states.len() {
                        states.push(after.clone());
                    }
                    successors.push((number, [rank].into_iter().collect::<Ranks>()));
                }
            }
            let enabled = (0..ranks).filter(|rank| !steps[*rank].is_empty()).collect();
            let valuation = here.valuation;
            reduced.system.states.push(systems::State { valuation, enabled, successors, ..Default::default() });
            reduced.parts.push(parts);
            if states.len() > *STATES.end() {
                return None;
            }
        }
        STATES.contains(&states.len()).then_some(reduced)
    }
}

impl Graph for Reduced {
    type State = usize;
    type Stop = std::convert::Infallible;

    fn ranks(&self) -> usize {
        self.system.ranks()
    }

    fn initial(&mut self) -> Result<usize, Self::Stop> {
        self.system.initial()
    }

    fn key(&self, state: &usize) -> u128 {
        self.system.key(state)
    }

    fn valuation(&self, state: &usize) -> u64 {
        self.system.valuation(state)
    }

    fn enabled(&self, state: &usize) -> Ranks {
        self.system.enabled(state)
    }

    fn successors(&mut self, state: &usize, found: &mut Vec<Successor<usize>>) -> Result<(), Self::Stop> {
        self.system.successors(state, found)
    }

    fn ample(
        &mut self,
        state: &usize,
        first: u32,
        found: &mut Vec<Successor<usize>>,
    ) -> Result<Option<u32>, Self::Stop> {
        let Some(&(before, count)) = self.parts[*state].iter().find(|part| part.0 >= first as usize) else {
            return Ok(None);
        };
        let mut all = Vec::new();
        self.system.successors(state, &mut all)?;
        found.extend(all.drain(before..before + count));
        Ok(Some(before as u32))
    }
}

/// Whether the formula is violated, after a comparison with the whole system.
fn compare(reduced: &mut Reduced, formula: &Formula, fairness: Fairness) -> (bool, Coverage) {
    let opposite = formula.clone().under(Unary::Not);
    let violations = Automaton::of(&opposite).unwrap().over(&NAMES.map(String::from)).unwrap();
    let (outcome, coverage) = check(reduced, &violations, fairness, Limits::default());
    let context = || format!("{formula}\n{fairness:?}\n{:#?}\n{:?}", reduced.system, reduced.parts);
    let found = match outcome {
        Outcome::Holds => None,
        Outcome::Violated(found) => Some(found),
        other => panic!("{other:?}"),
    };
    assert_eq!(found.is_some(), naive::is_possible(&reduced.system, &opposite, fairness), "{}", context());
    if let Some(found) = &found {
        let retraced = reduced.system.retrace(found, fairness);
        let (prefix, cycle) = retraced.unwrap_or_else(|error| panic!("{error}\n{}", context()));
        assert!(!reduced.system.word(&prefix, &cycle).fulfils(formula, &NAMES), "{found:?}\n{}", context());
    }
    (found.is_some(), coverage)
}

#[test]
fn ample_sets_change_no_verdict() {
    let mut rng = Rng::new(77);
    let (mut decided, mut violated, mut differ, mut reduced_in) = (0, 0, 0, 0);
    let (mut explored, mut all) = (0, 0);
    while decided < cases(2_000) {
        let size = 1 + rng.below(8);
        let formula = random_formula(&mut rng, size, 3);
        if naive::temporal_parts(&formula) > naive::MOST_TEMPORAL - 3 || !is_stutter_invariant(&formula) {
            continue;
        }
        let Some(mut reduced) = Reduced::random(&mut rng) else { continue };
        let (weak, coverage) = compare(&mut reduced, &formula, Fairness::Weak);
        let (every, _) = compare(&mut reduced, &formula, Fairness::None);
        assert!(every || !weak);
        if !weak && coverage.states > 1 {
            (explored, all) = (explored + coverage.states, all + reduced.system.states.len());
        }
        violated += usize::from(weak);
        differ += usize::from(weak != every);
        reduced_in += usize::from(coverage.reduced > 0);
        decided += 1;
    }
    println!(
        "{decided} cases, {violated} violated, fairness decides {differ}, reduced {reduced_in}; {explored} of {all}"
    );
    assert!(violated * 10 > decided && violated * 10 < decided * 9, "{violated} of {decided} are violated");
    assert!(differ * 100 > decided && reduced_in * 2 > decided, "{differ}, {reduced_in} of {decided}");
}

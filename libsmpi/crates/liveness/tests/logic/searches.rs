//! Single systems: what fairness decides, how executions end, how large systems may be, how short counterexamples are.

use crate::systems::{State, System, key};
use smpi_liveness::{
    Automaton, Counterexample, Coverage, Fairness, Formula, Graph, Limits, MOST_RANKS, Outcome, Ranks, Successor,
    Unary, check,
};

/// The automaton of the violations, for the propositions p, q, r.
fn violations(formula: &str) -> Automaton {
    let negated = Formula::parse(formula).unwrap().under(Unary::Not);
    Automaton::of(&negated).unwrap().over(&["p", "q", "r"].map(String::from)).unwrap()
}

fn ranks(list: &[usize]) -> Ranks {
    list.iter().copied().collect()
}

/// States with the propositions that hold and (target, rank that moves) for each step.
fn system(count: usize, states: &[(u64, &[(usize, usize)])]) -> System {
    let state = |(valuation, steps): &(u64, &[(usize, usize)])| State {
        valuation: *valuation,
        enabled: steps.iter().map(|(_, rank)| *rank).collect(),
        successors: steps.iter().map(|(target, rank)| (*target, ranks(&[*rank]))).collect(),
        ..State::default()
    };
    System { ranks: count, states: states.iter().map(state).collect() }
}

fn search(system: &System, formula: &str, fairness: Fairness) -> Option<Counterexample> {
    match check(&mut system.clone(), &violations(formula), fairness, Limits::default()).0 {
        Outcome::Holds => None,
        Outcome::Violated(found) => {
            system.retrace(&found, fairness).unwrap();
            Some(found)
        }
        other => panic!("{other:?}"),
    }
}

const P: u64 = 1;
const Q: u64 = 2;

#[test]
fn a_rank_that_can_always_move_moves() {
    // Rank 0 polls for ever; rank 1 sets p when it is let.
    let polling = system(2, &[(0, &[(0, 0), (1, 1)]), (P, &[(1, 0)])]);
    assert_eq!(search(&polling, "F p", Fairness::Weak), None);
    let found = search(&polling, "F p", Fairness::None).unwrap();
    assert_eq!((found.prefix.len(), found.cycle.len()), (0, 1));
    assert_eq!((found.cycle[0].successor, found.cycle[0].moved), (Some(0), ranks(&[0])));
    // Now rank 1 can move only every other time: weak fairness does not help it.
    let now_and_then = system(2, &[(0, &[(1, 0), (2, 1)]), (0, &[(0, 0)]), (P, &[(2, 0)])]);
    let found = search(&now_and_then, "F p", Fairness::Weak).unwrap();
    assert_eq!((found.prefix.len(), found.cycle.len()), (0, 2));
}

#[test]
fn all_ranks_move_in_a_fair_cycle() {
    // Three ranks that spin: the shortest fair cycle has a step of each.
    let spinning = system(3, &[(P, &[(0, 0), (0, 1), (0, 2)])]);
    let found = search(&spinning, "F !p", Fairness::Weak).unwrap();
    let moved: Vec<Ranks> = found.cycle.iter().map(|step| step.moved).collect();
    assert_eq!(moved, [ranks(&[0]), ranks(&[1]), ranks(&[2])]);
    assert_eq!(search(&spinning, "F !p", Fairness::None).unwrap().cycle.len(), 1);
}

#[test]
fn an_execution_that_ends_repeats_its_last_state() {
    // Ends without p: by a deadlock or because the program is over, which is the same here.
    let ends = system(1, &[(Q, &[(1, 0)]), (0, &[])]);
    let found = search(&ends, "G (q -> F p)", Fairness::Weak).unwrap();
    assert_eq!((found.prefix.len(), found.cycle.len()), (1, 1));
    let last = found.cycle[0];
    assert_eq!((last.key, last.valuation, last.successor, last.moved), (key(1), 0, None, Ranks::NONE));
    assert_eq!(search(&ends, "F G !q", Fairness::Weak), None);
    // X sees the repeated state, too.
    assert_eq!(search(&ends, "X X X !q", Fairness::Weak), None);
}

#[test]
fn a_rank_may_promise_to_move_and_never_do() {
    // Rank 1 is said to be able to move, and the graph has no step of it: no execution is fair to it.
    let mut broken = system(2, &[(0, &[(0, 0)])]);
    broken.states[0].enabled = ranks(&[0, 1]);
    assert_eq!(search(&broken, "F p", Fairness::Weak), None);
    assert!(search(&broken, "F p", Fairness::None).is_some());
}

#[test]
fn mutual_exclusion_that_forgets_a_client() {
    // Two clients ask (p: client 1 has asked, q: it has been served); the coordinator serves only client 0 again and
    // again. States: who has asked, as bits.
    let forgetful = system(3, &[(0, &[(1, 1), (2, 2)]), (0, &[(0, 0), (3, 2)]), (P, &[(3, 1)]), (P, &[(2, 0)])]);
    let found = search(&forgetful, "G (p -> F q)", Fairness::Weak).unwrap();
    let states: Vec<u128> = found.prefix.iter().chain(&found.cycle).map(|step| step.key).collect();
    assert_eq!(states, [key(0), key(2), key(3)]);
    assert_eq!(found.prefix.len(), 1);
}

#[test]
fn a_trivial_formula_asks_for_nothing() {
    let any = system(1, &[(0, &[(0, 0)])]);
    let (outcome, coverage) = check(&mut any.clone(), &violations("p | !p"), Fairness::Weak, Limits::default());
    assert!(matches!(outcome, Outcome::Holds));
    assert_eq!(coverage, Coverage { states: 1, ..Coverage::default() });
    assert!(search(&any, "false", Fairness::Weak).is_some());
}

/// A chain of states with a cycle at the end, made while it is explored.
struct Chain {
    length: u64,
    /// The state at which the system says no more.
    last: u64,
    asked: u64,
}

impl Graph for Chain {
    type State = u64;
    type Stop = u64;

    fn ranks(&self) -> usize {
        1
    }

    fn initial(&mut self) -> Result<u64, u64> {
        Ok(0)
    }

    fn key(&self, state: &u64) -> u128 {
        u128::from(*state)
    }

    fn valuation(&self, state: &u64) -> u64 {
        u64::from(*state + 1 == self.length)
    }

    fn enabled(&self, _: &u64) -> Ranks {
        ranks(&[0])
    }

    fn successors(&mut self, state: &u64, found: &mut Vec<Successor<u64>>) -> Result<(), u64> {
        self.asked += 1;
        if *state == self.last {
            return Err(*state);
        }
        // A loop over the last ten states, and steps back to confuse the search.
        let next = if *state + 1 == self.length { self.length - 10 } else { state + 1 };
        for state in [state.saturating_sub(1), next] {
            found.push(Successor { state, moved: ranks(&[0]), accepted: Vec::new() });
        }
        Ok(())
    }
}

#[test]
fn deep_systems_need_no_deep_stack() {
    let length = 200_000;
    let mut chain = Chain { length, last: u64::MAX, asked: 0 };
    // There is a cycle of the first two states, so the first formula is violated at once.
    let (outcome, coverage) = check(&mut chain, &violations("F p"), Fairness::Weak, Limits::default());
    let Outcome::Violated(found) = outcome else { panic!("{outcome:?}") };
    assert_eq!((found.prefix.len(), found.cycle.len(), coverage.states), (0, 1, 2));
    // This one is not: p is followed by its absence.
    let (outcome, coverage) = check(&mut chain, &violations("G (p -> F !p)"), Fairness::Weak, Limits::default());
    assert!(matches!(outcome, Outcome::Holds));
    assert_eq!((coverage.states, coverage.steps), (length as usize, 2 * length as usize));
    assert!(chain.asked <= length + 2, "each state is asked once: {}", chain.asked);
    // The cycle through the last states is found, and the shortest way to it.
    let (outcome, _) = check(&mut chain, &violations("!G F p"), Fairness::Weak, Limits::default());
    let Outcome::Violated(found) = outcome else { panic!("{outcome:?}") };
    assert_eq!(found.prefix.len() + found.cycle.len(), length as usize, "{}", found.cycle.len());
    assert_eq!(found.cycle.len(), 2);
}

#[test]
fn searches_end_at_limits_and_when_the_system_says_so() {
    let limits = Limits { states: 1_000, ..Limits::default() };
    let mut chain = Chain { length: 1_000_000, last: 100_000, asked: 0 };
    let (outcome, coverage) = check(&mut chain, &violations("G !p"), Fairness::Weak, limits);
    assert!(matches!(outcome, Outcome::Limit));
    assert!(coverage.states > 1_000 && coverage.states < 1_010, "{coverage:?}");
    let limits = Limits { product_states: 1_000, ..Limits::default() };
    let (outcome, coverage) = check(&mut chain, &violations("G !p"), Fairness::Weak, limits);
    assert!(matches!(outcome, Outcome::Limit) && coverage.product_states == 1_001, "{coverage:?}");
    let (outcome, _) = check(&mut chain, &violations("G !p"), Fairness::Weak, Limits::default());
    assert!(matches!(outcome, Outcome::Stopped(100_000)));
}

#[test]
fn as_many_ranks_as_there_are_bits() {
    let steps: Vec<(usize, usize)> = (0..MOST_RANKS).map(|rank| (0, rank)).collect();
    let spinning = system(MOST_RANKS, &[(0, &steps)]);
    let found = search(&spinning, "F p", Fairness::Weak).unwrap();
    assert_eq!(found.cycle.len(), MOST_RANKS);
    assert_eq!(Ranks::first(MOST_RANKS).iter().count(), MOST_RANKS);
    assert_eq!(format!("{:?}", ranks(&[3, 127])), "{3, 127}");
}

#[test]
#[should_panic(expected = "129 ranks, but a set has room for 128")]
fn more_ranks_are_refused() {
    let many = system(MOST_RANKS + 1, &[(0, &[])]);
    search(&many, "F p", Fairness::Weak);
}

#[test]
fn unknown_propositions_are_refused() {
    let automaton = Automaton::of(&Formula::parse("p U done").unwrap()).unwrap();
    let error = automaton.over(&["p", "q"].map(String::from)).unwrap_err();
    assert_eq!(error.to_string(), "no proposition is called `done` (known: p, q)");
    assert_eq!(automaton.over(&[]).unwrap_err().to_string(), "no proposition is called `p` (there are none)");
}

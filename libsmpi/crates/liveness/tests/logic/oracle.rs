//! Random formulas on random systems: the search against a decision made in another way, and against what formulas
//! mean.
//!
//! `SMPI_LIVENESS_CASES` is how many random cases are tried.

use crate::naive;
use crate::systems::System;
use crate::words::{NAMES, Word, random_fairness, random_formula, random_word};
use smpi_base::rng::Rng;
use smpi_liveness::{Automaton, Counterexample, Fairness, Formula, Limits, Outcome, Unary, check};

pub fn cases(default: usize) -> usize {
    std::env::var("SMPI_LIVENESS_CASES").map_or(default, |text| text.parse().expect("a number of cases"))
}

/// A counterexample of `system` to `formula`.
fn search(system: &System, formula: &Formula, fairness: Fairness) -> Option<Counterexample> {
    let names = NAMES.map(String::from);
    let violations = Automaton::of(&formula.clone().under(Unary::Not)).unwrap().over(&names).unwrap();
    match check(&mut system.clone(), &violations, fairness, Limits::default()).0 {
        Outcome::Holds => None,
        Outcome::Violated(found) => Some(found),
        other => panic!("{other:?}"),
    }
}

/// Compares everything that can be compared for one case; returns whether the formula is violated.
fn compare(rng: &mut Rng, system: &System, formula: &Formula, fairness: Fairness, samples: usize) -> bool {
    let context = || format!("{formula}\n{fairness:?}\n{system:#?}");
    let found = search(system, formula, fairness);
    let expected = naive::is_possible(system, &formula.clone().under(Unary::Not), fairness);
    assert_eq!(found.is_some(), expected, "{}", context());
    if let Some(found) = &found {
        let (prefix, cycle) = system.retrace(found, fairness).unwrap_or_else(|e| panic!("{e}\n{}", context()));
        assert!(!system.word(&prefix, &cycle).fulfils(formula, &NAMES), "{found:?}\n{}", context());
        return true;
    }
    let must_hold = |prefix: &[_], cycle: &[_]| {
        let counts = system.is_fair(cycle, fairness);
        let word: Word = system.word(prefix, cycle);
        assert!(!counts || word.fulfils(formula, &NAMES), "{prefix:?} {cycle:?}\n{}", context());
    };
    for _ in 0..samples {
        if let Some((prefix, cycle)) = system.random_lasso(rng) {
            must_hold(&prefix, &cycle);
        }
    }
    if system.states.len() <= 3 {
        system.all_lassos(6, must_hold);
    }
    false
}

#[test]
fn random_formulas_on_random_systems() {
    let (mut rng, mut offers) = (Rng::new(2024), Rng::new(2025));
    let (mut violated, mut differ, mut offers_decide, mut decided) = (0, 0, 0, 0);
    while decided < cases(2_000) {
        let names = 1 + rng.below(NAMES.len());
        let (size, most) = (1 + rng.below(9), 1 + rng.below(9));
        let formula =
            if rng.below(4) == 0 { random_fairness(&mut rng, names) } else { random_formula(&mut rng, size, names) };
        if naive::temporal_parts(&formula) > naive::MOST_TEMPORAL - 2 {
            continue;
        }
        let system = System::random(&mut rng, most, names);
        let weak = compare(&mut rng, &system, &formula, Fairness::Weak, 2_000);
        let all = compare(&mut rng, &system, &formula, Fairness::None, 200);
        assert!(all || !weak);
        let system = system.with_offers(&mut offers);
        let strong = compare(&mut rng, &system, &formula, Fairness::Offers, 200);
        assert!(weak || !strong);
        offers_decide += usize::from(weak != strong);
        violated += usize::from(weak);
        differ += usize::from(weak != all);
        decided += 1;
    }
    // The cases are of all kinds.
    println!("{decided} cases, {violated} violated, fairness decides {differ}, that of offers {offers_decide}");
    assert!(violated * 10 > decided && violated * 10 < decided * 9, "{violated} of {decided} are violated");
    assert!(differ * 100 > decided, "fairness makes a difference in {differ} of {decided} cases");
    assert!(offers_decide * 100 > decided, "that of offers does in {offers_decide}");
}

/// Counterexamples are not always the shortest, but not much longer.
#[test]
fn counterexamples_are_short() {
    let mut rng = Rng::new(31);
    let (mut ours, mut shortest, mut compared, mut equal) = (0, 0, 0, 0);
    while compared < 300 {
        let formula = random_formula(&mut rng, 4, 2);
        let system = System::random(&mut rng, 6, 2);
        let Some(found) = search(&system, &formula, Fairness::Weak) else { continue };
        let mut least = usize::MAX;
        system.all_lassos(7, |prefix, cycle| {
            let violates = || !system.word(prefix, cycle).fulfils(&formula, &NAMES);
            if prefix.len() + cycle.len() < least && system.is_fair(cycle, Fairness::Weak) && violates() {
                least = prefix.len() + cycle.len();
            }
        });
        if least != usize::MAX {
            let length = found.prefix.len() + found.cycle.len();
            assert!(length >= least, "{formula}\n{system:#?}");
            (ours, shortest, compared) = (ours + length, shortest + least, compared + 1);
            equal += usize::from(length == least);
        }
    }
    println!("{equal} of {compared} are the shortest; {ours} steps, {shortest} in the shortest");
    assert!(ours * 10 < shortest * 13, "{ours} and {shortest}");
}

/// A word is a system of one rank and one execution, so automata can be asked about words.
pub fn accepts(automaton: &Automaton, word: &Word) -> bool {
    let state = |i: usize| {
        let next = if i + 1 == word.letters.len() { word.back } else { i + 1 };
        let rank = [0].into_iter().collect();
        let valuation = word.letters[i];
        crate::systems::State { valuation, enabled: rank, successors: vec![(next, rank)], ..Default::default() }
    };
    let mut system = System { ranks: 1, states: (0..word.letters.len()).map(state).collect() };
    matches!(check(&mut system, automaton, Fairness::Weak, Limits::default()).0, Outcome::Violated(_))
}

/// The automata of the formula and of its negation accept the words that they should.
fn compare_words(rng: &mut Rng, formula: &Formula, words: usize) {
    let names = NAMES.map(String::from);
    let opposite = formula.clone().under(Unary::Not);
    let [yes, no] = [formula, &opposite].map(|f| Automaton::of(f).unwrap().over(&names).unwrap());
    for _ in 0..words {
        let word = random_word(rng, 3);
        let fulfils = word.fulfils(formula, &NAMES);
        assert_eq!(accepts(&yes, &word), fulfils, "{formula} on {word:?}: {yes:?}");
        assert_eq!(accepts(&no, &word), !fulfils, "not {formula} on {word:?}: {no:?}");
    }
}

#[test]
fn automata_accept_what_their_formulas_mean() {
    let mut rng = Rng::new(7);
    for _ in 0..cases(3_000) {
        let size = 1 + rng.below(16);
        let formula = random_formula(&mut rng, size, 3);
        compare_words(&mut rng, &formula, 20);
    }
}

/// Of a part that is asked for again and again by `G`, and by another part.
#[test]
fn what_is_promised_twice_is_kept() {
    for text in [
        "!F (G X a W G a)",
        "G (F a & X F a)",
        "G (F a & F (b & X F a))",
        "G (F a & F b) & X F a",
        "G ((a U b) & X (a U b))",
    ] {
        compare_words(&mut Rng::new(8), &Formula::parse(text).unwrap(), 1_000);
    }
}

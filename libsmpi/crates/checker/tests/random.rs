//! The oracle test: random programs, explored by brute force and by the reductions.

mod model;

use std::collections::BTreeSet;
use std::rc::Rc;

use model::choosing::Choosing;
use model::generate::{Size, program};
use model::program::{Outcome, Program};
use model::relaxed::Relaxed;
use smpi_base::rng::Rng;
use smpi_checker::{Event, Flow, Limits, Observer, Settled, brute, explore};

type Ends = BTreeSet<(bool, Outcome)>;

#[derive(Default)]
struct Collect {
    ends: Ends,
    keys: BTreeSet<Vec<Event>>,
    count: u64,
}

impl Observer<Choosing> for Collect {
    fn execution(&mut self, system: &mut Choosing, settled: Settled, path: &[Event]) -> Flow {
        self.ends.insert((settled == Settled::Finished, system.outcome()));
        let mut key = path.to_vec();
        key.sort_unstable();
        assert!(self.keys.insert(key), "the same execution was seen twice");
        self.count += 1;
        Flow::Continue
    }
}

const KEEP_GOING: Limits = Limits { executions: 100_000, depth: 1000, keep_going: true };

/// Counts: states of brute force, ends, executions, configurations, expansions.
type Counts = [u64; 5];

/// `None` when brute force is too slow; a description of the difference when the two disagree.
fn compare(program: &Rc<Program>) -> Option<Result<Counts, String>> {
    let mut ends = Ends::new();
    let mut oracle = Relaxed::new(Rc::clone(program));
    let brute = brute::explore(&mut oracle, 60_000, &mut |system, settled, _| {
        ends.insert((settled == Settled::Finished, system.outcome()));
        Flow::Continue
    });
    if !brute.complete {
        return None;
    }
    let mut system = Choosing::new(Rc::clone(program));
    let mut seen = Collect::default();
    let verdict = explore(&mut system, &KEEP_GOING, &mut seen);
    assert!(verdict.complete);
    if seen.ends != ends {
        let missing: Vec<_> = ends.difference(&seen.ends).collect();
        let wrong: Vec<_> = seen.ends.difference(&ends).collect();
        return Some(Err(format!("{program}{verdict:?}\nmissing {missing:?}\nwrong {wrong:?}")));
    }
    let stats = verdict.stats;
    Some(Ok([brute.states, ends.len() as u64, stats.executions, stats.configurations, stats.expansions]))
}

/// Takes operations out of a program on which the two disagree as long as they still do.
fn shrink(program: Program) -> String {
    let smaller = program.smaller().find(|smaller| matches!(compare(&Rc::new(smaller.clone())), Some(Err(_))));
    match smaller {
        Some(smaller) => shrink(smaller),
        None => compare(&Rc::new(program)).and_then(Result::err).expect("it still fails"),
    }
}

#[test]
fn matches_agree_with_brute_force() {
    let seeds: u64 = std::env::var("SMPI_CHECKER_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let first: u64 = std::env::var("SMPI_CHECKER_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut sums = [0; 5];
    let (mut compared, mut branching, mut expanding) = (0, 0, 0);
    for seed in first..first + seeds {
        let mut rng = Rng::new(seed);
        let size = Size { ranks: 4, operations: 2 + rng.below(5) };
        let program = program(&mut rng, size);
        if let Some(counts) = compare(&Rc::new(program.clone())) {
            let counts = counts.unwrap_or_else(|_| panic!("seed {seed}: {}", shrink(program)));
            compared += 1;
            branching += u64::from(counts[2] > 1);
            expanding += u64::from(counts[4] > 0);
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    println!(
        "{compared} of {seeds} programs, {branching} branch, {expanding} expand; states, ends, executions, configurations, expansions: {sums:?}"
    );
    assert!(compared * 10 > seeds * 8);
}

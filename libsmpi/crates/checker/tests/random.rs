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

fn compare(program: &Rc<Program>, seed: u64) -> Option<[u64; 5]> {
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
        panic!("seed {seed}: {program:#?}\n{verdict:?}\nmissing {missing:?}\nwrong {wrong:?}");
    }
    Some([brute.states, ends.len() as u64, verdict.stats.executions, verdict.stats.configurations, verdict.stats.expansions])
}

#[test]
fn matches_agree_with_brute_force() {
    let seeds: u64 = std::env::var("SMPI_CHECKER_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(1500);
    let first: u64 = std::env::var("SMPI_CHECKER_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0);
    let mut sums = [0; 5];
    let mut compared = 0;
    for seed in first..first + seeds {
        let mut rng = Rng::new(seed);
        let size = Size { ranks: 4, operations: 2 + rng.below(5) };
        let program = Rc::new(program(&mut rng, size));
        if let Some(counts) = compare(&program, seed) {
            compared += 1;
            for (sum, count) in sums.iter_mut().zip(counts) {
                *sum += count;
            }
        }
    }
    println!("{compared} of {seeds} programs; states, ends, executions, configurations, expansions: {sums:?}");
    assert!(compared * 10 > seeds * 8);
}

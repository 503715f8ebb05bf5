//! Whether every rank sends, or sends and receives, the same in all executions: brute force over all orders gives the
//! same answer as one execution for each matching, compared with the first.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::campaign::{is_sample, seeds};
use super::ends;
use super::model::choosing::Choosing;
use super::model::generate::answering;
use super::model::program::{Buffering, Communications, Op, Program};
use super::model::relaxed::Relaxed;
use super::walks::random;
use smpi_base::rng::Rng;
use smpi_checker::{Event, Flow, Limits, Observer, Settled, explore};

/// What ranks communicate in executions that end well: all that there is, and whether it is that of the first.
#[derive(Default)]
struct Seen {
    all: BTreeSet<Vec<Communications>>,
    first: Option<Vec<Communications>>,
    same_sends: bool,
    same: bool,
}

impl Seen {
    fn new() -> Seen {
        Seen { same_sends: true, same: true, ..Seen::default() }
    }

    fn note(&mut self, communications: Option<Vec<Communications>>) {
        let Some(communications) = communications else { return };
        let first = self.first.get_or_insert_with(|| communications.clone());
        self.same &= *first == communications;
        self.same_sends &= first.iter().zip(&communications).all(|(first, other)| first.0 == other.0);
        self.all.insert(communications);
    }
}

impl Observer<Choosing> for Seen {
    fn execution(&mut self, system: &mut Choosing, settled: Settled, _: &[Event]) -> Flow {
        if settled == Settled::Finished {
            self.note(system.communications());
        }
        Flow::Continue
    }
}

/// Every second program has messages that depend on others.
fn communicating(seed: u64) -> Program {
    match seed % 2 {
        0 => random(seed / 2),
        _ => answering(&mut Rng::new(0xa45_3e41 ^ seed), 2 + (seed / 2 % 2) as usize),
    }
}

#[test]
fn messages_of_all_orders_are_messages_of_some_matching() {
    let (mut compared, mut sends, mut receives) = (0, 0, 0);
    for seed in seeds(1_500) {
        let program = Rc::new(communicating(seed));
        let mut brute = Seen::new();
        let verdict = ends::all(&mut Relaxed::new(Rc::clone(&program)), 60_000, |system, settled| {
            if settled == Settled::Finished && !system.is_void() {
                brute.note(system.communications());
            }
        });
        if !verdict.complete {
            continue;
        }
        let limits = Limits { keep_going: true, ..Limits::default() };
        let mut seen = Seen::new();
        assert!(explore(&mut Choosing::new(Rc::clone(&program)), &limits, &mut seen).complete);
        compared += 1;
        sends += u64::from(!brute.same_sends);
        receives += u64::from(!brute.same);
        // As for results: that an operation is cancelled is also tried where a poll would have waited for its match.
        let has = |what: fn(&Op) -> bool| program.ranks.iter().flatten().any(what);
        let is_wider = has(|op| matches!(op, Op::Cancel(_))) && has(|op| matches!(op, Op::Test(_) | Op::Poll(_)));
        if is_wider {
            assert!(seen.all.is_superset(&brute.all), "seed {seed}: {program}");
            continue;
        }
        assert_eq!(seen.all, brute.all, "seed {seed}: {program}");
        assert_eq!((seen.same_sends, seen.same), (brute.same_sends, brute.same), "seed {seed}: {program}");
    }
    println!("{compared} programs, {sends} with different sends, {receives} with different messages");
    assert!(!is_sample(1_500) || compared > 1_000 && sends > 10 && receives > 200);
}

/// What ranks communicate without buffering they can also communicate with buffering: so that the second answers for
/// both.
#[test]
fn buffering_takes_no_messages_away() {
    let mut compared = 0;
    for seed in seeds(1_500) {
        let zero = Program { buffering: Buffering::Zero, ..communicating(seed) };
        let infinite = Program { buffering: Buffering::Infinite, ..zero.clone() };
        let limits = Limits { keep_going: true, executions: 20_000, ..Limits::default() };
        let [zero, infinite] = [zero, infinite].map(|program| {
            let mut seen = Seen::new();
            explore(&mut Choosing::new(Rc::new(program.clone())), &limits, &mut seen)
                .complete
                .then_some((seen, program))
        });
        let (Some((zero, program)), Some((infinite, _))) = (zero, infinite) else { continue };
        assert!(infinite.all.is_superset(&zero.all), "seed {seed}: {program}");
        compared += u64::from(!zero.all.is_empty());
    }
    println!("{compared} programs");
    assert!(!is_sample(1_500) || compared > 500);
}

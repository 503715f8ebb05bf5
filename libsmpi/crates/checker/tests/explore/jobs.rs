//! The verdict does not depend on the number of workers, nor on how the program is cut.

use std::rc::Rc;

use smpi_base::rng::Rng;
use smpi_checker::jobs::{Plan, explore_with_threads};
use smpi_checker::{Event, Flow, Limits, Observer, Outlook, Part, Settled, Stats, Tolls, Unobserved, Verdict};
use smpi_checker::{explore, explore_part, wire};

use super::model::choosing::Choosing;
use super::model::generate::{Size, program};
use super::model::program::{Buffering, Program};
use super::papers::gather;

/// A verdict without what depends on the way. Where reluctant choices are left out of a state once they make no
/// difference, so does the length of the longest execution: ways of different lengths lead to the same state.
fn essence(program: &Program, mut verdict: Verdict) -> Verdict {
    let depth = if program.buffering == Buffering::Each { 0 } else { verdict.stats.depth };
    verdict.stats = Stats { restores: 0, replayed: 0, depth, ..verdict.stats };
    verdict
}

/// With `rng`, some parts are cut further when their turn comes, as those are that take too long.
fn in_parts(program: &Rc<Program>, limits: &Limits, parts: usize, mut rng: Option<&mut Rng>) -> Verdict {
    let mut system = Choosing::new(Rc::clone(program));
    let mut plan = Plan::new(&mut system, limits, parts);
    loop {
        // The order in which parts are finished does not matter either.
        while let Some(id) = plan.open_parts().pop() {
            let pieces = rng.as_mut().and_then(|rng| (rng.below(3) == 0).then(|| 2 + rng.below(5)));
            if pieces.is_some_and(|pieces| plan.split(&mut system, id, pieces, limits)) {
                continue;
            }
            // As if the worker were another process.
            let part = plan.part(id);
            let bytes = wire::write_part(part.prefix, part.shared);
            let (prefix, shared) = wire::read_part(&bytes).expect("what is written can be read");
            let part = Part { prefix: &prefix, shared };
            let bytes = wire::write_result(&explore_part(&mut system, part, limits, &mut Unobserved));
            assert!(wire::read_result(&bytes[1..]).is_none() && wire::read_result(&bytes[..bytes.len() - 1]).is_none());
            plan.finish(id, wire::read_result(&bytes).expect("what is written can be read"));
        }
        if !plan.expand(&mut system) {
            return plan.verdict();
        }
    }
}

#[test]
fn parts_add_up() {
    let (mut expanded, mut failing) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(1_000_000 + seed);
        let size = Size { ranks: 4, operations: 4 + rng.below(3) };
        let mut program = program(&mut rng, size);
        if seed % 3 == 0 {
            program.buffering = Buffering::Each;
        }
        let program = Rc::new(program);
        for keep_going in [true, false] {
            let limits = Limits { keep_going, ..Limits::default() };
            let alone = explore(&mut Choosing::new(Rc::clone(&program)), &limits, &mut Unobserved);
            expanded += u64::from(alone.stats.expansions > 0);
            failing += u64::from(alone.first.is_some() && alone.stats.executions > 1);
            for parts in [1, 2, 5, 30] {
                let together = in_parts(&program, &limits, parts, Some(&mut rng));
                assert_eq!(
                    essence(&program, together),
                    essence(&program, alone.clone()),
                    "seed {seed}, {parts} parts: {program}"
                );
            }
        }
    }
    assert!(expanded > 20 && failing > 20, "{expanded} {failing}");
}

#[test]
fn threads_agree() {
    for seed in [17, 112, 4061, 5, 6] {
        let mut rng = Rng::new(seed);
        let size = Size { ranks: 4, operations: 2 + rng.below(5) };
        let program = program(&mut rng, size);
        let limits = Limits { keep_going: true, ..Limits::default() };
        let alone = explore(&mut Choosing::new(Rc::new(program.clone())), &limits, &mut Unobserved);
        for jobs in [1, 2, 3] {
            let make = || Choosing::new(Rc::new(program.clone()));
            let together = explore_with_threads(&make, &|| Unobserved, &limits, jobs);
            assert_eq!(essence(&program, together), essence(&program, alone.clone()));
        }
    }
}

/// A tree whose subtrees are equally large: 7! executions, and every one of them passes 7, 6, ..., 2 branches.
#[test]
fn what_was_seen_says_how_much_there_is_and_which_call_multiplies() {
    let program = gather(8, false);
    let limits = Limits { executions: 100, ..Limits::default() };
    let alone = explore(&mut Choosing::new(Rc::clone(&program)), &limits, &mut Unobserved);
    for verdict in [alone, in_parts(&program, &limits, 16, None)] {
        assert!(verdict.is_cut_short() && verdict.stats.executions == 100);
        let all = (verdict.tolls.executions as f64).ln() - verdict.ln_explored;
        assert!((all.exp() - 5040.0).abs() < 1e-6, "{}", all.exp());
        let dearest = verdict.tolls.dearest().unwrap();
        assert_eq!(dearest.choices, 6 * verdict.tolls.executions);
        assert_eq!(dearest.ways, (2 + 3 + 4 + 5 + 6 + 7) * verdict.tolls.executions);
        assert!((dearest.ln_ways / verdict.tolls.executions as f64 - 5040_f64.ln()).abs() < 1e-9);
    }
    let whole = explore(&mut Choosing::new(program), &Limits::default(), &mut Unobserved);
    assert!(!whole.is_cut_short() && whole.tolls == Tolls::default() && whole.ln_explored == 0.0);
}

/// Stops after some visits, as a time limit would.
struct Impatient(u32);

impl Observer<Choosing> for Impatient {
    fn execution(&mut self, _: &mut Choosing, _: Settled, _: &[Event]) -> Flow {
        Flow::Continue
    }

    fn visit(&mut self, _: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        assert!(outlook().is_some_and(|outlook| outlook.ln_explored <= 0.0));
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Flow::Stop } else { Flow::Continue }
    }
}

#[test]
fn what_was_cut_short_is_not_complete() {
    let mut rng = Rng::new(17);
    let program = program(&mut rng, Size { ranks: 4, operations: 6 });
    let limits = Limits { keep_going: true, ..Limits::default() };
    let make = || Choosing::new(Rc::new(program.clone()));
    let verdict = explore_with_threads(&make, &|| Impatient(2), &limits, 2);
    assert!(!verdict.complete && verdict.stopped.is_some());
}

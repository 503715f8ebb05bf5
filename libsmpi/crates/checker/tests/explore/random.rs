//! The oracle test: random programs, explored by brute force and by the reductions.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::model::choosing::Choosing;
use super::model::eager::Eager;
use super::model::generate::{Size, cancelling, probing, program};
use super::model::program::{Buffering, Op, Outcome, Program};
use super::model::relaxed::Relaxed;
use super::{campaign, ends, histories};
use smpi_base::rng::Rng;
use smpi_checker::none::AllOrders;
use smpi_checker::{Event, Flow, Limits, Observer, Settled, Verdict, explore};

pub type Ends = BTreeSet<(bool, Outcome)>;

#[derive(Default)]
pub struct Collect {
    pub ends: Ends,
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

pub const KEEP_GOING: Limits = Limits { executions: 100_000, depth: 1000, keep_going: true };

/// What the comparison of one program gave.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    programs: u64,
    states: u64,
    ends: u64,
    executions: u64,
    configurations: u64,
    /// Programs with more than one execution; with an expansion; with ends that the papers' mailboxes do not show.
    branching: u64,
    expanding: u64,
    overtaking: u64,
    /// Programs that the papers' reduction explored, and its executions.
    reduced: u64,
    traces: u64,
    /// Programs where each send is buffered or not, with ends that neither extreme shows.
    mixed: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.states += other.states;
        self.ends += other.ends;
        self.executions += other.executions;
        self.configurations += other.configurations;
        self.branching += other.branching;
        self.expanding += other.expanding;
        self.overtaking += other.overtaking;
        self.reduced += other.reduced;
        self.traces += other.traces;
        self.mixed += other.mixed;
    }
}

/// `None` when brute force is too slow; a description of the difference when two disagree.
fn compare(program: &Rc<Program>) -> Option<Result<Counts, String>> {
    let mut ends = Ends::new();
    let mut oracle = Relaxed::new(Rc::clone(program));
    let brute = ends::all(&mut oracle, 60_000, |system, settled| {
        if !system.is_void() {
            ends.insert((settled == Settled::Finished, system.outcome()));
        }
    });
    if !brute.complete {
        return None;
    }
    let mut system = Choosing::new(Rc::clone(program));
    let mut seen = Collect::default();
    let verdict = explore(&mut system, &KEEP_GOING, &mut seen);
    assert!(verdict.complete);
    // That an operation is cancelled which could have matched is also tried where a poll would have waited for the
    // match.
    let is_polling = program.ranks.iter().flatten().any(|op| matches!(op, Op::Test(_) | Op::Poll(_)));
    let is_cancelling = program.ranks.iter().flatten().any(|op| matches!(op, Op::Cancel(_)));
    let is_same = if is_polling && is_cancelling { seen.ends.is_superset(&ends) } else { seen.ends == ends };
    if !is_same {
        let missing: Vec<_> = ends.difference(&seen.ends).collect();
        let wrong: Vec<_> = seen.ends.difference(&ends).collect();
        return Some(Err(format!("{program}{verdict:?}\nmissing {missing:?}\nwrong {wrong:?}")));
    }
    let stats = verdict.stats;
    if let Err(difference) = compare_variants(program, &verdict, &seen.ends)
        .and_then(|()| histories::compare(program, &verdict, &seen.ends).map(|_| ()))
    {
        return Some(Err(difference));
    }
    let mut counts = Counts {
        programs: 1,
        states: brute.stats.configurations,
        ends: ends.len() as u64,
        executions: stats.executions,
        configurations: stats.configurations,
        branching: u64::from(stats.executions > 1),
        expanding: u64::from(stats.expansions > 0),
        ..Counts::default()
    };
    counts.mixed = u64::from(program.buffering == Buffering::Each && is_mixed(program, &ends));
    if is_cancelling {
        return Some(Ok(counts));
    }
    Some(compare_papers(program, &ends, &mut counts).map(|()| counts))
}

/// Whether there are ends that neither extreme of buffering shows. Those of an extreme must be among them.
fn is_mixed(program: &Program, ends: &Ends) -> bool {
    let mut known = Ends::new();
    for buffering in [Buffering::Zero, Buffering::Infinite] {
        let mut oracle = Relaxed::new(Rc::new(Program { buffering, ..program.clone() }));
        ends::all(&mut oracle, 60_000, |system, settled| {
            if !system.is_void() {
                known.insert((settled == Settled::Finished, system.outcome()));
            }
        });
    }
    assert!(known.is_subset(ends), "an extreme shows what the mixture does not: {program}");
    known != *ends
}

/// Without snapshots or with fewer, everything is the same; without closed choices, only more states may be visited.
fn compare_variants(program: &Rc<Program>, verdict: &Verdict, ends: &Ends) -> Result<(), String> {
    for (snapshots, closes) in [(0, true), (3, true), (1, false)] {
        let mut system = Choosing::new(Rc::clone(program));
        (system.snapshots, system.closes) = (snapshots, closes);
        let mut seen = Collect::default();
        let other = explore(&mut system, &KEEP_GOING, &mut seen);
        let (expected, stats) = (verdict.stats, other.stats);
        let same_states = stats.configurations == expected.configurations && stats.transitions == expected.transitions;
        let same = stats.executions == expected.executions && seen.ends == *ends && other.errors == verdict.errors;
        if !same || !other.complete || (closes && !same_states) || (snapshots == 0 && stats.restores != 0) {
            return Err(format!("{program}snapshots {snapshots}, closed choices {closes}: {other:?} for {verdict:?}"));
        }
    }
    // Expanding everywhere shows nothing more: the same executions, at most more states on the way to them.
    let mut system = Choosing::new(Rc::clone(program));
    let mut all = AllOrders::new(&mut system, true);
    let full = ends::all(&mut all, 100_000, |_, _| {});
    let (stats, found) = (verdict.stats, full.stats);
    // Where each send is buffered or not, some are for nothing: the state is another one, and nobody sees it.
    let more = program.buffering == Buffering::Each && found.executions > stats.executions;
    let same = more || found.executions == stats.executions;
    if full.complete && (!same || found.configurations < stats.configurations) {
        return Err(format!("{program}all orders: {full:?} for {verdict:?}"));
    }
    Ok(())
}

/// The papers' world: brute force and the papers' reduction agree, and show nothing that the standard does not allow.
fn compare_papers(program: &Rc<Program>, ends: &Ends, counts: &mut Counts) -> Result<(), String> {
    let mut eager = Ends::new();
    let mut system = Eager::new(Rc::clone(program));
    let brute = ends::all(&mut system, 60_000, |system, settled| {
        eager.insert((settled == Settled::Finished, system.outcome()));
    });
    if !brute.complete {
        return Ok(());
    }
    if !eager.is_subset(ends) {
        let wrong: Vec<_> = eager.difference(ends).collect();
        return Err(format!("{program}mailboxes show what the standard does not allow: {wrong:?}"));
    }
    counts.overtaking = u64::from(eager != *ends);
    let mut reduced = Ends::new();
    let dpor = ends::dpor(&mut system, 500, |system, settled| {
        reduced.insert((settled == Settled::Finished, system.outcome()));
    });
    if dpor.complete {
        counts.reduced = 1;
        counts.traces = dpor.stats.executions;
        if reduced != eager {
            let missing: Vec<_> = eager.difference(&reduced).collect();
            return Err(format!("{program}dpor: missing {missing:?}"));
        }
    }
    Ok(())
}

/// Compares many programs.
fn campaign(default: u64, salt: u64, make: impl Fn(&mut Rng) -> Program) -> Counts {
    campaign::campaign(default, salt, make, compare, |sums| sums.programs)
}

fn plain(rng: &mut Rng) -> Program {
    let size = Size { ranks: 4, operations: 2 + rng.below(5) };
    program(rng, size)
}

fn with_cancel(rng: &mut Rng) -> Program {
    let size = Size { ranks: 3, operations: 2 + rng.below(4) };
    let plain = program(rng, size);
    cancelling(rng, plain)
}

fn with_probes(rng: &mut Rng) -> Program {
    let size = Size { ranks: 3, operations: 2 + rng.below(3) };
    let plain = program(rng, size);
    probing(rng, plain)
}

/// Where each send is buffered or not, for itself.
fn mixed(program: Program) -> Program {
    Program { buffering: Buffering::Each, ..program }
}

const CANCEL: u64 = 0x00ca_9ce1;
const PROBES: u64 = 0x0009_40be;

#[test]
fn matches_agree_with_brute_force() {
    campaign(300, 0, plain);
}

#[test]
fn matches_agree_where_each_send_is_buffered_or_not() {
    let sums = campaign(300, 0, |rng| mixed(plain(rng)));
    assert!(!campaign::is_sample(600) || sums.mixed > 0);
}

#[test]
fn cancellation_agrees_with_brute_force() {
    campaign(600, CANCEL, with_cancel);
}

#[test]
fn cancellation_agrees_where_each_send_is_buffered_or_not() {
    let sums = campaign(300, CANCEL, |rng| mixed(with_cancel(rng)));
    assert!(!campaign::is_sample(600) || sums.mixed > 0);
}

#[test]
fn probes_agree_with_brute_force() {
    campaign(600, PROBES, with_probes);
}

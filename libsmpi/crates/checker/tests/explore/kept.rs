//! Explorations by states that are kept between two choices, and gone on with by another process.

use std::rc::Rc;

use super::model::choosing::Choosing;
use super::model::generate;
use super::model::program::Program;
use smpi_base::digest::Digest;
use smpi_base::rng::Rng;
use smpi_checker::{Event, Flow, Keep, Limits, NewFile, Observer, Settled, Stats, System, Verdict, explore_kept};

const KEEP_GOING: Limits = Limits { executions: u64::MAX, depth: 100_000, keep_going: true };

/// Keeps an exploration now and then.
struct Keeper {
    rng: Rng,
    /// What was kept, and how many executions had been seen by then.
    changes: Vec<(Vec<u8>, usize)>,
    /// The executions in their order, by a digest of each.
    seen: Vec<u128>,
    /// Choices until it ends.
    left: u64,
    /// Something cannot be kept.
    fails: bool,
    /// It has gone on, or begun again.
    goes_on: Option<bool>,
    new_file: NewFile,
}

impl Keeper {
    fn new(seed: u64, left: u64, new_file: NewFile) -> Keeper {
        Keeper {
            rng: Rng::new(seed),
            changes: Vec::new(),
            seen: Vec::new(),
            left,
            fails: false,
            goes_on: None,
            new_file,
        }
    }
}

impl Observer<Choosing> for Keeper {
    fn execution(&mut self, system: &mut Choosing, settled: Settled, path: &[Event]) -> Flow {
        let mut digest = Digest::new();
        digest.add((format!("{settled:?} {path:?} {:?}", system.outcome()), system.failed()));
        self.seen.push(digest.bits());
        Flow::Continue
    }

    fn goes_on(&mut self, stats: Option<&Stats>) {
        self.goes_on = Some(stats.is_some());
    }

    fn keeps(&mut self) -> Keep {
        match self.left.checked_sub(1) {
            None => return Keep::AndStop,
            Some(left) => self.left = left,
        }
        if self.rng.below(3) == 0 { Keep::Now } else { Keep::Later }
    }

    fn keep(&mut self, _system: &mut Choosing, change: Vec<u8>) -> bool {
        // The disk may be full for a while.
        self.fails = self.left > 0 && self.rng.below(5) == 0;
        if !self.fails {
            self.changes.push((change, self.seen.len()));
        }
        !self.fails
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        (movable > 3 && self.rng.below(8) == 0).then_some(self.new_file)
    }
}

fn none() -> std::iter::Empty<Vec<u8>> {
    std::iter::empty()
}

fn system(program: &Rc<Program>, closes: bool) -> Choosing {
    let mut system = Choosing::new(Rc::clone(program));
    (system.recognises, system.closes) = (true, closes);
    system
}

/// What follows from the program alone.
fn counted(verdict: &Verdict) -> Verdict {
    let mut verdict = verdict.clone();
    (verdict.stats.restores, verdict.stats.replayed, verdict.moved) = (0, 0, Default::default());
    verdict
}

/// Says how an exploration that is kept, ends at some moment, and goes on, differs from one that does not.
pub fn difference(program: &Rc<Program>, closes: bool, expected: &Verdict, new_file: NewFile) -> Option<String> {
    let seed = expected.stats.configurations ^ expected.stats.transitions << 8;
    let mut whole = Keeper::new(seed, u64::MAX, new_file);
    let verdict = explore_kept(&mut system(program, closes), &KEEP_GOING, &mut whole, (&mut none(), true));
    if counted(&verdict) != counted(expected) {
        return Some(format!("{program}kept: {verdict:?}\nfor {expected:?}"));
    }
    let mut rng = Rng::new(seed);
    for _ in 0..3 {
        // Ended as it should, or killed: what was kept last is gone, or all that was kept is there.
        let left = rng.below(1 + (verdict.stats.transitions + verdict.stats.configurations) as usize) as u64;
        let mut first = Keeper::new(seed, left, new_file);
        let _ = explore_kept(&mut system(program, closes), &KEEP_GOING, &mut first, (&mut none(), true));
        let kept = rng.below(1 + first.changes.len());
        first.changes.truncate(kept);
        let before = first.changes.last().map_or(0, |change| change.1);
        let changes: Vec<Vec<u8>> = first.changes.iter().map(|change| change.0.clone()).collect();
        let mut second = Keeper::new(seed + 1, u64::MAX, new_file);
        let again =
            explore_kept(&mut system(program, closes), &KEEP_GOING, &mut second, (&mut changes.iter().cloned(), true));
        let seen = [&first.seen[..before], &second.seen].concat();
        if counted(&again) != counted(expected)
            || seen != whole.seen
            || second.goes_on != (!changes.is_empty()).then_some(true)
        {
            return Some(format!(
                "{program}kept {kept} times, {before} executions, ended after {left}: {again:?}\nfor {expected:?}"
            ));
        }
    }
    None
}

/// What was kept of another program, or is nothing of the kind, is not gone on with.
#[test]
fn what_does_not_fit_is_explored_from_the_beginning() {
    let random = |seed| Rc::new(generate::program(&mut Rng::new(seed), generate::Size { ranks: 3, operations: 4 }));
    let new_file: NewFile = || Err(std::io::ErrorKind::Unsupported.into());
    let mut begun = 0;
    for seed in 0..40 {
        let (one, other) = (random(seed), random(seed + 1000));
        let mut kept = Keeper::new(seed, u64::MAX, new_file);
        let expected = explore_kept(&mut system(&one, true), &KEEP_GOING, &mut kept, (&mut none(), true));
        let mut others = Keeper::new(seed, u64::MAX, new_file);
        let _ = explore_kept(&mut system(&other, true), &KEEP_GOING, &mut others, (&mut none(), true));
        let changes: Vec<Vec<u8>> = others.changes.iter().map(|change| change.0.clone()).collect();
        for changes in [&changes[..], &[b"nonsense".to_vec()], &changes[changes.len().min(1)..]] {
            let mut seen = Keeper::new(seed, u64::MAX, new_file);
            let verdict =
                explore_kept(&mut system(&one, true), &KEEP_GOING, &mut seen, (&mut changes.iter().cloned(), false));
            let goes_on = (!changes.is_empty()).then_some(false);
            assert_eq!((counted(&verdict), seen.goes_on, seen.seen), (counted(&expected), goes_on, kept.seen.clone()));
            begun += u32::from(goes_on == Some(false));
        }
        // It is gone on with what was kept since it has begun again.
        let changes = others.changes.iter().chain(&kept.changes).map(|change| change.0.clone());
        let mut seen = Keeper::new(seed, u64::MAX, new_file);
        let verdict = explore_kept(&mut system(&one, true), &KEEP_GOING, &mut seen, (&mut changes.clone(), false));
        assert_eq!(counted(&verdict), counted(&expected));
        if !kept.changes.is_empty() {
            assert_eq!(seen.goes_on, Some(true));
        }
    }
    assert!(begun > 60, "{begun}");
}

//! Exploration of states, whatever led to them, against brute force: random programs that end, and that run for ever.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::model::choosing::Choosing;
use super::model::generate::{Size, cancelling, looping, probing, program, told_to_end};
use super::model::program::{Buffering, Failure, Mode, Op, Outcome, Program};
use super::model::relaxed::Relaxed;
use super::{campaign, ends, kept};
use smpi_base::rng::Rng;
use smpi_checker::interleaving::Interleaving;
use smpi_checker::reduction::matches::Everything;
use smpi_checker::{
    Event, Flow, Limits, NewFile, Observer, Outlook, Settled, Stats, Strategy, System, Token, Unobserved, Verdict,
    executions_through, explore,
};
use smpi_mailbox::Pattern;

/// What an exploration shows: ends, whether all ranks were through there, and how ranks have failed anywhere.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
struct Shown {
    ends: BTreeSet<(bool, Outcome)>,
    failures: BTreeSet<Failure>,
}

#[derive(Default)]
struct Collect {
    shown: Shown,
    /// What was told in executions that have ended well.
    told: BTreeSet<Vec<Vec<u32>>>,
    many: bool,
    /// States in memory of which some leave it; 0: none does.
    most: usize,
}

/// States after which a program is too large.
const MANY: u64 = 15_000;

/// States after which a program is not explored with states in files as well, nor three times from each state.
const MANY_IN_FILES: u64 = 300;

impl Observer<Choosing> for Collect {
    fn execution(&mut self, system: &mut Choosing, settled: Settled, _path: &[Event]) -> Flow {
        self.shown.failures.extend(system.failures());
        if settled == Settled::Finished && !system.failed() {
            self.told.insert(system.told());
        }
        if settled != Settled::Endless {
            self.shown.ends.insert((settled == Settled::Finished, system.outcome()));
        }
        Flow::Continue
    }

    fn visit(&mut self, stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.many = stats.configurations > MANY;
        if self.many { Flow::Stop } else { Flow::Continue }
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        (self.most > 0 && movable >= self.most).then_some(new_file)
    }
}

fn new_file() -> io::Result<File> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("smpi-states-{}-{number}", std::process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path)?;
    std::fs::remove_file(path)?;
    Ok(file)
}

const KEEP_GOING: Limits = Limits { executions: u64::MAX, depth: 100_000, keep_going: true };

/// By states; `None` if there are too many.
fn by_states(program: &Rc<Program>, closes: bool) -> Option<(Shown, Verdict)> {
    by_states_in_files(program, closes, 0)
}

/// By states, of which no more than `most` stay in memory, apart from those of the path; all where it is 0.
fn by_states_in_files(program: &Rc<Program>, closes: bool, most: usize) -> Option<(Shown, Verdict)> {
    let mut system = Choosing::new(Rc::clone(program));
    (system.recognises, system.closes) = (true, closes);
    let mut seen = Collect { most, ..Collect::default() };
    let verdict = explore(&mut system, &KEEP_GOING, &mut seen);
    assert!(seen.many || verdict.complete, "{program}{verdict:?}");
    (!seen.many).then_some((seen.shown, verdict))
}

/// Each state from its first three arrivals, with every choice at each; `None` if there are too many.
fn by_states_again(program: &Rc<Program>) -> Option<Verdict> {
    let mut system = Choosing::new(Rc::clone(program));
    system.recognises = true;
    let mut seen = Collect::default();
    let verdict = Everything { again: 2 }.explore(&mut system, &KEEP_GOING, &mut seen);
    assert!(seen.many || verdict.complete && verdict.difference.is_none(), "{program}{verdict:?}");
    (!seen.many).then_some(verdict)
}

/// Whether what ranks tell depends on choices, by states; `None` if there are too many. Two executions show it.
fn is_ambiguous(program: &Rc<Program>) -> Option<bool> {
    let mut system = Choosing::new(Rc::clone(program));
    system.recognises = true;
    let mut seen = Collect::default();
    let verdict = explore(&mut system, &KEEP_GOING, &mut seen);
    if seen.many {
        return None;
    }
    let Some(ambiguous) = &verdict.ambiguous else { return Some(seen.told.len() > 1) };
    let Some(ways) = executions_through(&mut system, false, ambiguous, &mut Unobserved) else {
        return Some(seen.told.len() > 1);
    };
    let [first, other] = ways.map(|way| {
        let settled =
            smpi_checker::replay(&mut system, &Token::verbatim("zero", &way), &mut |_, made| made.index < way.len());
        assert_eq!(settled, Ok(Settled::Finished), "{program}{way:?}");
        system.told()
    });
    assert_ne!(first, other, "{program}{ambiguous:?}");
    Some(true)
}

/// The same by brute force, and whether something goes wrong somewhere: to some state from which an execution can end
/// well there are two ways on which different things were told. `None` as for [`is_lost_by_force`].
fn is_ambiguous_by_force(program: &Rc<Program>) -> Option<(bool, bool)> {
    let mut system = Relaxed::new(Rc::clone(program));
    system.reset();
    let mut numbers = BTreeMap::from([(system.key()?, 0)]);
    let (mut met, mut told) = (vec![system.snapshot()], vec![system.told()]);
    let (mut before, mut differs): (Vec<Vec<usize>>, Vec<bool>) = (vec![Vec::new()], vec![false]);
    let (mut ends, mut ends_with, mut is_wrong) = (Vec::new(), BTreeSet::new(), false);
    let mut next = 0;
    while next < met.len() {
        let mut steps = Vec::new();
        system.restore(&met[next]);
        system.enabled(&mut steps);
        if system.is_void() {
            return None;
        }
        let ended = steps.is_empty().then(|| system.ended());
        is_wrong |=
            system.has_failed() || system.is_reluctant() || ended.is_some_and(|ended| ended != Settled::Finished);
        if ended == Some(Settled::Finished) && !system.has_failed() {
            ends.push(next);
            ends_with.insert(system.told());
        }
        for step in steps {
            system.restore(&met[next]);
            system.step(step);
            let number = *numbers.entry(system.key()?).or_insert(met.len());
            if number == met.len() {
                met.push(system.snapshot());
                told.push(system.told());
                before.push(Vec::new());
                differs.push(false);
            }
            differs[number] |= told[number] != system.told();
            before[number].push(next);
        }
        next += 1;
        if met.len() as u64 > MANY {
            return None;
        }
    }
    let can_end = leading_to(ends, &before);
    let is_met = can_end.iter().zip(&differs).any(|(can_end, differs)| *can_end && *differs);
    Some((is_met || ends_with.len() > 1, is_wrong))
}

/// For each state whether it leads to one of these ends, where `before` has the states before each.
fn leading_to(mut ends: Vec<usize>, before: &[Vec<usize>]) -> Vec<bool> {
    let mut can_end = vec![false; before.len()];
    while let Some(state) = ends.pop() {
        if !std::mem::replace(&mut can_end[state], true) {
            ends.extend(&before[state]);
        }
    }
    can_end
}

/// By brute force; `None` if there are too many states.
fn by_force(program: &Rc<Program>) -> Option<(Shown, Verdict)> {
    let mut shown = Shown::default();
    let mut oracle = Relaxed::new(Rc::clone(program));
    let verdict = ends::all(&mut oracle, MANY, |system, settled| {
        if !system.is_void() {
            shown.ends.insert((settled == Settled::Finished, system.outcome()));
        }
    });
    shown.failures = oracle.failures;
    verdict.complete.then_some((shown, verdict))
}

/// The definition of [`Verdict::lost`], by brute force: some execution ends as it should, and from some state no
/// execution ends, nor has any rank failed. `None` if there are too many states, or some that nobody stays in for ever.
fn is_lost_by_force(program: &Rc<Program>) -> Option<bool> {
    let mut system = Relaxed::new(Rc::clone(program));
    system.reset();
    let mut numbers = BTreeMap::from([(system.key()?, 0)]);
    let mut met = vec![system.snapshot()];
    // For each state those that lead there, and the states from which executions end.
    let mut before: Vec<Vec<usize>> = vec![Vec::new()];
    let (mut ends, mut is_finished) = (Vec::new(), false);
    let mut next = 0;
    while next < met.len() {
        let mut steps = Vec::new();
        system.restore(&met[next]);
        system.enabled(&mut steps);
        if system.is_void() {
            return None;
        }
        let has_failed = system.has_failed();
        is_finished |= steps.is_empty() && !has_failed && system.ended() == Settled::Finished;
        if steps.is_empty() || has_failed || system.is_reluctant() {
            ends.push(next);
        }
        for step in steps {
            system.restore(&met[next]);
            system.step(step);
            let number = *numbers.entry(system.key()?).or_insert(met.len());
            if number == met.len() {
                met.push(system.snapshot());
                before.push(Vec::new());
            }
            before[number].push(next);
        }
        next += 1;
        if met.len() as u64 > MANY {
            return None;
        }
    }
    let can_end = leading_to(ends, &before);
    Some(is_finished && can_end.contains(&false))
}

#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    programs: u64,
    brute: u64,
    states: u64,
    revisits: u64,
    expansions: u64,
    /// Programs without an end, and with a failure.
    endless: u64,
    failing: u64,
    /// Programs that can end, and that can come to where they no longer can.
    lost: u64,
    /// Programs that tell what depends on choices, and others.
    ambiguous: u64,
    unambiguous: u64,
    /// States that were moved to files.
    moved: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.programs += other.programs;
        self.brute += other.brute;
        self.states += other.states;
        self.revisits += other.revisits;
        self.expansions += other.expansions;
        self.endless += other.endless;
        self.failing += other.failing;
        self.lost += other.lost;
        self.ambiguous += other.ambiguous;
        self.unambiguous += other.unambiguous;
        self.moved += other.moved;
    }
}

/// `None` when brute force is too slow.
fn compare(program: &Rc<Program>) -> Option<Result<Counts, String>> {
    let (expected, brute) = by_force(program)?;
    let is_lost = is_lost_by_force(program);
    let (shown, verdict) = by_states(program, true)?;
    // As for executions, more is tried of operations that are cancelled where a poll would have waited for the match.
    let has = |is_meant: fn(&Op) -> bool| program.ranks.iter().flatten().any(is_meant);
    let shows_more = has(|op| matches!(op, Op::Cancel(_))) && has(|op| matches!(op, Op::Test(_) | Op::Poll(_)));
    let is_same = |shown: &Shown| match shows_more {
        true => shown.ends.is_superset(&expected.ends) && shown.failures.is_superset(&expected.failures),
        false => *shown == expected,
    };
    for closes in [true, false] {
        let (shown, verdict) = by_states(program, closes)?;
        if !is_same(&shown) {
            return Some(Err(format!("{program}closes {closes}: {verdict:?}\n{shown:?}\nfor {expected:?}")));
        }
        if let Some(is_lost) = is_lost
            && !shows_more
            && verdict.lost.is_some() != is_lost
        {
            return Some(Err(format!("{program}closes {closes}: lost {:?}\nfor {is_lost}", verdict.lost)));
        }
    }
    if verdict.stats.configurations < MANY_IN_FILES
        && let Some(again) = by_states_again(program)
        && let Some(is_lost) = is_lost
        && !shows_more
        && again.lost.is_some() != is_lost
    {
        return Some(Err(format!("{program}again: lost {:?}\nfor {is_lost}", again.lost)));
    }
    if verdict.stats.configurations < MANY_IN_FILES
        && let Some(difference) = kept::difference(program, true, &verdict, new_file)
    {
        return Some(Err(difference));
    }
    let is_ambiguous = is_ambiguous(program)?;
    let (is_ambiguous_by_force, is_wrong) = is_ambiguous_by_force(program).unwrap_or((is_ambiguous, false));
    // Where something goes wrong, that is all that is asked.
    if is_ambiguous && !is_ambiguous_by_force || !is_wrong && is_ambiguous != is_ambiguous_by_force {
        return Some(Err(format!("{program}ambiguous {is_ambiguous} for {is_ambiguous_by_force}")));
    }
    let mut moved = 0;
    if verdict.stats.configurations < MANY_IN_FILES {
        let most = 1 + verdict.stats.revisits as usize % 7;
        let (again, mut other) = by_states_in_files(program, true, most)?;
        moved = std::mem::take(&mut other.moved).states;
        if (&again, &other) != (&shown, &verdict) {
            return Some(Err(format!(
                "{program}at most {most} in memory: {other:?}\n{again:?}\nfor {verdict:?}\n{shown:?}"
            )));
        }
    }
    let is_endless = shown.ends.is_empty();
    let is_failing = !shown.failures.is_empty();
    Some(Ok(Counts {
        programs: 1,
        brute: brute.stats.configurations,
        states: verdict.stats.configurations,
        revisits: verdict.stats.revisits,
        expansions: verdict.stats.expansions,
        endless: u64::from(is_endless),
        failing: u64::from(is_failing),
        lost: u64::from(is_lost == Some(true)),
        ambiguous: u64::from(!is_wrong && is_ambiguous),
        unambiguous: u64::from(!is_wrong && !is_ambiguous),
        moved,
    }))
}

fn campaign(default: u64, salt: u64, make: impl Fn(&mut Rng) -> Program) -> Counts {
    campaign::campaign(default, salt, make, compare, |sums| sums.programs)
}

fn program_of(ranks: Vec<Vec<Op>>) -> Rc<Program> {
    let members = vec![false; ranks.len()];
    Rc::new(Program { ranks, members, buffering: Buffering::Zero })
}

fn send(to: usize) -> Op {
    Op::Send { to: to as u32, context: 0, tag: 0, mode: Mode::Synchronous }
}

fn receive(from: Option<usize>) -> Op {
    Op::Recv(Pattern { context: 0, source: from.map(|from| from as u32), tag: Some(0) })
}

#[test]
fn a_token_runs_in_circles() {
    for (ranks, states) in [(2, 2), (5, 25), (9, 359)] {
        let code = |rank: usize| {
            let (before, behind) = ((rank + ranks - 1) % ranks, (rank + 1) % ranks);
            match rank {
                0 => vec![send(behind), receive(Some(before)), Op::Again(0)],
                _ => vec![receive(Some(before)), send(behind), Op::Again(0)],
            }
        };
        let (shown, verdict) = by_states(&program_of((0..ranks).map(code).collect()), true).unwrap();
        assert_eq!((shown, verdict.complete), (Shown::default(), true));
        assert_eq!(verdict.stats.configurations, states);
    }
}

#[test]
fn a_server_answers_for_ever() {
    for clients in [2, 3, 4] {
        let mut code = vec![vec![receive(None), Op::Again(0)]];
        code.extend((0..clients).map(|_| vec![send(0), Op::Again(0)]));
        let (shown, verdict) = by_states(&program_of(code.clone()), true).unwrap();
        assert!(shown == Shown::default() && verdict.complete, "{verdict:?}");
        // One request is asserted not to come.
        code[0].insert(1, Op::AssertNot(16));
        let (shown, _) = by_states(&program_of(code), true).unwrap();
        assert_eq!(shown.failures.len(), 1);
    }
}

#[test]
fn who_is_not_in_the_circle_moves_too() {
    let circle = [vec![send(1), Op::Again(0)], vec![receive(Some(0)), Op::Again(0)]];
    let drawing = vec![Op::Random(2), Op::AssertNot(1)];
    let (shown, verdict) = by_states(&program_of([&circle[..], &[drawing]].concat()), true).unwrap();
    assert_eq!((shown.failures.len(), verdict.complete), (1, true));
}

#[test]
fn two_who_were_not_told_go_on_for_ever() {
    let partner = |other: usize| {
        let message = Op::Isend { to: other as u32, context: 0, tag: 0, mode: Mode::Synchronous };
        vec![message, receive(None), Op::EndIf(2), Op::EndIf(3), Op::Waitall, Op::Again(0)]
    };
    let teller = |draws: u32| vec![Op::Random(draws), Op::EndIf(1), send(1), send(2)];
    let program = program_of(vec![teller(2), partner(2), partner(1)]);
    let (_, verdict) = by_states(&program, true).unwrap();
    assert_eq!((verdict.lost.map(|path| path.len()), is_lost_by_force(&program)), (Some(1), Some(true)));
    // Who always tells loses nobody, and those who never end on any way are not lost.
    for teller in [teller(1), vec![Op::Random(2)]] {
        let program = program_of(vec![teller, partner(2), partner(1)]);
        let (_, verdict) = by_states(&program, true).unwrap();
        assert_eq!((verdict.lost, is_lost_by_force(&program)), (None, Some(false)));
    }
}

#[test]
fn programs_that_end_show_the_same() {
    campaign(150, 0x057a_7e00, |rng| {
        let size = Size { ranks: 4, operations: 2 + rng.below(5) };
        program(rng, size)
    });
}

#[test]
fn programs_with_probes_show_the_same() {
    campaign(80, 0x057a_7e01, |rng| {
        let size = Size { ranks: 3, operations: 2 + rng.below(3) };
        let plain = program(rng, size);
        probing(rng, plain)
    });
}

#[test]
fn mixtures_show_the_same() {
    campaign(80, 0x057a_7e02, |rng| {
        let size = Size { ranks: 3, operations: 2 + rng.below(5) };
        Program { buffering: Buffering::Each, ..program(rng, size) }
    });
}

#[test]
fn programs_that_cancel_show_the_same() {
    let sums = campaign(150, 0x057a_7e03, |rng| {
        let size = Size { ranks: 3, operations: 2 + rng.below(4) };
        let plain = program(rng, size);
        cancelling(rng, plain)
    });
    assert!(!campaign::is_sample(150) || sums.revisits > 0 && sums.failing > 0, "{sums:?}");
}

#[test]
fn programs_that_cancel_for_ever_show_the_same() {
    let sums = campaign(250, 0x057a_7d12, |rng| {
        let size = Size { ranks: 3, operations: 1 + rng.below(4) };
        let plain = program(rng, size);
        let plain = cancelling(rng, plain);
        looping(rng, plain)
    });
    assert!(!campaign::is_sample(250) || sums.endless > 0 && sums.failing > 0 && sums.revisits > 0, "{sums:?}");
}

#[test]
fn programs_that_cancel_and_may_run_for_ever_show_the_same() {
    let sums = campaign(60, 0x057a_7d13, |rng| {
        let ranks = 3 + rng.below(2);
        let plain = told_to_end(rng, ranks);
        cancelling(rng, plain)
    });
    assert!(!campaign::is_sample(60) || sums.lost > 0 && sums.lost + sums.endless < sums.programs, "{sums:?}");
}

#[test]
fn programs_that_run_for_ever_show_the_same() {
    // The sixth of these needs what is said of histories in `Memo::recall`.
    let sums = campaign(250, 0x057a_7d10, |rng| {
        let size = Size { ranks: 4, operations: 1 + rng.below(4) };
        let plain = program(rng, size);
        looping(rng, plain)
    });
    assert!(!campaign::is_sample(250) || sums.endless > 0 && sums.failing > 0 && sums.revisits > 0, "{sums:?}");
}

#[test]
fn programs_that_may_run_for_ever_show_the_same() {
    let sums = campaign(200, 0x057a_7d11, |rng| {
        let ranks = 3 + rng.below(2);
        told_to_end(rng, ranks)
    });
    assert!(!campaign::is_sample(200) || sums.lost > 0 && sums.lost + sums.endless < sums.programs, "{sums:?}");
    assert!(!campaign::is_large_sample(200) || sums.ambiguous > 0 && sums.unambiguous > 0, "{sums:?}");
}

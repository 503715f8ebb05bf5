//! Explanations of random small programs beside brute force over all orders of all choices. The programs are those of
//! the checker's own tests.

#[path = "../../checker/tests/explore/model/mod.rs"]
#[expect(dead_code, reason = "the checker's tests use all of it")]
mod model;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use model::choosing::Choosing;
use model::generate::{Size, probing, program};
use model::program::{Buffering, Mode, Op, Program};
use smpi_base::digest::Digest;
use smpi_base::rng::Rng;
use smpi_checker::walks::natural;
use smpi_checker::{Choices, Configuration, Event, Settled, System};
use smpi_explain::{Blame, Budget, Condition, Explainer, Explorer, Fate, Fault, Known, Program as _, Sealed, trial};
use smpi_mailbox::Pattern;

const DEPTH: usize = 1_000;
const FAULT: Fault = Fault(0);
const ENOUGH: Budget = Budget { survey: 100_000, each: 100_000, left: 10_000_000 };

/// An end of a program: its events, ascending, and whether it fails.
#[derive(Clone, Debug)]
struct End {
    events: Vec<Event>,
    fails: bool,
    /// The least number of deviations of a way there.
    cost: u32,
}

impl End {
    fn includes(&self, events: &[Event]) -> bool {
        events.iter().all(|event| self.events.binary_search(event).is_ok())
    }
}

/// What counts as a failure.
#[derive(Clone, Debug)]
enum Wrong {
    Deadlock,
    /// These events are in it.
    Has(Vec<Event>),
    /// By what the ranks have done, at random.
    Outcome(u128),
}

impl Wrong {
    fn is(&self, system: &Choosing, settled: Settled, path: &[Event]) -> bool {
        match self {
            Wrong::Deadlock => settled == Settled::Deadlock,
            Wrong::Has(events) => events.iter().all(|event| path.contains(event)),
            Wrong::Outcome(salt) => (Digest::of(&system.outcome()) ^ salt).is_multiple_of(3),
        }
    }
}

/// All ends by brute force; `None` when there are too many states.
fn ends(program: &Rc<Program>, wrong: &Wrong) -> Option<Vec<End>> {
    let mut system = Choosing::new(Rc::clone(program));
    let (mut ends, mut seen) = (BTreeMap::new(), BTreeSet::new());
    let mut queue: VecDeque<(u32, Vec<Event>)> = VecDeque::from([(0, Vec::new())]);
    while let Some((cost, path)) = queue.pop_front() {
        let settled = system.go_to(&path);
        if !seen.insert(Configuration::of(&path)) {
            continue;
        }
        if seen.len() > 1_500 {
            return None;
        }
        if settled.is_end() {
            let fails = wrong.is(&system, settled, &path);
            let mut events = path.clone();
            events.sort_unstable();
            if settled != Settled::Void {
                ends.insert(events.clone(), End { events, fails, cost });
            }
            continue;
        }
        let mut choices = Choices::new();
        system.choices(&mut choices);
        let first = natural(&choices);
        for event in choices.events() {
            let next = path.iter().copied().chain([event]).collect();
            if Some(event) == first { queue.push_front((cost, next)) } else { queue.push_back((cost + 1, next)) }
        }
    }
    Some(ends.into_values().collect())
}

/// The events of a failing execution that are last in some order: those that make an open part of it a sealed one.
fn deciders(program: &Rc<Program>, ends: &[End], all: &[Event]) -> BTreeSet<Event> {
    let is_open = |part: &[Event]| ends.iter().any(|end| !end.fails && end.includes(part));
    let mut system = Choosing::new(Rc::clone(program));
    let (mut seen, mut queue, mut found) = (BTreeSet::new(), VecDeque::from([Vec::new()]), BTreeSet::new());
    while let Some(path) = queue.pop_front() {
        system.go_to(&path);
        let mut choices = Choices::new();
        system.choices(&mut choices);
        for event in choices.events().filter(|event| all.contains(event)) {
            let next: Vec<Event> = path.iter().copied().chain([event]).collect();
            if !is_open(&next) {
                found.insert(event);
            } else if seen.insert(Configuration::of(&next)) {
                queue.push_back(next);
            }
        }
    }
    found
}

/// Another order of the same events.
fn reordered(program: &Rc<Program>, events: &[Event], rng: &mut Rng) -> Vec<Event> {
    let mut system = Choosing::new(Rc::clone(program));
    let mut path = Vec::new();
    loop {
        system.go_to(&path);
        let mut choices = Choices::new();
        system.choices(&mut choices);
        let next: Vec<Event> = choices.events().filter(|event| events.contains(event)).collect();
        if next.is_empty() {
            return path;
        }
        path.push(next[rng.below(next.len())]);
    }
}

/// The size of the smallest set of these events that no right end has.
fn least_condition(ends: &[End], events: &[Event]) -> usize {
    let right: Vec<&End> = ends.iter().filter(|end| !end.fails).collect();
    let sets = (0..1_u32 << events.len()).filter(|set| {
        let chosen: Vec<Event> = (0..events.len()).filter(|bit| set >> bit & 1 == 1).map(|bit| events[bit]).collect();
        !right.iter().any(|end| end.includes(&chosen))
    });
    sets.map(u32::count_ones).min().unwrap_or(u32::MAX) as usize
}

#[derive(Default, Debug)]
struct Counts {
    programs: u64,
    explained: u64,
    always: u64,
    together: u64,
    likewise: u64,
    /// Conditions of more than one event.
    large: u64,
    /// Conditions of more than three.
    larger: u64,
    short_of_budget: u64,
    /// Conditions that were looked for with enough to try, and those of them for which something may be left out.
    conditions: u64,
    unproved: u64,
}

/// Compares everything that is said of one failing execution.
fn compare(program: &Rc<Program>, wrong: &Wrong, ends: &[End], end: &End, rng: &mut Rng, counts: &mut Counts) {
    let path = reordered(program, &end.events, rng);
    assert_eq!(path.len(), end.events.len(), "{program}");
    let mut system = Choosing::new(Rc::clone(program));
    let mut judge = |system: &mut Choosing, settled: Settled, path: &[Event]| {
        let fails = wrong.is(system, settled, path);
        Some((u64::from(fails), !fails))
    };
    let mut explorer =
        Explorer { system: &mut system, judge: &mut judge, is_late: &|| false, depth: DEPTH, by_states: false };
    let is_open = |part: &[Event]| ends.iter().any(|end| !end.fails && end.includes(part));
    let failing = |part: &[Event]| ends.iter().filter(|end| end.includes(part)).count() as u64;
    let last_open = (0..path.len()).rev().find(|&at| is_open(&path[..at]));
    // With a survey of everything, without one, and with little to try.
    for (budget, surveys) in [(ENOUGH, true), (ENOUGH, false), (Budget { survey: 4, each: 4, left: 60 }, true)] {
        let is_enough = budget == ENOUGH;
        let mut explainer = Explainer::new(&mut explorer, budget);
        if surveys {
            explainer.survey();
            assert!(!is_enough || explainer.known.complete && explainer.known.rows().len() == ends.len(), "{program}");
        }
        let by_known = explainer.known.blame(FAULT, &path);
        match explainer.blame(FAULT, &path, false) {
            Blame::Decision { at, fate, parts, sealed, instead } => {
                // Who knows all executions need not ask for more.
                let known_at = by_known.and_then(|blame| match blame {
                    Blame::Decision { at, .. } => Some(at),
                    _ => None,
                });
                assert!(!(surveys && is_enough) || known_at == Some(at), "{program}");
                assert!(is_open(&path[..at]) && instead.includes(&path[..at]) && !instead.fails(FAULT), "{program}");
                let expected = Fate::Sealed(failing(&path[..=at]));
                assert!(!sealed.is_proved || !is_open(&sealed.events), "{program}{sealed:?}");
                if is_enough {
                    assert_eq!((Some(at), fate), (last_open, expected), "{program}");
                    let told: BTreeSet<Event> = parts.iter().flatten().copied().collect();
                    let all = deciders(program, ends, &path);
                    assert!(told.is_subset(&all) && (parts.len() == 3 || told == all), "{program}{told:?} {all:?}");
                    assert!(is_sealed(&sealed, &parts[0], &path[..=at]), "{program}{sealed:?}");
                    counts.together += u64::from(parts[0].len() > 1);
                    counts.likewise += u64::from(parts.len() > 1);
                } else {
                    counts.short_of_budget += u64::from(Some(at) != last_open);
                    assert!(!matches!(fate, Fate::Sealed(_)) || fate == expected, "{program}");
                }
            }
            Blame::Nothing(fate) => {
                assert!(!is_enough || last_open.is_none(), "{program}");
                assert!(!matches!(fate, Fate::Sealed(_)) || fate == Fate::Sealed(ends.len() as u64), "{program}");
                counts.always += u64::from(is_enough);
            }
            Blame::Waiting(_) => panic!("no call can stop waiting: {program}"),
        }
        if surveys && is_enough {
            compare_right(&explainer.known, ends, &path);
        }
        compare_condition(explainer.condition(FAULT, &path), (program, ends, &path), is_enough, counts);
    }
    counts.explained += 1;
}

/// A condition is what no right end has; a proved one is as small as any.
fn compare_condition(
    found: Option<Condition>,
    (program, ends, path): (&Rc<Program>, &[End], &[Event]),
    is_enough: bool,
    counts: &mut Counts,
) {
    let is_open = |part: &[Event]| ends.iter().any(|end| !end.fails && end.includes(part));
    let failing = |part: &[Event]| ends.iter().filter(|end| end.includes(part)).count() as u64;
    assert!(!is_enough || found.is_some() == is_open(&[]), "{program}");
    let Some(found) = found else { return };
    let all = ends.iter().filter(|end| end.fails).count() as u64;
    if found.is_forced {
        assert!(!is_open(&found.events) && failing(&found.events) == found.failing, "{program}{found:?}");
    }
    if found.is_forced && found.is_exact {
        assert_eq!(found.failing + found.failing_otherwise, all, "{program}{found:?}");
        assert_eq!(found.right_otherwise + all, ends.len() as u64, "{program}{found:?}");
    }
    counts.unproved += u64::from(is_enough && !(found.is_forced && found.is_exact));
    counts.conditions += u64::from(is_enough);
    if path.len() <= 12 && found.is_forced {
        let least = least_condition(ends, path);
        assert!(found.is_smallest && found.events.len() == least, "{program}{found:?} {least}");
        counts.large += u64::from(found.events.len() > 1);
        counts.larger += u64::from(found.events.len() > 3);
    }
}

/// Whether a sealed part is one of this beginning, is proved, and has the events that come last.
fn is_sealed(sealed: &Sealed, last: &[Event], beginning: &[Event]) -> bool {
    let is_of_it = sealed.events.iter().all(|event| beginning.contains(event));
    sealed.is_proved && is_of_it && last.iter().all(|event| sealed.events.contains(event))
}

/// The right end that has most of these events, once all are known.
fn compare_right(known: &Known, ends: &[End], path: &[Event]) {
    let missing = |has: &dyn Fn(&Event) -> bool| path.iter().filter(|event| !has(event)).count();
    let nearest = known.nearest_right(FAULT, path).map(|row| missing(&|event| row.has(event)));
    let right = ends.iter().filter(|end| !end.fails);
    let least = right.map(|end| missing(&|event| end.includes(std::slice::from_ref(event)))).min();
    assert_eq!(nearest, least);
}

/// The failing end with the fewest deviations, and of these the fewest events.
fn compare_nearest(program: &Rc<Program>, wrong: &Wrong, ends: &[End]) {
    let mut system = Choosing::new(Rc::clone(program));
    let mut judge = |system: &mut Choosing, settled: Settled, path: &[Event]| {
        Some((u64::from(wrong.is(system, settled, path)), true))
    };
    let mut explorer =
        Explorer { system: &mut system, judge: &mut judge, is_late: &|| false, depth: DEPTH, by_states: true };
    // The shortest way to each state gives the same, and knows no events.
    let found =
        explorer.nearest(FAULT, &[], u64::MAX).map(|found| (found.deviations, found.path.len(), found.is_least));
    let least = ends.iter().filter(|end| end.fails).map(|end| (end.cost, end.events.len(), true)).min();
    assert_eq!(found, least, "{program}");
    explorer.by_states = false;
    let some = ends.iter().rfind(|end| end.fails).and_then(|end| end.events.last());
    for events in [&[][..], some.map_or(&[], std::slice::from_ref)] {
        let found = explorer.nearest(FAULT, events, u64::MAX);
        let failing = ends.iter().filter(|end| end.fails && end.includes(events));
        let least = failing.map(|end| (end.cost, end.events.len())).min();
        assert_eq!(found.as_ref().map(|found| (found.deviations, found.path.len())), least, "{program}{events:?}");
        assert!(found.is_none_or(|found| found.is_least), "{program}{events:?}");
    }
}

/// The program with one call written otherwise, in all ways: a receive or probe of any source names one, or a send has
/// another mode.
fn changed(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    for (rank, code) in program.ranks.iter().enumerate() {
        for (at, op) in code.iter().enumerate() {
            for other in otherwise(op, program.ranks.len() as u32) {
                let mut changed = program.clone();
                changed.ranks[rank][at] = other;
                all.push(changed);
            }
        }
    }
    all
}

fn otherwise(op: &Op, ranks: u32) -> Vec<Op> {
    let named =
        |pattern: &Pattern| (0..ranks).map(|rank| Pattern { source: Some(rank), ..*pattern }).collect::<Vec<_>>();
    let modes = [Mode::Synchronous, Mode::Buffered];
    match *op {
        Op::Recv(pattern) if pattern.source.is_none() => named(&pattern).into_iter().map(Op::Recv).collect(),
        Op::Irecv(pattern) if pattern.source.is_none() => named(&pattern).into_iter().map(Op::Irecv).collect(),
        Op::Probe(pattern) if pattern.source.is_none() => named(&pattern).into_iter().map(Op::Probe).collect(),
        Op::Send { to, context, tag, mode: Mode::Standard } => {
            modes.map(|mode| Op::Send { to, context, tag, mode }).to_vec()
        }
        Op::Isend { to, context, tag, mode: Mode::Standard } => {
            modes.map(|mode| Op::Isend { to, context, tag, mode }).to_vec()
        }
        _ => Vec::new(),
    }
}

#[derive(Default, Debug)]
struct Trials {
    /// Changes with which nothing fails, with which less fails, and others.
    cured: u64,
    better: u64,
    vain: u64,
    /// Explorations that were cut short.
    cut_short: u64,
}

/// Executions that are drawn are some of those that there are, and always the same.
fn compare_sample(explorer: &mut Explorer<'_, Choosing>, ends: &[End]) {
    let sample = explorer.sample(8, 1);
    assert_eq!(explorer.sample(8, 1), sample);
    // What is remembered of earlier ones changes nothing.
    let one_by_one: Vec<u64> = (1..=8).map(|count| explorer.sample(count, 1).showing[0]).collect();
    assert!(one_by_one.is_sorted() && one_by_one[7] == sample.showing[0]);
    assert!(sample.executions == 8 && sample.showing[0] <= 8);
    assert!(sample.showing[0] == 8 || ends.iter().any(|end| !end.fails));
    assert!(sample.showing[0] == 0 || ends.iter().any(|end| end.fails));
}

/// What is counted of a changed program is what is there. `NEW`: deadlocks count as failures, whatever else does.
fn compare_trial(program: &Rc<Program>, wrong: &Wrong, before: &[End], counts: &mut Trials) {
    const NEW: Fault = Fault(1);
    let (Some(ends), Some(deadlocks)) = (ends(program, wrong), ends(program, &Wrong::Deadlock)) else { return };
    let both = || ends.iter().zip(&deadlocks);
    let failing = both().filter(|(end, deadlock)| end.fails || deadlock.fails).count() as u64;
    let mut system = Choosing::new(Rc::clone(program));
    let mut judge = |system: &mut Choosing, settled: Settled, path: &[Event]| {
        let (fails, is_stuck) = (wrong.is(system, settled, path), settled == Settled::Deadlock);
        Some((u64::from(fails) | u64::from(is_stuck) << NEW.0, !fails && !is_stuck))
    };
    let mut explorer =
        Explorer { system: &mut system, judge: &mut judge, is_late: &|| false, depth: DEPTH, by_states: false };
    compare_sample(&mut explorer, &ends);
    for most in [100_000, 3] {
        let tried = trial(&mut explorer, &[FAULT, NEW], most);
        let is_all = (tried.executions, tried.failing) == (ends.len() as u64, failing);
        assert!(is_all || !tried.complete && most == 3, "{program}{tried:?} {failing} of {}", ends.len());
        assert!(tried.executions <= ends.len() as u64 && tried.failing <= failing, "{program}{tried:?}");
        assert_eq!(tried.elsewhere, 0, "what fails is what has an error");
        counts.cut_short += u64::from(!tried.complete);
    }
    // A failure is a share of the executions: naming a source leaves fewer.
    let failed = before.iter().filter(|end| end.fails).count();
    match failing {
        0 => counts.cured += 1,
        failing if failing as usize * before.len() < failed * ends.len() => counts.better += 1,
        _ => counts.vain += 1,
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

#[test]
fn trials_count_what_brute_force_counts() {
    let mut counts = Trials::default();
    let first = number("SMPI_CHECKER_SEED").unwrap_or(0);
    let programs = number("SMPI_CHECKER_PROGRAMS").unwrap_or(500);
    for seed in first..first + programs {
        let mut rng = Rng::new(0x0007_41a1 ^ seed);
        let size = Size { ranks: 2 + rng.below(3), operations: 2 + rng.below(4) };
        let plain = program(&mut rng, size);
        if plain.buffering == Buffering::Each {
            continue;
        }
        for wrong in [Wrong::Deadlock, Wrong::Outcome(u128::from(seed))] {
            let Some(before) = ends(&Rc::new(plain.clone()), &wrong) else { continue };
            if before.iter().any(|end| end.fails) {
                let all = changed(&plain).into_iter();
                all.for_each(|changed| compare_trial(&Rc::new(changed), &wrong, &before, &mut counts));
            }
        }
    }
    println!("{counts:?}");
    if programs >= 500 {
        assert!(counts.cured > 10 && counts.better > 10 && counts.vain > 10 && counts.cut_short > 10);
    }
}

#[test]
fn explanations_are_those_of_brute_force() {
    let mut counts = Counts::default();
    let first = number("SMPI_CHECKER_SEED").unwrap_or(0);
    let programs = number("SMPI_CHECKER_PROGRAMS").unwrap_or(500);
    for seed in first..first + programs {
        let mut rng = Rng::new(0x00e8_91a1 ^ seed);
        let size = Size { ranks: 2 + rng.below(3), operations: 2 + rng.below(4) };
        let plain = program(&mut rng, size);
        let plain = if seed.is_multiple_of(4) { probing(&mut rng, plain) } else { plain };
        if plain.buffering == Buffering::Each {
            continue;
        }
        let program = Rc::new(plain);
        let Some(all) = ends(&program, &Wrong::Deadlock) else { continue };
        let some = &all[rng.below(all.len())].events;
        let mut planted: Vec<Event> = some.clone();
        while planted.len() > 1 + rng.below(2) {
            planted.remove(rng.below(planted.len()));
        }
        counts.programs += 1;
        for wrong in [Wrong::Deadlock, Wrong::Has(planted), Wrong::Outcome(u128::from(seed))] {
            let Some(ends) = ends(&program, &wrong) else { continue };
            let failing: Vec<&End> = ends.iter().filter(|end| end.fails).collect();
            if failing.is_empty() {
                continue;
            }
            compare_nearest(&program, &wrong, &ends);
            for _ in 0..2 {
                compare(&program, &wrong, &ends, failing[rng.below(failing.len())], &mut rng, &mut counts);
            }
        }
    }
    println!("{counts:?}");
    if programs >= 500 {
        assert!(counts.explained > 500 && counts.always > 50 && counts.together > 20 && counts.likewise > 5);
        assert!(counts.large > 20 && counts.short_of_budget > 0 && counts.unproved * 4 < counts.conditions);
    }
}

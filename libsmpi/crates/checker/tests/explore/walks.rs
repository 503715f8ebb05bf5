//! Walks: what `deviations` and `sample` show, compared with definitions by brute force; estimates; workers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::campaign::{is_sample, programs, seeds};
use super::model::choosing::Choosing;
use super::model::generate::{Size, cancelling, probing, program};
use super::model::program::{Buffering, Mode, Op, Outcome, Program};
use super::papers::{gather, groups};
use smpi_base::rng::Rng;
use smpi_checker::walks::estimate::Estimate;
use smpi_checker::walks::{Covered, Goal, Memory, Policy, Search, Task, TaskResult, natural, run};
use smpi_checker::{Choices, Configuration, Event, Flow, Limits, Observer, Settled, Stop, System, Unobserved, Verdict};
use smpi_checker::{explore, wire};
use smpi_mailbox::Pattern;

const LIMITS: Limits = Limits { executions: 100_000, depth: 1000, keep_going: true };

/// Ends by their names.
type Ends = BTreeMap<Configuration, (bool, Outcome)>;

/// Notes what is shown.
#[derive(Default)]
struct Shown(Vec<(Configuration, bool, Outcome)>);

impl Observer<Choosing> for Shown {
    fn execution(&mut self, system: &mut Choosing, settled: Settled, path: &[Event]) -> Flow {
        self.0.push((key(system, path), settled == Settled::Finished, system.outcome()));
        Flow::Continue
    }
}

fn key(system: &mut Choosing, path: &[Event]) -> Configuration {
    let mut marks = Vec::new();
    system.marks(&mut marks);
    Configuration::of(path).with_marks(&marks)
}

/// A search by so many workers, which do the tasks in some order. The ends are in the order of their numbers.
fn search(program: &Rc<Program>, goal: Goal, limits: &Limits, workers: usize) -> (Verdict, Covered, Ends) {
    let mut systems: Vec<(Choosing, Memory)> =
        (0..workers).map(|_| (Choosing::new(Rc::clone(program)), Memory::default())).collect();
    let mut search = Search::new(goal, limits);
    let mut rng = Rng::new(workers as u64);
    let mut ends = Ends::new();
    let mut shown: BTreeMap<u64, Vec<(Configuration, bool, Outcome)>> = BTreeMap::new();
    while !search.is_over() {
        let mut waiting: Vec<(u64, Task)> = std::iter::from_fn(|| search.hand_out()).take(3 * workers).collect();
        // Each worker does its tasks in their order, but nobody waits for another.
        let mut queues: Vec<VecDeque<(u64, Task)>> = vec![VecDeque::new(); workers];
        waiting.drain(..).for_each(|task| queues[rng.below(workers)].push_back(task));
        while queues.iter().any(|queue| !queue.is_empty()) {
            let worker = rng.below(workers);
            let Some((number, task)) = queues[worker].pop_front() else { continue };
            let (system, memory) = &mut systems[worker];
            let mut seen = Shown::default();
            // As if the worker were another process.
            let task = wire::read_task(&wire::write_task(&task)).expect("what is written can be read");
            let bytes = wire::write_walks(&run(system, &task, memory, limits, &mut seen));
            assert!(wire::read_walks(&bytes[1..]).is_none() && wire::read_walks(&bytes[..bytes.len() - 1]).is_none());
            let result: TaskResult = wire::read_walks(&bytes).expect("what is written can be read");
            shown.insert(number, seen.0);
            search.finish(number, result);
        }
        while let Some(merged) = search.merge() {
            let seen = shown.remove(&merged.task).unwrap();
            assert!(merged.numbers.len() <= seen.len());
            for (number, (key, finished, outcome)) in merged.numbers.into_iter().zip(seen) {
                let Some(number) = number else {
                    assert!(ends.contains_key(&key) || ends.len() as u64 == limits.executions);
                    continue;
                };
                assert_eq!(number, ends.len() as u64 + 1);
                assert!(ends.insert(key, (finished, outcome)).is_none());
            }
        }
    }
    let (verdict, covered) = search.conclude();
    assert_eq!(verdict.stats.executions, ends.len() as u64);
    (verdict, covered, ends)
}

/// The least number of deviations of each end, by brute force over all events at all states; `None` when there are too
/// many states.
fn costs(program: &Rc<Program>) -> Option<BTreeMap<Configuration, u32>> {
    let mut system = Choosing::new(Rc::clone(program));
    let mut ends = BTreeMap::new();
    let mut seen = BTreeSet::new();
    let mut queue: VecDeque<(u32, Vec<Event>)> = VecDeque::from([(0, Vec::new())]);
    while let Some((cost, path)) = queue.pop_front() {
        system.reset();
        let mut settled = system.settle();
        for &event in &path {
            system.take(event);
            settled = system.settle();
        }
        let name = key(&mut system, &path);
        if !seen.insert(name) {
            continue;
        }
        if seen.len() > 3_000 {
            return None;
        }
        if settled == Settled::Void {
            continue;
        }
        if settled.is_end() || settled == Settled::Reluctant {
            ends.insert(name, cost);
        }
        if settled.is_end() {
            continue;
        }
        let mut choices = Choices::new();
        system.choices(&mut choices);
        let natural = natural(&choices);
        for choice in choices.all() {
            for &candidate in choices.candidates(choice) {
                let event = Event { choice: choice.id, candidate };
                let next = path.iter().copied().chain([event]).collect();
                if Some(event) == natural { queue.push_front((cost, next)) } else { queue.push_back((cost + 1, next)) }
            }
        }
    }
    Some(ends)
}

/// Random programs of all kinds.
pub fn random(seed: u64) -> Program {
    let mut rng = Rng::new(0x5a_4d91e ^ seed);
    let size = Size { ranks: 2 + rng.below(3), operations: 2 + rng.below(4) };
    let plain = program(&mut rng, size);
    let plain = match seed % 4 {
        0 => cancelling(&mut rng, plain),
        1 => probing(&mut rng, plain),
        _ => plain,
    };
    if seed.is_multiple_of(3) { Program { buffering: Buffering::Each, ..plain } } else { plain }
}

#[test]
fn deviations_are_what_brute_force_says_and_exhaust_the_tree() {
    let (mut compared, mut deep, mut shared) = (0, 0, 0);
    for seed in seeds(800) {
        let program = Rc::new(random(seed));
        let Some(costs) = costs(&program) else { continue };
        compared += 1;
        let mut seen = Shown::default();
        let all = explore(&mut Choosing::new(Rc::clone(&program)), &LIMITS, &mut seen);
        let outcomes: BTreeSet<_> = seen.0.into_iter().map(|(_, finished, outcome)| (finished, outcome)).collect();
        let most = costs.values().copied().max().unwrap_or(0);
        for bound in [0, 1, 2, u32::MAX] {
            let (verdict, covered, ends) = search(&program, Goal::Deviations(bound), &LIMITS, 1);
            let expected: BTreeSet<_> = costs.iter().filter(|(_, cost)| **cost <= bound).map(|(key, _)| *key).collect();
            let deviating: u64 = covered.levels.iter().sum();
            let found: BTreeSet<_> = ends.keys().copied().collect();
            assert!(found.is_superset(&expected), "seed {seed}, {bound}: {program}");
            assert_eq!(deviating, expected.len() as u64, "seed {seed}, {bound}: {program}{covered:?}");
            for (level, count) in covered.levels.iter().enumerate() {
                assert_eq!(costs.values().filter(|cost| **cost == level as u32).count() as u64, *count);
            }
            // Complete where nothing is missing, and never where something is.
            assert!(!verdict.complete || bound >= most, "seed {seed}, {bound}: {program}");
            if bound == u32::MAX {
                assert!(verdict.complete && covered.estimate.is_none());
                let ends: BTreeSet<_> = ends.into_values().collect();
                assert_eq!(ends, outcomes, "seed {seed}: {program}");
                // Where each send is buffered or not, some are for nothing.
                assert!(program.buffering == Buffering::Each || verdict.stats.executions == all.stats.executions);
            }
            shared += u64::from(verdict.stats.revisits > 0);
        }
        deep += u64::from(most > 2);
    }
    println!("{compared} programs, {deep} with more than two deviations, {shared} searches that met states again");
    assert!(!is_sample(800) || compared > 100 && deep > 20 && shared > 100);
}

#[test]
fn workers_and_their_order_make_no_difference() {
    // In the second, two workers reach the limit at another place than one, who knows more.
    for seed in seeds(150).chain([586667292]) {
        let program = Rc::new(random(seed));
        for goal in [
            Goal::Deviations(3),
            Goal::Sample { walks: 100, seed, depth: None },
            Goal::Sample { walks: 100, seed, depth: Some(3) },
        ] {
            for limits in [LIMITS, Limits { keep_going: false, ..LIMITS }, Limits { executions: 3, ..LIMITS }] {
                let essence = |workers| {
                    let (mut verdict, covered, ends) = search(&program, goal, &limits, workers);
                    verdict.stats.replayed = 0;
                    (verdict, covered, ends)
                };
                let alone = essence(1);
                assert_eq!(essence(2), alone, "seed {seed}: {program}");
                assert_eq!(essence(3), alone, "seed {seed}: {program}");
            }
        }
    }
}

/// The mean of what uniform walks stand for, over all walks: and whether something is not counted.
fn mean(system: &mut Choosing, path: &mut Vec<Event>, known: &mut BTreeMap<Vec<Event>, f64>) -> f64 {
    system.reset();
    let mut settled = system.settle();
    for &event in &*path {
        system.take(event);
        settled = system.settle();
    }
    if settled == Settled::Void {
        return 0.0;
    }
    if settled.is_end() {
        return 1.0;
    }
    let mut name = path.clone();
    name.sort_unstable();
    if let Some(&mean) = known.get(&name) {
        return mean;
    }
    let mut choices = Choices::new();
    system.choices(&mut choices);
    let closed = choices.first().filter(|first| first.closed);
    let tried: Vec<_> = choices.all().filter(|choice| closed.is_none_or(|closed| closed.id == choice.id)).collect();
    let mut sum = 0.0;
    for choice in &tried {
        for &candidate in choices.candidates(choice) {
            path.push(Event { choice: choice.id, candidate });
            sum += mean(system, path, known) / tried.len() as f64;
            path.pop();
        }
    }
    known.insert(name, sum);
    sum
}

#[test]
fn estimates_are_right_where_nothing_comes_late_and_lower_bounds_elsewhere() {
    let (mut exact, mut least, mut spread) = (0, 0, 0);
    for seed in 0..programs(400) {
        let program = Rc::new(random(3 * seed + 1));
        let mut system = Choosing::new(Rc::clone(&program));
        let all = explore(&mut system, &LIMITS, &mut Shown::default());
        if all.stats.configurations > 500 {
            continue;
        }
        let mean = mean(&mut system, &mut Vec::new(), &mut BTreeMap::new());
        let executions = all.stats.executions as f64;
        assert!(mean <= executions * (1.0 + 1e-9), "seed {seed}: {mean} of {executions}: {program}");
        let estimate = Estimate::probe(&mut system, 400, &LIMITS, &mut Unobserved).expect("some walk ends");
        if !estimate.is_least {
            assert!((mean / executions - 1.0).abs() < 1e-9, "seed {seed}: {mean} of {executions}: {program}");
            exact += 1;
        } else {
            least += 1;
        }
        // Five standard errors: of 400 programs, one in thousands of runs would differ by more.
        let error = 5.0 * estimate.relative_error * estimate.ln_executions.exp();
        let found = estimate.ln_executions.exp();
        spread += u64::from(error > 0.01);
        assert!(
            (found - mean).abs() <= error.max(1e-6) + 0.02 * mean,
            "seed {seed}: {estimate:?} for {mean}: {program}"
        );
    }
    println!("{exact} exact, {least} lower bounds, {spread} with a spread");
    assert!(exact > 100 && least > 20 && spread > 50);
}

/// The papers' programs: exact where all senders wait from the beginning.
#[test]
fn the_trees_of_the_papers_programs_are_estimated_well() {
    for (program, executions) in [
        (gather(8, true), 5_040.0),
        (gather(10, true), 362_880.0),
        (gather(10, false), 362_880.0),
        (groups(9, true), 8.0),
    ] {
        let estimate = Estimate::probe(&mut Choosing::new(program), 100, &LIMITS, &mut Unobserved).unwrap();
        let ratio = estimate.ln_executions.exp() / executions;
        assert!((0.1..10.0).contains(&ratio) && !estimate.is_least, "{estimate:?} for {executions}");
    }
}

/// Walks through the program while an exploration is on its way.
#[derive(Default)]
struct Curious(Vec<Estimate>);

impl Observer<Choosing> for Curious {
    fn many(&mut self, system: &mut Choosing) {
        self.0.extend(Estimate::probe(system, 20, &LIMITS, &mut Unobserved));
    }
}

#[test]
fn an_exploration_goes_on_after_an_estimate_as_if_nothing_had_happened() {
    for snapshots in [0, 1, 3] {
        let (mut plain, mut curious) = (Choosing::new(gather(8, false)), Choosing::new(gather(8, false)));
        (plain.snapshots, curious.snapshots) = (snapshots, snapshots);
        let mut observer = Curious::default();
        let mut expected = explore(&mut plain, &LIMITS, &mut Unobserved);
        let mut verdict = explore(&mut curious, &LIMITS, &mut observer);
        for verdict in [&mut expected, &mut verdict] {
            (verdict.stats.restores, verdict.stats.replayed) = (0, 0);
        }
        assert_eq!(verdict, expected);
        let [estimate] = observer.0[..] else { panic!("{:?}", observer.0) };
        assert!((estimate.ln_executions - 5_040_f64.ln()).abs() < 1e-9);
    }
}

#[test]
fn walks_show_executions_of_the_program_and_in_time_all() {
    for seed in 0..programs(100) {
        let program = Rc::new(random(seed));
        let mut seen = Shown::default();
        let all = explore(&mut Choosing::new(Rc::clone(&program)), &LIMITS, &mut seen);
        let outcomes: BTreeSet<_> = seen.0.into_iter().map(|(_, finished, outcome)| (finished, outcome)).collect();
        for depth in [None, Some(1), Some(3)] {
            let walked = |walks| {
                let (verdict, covered, ends) = search(&program, Goal::Sample { walks, seed, depth }, &LIMITS, 1);
                (verdict, covered, ends.into_values().collect::<BTreeSet<_>>())
            };
            let (verdict, covered, found) = walked(100);
            assert!(found.is_subset(&outcomes), "seed {seed}: {program}");
            // Only a program with one way to go is covered for certain.
            assert!(!verdict.complete || found == outcomes && covered.walks == 0, "seed {seed}: {program}");
            if depth.is_none() && all.stats.executions < 8 {
                let is_found = [100, 1_000, 10_000, 100_000].into_iter().any(|walks| walked(walks).2 == outcomes);
                assert!(is_found, "seed {seed}: {program}");
            }
        }
    }
}

/// A master with 20 workers whose program is wrong when the last worker's message is the first.
fn master() -> Rc<Program> {
    let mut code = vec![vec![Op::Recv(Pattern { context: 0, source: None, tag: None }); 20]];
    // What the receive has seen: source 20, tag 0.
    code[0].insert(1, Op::AssertNot(16 * 20));
    code.resize(21, vec![Op::Send { to: 0, context: 0, tag: 0, mode: Mode::Standard }]);
    Rc::new(Program { ranks: code, members: vec![false; 21], buffering: Buffering::Infinite })
}

#[test]
fn the_last_worker_first_is_one_deviation() {
    let limits = Limits::default();
    let (verdict, ..) = search(&master(), Goal::Deviations(1), &limits, 1);
    assert_eq!((verdict.errors, verdict.stopped, verdict.complete), (1, Some(Stop::Error), false));
    assert!(verdict.stats.executions <= 21, "{verdict:?}");
    let (verdict, covered, _) = search(&master(), Goal::Deviations(0), &LIMITS, 1);
    assert!(verdict.errors <= 1 && !verdict.complete && covered.levels == [1]);
    // 20! executions: the estimate knows.
    let estimate = covered.estimate.unwrap();
    assert!((estimate.log10() - 18.386).abs() < 1.0, "{estimate:?}");
}

/// The walk that found the error counts; of 20! executions, no two are the same.
#[test]
fn an_error_ends_a_sample_and_its_walk_counts() {
    let limits = Limits { keep_going: false, ..LIMITS };
    let goal = Goal::Sample { walks: 2_000, seed: 1, depth: None };
    for workers in [1, 3] {
        let (verdict, covered, _) = search(&master(), goal, &limits, workers);
        assert_eq!((verdict.errors, verdict.stopped), (1, Some(Stop::Error)));
        assert_eq!(covered.walks + 1, verdict.stats.executions);
    }
}

/// Each walk by priorities shows the bug with the probability that is promised, or with a larger one.
#[test]
fn priorities_keep_their_promise() {
    let mut system = Choosing::new(master());
    for depth in [1, 2, 3] {
        let policy = Policy::Pct { depth, steps: 20 };
        let mut wrong = 0_u32;
        for number in 0..4_000 {
            let task = Task::Random { policy, seed: 11, walks: number..number + 1 };
            let result = run(&mut system, &task, &mut Memory::default(), &LIMITS, &mut Shown::default());
            assert_eq!(result.agents.len(), 20);
            wrong += u32::from(result.verdict.errors > 0);
        }
        let least = 1.0 / 20.0;
        let part = f64::from(wrong) / 4_000.0;
        // Binomial: four standard deviations.
        assert!(part > least - 4.0 * (least / 4_000.0_f64).sqrt(), "depth {depth}: {part} of {least}");
    }
    let goal = Goal::Sample { walks: 100, seed: 11, depth: Some(2) };
    let (verdict, covered, _) = search(&master(), goal, &LIMITS, 1);
    assert!(verdict.errors == 1 && covered.agents == 20 && covered.steps == 20 && covered.walks == 100);
}

//! What an exploration consists of, for the page: what the choices of each call cost, and the states where they are
//! few. Both look at the program once more after the exploration, so that they cost nothing where no page is wanted,
//! and do not depend on the number of processes.
//!
//! *Costs.* A random execution that made choices with b₁, b₂, …, bₙ candidates stands for b₁·b₂·…·bₙ executions
//! (`smpi_checker::walks::estimate`). Each factor belongs to the call that makes the choice. The mean logarithm of a
//! call's factors says what this call multiplies the executions by.
//!
//! *States.* The exploration is repeated, and each choice that it makes is noted.

use std::collections::BTreeMap;

use smpi_base::map::{Map, Set};
use smpi_base::plan::{ReductionPlan, VerifyPlan};
use smpi_checker::walks::{Memory, Policy, Task, run};
use smpi_checker::{
    Choices, Configuration, Event, Flow, Limits, Observer, Outlook, Settled, Stats, Stop, System, explore,
};
use smpi_report::finding::Buffering;
use smpi_report::tree::{Circle, Cost, Costs, Graph, Line, Tree};
use smpi_runtime::summary::Wall;

use crate::findings::findings_at;
use crate::limits::Patient;
use crate::program::watched::{Watched, Watcher};
use crate::program::{Program, is_surprised};
use crate::schedule::in_words::told;
use crate::search::outcome::Explored;

/// Random executions whose choices are looked at, at most, and how many for each execution of the exploration.
const MOST_WALKS: u64 = 100;
const WALKS_EACH: u64 = 4;
/// Choices that are looked at.
const MOST_CHOICES: u64 = 20_000;
/// States that are drawn.
pub(crate) const MOST_STATES: u64 = 200;

/// How a mode was explored.
pub struct Looked<'a> {
    /// Which.
    pub mode: Buffering,
    /// What was asked for.
    pub options: &'a VerifyPlan,
    /// The limits of its exploration.
    pub limits: &'a Limits,
    /// The time.
    pub wall: &'a Wall,
}

/// What the exploration of the present mode has consisted of; nothing where it was not left to end by itself.
pub fn of(program: &mut Program, explored: &Explored, looked: &Looked<'_>) -> Option<Tree> {
    let &Looked { mode, options, limits, wall } = looked;
    let is_ended = explored.timed_out || explored.verdict.stopped == Some(Stop::Asked) || is_surprised();
    if options.report_html.is_none() || options.reduction != ReductionPlan::Matches || is_ended {
        return None;
    }
    let stats = &explored.verdict.stats;
    let mut patient = Patient { options, wall };
    let costs = costs(program, stats.executions, limits, &mut patient);
    let is_small = explored.covered.is_none() && stats.configurations <= MOST_STATES;
    let graph = is_small.then(|| graph(program, mode, stats.executions, limits, &mut patient));
    Some(Tree { costs: Some(costs), graph: graph.flatten() })
}

/// What one random execution has shown of a call.
#[derive(Default)]
struct Share {
    ranks: Set<u32>,
    choices: u64,
    candidates: u64,
    ln_factor: f64,
}

/// Calls by their words and places.
type Shares = BTreeMap<(String, String), Share>;

/// Notes the choices of one walk after the other.
#[derive(Default)]
struct Toll {
    walk: Shares,
    noted: u64,
}

impl Watcher for Toll {
    fn takes(&mut self, program: &mut Program, _: &[Event], event: Event, choices: &Choices) {
        let Some(choice) = choices.find(event.choice) else { return };
        let count = match choices.are_reluctant() {
            true => choices.all().map(|choice| choices.candidates(choice).len()).sum(),
            false => choice.how_many_tried(),
        };
        if count < 2 || self.noted >= MOST_CHOICES {
            return;
        }
        self.noted += 1;
        let line = told(program, event, choices).line;
        let mut call = line.place.call.clone();
        if !line.arguments.is_empty() {
            call = format!("{call}({})", line.arguments);
        }
        let share = self.walk.entry((call, line.place.source())).or_default();
        share.ranks.insert(line.place.rank);
        share.choices += 1;
        share.candidates = share.candidates.max(count as u64);
        share.ln_factor += (count as f64).ln();
    }

    fn settled(&mut self, _: &mut Program, _: &[Event], _: Settled) {}
}

/// What calls cost, by random executions.
fn costs(program: &mut Program, executions: u64, limits: &Limits, patient: &mut Patient<'_>) -> Costs {
    let limits = Limits { executions: u64::MAX, keep_going: true, ..*limits };
    let mut watched = Watched::new(program, Toll::default());
    let mut all = Shares::new();
    let mut walks = 0;
    for number in 0..MOST_WALKS.min(executions * WALKS_EACH) {
        let task = Task::Random { policy: Policy::Uniform, seed: 0, walks: number..number + 1 };
        let result = run(&mut watched, &task, &mut Memory::default(), &limits, patient);
        let walk = std::mem::take(&mut watched.watcher.walk);
        if watched.watcher.noted >= MOST_CHOICES && walks > 0 || result.verdict.stopped.is_some() {
            break;
        }
        // There is no such execution.
        if result.walks.iter().any(|walked| walked.ln_executions == f64::NEG_INFINITY) {
            continue;
        }
        walks += 1;
        for (call, share) in walk {
            let known = all.entry(call).or_default();
            known.ranks.extend(share.ranks);
            known.choices += share.choices;
            known.candidates = known.candidates.max(share.candidates);
            known.ln_factor += share.ln_factor;
        }
    }
    let mean = |sum: f64| sum / walks as f64;
    let cost = |((call, place), share): ((String, String), Share)| {
        let mut ranks: Vec<u32> = share.ranks.into_iter().collect();
        ranks.sort_unstable();
        let (choices, ln_factor) = (mean(share.choices as f64), mean(share.ln_factor));
        Cost { ranks, call, place, choices, candidates: share.candidates, ln_factor }
    };
    let mut calls: Vec<Cost> = all.into_iter().map(cost).collect();
    calls.sort_by(|one, other| other.ln_factor.total_cmp(&one.ln_factor));
    Costs { walks, calls }
}

/// Notes states and choices.
#[derive(Default)]
struct Draft {
    graph: Graph,
    numbers: Map<Configuration, usize>,
    known: Set<(usize, Event)>,
    /// States of executions that there are not.
    void: Set<usize>,
    /// The choice that was made last, if it is a new one.
    made: Option<(usize, String, String)>,
}

/// What a state is recognised by, as in the exploration.
fn key(program: &mut Program, path: &[Event]) -> Configuration {
    program.fingerprint().unwrap_or_else(|| {
        let mut marks = Vec::new();
        program.marks(&mut marks);
        Configuration::of(path).with_marks(&marks)
    })
}

impl Draft {
    fn number(&mut self, program: &mut Program, path: &[Event]) -> usize {
        let states = &mut self.graph.states;
        let number = *self.numbers.entry(key(program, path)).or_insert_with(|| {
            states.push(Circle { depth: path.len() as u32, ..Circle::default() });
            states.len() - 1
        });
        states[number].depth = states[number].depth.min(path.len() as u32);
        number
    }

    /// The graph, without what there is not.
    fn finished(self) -> Graph {
        let Graph { states, steps } = self.graph;
        let mut numbers = vec![usize::MAX; states.len()];
        let mut kept = Vec::with_capacity(states.len());
        for (number, state) in states.into_iter().enumerate() {
            if !self.void.contains(&number) {
                numbers[number] = kept.len();
                kept.push(state);
            }
        }
        let renumbered = |step: Line| Line { from: numbers[step.from], to: numbers[step.to], ..step };
        let is_kept = |step: &Line| step.to != usize::MAX;
        Graph { states: kept, steps: steps.into_iter().map(renumbered).filter(is_kept).collect() }
    }
}

impl Watcher for Draft {
    fn takes(&mut self, program: &mut Program, path: &[Event], event: Event, choices: &Choices) {
        let from = self.number(program, path);
        self.made = self.known.insert((from, event)).then(|| {
            let (short, words) = told(program, event, choices).briefly();
            (from, short, words)
        });
    }

    fn settled(&mut self, program: &mut Program, path: &[Event], settled: Settled) {
        let to = self.number(program, path);
        if settled == Settled::Void {
            self.void.insert(to);
        }
        self.graph.states[to].is_end = settled == Settled::Finished;
        if let Some((from, short, words)) = self.made.take() {
            self.graph.steps.push(Line { from, to, short, words, part: None });
        }
    }
}

/// Notes what is found at the ends of executions.
struct Ends<'a, 'b> {
    mode: Buffering,
    patient: &'a mut Patient<'b>,
}

impl Observer<Watched<'_, Draft>> for Ends<'_, '_> {
    fn execution(&mut self, watched: &mut Watched<'_, Draft>, settled: Settled, path: &[Event]) -> Flow {
        let number = watched.watcher.number(watched.program, path);
        for finding in findings_at(watched.program, settled, path, Some(self.mode)) {
            let found = &mut watched.watcher.graph.states[number].found;
            let key = finding.key.to_string();
            if !found.contains(&key) {
                found.push(key);
            }
        }
        Flow::Continue
    }

    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        Observer::<Watched<'_, Draft>>::visit(self.patient, stats, outlook)
    }
}

/// The states of the exploration, which had so many executions; `None` where they are too many, or time is up.
fn graph(
    program: &mut Program,
    mode: Buffering,
    executions: u64,
    limits: &Limits,
    patient: &mut Patient<'_>,
) -> Option<Graph> {
    let limits = Limits { executions, ..*limits };
    let mut watched = Watched::new(program, Draft::default());
    let verdict = explore(&mut watched, &limits, &mut Ends { mode, patient });
    let graph = watched.watcher.finished();
    let is_whole = verdict.stopped != Some(Stop::Asked) && graph.states.len() as u64 <= MOST_STATES;
    (is_whole && graph.states.len() > 1).then_some(graph)
}

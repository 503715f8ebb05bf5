//! What is walked, and what has come of it.
//!
//! A search hands out tasks ([`Search::hand_out`]), takes their results in any order ([`Search::finish`]), and puts
//! them together in the order of the tasks ([`Search::merge`]). A state that an earlier walk has met, with the same
//! number of deviations or fewer, is where a later walk ends: all that follows is the same. Workers may know of such
//! states, or not ([`super::Memory`]): the search cuts the walks itself.

use smpi_base::map::{Map, Set};

use super::estimate::{self, ESTIMATE_SEED, Estimate};
use super::{Policy, Task, TaskResult, Walked};
use crate::choice::Event;
use crate::configuration::Configuration;
use crate::tolls::Toll;
use crate::verdict::{Limits, Stop, Verdict};

/// Random walks of one task.
const WALKS: u64 = 32;
/// Walks of one task that leave an execution, about.
const BRANCHES: u32 = 64;

/// What is walked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The natural execution, and random ones.
    Sample {
        /// How many.
        walks: u64,
        /// Another seed gives other walks.
        seed: u64,
        /// The depth of bugs for priorities; `None`: uniform walks.
        depth: Option<u32>,
    },
    /// All executions with so many deviations or fewer, those with fewer first.
    Deviations(u32),
}

/// What a search has covered.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Covered {
    /// Random walks that were done.
    pub walks: u64,
    /// New executions for each number of deviations.
    pub levels: Vec<u64>,
    /// Events of the natural execution.
    pub steps: u32,
    /// No other execution is left.
    pub exhausted: bool,
    /// Agents that the walks met.
    pub agents: u64,
    /// The estimate from uniform walks.
    pub estimate: Option<Estimate>,
}

/// An execution that has states from which others deviate.
#[derive(Debug)]
struct Parent {
    deviations: Vec<(u32, Event)>,
    /// Positions of these states, and how many events each has beside the execution's.
    branches: Vec<(u32, u32)>,
}

/// What is being done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Natural,
    /// Random walks; `next` is the number of the next one.
    Random {
        next: u64,
    },
    /// Executions with so many deviations.
    Level(u32),
    /// Uniform walks for an estimate.
    Estimate {
        next: u64,
    },
    Over,
}

/// A search, as far as it is.
#[derive(Debug)]
pub struct Search {
    goal: Goal,
    limits: Limits,
    phase: Phase,
    /// Executions of this level that are left by tasks to come, the next one last.
    parents: Vec<Parent>,
    /// Those of the next level, in their order.
    children: Vec<Parent>,
    /// Tasks that were handed out, and not merged.
    open: Map<u64, Task>,
    results: Map<u64, TaskResult>,
    handed_out: u64,
    merged: u64,
    /// States that walks have met, and ends.
    known: Set<Configuration>,
    ends: Set<Configuration>,
    agents: Set<u64>,
    /// Numbers that uniform walks stand for.
    lns: Vec<f64>,
    is_least: bool,
    /// Nothing is left to be walked.
    exhausted: bool,
    /// A walk was cut at a state that nobody else has met. Equal keys are equal states, so this does not happen.
    lost: bool,
    verdict: Verdict,
    covered: Covered,
}

/// A task whose result was put together with those before it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The task.
    pub task: u64,
    /// For each execution that the task has shown: its number among all, from 1; `None` for one that was known.
    pub numbers: Vec<Option<u64>>,
}

impl Search {
    /// Nothing done yet.
    pub fn new(goal: Goal, limits: &Limits) -> Search {
        Search {
            goal,
            limits: *limits,
            phase: Phase::Natural,
            parents: Vec::new(),
            children: Vec::new(),
            open: Map::default(),
            results: Map::default(),
            handed_out: 0,
            merged: 0,
            known: Set::default(),
            ends: Set::default(),
            agents: Set::default(),
            lns: Vec::new(),
            is_least: false,
            exhausted: false,
            lost: false,
            verdict: Verdict::default(),
            covered: Covered::default(),
        }
    }

    /// The next task, with its number. `None`: nothing is to be done before the results of others are known, or at all.
    pub fn hand_out(&mut self) -> Option<(u64, Task)> {
        let task = match self.phase {
            Phase::Natural if self.handed_out == 0 => Task::Natural,
            Phase::Random { next } => self.random(next)?,
            Phase::Estimate { next } => {
                let until = (next + WALKS).min(estimate::WALKS);
                self.phase = Phase::Estimate { next: until };
                let walks = next..until;
                (!walks.is_empty()).then_some(Task::Random { policy: Policy::Uniform, seed: ESTIMATE_SEED, walks })?
            }
            Phase::Level(_) => self.branches()?,
            Phase::Natural | Phase::Over => return None,
        };
        let number = self.handed_out;
        self.handed_out += 1;
        self.open.insert(number, task.clone());
        Some((number, task))
    }

    fn random(&mut self, next: u64) -> Option<Task> {
        let Goal::Sample { walks, seed, depth } = self.goal else { return None };
        let until = (next + WALKS).min(walks);
        self.phase = Phase::Random { next: until };
        let policy = match depth {
            Some(depth) => Policy::Pct { depth, steps: self.covered.steps.max(1) },
            None => Policy::Uniform,
        };
        (next < until).then_some(Task::Random { policy, seed, walks: next..until })
    }

    fn branches(&mut self) -> Option<Task> {
        let parent = self.parents.last_mut()?;
        let mut walks = 0;
        let fitting = parent.branches.iter().take_while(|(_, more)| {
            walks += more;
            walks <= BRANCHES
        });
        let count = fitting.count().max(1);
        let here: Vec<(u32, u32)> = parent.branches.drain(..count).collect();
        let (first, last) = (here.first()?.0, here.last()?.0);
        let task = Task::Branches { deviations: parent.deviations.clone(), positions: first..last + 1 };
        if parent.branches.is_empty() {
            self.parents.pop();
        }
        Some(task)
    }

    /// What came of a task.
    pub fn finish(&mut self, task: u64, result: TaskResult) {
        self.results.insert(task, result);
    }

    /// Puts the next result together with those before it, if it is there. After the end of a search, further results
    /// do not matter.
    pub fn merge(&mut self) -> Option<Merged> {
        let number = self.merged;
        if self.phase == Phase::Over {
            return None;
        }
        let result = self.results.remove(&number)?;
        let task = self.open.remove(&number)?;
        self.merged += 1;
        let mut numbers = Vec::new();
        for (index, walked) in result.walks.iter().enumerate() {
            if self.verdict.stats.executions >= self.limits.executions {
                self.verdict.stopped = Some(Stop::Executions);
                break;
            }
            // The last walk of a task that was stopped did not come to its end.
            let is_whole = result.verdict.stopped.is_none() || index + 1 < result.walks.len();
            self.walk(&task, walked, is_whole, &mut numbers);
        }
        self.agents.extend(&result.agents);
        let (into, of) = (&mut self.verdict, result.verdict);
        into.bounded |= of.bounded;
        into.left_out |= of.left_out;
        into.tolls.join(&of.tolls);
        if into.errors > 0 {
            into.first = into.first.take().or(of.first);
        }
        // A task's own limit on executions is that of the whole search.
        into.stopped = into.stopped.or(of.stopped);
        if into.stopped.is_some() {
            self.phase = Phase::Over;
        } else {
            self.advance();
        }
        Some(Merged { task: number, numbers })
    }

    /// Takes in one walk.
    fn walk(&mut self, task: &Task, walked: &Walked, is_whole: bool, numbers: &mut Vec<Option<u64>>) {
        let known = walked.met.iter().find(|(_, key)| !self.known.insert(*key)).map(|(position, _)| *position);
        self.lost |= walked.is_cut && known.is_none();
        let mut until = known.unwrap_or(walked.until);
        let is_own = |position: u32| known.is_none_or(|known| position < known);
        let level = match task {
            Task::Branches { deviations, .. } => Some(deviations.len() + 1),
            Task::Natural => Some(0),
            Task::Random { .. } => None,
        };
        let mut is_known = known.is_some();
        for end in &walked.ends {
            let is_new = is_own(end.position) && self.ends.insert(end.key);
            let is_counted = is_new && self.verdict.stats.executions < self.limits.executions;
            numbers.push(is_counted.then(|| self.count(end.error, level)));
            // What a worker has done beyond the limit, because it knew less of it or more, does not count.
            if is_counted && self.verdict.stats.executions == self.limits.executions {
                (until, is_known) = (end.position, false);
            }
        }
        let stats = &mut self.verdict.stats;
        stats.transitions += u64::from(until - walked.from) + u64::from(walked.deviation.is_some());
        stats.configurations += u64::from(until - walked.from) + u64::from(!is_known);
        stats.revisits += u64::from(is_known);
        stats.depth = stats.depth.max(u64::from(until));
        // One that was stopped by its error has been walked, but how much it stands for is not known.
        if matches!(self.phase, Phase::Random { .. }) && (is_whole || !walked.ends.is_empty()) {
            self.covered.walks += 1;
        }
        if matches!(task, Task::Random { policy: Policy::Uniform, .. }) && is_whole {
            self.lns.push(walked.ln_executions);
            self.is_least |= walked.is_least;
        }
        if task == &Task::Natural {
            self.covered.steps = walked.until;
            self.exhausted = walked.branches.is_empty();
        }
        if matches!(self.goal, Goal::Deviations(_)) && level.is_some() {
            self.note_parent(task, walked, &is_own);
        }
    }

    /// The number of an execution that is new.
    fn count(&mut self, is_error: bool, level: Option<usize>) -> u64 {
        self.verdict.stats.executions += 1;
        self.verdict.errors += u64::from(is_error);
        if let Some(level) = level {
            self.covered.levels.resize(self.covered.levels.len().max(level + 1), 0);
            self.covered.levels[level] += 1;
        }
        self.verdict.stats.executions
    }

    /// Remembers where others may deviate from this walk.
    fn note_parent(&mut self, task: &Task, walked: &Walked, is_own: &dyn Fn(u32) -> bool) {
        let branches: Vec<(u32, u32)> =
            walked.branches.iter().copied().filter(|(position, _)| is_own(*position)).collect();
        if branches.is_empty() {
            return;
        }
        let mut deviations = match task {
            Task::Branches { deviations, .. } => deviations.clone(),
            _ => Vec::new(),
        };
        deviations.extend(walked.deviation);
        self.children.push(Parent { deviations, branches });
    }

    /// Goes on to the next phase when nothing of the present one is left.
    fn advance(&mut self) {
        if self.handed_out > self.merged {
            return;
        }
        self.phase = match (self.phase, self.goal) {
            (Phase::Natural, Goal::Sample { .. }) if self.exhausted => Phase::Over,
            (Phase::Natural, Goal::Sample { .. }) => Phase::Random { next: 0 },
            (Phase::Natural, Goal::Deviations(most)) => self.next_level(1, most),
            (Phase::Level(level), Goal::Deviations(most)) if self.parents.is_empty() => {
                self.next_level(level + 1, most)
            }
            (Phase::Random { next }, Goal::Sample { walks, depth, .. }) if next == walks => match depth {
                Some(_) => Phase::Estimate { next: 0 },
                None => Phase::Over,
            },
            (Phase::Estimate { next: estimate::WALKS }, _) => Phase::Over,
            (phase, _) => phase,
        };
    }

    /// The phase for executions with one deviation more.
    fn next_level(&mut self, level: u32, most: u32) -> Phase {
        self.exhausted = self.children.is_empty();
        if self.exhausted {
            return Phase::Over;
        }
        if level > most {
            self.children.clear();
            return Phase::Estimate { next: 0 };
        }
        self.parents = std::mem::take(&mut self.children);
        self.parents.reverse();
        Phase::Level(level)
    }

    /// Whether nothing more is to be done.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Stops: what was merged counts.
    pub fn stop(&mut self) {
        self.verdict.stopped = self.verdict.stopped.or(Some(Stop::Asked));
        self.phase = Phase::Over;
    }

    /// Executions and transitions so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.verdict.stats.executions, self.verdict.stats.transitions)
    }

    /// The call that multiplies most, as far as uniform walks show.
    pub fn dearest(&self) -> Option<Toll> {
        self.verdict.tolls.dearest()
    }

    /// The part that is done, from 0 to 1, where that is known.
    pub fn share(&self) -> Option<f64> {
        match self.goal {
            Goal::Sample { walks, .. } => Some(self.covered.walks as f64 / walks.max(1) as f64),
            Goal::Deviations(_) => None,
        }
    }

    /// The verdict, and what was covered. It is complete if nothing was left to be walked.
    pub fn conclude(mut self) -> (Verdict, Covered) {
        self.verdict.conclude(false);
        self.covered.exhausted = self.exhausted && !self.lost;
        self.verdict.complete &= self.covered.exhausted;
        self.covered.agents = self.agents.len() as u64;
        self.covered.estimate = Estimate::of(&self.lns, self.is_least);
        (self.verdict, self.covered)
    }
}

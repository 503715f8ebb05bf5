//! The default exploration: depth first over configurations, one choice at a time, lazily expanded.
//!
//! At every state one choice is taken, with all its candidates. The others are explored from that state only if,
//! somewhere below, a candidate arrived late for the one taken. Why that is enough: see the crate's documentation,
//! which also says why every execution is seen once.
//!
//! States below a choice that might be expanded are remembered by their key, each with the late arrivals of its
//! subtree, so that a branch that leads to one again reports them and goes no further. Below closed choices only, two
//! branches never meet, and nothing is remembered.

use smpi_base::map::Map;

use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::reduction::Strategy;
use crate::system::{Settled, System};
use crate::verdict::{Counterexample, Flow, Limits, Observer, Outlook, Stop, Verdict};

/// What is known of a state whose subtree was explored.
#[derive(Clone, Copy)]
struct Summary {
    /// Index into the table of sets; 0 is the empty one.
    late: u32,
    /// As `late`, for choices that made a difference after all.
    seen: u32,
    /// Some execution below ended by [`Settled::Failed`], which may hide late arrivals.
    cut: bool,
}

/// A visited state as a worker reports it, so that several workers' counts can be united.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Visited {
    /// Which state.
    pub key: Configuration,
    /// Branches taken from it.
    pub branches: u32,
    /// It is the end of an execution.
    pub end: bool,
    /// The end is an error.
    pub error: bool,
    /// Its other choices were explored, too.
    pub expanded: bool,
}

/// A state on the current path.
struct Frame<T> {
    key: Configuration,
    /// The key without the system's marks.
    base: Configuration,
    /// The choice explored first; `None` where all are reluctant, and explored.
    first: Option<ChoiceId>,
    /// It may be expanded.
    open: bool,
    /// It must be remembered.
    remember: bool,
    expanded: bool,
    cut: bool,
    /// Its branches in the arena, and the next one to take.
    start: usize,
    next: usize,
    end: usize,
    snapshot: Option<T>,
    /// Late arrivals below, ascending.
    late: Vec<ChoiceId>,
    /// The choice explored first is alike.
    alike: bool,
    /// Choices that made a difference below although they were offered as alike, ascending.
    seen: Vec<ChoiceId>,
    /// Branches that are left out as long as their choice makes no difference.
    withheld: Vec<Event>,
}

impl<T> Frame<T> {
    /// True when the other choices must be explored, too.
    fn must_expand(&self) -> bool {
        let Some(first) = self.first else { return false };
        let is_late = self.late.binary_search(&first).is_ok();
        let counts = !self.alike || self.seen.binary_search(&first).is_ok();
        self.open && !self.expanded && (self.cut || is_late && counts)
    }
}

/// Part of a program to explore: everything below a sequence of choices.
#[derive(Clone, Copy, Default, Debug)]
pub struct Part<'a> {
    /// The choices that lead there.
    pub prefix: &'a [Event],
    /// Some state on the way may be expanded, so that other parts may meet this one.
    pub shared: bool,
}

/// What exploring a part gave.
#[derive(Clone, Default, Debug)]
pub struct PartResult {
    /// As for a whole program; revisits and expansions of this part only.
    pub verdict: Verdict,
    /// Late arrivals in this part for choices of its prefix, ascending; those of the last step to its first state too.
    pub late: Vec<ChoiceId>,
    /// Choices of its prefix that made a difference in this part although they were offered as alike, ascending.
    pub seen: Vec<ChoiceId>,
    /// An execution in it was cut by a failure.
    pub cut: bool,
    /// All states visited, if the part is shared.
    pub visited: Vec<Visited>,
}

/// The strategy.
pub struct Matches;

impl<S: System> Strategy<S> for Matches {
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        explore(system, limits, observer)
    }
}

/// Explores a whole program.
pub fn explore<S: System>(system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
    explore_part(system, Part::default(), limits, observer).verdict
}

/// Explores a part of a program, in the same order as the exploration of the whole would.
pub fn explore_part<S: System>(
    system: &mut S,
    part: Part<'_>,
    limits: &Limits,
    observer: &mut dyn Observer<S>,
) -> PartResult {
    let mut exploration = Exploration {
        system,
        limits,
        observer,
        part,
        frames: Vec::new(),
        branches: Vec::new(),
        path: part.prefix.to_vec(),
        standing: false,
        visited: Map::default(),
        sets: Sets::new(),
        choices: Choices::new(),
        arrived: Vec::new(),
        noticed: Vec::new(),
        marks: Vec::new(),
        result: PartResult::default(),
    };
    exploration.run();
    exploration.result
}

struct Exploration<'a, S: System> {
    system: &'a mut S,
    limits: &'a Limits,
    observer: &'a mut dyn Observer<S>,
    part: Part<'a>,
    frames: Vec<Frame<S::Snapshot>>,
    branches: Vec<Event>,
    /// Choices that lead to the last frame (while a branch is entered: to its end).
    path: Vec<Event>,
    /// The system stands at the state of the last frame.
    standing: bool,
    visited: Map<Configuration, Summary>,
    sets: Sets,
    choices: Choices,
    /// Late arrivals of the last step.
    arrived: Vec<ChoiceId>,
    /// Choices that the last step showed to make a difference.
    noticed: Vec<ChoiceId>,
    /// The system's marks in the present state.
    marks: Vec<Event>,
    result: PartResult,
}

impl<S: System> Exploration<'_, S> {
    fn run(&mut self) {
        let settled = self.replay(0, None);
        let base = self.path.iter().fold(Configuration::default(), |key, &event| key.with(event));
        unite(&mut self.result.late, &self.arrived);
        unite(&mut self.result.seen, &self.noticed);
        let key = self.marked(base);
        let mut flow = self.visit(base, key, settled);
        while flow == Flow::Continue
            && let Some(frame) = self.frames.last()
        {
            flow = if frame.next < frame.end {
                self.branch()
            } else if frame.withheld.iter().any(|event| frame.seen.binary_search(&event.choice).is_ok()) {
                self.release();
                Flow::Continue
            } else if frame.must_expand() {
                self.expand();
                Flow::Continue
            } else {
                self.leave();
                Flow::Continue
            };
        }
        // After a stop, the states on the path are explored in part.
        while let Some(frame) = self.frames.pop() {
            let branches = (frame.next - frame.start) as u32;
            self.note(Visited {
                key: frame.key,
                branches,
                end: false,
                error: false,
                expanded: frame.expanded && frame.first.is_some(),
            });
        }
        let verdict = &mut self.result.verdict;
        verdict.left_out = self.system.left_out();
        verdict.complete = verdict.stopped.is_none() && !verdict.bounded && !verdict.left_out;
    }

    /// Takes the next branch of the last frame.
    fn branch(&mut self) -> Flow {
        self.stand();
        let depth = self.frames.len() - 1;
        let frame = &mut self.frames[depth];
        let event = self.branches[frame.next];
        frame.next += 1;
        if frame.next == frame.end && (frame.expanded || !frame.open) {
            frame.snapshot = None;
        }
        let base = frame.base.with(event);
        self.system.take(event);
        self.path.push(event);
        self.standing = false;
        let settled = self.system.settle();
        self.result.verdict.stats.transitions += 1;
        self.listen();
        let key = self.marked(base);
        let frame = &mut self.frames[depth];
        unite(&mut frame.late, &self.arrived);
        unite(&mut frame.seen, &self.noticed);
        if let Some(summary) = self.visited.get(&key) {
            self.result.verdict.stats.revisits += 1;
            frame.cut |= summary.cut;
            unite(&mut frame.late, self.sets.get(summary.late));
            unite(&mut frame.seen, self.sets.get(summary.seen));
            self.path.pop();
            return Flow::Continue;
        }
        self.visit(base, key, settled)
    }

    /// The key of the state at which the system stands.
    fn marked(&mut self, base: Configuration) -> Configuration {
        self.marks.clear();
        self.system.marks(&mut self.marks);
        self.marks.iter().fold(base, |key, &mark| key.marked(mark))
    }

    /// Meets a state for the first time; the system stands there, and `path` leads there.
    fn visit(&mut self, base: Configuration, key: Configuration, settled: Settled) -> Flow {
        if self.result.verdict.stats.executions >= self.limits.executions {
            return self.stop(Stop::Executions);
        }
        let stats = &mut self.result.verdict.stats;
        stats.configurations += 1;
        stats.depth = stats.depth.max(self.path.len() as u64);
        let frames = &self.frames;
        let outlook = || Some(outlook(frames));
        if self.observer.visit(&self.result.verdict.stats, &outlook) == Flow::Stop {
            // What has failed on the way here would otherwise be shown when this execution ends.
            if self.system.failed() && self.report(key, Settled::Choices, true) == Flow::Stop {
                return Flow::Stop;
            }
            return self.stop(Stop::Asked);
        }
        if settled == Settled::Void {
            self.leave_void(key);
            return Flow::Continue;
        }
        let failed = self.system.failed() || settled.is_error();
        if settled.is_end() {
            return self.end(key, settled, failed);
        }
        if failed && !self.limits.keep_going {
            return self.end(key, settled, true);
        }
        if self.path.len() >= self.limits.depth {
            self.result.verdict.bounded = true;
            let settled = if settled == Settled::Reluctant { settled } else { Settled::Bounded };
            return self.end(key, settled, failed);
        }
        let flow = if settled == Settled::Reluctant { self.report(key, settled, true) } else { Flow::Continue };
        self.enter(base, key);
        flow
    }

    /// Makes a frame of the state at which the system stands.
    fn enter(&mut self, base: Configuration, key: Configuration) {
        self.choices.clear();
        self.system.choices(&mut self.choices);
        let first = self.choices.first().copied();
        let start = self.branches.len();
        let mut withheld = Vec::new();
        match &first {
            Some(first) => self.choices.branches(first, &mut self.branches, &mut withheld),
            None => self.choices.all().for_each(|choice| {
                self.choices.branches(choice, &mut self.branches, &mut withheld);
            }),
        }
        let snapshot = if self.branches.len() - start > 1 { self.system.snapshot() } else { None };
        let remember = self.frames.last().map_or(self.part.shared, |parent| parent.remember || parent.open);
        self.frames.push(Frame {
            key,
            base,
            first: first.map(|first| first.id),
            open: first.is_none_or(|first| !first.closed),
            remember,
            expanded: first.is_none(),
            cut: false,
            start,
            next: start,
            end: self.branches.len(),
            snapshot,
            late: Vec::new(),
            alike: first.is_some_and(|first| first.alike),
            seen: Vec::new(),
            withheld,
        });
        self.standing = true;
    }

    /// Takes note of what the last step has shown.
    fn listen(&mut self) {
        self.arrived.clear();
        self.noticed.clear();
        self.system.late(&mut self.arrived);
        self.system.seen(&mut self.noticed);
    }

    /// The end of an execution, or of what is to be seen of it.
    fn end(&mut self, key: Configuration, settled: Settled, failed: bool) -> Flow {
        let flow = self.report(key, settled, failed);
        let cut = settled == Settled::Failed;
        if self.frames.last().map_or(self.part.shared, |parent| parent.remember || parent.open) {
            self.visited.insert(key, Summary { late: 0, seen: 0, cut });
        }
        match self.frames.last_mut() {
            Some(parent) => {
                parent.cut |= cut;
                self.path.pop();
            }
            None => self.result.cut |= cut,
        }
        flow
    }

    /// Counts the end of an execution, and shows it.
    fn report(&mut self, key: Configuration, settled: Settled, failed: bool) -> Flow {
        let verdict = &mut self.result.verdict;
        verdict.stats.executions += 1;
        verdict.bounded |= settled == Settled::Bounded;
        if failed {
            verdict.errors += 1;
            self.error(settled);
        }
        let flow = self.observer.execution(self.system, settled, &self.path);
        self.note(Visited { key, branches: 0, end: true, error: failed, expanded: false });
        if failed && !self.limits.keep_going {
            return self.stop(Stop::Error);
        }
        if flow == Flow::Stop { self.stop(Stop::Asked) } else { Flow::Continue }
    }

    /// The last branch led to what is no execution.
    fn leave_void(&mut self, key: Configuration) {
        if self.frames.last().map_or(self.part.shared, |parent| parent.remember || parent.open) {
            self.visited.insert(key, Summary { late: 0, seen: 0, cut: false });
        }
        self.note(Visited { key, branches: 0, end: false, error: false, expanded: false });
        if !self.frames.is_empty() {
            self.path.pop();
        }
    }

    fn error(&mut self, settled: Settled) {
        if self.result.verdict.first.is_none() {
            self.result.verdict.first = Some(Counterexample { settled, path: self.path.clone() });
        }
    }

    fn stop(&mut self, why: Stop) -> Flow {
        self.result.verdict.stopped = Some(why);
        Flow::Stop
    }

    /// Adds the branches of all other choices to the last frame.
    fn expand(&mut self) {
        self.stand();
        self.choices.clear();
        self.system.choices(&mut self.choices);
        self.result.verdict.stats.expansions += 1;
        let frame = self.frames.last_mut().expect("a frame is expanded");
        frame.expanded = true;
        for choice in self.choices.all().filter(|choice| Some(choice.id) != frame.first) {
            self.choices.branches(choice, &mut self.branches, &mut frame.withheld);
        }
        self.add_branches();
    }

    /// Takes the branches of the last frame that were left out, and whose choice makes a difference.
    fn release(&mut self) {
        self.stand();
        let frame = self.frames.last_mut().expect("a frame is released");
        let seen = &frame.seen;
        let released = frame.withheld.extract_if(.., |event| seen.binary_search(&event.choice).is_ok());
        self.branches.extend(released);
        self.add_branches();
    }

    /// The branches added last are the last frame's, at which the system stands.
    fn add_branches(&mut self) {
        let frame = self.frames.last_mut().expect("branches belong to a frame");
        frame.end = self.branches.len();
        if frame.snapshot.is_none() && frame.end - frame.next > 1 {
            frame.snapshot = self.system.snapshot();
        }
    }

    /// The last frame is explored: what it found out goes to its parent.
    fn leave(&mut self) {
        let mut frame = self.frames.pop().expect("a frame is left");
        self.branches.truncate(frame.start);
        self.standing = false;
        frame.late.retain(|&late| Some(late) != frame.first);
        frame.seen.retain(|&seen| Some(seen) != frame.first);
        if frame.remember {
            let (late, seen) = (self.sets.intern(&frame.late), self.sets.intern(&frame.seen));
            self.visited.insert(frame.key, Summary { late, seen, cut: frame.cut });
        }
        let branches = (frame.end - frame.start) as u32;
        self.note(Visited {
            key: frame.key,
            branches,
            end: false,
            error: false,
            expanded: frame.expanded && frame.first.is_some(),
        });
        match self.frames.last_mut() {
            Some(parent) => {
                self.path.pop();
                parent.cut |= frame.cut;
                unite(&mut parent.late, &frame.late);
                unite(&mut parent.seen, &frame.seen);
            }
            None => {
                self.result.cut |= frame.cut;
                unite(&mut self.result.late, &frame.late);
                unite(&mut self.result.seen, &frame.seen);
            }
        }
    }

    fn note(&mut self, visited: Visited) {
        if self.part.shared {
            self.result.visited.push(visited);
        }
    }

    /// Brings the system to the state of the last frame.
    fn stand(&mut self) {
        if self.standing {
            return;
        }
        let nearest = self.frames.iter().rposition(|frame| frame.snapshot.is_some());
        let prefix = self.part.prefix.len();
        self.replay(nearest.map_or(0, |at| prefix + at), nearest);
        self.standing = true;
    }

    /// Restores the snapshot of a frame, or starts again, and makes the choices of the path from `from` on.
    fn replay(&mut self, from: usize, snapshot: Option<usize>) -> Settled {
        let stats = &mut self.result.verdict.stats;
        let mut settled = Settled::Choices;
        if let Some(snapshot) = snapshot.and_then(|at| self.frames[at].snapshot.as_ref()) {
            stats.restores += 1;
            self.system.restore(snapshot);
        } else {
            self.system.reset();
            settled = self.system.settle();
        }
        for index in from..self.path.len() {
            self.listen();
            self.result.verdict.stats.replayed += 1;
            self.system.take(self.path[index]);
            settled = self.system.settle();
        }
        self.listen();
        settled
    }
}

/// Adds to an ascending list without repetition.
fn unite(into: &mut Vec<ChoiceId>, more: &[ChoiceId]) {
    for &id in more {
        if let Err(at) = into.binary_search(&id) {
            into.insert(at, id);
        }
    }
}

/// How far the exploration is that stands at the last of these states.
fn outlook<T>(frames: &[Frame<T>]) -> Outlook {
    let (mut explored, mut left, mut share) = (0.0, 0, 1.0);
    for frame in frames {
        let branches = (frame.end - frame.start) as f64;
        explored += share * (frame.next - frame.start).saturating_sub(1) as f64 / branches;
        left += (frame.end - frame.next) as u64;
        share /= branches;
    }
    Outlook { explored, left }
}

/// Sets of choices, each stored once.
struct Sets {
    sets: Vec<Box<[ChoiceId]>>,
    numbers: Map<Box<[ChoiceId]>, u32>,
}

impl Sets {
    fn new() -> Sets {
        Sets { sets: vec![Box::default()], numbers: Map::default() }
    }

    fn get(&self, number: u32) -> &[ChoiceId] {
        &self.sets[number as usize]
    }

    fn intern(&mut self, set: &[ChoiceId]) -> u32 {
        if set.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.into());
        self.numbers.insert(set.into(), number);
        number
    }
}

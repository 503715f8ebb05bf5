//! Watches an exploration: turns erroneous ends of executions into findings, and keeps to the limits.

use std::borrow::Cow;

use smpi_base::WorldRank;
use smpi_base::eprintln;
use smpi_base::map::Set;
use smpi_base::plan::VerifyPlan;
use smpi_checker::reduction::histories::Groups;
use smpi_checker::walks::estimate::Estimate;
use smpi_checker::{Event, Flow, Keep, NewFile, Observer, Outlook, Settled, Stats, Stop, System, Verdict};
use smpi_mpi::usage::extend_digest;
use smpi_report::Findings;
use smpi_report::finding::{Buffering, Finding};
use smpi_report::progress::{Counts, Progress};

use crate::findings::determinism::Messages;
use crate::findings::findings_at;
use crate::findings::race::Comparison;
use crate::limits::interrupt;
use crate::limits::memory::{Memory, new_file};
use crate::program::callers;
use crate::program::{End, LeftOut, Program, driven, is_surprised};
use crate::search::course::Course;
use crate::search::estimate;
use crate::search::outcome::{ByStates, Explored, Instead, Otherwise, Results, Worth};
use crate::trail;
use smpi_choices::Discoveries;
use smpi_runtime::summary::Wall;

/// States between two looks at what is to be shown.
const PROGRESS_INTERVAL: u64 = 64;

/// Executions after which it is judged how many there are and why: fewer than another process would explore alone.
const ENOUGH: u64 = 48;

/// So many times as many after which it is judged again, where polls cost most: the more often a loop has polled, the
/// more executions there turn out to be.
const AGAIN: u64 = 8;

/// Executions after which it is judged last.
const LAST: u64 = ENOUGH * AGAIN * AGAIN;

/// An execution may be long: as many choices count as one.
const LONG: u64 = 128;

/// It is the first one of so many parts after which it is looked how long executions are, to see whether they grow.
const EARLY: u64 = 4;

/// Executions of which there must be more for another way to be worth it.
const MANY: f64 = 1000.0;

/// Of so many executions there may be one state, where polls multiply them, for states to be worth it: those that were
/// explored in vain are few then beside the executions.
const WORTH: f64 = 10.0;

/// The same where something else does: what it decides is less often forgotten soon.
const WORTH_ELSEWHERE: f64 = 100.0;

/// By what ranks are told, so many executions are tried at most: it shows late that there are too many of them.
const MOST_TOLD: u64 = 5_000;

/// The part of the time that is left for explaining what was found.
const EXPLAINED: f64 = 0.2;

/// Keeping takes at most one part of so many of the time.
const KEEPING: f64 = 20.0;

/// Keeps an exploration that has changed like this, with what was seen of it so far; false where it cannot.
pub type Keeper<'a> = dyn FnMut(&Collector<'_>, &Program, &[u8]) -> bool + 'a;

/// How an exploration is kept.
struct Keeping<'a> {
    keeper: &'a mut Keeper<'a>,
    every_secs: f64,
    /// When it is to be kept next.
    due_secs: f64,
}

/// How a mode is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// As the options say.
    AsAsked,
    /// The same, but it may be seen that there is a better way, after so many executions.
    Adapts(u64),
    /// By what groups of ranks are told, if there are several and no more executions than this.
    Told(u64),
    /// By states, if they are worth it.
    States(Worth),
}

impl Way {
    /// A better way is looked for from the beginning.
    pub const ADAPTS: Way = Way::Adapts(ENOUGH);

    /// The way after so many executions that showed nothing better.
    pub fn after(executions: u64) -> Way {
        if executions < LAST { Way::Adapts(executions * AGAIN) } else { Way::AsAsked }
    }

    /// Whether a better way is looked for.
    pub fn adapts(self) -> bool {
        matches!(self, Way::Adapts(_))
    }
}

/// What the first executions show.
#[derive(Debug, Default)]
pub struct Shown {
    /// Which ranks choices had an effect on together.
    groups: Groups,
    /// Who has made choices.
    chose: Set<WorldRank>,
    /// Choices of the longest execution, when the first part was seen of what is judged by; 0 before.
    depth: u64,
}

impl Shown {
    /// Learns from an execution.
    fn note(&mut self, program: &Program, path: &[Event]) {
        self.groups.note(program.influence().as_ref(), path.len());
        self.chose.extend(path.iter().map(|event| event.choice.rank()));
    }

    /// Remembers how long the longest execution is, once a part of what is judged by was seen.
    fn note_depth(&mut self, stats: &Stats, next: u64) {
        if self.depth == 0 && has_come(stats, next / EARLY) {
            self.depth = stats.depth;
        }
    }

    /// How the executions are explored better, as far as is known after so many, or after as many choices as `after`
    /// have.
    fn judge(&mut self, stats: &Stats, after: u64, outlook: &Outlook) -> Option<Instead> {
        let executions = stats.executions.max(1);
        let ln_executions = (executions as f64).ln() - outlook.ln_explored;
        let are_many = ln_executions > MANY.ln();
        // Polls in a loop without an end: each execution has polled once more than the one before.
        let grow = stats.depth >= 2 * std::mem::take(&mut self.depth);
        let are_enough = are_many && stats.executions >= ENOUGH;
        let polls = multiplies_by_polls(outlook);
        let worth = if polls { WORTH } else { WORTH_ELSEWHERE };
        let of_executions = if are_many { (ln_executions.exp() / worth) as u64 } else { 0 };
        let of_choices = if grow && polls { after * LONG } else { 0 };
        let most = of_executions.max(of_choices);
        let states = (most > 0).then_some(ByStates { worth: Worth { most, recur: !polls }, after });
        // Several ranks choose, in ways of which it is known what they have an effect on.
        if are_enough && self.chose.len() > 1 && !self.groups.are_whole() {
            let most = MOST_TOLD.min((ln_executions.exp() / WORTH) as u64);
            let otherwise = match states {
                _ if self.groups.are_apart(self.chose.iter().copied()) => Otherwise::Groups,
                Some(states) => Otherwise::States(states),
                None => Otherwise::Executions,
            };
            return Some(Instead::Told { most, otherwise });
        }
        states.map(Instead::States)
    }
}

/// Whether an exploration has come to so many executions, or to as many choices.
fn has_come(stats: &Stats, executions: u64) -> bool {
    stats.executions >= executions || stats.transitions >= executions * LONG
}

/// Whether polls multiply the executions most.
fn multiplies_by_polls(outlook: &Outlook) -> bool {
    outlook.dearest.is_some_and(callers::is_poll)
}

/// Collects findings of one mode.
pub struct Collector<'a> {
    mode: Buffering,
    options: &'a VerifyPlan,
    wall: &'a Wall,
    findings: &'a mut Findings,
    progress: &'a mut Progress,
    visits: u64,
    /// What every rank printed, and its exit code, in executions that ended well.
    pub outputs: Comparison<End>,
    /// What every rank sent and received there.
    pub messages: Messages,
    /// The time limit ended the exploration.
    pub timed_out: bool,
    memory: Memory,
    /// The limit on memory did.
    pub is_full: bool,
    way: Way,
    shown: Shown,
    /// It is to be explored in another way.
    pub instead: Option<Instead>,
    /// Executions after which several processes go on, once no better way is looked for.
    alone: u64,
    /// There were so many.
    pub is_to_be_shared: bool,
    /// The time at which an exploration has taken too long.
    deadline_secs: f64,
    /// It has come.
    pub is_too_long: bool,
    /// Executions that were seen.
    executions: u64,
    /// The different results.
    pub results: Results,
    /// The deadlock with zero buffering that is looked for, to tell whether it depends on buffering.
    wanted: Option<Finding>,
    /// It was found, which ended the exploration.
    pub is_settled: bool,
    /// How many executions there are.
    estimate: Option<Estimate>,
    course: Course,
    /// A trail is left of how far the exploration is, after what was explored before it.
    trail: Option<trail::Counts>,
    keeping: Option<Keeping<'a>>,
    has_gone_on: bool,
}

impl<'a> Collector<'a> {
    /// A collector that adds to `findings`.
    pub fn new(
        mode: Buffering,
        options: &'a VerifyPlan,
        wall: &'a Wall,
        findings: &'a mut Findings,
        progress: &'a mut Progress,
    ) -> Collector<'a> {
        Collector {
            mode,
            options,
            wall,
            findings,
            progress,
            visits: 0,
            outputs: Comparison::default(),
            messages: Messages::new(options.determinism),
            timed_out: false,
            memory: Memory::of(options),
            is_full: false,
            way: Way::AsAsked,
            shown: Shown::default(),
            instead: None,
            alone: u64::MAX,
            is_to_be_shared: false,
            deadline_secs: f64::INFINITY,
            is_too_long: false,
            executions: 0,
            results: Results::new(),
            wanted: None,
            is_settled: false,
            estimate: None,
            course: Course::default(),
            trail: None,
            keeping: None,
            has_gone_on: false,
        }
    }

    /// The same, which ends the exploration when this deadlock with zero buffering is found to happen here as well.
    pub fn looking_for(self, wanted: Option<Finding>) -> Collector<'a> {
        Collector { wanted, ..self }
    }

    /// The same, which ends the exploration if this way turns out not to be the best.
    pub fn going(self, way: Way) -> Collector<'a> {
        Collector { way, ..self }
    }

    /// The same, which ends the exploration after so many executions, once it looks for no better way.
    pub fn alone(self, executions: u64) -> Collector<'a> {
        Collector { alone: executions, ..self }
    }

    /// The same, which ends the exploration after so many seconds.
    pub fn within(self, seconds: f64) -> Collector<'a> {
        Collector { deadline_secs: self.wall.seconds() + seconds, ..self }
    }

    /// The same, which keeps the exploration after so many seconds again and again, and when it ends early.
    pub fn keeping(self, every_secs: f64, keeper: &'a mut Keeper<'a>) -> Collector<'a> {
        let due_secs = self.wall.seconds() + every_secs;
        Collector { keeping: Some(Keeping { keeper, every_secs, due_secs }), ..self }
    }

    /// The same, which leaves a trail of how far it is, after what was explored before.
    pub fn leaving_trail(self, earlier: trail::Counts) -> Collector<'a> {
        Collector { trail: Some(earlier), ..self }
    }
}

impl Collector<'_> {
    /// It goes on with what another process has explored.
    pub fn has_gone_on(&self) -> bool {
        self.has_gone_on
    }

    /// What was found so far.
    pub fn findings(&self) -> &Findings {
        self.findings
    }

    /// Whether the time is up. Looking is cheap, and the time from one state to the next may be long.
    fn is_late(&self) -> bool {
        let limit = self.options.time_limit_secs;
        // What was found is to be explained within the same time.
        let is_something = !self.findings.as_slice().is_empty();
        let explained = if is_something { self.options.explain_within_secs.min(limit * EXPLAINED) } else { 0.0 };
        limit > 0.0 && self.wall.seconds() > limit - explained
    }

    /// What the exploration gave that was watched.
    pub fn explored(&mut self, mut verdict: Verdict) -> Explored {
        self.note_settled(&mut verdict);
        self.course.end(&verdict);
        let (race, results) = (self.outputs.race.take(), std::mem::take(&mut self.results));
        let messages = self.messages.races();
        let (timed_out, is_full, left_out) = (self.timed_out, self.is_full, LeftOut::here());
        let instead = self.instead;
        let discovered = Discoveries::new();
        Explored {
            estimate: self.estimate.take(),
            course: std::mem::take(&mut self.course),
            unnamed: None,
            covered: None,
            verdict,
            timed_out,
            is_full,
            instead,
            race,
            results,
            left_out,
            discovered,
            messages,
        }
    }

    /// An exploration that found what it looked for has stopped at an error.
    pub fn note_settled(&self, verdict: &mut Verdict) {
        if self.is_settled && verdict.stopped == Some(Stop::Asked) {
            verdict.stopped = Some(Stop::Error);
        }
    }

    /// Remembers the result of an execution.
    fn note_result(&mut self, program: &Program, settled: Settled) {
        let is_end = matches!(settled, Settled::Finished | Settled::Deadlock | Settled::Reluctant);
        if is_end && !program.is_cut_short() {
            let digest = |digest: u64, &(output, exit): &End| {
                let exit = exit.map_or(i64::MIN, i64::from);
                extend_digest(extend_digest(digest, &output.to_le_bytes()), &exit.to_le_bytes())
            };
            let list = || if self.options.list_results { program.results() } else { Vec::new() };
            self.results.entry(program.ends().iter().fold(0, digest)).or_insert_with(list);
        }
    }

    /// Compares what the ranks have printed, and their messages, with the first execution.
    fn compare(&mut self, program: &Program, settled: Settled, path: &[Event]) {
        if settled != Settled::Finished || program.failed() || program.is_cut_short() {
            return;
        }
        self.messages.note(path);
        // Times may be among what was printed after a deadline.
        if !driven(|driver, _| driver.is_timed()) {
            self.outputs.note(|| program.ends(), path);
        }
    }
}

impl Collector<'_> {
    /// Whether the mode is to be explored in another way from now on.
    fn is_judged(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> bool {
        if let Way::Adapts(next) = self.way {
            self.shown.note_depth(stats, next);
        }
        self.instead = match self.way {
            Way::Adapts(next) if has_come(stats, next) => {
                let outlook = outlook();
                let mut instead = outlook.and_then(|outlook| self.shown.judge(stats, next, &outlook));
                // What is looked for was found by executions, and is explained by them.
                if self.wanted.is_some() {
                    instead = instead.and_then(Instead::without_states);
                }
                let is_open = outlook.is_some_and(|outlook| multiplies_by_polls(&outlook));
                self.way = if is_open { Way::after(next) } else { Way::AsAsked };
                instead
            }
            Way::Told(most) => (stats.executions > most).then_some(Instead::Executions),
            Way::States(worth) => (!worth.is_there(stats)).then_some(Instead::Executions),
            Way::Adapts(_) | Way::AsAsked => None,
        };
        self.instead.is_some()
    }
}

impl Observer<Program> for Collector<'_> {
    fn execution(&mut self, program: &mut Program, settled: Settled, path: &[Event]) -> Flow {
        if is_surprised() {
            return Flow::Stop;
        }
        self.executions += 1;
        if self.way.adapts() {
            self.shown.note(program, path);
        }
        self.note_result(program, settled);
        self.compare(program, settled, path);
        let as_made = path;
        let mut path = Cow::Borrowed(path);
        if settled == Settled::Deadlock {
            // Where states have names, it is known early that polls will never find anything.
            program.poll_on(&mut path);
        }
        let found = findings_at(program, settled, &path, Some(self.mode));
        program.keep_execution(settled, as_made, self.mode, &found);
        for mut finding in found {
            finding.execution = self.executions;
            self.is_settled |= self.wanted.as_ref().is_some_and(|wanted| wanted.shows(&finding));
            if self.findings.add(finding)
                && let Some(new) = self.findings.as_slice().last()
            {
                trail::note_finding(new);
            }
        }
        if self.is_settled { Flow::Stop } else { Flow::Continue }
    }

    /// Of states, nobody is told how many executions lead through them.
    fn many(&mut self, program: &mut Program) {
        if self.options.is_by_states() {
            return;
        }
        self.estimate = estimate::estimate(program, (self.options, self.wall), self.executions, self.visits);
    }

    fn are_one_group(&mut self) -> Flow {
        if !matches!(self.way, Way::Told(_)) {
            return Flow::Continue;
        }
        self.instead = Some(Instead::Executions);
        Flow::Stop
    }

    fn goes_on(&mut self, stats: Option<&Stats>) {
        self.has_gone_on = stats.is_some();
        self.executions = stats.map_or(0, |stats| stats.executions);
        if !self.has_gone_on {
            eprintln!(
                "smpirun: warning: --resume: the program comes to other states now than when these were kept (what it finds \
                 in its environment or in files may have changed): --buffering {} is explored from its beginning",
                self.mode
            );
        }
    }

    fn keeps(&mut self) -> Keep {
        // What has surprised the exploration ends it.
        let Some(keeping) = self.keeping.as_ref().filter(|_| !is_surprised()) else { return Keep::Later };
        let is_due = self.wall.seconds() > keeping.due_secs;
        (self.timed_out, self.is_full) = (self.is_late(), self.memory.is_over());
        match self.timed_out || self.is_full || interrupt::wanted() {
            true => Keep::AndStop,
            false if is_due => Keep::Now,
            false => Keep::Later,
        }
    }

    fn keep(&mut self, program: &mut Program, change: Vec<u8>) -> bool {
        let Some(mut keeping) = self.keeping.take() else { return false };
        let begun = self.wall.seconds();
        let is_kept = (keeping.keeper)(self, program, &change);
        let now = self.wall.seconds();
        keeping.due_secs = now + keeping.every_secs.max(KEEPING * (now - begun));
        self.keeping = Some(keeping);
        is_kept
    }

    fn wants_room(&mut self, movable: usize) -> Option<NewFile> {
        self.memory.wants_room(movable).then_some(new_file)
    }

    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.visits += 1;
        if let Some(earlier) = &self.trail {
            trail::note_counts(earlier.and(stats.executions, stats.transitions, stats.configurations));
        }
        if is_surprised() {
            return Flow::Stop;
        }
        // One that is kept ends where it can be.
        let ends_here = self.keeping.is_none();
        if ends_here && self.is_late() {
            self.timed_out = true;
            return Flow::Stop;
        }
        if ends_here && self.memory.is_over() {
            self.is_full = true;
            return Flow::Stop;
        }
        if ends_here && interrupt::wanted() {
            return Flow::Stop;
        }
        if self.wall.seconds() > self.deadline_secs {
            self.is_too_long = true;
            return Flow::Stop;
        }
        if self.is_judged(stats, outlook) {
            return Flow::Stop;
        }
        self.is_to_be_shared = stats.executions >= self.alone && !self.way.adapts();
        if self.is_to_be_shared {
            return Flow::Stop;
        }
        if self.course.is_due(stats.executions)
            && let Some(outlook) = outlook()
        {
            self.course.note(stats.executions, outlook.ln_explored);
        }
        if !self.visits.is_multiple_of(PROGRESS_INTERVAL) {
            return Flow::Continue;
        }
        let findings = self.findings.as_slice().len() as u64;
        self.progress.update(|| {
            let outlook = outlook();
            let mut course = self.course.clone();
            course.note(stats.executions, outlook.map_or(0.0, |outlook| outlook.ln_explored));
            let is_by_states = self.options.is_by_states();
            Counts {
                executions: stats.executions,
                transitions: stats.transitions,
                estimate: estimate::reported(self.estimate.as_ref(), &course, stats.executions)
                    .filter(|_| !is_by_states),
                choices_left: outlook.map(|outlook| outlook.left),
                explored: outlook.map(|outlook| outlook.ln_explored.exp()),
                dearest: outlook.and_then(|outlook| outlook.dearest).filter(|_| !is_by_states).map(callers::briefly),
                findings,
            }
        });
        Flow::Continue
    }
}

//! Watches an exploration: turns the ends of executions that are errors into findings, and keeps to the limits.

use std::collections::BTreeMap;

use smpi_base::WorldRank;
use smpi_base::plan::VerifyPlan;
use smpi_checker::{Event, Flow, Observer, Outlook, Settled, Stats, Stop, Verdict};
use smpi_mpi::usage::extend_digest;
use smpi_report::finding::{Buffering, Finding, LastCall, Location, RankState};
use smpi_report::progress::{Counts, Progress};
use smpi_report::source::SourceLocation;
use smpi_report::verdict::RankResult;
use smpi_report::{FindingKey, Findings};

use super::anyway::{self, Outcome};
use super::cancelled::{self, Names};
use super::failure::Failure;
use super::system::{End, Program, driven};
use super::token;
use super::trail;
use super::words::{self, Race};
use super::workers::{Explored, LeftOut};
use crate::runtime::state::{MpiPhase, RankRun};
use crate::runtime::summary::{self, Wall};
use crate::runtime::with;

/// States between two looks at what is to be shown.
const PROGRESS_INTERVAL: u64 = 64;

/// The different results by their hashes; empty ones unless they are to be listed.
pub type Results = BTreeMap<u64, Vec<RankResult>>;

/// Collects findings of one mode.
pub struct Collector<'a> {
    mode: Buffering,
    options: &'a VerifyPlan,
    wall: &'a Wall,
    findings: &'a mut Findings,
    progress: &'a mut Progress,
    visits: u64,
    /// What every rank printed, and its exit code, in the first execution that ended well, and the schedule.
    pub first: Option<(Vec<End>, Vec<Event>)>,
    /// The first execution that ended well, but otherwise.
    pub race: Option<Race>,
    /// The time limit ended the exploration.
    pub timed_out: bool,
    /// Executions that were seen.
    executions: u64,
    /// The different results.
    pub results: Results,
    /// The deadlock with zero buffering that is looked for, to tell whether it depends on buffering.
    wanted: Option<Finding>,
    /// It was found, which ended the exploration.
    pub is_settled: bool,
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
            first: None,
            race: None,
            timed_out: false,
            executions: 0,
            results: Results::new(),
            wanted: None,
            is_settled: false,
        }
    }

    /// The same, which ends the exploration when this deadlock with zero buffering is found to happen here as well.
    pub fn looking_for(self, wanted: Option<Finding>) -> Collector<'a> {
        Collector { wanted, ..self }
    }
}

impl Collector<'_> {
    /// Whether the time is up. Looking is cheap, and the time from one state to the next may be long.
    fn is_late(&self) -> bool {
        self.options.time_limit_secs > 0.0 && self.wall.seconds() > self.options.time_limit_secs
    }

    /// What the exploration gave that was watched.
    pub fn explored(&mut self, mut verdict: Verdict) -> Explored {
        self.note_settled(&mut verdict);
        let (race, results) = (self.race.take(), std::mem::take(&mut self.results));
        let (timed_out, left_out) = (self.timed_out, LeftOut::here());
        Explored { verdict, timed_out, race, results, left_out, discovered: Names::new() }
    }

    /// An exploration that found what it looked for has stopped at an error.
    pub fn note_settled(&self, verdict: &mut Verdict) {
        if self.is_settled && verdict.stopped == Some(Stop::Asked) {
            verdict.stopped = Some(Stop::Error);
        }
    }

    /// Remembers the result of an execution.
    fn note_result(&mut self, program: &Program, settled: Settled) {
        if matches!(settled, Settled::Finished | Settled::Deadlock | Settled::Reluctant) {
            let digest = |digest: u64, &(output, exit): &End| {
                let exit = exit.map_or(i64::MIN, i64::from);
                extend_digest(extend_digest(digest, &output.to_le_bytes()), &exit.to_le_bytes())
            };
            let list = || if self.options.list_results { program.results() } else { Vec::new() };
            self.results.entry(program.ends().iter().fold(0, digest)).or_insert_with(list);
        }
    }

    /// Compares what the ranks have printed with the first execution.
    fn compare(&mut self, program: &Program, settled: Settled, path: &[Event]) {
        // Times may be among what was printed after a deadline.
        let is_timed = driven(|driver, _| driver.is_timed());
        if settled != Settled::Finished || program.failed() || self.race.is_some() || is_timed {
            return;
        }
        let ends = program.ends();
        let Some((first, way)) = &self.first else {
            self.first = Some((ends, path.to_vec()));
            return;
        };
        if let Some(rank) = words::differing(first, &ends) {
            self.race = Some(Race { first: way.clone(), other: path.to_vec(), rank });
        }
    }
}

impl Observer<Program> for Collector<'_> {
    fn execution(&mut self, program: &mut Program, settled: Settled, path: &[Event]) -> Flow {
        if cancelled::is_surprised() {
            return Flow::Stop;
        }
        self.executions += 1;
        self.note_result(program, settled);
        self.compare(program, settled, path);
        for mut finding in findings_at(program, settled, path, Some(self.mode)) {
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

    fn visit(&mut self, stats: &Stats, outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        self.visits += 1;
        if cancelled::is_surprised() {
            return Flow::Stop;
        }
        if self.is_late() {
            self.timed_out = true;
            return Flow::Stop;
        }
        if super::interrupt::wanted() {
            return Flow::Stop;
        }
        if !self.visits.is_multiple_of(PROGRESS_INTERVAL) {
            return Flow::Continue;
        }
        let outlook = outlook();
        let counts = Counts {
            executions: stats.executions,
            transitions: stats.transitions,
            choices_left: outlook.map(|outlook| outlook.left),
            explored: outlook.map(|outlook| outlook.explored),
            findings: self.findings.as_slice().len() as u64,
        };
        self.progress.update(&counts);
        Flow::Continue
    }
}

/// What is wrong where the program stands now. A deadlock that buffering would cure is told from one that it would not;
/// one schedule (no `mode`) does not tell.
pub fn findings_at(program: &mut Program, settled: Settled, path: &[Event], mode: Option<Buffering>) -> Vec<Finding> {
    let is_open = settled == Settled::Reluctant && mode.is_some();
    if !is_open || program.failed() || driven(|driver, _| driver.is_polling()) {
        return standing_at(program, settled, path, mode);
    }
    let here = program.copy();
    let outcome = anyway::outcome(program, path);
    let found = match &outcome {
        Outcome::Same(path) => standing_at(program, Settled::Deadlock, path, mode),
        Outcome::Cured => Vec::new(),
    };
    program.put_back(&here);
    if matches!(outcome, Outcome::Same(_)) {
        return found;
    }
    let mut found = standing_at(program, settled, path, mode);
    found.iter_mut().for_each(|finding| finding.key = FindingKey::DeadlockBuffering);
    found
}

/// What is wrong where the program stands now, as it is.
fn standing_at(program: &mut Program, settled: Settled, path: &[Event], mode: Option<Buffering>) -> Vec<Finding> {
    let mut found: Vec<Finding> = with(|runtime| runtime.failures.iter().map(of_failure).collect());
    // A rank that died is the cause of what others wait for and of what is left; so are collectives that did not match.
    let died = with(|runtime| {
        let is_early = |failure: &Failure| runtime.ranks[failure.rank.index()].phase != MpiPhase::After;
        runtime.failures.iter().any(|failure| failure.finding.is_none() && is_early(failure))
    });
    let mixed_up = found.iter().any(|finding| finding.key == FindingKey::CollectiveMismatch);
    match settled {
        Settled::Deadlock | Settled::Reluctant if !died => {
            with(|runtime| runtime.world.note_unreceived());
            found.extend(crate::checks::of_notes(&mut program.ranks));
            found.extend((!mixed_up).then(of_deadlock));
        }
        Settled::Finished if !died => {
            let left = crate::checks::at_end();
            found.extend(left.into_iter().filter(|left| !mixed_up || left.key != FindingKey::PendingAtFinalize));
        }
        _ => {}
    }
    if found.is_empty() {
        return found;
    }
    let calls = last_calls(program);
    let replay = token::write(mode.unwrap_or(Buffering::Zero), &cancelled::names(), path);
    for finding in &mut found {
        finding.buffering = mode;
        finding.replay = replay.clone();
        finding.last_calls = calls.clone();
        if finding.key == FindingKey::Deadlock || finding.key == FindingKey::DeadlockBuffering {
            finding.locations =
                calls.iter().filter(|call| call.state == RankState::Blocked).map(|call| call.place.clone()).collect();
        }
    }
    found
}

fn of_failure(failure: &Failure) -> Finding {
    if let Some(finding) = &failure.finding {
        return (**finding).clone();
    }
    let mut finding = Finding::new(failure.key, failure.message.clone());
    finding.ranks = vec![failure.rank.0];
    finding.located(placed(Location::new(failure.rank.0, failure.call), failure.place.as_ref()))
}

fn placed(mut location: Location, place: Option<&SourceLocation>) -> Location {
    if let Some(place) = place {
        location.file = place.file.clone();
        location.line = place.line;
        location.function = place.function.clone();
    }
    location
}

fn of_deadlock() -> Finding {
    let (stuck, polling) = with(|runtime| {
        let stuck: Vec<u32> =
            (0..runtime.ranks.len() as u32).filter(|&rank| runtime.ranks[rank as usize].exit.is_none()).collect();
        (stuck, runtime.driver.verification().is_some_and(|driver| driver.is_polling()))
    });
    let key = if polling { FindingKey::NonTermination } else { FindingKey::Deadlock };
    let message = match (key, stuck.len()) {
        (FindingKey::NonTermination, 1) => "a rank polls for ever, and nothing can change any more".to_string(),
        (FindingKey::NonTermination, count) => {
            format!("{count} ranks poll or wait for ever, and nothing can change any more")
        }
        (_, 1) => "a rank waits for ever".to_string(),
        (_, count) => format!("{count} ranks wait for ever"),
    };
    let mut finding = Finding::new(key, message);
    finding.cycle = with(|runtime| runtime.world.wait_cycle());
    finding.ranks = stuck;
    finding
}

/// What every rank did last.
fn last_calls(program: &mut Program) -> Vec<LastCall> {
    let runs: Vec<RankRun> = with(|runtime| runtime.ranks.clone());
    let words: Vec<(String, String)> = with(|runtime| {
        let ranks = (0..runs.len() as u32).map(WorldRank);
        ranks.map(|rank| (summary::arguments_of(runtime, rank), summary::waits_of(runtime, rank))).collect()
    });
    let failed: Vec<Failure> = with(|runtime| runtime.failures.clone());
    let rows = runs.iter().zip(words).enumerate().map(|(index, (run, words))| {
        let rank = index as u32;
        let failure = failed.iter().find(|failure| failure.rank.0 == rank && failure.finding.is_none());
        let state = match (failure, run.exit, run.in_call) {
            (Some(_), ..) => RankState::Failed,
            (None, Some(_), _) => RankState::Finished,
            (None, None, true) => RankState::Blocked,
            (None, None, false) => RankState::Returned,
        };
        let place = match (failure, state) {
            (Some(failure), _) => failure.place.clone(),
            (None, RankState::Blocked) => program.ranks.locate(WorldRank(rank)),
            _ => None,
        };
        // A rank that is not blocked has made its call; what it passed is not kept.
        let (arguments, detail) = if state == RankState::Blocked { words } else { Default::default() };
        LastCall { place: placed(Location::new(rank, run.call), place.as_ref()), arguments, state, detail }
    });
    rows.collect()
}

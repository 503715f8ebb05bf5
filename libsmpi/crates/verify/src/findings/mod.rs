//! Errors at the program's present state: failures, deadlocks and misuse as findings.

pub(crate) mod determinism;
pub(crate) mod if_buffered;
pub(crate) mod livelock;
pub(crate) mod race;
pub(crate) mod repeat;
pub(crate) mod uninitialised;

use smpi_base::WorldRank;
use smpi_base::words::counted;
use smpi_checker::{Event, Settled};
use smpi_report::FindingKey;
use smpi_report::finding::{Buffering, Finding, LastCall, Location, RankState};
use smpi_runtime::failure::Failure;
use smpi_runtime::state::{MpiPhase, RankRun, Standing, Waits};
use smpi_runtime::waiting::{Missing, near_of, started_by, unfinished_of, waited_in, waits_of};
use smpi_runtime::{summary, with};
use smpi_watch::checks::{self, located, location_of};

use crate::program::rounds_in_vain;
use crate::program::{MAX_FUTILE_POLLS, Program, driven, foreseen};
use crate::schedule::token;
use if_buffered::Outcome;

/// What is wrong where the program stands now. A deadlock that buffering would cure is told from one that it would
/// not; one schedule (no `mode`) does not tell.
pub fn findings_at(program: &mut Program, settled: Settled, path: &[Event], mode: Option<Buffering>) -> Vec<Finding> {
    let settled = if program.is_cut_short() { Settled::Void } else { settled };
    let is_open = settled == Settled::Reluctant && mode.is_some();
    if !is_open || program.failed() || driven(|driver, _| driver.is_polling()) {
        return standing_at(program, settled, path, mode);
    }
    let here = program.copy();
    let outcome = if_buffered::outcome(program, path);
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
    let mut found = bare_at(program, settled);
    if found.is_empty() {
        return found;
    }
    let calls = last_calls(program);
    let replay = token::write(mode.unwrap_or(Buffering::Zero), &foreseen(), path);
    for finding in &mut found {
        finding.buffering = mode;
        finding.replay = replay.clone();
        finding.last_calls = calls.clone();
        let waits = [FindingKey::Deadlock, FindingKey::DeadlockBuffering, FindingKey::NonTermination];
        if waits.contains(&finding.key) && finding.locations.is_empty() {
            finding.locations = waiting_places(&calls);
        }
    }
    found
}

/// The same without what every rank did last, which takes most of the time, and without how to come there: of a
/// deadlock, nobody knows the places then.
pub fn bare_at(program: &mut Program, settled: Settled) -> Vec<Finding> {
    let mut found: Vec<Finding> = with(|runtime| runtime.trouble.failures.iter().map(of_failure).collect());
    // A rank that died is the cause of what others wait for and of what is left; so are collectives that did not
    // match.
    let died = with(|runtime| {
        let is_early = |failure: &Failure| runtime.ranks[failure.rank.index()].phase != MpiPhase::After;
        runtime.trouble.failures.iter().any(|failure| failure.finding.is_none() && is_early(failure))
    });
    let mixed_up = found.iter().any(|finding| finding.key == FindingKey::CollectiveMismatch);
    match settled {
        Settled::Deadlock | Settled::Reluctant if !died => {
            with(|runtime| runtime.world.note_unreceived());
            found.extend(smpi_watch::checks::of_notes(&mut program.ranks));
            found.extend((!mixed_up).then(|| of_deadlock(program)));
        }
        Settled::Finished if !died => {
            let left = smpi_watch::checks::at_end();
            found.extend(left.into_iter().filter(|left| !mixed_up || left.key != FindingKey::PendingAtFinalize));
        }
        _ => {}
    }
    if settled != Settled::Void {
        found.extend(smpi_watch::checks::returned_errors());
    }
    found
}

/// Where ranks wait for ever, by which a deadlock is known. Who waits for its buffered messages to be received waits
/// because of those who do not receive them, and is a sender that has gone on where sends buffer: it counts only
/// where nobody waits for anything else.
fn waiting_places(calls: &[LastCall]) -> Vec<Location> {
    let blocked = calls.iter().filter(|call| call.state == RankState::Blocked);
    let drains = |call: &&LastCall| with(|runtime| runtime.ranks[call.place.rank as usize].waits == Waits::Buffer);
    let (draining, others): (Vec<&LastCall>, Vec<&LastCall>) = blocked.partition(drains);
    let telling = if others.is_empty() { draining } else { others };
    telling.into_iter().map(|call| call.place.clone()).collect()
}

fn of_failure(failure: &Failure) -> Finding {
    if let Some(finding) = &failure.finding {
        return (**finding).clone();
    }
    let mut finding = Finding::new(failure.key, failure.message.clone());
    finding.ranks = vec![failure.rank.0];
    finding.is_limit = failure.is_limit;
    finding.located(located(Location::new(failure.rank.0, failure.call), failure.place.as_ref()))
}

fn of_deadlock(program: &mut Program) -> Finding {
    let stuck = summary::stuck();
    let polling = with(|runtime| runtime.driver.verification().is_some_and(|driver| driver.is_polling()));
    let key = if polling { FindingKey::NonTermination } else { FindingKey::Deadlock };
    let is_limit = polling && !rounds_in_vain::poll_for_ever(program);
    let message = match (key, stuck.len()) {
        _ if is_limit => format!(
            "{} polled {MAX_FUTILE_POLLS} times in vain where nothing else can happen, and may yet give up",
            counted(stuck.len() as u64, "rank")
        ),
        (FindingKey::NonTermination, 1) => "a rank polls for ever, and nothing can change any more".to_string(),
        (FindingKey::NonTermination, count) => {
            format!("{count} ranks poll or wait for ever, and nothing can change any more")
        }
        (_, 1) => "a rank waits for ever".to_string(),
        (_, count) => format!("{count} ranks wait for ever"),
    };
    let mut finding = Finding::new(key, message);
    finding.cycle = with(|runtime| Missing::new(runtime).cycle());
    finding.ranks = stuck.into_iter().map(|rank| rank.0).collect();
    finding.is_limit = is_limit;
    finding
}

/// What else a failed rank was told, or was not.
fn clues(rank: WorldRank) -> Vec<String> {
    let error = checks::last_error(rank).map(|error| format!("error: rank {rank}'s {error}"));
    let idle = with(|runtime| runtime.ranks[rank.index()].idle).map(|(here, made)| {
        let [here, made] =
            [here, made].map(|origin| format!("{} at {}", origin.call, location_of(rank, origin).source()));
        format!("idle: rank {rank}'s {here} had nothing to wait for: the request of {made} was not started")
    });
    error.into_iter().chain(idle).collect()
}

/// What every rank did last.
pub(crate) fn last_calls(program: &mut Program) -> Vec<LastCall> {
    let runs: Vec<RankRun> = with(|runtime| runtime.ranks.clone());
    let words: Vec<(String, String, Option<String>)> = with(|runtime| {
        let (ranks, missing) = ((0..runs.len() as u32).map(WorldRank), Missing::new(runtime));
        let words =
            |rank| (summary::arguments_of(runtime, rank), waits_of(runtime, &missing, rank), near_of(runtime, rank));
        ranks.map(words).collect()
    });
    let failed: Vec<Failure> = with(|runtime| runtime.trouble.failures.clone());
    let born = runs.iter().zip(words).enumerate().filter(|(_, (run, _))| run.standing != Standing::Unborn);
    let rows = born.map(|(index, (run, words))| {
        let rank = index as u32;
        let failure = failed.iter().find(|failure| failure.rank.0 == rank && failure.finding.is_none());
        let state = match (failure, run.standing.exit(), run.doing.is_call()) {
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
        let (arguments, detail, near) = if state == RankState::Blocked { words } else { Default::default() };
        let place = located(Location::new(rank, run.call), place.as_ref());
        let (started_by, behind) = with(|runtime| match state {
            RankState::Blocked => (started_by(runtime, WorldRank(rank)), None),
            RankState::Failed => (Vec::new(), waited_in(runtime, WorldRank(rank))),
            _ => Default::default(),
        });
        let (unfinished, lacks) = with(|runtime| match state {
            RankState::Failed => {
                (unfinished_of(runtime, WorldRank(rank)), Missing::new(runtime).lacks(WorldRank(rank)))
            }
            _ => Default::default(),
        });
        let behind = behind.filter(|call| !call.ends_with(&format!(" at {}", place.source())));
        let clues = if state == RankState::Failed { clues(WorldRank(rank)) } else { Vec::new() };
        LastCall { place, arguments, state, detail, near, started_by, behind, unfinished, lacks, clues }
    });
    rows.collect()
}

//! Verification: the ranks of a run under the checker.
//!
//! `system.rs` makes the ranks a [`smpi_checker::System`]: they run until nothing moves, and the checker makes one of
//! the open choices. To make another choice, the checker first restores the ranks' earlier state. `collect.rs` watches
//! the exploration and turns errors into findings. `token.rs` writes schedules down so that they can be executed again.
//! All of this runs in a child process of the supervisor (`supervisor.rs`), which follows its progress by the trail
//! (`trail.rs`).
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod ahead;
mod ample;
mod anyway;
mod collect;
mod determinism;
mod discovered;
mod driver;
mod explored;
mod findings;
mod interrupt;
mod lasso;
mod livelock;
mod liveness;
mod memory;
mod naming;
mod pool;
mod race;
mod recording;
mod repeat;
mod retries;
mod seen;
mod self_check;
mod size;
mod states;
mod steps;
mod supervisor;
mod system;
mod token;
mod told;
mod trace;
mod trail;
mod tree;
mod turns;
mod uninitialised;
mod walks;
mod workers;

use std::ops::RangeInclusive;

use smpi_base::plan::{
    BufferingPlan, PropertyKind, PropertyPlan, ROUND_SIGNS, ReductionPlan, RunPlan, SearchPlan, VerifyPlan,
};
use smpi_base::words::counted;
use smpi_base::{eprint, eprintln};
use smpi_checker::reduction::{
    dpor::Dpor,
    matches::{Everything, Matches},
    none::All,
};
use smpi_checker::{Difference, Event, Limits, Reduction, Stop, Strategy, Token};
use smpi_mpi::usage::extend_digest;
use smpi_report::finding::Buffering;
use smpi_report::tree::Tree;
use smpi_report::verdict::{Bound, Mode, Report, States};
use smpi_report::{Finding, FindingKey, Findings, Progress};

use ahead::Ahead;
use collect::Collector;
use explored::Explored;
use liveness::{Bounds, Checked};
use pool::Pool;
use race::Race;
use smpi_liveness::in_one_line;
use smpi_process::{self as process, Ranks};
use smpi_runtime::summary::Wall;
use smpi_verification::Discoveries;
use system::Program;
use token::{Compared, Round};
use tree::Looked;
use walks::Walks;
use workers::Job;

/// Exit code when something was found.
const FOUND: i32 = smpi_base::exit::FOUND;
/// Exit code for refused input.
const REFUSED: i32 = smpi_base::exit::REFUSED;

/// Verifies a program, or executes one schedule of it; returns the exit code.
pub fn run(plan: &RunPlan, ranks: Ranks) -> i32 {
    let Some(options) = &plan.verify else { return REFUSED };
    process::catch_crashes();
    process::keep_error();
    smpi_watch::access::look_at(ranks.files());
    let report = Report { libraries: ranks.libraries(), ..empty_report(plan, options, ranks.first_count()) };
    supervisor::supervise(plan, options, report.clone(), move |wall| {
        let mut ranks = ranks;
        if !watch_steps(options) {
            eprintln!("smpirun: note: the system has no timer left: --call-timeout has no effect");
        }
        ranks.isolate();
        let mut program = Program::new(ranks, options);
        match &options.replay {
            Some(token) => replay(&mut program, options, token),
            None => verify(&mut program, report, options, wall),
        }
    })
}

/// Starts to watch for calls that do not end, if that is wanted; false where the system refuses.
fn watch_steps(options: &VerifyPlan) -> bool {
    process::grow_table();
    options.call_timeout_secs <= 0.0 || process::watch_steps(options.call_timeout_secs)
}

fn modes(options: &VerifyPlan) -> &'static [Buffering] {
    match options.buffering {
        BufferingPlan::Zero => &[Buffering::Zero],
        BufferingPlan::Infinite => &[Buffering::Infinite],
        BufferingPlan::Each => &[Buffering::Each],
        BufferingPlan::Both => &[Buffering::Zero, Buffering::Infinite],
    }
}

fn reduction(options: &VerifyPlan) -> Reduction {
    match options.reduction {
        ReductionPlan::None => Reduction::None,
        ReductionPlan::Dpor => Reduction::Dpor,
        ReductionPlan::Matches => Reduction::Matches,
    }
}

/// The groups of ranks that may change places.
fn symmetric_in_words(options: &VerifyPlan) -> String {
    let group = |group: &RangeInclusive<u32>| format!("{}-{}", group.start(), group.end());
    let groups: Vec<String> = options.symmetric.iter().map(group).collect();
    groups.join(",")
}

/// Whether several processes share a mode: where what one of them explores does not lead to states of the others.
fn shares_parts(options: &VerifyPlan) -> bool {
    reduction(options) == Reduction::Matches && !options.stateful
}

fn limits(options: &VerifyPlan, keep_going: bool) -> Limits {
    let executions = if options.max_executions == 0 { u64::MAX } else { options.max_executions };
    Limits { executions, depth: options.depth as usize, keep_going }
}

fn strategy(options: &VerifyPlan) -> Box<dyn Strategy<Program>> {
    match reduction(options) {
        // Single steps have no names.
        Reduction::None if options.stateful => Box::new(Everything { again: options.compare_states }),
        Reduction::None => Box::new(All),
        Reduction::Dpor => Box::new(Dpor),
        Reduction::Matches => Box::new(Matches),
    }
}

/// The report before anything was explored.
fn empty_report(plan: &RunPlan, options: &VerifyPlan, ranks: u32) -> Report {
    Report {
        command: command_of(plan),
        ranks,
        executions: 0,
        transitions: 0,
        seconds: 0.0,
        buffering: modes(options).iter().map(|mode| mode.to_string()).collect::<Vec<_>>().join("+"),
        reduction: reduction(options).to_string(),
        symmetric: symmetric_in_words(options),
        collectives: if options.atomic_collectives { "atomic" } else { "p2p" }.to_string(),
        modes: Vec::new(),
        bounds: Vec::new(),
        findings: Vec::new(),
        unseen: smpi_watch::access::unseen().to_vec(),
        libraries: Vec::new(),
    }
}

/// Explores the program. `wall` has run since somebody has waited for it.
fn verify(program: &mut Program, mut report: Report, options: &VerifyPlan, wall: &Wall) -> i32 {
    let mut findings = Findings::new();
    let mut progress = Progress::new();
    let mut ahead: Option<Ahead<'_>> = None;
    if let Some(property) = &options.property {
        return check_property(program, report, options, property, wall);
    }
    for &mode in modes(options) {
        program.set_buffering(mode);
        // A deadlock without buffering is looked for with buffering as well, past other errors, to tell whether it
        // depends on it: that decides its key, whether or not all findings are wanted.
        let wanted = findings.unsettled().filter(|_| mode == Buffering::Infinite && !options.keep_going).cloned();
        let limits = limits(options, options.keep_going || wanted.is_some());
        // What is looked for is not what another process has explored.
        let mut known = ahead.take().filter(|_| wanted.is_none());
        if pool::count(options) > 1 && !shares_parts(options) && mode == modes(options)[0] {
            let next = modes(options).get(1).map(|&mode| Pool { mode, options, wall });
            ahead = next.and_then(|pool| Ahead::begin(pool, program, &limits));
        }
        let earlier = counts(&report);
        let pass = Pass { pool: Pool { mode, options, wall }, limits: &limits, wanted, earlier };
        let mut explored = program.explore_knowing(&mut findings, |program, findings| {
            pass.explore(program, known.take(), findings, &mut progress)
        });
        add_differences(program, mode, &explored, options, &mut findings);
        let is_asked_to_stop = explored.verdict.stopped == Some(Stop::Asked);
        // Memory that was never written is the same under each kind of buffering.
        if !is_asked_to_stop && mode == modes(options)[0] && (options.keep_going || findings.is_empty()) {
            let found = uninitialised::look(program, mode, options, wall, explored.verdict.stats.executions);
            found.into_iter().for_each(|finding| {
                findings.add(finding);
            });
        }
        // What does not end is not executed again.
        let is_endless = findings.as_slice().iter().any(|finding| finding.key == FindingKey::NonTermination);
        let looked = Looked { mode, options, limits: &limits, wall };
        let tree = if is_endless || options.stateful { None } else { tree::of(program, &explored, &looked) };
        explored.unnamed = explored.unnamed.or(program.take_unnamed());
        add_mode(&mut report, mode, (explored, tree), options);
        if is_asked_to_stop || !findings.is_empty() && !options.keep_going && findings.unsettled().is_none() {
            // What ends the exploration of all modes need not have ended that of the present one.
            if report.modes.len() < modes(options).len() && report.bounds.is_empty() {
                report.bounds.push(Bound::FirstFinding);
            }
            break;
        }
    }
    progress.clear();
    smpi_runtime::event_loop::warn_of_sharing(&mut program.ranks);
    report.seconds = wall.seconds();
    let both = options.buffering == BufferingPlan::Both;
    let is_complete = report.modes.iter().any(|mode| mode.buffering == Buffering::Infinite && mode.complete);
    let all = if both { findings.settled(is_complete) } else { findings.into_vec() };
    let (warnings, found): (Vec<Finding>, _) = all.into_iter().partition(Finding::is_warning);
    warnings.into_iter().for_each(|finding| eprint!("{}", smpi_report::text::warning(&finding)));
    report.findings = found;
    illustrate(program, &mut report.findings, options);
    finish(&report, options)
}

/// What was explored in the modes that a report has.
fn counts(report: &Report) -> trail::Counts {
    let states = report.modes.iter().filter_map(|mode| Some(mode.states.as_ref()?.count)).sum();
    trail::Counts { executions: report.executions, transitions: report.transitions, states }
}

/// Checks a property under each kind of buffering, up to the first one in which it does not hold.
fn check_property(
    program: &mut Program,
    mut report: Report,
    options: &VerifyPlan,
    property: &PropertyPlan,
    wall: &Wall,
) -> i32 {
    for &mode in modes(options) {
        program.set_buffering(mode);
        let checked =
            match liveness::check_property(program, mode, property, Bounds { options, wall, earlier: counts(&report) })
            {
                Ok(checked) => checked,
                Err(message) => {
                    eprintln!("smpirun: {message}");
                    return REFUSED;
                }
            };
        let Checked { mut finding, coverage, stop, tree, counts_steps, unreduced, cancels, error } = checked;
        let (count, transitions) = (coverage.states as u64, coverage.steps as u64);
        let left_out = if finding.is_none() && stop.is_none() { left_out(cancels, options) } else { Vec::new() };
        let holds = finding.is_none() && stop.is_none() && left_out.is_empty();
        if unreduced.is_none() {
            report.reduction = "ample".into();
        }
        let fair = if property.unfair { "execution" } else { "fair execution" };
        let steps = if counts_steps { format!("; {}", liveness::STEPS) } else { String::new() };
        let error = error.map(|error| format!("; {error} in some execution, which is no violation: look for errors"));
        let also = steps + &error.map_or_else(String::new, |error| format!("{error} without a property"));
        let holds_words = holds.then(|| match property.kind {
            PropertyKind::Formula => format!("{} holds in every {fair}{also}", in_one_line(&property.text)),
            _ => format!("{} accepts no {fair}{also}", property.source),
        });
        let unreduced = unreduced.filter(|_| property.reduced);
        let states = States { count, in_files: 0, unnamed: program.take_unnamed(), holds: holds_words, unreduced };
        report.transitions += transitions;
        report.modes.push(Mode {
            buffering: mode,
            transitions,
            complete: holds,
            states: Some(states),
            tree,
            ..Mode::default()
        });
        report.bounds.extend(stop.map(|stop| match stop {
            liveness::Stop::Late => Bound::TimeLimit(options.time_limit_secs),
            liveness::Stop::Interrupted => Bound::Interrupted,
            liveness::Stop::Misused(what) => Bound::Uncontrolled(what),
            liveness::Stop::OutOfReach(what) => Bound::Uncontrolled(what),
            liveness::Stop::TooMany => Bound::Uncontrolled("there are more states than can be numbered".into()),
        }));
        report.bounds.extend(left_out);
        report.bounds.extend(finding.is_some().then_some(Bound::FirstViolation));
        draw(program, finding.as_mut_slice(), options);
        report.findings.extend(finding);
        if !report.findings.is_empty() || !report.bounds.is_empty() {
            break;
        }
    }
    report.seconds = wall.seconds();
    finish(&report, options)
}

/// What was not tried of a program whose property was not seen to be violated.
fn left_out(cancels: bool, options: &VerifyPlan) -> Vec<Bound> {
    let left_out = system::LeftOut::here();
    let cancelled = "operations are cancelled, which is looked at without a property only".to_string();
    let waitsome = Bound::MaxWaitsome(options.max_waitsome.into());
    let found = [
        cancels.then_some(Bound::Uncontrolled(cancelled)),
        left_out.cancels.then_some(Bound::Cancel),
        left_out.waitsome.then_some(waitsome),
    ];
    found.into_iter().flatten().chain(left_out.uncontrolled.into_iter().map(Bound::Uncontrolled)).collect()
}

/// Adds what differs between executions of one mode: that some end and others do not, and what they give. Only a
/// program without other errors has a result that can depend on something.
fn add_differences(
    program: &mut Program,
    mode: Buffering,
    explored: &Explored,
    options: &VerifyPlan,
    findings: &mut Findings,
) {
    if !options.keep_going && !findings.is_empty() {
        return;
    }
    if let Some(lost) = &explored.verdict.lost {
        findings.add(livelock::of_lost(program, mode, lost));
    }
    if let Some(race) = &explored.race {
        findings.add(race::of_race(program, mode, race));
    }
    for (race, compared) in explored.messages.iter().zip([Compared::Sends, Compared::Receives]) {
        if let Some(race) = race {
            findings.add(determinism::of_race(program, mode, race, compared));
        }
    }
}

/// Puts the choices that led to each finding into words, and the way there into a chart, if one is wanted.
fn illustrate(program: &mut Program, findings: &mut [Finding], options: &VerifyPlan) {
    for finding in &mut *findings {
        repeat::repeat(program, finding);
    }
    draw(program, findings, options);
    findings.iter_mut().for_each(|finding| token::shorten(program, &mut finding.replay));
}

/// Draws the way to each finding, if a page is wanted.
fn draw(program: &mut Program, findings: &mut [Finding], options: &VerifyPlan) {
    if options.report_html.is_none() {
        return;
    }
    for finding in findings {
        if let Some((buffering, foreseen, path)) = token::path(&finding.replay) {
            program.set_buffering(buffering);
            program.foresee(&foreseen);
            finding.trace = match &finding.lasso {
                Some(lasso) => trace::record_round(program, &path, lasso.prefix.len(), finding),
                None => trace::record(program, &path, finding),
            };
        }
    }
}

/// One exploration of one mode.
struct Pass<'a> {
    pool: Pool<'a>,
    limits: &'a Limits,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    wanted: Option<Finding>,
    /// What was explored in earlier modes.
    earlier: trail::Counts,
}

impl Pass<'_> {
    /// Explores; `known` is another process that does the same.
    fn explore(
        &self,
        program: &mut Program,
        known: Option<Ahead<'_>>,
        findings: &mut Findings,
        progress: &mut Progress,
    ) -> Explored {
        let &Pass { pool, limits, ref wanted, earlier } = self;
        let (Pool { mode, options, wall }, wanted) = (pool, wanted.clone());
        if let Some(goal) = walks::goal(options.search) {
            return Walks { pool, limits, wanted, earlier }.explore(program, goal, findings, progress);
        }
        let known = known.and_then(|known| known.explored(program, findings));
        let mut explored = if let Some(known) = known {
            known
        } else if pool::count(options) > 1 && shares_parts(options) {
            Job { pool, limits, wanted, earlier }.explore(program, findings, progress)
        } else {
            let collector = Collector::new(mode, options, wall, findings, progress);
            let mut collector = collector.looking_for(wanted).leaving_trail(earlier);
            let verdict = strategy(options).explore(program, limits, &mut collector);
            collector.explored(verdict)
        };
        size::at_a_limit(program, options, wall, &mut explored);
        explored
    }
}

fn add_mode(report: &mut Report, mode: Buffering, (explored, tree): (Explored, Option<Tree>), options: &VerifyPlan) {
    let Explored { verdict, timed_out, is_full, unnamed, results, left_out, covered, estimate, .. } = explored;
    let (coverage, is_everything) = covered.map_or((None, true), |(coverage, all)| (Some(coverage), all));
    let stats = &verdict.stats;
    report.executions += stats.executions;
    report.transitions += stats.transitions;
    let (executions, transitions) = (stats.executions, stats.transitions);
    let states = options.stateful.then_some(States {
        count: stats.configurations,
        in_files: verdict.moved.states,
        unnamed,
        ..States::default()
    });
    let digest = results.keys().fold(0, |digest, result| extend_digest(digest, &result.to_le_bytes()));
    report.modes.push(Mode {
        buffering: mode,
        executions,
        transitions,
        complete: verdict.complete,
        results: results.len() as u64,
        results_digest: format!("{digest:016x}"),
        listed_results: options.list_results.then(|| results.into_values().collect()),
        states,
        coverage,
        estimate: estimate.filter(|_| !verdict.complete).map(|estimate| size::reported(&estimate)),
        tree,
    });
    let mut bound = |bound| {
        if !report.bounds.contains(&bound) {
            report.bounds.push(bound);
        }
    };
    match verdict.stopped {
        Some(Stop::Error) => bound(Bound::FirstFinding),
        Some(Stop::Executions) => bound(Bound::MaxExecutions(options.max_executions)),
        Some(Stop::Asked) if timed_out => bound(Bound::TimeLimit(options.time_limit_secs)),
        Some(Stop::Asked) if is_full => bound(Bound::Memory(options.memory_bytes)),
        Some(Stop::Asked) => bound(Bound::Interrupted),
        None if is_everything => {}
        None => match options.search {
            SearchPlan::All => {}
            SearchPlan::Sample { walks, .. } => bound(Bound::Sample(walks)),
            SearchPlan::Deviations(most) => bound(Bound::Deviations(most.into())),
        },
    }
    if let Some(trouble) = verdict.moved.trouble.filter(|_| verdict.stopped == Some(Stop::Asked)) {
        bound(Bound::Uncontrolled(trouble));
    }
    if left_out.cancels {
        bound(Bound::Cancel);
    }
    left_out.uncontrolled.into_iter().for_each(|what| bound(Bound::Uncontrolled(what)));
    if let Some(Difference { first, second }) = &verdict.difference {
        let schedules = [first, second].map(|path| token::write(mode, &Discoveries::default(), path));
        bound(Bound::StatesDiffer(schedules.join(" ")));
    }
    if left_out.waitsome {
        bound(Bound::MaxWaitsome(options.max_waitsome.into()));
    }
    if verdict.bounded {
        bound(Bound::Depth(options.depth));
    }
}

fn finish(report: &Report, options: &VerifyPlan) -> i32 {
    let report = report.clone().with_limits();
    eprint!("{}", report.text());
    let files = [(&options.report, report.json()), (&options.report_html, report.html())];
    for (path, text) in files {
        if let Some(path) = path
            && let Err(error) = process::at_home(|| std::fs::write(path, text))
        {
            eprintln!("smpirun: {path}: cannot write the report: {error}");
            return REFUSED;
        }
    }
    if report.findings.is_empty() { 0 } else { FOUND }
}

/// The program and its arguments, as the user would write them.
fn command_of(plan: &RunPlan) -> String {
    let one = |app: &smpi_base::plan::App| {
        let words = std::iter::once(app.path.as_str()).chain(app.args.iter().map(String::as_str));
        format!("-np {} {}", app.ranks, words.collect::<Vec<_>>().join(" "))
    };
    plan.apps.iter().map(one).collect::<Vec<_>>().join(" : ")
}

/// Executes one schedule, with the program's output visible.
fn replay(program: &mut Program, options: &VerifyPlan, text: &str) -> i32 {
    let schedules = match token::parse(text) {
        Ok(schedules) => schedules,
        Err(message) => {
            eprintln!("smpirun: --replay {text}: {message}");
            return REFUSED;
        }
    };
    if options.replay_rounds > 1 && schedules.round.is_none() {
        eprintln!(
            "smpirun: --rounds {}: this schedule does not end in a round; those of the findings liveness and livelock do (a \
             token with {} or {})",
            options.replay_rounds, ROUND_SIGNS[0], ROUND_SIGNS[1]
        );
        return REFUSED;
    }
    program.set_buffering(schedules.buffering);
    program.foresee(&schedules.foreseen);
    let outcome = replayed(program, &schedules, options);
    process::flush_output();
    let missing = system::driven(|driver, _| driver.take_discovered());
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        let (mode, missing) = (schedules.buffering, missing.join(","));
        eprintln!(
            "smpirun: --replay {text}: the schedule does not fit the program: its mode is {mode} without {missing}"
        );
        return REFUSED;
    }
    match outcome {
        Ok(failures) if failures.is_empty() => {
            eprintln!(
                "smpirun: the schedule ended without an error; if one was reported for it, that depends on something that is not \
                 put back between executions, such as a file or a clock"
            );
            0
        }
        Ok(failures) => {
            let ranks = program.count();
            let (limits, failures): (Vec<Finding>, _) = failures.into_iter().partition(|failure| failure.is_limit);
            for mut limit in limits {
                // This is the schedule.
                limit.replay.clear();
                let limited = Report { findings: vec![limit], ..Report::default() }.with_limits();
                limited
                    .bounds
                    .iter()
                    .for_each(|bound| eprintln!("smpirun: the schedule was not executed to its end: {bound}"));
            }
            if failures.is_empty() {
                return 0;
            }
            failures.iter().for_each(|finding| eprint!("smpirun: {}", smpi_report::text::shown(finding, ranks)));
            FOUND
        }
        Err(message) => {
            eprintln!("smpirun: --{message}");
            REFUSED
        }
    }
}

/// Executes a schedule that ends in a round which can be gone for ever.
fn replay_round(
    program: &mut Program,
    path: &[Event],
    round: Round,
    options: &VerifyPlan,
) -> Result<Vec<Finding>, String> {
    let (before, step) = (round.before, options.replay_step);
    let rounds = (before, options.replay_rounds);
    let (key, comes_back) = match round.is_lost {
        true => (FindingKey::Livelock, livelock::comes_back(program, path, rounds, step)?),
        false => (FindingKey::Liveness, liveness::comes_back(program, path, rounds, step)?),
    };
    if !comes_back {
        return Ok(Vec::new());
    }
    let words = match path.len() - before {
        0 if round.is_lost => "the schedule ends where ranks go on for ever without a choice".to_string(),
        0 => "the schedule ends in a state in which nothing happens any more".to_string(),
        round => {
            let (before, round) = (counted(before as u64, "choice"), counted(round as u64, "choice"));
            let times =
                if options.replay_rounds > 1 { format!(", {} times", options.replay_rounds) } else { String::new() };
            format!("after {before}, {round} lead back to the same state{times}: this execution can go on for ever")
        }
    };
    Ok(vec![Finding::new(key, words)])
}

/// Executes one schedule or two, and returns what went wrong.
fn replayed(program: &mut Program, schedules: &token::Schedules, options: &VerifyPlan) -> Result<Vec<Finding>, String> {
    let step = options.replay_step;
    let path = program.resolve(&schedules.token)?;
    if let Some(round) = schedules.round {
        program.show_output(true);
        return replay_round(program, &path, round, options);
    }
    let first = |(compared, before): &(Compared, Token)| Ok::<_, String>((*compared, program.resolve(before)?));
    let first = schedules.before.as_ref().map(first).transpose()?;
    program.show_output(true);
    let Some((compared, first)) = first else {
        let found = repeat::replay(program, &path, step)?;
        if !found.is_empty() {
            return Ok(found);
        }
        program.show_output(false);
        return Ok(uninitialised::look_at(program, schedules.buffering, options, &path));
    };
    let race = Race { first, other: path, rank: 0 };
    let found = match compared {
        Compared::Outputs => race::replay_race(program, schedules.buffering, race, step)?,
        _ => determinism::replay(program, schedules.buffering, race, compared, step)?,
    };
    Ok(found.into_iter().collect())
}

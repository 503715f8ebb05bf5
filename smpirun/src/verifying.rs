//! The part of a plan that `--verify` and `--replay` ask for: what is explored, how, and which options exclude each
//! other.

use crate::options::Options;
use crate::{Failure, units};
use smpi_base::plan::{
    BufferingPlan, DeterminismPlan, PropertyKind, PropertyPlan, ReductionPlan, RunPlan, SearchPlan, VerifyPlan,
};
use std::ops::RangeInclusive;

/// What to verify; `None` for a simulation.
pub fn plan(options: &Options) -> Result<Option<VerifyPlan>, Failure> {
    if !options.verify && options.replay.is_none() {
        return Ok(None);
    }
    let defaults = VerifyPlan::default();
    let buffering = match options.buffering.as_deref() {
        None | Some("both") => BufferingPlan::Both,
        Some("zero") => BufferingPlan::Zero,
        Some("infinite" | "infty") => BufferingPlan::Infinite,
        Some("each") => BufferingPlan::Each,
        Some(other) => {
            return Err(Failure::Refused(format!("--buffering {other}: expected zero, infinite, both or each")));
        }
    };
    let atomic_collectives = match options.collectives.as_deref() {
        None | Some("atomic") => true,
        Some("p2p") => false,
        Some(other) => return Err(Failure::Refused(format!("--collectives {other}: expected atomic or p2p"))),
    };
    let reduction = match options.reduction.as_deref() {
        None | Some("matches") => ReductionPlan::Matches,
        Some("none") => ReductionPlan::None,
        Some("dpor") => ReductionPlan::Dpor,
        Some(other) => {
            return Err(Failure::Refused(format!("--reduction {other}: expected matches, dpor or none")));
        }
    };
    if buffering == BufferingPlan::Each && (!atomic_collectives || reduction == ReductionPlan::Dpor) {
        let text = "--buffering each: expected --collectives atomic, and --reduction matches or none";
        return Err(Failure::Refused(text.to_string()));
    }
    let max_waitsome = match options.max_waitsome {
        Some(most) if !(1..=MAX_WAITSOME).contains(&most) => {
            return Err(Failure::Refused(format!(
                "--max-waitsome {most}: expected 1 to {MAX_WAITSOME}: N requests have 2^N sets"
            )));
        }
        most => most.unwrap_or(defaults.max_waitsome),
    };
    let property = property(options)?;
    // That of a property is its own.
    let used = if property.is_some() { ReductionPlan::None } else { reduction };
    Ok(Some(VerifyPlan {
        buffering,
        search: search(options, reduction)?,
        determinism: determinism(options)?,
        stateful: stateful(options, reduction)?,
        compare_states: compare_states(options, reduction)?,
        property,
        symmetric: symmetric(options, reduction)?,
        atomic_collectives,
        depth: options.depth.unwrap_or(defaults.depth),
        reduction: used,
        max_waitsome,
        prune: !options.no_prune,
        max_executions: options.max_executions.unwrap_or(defaults.max_executions),
        time_limit_secs: seconds("--time-limit", options.time_limit, defaults.time_limit_secs)?,
        memory_bytes: memory(options)?,
        call_timeout_secs: seconds("--call-timeout", options.call_timeout, defaults.call_timeout_secs)?,
        keep_going: options.keep_going,
        jobs: jobs(options, reduction, buffering)?,
        list_results: options.list_results,
        report: options.report.clone(),
        report_html: options.report_html.clone(),
        replay: options.replay.clone(),
        replay_step: options.replay_step,
        replay_rounds: rounds(options)?,
    }))
}

/// Which messages must be the same.
fn determinism(options: &Options) -> Result<DeterminismPlan, Failure> {
    match options.determinism.as_deref() {
        None => Ok(DeterminismPlan::None),
        Some("send") => Ok(DeterminismPlan::Send),
        Some("communication") => Ok(DeterminismPlan::Communication),
        Some(other) => Err(Failure::Refused(format!("--determinism {other}: expected send or communication"))),
    }
}

/// How often the round of a schedule is walked.
fn rounds(options: &Options) -> Result<u32, Failure> {
    match options.rounds {
        Some(rounds @ (0 | MANY_ROUNDS..)) => {
            Err(Failure::Refused(format!("--rounds {rounds}: expected a number from 1 to {}", MANY_ROUNDS - 1)))
        }
        rounds => Ok(rounds.unwrap_or(1)),
    }
}

/// More rounds than anybody looks at.
const MANY_ROUNDS: u32 = 1_000_001;

/// Processes that explore.
fn jobs(options: &Options, reduction: ReductionPlan, buffering: BufferingPlan) -> Result<u32, Failure> {
    let jobs = options.jobs.unwrap_or(VerifyPlan::default().jobs);
    let one_a_mode = reduction != ReductionPlan::Matches || options.stateful;
    if one_a_mode && buffering != BufferingPlan::Both && jobs != 1 {
        let text = "--jobs: without the reduction matches, and with --stateful, each kind of buffering is explored by one \
                    process, and there is one; leave out --jobs or --buffering";
        return Err(Failure::Refused(text.to_string()));
    }
    Ok(jobs)
}

/// Ranks that may change places.
fn symmetric(options: &Options, reduction: ReductionPlan) -> Result<Vec<RangeInclusive<u32>>, Failure> {
    let Some(text) = options.symmetric.as_ref().filter(|_| options.replay.is_none()) else { return Ok(Vec::new()) };
    let each = "that tells of each rank, or of all executions";
    let single = "that follows single executions, of which none is left out";
    let others = [
        ("--determinism", options.determinism.is_some(), each),
        ("--list-results", options.list_results, each),
        ("--compare-states", options.compare_states.is_some(), each),
        ("--sample", options.sample.is_some(), single),
        ("--deviations", options.deviations.is_some(), single),
        ("--ltl", options.ltl.is_some(), each),
        ("--automaton", options.automaton.is_some(), each),
        ("--reduction", reduction != ReductionPlan::Matches && !options.stateful, "that is the exploration by steps"),
    ];
    if let Some((name, _, why)) = others.iter().find(|(_, given, _)| *given) {
        return Err(Failure::Refused(format!("--symmetric with {name}: {why}; leave one of the two out")));
    }
    let refused = || {
        Failure::Refused(format!(
            "--symmetric {text}: expected groups of at least two ranks that have none in common, such as 1-8 or 1-4,5-8"
        ))
    };
    let mut groups: Vec<RangeInclusive<u32>> = Vec::new();
    for word in text.split(',') {
        let ends =
            word.split_once('-').and_then(|(from, to)| Some(from.trim().parse().ok()?..=to.trim().parse().ok()?));
        let group: RangeInclusive<u32> = ends.filter(|group| group.start() < group.end()).ok_or_else(refused)?;
        if groups.iter().any(|other| other.start() <= group.end() && group.start() <= other.end()) {
            return Err(refused());
        }
        groups.push(group);
    }
    Ok(groups)
}

/// Ranks that may change places execute the same program.
pub fn check_symmetric(plan: &RunPlan) -> Result<(), Failure> {
    let starts = plan.apps.iter().scan(0, |start, app| Some(std::mem::replace(start, *start + app.ranks)));
    let apps: Vec<(u32, u32)> = starts.zip(&plan.apps).map(|(start, app)| (start, start + app.ranks)).collect();
    let groups = plan.verify.iter().flat_map(|verify| &verify.symmetric);
    for group in groups {
        if !apps.iter().any(|(start, end)| start <= group.start() && group.end() < end) {
            let (from, to) = (group.start(), group.end());
            let names: Vec<String> = apps.iter().map(|(start, end)| format!("{start}-{}", end - 1)).collect();
            let names = names.join(", ");
            return Err(Failure::Refused(format!(
                "--symmetric {from}-{to}: expected ranks of one program, which are {names} here"
            )));
        }
    }
    Ok(())
}

/// Ranks that `--reduction dpor` handles: it keeps sets of 128 of them and of what carries their messages.
const MOST_RANKS_OF_DPOR: u32 = 64;

/// A reduction must be able to handle all ranks.
///
/// # Errors
/// Refused input where there are more.
pub fn check_ranks(plan: &RunPlan) -> Result<(), Failure> {
    let ranks: u32 = plan.apps.iter().map(|app| app.ranks).sum();
    let is_dpor = plan.verify.as_ref().is_some_and(|verify| verify.reduction == ReductionPlan::Dpor);
    if is_dpor && ranks > MOST_RANKS_OF_DPOR {
        return Err(Failure::Refused(format!(
            "--reduction dpor: expected at most {MOST_RANKS_OF_DPOR} ranks, there are {ranks}; leave it out"
        )));
    }
    Ok(())
}

/// Bytes that the exploration may use; 0 for no limit.
fn memory(options: &Options) -> Result<u64, Failure> {
    let Some(text) = &options.memory else { return Ok(0) };
    let others = [
        ("--jobs", options.jobs.is_some_and(|jobs| jobs != 1)),
        ("--sample", options.sample.is_some()),
        ("--deviations", options.deviations.is_some()),
        ("--ltl", options.ltl.is_some()),
        ("--automaton", options.automaton.is_some()),
    ];
    match others.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Failure::Refused(format!(
            "--memory with {name}: it is kept by one process that explores everything; leave one of the two out"
        ))),
        None => match units::bytes("--memory", text)? {
            0..LEAST_MEMORY => {
                let least = LEAST_MEMORY >> 20;
                Err(Failure::Refused(format!("--memory {text}: expected at least {least}MiB, such as 8GiB")))
            }
            bytes => Ok(bytes),
        },
    }
}

/// Smallest limit of memory: less than that is used before anything is explored.
const LEAST_MEMORY: u64 = 1 << 20;

/// How often states are explored again.
fn compare_states(options: &Options, reduction: ReductionPlan) -> Result<u32, Failure> {
    match options.compare_states {
        Some(_) if !options.stateful || reduction != ReductionPlan::None => {
            let text = "--compare-states: expected --stateful --reduction none beside it, which makes all choices";
            Err(Failure::Refused(text.to_string()))
        }
        times => Ok(times.unwrap_or(0)),
    }
}

/// Whether states are recognised whatever led to them.
fn stateful(options: &Options, reduction: ReductionPlan) -> Result<bool, Failure> {
    let whole = "follows single executions, and states have none; leave one of the two out";
    let conflicts = [
        ("--sample", options.sample.is_some(), whole),
        ("--deviations", options.deviations.is_some(), whole),
        (
            "--reduction",
            reduction == ReductionPlan::Dpor,
            "expected the reduction matches or none; leave out --reduction",
        ),
        (
            "--jobs",
            options.jobs.is_some_and(|jobs| jobs != 1) && !options.stateful,
            "one process remembers the states; leave out --jobs",
        ),
    ];
    let asked = [
        ("--stateful", options.stateful),
        ("--ltl", options.ltl.is_some()),
        ("--automaton", options.automaton.is_some()),
    ];
    let Some((asked, _)) = asked.iter().find(|(_, given)| *given) else { return Ok(false) };
    match conflicts.iter().find(|(_, given, _)| *given) {
        Some((name, _, why)) => Err(Failure::Refused(format!("{asked} with {name}: {why}"))),
        None if !cfg!(target_arch = "x86_64") => {
            Err(Failure::Refused(format!("{asked}: expected a processor of type x86-64; leave it out")))
        }
        None => Ok(true),
    }
}

/// The property that is checked instead of looking for errors.
fn property(options: &Options) -> Result<Option<PropertyPlan>, Failure> {
    let refuse = |text: String| Err(Failure::Refused(text));
    let (kind, text, source) = match (&options.ltl, &options.automaton) {
        (Some(_), Some(_)) => return refuse("--ltl and --automaton exclude each other: leave one of them out".into()),
        (None, None) if options.unfair => {
            return refuse("--unfair has no effect without --ltl or --automaton: add one, or leave it out".into());
        }
        (None, None) => return Ok(None),
        (Some(formula), None) => match formula.strip_prefix('@') {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::Refused(format!("--ltl @{path}: {error}; expected a file with a formula"))
                })?;
                (PropertyKind::Formula, text, format!("--ltl @{path}"))
            }
            None => (PropertyKind::Formula, formula.clone(), format!("--ltl '{formula}'")),
        },
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::Refused(format!(
                    "--automaton {path}: {error}; expected a file in the HOA format, or a never claim"
                ))
            })?;
            let is_hoa = text.trim_start().starts_with("HOA:");
            (if is_hoa { PropertyKind::Hoa } else { PropertyKind::Claim }, text, format!("--automaton {path}"))
        }
    };
    let (one, states) = ("one violation ends the search", "states are explored, not executions");
    let own = "a property has a reduction of its own, and none turns it off";
    let conflicts = [
        ("--keep-going", options.keep_going, one),
        ("--determinism", options.determinism.is_some(), "it is a property of its own"),
        ("--list-results", options.list_results, states),
        ("--max-executions", options.max_executions.is_some(), states),
        ("--depth", options.depth.is_some(), states),
        ("--compare-states", options.compare_states.is_some(), "it looks for errors instead"),
        ("--reduction", options.reduction.as_deref().is_some_and(|reduction| reduction != "none"), own),
    ];
    if let Some((name, _, why)) = conflicts.iter().find(|(_, given, _)| *given) {
        return refuse(format!("{source} with {name}: {why}; leave out {name}"));
    }
    if options.buffering.as_deref() == Some("each") {
        return refuse(format!("{source} with --buffering each: expected zero, infinite or both"));
    }
    let reduced = options.reduction.is_none();
    Ok(Some(PropertyPlan { kind, text, source, unfair: options.unfair, reduced }))
}

/// Which executions are wanted.
fn search(options: &Options, reduction: ReductionPlan) -> Result<SearchPlan, Failure> {
    let refuse = |text: String| Err(Failure::Refused(text));
    let search = match (options.sample, options.deviations) {
        (None, None) => SearchPlan::All,
        (Some(_), Some(_)) => {
            return refuse(
                "--sample and --deviations exclude each other: expected one of them; leave out the other".into(),
            );
        }
        (Some(walks), None) if !(1..=MOST_WALKS).contains(&walks) => {
            return refuse(format!("--sample {walks}: expected a number of random executions from 1 to {MOST_WALKS}"));
        }
        (Some(walks), None) => {
            SearchPlan::Sample { walks, seed: options.seed.unwrap_or(1), bug_depth: options.bug_depth }
        }
        (None, Some(most)) => SearchPlan::Deviations(most),
    };
    let only_sampled = [("--seed", options.seed.is_some()), ("--bug-depth", options.bug_depth.is_some())];
    if let Some((name, _)) = only_sampled.iter().find(|(_, given)| *given && options.sample.is_none()) {
        return refuse(format!("{name} has no effect without random executions: add --sample N, or leave it out"));
    }
    if let Some(depth) = options.bug_depth.filter(|depth| !(1..=MOST_DEPTH).contains(depth)) {
        return refuse(format!("--bug-depth {depth}: expected 1 to {MOST_DEPTH}; most bugs have a depth of 1 or 2"));
    }
    let name = if options.sample.is_some() { "--sample" } else { "--deviations" };
    if search != SearchPlan::All && reduction != ReductionPlan::Matches {
        return refuse(format!("{name}: expected the reduction matches; leave out --reduction"));
    }
    if options.sample.is_some() && options.max_executions.is_some() {
        return refuse("--max-executions: --sample N says already how many executions there are; leave one out".into());
    }
    Ok(search)
}

/// Largest value of `--sample`: the number of each is kept.
const MOST_WALKS: u64 = 100_000_000;
/// Largest value of `--bug-depth`: with more changes of priorities hardly any order of them remains.
const MOST_DEPTH: u32 = 100;

/// Largest value of `--max-waitsome`: a million sets.
const MAX_WAITSOME: u32 = 20;

/// Largest limit in seconds: 30 years.
const MOST_SECONDS: f64 = 1e9;

/// A number of seconds, 0 or more.
fn seconds(option: &str, value: Option<f64>, default: f64) -> Result<f64, Failure> {
    match value {
        None => Ok(default),
        Some(value) if (0.0..=MOST_SECONDS).contains(&value) => Ok(value),
        Some(value) => Err(Failure::Refused(format!(
            "{option} {value:?}: expected seconds from 0 to {MOST_SECONDS}; 0 is no limit"
        ))),
    }
}

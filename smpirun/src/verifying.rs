//! The part of a plan that `--verify` and `--replay` ask for: what is explored, how, and which options exclude each
//! other.

use crate::failure::Failure;
use crate::options::Options;
use crate::units;
use crate::values::Collectives;
use smpi_base::plan::{
    BufferingPlan, CheckpointPlan, DeterminismPlan, NODE_VARIABLE, NodePlan, PropertyKind, PropertyPlan, ReductionPlan,
    RunPlan, SearchPlan, TERMINAL_VARIABLE, VerifyPlan,
};
use smpi_base::print::reason;
use std::ops::RangeInclusive;

/// What to verify; `None` for a simulation.
pub fn plan(options: &Options) -> Result<Option<VerifyPlan>, Failure> {
    if !options.verify && options.replay.is_none() {
        return Ok(None);
    }
    let defaults = VerifyPlan::default();
    let buffering = options.buffering.unwrap_or(BufferingPlan::Both);
    let atomic_collectives = options.collectives != Some(Collectives::PointToPoint);
    let reduction = options.reduction.unwrap_or(ReductionPlan::Matches);
    if buffering == BufferingPlan::Each && (!atomic_collectives || reduction == ReductionPlan::Dpor) {
        let text = "--buffering each: expected --collectives atomic, and --reduction matches, histories or none";
        return Err(Failure::Refused(text.to_string()));
    }
    let property = property(options)?;
    // That of a property is its own.
    let used = if property.is_some() { ReductionPlan::None } else { reduction };
    let node = node(options, reduction)?;
    // Of processes that explore together, the first one does.
    let reports = node.as_ref().is_none_or(|node| node.rank == 0);
    Ok(Some(VerifyPlan {
        buffering,
        search: search(options, reduction)?,
        determinism: options.determinism.unwrap_or(DeterminismPlan::None),
        stateful: stateful(options, reduction)?,
        adapts: adapts(options),
        compare_states: compare_states(options, reduction)?,
        property,
        symmetric: symmetric(options, reduction)?,
        atomic_collectives,
        depth: options.depth.unwrap_or(defaults.depth),
        reduction: used,
        max_waitsome: options.max_waitsome.unwrap_or(defaults.max_waitsome),
        prune: !options.no_prune,
        max_executions: options.max_executions.unwrap_or(defaults.max_executions),
        time_limit_secs: options.time_limit.unwrap_or(defaults.time_limit_secs),
        memory_bytes: memory(options)?,
        call_timeout_secs: options.call_timeout.unwrap_or(defaults.call_timeout_secs),
        keep_going: options.keep_going,
        explain_within_secs: explain_within(options, reduction)?,
        require_complete: options.require_complete,
        jobs: jobs(options, reduction, buffering)?,
        checkpoint: checkpoint(options, reduction)?,
        every_secs: options.every.unwrap_or(defaults.every_secs),
        node,
        list_results: options.list_results,
        report: options.report.clone().filter(|_| reports),
        report_html: options.report_html.clone().filter(|_| reports),
        replay: options.replay.clone(),
        replay_step: options.replay_step,
        step: options.step,
        replay_rounds: options.rounds.unwrap_or(1),
    }))
}

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

/// Where it is kept what was explored.
fn checkpoint(options: &Options, reduction: ReductionPlan) -> Result<Option<CheckpointPlan>, Failure> {
    let (name, path, resumes) = match (&options.checkpoint, &options.resume) {
        (Some(path), _) => ("--checkpoint", path, false),
        (None, Some(path)) => ("--resume", path, true),
        (None, None) => return Ok(None),
    };
    if reduction != ReductionPlan::Matches {
        let text = format!(
            "{name} with --reduction: expected the reduction matches, whose parts are kept; leave out --reduction"
        );
        return Err(Failure::Refused(text));
    }
    Ok(Some(CheckpointPlan { path: path.clone(), resumes }))
}

/// Which process of the launcher's MPI this one explores for.
fn node(options: &Options, reduction: ReductionPlan) -> Result<Option<NodePlan>, Failure> {
    if options.launch.is_none() || options.replay.is_some() {
        return Ok(None);
    }
    if reduction != ReductionPlan::Matches {
        let text =
            "--launch with --reduction: expected the reduction matches, whose parts are shared; leave out --reduction";
        return Err(Failure::Refused(text.to_string()));
    }
    let Ok(value) = std::env::var(NODE_VARIABLE) else { return Ok(None) };
    let refused =
        || Failure::Refused(format!("{NODE_VARIABLE}={value}: the variable is set by smpirun --launch; unset it"));
    let has_terminal = std::env::var_os(TERMINAL_VARIABLE).is_some();
    NodePlan::from_variable(&value, has_terminal).map(Some).ok_or_else(refused)
}

/// Ranks that may change places.
fn symmetric(options: &Options, reduction: ReductionPlan) -> Result<Vec<RangeInclusive<u32>>, Failure> {
    let Some(text) = options.symmetric.as_ref().filter(|_| options.replay.is_none()) else { return Ok(Vec::new()) };
    if reduction != ReductionPlan::Matches && !options.stateful {
        let text = "--symmetric with --reduction: expected the reduction matches; leave out --reduction";
        return Err(Failure::Refused(text.to_string()));
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
    if options.jobs.is_some_and(|jobs| jobs != 1) {
        let text = "--memory with --jobs: it is kept by one process that explores everything; leave out --jobs";
        return Err(Failure::Refused(text.to_string()));
    }
    match units::bytes("--memory", text)? {
        0..LEAST_MEMORY => {
            let least = LEAST_MEMORY >> 20;
            Err(Failure::Refused(format!("--memory {text}: expected at least {least}MiB, such as 8GiB")))
        }
        bytes => Ok(bytes),
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

/// Seconds within which findings are explained.
fn explain_within(options: &Options, reduction: ReductionPlan) -> Result<f64, Failure> {
    let is_slow = !matches!(reduction, ReductionPlan::Matches | ReductionPlan::Histories);
    match options.explain_within {
        Some(_) if is_slow => {
            let text = "--explain-within: expected --reduction matches or histories, whose choices can be explained; leave \
                        out --reduction";
            Err(Failure::Refused(text.to_string()))
        }
        within => Ok(within.unwrap_or(VerifyPlan::default().explain_within_secs)),
    }
}

/// Whether states are recognised whatever led to them.
fn stateful(options: &Options, reduction: ReductionPlan) -> Result<bool, Failure> {
    let conflicts = [
        (
            "--reduction",
            matches!(reduction, ReductionPlan::Dpor | ReductionPlan::Histories),
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

/// Whether the exploration may go on in another way where that is quicker: not where executions are asked for, as such
/// or by what is said of each of them.
fn adapts(options: &Options) -> bool {
    let asks = [
        options.stateful || options.reduction.is_some(),
        options.sample.is_some() || options.deviations.is_some(),
        options.max_executions.is_some(),
        options.symmetric.is_some(),
        options.determinism.is_some(),
        options.list_results,
    ];
    options.verify && !asks.contains(&true) && cfg!(target_arch = "x86_64")
}

/// The property that is checked instead of looking for errors.
fn property(options: &Options) -> Result<Option<PropertyPlan>, Failure> {
    let refuse = |text: String| Err(Failure::Refused(text));
    let (kind, text, source) = match (&options.ltl, &options.automaton) {
        (None, None) => return Ok(None),
        (Some(formula), _) => match formula.strip_prefix('@') {
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| {
                    Failure::Refused(format!("--ltl @{path}: {}; expected a file with a formula", reason(&error)))
                })?;
                (PropertyKind::Formula, text, format!("--ltl @{path}"))
            }
            None => (PropertyKind::Formula, formula.clone(), format!("--ltl '{formula}'")),
        },
        (None, Some(path)) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                Failure::Refused(format!(
                    "--automaton {path}: {}; expected a file in the HOA format, or a never claim",
                    reason(&error)
                ))
            })?;
            let is_hoa = text.trim_start().starts_with("HOA:");
            (if is_hoa { PropertyKind::Hoa } else { PropertyKind::Claim }, text, format!("--automaton {path}"))
        }
    };
    if options.reduction.is_some_and(|reduction| reduction != ReductionPlan::None) {
        let why = "a property has a reduction of its own, and none turns it off; leave out --reduction";
        return refuse(format!("{source} with --reduction: {why}"));
    }
    if options.buffering == Some(BufferingPlan::Each) {
        return refuse(format!("{source} with --buffering each: expected zero, infinite or both"));
    }
    let reduced = options.reduction.is_none();
    let (unfair, fair_messages) = (options.unfair, options.fair_messages);
    if unfair && fair_messages {
        let why = "messages are taken in turn only where ranks move in turn; leave out one of them";
        return refuse(format!("--fair-messages with --unfair: {why}"));
    }
    Ok(Some(PropertyPlan { kind, text, source, unfair, fair_messages, reduced }))
}

/// Which executions are wanted.
fn search(options: &Options, reduction: ReductionPlan) -> Result<SearchPlan, Failure> {
    let search = match (options.sample, options.deviations) {
        (None, None) => return Ok(SearchPlan::All),
        (Some(walks), _) => SearchPlan::Sample { walks, seed: options.seed.unwrap_or(1), bug_depth: options.bug_depth },
        (None, Some(most)) => SearchPlan::Deviations(most),
    };
    if reduction != ReductionPlan::Matches {
        let name = if options.sample.is_some() { "--sample" } else { "--deviations" };
        return Err(Failure::Refused(format!("{name}: expected the reduction matches; leave out --reduction")));
    }
    Ok(search)
}

//! The report: what it says before anything was explored, what each mode adds, and where it goes.

use smpi_base::exit::{FOUND, INCOMPLETE, REFUSED};
use smpi_base::plan::{RunPlan, SearchPlan, VerifyPlan};
use smpi_base::{eprint, eprintln, print};
use smpi_checker::{Difference, Stop};
use smpi_choices::Discoveries;
use smpi_mpi::usage::extend_digest;
use smpi_process as process;
use smpi_report::coverage::Estimate;
use smpi_report::dear::{DearCall, MOST_CALLS};
use smpi_report::finding::Buffering;
use smpi_report::tree::Tree;
use smpi_report::verdict::{Bound, Mode, Report, States, Verdict};

use crate::options::{modes, reduction, symmetric_in_words};
use crate::program::callers;
use crate::schedule::token;
use crate::search::estimate;
use crate::search::outcome::Explored;

/// The report before anything was explored.
pub(crate) fn empty_report(plan: &RunPlan, options: &VerifyPlan, ranks: u32) -> Report {
    Report {
        command: plan.repeated.clone(),
        command_line: plan.command.clone(),
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

/// How many executions there are where not all were seen, and which calls make them so many where that is because they
/// are many.
fn extent(explored: &Explored) -> (Option<Estimate>, Vec<DearCall>) {
    let verdict = &explored.verdict;
    let executions = verdict.stats.executions;
    if verdict.complete {
        return (None, Vec::new());
    }
    let estimate = estimate::reported(explored.estimate.as_ref(), &explored.course, executions);
    if !verdict.is_cut_short() && explored.covered.is_none() {
        return (estimate, Vec::new());
    }
    // Without a call's choices there is still one execution.
    let most = estimate.map_or((executions.max(1) as f64).log10(), |estimate| estimate.log10_executions);
    let calls = callers::dearest(&verdict.tolls, MOST_CALLS);
    (estimate, calls.into_iter().map(|call| call.at_most(most)).collect())
}

/// What has ended the exploration of a mode before all was seen.
fn ended_by(
    options: &VerifyPlan,
    stopped: Option<Stop>,
    (timed_out, is_full, is_everything): (bool, bool, bool),
) -> Option<Bound> {
    match stopped {
        Some(Stop::Error) => Some(Bound::FirstFinding),
        Some(Stop::Executions) => Some(Bound::MaxExecutions(options.max_executions)),
        Some(Stop::Asked) if timed_out => Some(Bound::TimeLimit(options.time_limit_secs)),
        Some(Stop::Asked) if is_full => Some(Bound::Memory(options.memory_bytes)),
        Some(Stop::Asked) => Some(Bound::Interrupted),
        None if is_everything => None,
        None => match options.search {
            SearchPlan::All => None,
            SearchPlan::Sample { walks, .. } => Some(Bound::Sample(walks)),
            SearchPlan::Deviations(most) => Some(Bound::Deviations(most.into())),
        },
    }
}

/// Adds what came of the exploration of one mode.
pub(crate) fn add_mode(
    report: &mut Report,
    mode: Buffering,
    (explored, tree): (Explored, Option<Tree>),
    options: &VerifyPlan,
) {
    let (estimate, dear_calls) = if options.is_by_states() { (None, Vec::new()) } else { extent(&explored) };
    let Explored { verdict, timed_out, is_full, unnamed, results, left_out, covered, .. } = explored;
    let (coverage, is_everything) = covered.map_or((None, true), |(coverage, all)| (Some(coverage), all));
    let stats = &verdict.stats;
    let (executions, transitions) = (stats.executions, stats.transitions);
    report.executions += executions;
    report.transitions += transitions;
    let name = reduction(options).to_string();
    let states = options.stateful.then_some(States {
        count: stats.configurations,
        in_files: verdict.moved.states,
        unnamed,
        adapted: options.adapts,
        ..States::default()
    });
    let digest = results.keys().fold(0, |digest, result| extend_digest(digest, &result.to_le_bytes()));
    report.modes.push(Mode {
        buffering: mode,
        executions,
        transitions,
        complete: verdict.complete,
        reduction: (name != report.reduction).then_some(name),
        results: results.len() as u64,
        results_digest: format!("{digest:016x}"),
        listed_results: options.list_results.then(|| results.into_values().collect()),
        states,
        coverage,
        estimate,
        dear_calls,
        tree,
    });
    let mut bound = |bound| {
        if !report.bounds.contains(&bound) {
            report.bounds.push(bound);
        }
    };
    ended_by(options, verdict.stopped, (timed_out, is_full, is_everything)).into_iter().for_each(&mut bound);
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

pub(crate) fn finish(report: &Report, options: &VerifyPlan) -> i32 {
    let report = report.clone().with_limits();
    eprint!("{}", report.text());
    let files = [(&options.report, report.json()), (&options.report_html, report.html())];
    for (path, text) in files {
        if let Some(path) = path
            && let Err(error) = process::at_home(|| smpi_base::whole::write(path, text))
        {
            eprintln!("smpirun: error: {path}: cannot write the report: {}", print::reason(&error));
            return REFUSED;
        }
    }
    match report.verdict() {
        Verdict::Error => FOUND,
        Verdict::Incomplete if options.require_complete => INCOMPLETE,
        Verdict::Incomplete | Verdict::NoError => 0,
    }
}

//! Explores the program under each kind of buffering, one after the other.

use std::cell::RefCell;
use std::os::fd::OwnedFd;

use smpi_base::exit::REFUSED;
use smpi_base::plan::{BufferingPlan, PropertyKind, PropertyPlan, ReductionPlan, RunPlan, VerifyPlan};
use smpi_base::{eprint, eprintln};
use smpi_checker::{Limits, Stop};
use smpi_liveness::in_one_line;
use smpi_report::company::Company;
use smpi_report::faults;
use smpi_report::finding::Buffering;
use smpi_report::verdict::{Bound, Mode, Report, States};
use smpi_report::{Finding, FindingKey, Findings, Progress};
use smpi_runtime::summary::Wall;

use crate::explaining;
use crate::explaining::simulating::{Commands, simulate};
use crate::findings::{determinism, if_buffered, livelock, race, repeat, uninitialised};
use crate::options::{every, limits, modes, shares_parts};
use crate::page::{self, Looked};
use crate::processes::checkpoint::Checkpoint;
use crate::processes::checkpoint::identity::Identity;
use crate::processes::next_mode::Ahead;
use crate::processes::nodes::Nodes;
use crate::processes::parts_of_a_mode::Job;
use crate::processes::walks::{self, Walks};
use crate::processes::whole_mode::Whole;
use crate::processes::{self, Pool};
use crate::program::{self, Program};
use crate::property::{self, Bounds, Checked};
use crate::report::{add_mode, finish};
use crate::schedule::chart;
use crate::schedule::token::{self, Compared};
use crate::search::collect::Way;
use crate::search::estimate;
use crate::search::outcome::{ByStates, Explored, Instead, Otherwise};
use crate::trail;

/// Explores the program. `wall` has run since somebody has waited for it.
pub(crate) fn verify(
    program: &mut Program,
    report: Report,
    (plan, options): (&RunPlan, &VerifyPlan),
    link: Option<OwnedFd>,
    wall: &Wall,
) -> i32 {
    if let Some(property) = &options.property {
        return check_property(program, report, options, property, wall);
    }
    match Beyond::of(plan, options, link, program) {
        Ok(beyond) => {
            let code = explore_modes(program, report, options, &beyond, wall);
            if let Some(nodes) = beyond.nodes.as_ref().filter(|_| beyond.has_notes) {
                nodes.borrow().tell_work(wall.seconds());
            }
            code
        }
        Err(message) => {
            eprintln!("smpirun: error: {message}");
            REFUSED
        }
    }
}

/// Looks for errors under each kind of buffering.
fn explore_modes(program: &mut Program, mut report: Report, options: &VerifyPlan, beyond: &Beyond, wall: &Wall) -> i32 {
    let mut findings = Findings::new();
    let is_forwarded = options.node.as_ref().is_some_and(|node| node.has_terminal);
    let mut progress = Progress::of(is_forwarded, beyond.has_notes);
    let mut ahead: Option<Ahead<'_>> = None;
    let ways = Ways::of(options);
    let (checkpoint, nodes) = (beyond.checkpoint.as_ref(), beyond.nodes.as_ref());
    for &mode in modes(options) {
        program.begin_by_executions(options);
        program.set_buffering(mode);
        // A deadlock without buffering is looked for with buffering as well, past other errors, to tell whether it
        // depends on it: that decides its key, whether or not all findings are wanted.
        let wanted = findings.unsettled().filter(|_| mode == Buffering::Infinite && !options.keep_going).cloned();
        let limits = limits(options, options.keep_going || wanted.is_some());
        // What is looked for is not what another process has explored.
        let known = ahead.take().filter(|_| wanted.is_none());
        let is_helped = processes::count(options) > 1 || nodes.is_some();
        if is_helped && !shares_parts(options) && mode == modes(options)[0] {
            let next = modes(options).get(1).map(|&mode| Pool { mode, options, wall, checkpoint, nodes });
            let earlier = trail::Counts::default();
            let whole = |pool| Whole { pool, limits, wanted: None, earlier, way: Way::AsAsked };
            ahead = next.and_then(|pool| Ahead::begin(whole(pool), program));
        }
        let earlier = counts(&report);
        let way = if options.adapts { Way::ADAPTS } else { Way::AsAsked };
        let pass =
            Pass { pool: Pool { mode, options, wall, checkpoint, nodes }, limits: &limits, wanted, earlier, way };
        let (mut explored, options) = pass.explore_best(program, &ways, known, &mut findings, &mut progress);
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
        let tree = if is_endless || options.stateful { None } else { page::of(program, &explored, &looked) };
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
    let remains = |finding: &Finding| if_buffered::remains(program, finding);
    let (all, company) = if both { findings.settled(is_complete, remains) } else { findings.into_parts() };
    let (warnings, found): (Vec<Finding>, _) = all.into_iter().partition(Finding::is_warning);
    warnings.into_iter().for_each(|finding| eprint!("{}", smpi_report::text::warning(&finding)));
    // As the last mode was explored: a copy of what recognises states could not explain anything.
    let explored = if program.began_by_states() { &ways.states } else { options };
    report.findings = illustrate(program, (found, &company), explored, (&report, wall));
    finish(&report, options)
}

/// What an exploration has beyond this process.
struct Beyond {
    checkpoint: Option<RefCell<Checkpoint>>,
    nodes: Option<RefCell<Nodes>>,
    has_notes: bool,
}

impl Beyond {
    fn of(
        plan: &RunPlan,
        options: &VerifyPlan,
        link: Option<OwnedFd>,
        program: &mut Program,
    ) -> Result<Beyond, String> {
        if options.checkpoint.is_none() && link.is_none() {
            return Ok(Beyond { checkpoint: None, nodes: None, has_notes: plan.notes });
        }
        let identity = Identity::here(plan, options, program);
        let checkpoint = options.checkpoint.as_ref().map(|kept| Checkpoint::begin(kept, &identity, plan.notes));
        let checkpoint = checkpoint.transpose()?.map(RefCell::new);
        let size = options.node.as_ref().map_or(1, |node| node.size);
        Ok(Beyond { checkpoint, nodes: link.map(|link| Nodes::new(link, size, identity)), has_notes: plan.notes })
    }
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
            match property::check_property(program, mode, property, Bounds { options, wall, earlier: counts(&report) })
            {
                Ok(checked) => checked,
                Err(message) => {
                    eprintln!("smpirun: error: {message}");
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
        let fair = match property {
            PropertyPlan { unfair: true, .. } => "execution",
            PropertyPlan { fair_messages: true, .. } => {
                "execution that is fair to ranks and, beyond what MPI promises, to messages"
            }
            _ => "fair execution",
        };
        let steps = if counts_steps { format!("; {}", property::STEPS) } else { String::new() };
        let error = error.map(|error| format!("; {error} in some execution, which is no violation: look for errors"));
        let also = steps + &error.map_or_else(String::new, |error| format!("{error} without a property"));
        let holds_words = holds.then(|| match property.kind {
            PropertyKind::Formula => format!("{} holds in every {fair}{also}", in_one_line(&property.text)),
            _ => format!("{} accepts no {fair}{also}", property.source),
        });
        let unreduced = unreduced.filter(|_| property.reduced);
        let unnamed = program.take_unnamed();
        let states = States { count, unnamed, holds: holds_words, unreduced, ..States::default() };
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
            property::Stop::Late => Bound::TimeLimit(options.time_limit_secs),
            property::Stop::Interrupted => Bound::Interrupted,
            property::Stop::Misused(what) => Bound::Uncontrolled(what),
            property::Stop::OutOfReach(what) => Bound::Uncontrolled(what),
            property::Stop::TooMany => Bound::Uncontrolled("there are more states than can be numbered".into()),
        }));
        report.bounds.extend(left_out);
        report.bounds.extend(finding.is_some().then_some(Bound::FirstViolation));
        explaining::ways_out(program, finding.as_mut_slice(), options, wall.seconds());
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
    let left_out = program::LeftOut::here();
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

/// Puts the choices that led to each finding into words, says why it came to that, makes one of those that are one
/// fault, and draws the way there, if that is wanted.
fn illustrate(
    program: &mut Program,
    (mut findings, company): (Vec<Finding>, &Company),
    options: &VerifyPlan,
    (report, wall): (&Report, &Wall),
) -> Vec<Finding> {
    for finding in &mut findings {
        repeat::repeat(program, finding);
    }
    let since = Wall::start();
    let within = explaining::seconds(options, wall.seconds());
    explaining::explain(program, &mut findings, options, wall.seconds());
    explaining::ways_out(program, &mut findings, options, wall.seconds());
    let mut faults = faults::united(findings, company);
    simulate(program, &mut faults, options, &Commands::of(report, options, (&since, within)));
    draw(program, &mut faults, options);
    for fault in &mut faults {
        token::shorten(program, &mut fault.replay);
        fault.guises.iter_mut().for_each(|guise| token::shorten(program, &mut guise.replay));
    }
    faults
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
                Some(lasso) => chart::record_round(program, &path, lasso.prefix.len(), finding),
                None => chart::record(program, &path, finding),
            };
        }
    }
}

/// The options of the ways that may turn out to be better.
struct Ways {
    groups: VerifyPlan,
    states: VerifyPlan,
}

impl Ways {
    fn of(options: &VerifyPlan) -> Ways {
        Ways {
            groups: VerifyPlan { reduction: ReductionPlan::Histories, ..options.clone() },
            states: VerifyPlan { stateful: true, ..options.clone() },
        }
    }
}

/// One exploration of one mode.
#[derive(Clone)]
struct Pass<'a> {
    pool: Pool<'a>,
    limits: &'a Limits,
    /// The deadlock with zero buffering that is looked for, if that is all that is left to do.
    wanted: Option<Finding>,
    /// What was explored in earlier modes.
    earlier: trail::Counts,
    way: Way,
}

impl<'a> Pass<'a> {
    /// Explores in the way that is best, as far as one sees. Returns the options of that.
    fn explore_best(
        self,
        program: &mut Program,
        ways: &'a Ways,
        known: Option<Ahead<'_>>,
        findings: &mut Findings,
        progress: &mut Progress,
    ) -> (Explored, &'a VerifyPlan) {
        let (pool, options, mut known) = (self.pool, self.pool.options, known);
        let mut explore = |options: &'a VerifyPlan, way: Way, program: &mut Program| {
            let pass = Pass { pool: Pool { options, ..self.pool }, way, ..self.clone() };
            program
                .explore_knowing(findings, |program, findings| pass.explore(program, known.take(), findings, progress))
        };
        let (mut way, mut were_told) = (self.way, false);
        loop {
            let explored = explore(options, way, program);
            let states = match explored.instead {
                Some(Instead::Told { most, otherwise }) => {
                    // What ranks are told does not change.
                    if !std::mem::replace(&mut were_told, true) {
                        pool.tell_unshared("groups of ranks", None);
                        program.begin_by_groups();
                        let explored = explore(&ways.groups, Way::Told(most), program);
                        if explored.instead.is_none() {
                            return (explored, &ways.groups);
                        }
                        program.begin_by_executions(options);
                    }
                    match otherwise {
                        Otherwise::Groups => return (explore(&ways.groups, Way::AsAsked, program), &ways.groups),
                        Otherwise::States(states) => Some(states),
                        Otherwise::Executions => None,
                    }
                }
                Some(Instead::States(states)) => Some(states),
                Some(Instead::Executions) | None => return (explored, options),
            };
            let Some(ByStates { worth, after }) = states else {
                way = Way::AsAsked;
                continue;
            };
            pool.tell_unshared("states", every(options));
            program.begin_by_states(&ways.states);
            let explored = explore(&ways.states, Way::States(worth), program);
            if explored.instead.is_none() {
                return (explored, &ways.states);
            }
            program.begin_by_executions(options);
            // Whether polls multiply executions shows later than whether something else does.
            way = if worth.recur { Way::AsAsked } else { Way::after(after) };
        }
    }

    /// Explores; `known` is another process that does the same.
    fn explore(
        &self,
        program: &mut Program,
        known: Option<Ahead<'_>>,
        findings: &mut Findings,
        progress: &mut Progress,
    ) -> Explored {
        let &Pass { pool, limits, ref wanted, earlier, way } = self;
        let (Pool { options, wall, .. }, wanted) = (pool, wanted.clone());
        if let Some(goal) = walks::goal(options.search) {
            return Walks { pool, limits, wanted, earlier }.explore(program, goal, findings, progress);
        }
        let known = known.and_then(|known| known.explored(program, findings));
        let mut explored = if let Some(known) = known {
            known
        } else if processes::cuts(options) && shares_parts(options) {
            Job { pool, limits, wanted, earlier, way }.explore(program, findings, progress)
        } else {
            Whole { pool, limits: *limits, wanted, earlier, way }.explore(program, findings, progress)
        };
        if let Some(ambiguous) = explored.verdict.ambiguous.take()
            && explored.race.is_none()
            && (options.keep_going || findings.is_empty())
        {
            explored.race = race::through_state(program, (options, wall), &ambiguous);
        }
        estimate::at_a_limit(program, options, wall, &mut explored);
        explored
    }
}

//! Why executions failed: what [`smpi_explain`] finds out about the program, in a process of its own; with
//! `--stateful` in this one, because a copy of it cannot tell all states apart.
//!
//! A continuation is *right* that ends without the finding that is to be explained, whatever else it shows; of a
//! deadlock, one that ends without any. Findings that were met under the same conditions share what is executed.

mod beside;
mod helping;
mod judging;
pub(crate) mod simulating;
mod way_out;
mod words;

use std::cell::Cell;

use serde::{Deserialize, Serialize};
use smpi_base::plan::VerifyPlan;
use smpi_checker::Event;
use smpi_choices::Discoveries;
use smpi_explain::{self as explain, Budget, Explainer, Explorer, Fate, Fault, Known, Row, Sample};
use smpi_report::explanation::{Blame, Condition, Decision, Explanation, Witness};
use smpi_report::finding::Buffering;
use smpi_report::likely::Random;
use smpi_report::{Finding, FindingKey};
use smpi_runtime::summary::Wall;
use smpi_watch::access::results::set_pruning;

use crate::limits::interrupt;
use crate::program::aside::aside;
use crate::program::ended::Execution;
use crate::program::{Program, driven, foreseen, is_surprised};
use crate::schedule::token::{self, Compared, Schedules};

use helping::{Explained, Helper};
use judging::{Wanted, judge};
use words::Teller;

/// Executions that may be tried: first, for one question, and for all findings of one kind of buffering. With these,
/// most programs that fail are known completely, and reports do not depend on how fast a machine is.
const BUDGET: Budget = Budget { survey: 1_000, each: 400, left: 8_000 };

/// Random executions of each kind of buffering in which something was found.
const SCHEDULES: u64 = 200;

/// Findings that are explained, at most: as many as there are bits for what an execution shows.
const MOST_FINDINGS: usize = 63;

/// The part of the time that the first look at the program may take.
const SHARE_OF_SURVEY: f64 = 0.6;

/// The part of the time after which what is known is told before more is asked, also where all executions are known.
const SHARE_TO_TELL: f64 = 0.2;

/// The part of the time in which executions are tried where states are told apart.
const SHARE_OF_EXECUTIONS: f64 = 0.4;

/// Where an execution takes so much of the time, what those say that were explored is told before any is executed.
const SHARE_OF_SLOW: f64 = 0.01;

/// Seconds that the explaining process has beyond its time, to come to the end of an execution.
const PATIENCE_SECS: f64 = 1.0;

/// What is said of one finding.
#[derive(Serialize, Deserialize)]
struct Told {
    index: usize,
    explanation: Explanation,
    /// All executions are known: there is nothing to add.
    is_whole: bool,
}

/// A finding that can be explained, and how it was met.
#[derive(Clone)]
struct Case {
    index: usize,
    finding: Finding,
    buffering: Buffering,
    foreseen: Discoveries,
    path: Vec<Event>,
}

impl Case {
    /// Its execution is one with an end.
    fn has_end(&self) -> bool {
        self.finding.key != FindingKey::Livelock
    }
}

/// The time for all that is found out about findings, where the verification has run for so long.
pub(crate) fn seconds(options: &VerifyPlan, since_secs: f64) -> f64 {
    let limit = options.time_limit_secs;
    let left = if limit > 0.0 { limit - since_secs } else { f64::INFINITY };
    options.explain_within_secs.min(left)
}

/// Explains findings as far as the time goes: that of the whole verification, which has run for so long, too.
pub(crate) fn explain(program: &mut Program, findings: &mut [Finding], options: &VerifyPlan, since_secs: f64) {
    let within = seconds(options, since_secs);
    let is_wanted = within > 0.0 && options.is_reduced() && !interrupt::wanted();
    let cases: Vec<Case> = if is_wanted { cases(findings) } else { Vec::new() };
    let pairs: Vec<Pair> = if is_wanted { pairs(findings) } else { Vec::new() };
    if cases.is_empty() && pairs.is_empty() {
        return;
    }
    let wall = Wall::start();
    let all = findings.to_vec();
    let each_secs = since_secs / program.ended.executions().len().max(1) as f64;
    let is_slow = each_secs > within * SHARE_OF_SLOW;
    let asked = Asked { pairs: &pairs, all: &all, options, is_first: false, is_slow };
    if !options.stateful {
        let told = by_executions(program, &cases, &asked, (&wall, within));
        told.into_iter().for_each(|Told { index, explanation, .. }| findings[index].explanation = Some(explanation));
        return;
    }
    // Where executions are few, they tell more than states. Where something has no end they do not.
    let plain = VerifyPlan { stateful: false, ..options.clone() };
    let first = Asked { options: &plain, is_first: true, ..asked };
    let has_end: Vec<Case> = cases.iter().filter(|case| case.has_end()).cloned().collect();
    let mut whole = Vec::new();
    for told in by_executions(program, &has_end, &first, (&wall, within * SHARE_OF_EXECUTIONS)) {
        findings[told.index].explanation = Some(told.explanation);
        whole.extend(told.is_whole.then_some(told.index));
    }
    let cases: Vec<Case> = cases.into_iter().filter(|case| !whole.contains(&case.index)).collect();
    let before: Vec<Option<Explanation>> = findings.iter().map(|finding| finding.explanation.clone()).collect();
    // A copy of this process could not tell all states apart.
    let asked = Asked { pairs: &[], ..asked };
    explain_all(
        program,
        &cases,
        &asked,
        &|share| wall.seconds() > within * share,
        &mut |Told { index, explanation, .. }| {
            findings[index].explanation = Some(with_states(before[index].clone(), explanation));
        },
    );
}

/// Says of findings with a round whether there is a way out of it, as far as the time goes: that of all that is found
/// out about findings.
pub(crate) fn ways_out(program: &mut Program, findings: &mut [Finding], options: &VerifyPlan, since_secs: f64) {
    let (within, wall) = (seconds(options, since_secs), Wall::start());
    findings.iter_mut().for_each(|finding| way_out::add(program, finding, options, within - wall.seconds()));
}

/// Whether more than a part of the time is up.
type IsLate<'a> = &'a dyn Fn(f64) -> bool;

/// What is asked beside the cases.
#[derive(Clone, Copy)]
struct Asked<'a> {
    pairs: &'a [Pair],
    /// All findings.
    all: &'a [Finding],
    options: &'a VerifyPlan,
    /// States are looked at behind that: what would help is tried only where all executions are known.
    is_first: bool,
    /// Executions take long.
    is_slow: bool,
}

/// Explains in a process of its own, by executions.
fn by_executions(program: &mut Program, cases: &[Case], asked: &Asked<'_>, (wall, within): (&Wall, f64)) -> Vec<Told> {
    let said = aside(program, asked.options, (wall, within + PATIENCE_SECS), &mut |program, out| {
        program.ranks.disregard_threads();
        if asked.is_first {
            program.forget_names();
        }
        explain_all(program, cases, asked, &|share| wall.seconds() > within * share, &mut |told| {
            if let Ok(mut line) = serde_json::to_vec(&told) {
                line.push(b'\n');
                let _ = out.write_all(&line);
            }
        });
    });
    said.bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice::<Told>(line).ok()).collect()
}

/// Explains findings, each as soon as something is known of it.
fn explain_all(
    program: &mut Program,
    cases: &[Case],
    &Asked { pairs, all, options, is_first, is_slow }: &Asked<'_>,
    is_late: IsLate<'_>,
    tell: &mut dyn FnMut(Told),
) {
    // Of results that the program does not look at, the failing execution may have another one than the right.
    set_pruning(false, false);
    let mut known = Vec::new();
    groups(cases)
        .iter()
        .for_each(|group| known.extend(explain_group(program, group, (options, is_slow), is_late, tell)));
    pairs.iter().for_each(|pair| explain_pair(program, pair, tell));
    // What failed is said of all before anything is tried that would help. Whether a changed program comes to an end
    // is not among what is counted of its states.
    known.retain(|said: &Said<'_>| said.is_whole || !is_first && (said.case.has_end() || !options.stateful));
    help(&known, Helper::new(program, options, all, &|| is_late(1.0)), tell);
}

/// What executions have told, and what states tell: the decision and the nearest execution, if they are certain.
fn with_states(before: Option<Explanation>, now: Explanation) -> Explanation {
    let Some(before) = before else { return now };
    let is_better = now.complete || !before.complete;
    let (decided, other) = if is_better { (now, before) } else { (before, now) };
    let is_least = |explanation: &Explanation| explanation.witness.as_ref().is_some_and(|witness| witness.smallest);
    let witness = if is_least(&other) && !is_least(&decided) { &other.witness } else { &decided.witness };
    Explanation {
        witness: witness.clone().or(other.witness.clone()),
        condition: decided.condition.or(other.condition),
        beside: decided.beside.or(other.beside),
        random: decided.random.or(other.random),
        help: if decided.help.is_empty() { other.help } else { decided.help },
        tried: decided.tried + other.tried,
        ..decided
    }
}

/// The findings that can be explained: those that one execution shows.
fn cases(findings: &[Finding]) -> Vec<Case> {
    let of = |(index, finding): (usize, &Finding)| {
        let (buffering, foreseen, path) = token::path(&finding.replay)?;
        Some(Case { index, finding: finding.clone(), buffering, foreseen, path })
    };
    findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| is_explained(finding))
        .filter_map(of)
        .take(MOST_FINDINGS)
        .collect()
}

/// A difference between two executions.
struct Pair {
    index: usize,
    buffering: Buffering,
    foreseen: Discoveries,
    compared: Compared,
    both: [Vec<Event>; 2],
}

/// The findings that are differences between two executions.
fn pairs(findings: &[Finding]) -> Vec<Pair> {
    let of = |(index, finding): (usize, &Finding)| {
        let Schedules { buffering, foreseen, before, token, .. } = token::parse(&finding.replay).ok()?;
        let (compared, first) = before?;
        Some(Pair { index, buffering, foreseen, compared, both: [first.events()?, token.events()?] })
    };
    findings.iter().enumerate().filter_map(of).take(MOST_FINDINGS).collect()
}

/// Puts both executions of a difference beside each other.
fn explain_pair(program: &mut Program, pair: &Pair, tell: &mut dyn FnMut(Told)) {
    program.set_buffering(pair.buffering);
    program.foresee(&pair.foreseen);
    let both = pair.both.each_ref().map(Vec::as_slice);
    if let Some(explanation) = beside::difference(program, pair.buffering, pair.compared, both) {
        tell(Told { index: pair.index, explanation, is_whole: true });
    }
}

/// Whether a finding is about one execution, which shows it again.
fn is_explained(finding: &Finding) -> bool {
    use FindingKey::{DeterminismCommunication, DeterminismSend, Liveness, MemoryUninitialised, RaceMessage};
    let takes_several = matches!(
        finding.key,
        DeterminismCommunication | DeterminismSend | Liveness | MemoryUninitialised | RaceMessage
    );
    !takes_several && !finding.unrepeated && !finding.is_limit
}

/// Cases with the same buffering and the same foresight.
fn groups(cases: &[Case]) -> Vec<Vec<&Case>> {
    let mut groups: Vec<Vec<&Case>> = Vec::new();
    for case in cases {
        let is_same =
            |group: &&mut Vec<&Case>| group[0].buffering == case.buffering && group[0].foreseen == case.foreseen;
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(case),
            None => groups.push(vec![case]),
        }
    }
    groups
}

/// Explains cases that share what is executed.
fn explain_group<'a>(
    program: &mut Program,
    group: &[&'a Case],
    (options, is_slow): (&VerifyPlan, bool),
    is_late: IsLate<'_>,
    tell: &mut dyn FnMut(Told),
) -> Vec<Said<'a>> {
    let (buffering, known) = (group[0].buffering, &group[0].foreseen);
    program.set_buffering(buffering);
    program.foresee(known);
    let wanted = Wanted::of(group.iter().map(|case| &case.finding));
    let explored = explored(program, group[0], &wanted);
    if is_slow {
        explain_from(program, group, &explored, is_late, tell);
    }
    let mut judge = |program: &mut Program, settled, path: &[Event]| judge(program, settled, path, buffering, &wanted);
    // The beginning takes no more than a part of the time: the decision is near the end as a rule.
    let is_first = Cell::new(true);
    let is_over = || is_surprised() || if is_first.get() { is_late(SHARE_OF_SURVEY) } else { is_late(1.0) };
    let mut explorer = Explorer {
        system: program,
        judge: &mut judge,
        is_late: &is_over,
        depth: options.depth as usize,
        by_states: options.stateful,
    };
    let mut explainer = Explainer::new(&mut explorer, BUDGET);
    explainer.survey();
    is_first.set(false);
    let is_whole = explainer.known.complete;
    if !is_whole && is_late(SHARE_OF_SURVEY) {
        // Where time decides what is known, it need not be executed to be known.
        explored.into_iter().for_each(|row| explainer.known.add(row));
    }
    let mut said = Vec::new();
    for (place, &case) in group.iter().enumerate() {
        let fault = Fault(place as u32);
        let before = explainer.budget.left;
        if is_whole {
            through_rounds(|| explainer.look_round(fault, &case.path));
        }
        let blame = explainer.blame(fault, &case.path, case.buffering == Buffering::Each);
        if !is_whole || is_late(SHARE_TO_TELL) {
            // What follows may take all of the time that is left.
            let right = explainer.known.nearest_right(fault, &case.path).cloned();
            let tried = tried_since(&explainer, before);
            let known = Found { blame: blame.clone(), nearest: None, right, condition: None, tried };
            let explanation = in_words(explainer.program().system, case, known);
            tell(Told { index: case.index, explanation, is_whole: false });
        }
        let found = found(&mut explainer, (fault, before), case, blame);
        let right = found.right.as_ref().map(|row| row.path.clone());
        let explanation = in_words(explainer.program().system, case, found);
        tell(Told { index: case.index, explanation: explanation.clone(), is_whole });
        said.push(Said { case, explanation, right, is_whole });
    }
    // Where there is one execution, nothing is drawn.
    let has_choices = !explainer.known.complete || explainer.known.rows().len() > 1;
    if has_choices && !options.stateful {
        let sampled = through_rounds(|| explainer.program().sample(SCHEDULES, group.len() as u32));
        let Sample { executions, showing } = sampled;
        for (said, showing) in said.iter_mut().zip(showing).filter(|_| executions > 0) {
            said.explanation.random = Some(Random { schedules: executions, showing });
            tell(Told { index: said.case.index, explanation: said.explanation.clone(), is_whole });
        }
    }
    said
}

/// What was explored under the conditions of a case, as far as it was kept.
fn explored(program: &Program, case: &Case, wanted: &Wanted) -> Vec<Row> {
    let all = program.ended.executions().iter();
    let same = all.filter(|one| (one.buffering, &one.foreseen) == (case.buffering, &case.foreseen));
    let row =
        |one: &Execution| Row::new(&one.path, wanted.among(&one.found), one.found.iter().all(Finding::is_warning));
    same.map(row).collect()
}

/// Says of cases what follows from these executions alone: of the first one, and of others in a part of the time.
fn explain_from(program: &mut Program, group: &[&Case], rows: &[Row], is_late: IsLate<'_>, tell: &mut dyn FnMut(Told)) {
    let mut known = Known::default();
    rows.iter().for_each(|row| known.add(row.clone()));
    for (place, &case) in group.iter().enumerate() {
        if place > 0 && is_late(SHARE_TO_TELL) {
            break;
        }
        if let Some(blame) = known.blame(Fault(place as u32), &case.path) {
            let found = Found { blame, nearest: None, right: None, condition: None, tried: rows.len() as u64 };
            let explanation = in_words(program, case, found);
            tell(Told { index: case.index, explanation, is_whole: false });
        }
    }
}

/// Does something for which executions in which polls find nothing in vain are no less than others.
fn through_rounds<T>(what: impl FnOnce() -> T) -> T {
    let leaves = driven(|driver, _| driver.leave_rounds(false));
    let done = what();
    driven(|driver, _| driver.leave_rounds(leaves));
    done
}

/// What was said of a case.
struct Said<'a> {
    case: &'a Case,
    explanation: Explanation,
    right: Option<Vec<Event>>,
    is_whole: bool,
}

/// Says it again with what would help.
fn help(said: &[Said<'_>], mut helper: Helper<'_>, tell: &mut dyn FnMut(Told)) {
    for &Said { case, ref explanation, ref right, is_whole } in said {
        let explained = Explained {
            finding: &case.finding,
            buffering: case.buffering,
            foreseen: &case.foreseen,
            path: &case.path,
            explanation,
            right: right.as_deref(),
        };
        let help = helper.help(&explained);
        if !help.is_empty() {
            tell(Told { index: case.index, explanation: Explanation { help, ..explanation.clone() }, is_whole });
        }
    }
}

/// What was found out about a case.
struct Found {
    blame: explain::Blame,
    nearest: Option<explain::Nearest>,
    /// The right execution that is nearest to the one that is explained.
    right: Option<explain::Row>,
    /// Of an execution, which comes with it.
    condition: Option<(Vec<Event>, explain::Condition)>,
    tried: u64,
}

fn found(
    explainer: &mut Explainer<'_, Explorer<'_, Program>>,
    (fault, before): (Fault, u64),
    case: &Case,
    blame: explain::Blame,
) -> Found {
    // One that fails for another reason explains nothing.
    let needed = match &blame {
        explain::Blame::Decision { sealed, .. } => sealed.events.clone(),
        explain::Blame::Nothing(_) | explain::Blame::Waiting(_) => Vec::new(),
    };
    // What has no end has no last choice.
    let nearest = explainer.nearest(fault, &needed).filter(|_| case.has_end());
    let of = nearest.as_ref().map_or(&case.path, |nearest| &nearest.path).clone();
    let is_decided = matches!(blame, explain::Blame::Decision { .. });
    let condition = if is_decided { explainer.condition(fault, &of) } else { None }.map(|condition| (of, condition));
    let tried = tried_since(explainer, before);
    let right = explainer.known.nearest_right(fault, &case.path).cloned();
    Found { blame, nearest, right, condition, tried }
}

/// Executions that are known, and that were tried since so many were left.
fn tried_since(explainer: &Explainer<'_, Explorer<'_, Program>>, before: u64) -> u64 {
    explainer.known.rows().len() as u64 + (before - explainer.budget.left)
}

/// Puts into words what was found.
fn in_words(program: &mut Program, case: &Case, found: Found) -> Explanation {
    let mut teller = Teller::new(program);
    let Found { blame, nearest, right, condition, tried } = found;
    let (choices, deviations) = (case.path.len() as u64, teller.deviations(&case.path));
    let mut explanation = Explanation { tried, choices, deviations, ..Explanation::default() };
    let note_fate = |explanation: &mut Explanation, fate: Fate| {
        (explanation.complete, explanation.failing) = match fate {
            Fate::Open => (false, 0),
            Fate::Sealed(failing) => (true, failing),
            Fate::Doubtful(tried) => (false, tried),
        };
    };
    match blame {
        explain::Blame::Decision { at, fate, parts, sealed, instead } => {
            explanation.blame = Blame::Decision;
            note_fate(&mut explanation, fate);
            let event = case.path[at];
            let of_part = |teller: &mut Teller<'_>, part: &[Event]| -> Vec<_> {
                part.iter().filter_map(|&event| teller.tell(&case.path, event, None)).collect()
            };
            let matching = teller.tell(&case.path, event, Some(&instead)).unwrap_or_default();
            let mut parts = parts.into_iter();
            let mut first = parts.next().unwrap_or_default();
            let before: Vec<Event> = sealed.events.into_iter().filter(|other| !first.contains(other)).collect();
            let given = sealed.is_proved.then(|| of_part(&mut teller, &before));
            first.retain(|&other| other != event);
            let together = of_part(&mut teller, &first);
            let likewise = parts.map(|part| of_part(&mut teller, &part)).collect();
            let certainty = Explanation::certainty(explanation.complete, explanation.failing);
            explanation.decision = Some(Decision { matching, together, given, likewise, certainty });
        }
        explain::Blame::Nothing(fate) => {
            note_fate(&mut explanation, fate);
            if case.finding.key == FindingKey::DeadlockBuffering {
                explanation.blame = Blame::Buffering;
            }
        }
        explain::Blame::Waiting(_) => explanation.blame = Blame::Buffering,
    }
    explanation.condition = condition.map(|(path, condition)| Condition {
        matchings: condition.events.iter().filter_map(|&event| teller.tell(&path, event, None)).collect(),
        failing: condition.failing,
        failing_otherwise: condition.failing_otherwise,
        right_otherwise: condition.right_otherwise,
        erring_otherwise: condition.erring_otherwise,
        all_with: condition.is_forced,
        all_without: condition.is_exact,
        smallest: condition.is_smallest && condition.is_forced,
    });
    // Where a deadlock may go on from its end, that is no other execution.
    let right = right.filter(|right| !case.path.iter().all(|event| right.path.contains(event)));
    let round = case.finding.lasso.as_ref().map(|lasso| lasso.prefix.len());
    let failing = (&case.path[..], round);
    explanation.beside = right.and_then(|right| beside::failing_and_right(program, case.buffering, failing, &right));
    explanation.witness = nearest.map(|nearest| Witness {
        replay: token::write(case.buffering, &foreseen(), &nearest.path),
        deviations: nearest.deviations,
        choices: nearest.path.len() as u64,
        smallest: nearest.is_least,
    });
    explanation
}

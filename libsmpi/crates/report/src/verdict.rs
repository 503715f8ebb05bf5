//! The result of a verification, and its JSON form: what `smpirun --verify --report FILE` writes.
//!
//! The format is documented in `docs/report-format.md`. Whether the exploration is complete, and the verdict, follow
//! from the other fields, so that they cannot contradict each other. The text for people is made in [`crate::text`],
//! the page in [`crate::html`].

use crate::coverage::{Coverage, Estimate};
use crate::dear::DearCall;
use crate::finding::{Buffering, Finding};
use crate::tree::Tree;
use serde::{Deserialize, Serialize};
use smpi_base::words::counted;
use std::fmt;

/// Version of the JSON form. It changes when a key changes its meaning or goes, not when one is added.
pub const SCHEMA: u32 = 1;

/// Names that [`Report::not_watched`] lists.
const MOST_UNSEEN: usize = 4;

/// What the exploration says about the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything was explored and nothing was found.
    NoError,
    /// At least one finding.
    Error,
    /// Nothing was found, but not everything was explored.
    Incomplete,
}

/// A reason why not everything was explored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "bound", content = "limit", rename_all = "kebab-case")]
pub enum Bound {
    /// The first finding ended it.
    FirstFinding,
    /// The first violation of a property ends the search.
    FirstViolation,
    /// Executions were cut after this many transitions.
    Depth(u64),
    /// A limit was met in an execution, of which it is not known how it goes on; says which, where, and the schedule.
    Unfinished(String),
    /// Not all sets of more than this many completed requests were tried.
    MaxWaitsome(u64),
    /// Not all that `MPI_Cancel` can bring about was tried.
    Cancel,
    /// Ranks did something that can be neither explored nor put back; says what.
    Uncontrolled(String),
    /// Two schedules lead to states that were taken for one and are not, which is an error of ours; says which.
    StatesDiffer(String),
    /// Number of executions.
    MaxExecutions(u64),
    /// So many random executions were all that was wanted.
    Sample(u64),
    /// Executions with more deviations from the natural one were not wanted.
    Deviations(u64),
    /// Wall time in seconds.
    TimeLimit(f64),
    /// Bytes of memory.
    Memory(u64),
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// The exploring process ended without saying why.
    ExplorerLost,
}

impl Bound {
    /// The option that moves the bound; `None` when there is none.
    pub fn option(&self) -> Option<&'static str> {
        match self {
            Bound::FirstFinding => Some("--keep-going"),
            Bound::Depth(_) => Some("--depth"),
            Bound::MaxWaitsome(_) => Some("--max-waitsome"),
            Bound::MaxExecutions(_) => Some("--max-executions"),
            Bound::TimeLimit(_) => Some("--time-limit"),
            Bound::Memory(_) => Some("--memory"),
            Bound::Sample(_) => Some("--sample"),
            Bound::Deviations(_) => Some("--deviations"),
            Bound::FirstViolation
            | Bound::Cancel
            | Bound::Unfinished(_)
            | Bound::Uncontrolled(_)
            | Bound::StatesDiffer(_)
            | Bound::Interrupted
            | Bound::ExplorerLost => None,
        }
    }
}

impl fmt::Display for Bound {
    /// What happened and, where there is one, the option that moves the bound.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::FirstFinding => write!(f, "stopped at the first error; --keep-going finds all"),
            Bound::FirstViolation => write!(f, "the search for a violation ends with the first one"),
            Bound::Depth(limit) => {
                write!(f, "executions were cut after {}; --depth N moves that", counted(*limit, "transition"))
            }
            Bound::Unfinished(what) => write!(f, "{what}"),
            Bound::MaxWaitsome(limit) => {
                let what = "of more completed requests, Waitsome returned each one and all, but not all sets";
                write!(f, "{what}; --max-waitsome N moves that limit of {limit}")
            }
            Bound::Cancel => {
                let what =
                    "a message was probed for whose send is cancelled, or MPI_Imrecv or MPI_Isendrecv was cancelled";
                write!(f, "{what}; that this succeeds was not tried")
            }
            Bound::Uncontrolled(what) => write!(f, "not everything can be explored: {what}"),
            Bound::StatesDiffer(schedules) => {
                let what = "two states were taken for one and are not, which is an error of smpirun: please report it";
                write!(f, "{what}, with the program and these schedules: {schedules}")
            }
            Bound::MaxExecutions(limit) => {
                write!(f, "stopped after {}; --max-executions N moves that", counted(*limit, "execution"))
            }
            Bound::Sample(walks) => {
                write!(f, "{} were tried; --sample N tries more", counted(*walks, "random execution"))
            }
            Bound::Deviations(most) => {
                let what = "executions with more than";
                write!(f, "{what} {} were not tried; --deviations K moves that", counted(*most, "deviation"))
            }
            Bound::TimeLimit(seconds) => {
                let plural = if *seconds == 1.0 { "" } else { "s" };
                write!(f, "stopped after {seconds} second{plural}; --time-limit SECONDS moves that")
            }
            Bound::Memory(limit) => write!(f, "stopped with {} MiB in use; --memory SIZE moves that", limit >> 20),
            Bound::Interrupted => write!(f, "interrupted"),
            Bound::ExplorerLost => write!(f, "the exploring process ended unexpectedly"),
        }
    }
}

/// What was explored with one kind of buffering.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// Which.
    pub buffering: Buffering,
    /// Executions seen to their end.
    pub executions: u64,
    /// Transitions taken.
    pub transitions: u64,
    /// Every relevant execution was seen.
    pub complete: bool,
    /// The reduction, where that is not the one of the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduction: Option<String>,
    /// Different results of the executions: what every rank has printed and its exit code, or that it is blocked.
    #[serde(default)]
    pub results: u64,
    /// A digest of these results, whatever the order in which they were met.
    #[serde(default)]
    pub results_digest: String,
    /// The results themselves, where they were asked for: how every rank ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_results: Option<Vec<Vec<RankResult>>>,
    /// What was seen of states, where those are recognised whatever led to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub states: Option<States>,
    /// What was executed, where not everything was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// How many executions there are, where not all were seen and somebody has looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Estimate>,
    /// The calls that multiply executions most, where not all were seen: the dearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dear_calls: Vec<DearCall>,
    /// What it consists of, where a page is wanted; not part of the JSON.
    #[serde(skip)]
    pub tree: Option<Tree>,
}

/// States that were seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct States {
    /// How many.
    pub count: u64,
    /// How many of them were kept in files for lack of memory.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub in_files: u64,
    /// Why some of them were recognised by what led to them after all, in words that follow "because".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unnamed: Option<String>,
    /// They were recognised because polls multiplied executions, and not because somebody had asked for that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub adapted: bool,
    /// What was found to hold, where that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
    /// Why no choice was left out in any of them although that was allowed, in words that follow "because".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreduced: Option<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl States {
    /// What users should know of them beside their number.
    fn words(&self) -> impl Iterator<Item = String> {
        let told_apart = |why: &String| format!("some states were told apart by what led to them, because {why}");
        let in_files = (self.in_files > 0).then(|| format!("{} were kept in files", counted(self.in_files, "state")));
        let unreduced = |why: &String| format!("all choices were made in all states (no reduction), because {why}");
        let unreduced = self.unreduced.as_ref().map(unreduced);
        let adapted = "states were recognised, as executions are many: a handle that is used after its request is \
                       over is noticed only until its place is taken; --reduction matches tells executions apart";
        let adapted = self.adapted.then(|| adapted.to_string());
        self.holds
            .clone()
            .into_iter()
            .chain(adapted)
            .chain(unreduced)
            .chain(self.unnamed.as_ref().map(told_apart))
            .chain(in_files)
    }
}

impl Mode {
    /// What was counted: `5 states`, or `5 executions`.
    pub(crate) fn counted(&self) -> String {
        match &self.states {
            Some(states) => counted(states.count, "state"),
            None => counted(self.executions, "execution"),
        }
    }

    /// What was executed and how much there is, where that is not everything: sentences without their full stops.
    fn covered(&self) -> impl Iterator<Item = String> {
        let coverage = self.coverage.as_ref().map(Coverage::words);
        let estimate = self.estimate.as_ref().map(|estimate| match estimate.walks {
            0 if estimate.at_least => format!("{estimate}; random ones show fewer"),
            0 => format!("{estimate}, judged by the part that was explored"),
            walks => format!("{estimate}, judged by {}", counted(walks, "random one")),
        });
        let dear = self.dear_calls.iter().map(DearCall::words);
        let states = self.states.as_ref().into_iter().flat_map(States::words);
        let groups = self.reduction.as_ref().map(|name| {
            format!(
                "explored with the reduction {name}, as there are ranks that are told the same whatever others choose"
            )
        });
        coverage.into_iter().chain(groups).chain(estimate).chain(dear).chain(states)
    }
}

/// How one rank ended in an execution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankResult {
    /// Everything that it has printed to standard output.
    pub output: String,
    /// Its exit code; none when it is blocked.
    pub exit: Option<i32>,
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Document", into = "Document")]
pub struct Report {
    /// What follows `smpirun --replay TOKEN`: options that a schedule depends on, then programs: `-np 4 ./ring 10`.
    pub command: String,
    /// The words after `smpirun`, as a shell takes them.
    pub command_line: String,
    /// Number of ranks.
    pub ranks: u32,
    /// Executions seen to their end, in all modes.
    pub executions: u64,
    /// Transitions taken, in all modes.
    pub transitions: u64,
    /// Wall time in seconds. The only value that differs between equal runs.
    pub seconds: f64,
    /// `--buffering`: `zero`, `infinite`, `zero+infinite` or `each`.
    pub buffering: String,
    /// `--reduction`: `matches`, `dpor` or `none`; where a property is checked, `ample` or `none`.
    pub reduction: String,
    /// `--symmetric`: ranks that may change places, by the user's promise; empty if there are none.
    pub symmetric: String,
    /// `--collectives`: `atomic` or `p2p`.
    pub collectives: String,
    /// Counts of each kind of buffering, in the order of exploration; may be empty.
    pub modes: Vec<Mode>,
    /// Why not everything was explored; empty when everything was.
    pub bounds: Vec<Bound>,
    /// The findings, one for each cause.
    pub findings: Vec<Finding>,
    /// What does not report its accesses to memory, of the program and its private libraries: source files, functions,
    /// whole files.
    pub unseen: Vec<String>,
    /// Other libraries that the program uses; none reports its accesses.
    pub libraries: Vec<String>,
}

impl Report {
    /// True when every relevant execution was seen.
    pub fn complete(&self) -> bool {
        self.bounds.is_empty()
    }

    /// What the exploration says about the program.
    pub fn verdict(&self) -> Verdict {
        match (self.findings.is_empty(), self.complete()) {
            (false, _) => Verdict::Error,
            (true, true) => Verdict::NoError,
            (true, false) => Verdict::Incomplete,
        }
    }

    /// What was executed and how much there is, where that is not everything: sentences without their full stops. What
    /// several modes have in common is said once.
    pub fn covered(&self) -> Vec<String> {
        let mut said: Vec<(Vec<&str>, String)> = Vec::new();
        for mode in &self.modes {
            for words in mode.covered() {
                match said.iter_mut().find(|(_, known)| *known == words) {
                    Some((modes, _)) => modes.push(mode.buffering.words()),
                    None => said.push((vec![mode.buffering.words()], words)),
                }
            }
        }
        said.into_iter().map(|(modes, words)| format!("{}: {words}", modes.join(" and "))).collect()
    }

    /// What was not watched, in one sentence that ends without its full stop; `None` when there is nothing to say.
    pub fn not_watched(&self) -> Option<String> {
        let all: Vec<&str> = self.unseen.iter().chain(&self.libraries).map(String::as_str).collect();
        let shown = &all[..all.len().min(MOST_UNSEEN)];
        let more = match all.len() - shown.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        // What a library does stays unseen.
        let advice = if self.unseen.is_empty() { "" } else { "; see smpicc --verify" };
        (!shown.is_empty()).then(|| format!("accesses to memory by {}{more}{advice}", shown.join(", ")))
    }

    /// What is left out of the orders on purpose, in one sentence that ends without its full stop.
    pub fn not_combined(&self) -> Option<&'static str> {
        let modes = self.modes.iter().filter_map(|mode| mode.reduction.as_deref());
        modes.chain([&*self.reduction]).any(|name| name == "histories").then_some(
            "what different groups of ranks are told, where neither tells the other anything new; --reduction matches combines it",
        )
    }

    /// The same report with limits that were met where they belong: what is not explored is no finding.
    pub fn with_limits(mut self) -> Report {
        let (limits, findings): (Vec<Finding>, _) =
            std::mem::take(&mut self.findings).into_iter().partition(|one| one.is_limit);
        self.findings = findings;
        if limits.is_empty() {
            return self;
        }
        if self.findings.is_empty() {
            self.bounds.retain(|bound| *bound != Bound::FirstFinding);
        }
        for limit in &limits {
            let place = limit.locations.first().filter(|place| place.file.is_some());
            let place = place.map_or(String::new(), |place| format!(" at {}", place.source()));
            let schedule =
                self.replay_command(limit).map_or(String::new(), |command| format!("; to see it: {command}"));
            self.bounds.push(Bound::Unfinished(format!("{}{place}{schedule}", limit.message)));
        }
        self.modes.iter_mut().for_each(|mode| mode.complete = false);
        self
    }

    /// The report as JSON, ending in a newline.
    pub fn json(&self) -> String {
        // Only maps with non-string keys or failing Serialize implementations can fail, and there are none.
        let mut text = serde_json::to_string_pretty(self).expect("a report is plain data");
        text.push('\n');
        text
    }

    /// Reads [`Report::json`] back.
    ///
    /// # Errors
    /// When the text is not such a report, or of another version.
    pub fn from_json(text: &str) -> Result<Report, String> {
        serde_json::from_str(text).map_err(|error| format!("not a report: {error}"))
    }

    /// The line that repeats a finding; `None` when there is nothing to replay.
    pub fn replay_command(&self, finding: &Finding) -> Option<String> {
        let command = format!("smpirun --replay {} {}", finding.replay, self.command);
        (!finding.replay.is_empty()).then(|| command.trim_end().to_string())
    }
}

/// The keys of the JSON form, in their order.
#[derive(Serialize, Deserialize)]
struct Document {
    schema: u32,
    verdict: Verdict,
    complete: bool,
    executions: u64,
    transitions: u64,
    seconds: f64,
    command: String,
    #[serde(default)]
    command_line: String,
    ranks: u32,
    buffering: String,
    reduction: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    symmetric: String,
    collectives: String,
    modes: Vec<Mode>,
    bounds: Vec<Bound>,
    findings: Vec<Finding>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    unseen: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    libraries: Vec<String>,
}

impl From<Report> for Document {
    fn from(report: Report) -> Document {
        Document {
            schema: SCHEMA,
            verdict: report.verdict(),
            complete: report.complete(),
            executions: report.executions,
            transitions: report.transitions,
            seconds: report.seconds,
            command: report.command,
            command_line: report.command_line,
            ranks: report.ranks,
            buffering: report.buffering,
            reduction: report.reduction,
            symmetric: report.symmetric,
            collectives: report.collectives,
            modes: report.modes,
            bounds: report.bounds,
            findings: report.findings,
            unseen: report.unseen,
            libraries: report.libraries,
        }
    }
}

impl TryFrom<Document> for Report {
    type Error = String;

    fn try_from(document: Document) -> Result<Report, String> {
        if document.schema != SCHEMA {
            return Err(format!("schema {}; this program reads {SCHEMA}", document.schema));
        }
        let report = Report {
            command: document.command,
            command_line: document.command_line,
            ranks: document.ranks,
            executions: document.executions,
            transitions: document.transitions,
            seconds: document.seconds,
            buffering: document.buffering,
            reduction: document.reduction,
            symmetric: document.symmetric,
            collectives: document.collectives,
            modes: document.modes,
            bounds: document.bounds,
            findings: document.findings,
            unseen: document.unseen,
            libraries: document.libraries,
        };
        if (document.verdict, document.complete) != (report.verdict(), report.complete()) {
            return Err("`verdict` or `complete` contradicts `findings` and `bounds`".into());
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{LastCall, Location};
    use crate::key::FindingKey;

    fn report() -> Report {
        let place = Location::new(0, "MPI_Recv").at("ring.c", 12);
        let mut finding =
            Finding::new(FindingKey::Deadlock, "ranks 0 and 1 wait for each other").located(place.clone());
        finding.replay = "z:0.1".into();
        finding.buffering = Some(Buffering::Zero);
        finding.cycle = Some(vec![0, 1]);
        finding.last_calls.push(LastCall::blocked(place, "source 1", "a message from rank 1"));
        Report {
            command: "-np 2 ./ring".into(),
            command_line: "--verify -np 2 ./ring".into(),
            ranks: 2,
            executions: 1,
            transitions: 4,
            seconds: 0.25,
            buffering: "both".into(),
            reduction: "matches".into(),
            symmetric: "1-8".into(),
            collectives: "atomic".into(),
            modes: vec![Mode {
                buffering: Buffering::Zero,
                executions: 1,
                transitions: 4,
                complete: false,
                results: 1,
                results_digest: "00c0ffee".into(),
                ..Mode::default()
            }],
            bounds: vec![Bound::FirstFinding, Bound::Depth(10)],
            findings: vec![finding],
            unseen: vec!["part.c".into()],
            libraries: vec!["libc".into()],
        }
    }

    #[test]
    fn json_has_the_keys_of_the_documentation() {
        let json: serde_json::Value = serde_json::from_str(&report().json()).unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["verdict"], "error");
        assert_eq!(json["complete"], false);
        assert_eq!(json["executions"], 1);
        assert_eq!(json["transitions"], 4);
        assert_eq!(json["seconds"], 0.25);
        assert_eq!(json["bounds"][1], serde_json::json!({"bound": "depth", "limit": 10}));
        let finding = &json["findings"][0];
        assert_eq!(finding["key"], "deadlock");
        assert_eq!(finding["ranks"], serde_json::json!([0]));
        assert_eq!(finding["replay"], "z:0.1");
        let location = &finding["locations"][0];
        let place = ["rank", "call", "file", "line"].map(|key| location[key].to_string());
        assert_eq!(place, ["0", "\"MPI_Recv\"", "\"ring.c\"", "12"]);
        assert_eq!(finding["last_calls"][0]["call"], "MPI_Recv");
        assert_eq!(finding["last_calls"][0]["state"], "blocked");
    }

    #[test]
    fn json_reads_back() {
        assert_eq!(Report::from_json(&report().json()), Ok(report()));
        assert_eq!(Report::from_json(&Report::default().json()), Ok(Report::default()));
    }

    #[test]
    fn contradictions_and_other_versions_are_refused() {
        let changed = |from: &str, to: &str| Report::from_json(&report().json().replacen(from, to, 1)).unwrap_err();
        assert!(changed("\"schema\": 1", "\"schema\": 2").contains("schema 2"));
        assert!(changed("\"complete\": false", "\"complete\": true").contains("contradicts"));
        assert!(changed("\"deadlock\"", "\"starvation\"").contains("docs/findings.md"));
    }

    #[test]
    fn the_verdict_follows_from_findings_and_bounds() {
        let mut report = report();
        assert_eq!((report.verdict(), report.complete()), (Verdict::Error, false));
        report.findings.clear();
        assert_eq!(report.verdict(), Verdict::Incomplete);
        report.bounds.clear();
        assert_eq!((report.verdict(), report.complete()), (Verdict::NoError, true));
    }

    #[test]
    fn what_was_covered_is_said_once_for_all_modes_that_have_it_in_common() {
        let mut report = report();
        assert!(report.covered().is_empty());
        let estimate = Estimate {
            walks: 9,
            log10_executions: 3.0,
            relative_error: 0.1,
            at_least: true,
            log10_range: Some([2.9, 3.1]),
        };
        let coverage = |count| Some(Coverage::Deviations { most: 1, executions: vec![1, count] });
        let mode = |buffering, count| Mode {
            buffering,
            coverage: coverage(count),
            estimate: Some(estimate),
            ..report.modes[0].clone()
        };
        report.modes = vec![mode(Buffering::Zero, 7), mode(Buffering::Infinite, 8)];
        assert_eq!(
            report.covered(),
            [
                "zero buffering: the natural execution, 7 with 1 deviation",
                "zero buffering and infinite buffering: at least 1000 executions in all (794 to 1259), judged by 9 random ones",
                "infinite buffering: the natural execution, 8 with 1 deviation",
            ]
        );
        assert!(report.text().contains("7 with 1 deviation") && report.html().contains("8 with 1 deviation"));
        assert_eq!(Report::from_json(&report.json()), Ok(report));
    }

    #[test]
    fn a_way_that_nobody_has_asked_for_is_told() {
        let mut report = report();
        assert_eq!((report.covered(), report.not_combined()), (Vec::new(), None));
        report.modes[0].reduction = Some("histories".into());
        assert!(report.covered()[0].starts_with("zero buffering: explored with the reduction histories"));
        assert!(report.not_combined().is_some());
        report.modes[0] = Mode { states: Some(States { adapted: true, ..States::default() }), ..Mode::default() };
        assert!(report.covered()[0].starts_with("zero buffering: states were recognised, as executions are many"));
        assert_eq!(report.not_combined(), None);
    }

    #[test]
    fn dear_calls_are_named_with_their_mode() {
        let mut report = report();
        let call = DearCall { ranks: vec![0], call: "MPI_Recv".into(), choices: 1.0, ways: 3.0, ..DearCall::default() };
        report.modes[0].dear_calls = vec![call];
        let words = "zero buffering: MPI_Recv (rank 0) is taken 3 ways on average, once an execution";
        assert_eq!(report.covered(), [words]);
        assert!(report.html().contains(words));
        assert_eq!(Report::from_json(&report.json()), Ok(report));
    }

    #[test]
    fn what_is_not_watched_is_named() {
        let mut report = report();
        let words = |report: &Report| report.not_watched().unwrap_or_default();
        assert_eq!(words(&report), "accesses to memory by part.c, libc; see smpicc --verify");
        report.unseen = (0..7).map(|number| format!("{number}.c")).collect();
        assert!(words(&report).contains("3.c and 4 more; "));
        report.unseen.clear();
        assert_eq!(words(&report), "accesses to memory by libc");
        assert!(report.text().contains("  not watched: accesses to memory by libc\n"));
        report.libraries.clear();
        assert_eq!(report.not_watched(), None);
    }

    #[test]
    fn a_limit_is_no_finding() {
        let mut report = report();
        report.findings[0].is_limit = true;
        let report = report.with_limits();
        assert_eq!((report.verdict(), report.findings.len()), (Verdict::Incomplete, 0));
        let words = "ranks 0 and 1 wait for each other at ring.c:12; to see it: smpirun --replay z:0.1 -np 2 ./ring";
        assert_eq!(report.bounds, [Bound::Depth(10), Bound::Unfinished(words.into())]);
    }

    #[test]
    fn replay_repeats_the_command() {
        let mut report = report();
        let replay = report.replay_command(&report.findings[0]);
        assert_eq!(replay.as_deref(), Some("smpirun --replay z:0.1 -np 2 ./ring"));
        report.findings[0].replay.clear();
        assert_eq!(report.replay_command(&report.findings[0]), None);
    }

    #[test]
    fn the_format_document_has_a_report_that_reads() {
        let document = include_str!("../../../../docs/report-format.md");
        let example = document.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let read = Report::from_json(example).unwrap();
        assert_eq!(read.findings[0].key, FindingKey::Deadlock);
        let same: serde_json::Value = serde_json::from_str(example).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), same, "every key of the format, and no other");
        for key in same.as_object().unwrap().keys().chain(same["findings"][0].as_object().unwrap().keys()) {
            assert!(document.contains(&format!("| `{key}` |")), "docs/report-format.md explains `{key}`");
        }
    }
}

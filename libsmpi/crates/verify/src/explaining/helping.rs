//! What would help against a finding. Changes of the program are tried, each by exploring the program as if it were
//! written so: nothing is said of one that was not.
//!
//! | changed | where, and when |
//! |---|---|
//! | a receive or blocking probe of any source names one | lines of the decision and of the condition |
//! | the kind of buffering | always |
//! | a send is buffered | lines with sends, where nothing fails with infinite buffering |
//! | a send is synchronous | the same, where nothing fails with zero buffering |
//! | a barrier comes before a collective operation | lines with such, where nothing fails with zero buffering |
//!
//! A receive names the source that it took in the right execution that is nearest. Lines that were called last come
//! first.
//!
//! Not tried: a source of `MPI_Iprobe` and of persistent requests, whose calls are not counted by what they took; a
//! barrier before other calls, because it is not known where the other ranks would have it.

use std::collections::BTreeMap;

use smpi_base::WorldRank;
use smpi_base::plan::VerifyPlan;
use smpi_checker::Event;
use smpi_choices::{Discoveries, bound};
use smpi_explain::{Explorer, Trial, trial};
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::usage::Origin;
use smpi_report::explanation::Explanation;
use smpi_report::finding::Buffering;
use smpi_report::help::{Change, Help, Sources};
use smpi_report::{Finding, FindingKey};
use smpi_runtime::amend::{Amended, Amendment, Call, Noted};
use smpi_runtime::with;
use smpi_watch::checks::location_of;

use super::judging::{Against, NEW, OWN, judge_changed};
use crate::options::modes;
use crate::program::{Program, driven, is_surprised};

/// Executions of a changed program in one kind of buffering, and in all.
const EACH: u64 = 400;
const IN_ALL: u64 = 8_000;
/// Lines with receives of any source, with sends and with collective operations that are tried, of each finding.
const MOST_LINES: usize = 4;
/// Explorations of one change that begin again because more had to be known.
const MOST_AGAIN: u32 = 4;

/// A finding, and what is known of it.
pub struct Explained<'a> {
    pub finding: &'a Finding,
    pub buffering: Buffering,
    pub foreseen: &'a Discoveries,
    pub path: &'a [Event],
    pub explanation: &'a Explanation,
    /// The right execution that is nearest to the failing one.
    pub right: Option<&'a [Event]>,
}

/// Tries changes.
pub struct Helper<'a> {
    program: &'a mut Program,
    options: &'a VerifyPlan,
    findings: &'a [Finding],
    is_late: &'a dyn Fn() -> bool,
    /// Executions that may still be tried.
    left: u64,
}

/// A call of an execution, and its line.
struct Placed {
    noted: Noted,
    line: String,
}

/// What came of a change, and an error that the program had not.
type Came = (Trial, Option<FindingKey>);

impl<'a> Helper<'a> {
    /// Against findings of a report.
    pub fn new(
        program: &'a mut Program,
        options: &'a VerifyPlan,
        findings: &'a [Finding],
        is_late: &'a dyn Fn() -> bool,
    ) -> Helper<'a> {
        Helper { program, options, findings, is_late, left: IN_ALL }
    }

    /// All changes that are tried against a finding.
    pub fn help(&mut self, case: &Explained<'_>) -> Vec<Help> {
        // Ranks that name others are not alike any more.
        if !self.options.symmetric.is_empty() {
            return Vec::new();
        }
        let mut tried = self.name_sources(case);
        for other in [Buffering::Zero, Buffering::Infinite] {
            if other != case.buffering {
                self.change_buffering(case, other, &mut tried);
            }
        }
        // Of what nobody has seen an execution, there is nothing to say.
        tried.retain(|help| help.executions > 0);
        tried
    }

    /// Lets receives of any source name those of the right execution.
    fn name_sources(&mut self, case: &Explained<'_>) -> Vec<Help> {
        let Some(right) = case.right else { return Vec::new() };
        let calls = self.calls(case, right);
        let is_any = |placed: &&Placed| matches!(placed.noted.call, Call::AnySource { .. });
        let to_blame = lines_to_blame(case.explanation);
        let lines = to_blame.into_iter().filter(|line| calls.iter().any(|one| one.line == *line && is_any(&one)));
        let lines: Vec<String> = lines.take(MOST_LINES).collect();
        let mut tried = Vec::new();
        for line in lines {
            let there: Vec<&Placed> = calls.iter().filter(|one| one.line == line).filter(is_any).collect();
            let mut sources: Vec<Vec<Option<i32>>> = vec![Vec::new(); self.program.count() as usize];
            for placed in &there {
                if let Call::AnySource { took, .. } = placed.noted.call {
                    sources[placed.noted.rank.index()].push(took);
                }
            }
            let call = there[0].noted.origin.call.to_string();
            let came = self.change(case, &calls, &line, &Amendment::Sources(sources.clone()));
            let of_ranks = (0..).zip(sources).filter(|(_, sources)| !sources.is_empty());
            let sources = of_ranks.map(|(rank, sources)| Sources { rank, sources }).collect();
            tried.push(Help { change: Change::NamedSource, call, location: Some(line), sources, ..told(came) });
        }
        tried
    }

    /// Explores the program with another kind of buffering; where nothing fails, looks for the one call that makes the
    /// difference.
    fn change_buffering(&mut self, case: &Explained<'_>, other: Buffering, tried: &mut Vec<Help>) {
        let against = Against::of(case.finding, self.findings);
        let (trial, error) = self.explore(other, &against);
        if trial.failing > 0 || trial.executions == 0 {
            return;
        }
        let words = Some(other.words().to_string());
        tried.push(Help { change: Change::Buffering, buffering: words, ..told((trial, error)) });
        // A cancelled send is delivered or not by its mode.
        if self.program.ranks.call(|function| function.to_ascii_lowercase().contains("mpi_cancel")) {
            return;
        }
        let calls = self.calls(case, case.path);
        let (change, mode) = match other {
            Buffering::Zero => (Change::SynchronousSend, Mode::Synchronous),
            Buffering::Infinite | Buffering::Each => (Change::BufferedSend, Mode::Buffered),
        };
        self.change_calls(case, &calls, Call::StandardSend, (change, Amendment::Sends(mode)), tried);
        if other == Buffering::Zero {
            self.change_calls(case, &calls, Call::Collective, (Change::Barrier, Amendment::Barrier), tried);
        }
    }

    /// Tries a change of each line with such calls, those of the end first.
    fn change_calls(
        &mut self,
        case: &Explained<'_>,
        calls: &[Placed],
        call: Call,
        (change, amendment): (Change, Amendment),
        tried: &mut Vec<Help>,
    ) {
        let mut lines: Vec<&Placed> = Vec::new();
        for placed in calls.iter().rev().filter(|placed| placed.noted.call == call && !placed.line.is_empty()) {
            if lines.len() < MOST_LINES && !lines.iter().any(|known| known.line == placed.line) {
                lines.push(placed);
            }
        }
        for placed in lines {
            let (call, line) = (placed.noted.origin.call.to_string(), placed.line.clone());
            let came = self.change(case, calls, &line, &amendment);
            tried.push(Help { change, call, location: Some(line), ..told(came) });
        }
    }

    /// The calls of an execution that can be changed, with their lines.
    fn calls(&mut self, case: &Explained<'_>, path: &[Event]) -> Vec<Placed> {
        self.program.set_buffering(case.buffering);
        self.program.foresee(case.foreseen);
        with(|runtime| runtime.amend.start_notes());
        let followed = self.program.follow(path, &mut |_, _, _| {});
        let notes = with(|runtime| runtime.amend.take_notes());
        let placed = |noted: Noted| Placed { noted, line: location_of(noted.rank, noted.origin).source() };
        if followed.is_ok() { notes.into_iter().map(placed).collect() } else { Vec::new() }
    }

    /// Explores the program with a line changed, in every kind of buffering that is explored.
    fn change(&mut self, case: &Explained<'_>, calls: &[Placed], line: &str, amendment: &Amendment) -> Came {
        let against = Against::of(case.finding, self.findings);
        let key = |placed: &Placed| (placed.noted.rank, placed.noted.origin);
        let mut places: BTreeMap<(WorldRank, Origin), Option<bool>> =
            calls.iter().map(|placed| (key(placed), Some(placed.line == line))).collect();
        let mut came = Came::default();
        for _ in 0..MOST_AGAIN {
            with(|runtime| {
                runtime.amend.amended = Some(Amended { amendment: amendment.clone(), places: places.clone() });
            });
            self.program.forget_known();
            came = (Trial { complete: true, ..Trial::default() }, None);
            for &mode in modes(self.options) {
                let (trial, error) = self.explore(mode, &against);
                came = (sum(came.0, trial), came.1.or(error));
            }
            places = with(|runtime| runtime.amend.amended.take()).map_or(BTreeMap::new(), |amended| amended.places);
            self.program.forget_known();
            let is_there = |(rank, origin): &(WorldRank, Origin)| location_of(*rank, *origin).source() == line;
            let unknown = places.iter_mut().filter(|(_, at)| at.is_none());
            let mut is_new = false;
            for (place, at) in unknown {
                let is_there = is_there(place);
                is_new |= is_there;
                *at = Some(is_there);
            }
            if !is_new {
                return came;
            }
        }
        came.0.complete = false;
        came
    }

    /// Explores the program as it is now, until all is known that has to be.
    fn explore(&mut self, mode: Buffering, against: &Against) -> Came {
        let mut known = Discoveries::new();
        let mut came = Came::default();
        for _ in 0..MOST_AGAIN {
            came = self.explore_once((mode, &known), against);
            let mut discovered = driven(|driver, _| driver.take_discovered());
            if discovered.is_empty() || (self.is_late)() {
                return came;
            }
            came.0.complete = false;
            known.append(&mut discovered);
            bound(&mut known);
        }
        came
    }

    fn explore_once(&mut self, (mode, known): (Buffering, &Discoveries), against: &Against) -> Came {
        self.program.set_buffering(mode);
        self.program.foresee(known);
        let mut new = None;
        let mut judge = |program: &mut Program, settled, path: &[Event]| {
            let (shows, is_clean, key) = judge_changed(program, settled, path, mode, against)?;
            new = new.or(key);
            Some((shows, is_clean))
        };
        let is_late = self.is_late;
        let is_over = || is_late() || is_surprised();
        let mut explorer = Explorer {
            system: self.program,
            judge: &mut judge,
            is_late: &is_over,
            depth: self.options.depth as usize,
            by_states: self.options.stateful,
        };
        let came = trial(&mut explorer, &[OWN, NEW], EACH.min(self.left));
        self.left -= came.executions.min(self.left);
        (came, new)
    }
}

/// What came of a change, in a report.
fn told((trial, error): Came) -> Help {
    let Trial { executions, failing, elsewhere, complete } = trial;
    Help { executions, failing, elsewhere, complete, error: error.map(|key| key.to_string()), ..Help::default() }
}

/// Both together.
fn sum(before: Trial, trial: Trial) -> Trial {
    Trial {
        executions: before.executions + trial.executions,
        failing: before.failing + trial.failing,
        elsewhere: before.elsewhere + trial.elsewhere,
        complete: before.complete && trial.complete,
    }
}

/// The lines of the choices that a finding is put down to.
fn lines_to_blame(explanation: &Explanation) -> Vec<String> {
    let decided =
        explanation.decision.iter().flat_map(|decision| [&decision.matching].into_iter().chain(&decision.together));
    let conditions = explanation.condition.iter().flat_map(|condition| &condition.matchings);
    let mut lines: Vec<String> = Vec::new();
    for line in decided.chain(conditions).filter_map(|matching| matching.location.as_ref()) {
        if !lines.contains(line) {
            lines.push(line.clone());
        }
    }
    lines
}

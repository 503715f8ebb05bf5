//! A finding: a bug in the user's program, as typed data. Also the collection that keeps one finding for each cause.
//!
//! Whoever finds it fills it in; the other files of this crate render it. Nothing here knows what MPI calls mean:
//! calls, their arguments and what they wait for come as text.

pub use crate::choice::ChoiceLine;
use crate::explanation::Explanation;
use crate::key::FindingKey;
use crate::lasso::Lasso;
pub use crate::location::Location;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};
use smpi_base::map::Map;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::fmt;

/// What became of a rank's last call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RankState {
    /// The call has not returned and waits for something.
    #[default]
    Blocked,
    /// The call has returned, and the rank had not made its next one when the run stopped.
    Returned,
    /// The rank has ended by itself.
    Finished,
    /// The rank failed: signal, assertion, refused call.
    Failed,
}

/// A row of the table of last calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastCall {
    /// Rank, call and source line.
    #[serde(flatten)]
    pub place: Location,
    /// The arguments in words, such as `source 0, tag 7`; may be empty. Numbers that depend on the rank are written as
    /// plain decimals, so that the rows of many ranks can be put together (`source rank-1`).
    pub arguments: String,
    /// What became of it.
    pub state: RankState,
    /// What it waits for (blocked), or how it failed or finished; may be empty.
    pub detail: String,
}

impl RankState {
    /// The state in one word.
    pub fn word(self) -> &'static str {
        match self {
            RankState::Blocked => "blocked",
            RankState::Returned => "returned",
            RankState::Finished => "finished",
            RankState::Failed => "failed",
        }
    }
}

impl LastCall {
    /// A call that waits for something.
    pub fn blocked(place: Location, arguments: impl Into<String>, waits_for: impl Into<String>) -> LastCall {
        LastCall { place, arguments: arguments.into(), state: RankState::Blocked, detail: waits_for.into() }
    }

    /// The call and its arguments as one text.
    pub fn call(&self) -> String {
        let call = &self.place.call;
        if self.arguments.is_empty() { call.clone() } else { format!("{call}({})", self.arguments) }
    }

    /// What it waits for; in parentheses, what else became of it.
    pub fn waits_for(&self) -> String {
        match (self.state, self.detail.as_str()) {
            (state, "") => format!("({})", state.word()),
            (RankState::Blocked, detail) => detail.into(),
            (_, detail) => format!("({detail})"),
        }
    }
}

/// What a standard-mode send does without a receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Buffering {
    /// It blocks until the receive is posted.
    #[default]
    Zero,
    /// It always returns.
    Infinite,
    /// It blocks or returns, each send for itself.
    Each,
}

impl Buffering {
    /// What was explored, in words.
    pub fn words(self) -> &'static str {
        match self {
            Buffering::Zero => "zero buffering",
            Buffering::Infinite => "infinite buffering",
            Buffering::Each => "each send buffered or not",
        }
    }
}

impl fmt::Display for Buffering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Buffering::Zero => "zero",
            Buffering::Infinite => "infinite",
            Buffering::Each => "each",
        })
    }
}

/// A bug in the user's program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind.
    pub key: FindingKey,
    /// The cause in one sentence, without a full stop.
    pub message: String,
    /// The ranks concerned, ascending.
    pub ranks: Vec<u32>,
    /// The places concerned, the most telling first.
    pub locations: Vec<Location>,
    /// Words for `smpirun --replay` that repeat exactly this schedule; empty when there is nothing to replay.
    pub replay: String,
    /// The buffering under which it was found; `None` where that has no meaning (simulation).
    pub buffering: Option<Buffering>,
    /// For a deadlock: ranks of which each waits for the next and the last for the first; without the first again.
    pub cycle: Option<Vec<u32>>,
    /// What every rank did last, in rank order.
    pub last_calls: Vec<LastCall>,
    /// The choices that matter, in the order in which they were made.
    pub choices: Vec<ChoiceLine>,
    /// For a violated property: all choices, those that come again and again apart, and what is true where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasso: Option<Lasso>,
    /// Why the execution failed, where that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// It was not there when its schedule was executed again: something decides that is not put back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrepeated: bool,
    /// Number of the execution that showed it first, from 1; 0 in simulation.
    pub execution: u64,
    /// Executions (of those explored) that showed the same cause.
    pub occurrences: u64,
    /// Nothing is known to be wrong: a limit was met on the way, so that what comes after it was not explored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_limit: bool,
    /// It is only worth a warning here, although its kind may be more elsewhere.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tolerated: bool,
    /// The way there, for the sequence chart; not part of the JSON.
    #[serde(skip)]
    pub trace: Option<Trace>,
}

impl Finding {
    /// A finding without places yet; the other fields are public.
    pub fn new(key: FindingKey, message: impl Into<String>) -> Finding {
        Finding {
            key,
            message: message.into(),
            ranks: Vec::new(),
            locations: Vec::new(),
            replay: String::new(),
            buffering: None,
            cycle: None,
            last_calls: Vec::new(),
            choices: Vec::new(),
            lasso: None,
            explanation: None,
            unrepeated: false,
            execution: 0,
            occurrences: 1,
            is_limit: false,
            tolerated: false,
            trace: None,
        }
    }

    /// True for what is only worth a warning: it fails neither a verification nor a run.
    pub fn is_warning(&self) -> bool {
        self.tolerated || self.key.is_warning()
    }

    /// The same finding with one more place, whose rank is one of those concerned.
    pub fn located(mut self, location: Location) -> Finding {
        if let Err(place) = self.ranks.binary_search(&location.rank) {
            self.ranks.insert(place, location.rank);
        }
        self.locations.push(location);
        self
    }

    /// The execution that showed it.
    fn shown_by(&self) -> ShownBy {
        (self.execution, self.buffering, self.replay.clone())
    }

    /// Takes in another finding of the same cause, which the same execution showed.
    fn join(&mut self, other: Finding) {
        for location in other.locations {
            // Only for a known rank the place may be known: a search for each rank of a large run would take long.
            let is_known = self.ranks.binary_search(&location.rank).is_ok() && self.locations.contains(&location);
            if !is_known {
                self.locations.push(location);
            }
        }
        self.ranks.extend(other.ranks);
        self.ranks.sort_unstable();
        self.ranks.dedup();
    }

    /// The table of last calls, where it says something: not when every rank has ended by itself.
    pub fn telling_calls(&self) -> &[LastCall] {
        let all_finished = self.last_calls.iter().all(|row| row.state == RankState::Finished);
        if all_finished { &[] } else { &self.last_calls }
    }

    /// The places that [`Finding::telling_calls`] does not show already, most telling first.
    pub fn other_locations(&self) -> Vec<&Location> {
        let shown: BTreeMap<u32, &Location> =
            self.telling_calls().iter().map(|row| (row.place.rank, &row.place)).collect();
        self.locations.iter().filter(|place| shown.get(&place.rank) != Some(place)).collect()
    }

    /// Whether a deadlock with zero buffering is one with infinite buffering: the ranks of that one wait at some of its
    /// places. Beside them it blocks senders that go on when sends buffer.
    pub fn shows(&self, other: &Finding) -> bool {
        if other.key != FindingKey::Deadlock {
            return false;
        }
        let places = self.cause().places;
        other.cause().places.iter().all(|place| places.contains(place))
    }

    /// What two findings have in common that are the same bug: the kind and the places in the source, whichever ranks
    /// were there and however they were reached. A deadlock without locations is known by its blocked calls. Without
    /// any source line, the message counts, its numbers left out.
    pub fn cause(&self) -> Cause {
        let is_deadlock = matches!(self.key, FindingKey::Deadlock | FindingKey::DeadlockBuffering);
        let mut places: Vec<String> = if self.locations.is_empty() && is_deadlock {
            let blocked = self.last_calls.iter().filter(|row| row.state == RankState::Blocked);
            blocked.map(|row| place_without_rank(&row.place)).collect()
        } else {
            self.locations.iter().map(place_without_rank).collect()
        };
        places.sort_unstable();
        places.dedup();
        if places.iter().all(|place| place.ends_with('@')) {
            places.push(without_numbers(&self.message));
        }
        Cause { key: self.key, places }
    }
}

/// What makes two findings the same; see [`Finding::cause`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cause {
    key: FindingKey,
    places: Vec<String>,
}

fn place_without_rank(place: &Location) -> String {
    format!("{}@{}", place.call, place.source())
}

/// The text with every number replaced by `#`.
fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            result.push(c);
        } else if !result.ends_with('#') {
            result.push('#');
        }
    }
    result
}

/// Names an execution.
type ShownBy = (u64, Option<Buffering>, String);

/// Findings of a whole exploration, one for each cause, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    found: Vec<Finding>,
    /// Modes (zero, infinite, each) in which the finding of the same index was seen.
    modes: Vec<[bool; 3]>,
    /// The last execution in which it was seen.
    last: Vec<ShownBy>,
    by_cause: Map<Cause, usize>,
}

impl Findings {
    /// None yet.
    pub fn new() -> Findings {
        Findings::default()
    }

    /// Adds a finding; false when its cause is known already. Then its occurrence is counted or, when it is of the same
    /// execution (the same leak on another rank), its ranks and places join those of the known one.
    pub fn add(&mut self, finding: Finding) -> bool {
        let index = *self.by_cause.entry(finding.cause()).or_insert(self.found.len());
        let mode = finding.buffering;
        let is_new = index == self.found.len();
        let shown_by = finding.shown_by();
        if is_new {
            self.found.push(finding);
            self.modes.push([false; 3]);
            self.last.push(shown_by);
        } else if self.found[index].shown_by() == shown_by {
            self.found[index].join(finding);
        } else if self.last[index] != shown_by {
            self.found[index].occurrences += finding.occurrences;
            self.last[index] = shown_by;
        }
        if let Some(mode) = mode {
            self.modes[index][mode as usize] = true;
        }
        is_new
    }

    /// The findings so far.
    pub fn as_slice(&self) -> &[Finding] {
        &self.found
    }

    /// True when there is none but warnings.
    pub fn is_empty(&self) -> bool {
        self.found.iter().all(Finding::is_warning)
    }

    /// The first deadlock that was met with zero buffering only: whether it depends on buffering is not known yet.
    pub fn unsettled(&self) -> Option<&Finding> {
        let is_open = |finding: &Finding, modes| finding.key == FindingKey::Deadlock && modes == [true, false, false];
        let mut all = self.found.iter().zip(&self.modes);
        all.find(|(finding, modes)| is_open(finding, **modes)).map(|(finding, _)| finding)
    }

    /// The findings, where deadlocks that were met with zero buffering only are called `deadlock/buffering`, if the
    /// exploration with infinite buffering was complete: else nobody knows.
    ///
    /// Such a deadlock that [shows](Finding::shows) one with infinite buffering is that one, which takes its place. So
    /// does the one that `remains` of it when the same choices are made with infinite buffering.
    pub fn settled(self, complete: bool, mut remains: impl FnMut(&Finding) -> Option<Finding>) -> Vec<Finding> {
        let mut found: Vec<(Option<Finding>, [bool; 3])> = self.found.into_iter().map(Some).zip(self.modes).collect();
        // With each finding, whether it is there with infinite buffering, too.
        let mut settled: Vec<(Finding, bool)> = Vec::new();
        for index in 0..found.len() {
            let (Some(mut finding), modes) = (found[index].0.take(), found[index].1) else { continue };
            if finding.key == FindingKey::Deadlock && modes == [true, false, false] {
                // A whole execution: asked for where the two findings do not tell it themselves.
                let remaining = LazyCell::new(|| remains(&finding).map(|remaining| remaining.cause()));
                let is_same = |other: &Finding| finding.shows(other) || *remaining == Some(other.cause());
                let is_other = |(other, modes): &&mut (Option<Finding>, [bool; 3])| {
                    modes[1] && other.as_ref().is_some_and(is_same)
                };
                if let Some(other) = found.iter_mut().find(is_other).and_then(|(other, _)| other.take()) {
                    settled.push((other, true));
                    continue;
                }
                if settled.iter().any(|(other, anyway)| *anyway && is_same(other)) {
                    continue;
                }
                if complete && remaining.is_none() {
                    finding.key = FindingKey::DeadlockBuffering;
                }
            }
            settled.push((finding, modes[1]));
        }
        settled.into_iter().map(|(finding, _)| finding).collect()
    }

    /// The findings as they were added.
    pub fn into_vec(self) -> Vec<Finding> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deadlock(ranks: [u32; 2], line: u32, mode: Buffering) -> Finding {
        let mut finding = Finding::new(FindingKey::Deadlock, format!("ranks {} and {} wait", ranks[0], ranks[1]))
            .located(Location::new(ranks[0], "MPI_Recv").at("ring.c", line))
            .located(Location::new(ranks[1], "MPI_Send").at("ring.c", 7));
        finding.buffering = Some(mode);
        finding
    }

    fn one_waits(call: &str, line: u32, mode: Buffering) -> Finding {
        let mut finding = Finding::new(FindingKey::Deadlock, "rank 0 waits");
        finding.buffering = Some(mode);
        finding.located(Location::new(0, call).at("ring.c", line))
    }

    #[test]
    fn a_cause_is_kind_and_places_not_ranks_or_order() {
        let one = deadlock([0, 1], 3, Buffering::Zero);
        let mut other = deadlock([5, 2], 3, Buffering::Infinite);
        other.locations.reverse();
        assert_eq!(other.ranks, [2, 5]);
        assert_eq!(one.cause(), other.cause());
        assert_ne!(one.cause(), deadlock([0, 1], 4, Buffering::Zero).cause());
    }

    #[test]
    fn a_deadlock_that_buffering_makes_smaller_is_one() {
        let smaller = |line| one_waits("MPI_Recv", line, Buffering::Infinite);
        let cases = [
            (3, true, "deadlock exit-code"),
            (3, false, "deadlock exit-code"),
            (4, true, "deadlock/buffering exit-code deadlock"),
            (4, false, "deadlock exit-code deadlock"),
        ];
        for (line, complete, keys) in cases {
            let mut findings = Findings::new();
            assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
            assert!(findings.add(Finding::new(FindingKey::ExitCode, "rank 3 returned 1")));
            assert!(findings.unsettled().is_some());
            assert!(findings.add(smaller(line)));
            let settled: Vec<&str> =
                findings.settled(complete, |_| None).iter().map(|finding| finding.key.as_str()).collect();
            assert_eq!(settled.join(" "), keys);
        }
    }

    #[test]
    fn a_deadlock_shows_one_that_was_met_before_with_either_buffering() {
        let alone = |mode| one_waits("MPI_Recv", 3, mode);
        let mut findings = Findings::new();
        assert!(findings.add(alone(Buffering::Zero)));
        assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
        assert!(!findings.add(alone(Buffering::Infinite)), "the first one, again");
        let settled: Vec<&str> = findings.settled(true, |_| None).iter().map(|finding| finding.key.as_str()).collect();
        assert_eq!(settled, ["deadlock"]);
    }

    #[test]
    fn a_deadlock_of_which_another_remains_with_buffers_is_that_one() {
        let elsewhere = |mode| one_waits("MPI_Barrier", 9, mode);
        let settled = |remains: Option<Finding>| {
            let mut findings = Findings::new();
            assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
            assert!(findings.add(elsewhere(Buffering::Infinite)));
            let settled = findings.settled(true, |_| remains.clone());
            let named = settled.iter().map(|finding| (finding.key.as_str(), finding.locations[0].line));
            named.collect::<Vec<_>>()
        };
        assert_eq!(settled(None), [("deadlock/buffering", Some(3)), ("deadlock", Some(9))]);
        assert_eq!(settled(Some(elsewhere(Buffering::Infinite))), [("deadlock", Some(9))]);
        let unknown = Finding::new(FindingKey::Deadlock, "rank 0 waits");
        let both = [("deadlock", Some(3)), ("deadlock", Some(9))];
        assert_eq!(settled(Some(unknown)), both, "it does not depend on buffering");
    }

    #[test]
    fn without_places_the_message_tells_causes_apart() {
        let finding = |message: &str| Finding::new(FindingKey::ExitCode, message);
        assert_eq!(finding("rank 3 returned 1").cause(), finding("rank 12 returned 1").cause());
        assert_ne!(finding("rank 3 returned 1").cause(), finding("rank 3 called exit(1)").cause());
        let at = |message| finding(message).located(Location::new(0, "exit"));
        assert_ne!(at("one").cause(), at("two").cause(), "a call without a line does not make two bugs one");
    }

    #[test]
    fn one_finding_is_kept_for_each_cause() {
        let mut findings = Findings::new();
        assert!(findings.add(deadlock([0, 1], 3, Buffering::Zero)));
        let mut again = deadlock([2, 3], 3, Buffering::Zero);
        again.execution = 7;
        assert!(!findings.add(again.clone()));
        assert!(!findings.add(again), "two ranks of one execution are one occurrence");
        assert!(findings.add(deadlock([0, 1], 9, Buffering::Zero)));
        assert!(!findings.add(deadlock([0, 1], 9, Buffering::Infinite)));
        assert_eq!(findings.as_slice()[0].occurrences, 2);
        let keys: Vec<FindingKey> = findings.settled(true, |_| None).iter().map(|finding| finding.key).collect();
        assert_eq!(keys, [FindingKey::DeadlockBuffering, FindingKey::Deadlock]);
    }

    #[test]
    fn ranks_of_one_execution_join() {
        let leak = |rank: u32| {
            Finding::new(FindingKey::LeakGroup, "a group is never freed")
                .located(Location::new(rank, "MPI_Comm_group").at("a.c", 3))
        };
        let mut findings = Findings::new();
        for rank in [5, 3, 5] {
            findings.add(leak(rank));
        }
        let found = &findings.as_slice()[0];
        assert_eq!(found.ranks, [3, 5]);
        assert_eq!([found.locations.len() as u64, found.occurrences], [2, 1]);
    }

    #[test]
    fn finished_ranks_alone_are_no_table() {
        let mut finding = Finding::new(FindingKey::LeakGroup, "").located(Location::new(0, "MPI_Finalize"));
        let row =
            LastCall { place: Location::new(0, "MPI_Finalize"), state: RankState::Finished, ..LastCall::default() };
        finding.last_calls = vec![row];
        assert!(finding.telling_calls().is_empty());
        assert_eq!(finding.other_locations().len(), 1);
        finding.last_calls[0].state = RankState::Returned;
        assert_eq!(finding.telling_calls().len(), 1);
        assert!(finding.other_locations().is_empty());
    }

    #[test]
    fn choices_read_as_sentences() {
        let choice = ChoiceLine {
            place: Location::new(0, "MPI_Recv").at("a.c", 3),
            arguments: "MPI_ANY_SOURCE".into(),
            outcome: "took the message of rank 2".into(),
            candidates: vec!["rank 1".into(), "rank 2".into()],
        };
        let text = "rank 0: MPI_Recv(MPI_ANY_SOURCE) took the message of rank 2 (candidates: rank 1, rank 2)";
        assert_eq!(choice.to_string(), text);
        let short = ChoiceLine { outcome: "took 3".into(), ..ChoiceLine::default() };
        assert_eq!(short.to_string(), "rank 0: took 3");
    }
}

//! A finding: a bug in the user's program, as typed data.
//!
//! Whoever finds it fills it in; the other files of this crate render it. Nothing here knows what MPI calls mean:
//! calls, their arguments and what they wait for come as text. Which findings are one is said in [`crate::findings`]
//! and [`crate::faults`].

pub use crate::choice::ChoiceLine;
use crate::explanation::Explanation;
use crate::key::FindingKey;
use crate::lasso::Lasso;
pub use crate::location::Location;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};
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
    /// What nearly is what it waits for: `rank 1 has sent it one with tag 8 (a.c:4)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
    /// Of a blocked rank, the calls elsewhere that have started what it waits for: `MPI_Irecv at a.c:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub started_by: Vec<String>,
    /// Of a failed rank, the call in which it waited last, if that is at another line: `MPI_Recv at a.c:12`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<String>,
    /// Of a failed rank, the calls that have started what it has not completed: `MPI_Irecv at a.c:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unfinished: Vec<String>,
    /// Of a failed rank, a collective operation that others have called, and where they wait in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// Of a failed rank, in sentences: what else it was told before it failed, or was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clues: Vec<String>,
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
        let (arguments, detail) = (arguments.into(), waits_for.into());
        LastCall { place, arguments, state: RankState::Blocked, detail, ..LastCall::default() }
    }

    /// What leads from here to another line, in sentences: where it was started what the rank waits for, what it was
    /// told last before it failed, what it had not completed then or not called, what nearly is what it waits for, and
    /// what else is known of it.
    pub fn hints(&self) -> Vec<String> {
        let rank = self.place.rank;
        let started = self.started_by.join(", and ");
        let started = (!started.is_empty()).then(|| format!("started: rank {rank} waits for {started}"));
        let behind = self.behind.as_ref().map(|call| format!("before: rank {rank} waited last in {call}"));
        let open = self.unfinished.join(", and ");
        let open = (!open.is_empty()).then(|| format!("open: rank {rank} has not completed {open}"));
        let lacks = self.lacks.as_ref().map(|lacks| format!("missing: rank {rank} has not called {lacks}"));
        let near = self.near.as_ref().map(|near| format!("near: rank {rank} waits for {}; {near}", self.waits_for()));
        let named = [started, behind, open, lacks, near].into_iter().flatten();
        named.chain(self.clues.iter().cloned()).collect()
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

/// How many executions of one kind of buffering showed a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InMode {
    /// The kind of buffering.
    pub buffering: Buffering,
    /// Executions that showed it.
    pub executions: u64,
}

/// Another way in which executions show the same fault: elsewhere in the program, or on other ranks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guise {
    /// What happens there, in one sentence.
    pub message: String,
    /// The ranks concerned, ascending.
    pub ranks: Vec<u32>,
    /// The places concerned, the most telling first.
    pub locations: Vec<Location>,
    /// Words for `smpirun --replay` that repeat it; empty when there is nothing to replay.
    pub replay: String,
    /// The buffering under which it was found.
    pub buffering: Option<Buffering>,
    /// Executions that showed it, by the kind of buffering.
    pub modes: Vec<InMode>,
    /// Executions that showed it.
    pub occurrences: u64,
    /// Its number in the exploration.
    #[serde(skip)]
    pub number: u32,
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
    /// Executions (of those explored) that showed it.
    pub occurrences: u64,
    /// The same by the kind of buffering, in the order in which they were explored; none in simulation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub modes: Vec<InMode>,
    /// Other ways in which executions showed the same fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guises: Vec<Guise>,
    /// Its number in the exploration, from 0: by this it is known which findings an execution showed together.
    #[serde(skip)]
    pub number: u32,
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
            modes: Vec::new(),
            guises: Vec::new(),
            number: 0,
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

    /// The buffering under which executions showed it, in words: `zero and infinite buffering`.
    pub fn buffering_in_words(&self) -> String {
        let known = |mode: &InMode| mode.buffering.words();
        match &self.modes[..] {
            [] => self.buffering.map_or(String::new(), |buffering| buffering.words().to_string()),
            [one] => known(one).to_string(),
            modes => {
                let words: Vec<&str> = modes.iter().map(|mode| known(mode).trim_end_matches(" buffering")).collect();
                format!("{} buffering", words.join(" and "))
            }
        }
    }

    /// Whether it was met with this kind of buffering and no other.
    pub fn is_only_with(&self, buffering: Buffering) -> bool {
        self.modes.iter().map(|mode| mode.buffering).eq([buffering])
    }

    /// Whether it was met with this kind of buffering, maybe among others.
    pub fn is_with(&self, buffering: Buffering) -> bool {
        self.modes.iter().any(|mode| mode.buffering == buffering)
    }

    /// Other ways in which it shows, without those that only have more places than it or than another one, or fewer
    /// than it: senders, for example, that wait beside a receiver where sends do not buffer.
    pub fn telling_guises(&self) -> impl Iterator<Item = &Guise> {
        let are_among =
            |some: &[Location], all: &[Location]| some.iter().all(|place| all.iter().any(|other| other.is_at(place)));
        let is_of_none = move |(at, guise): &(usize, &Guise)| {
            let of_other = |(index, other): (usize, &Guise)| {
                let is_part = are_among(&other.locations, &guise.locations);
                index != *at && is_part && (index < *at || !are_among(&guise.locations, &other.locations))
            };
            let is_own = are_among(&self.locations, &guise.locations) || are_among(&guise.locations, &self.locations);
            !is_own && !self.guises.iter().enumerate().any(of_other)
        };
        self.guises.iter().enumerate().filter(is_of_none).map(|(_, guise)| guise)
    }

    /// As one more way in which another finding shows, with those that it has itself.
    pub fn into_guises(self) -> Vec<Guise> {
        let Finding { message, ranks, locations, replay, buffering, modes, occurrences, guises, number, .. } = self;
        let own = Guise { message, ranks, locations, replay, buffering, modes, occurrences, number };
        [own].into_iter().chain(guises).collect()
    }

    /// Numbers of all findings that it is made of.
    pub fn numbers(&self) -> Vec<u32> {
        [self.number].into_iter().chain(self.guises.iter().map(|guise| guise.number)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn guises_are_told_that_are_elsewhere() {
        let at = |lines: &[u32]| {
            let finding = Finding::new(FindingKey::Deadlock, "a rank waits for ever");
            lines.iter().fold(finding, |finding, line| finding.located(Location::new(0, "MPI_Recv").at("a.c", *line)))
        };
        let mut finding = at(&[1, 2]);
        for lines in [&[1][..], &[1, 2, 3], &[4, 5], &[4], &[4], &[6]] {
            finding.guises.extend(at(lines).into_guises());
        }
        let told: Vec<Option<u32>> = finding.telling_guises().map(|guise| guise.locations[0].line).collect();
        assert_eq!(told, [Some(4), Some(6)]);
        assert_eq!(finding.guises.len(), 6, "none is lost");
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

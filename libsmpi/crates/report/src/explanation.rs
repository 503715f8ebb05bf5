//! Why an execution failed, in the words of the program: the choice after which it had to, the failing execution that
//! is nearest to the natural one, and what of it is enough to fail.

use crate::beside::Beside;
use crate::help::{self, Help};
use crate::likely::{Random, Simulated};
use serde::{Deserialize, Serialize};
use smpi_base::ids::agent_in_words;
use smpi_base::words::counted;
use std::fmt;

/// What a failure is to be put down to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// A decision: before it some continuation is right.
    Decision,
    /// Nothing: every execution fails.
    #[default]
    EveryExecution,
    /// That sends wait, or ranks in collective operations, and nothing else: every execution in which they do fails,
    /// and where they do not there are right ones.
    Buffering,
    /// Nothing fails: two executions differ in what they give.
    Difference,
}

/// A finding's explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// What is to blame.
    pub blame: Blame,
    /// The decision, if one is.
    pub decision: Option<Decision>,
    /// Whether all continuations (of the decision, or of the beginning) were looked at.
    pub complete: bool,
    /// How many continuations fail; of those that were looked at, none is right.
    pub failing: u64,
    /// Choices of the execution that is explained.
    pub choices: u64,
    /// In how many of them it is not the natural one.
    pub deviations: u32,
    /// The failing execution that is nearest to the natural one.
    pub witness: Option<Witness>,
    /// What is enough to fail, where not every execution fails.
    pub condition: Option<Condition>,
    /// Executions that were tried to find out all this.
    pub tried: u64,
    /// The execution beside the nearest right one; of a difference, both. `None` where no right one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<Beside>,
    /// Changes of the program that were tried, in the order in which they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<Help>,
    /// In how many random executions it happens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub random: Option<Random>,
    /// Whether simulations show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// A choice of the program, and what was chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matching {
    /// The choice and what was chosen, as a schedule has it: `0.3:2`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The rank that makes it.
    pub rank: u32,
    /// Its thread; the one that runs `main` is 0, and not written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thread: u32,
    /// The call, such as `MPI_Recv`; empty when it is none.
    pub call: String,
    /// `file:line`; `None` without debug information.
    pub location: Option<String>,
    /// How many times the rank has received there, this one included; `None` where nobody counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// How many times it does in the whole execution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u64>,
    /// How what was chosen is said: `took`, `returned`.
    pub verb: String,
    /// What was chosen: `the message that rank 2 sent at a.c:12`, `index 1`.
    pub took: String,
    /// What could have been chosen, what leads to a right execution first.
    pub instead: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

/// The choice after which an execution had to fail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The choice.
    #[serde(flatten)]
    pub matching: Matching,
    /// Others that commute with it, where it takes all of them: each can be the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Matching>,
    /// Earlier choices without which it would not have been enough, or could not have been made; `None` where that is
    /// not certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Vec<Matching>>,
    /// Others that would have been enough without it: of each group, all of its choices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub likewise: Vec<Vec<Matching>>,
    /// How sure it is, in words: `all 4 continuations fail`.
    pub certainty: String,
}

/// A failing execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Its token.
    pub replay: String,
    /// In how many choices it is not the natural one.
    pub deviations: u32,
    /// All its choices.
    pub choices: u64,
    /// Nothing that fails has fewer deviations, or as many and fewer choices.
    pub smallest: bool,
}

/// Choices of which every execution that makes them all fails.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    /// The choices.
    pub matchings: Vec<Matching>,
    /// Executions that make them, all of which fail.
    pub failing: u64,
    /// Executions that do not, and fail.
    pub failing_otherwise: u64,
    /// Executions that do not, and are right: they do not show the finding.
    pub right_otherwise: u64,
    /// Of these, those that show another error.
    #[serde(default, skip_serializing_if = "is_none")]
    pub erring_otherwise: u64,
    /// Those that make them are all that there are: the condition is proved to be enough.
    pub all_with: bool,
    /// Those that do not are all that there are.
    pub all_without: bool,
    /// No fewer choices are enough.
    pub smallest: bool,
}

impl Matching {
    /// The call: `rank 0's 2nd MPI_Recv at a.c:31`; or what is no call: `rank 0's window at byte 8`.
    fn subject(&self) -> String {
        let agent = agent_in_words(self.rank, self.thread);
        let number = self.number.filter(|_| self.of != Some(1));
        let number = number.map_or(String::new(), |number| format!("{} ", ordinal(number)));
        let what = if self.call.is_empty() { "choice" } else { &self.call };
        let mut words = match what.strip_prefix("its ") {
            Some(own) => format!("rank {agent}'s {own}"),
            // A file that it was the first to open.
            None if what.contains(" it ") => what.replacen(" it ", &format!(" rank {agent} "), 1),
            None => format!("rank {agent}'s {number}{what}"),
        };
        if let Some(location) = &self.location {
            words.push_str(&format!(" at {location}"));
        }
        words
    }
}

impl Matching {
    /// Which of its rank's choices it is, where nothing else tells it from one at the same line in other executions:
    /// how often a rank has polled before may follow from what its polls were told.
    fn as_which(&self) -> Option<String> {
        let (choice, _) = self.event.split_once(':').filter(|_| self.number.is_none())?;
        let (_, place) = choice.rsplit_once('.')?;
        Some(ordinal(place.parse::<u64>().ok()? + 1))
    }
}

impl Matching {
    /// As what can happen: `rank 0's MPI_Recv at a.c:31 takes the message that rank 2 sent at a.c:12`.
    pub fn as_rule(&self) -> String {
        format!("{} {} {}", self.subject(), present(&self.verb), self.took)
    }
}

impl fmt::Display for Matching {
    /// `rank 0's 2nd MPI_Recv at a.c:31 took the message that rank 2 sent at a.c:12`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.subject(), self.verb, self.took)
    }
}

/// `1st`, `2nd`, `13th`.
fn ordinal(number: u64) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// Several choices that belong together.
fn all<'a>(matchings: impl IntoIterator<Item = &'a Matching>) -> String {
    matchings.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", and ")
}

/// A verb of a choice as a rule has it.
fn present(verb: &str) -> String {
    let (first, rest) = verb.split_once(' ').map_or((verb, ""), |(first, rest)| (first, rest));
    let first = match first {
        "took" => "takes",
        "returned" => "returns",
        "saw" => "sees",
        "was" => "is",
        other => other,
    };
    if rest.is_empty() { first.to_string() } else { format!("{first} {rest}") }
}

impl Explanation {
    /// How sure it is.
    pub fn certainty(complete: bool, failing: u64) -> String {
        match (complete, failing) {
            (true, 0) => "no continuation ends".to_string(),
            (true, 1) => "the only continuation fails".to_string(),
            (true, failing) => format!("all {failing} continuations fail"),
            (false, 0) => "no continuation was tried to its end".to_string(),
            (false, tried) => format!("of {} tried, none is right", counted(tried, "continuation")),
        }
    }

    /// One sentence for each thing that is known, without a full stop. `buffering`: that of the finding, in words.
    pub fn sentences(&self, buffering: Option<&str>) -> Vec<String> {
        let mode = buffering.map_or(String::new(), |buffering| format!(" with {buffering}"));
        let mut said = match (&self.decision, self.blame) {
            (None, Blame::Difference) => self.beside.as_ref().map_or(Vec::new(), Beside::given),
            (Some(decision), _) => decision.sentences(),
            // Where there is no choice at all, nobody asks which one it was.
            (None, Blame::EveryExecution) if self.complete && self.failing <= 1 && self.choices == 0 => Vec::new(),
            (None, Blame::Buffering) if self.failing == 0 => {
                vec![
                    "it depends on buffering only: where a call that waits here does not, a right execution follows"
                        .into(),
                ]
            }
            (None, Blame::Buffering) => vec![format!("it depends on buffering only: {}{mode}", self.every())],
            _ if self.complete => vec![format!("{}{mode}: no decision is to blame", self.every())],
            _ => {
                let tried = counted(self.failing, "execution");
                vec![format!("of {tried}{mode} that were tried, none is right: no decision is known that is to blame")]
            }
        };
        if let Some(condition) = &self.condition {
            said.push(condition.sentence(self.decision.as_ref()));
        }
        let own = (self.deviations, self.choices);
        if let Some(nearest) = self.witness.as_ref().filter(|nearest| (nearest.deviations, nearest.choices) < own) {
            let Witness { deviations, choices, replay, .. } = nearest;
            let choices = counted(*choices, "choice");
            said.push(format!(
                "nearest to the natural execution: {deviations} of {choices} otherwise: --replay {replay}"
            ));
        }
        said
    }

    /// What would help, and how likely it is, one sentence each without a full stop. Behind the last one, the command
    /// of [`Explanation::shown_by`] is to stand if there is one.
    pub fn advice(&self, buffering: Option<&str>) -> Vec<String> {
        let mut said = help::sentences(&self.help);
        said.extend(self.random.map(|random| random.sentence(buffering)));
        said.extend(self.simulated.as_ref().map(Simulated::sentence));
        said
    }

    /// A command that was run, and showed the finding in a simulation.
    pub fn shown_by(&self) -> Option<&str> {
        self.simulated.as_ref()?.command()
    }

    /// That all executions fail.
    fn every(&self) -> String {
        match self.failing {
            0 => "no execution ends".to_string(),
            1 => "the only execution fails".to_string(),
            failing => format!("all {failing} executions fail"),
        }
    }
}

impl Decision {
    fn sentences(&self) -> Vec<String> {
        let (matching, certainty) = (&self.matching, &self.certainty);
        // A poll may have said "yes" where it could have said "not yet".
        let instead = matching.instead.first().map_or(String::new(), |instead| match instead.starts_with("not ") {
            true => format!(", instead of {instead}"),
            false => format!(", and not {instead}"),
        });
        let mut said = if self.together.is_empty() {
            vec![format!("inevitable since {matching}{instead}: {certainty}")]
        } else {
            let together = all([matching].into_iter().chain(&self.together));
            vec![format!("inevitable since all of this had happened, in whichever order: {together}: {certainty}")]
        };
        let likewise =
            self.likewise.iter().map(|group| format!("without that, it would have been since {}", all(group)));
        said.extend(likewise);
        said
    }

    /// Whether a condition is that these choices were made.
    fn is(&self, condition: &Condition) -> bool {
        let own = || [&self.matching].into_iter().chain(&self.together);
        let has = |one: &Matching| condition.matchings.iter().any(|other| other.to_string() == one.to_string());
        condition.matchings.len() == own().count() && own().all(has)
    }
}

impl Condition {
    /// How many of the executions without the finding have another error.
    fn erring(&self) -> String {
        match self.erring_otherwise {
            0 => String::new(),
            1 => ", and 1 has another error".to_string(),
            erring => format!(", and {erring} have another error"),
        }
    }

    fn sentence(&self, decision: Option<&Decision>) -> String {
        let others = self.failing_otherwise + self.right_otherwise;
        let tried = if self.all_without { "" } else { " that were tried" };
        let otherwise = match (self.failing_otherwise, others) {
            (0, 1) if self.erring_otherwise > 0 => format!("the only other execution{tried} has another error"),
            (0, 1) => format!("the only other execution{tried} is right"),
            (0, others) => format!("none of {others} others{tried} fails{}", self.erring()),
            (failing, others) => format!("{failing} of {others} others{tried} fail, too{}", self.erring()),
        };
        if self.all_with && decision.is_some_and(|decision| decision.is(self)) {
            let only = if self.failing_otherwise == 0 && self.all_without { "only then: " } else { "" };
            return format!("{only}{otherwise}");
        }
        let does = |matching: &Matching| {
            let as_which = matching.as_which().map_or(String::new(), |which| format!(", as its {which} choice,"));
            format!("{}{as_which} {} {}", matching.subject(), present(&matching.verb), matching.took)
        };
        let what: Vec<String> = self.matchings.iter().map(does).collect();
        let tried = if self.all_with { "" } else { " that were tried" };
        let with = match self.failing {
            1 => "the only execution that does".to_string(),
            failing => format!("all {failing} executions that do{tried}"),
        };
        format!("fails whenever {}: {with}; {otherwise}", what.join(", and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receive(number: u64, sender: u32) -> Matching {
        Matching {
            call: "MPI_Recv".into(),
            location: Some("a.c:31".into()),
            number: Some(number),
            verb: "took".into(),
            took: format!("the message that rank {sender} sent at a.c:12"),
            instead: vec!["the message that rank 1 sent at a.c:12".into()],
            ..Matching::default()
        }
    }

    #[test]
    fn polls_of_a_condition_are_told_apart_by_their_numbers() {
        let poll = Matching {
            event: "0.4:-".into(),
            call: "MPI_Iprobe".into(),
            location: Some("a.c:45".into()),
            verb: "returned".into(),
            took: "not yet".into(),
            ..Matching::default()
        };
        let mut condition = Condition { matchings: vec![poll], failing: 1, all_with: true, ..Condition::default() };
        let said = condition.sentence(None);
        assert!(said.starts_with("fails whenever rank 0's MPI_Iprobe at a.c:45, as its 5th choice, returns not yet: "));
        condition.matchings = vec![Matching { event: "0.4:2".into(), ..receive(2, 2) }];
        assert!(condition.sentence(None).starts_with("fails whenever rank 0's 2nd MPI_Recv at a.c:31 takes "));
    }

    #[test]
    fn ordinals_are_english() {
        let words: Vec<String> = [1, 2, 3, 4, 11, 12, 13, 21, 112, 123].into_iter().map(ordinal).collect();
        assert_eq!(words.join(" "), "1st 2nd 3rd 4th 11th 12th 13th 21st 112th 123rd");
    }

    #[test]
    fn what_is_no_call_has_its_rank() {
        let subject = |call: &str| Matching { rank: 3, call: call.into(), ..Matching::default() }.subject();
        assert_eq!(subject("its window at byte 8"), "rank 3's window at byte 8");
        assert_eq!(subject("a file that it was the first to open"), "a file that rank 3 was the first to open");
        assert_eq!(subject(""), "rank 3's choice");
    }

    #[test]
    fn a_decision_and_its_condition_are_two_sentences() {
        let certainty = Explanation::certainty(true, 4);
        let decision = Decision { matching: receive(2, 2), certainty, ..Decision::default() };
        let condition = Condition { failing: 4, right_otherwise: 8, all_with: true, ..Condition::default() };
        let condition = Condition { matchings: vec![receive(2, 2)], all_without: true, ..condition };
        let mut explanation = Explanation {
            blame: Blame::Decision,
            decision: Some(decision),
            condition: Some(condition),
            ..Explanation::default()
        };
        let said = |explanation: &Explanation| explanation.sentences(None);
        let took = "rank 0's 2nd MPI_Recv at a.c:31 took the message that rank 2 sent at a.c:12";
        let first = format!(
            "inevitable since {took}, and not the message that rank 1 sent at a.c:12: all 4 continuations fail"
        );
        assert_eq!(said(&explanation), [first, "only then: none of 8 others fails".to_string()]);
        let condition = explanation.condition.as_mut().unwrap();
        condition.all_without = false;
        condition.failing_otherwise = 2;
        assert_eq!(said(&explanation)[1], "2 of 10 others that were tried fail, too");
        explanation.condition.as_mut().unwrap().matchings.insert(0, receive(1, 3));
        let whenever = "fails whenever rank 0's 1st MPI_Recv at a.c:31 takes the message that rank 3 sent at a.c:12, and rank 0's 2nd";
        assert!(said(&explanation)[1].starts_with(whenever));
        let decision = explanation.decision.as_mut().unwrap();
        decision.together.push(receive(1, 3));
        decision.likewise.push(vec![Matching { of: Some(1), ..receive(1, 4) }]);
        let said = said(&explanation);
        assert!(said[0].starts_with("inevitable since all of this had happened, in whichever order: rank 0's 2nd"));
        assert!(said[1].starts_with("without that, it would have been since rank 0's MPI_Recv at a.c:31 took"));
        assert_eq!(said[2], "2 of 10 others that were tried fail, too");
    }

    #[test]
    fn executions_with_another_error_are_not_called_right() {
        let all = Condition { matchings: vec![receive(2, 2)], failing: 1, all_with: true, ..Condition::default() };
        let ends = |failing_otherwise, right_otherwise, erring_otherwise, words: &str| {
            let condition = Condition { failing_otherwise, right_otherwise, erring_otherwise, ..all.clone() };
            assert!(Condition { all_without: true, ..condition }.sentence(None).ends_with(words), "{words}");
        };
        ends(0, 1, 0, "; the only other execution is right");
        ends(0, 1, 1, "; the only other execution has another error");
        ends(0, 3, 1, "; none of 3 others fails, and 1 has another error");
        ends(2, 3, 2, "; 2 of 5 others fail, too, and 2 have another error");
    }

    #[test]
    fn without_a_decision_the_executions_are_counted() {
        let mut explanation =
            Explanation { failing: 6, complete: true, choices: 3, deviations: 1, ..Explanation::default() };
        let said = |explanation: &Explanation| explanation.sentences(Some("zero buffering")).join("; ");
        assert_eq!(said(&explanation), "all 6 executions fail with zero buffering: no decision is to blame");
        explanation.blame = Blame::Buffering;
        assert_eq!(said(&explanation), "it depends on buffering only: all 6 executions fail with zero buffering");
        (explanation.blame, explanation.complete) = (Blame::EveryExecution, false);
        assert!(said(&explanation).starts_with("of 6 executions with zero buffering that were tried, none is right"));
        let replay = "1/zero/0.0:1".to_string();
        explanation.witness = Some(Witness { replay, deviations: 0, choices: 4, smallest: true });
        assert!(said(&explanation).ends_with("natural execution: 0 of 4 choices otherwise: --replay 1/zero/0.0:1"));
        explanation.deviations = 0;
        assert!(!said(&explanation).contains("nearest"));
        // A program without choices has none that could be to blame.
        assert_eq!(said(&Explanation { complete: true, failing: 1, ..Explanation::default() }), "");
    }
}

//! An execution without an end, as a liveness property is violated by it: choices, and others that come again and again
//! after them.

use crate::choice::ChoiceLine;
use crate::explanation::Matching;
use serde::{Deserialize, Serialize};
use smpi_base::words::counted;

/// Choices that are made once, and then a round of choices for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lasso {
    /// The propositions of the property, in its order.
    pub propositions: Vec<String>,
    /// The choices before the round, in order.
    pub prefix: Vec<LassoStep>,
    /// The choices that come again and again. None: after the prefix nothing happens any more.
    pub round: Vec<LassoStep>,
    /// The propositions that are true in the state to which the last choice leads, which is where the round begins.
    pub holds_at_end: Vec<String>,
    /// Whether an execution can leave the round and end, where that was looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way_out: Option<WayOut>,
}

/// How an execution leaves a round, or that none does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayOut {
    /// The choice by which it leaves. `None`: no execution is known that does, and ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Matching>,
    /// What the round has there, if it is the same choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
    /// Choices from there up to its end, the one by which it leaves included.
    pub choices: u64,
    /// Words for `smpirun --replay` that execute it; empty where there is none.
    pub replay: String,
    /// States that were looked at, those of the round included, where there is none.
    pub states: u64,
    /// No others can be reached.
    pub complete: bool,
}

impl WayOut {
    /// What is said of it, without a full stop.
    pub fn sentence(&self) -> String {
        let states = counted(self.states, "state");
        let Some(choice) = &self.choice else {
            return match (self.complete, self.states) {
                (true, 1) => "no way out: only this state can be reached from the round, and it is no end".to_string(),
                (true, _) => format!("no way out: {states} can be reached from the round, and none is an end"),
                (false, _) => format!("no way out is known: of {states} that were looked at, none is an end"),
            };
        };
        let instead = self.instead.as_ref().map_or(String::new(), |instead| format!(", and not {instead}"));
        let end = match self.choices {
            0 | 1 => "then it can end".to_string(),
            choices => format!("then it can end, after {}", counted(choices - 1, "more choice")),
        };
        format!("a way out of the round: {}{instead}; {end} (--replay {})", choice.as_rule(), self.replay)
    }
}

/// A choice, and what is true before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LassoStep {
    /// The choice.
    #[serde(flatten)]
    pub choice: ChoiceLine,
    /// The propositions that are true in the state in which it is made.
    pub holds: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_out_is_told_with_what_the_round_does() {
        let choice = Matching {
            rank: 1,
            call: "MPI_Recv".into(),
            location: Some("a.c:7".into()),
            verb: "took".into(),
            took: "the message of rank 2".into(),
            ..Matching::default()
        };
        let instead = Some("the message of rank 0".to_string());
        let out =
            WayOut { choice: Some(choice), instead, choices: 2, replay: "1/zero/1.0:2".into(), ..WayOut::default() };
        assert_eq!(
            out.sentence(),
            "a way out of the round: rank 1's MPI_Recv at a.c:7 takes the message of rank 2, and not the message of rank \
             0; then it can end, after 1 more choice (--replay 1/zero/1.0:2)"
        );
        let none = WayOut { states: 3, complete: true, ..WayOut::default() };
        assert_eq!(none.sentence(), "no way out: 3 states can be reached from the round, and none is an end");
        assert!(WayOut { complete: false, ..none }.sentence().starts_with("no way out is known: of 3 states"));
    }
}

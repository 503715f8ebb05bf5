//! The calls whose choices multiply the executions of a program most, and what can be done about them: as data and in
//! words.

use serde::{Deserialize, Serialize};

use crate::coverage::large;
use crate::location::Location;

/// Calls that a report names.
pub const MOST_CALLS: usize = 3;
/// Ranks that are listed one by one.
const MOST_RANKS: usize = 4;

/// What would leave one of a call's outcomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// A source instead of `MPI_ANY_SOURCE`.
    Source,
    /// An annotation that says which requests matter.
    Requests,
    /// A call that waits instead of one that polls.
    Wait,
    /// Fewer values.
    Values,
    /// Another kind of buffering.
    Buffering,
    /// An order of accesses.
    Order,
    /// Nothing that is known.
    #[default]
    None,
}

impl Remedy {
    /// As the subject of a sentence; `None` where nothing can be done.
    fn words(self) -> Option<&'static str> {
        match self {
            Remedy::Source => Some("naming its source"),
            Remedy::Requests => Some("saying which requests matter (SMPI_ANNOTATE of smpi/smpi.h)"),
            Remedy::Wait => Some("waiting instead of polling (or --stateful, where the answer is soon forgotten)"),
            Remedy::Values => Some("a single value"),
            Remedy::Buffering => Some("one kind of buffering (--buffering zero or infinite)"),
            Remedy::Order => Some("a fixed order of these accesses"),
            Remedy::None => None,
        }
    }
}

/// What the choices of one call cost: means over the executions that were seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DearCall {
    /// The ranks that make the call, ascending.
    pub ranks: Vec<u32>,
    /// The function called; empty where it is not known.
    pub call: String,
    /// Source file; `None` without debug information.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// The function that contains the place.
    pub function: Option<String>,
    /// How often an execution comes to a choice of it that has several outcomes.
    pub choices: f64,
    /// How many outcomes are tried there.
    pub ways: f64,
    /// The decimal logarithm of what these choices multiply the executions by.
    pub log10_factor: f64,
    /// What can be done about it.
    pub remedy: Remedy,
}

impl DearCall {
    /// The same, which multiplies by no more than this: where executions differ much in length, the mean of logarithms
    /// says more than there is.
    pub fn at_most(self, log10_factor: f64) -> DearCall {
        DearCall { log10_factor: self.log10_factor.min(log10_factor), ..self }
    }

    /// Where it is: `app.c:31`; empty where that is not known.
    pub fn place(&self) -> String {
        Location { file: self.file.clone(), line: self.line, ..Location::default() }.source()
    }

    /// As short as `app.c:31`; the function called where its place is not known.
    pub fn briefly(&self) -> String {
        let place = self.place();
        let call = if self.call.is_empty() { "a call" } else { &self.call };
        place.rsplit('/').next().filter(|file| !file.is_empty()).unwrap_or(call).to_string()
    }

    /// Call and place: `MPI_Recv at app.c:31`.
    fn named(&self) -> String {
        let call = if self.call.is_empty() { "a call" } else { &self.call };
        let brief = self.briefly();
        if brief == call { brief } else { format!("{call} at {brief}") }
    }

    /// A sentence without its full stop.
    pub fn words(&self) -> String {
        let shown: Vec<String> = self.ranks.iter().take(MOST_RANKS).map(u32::to_string).collect();
        let more = self.ranks.len() - shown.len();
        let noun = if self.ranks.len() == 1 { "rank" } else { "ranks" };
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let times = match format!("{:.1}", self.choices).as_str() {
            "1.0" => "once".to_string(),
            times => format!("{} times", times.trim_end_matches(".0")),
        };
        let ways = format!("{:.1}", self.ways);
        let known = format!(
            "{} ({noun} {}{more}) is taken {} ways on average, {times} an execution",
            self.named(),
            shown.join(", "),
            ways.trim_end_matches(".0")
        );
        match self.remedy.words() {
            Some(remedy) => {
                let factor = large(self.log10_factor.max(0.0));
                format!("{known}; {remedy} would leave about 1/{factor} of the executions")
            }
            None => known,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_in_words() {
        let call = DearCall {
            ranks: vec![0],
            call: "MPI_Recv".into(),
            file: Some("/home/me/app.c".into()),
            line: Some(31),
            function: Some("main".into()),
            choices: 11.0,
            ways: 4.23,
            log10_factor: 4.6,
            remedy: Remedy::Source,
        };
        assert_eq!(
            call.words(),
            "MPI_Recv at app.c:31 (rank 0) is taken 4.2 ways on average, 11 times an execution; naming its source would \
             leave about 1/39811 of the executions"
        );
        assert_eq!(call.briefly(), "app.c:31");
        let unknown = DearCall { ranks: (0..9).collect(), choices: 0.96, ways: 2.0, ..DearCall::default() };
        assert_eq!(
            unknown.words(),
            "a call (ranks 0, 1, 2, 3 and 5 more) is taken 2 ways on average, once an execution"
        );
        assert_eq!(call.clone().at_most(2.0).log10_factor, 2.0);
        assert_eq!(call.clone().at_most(5.0), call);
        let json = serde_json::to_string(&call).unwrap();
        assert_eq!(serde_json::from_str::<DearCall>(&json).unwrap(), call);
    }
}

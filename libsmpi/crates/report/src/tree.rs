//! What an exploration consists of, for the page: the calls whose choices make executions many, and the states.

/// What was explored in one mode.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// What each call costs, where executions are counted.
    pub costs: Option<Costs>,
    /// The states, where they are few.
    pub graph: Option<Graph>,
}

/// What the choices of each call cost, by random executions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Costs {
    /// Random executions that were looked at.
    pub walks: u64,
    /// The calls, the most expensive first.
    pub calls: Vec<Cost>,
}

/// What the choices of one call cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The ranks that make the call, ascending.
    pub ranks: Vec<u32>,
    /// The call and its arguments.
    pub call: String,
    /// Its source line; empty without debug information.
    pub place: String,
    /// Its choices with more than one candidate, in an execution on average.
    pub choices: f64,
    /// The most candidates of one of them.
    pub candidates: u64,
    /// The mean, over executions, of the sum of the natural logarithms of the numbers of candidates.
    pub ln_factor: f64,
}

impl Costs {
    /// The natural logarithm of what all calls multiply the executions by.
    pub fn ln_product(&self) -> f64 {
        self.calls.iter().map(|cost| cost.ln_factor).sum()
    }
}

/// States at rest, and the choices that lead from one to the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The states; the first one is the beginning.
    pub states: Vec<Circle>,
    /// Choices that were made, in the order of exploration.
    pub steps: Vec<Line>,
}

/// A state in which nothing moves without a choice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Circle {
    /// The fewest choices that lead there.
    pub depth: u32,
    /// Every rank is through.
    pub is_end: bool,
    /// Keys of what was found there.
    pub found: Vec<String>,
    /// The propositions that are true there.
    pub holds: Vec<String>,
    /// What of an execution without an end goes through it.
    pub part: Option<Part>,
}

/// A part of an execution without an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// What comes before the round.
    Prefix,
    /// What comes again and again.
    Round,
}

/// A choice that leads from one state to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Index of the state in which it is made.
    pub from: usize,
    /// Index of the state to which it leads.
    pub to: usize,
    /// Its rank and outcome, as short as `0: rank 2`.
    pub short: String,
    /// The choice in words.
    pub words: String,
    /// What of an execution without an end takes it.
    pub part: Option<Part>,
}

//! An execution without an end, as a liveness property is violated by it: choices, and others that come again and again
//! after them.

use crate::choice::ChoiceLine;
use serde::{Deserialize, Serialize};

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

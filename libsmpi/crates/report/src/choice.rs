//! A choice of an execution, in words.

use crate::location::Location;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A choice that matters for a finding: what was taken, and what could have been.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceLine {
    /// Rank, call and source line.
    #[serde(flatten)]
    pub place: Location,
    /// The arguments in words, such as `MPI_ANY_SOURCE`; may be empty.
    pub arguments: String,
    /// What happened, with its verb: `took the message of rank 2`, `returned index 1`, `answered no`.
    pub outcome: String,
    /// All that could have happened, the outcome included, in words as short as `rank 2`.
    pub candidates: Vec<String>,
}

impl fmt::Display for ChoiceLine {
    /// `rank 0: MPI_Recv(MPI_ANY_SOURCE) took the message of rank 2 (candidates: rank 1, rank 2)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {}: {}", self.place.agent(), self.place.call)?;
        if !self.arguments.is_empty() {
            write!(f, "({})", self.arguments)?;
        }
        let gap = if self.place.call.is_empty() { "" } else { " " };
        write!(f, "{gap}{}", self.outcome)?;
        if !self.candidates.is_empty() {
            write!(f, " (candidates: {})", self.candidates.join(", "))?;
        }
        Ok(())
    }
}

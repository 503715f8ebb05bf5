//! A place in a run, as findings and traces name it.

use serde::{Deserialize, Serialize};
use smpi_base::ids::agent_in_words;

/// A place in a run: a rank, the call that it made, and where in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    /// Rank in the whole run.
    pub rank: u32,
    /// Thread of the rank; the one that runs `main` is 0, and not written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thread: u32,
    /// The function called, such as `MPI_Recv`; empty when the place is not a call (a crash).
    pub call: String,
    /// Source file, as the compiler was given it; `None` without debug information.
    pub file: Option<String>,
    /// Line, counted from 1.
    pub line: Option<u32>,
    /// The function that contains the place.
    pub function: Option<String>,
    /// What this place has to do with the finding, where there are several: `sent here`, `created here`. May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Location {
    /// A place without a known source line.
    pub fn new(rank: u32, call: impl Into<String>) -> Location {
        Location { rank, call: call.into(), ..Location::default() }
    }

    /// Who it is: the rank, or `3t1` for another thread than the first.
    pub fn agent(&self) -> String {
        agent_in_words(self.rank, self.thread)
    }

    /// Whether another place is the same call at the same line, whichever rank is there.
    pub fn is_at(&self, other: &Location) -> bool {
        (&self.call, &self.file, self.line) == (&other.call, &other.file, other.line)
    }

    /// The same place with its source line.
    pub fn at(mut self, file: impl Into<String>, line: u32) -> Location {
        self.file = Some(file.into());
        self.line = Some(line);
        self
    }

    /// The same place with the function that contains it.
    pub fn within(mut self, function: impl Into<String>) -> Location {
        self.function = Some(function.into());
        self
    }

    /// The same place with its part in the finding.
    pub fn noted(mut self, note: impl Into<String>) -> Location {
        self.note = note.into();
        self
    }

    /// `ring.c:12`, or what is known of it; empty when nothing is.
    pub fn source(&self) -> String {
        match (&self.file, self.line, &self.function) {
            (Some(file), Some(line), _) => format!("{file}:{line}"),
            (Some(file), None, _) => file.clone(),
            (None, _, Some(function)) => format!("in {function}"),
            (None, _, None) => String::new(),
        }
    }
}

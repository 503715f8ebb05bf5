//! Refused input.

/// Why the user's input cannot be used, and what to do next. Ends the program with exit code 2.
#[derive(Debug, PartialEq)]
pub struct Refused {
    /// What cannot be used.
    pub message: String,
    /// What to do next.
    pub next_step: String,
}

impl Refused {
    /// A refusal with one next step.
    pub fn new(message: impl Into<String>, next_step: impl Into<String>) -> Refused {
        Refused { message: message.into(), next_step: next_step.into() }
    }
}

//! Why `smpirun` ends early.

/// What ends `smpirun` early: refused input (exit code 2), or a mistake of ours (exit code 4).
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The user's input is refused; the text says where, what was expected and one next step.
    Refused(String),
    /// Something that cannot happen happened.
    Internal(String),
    /// All is said already; this is the exit code.
    Told(i32),
}

//! What is asked for: programs and how their ranks are to be; and why they cannot be.

use std::fmt;

/// One program of the run, as `smpirun` resolved it.
#[derive(Clone, Debug, PartialEq)]
pub struct AppSpec {
    /// Path of the executable.
    pub path: String,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Number of ranks that run it.
    pub ranks: u32,
    /// The directory in which they begin; `None` for that of the process.
    pub directory: Option<String>,
}

/// What the user may choose about ranks.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stack of a rank in bytes; 0 = 8 MiB.
    pub stack_size: u64,
    /// Largest heap of a rank in bytes; 0 = what the address space gives.
    pub heap_size: u64,
    /// Testing aid: seed that moves the ranks' regions to other addresses.
    pub shuffle: Option<u64>,
    /// Libraries that every rank shall have for itself, by name.
    pub privatize: Vec<String>,
    /// Ranks will be put back to earlier states: they are under the checker. Calls are noted in which they may wait.
    pub puts_back: bool,
    /// Calls that send or receive are noted, if ranks are not put back: where they are made ([`crate::take_caller`]).
    pub notes_callers: bool,
    /// The kernel is asked which of their pages change.
    pub tracks_pages: bool,
    /// States have names from the start on ([`Ranks::name`]).
    pub names_states: bool,
    /// Ranks that may be spawned, with the numbers after those of the programs: they get addresses, and nothing else.
    pub reserved: u32,
}

/// Why ranks could not be started: refused input or a limit of this machine. The caller prints it and exits with 2.
#[derive(Clone, Debug, PartialEq)]
pub struct StartError(pub String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

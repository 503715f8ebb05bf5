//! What a process is to the simulation: ranks hosted inside this one, each with its own program image, stack, heap,
//! exit handlers and standard streams.
//!
//! The event loop (`runtime`) drives [`Ranks`]; code that runs on a rank's stack calls [`suspend`], [`current_rank`] and
//! [`exit_rank`]. Nothing here knows MPI. Model: design.md §3.2 and §3.3.

use smpi_base::WorldRank;
use std::fmt;

/// One program of the run, as `smpirun` resolved it.
#[derive(Clone, Debug)]
pub struct AppSpec {
    /// Path of the executable.
    pub path: String,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Number of ranks that run it.
    pub ranks: u32,
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
}

/// Why ranks could not be started: refused input or a limit of this machine. The caller prints it and exits with 2.
#[derive(Clone, Debug, PartialEq)]
pub struct StartError(pub String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Heap use of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeapStats {
    /// Bytes in blocks that are allocated now.
    pub in_use: u64,
    /// The largest value `in_use` had.
    pub peak: u64,
}

/// How a rank came back to the event loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resumed {
    /// It called [`suspend`] and goes on at the next [`Ranks::resume`].
    Suspended,
    /// It ended with this exit code and must not be resumed again.
    Exited(i32),
}

/// All ranks of the run.
pub struct Ranks {
    count: u32,
}

/// Loads the programs and prepares every rank; nothing of them runs before [`Ranks::resume`].
pub fn load(apps: &[AppSpec], _options: &Options) -> Result<Ranks, StartError> {
    Err(StartError(format!("cannot load {}: this build has no loader", apps[0].path)))
}

impl Ranks {
    /// Number of ranks.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Runs a rank until it suspends or ends.
    pub fn resume(&mut self, _rank: WorldRank) -> Resumed {
        Resumed::Exited(0)
    }

    /// Heap use of a rank.
    pub fn heap_stats(&self, _rank: WorldRank) -> HeapStats {
        HeapStats::default()
    }
}

/// Gives control back to the event loop; returns when it resumes this rank. Must be called on a rank's stack.
pub fn suspend() {}

/// The rank whose stack we are on; `None` in the event loop and in a program that runs without `smpirun`.
pub fn current_rank() -> Option<WorldRank> {
    None
}

/// Ends the calling rank: runs its exit handlers and destructors, then leaves its stack for good.
/// Without `smpirun` (or off a rank's stack) it is the C library's `exit`.
pub fn exit_rank(code: i32) -> ! {
    std::process::exit(code)
}

/// True when this process hosts ranks (started by `smpirun`).
pub fn is_hosted() -> bool {
    false
}

/// Writes the whole lines that ranks printed since the last call, in rank order.
pub fn commit_output() {}

/// The simulated clock, as the C library's time functions show it to ranks.
#[derive(Clone, Copy)]
pub struct TimeHooks {
    /// Simulated seconds since the start, which the program sees as seconds since 1970.
    pub now: fn() -> f64,
    /// Lets that many simulated seconds pass for the calling rank.
    pub sleep: fn(f64),
}

/// Installs the clock; until then ranks see the time 0 and sleeping returns at once.
pub fn set_time_hooks(_hooks: TimeHooks) {}

/// Installs the function that tells the last MPI call of a rank, for crash messages.
pub fn set_fault_context(_context: fn(WorldRank) -> String) {}

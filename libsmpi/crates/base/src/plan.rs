//! The run plan: everything `smpirun` learned from its command line, as data.
//!
//! `smpirun` writes it as JSON into the environment variable [`PLAN_VARIABLE`] and re-executes itself with
//! `libsmpi.so` preloaded; the library reads it back, removes the variable and hosts the ranks.

use serde::{Deserialize, Serialize};

/// Environment variable that carries the plan into the hosting process.
pub const PLAN_VARIABLE: &str = "SMPI_RUN_PLAN";

/// One program of the run and how many ranks of it.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq)]
pub struct App {
    /// Path of the executable, as the user gave it (resolved by `smpirun`: contains a `/`).
    pub path: String,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Number of ranks; 0 only in [`RunPlan::default`].
    pub ranks: u32,
}

/// A complete run.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Default)]
pub struct RunPlan {
    /// Programs in the order of the command line; world ranks are numbered through them.
    pub apps: Vec<App>,
    /// Platform file; `None` uses the platform built into the library (the laptop).
    pub platform: Option<String>,
    /// Hosts of the ranks in rank order (already unrolled from the hostfile); empty: all hosts of the platform in order.
    pub hosts: Vec<String>,
    /// Print rank → host before the run.
    pub map: bool,
    /// How computation between MPI calls is charged.
    pub compute: Compute,
    /// `--cfg=key:value` settings in the order given.
    pub cfg: Vec<(String, String)>,
    /// Stack of a rank in bytes; 0 = the default (8 MiB).
    pub stack_size: u64,
    /// Largest heap of a rank in bytes; 0 = the default (what the address space gives).
    pub heap_size: u64,
    /// Print the summary at the end.
    pub summary: bool,
    /// File for the summary as JSON.
    pub summary_json: Option<String>,
    /// Testing aid: shuffle everything the host may order differently (rank order inside an instant, addresses).
    pub shuffle: Option<u64>,
    /// Suppress notes (not errors).
    pub quiet: bool,
}

/// How computation between MPI calls is charged to the simulated host.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Default)]
pub enum Compute {
    /// CPU time measured on this machine × host speed ratio.
    #[default]
    Measured,
    /// Computation takes no simulated time.
    Off,
    /// Measured, then multiplied by this factor.
    Scaled(f64),
    /// Taken from this file, or written to it when it does not exist yet: bit-identical times.
    Recorded(String),
}

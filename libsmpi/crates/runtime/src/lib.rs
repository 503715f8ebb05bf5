//! The state of a run and how ranks go through it: [`Runtime`], the event loop, and how a rank waits.
//!
//! One instant: all ready ranks run until each blocks; what they posted is committed in rank order; then the driver
//! moves to the next date at which something ends. [`with`] is the only way to the state, and its closure must not
//! block: a rank that has to wait leaves the closure first ([`blocking`]).
//!
//! | where | what |
//! |---|---|
//! | [`state`], `global.rs` | the state, and where it is; which rank calls |
//! | `cpu_time.rs` | what the hosting thread has computed |
//! | [`setup`], [`config`], `mesh.rs` | from a run plan and its settings to the first state |
//! | [`event_loop`], [`blocking`] | batches of ranks, and how one of them waits |
//! | `below.rs` | which driver this run has |
//! | [`early`] | accesses that have waited, and need not |
//! | [`objects`] | what the handles of a rank's program refer to |
//! | [`files`], [`paths`] | what ranks do with files, in rank order; what they do with them without MPI |
//! | `collective.rs` | what the settings make of calls |
//! | [`memory`], [`callbacks`] | the ranks' memory as MPI sees it, and calls back into the program |
//! | [`amend`] | calls as if the program were written otherwise |
//! | [`watch`], [`failure`], [`warnings`] | data of the observers, which are above |
//! | [`spawn`], [`jobs`], `connected.rs` | ranks that are spawned; whom an abort ends |
//! | [`tool`], [`tooling`] | what a rank's tool has, reads and is told |
//! | [`summary`] | what the run says about itself |
//!
//! *Invariant: while a rank is suspended, its stack holds no borrow and no value with a destructor.*
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod amend;
pub mod below;
pub mod blocking;
pub mod callbacks;
mod collective;
pub mod config;
mod connected;
mod cpu_time;
pub mod early;
pub mod event_loop;
pub mod failure;
mod file_costs;
mod file_jobs;
mod file_uses;
mod file_work;
pub mod files;
mod global;
pub mod jobs;
pub mod live;
pub mod memory;
mod mesh;
pub mod objects;
mod own_speed;
pub mod paths;
mod phase;
pub mod profile;
pub mod setup;
pub mod spawn;
pub mod state;
pub mod summary;
pub mod tool;
pub mod tooling;
pub mod waiting;
pub mod warnings;
pub mod watch;

pub use cpu_time::cpu_seconds;
pub use global::{current_rank, install, is_recording, is_running, try_with, with, with_objects};
pub use phase::MpiPhase;
pub use state::Runtime;

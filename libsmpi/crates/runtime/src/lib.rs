//! The state of a run and how ranks go through it: [`Runtime`], the event loop, and how a rank waits.
//!
//! One instant: all ready ranks run until each blocks; what they posted is committed in rank order; then the driver
//! moves to the next date at which something ends. [`with`] is the only way to the state, and its closure must not
//! block: a rank that has to wait leaves the closure first ([`blocking`]).
//!
//! | where | what |
//! |---|---|
//! | [`state`], `global.rs` | the state, and where it is |
//! | [`setup`], [`config`], `mesh.rs` | from a run plan and its settings to the first state |
//! | [`event_loop`], [`blocking`] | batches of ranks, and how one of them waits |
//! | `below.rs` | which driver this run has |
//! | [`objects`] | what the handles of a rank's program refer to |
//! | [`files`], [`paths`] | what ranks do with files, in rank order; what they do with them without MPI |
//! | `collective.rs` | what the settings make of calls |
//! | [`memory`], [`callbacks`] | the ranks' memory as MPI sees it, and calls back into the program |
//! | [`watch`], [`failure`], [`warnings`] | data of the observers, which are above |
//! | [`spawn`], [`jobs`], `connected.rs` | ranks that are spawned; whom an abort ends |
//! | [`tool`], [`tooling`] | what a rank's tool has, reads and is told |
//! | [`summary`] | what the run says about itself |
//!
//! *Invariant: while a rank is suspended, its stack holds no borrow and no value with a destructor.*
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod below;
pub mod blocking;
pub mod callbacks;
mod collective;
pub mod config;
mod connected;
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
pub mod paths;
mod phase;
pub mod profile;
pub mod setup;
pub mod spawn;
pub mod state;
pub mod summary;
pub mod tool;
pub mod tooling;
pub mod warnings;
pub mod watch;

use smpi_base::WorldRank;
use smpi_process as process;

pub use global::{install, is_recording, is_running, try_with, with};
use objects::RankObjects;
pub use phase::MpiPhase;
pub use state::Runtime;

/// The rank that calls: the one on whose stack we are, or rank 0 of a program that runs without `smpirun`.
#[inline]
pub fn current_rank() -> WorldRank {
    process::current_rank().unwrap_or(WorldRank(0))
}

/// CPU time of this thread in seconds.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Runs the action on the objects of the calling rank.
#[inline]
pub fn with_objects<R>(action: impl FnOnce(&mut RankObjects) -> R) -> R {
    let rank = current_rank();
    with(|runtime| action(&mut runtime.objects[rank.index()]))
}

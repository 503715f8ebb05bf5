//! The simulated world and the event loop that drives the ranks through it.
//!
//! One instant: all ready ranks run until each blocks; what they posted is committed in rank order; then the clock
//! moves to the next date at which something ends. [`with`] is the only way to the state, and its closure must not
//! block: a rank that has to wait leaves the closure first ([`blocking`]).

mod below;
pub mod blocking;
mod config;
pub mod event_loop;
mod global;
mod mesh;
pub mod state;
pub mod summary;

pub use event_loop::{host_main, start_direct};
pub use global::{is_running, try_with, with};
pub use state::MpiPhase;

use crate::process;
use smpi_base::WorldRank;

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

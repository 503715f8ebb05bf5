//! The simulated world and the event loop that drives the ranks through it.
//!
//! One instant: all ready ranks run until each blocks; what they posted is committed in rank order; then the clock
//! moves to the next date at which something ends. [`with`] is the only way to the state, and its closure must not
//! block: a rank that has to wait leaves the closure first ([`blocking`]).

pub mod blocking;
pub mod checker_clock;
mod compute;
mod config;
pub mod event_loop;
mod fabric;
mod global;
mod mesh;
pub mod state;
pub mod summary;

pub use compute::cpu_seconds;
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

/// Simulated seconds since the start of the run. Under the checker time does not exist; there a rank sees a clock of
/// its own.
pub fn now() -> f64 {
    if blocking::is_verifying() {
        return checker_clock::look(current_rank());
    }
    with(|runtime| runtime.fabric.engine.now().secs())
}

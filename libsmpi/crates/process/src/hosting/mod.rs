//! From programs to ranks that run: where processes begin, loading, turns, and snapshots.

mod files;
mod kept;
pub mod loading;
mod memory;
mod naming;
pub mod ranks;
mod sharing;
pub mod snapshot;
pub mod start;
mod valgrind;

pub use files::{OpenFiles, hide, is_hidden};

//! From programs to ranks that run: where processes begin, loading, turns, and snapshots.

pub mod asked;
mod files;
mod kept;
pub mod loading;
mod mapped;
mod memory;
mod naming;
mod nursery;
mod piece;
pub mod ranks;
mod self_check;
mod sharing;
pub mod snapshot;
pub mod start;
mod valgrind;

pub(crate) use memory::bytes_at;
pub(crate) use snapshot::data_ranges;

pub use files::{OpenFiles, grow_table, hide, is_hidden, keep_error, open_descriptors};
pub use self_check::Fingerprint;

//! From programs to ranks that run: where processes begin, loading, turns, and snapshots.

pub mod asked;
mod channels;
mod file_check;
mod files;
mod kept;
pub mod loading;
mod mapped;
mod naming;
mod nursery;
mod piece;
pub mod ranks;
mod self_check;
mod sharing;
pub mod snapshot;
pub mod start;
mod valgrind;

pub use file_check::FilesFingerprint;
pub use files::{OpenFiles, grow_table, keep_error};
pub use self_check::Fingerprint;

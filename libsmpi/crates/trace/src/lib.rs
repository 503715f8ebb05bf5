//! Time-independent traces: what each rank does, in amounts (flops, bytes) and not in times.
//!
//! The format is SMPI's, so that its traces can be read, and those of simple programs can be read by it. What SMPI
//! cannot say has actions of its own, which begin with version 1 of the extension ([`MARKER`]); docs/replay.md lists
//! both.
//!
//! | where | what |
//! |---|---|
//! | [`action`] | what a line says |
//! | [`write`], [`parse`] | to text and back |
//! | `marker.rs` | the first line |
//! | [`recorder`], [`files`] | from what ranks do to lines, and where these go |
//! | [`source`] | the lines of a trace, rank by rank |
//!
//! *Invariant: nothing here simulates. A line that is written is read back as the same action.*
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod action;
pub mod files;
mod marker;
pub mod parse;
pub mod recorder;
pub mod source;
pub mod write;

pub use action::{
    Access, AccessKind, Action, Blocks, Collective, Items, Message, Named, Probe, Reduction, Settled, Start,
};
pub use files::Output;
pub use marker::{MARKER, MARKER_START};
pub use recorder::Recorder;
pub use source::{Source, files_of};

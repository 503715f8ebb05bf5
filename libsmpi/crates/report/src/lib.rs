//! What a run tells its user: the summary of a simulation, the findings of a verification.
//!
//! It renders data that others collect; it knows no MPI and measures nothing. Only [`progress`] prints.
//!
//! | file | what |
//! |---|---|
//! | [`key`] | the stable keys of findings, and those of MPI error classes |
//! | [`catalogue`] | what each key means and what to do; `docs/findings.md` is made from it |
//! | [`finding`] | a finding as data |
//! | [`findings`], [`company`] | those of an exploration, one for each place, and how many executions showed them |
//! | [`faults`] | which of them are one fault |
//! | [`explanation`], [`beside`] | why an execution failed, and a right one beside it |
//! | [`help`], [`likely`] | changes that were tried against it, and how often it happens |
//! | [`verdict`] | the result of a verification, and its JSON (`docs/report-format.md`) |
//! | [`text`], [`rows`] | the same for a terminal; ranks that do the same share a row |
//! | [`html`], [`chart`], [`trace`] | the same as a page, with the way there as a sequence chart |
//! | [`coverage`], [`dear`] | how much there is where not everything was explored, and the calls that make it so much |
//! | [`tree`] | the calls that make executions many, and the states, for the page |
//! | [`progress`] | how far an exploration is, on a terminal |
//! | [`profile`] | where the time of a simulation is |
//! | [`timeline`] | the events of a simulation for other tools |
//! | [`summary`] | what `smpirun --summary` prints |
#![forbid(unsafe_code)]

pub mod beside;
pub mod catalogue;
mod cause;
pub mod chart;
mod choice;
mod common;
pub mod company;
pub mod coverage;
pub mod dear;
pub mod explanation;
pub mod faults;
pub mod finding;
pub mod findings;
pub mod help;
pub mod html;
pub mod key;
pub mod lasso;
pub mod likely;
mod location;
pub mod profile;
pub mod progress;
pub mod rows;
pub mod summary;
pub mod text;
pub mod timeline;
pub mod trace;
pub mod tree;
pub mod verdict;

pub use cause::Cause;
pub use finding::{Buffering, ChoiceLine, Finding, LastCall, Location, RankState};
pub use findings::Findings;
pub use key::FindingKey;
pub use progress::{Counts, Progress};
pub use trace::{EventKind, Trace, TraceEvent};
pub use verdict::{Bound, Mode, Report, Verdict};

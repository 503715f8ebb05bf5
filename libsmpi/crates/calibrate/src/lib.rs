//! Calibration: how long messages take under a real MPI, as a platform for simulations; and predictions beside
//! measurements.
//!
//! [`Session`] compiles C programs with our wrapper and starts them with somebody else's launcher. `measure.c` takes
//! samples, [`Samples`] reads them, [`Model`] fits SMPI's model to them:
//!
//! ```text
//! time from rank to rank = os(S) + latency_factor(S) L + (S + 16) / (bandwidth_factor(S) B) + or(S)     S < detached
//!                        =         latency_factor(S) L + (S + 16) / (bandwidth_factor(S) B)             otherwise
//! ```
//!
//! and writes it as a platform ([`Model::platform`]) and as a page with points, fit and residuals ([`page::page`]).
//! `timing.c` and [`shim`] measure how long each rank of any program is inside MPI, under any MPI, ours included;
//! [`check`] puts the two side by side.
//!
//! | file | what |
//! |---|---|
//! | `session.rs` | compiles and runs; says what went wrong with somebody's launcher |
//! | `samples.rs` | what the measuring program printed |
//! | `fit.rs` | robust regression by straight pieces |
//! | `model.rs` | from samples to constants of the simulation |
//! | `text.rs` | the platform file |
//! | `page.rs`, `plot.rs` | the page |
//! | `shim.rs`, `check.rs` | predicted and measured |
//! | `quiet.rs` | what else a machine did meanwhile |
//!
//! *Invariant.* Nothing here is used by a simulation. The same samples give the same platform and the same page.
#![forbid(unsafe_code)]

pub mod check;
pub mod fit;
pub mod model;
pub mod page;
mod plot;
pub mod quiet;
pub mod samples;
pub mod session;
pub mod shim;
mod text;

pub use model::{Model, Site};
pub use samples::Samples;
pub use session::Session;

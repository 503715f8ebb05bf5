//! What happened in a simulation, recorded while it runs: sums by call, wait states, the critical path, timelines.
//!
//! A [`Recorder`] is told by the driver of a simulation what ranks do and what takes time. It changes nothing, and a
//! run without one pays a branch for each thing that it would be told. It knows ranks, dates, functions and addresses
//! of calls; neither MPI's state nor processes. Who shows results to people turns addresses into source lines
//! (`smpi_runtime`, `smpi_report`).
//!
//! | file | what |
//! |---|---|
//! | `recorder.rs` | what is told, and by which rules time in calls is told apart |
//! | `activity.rs` | what takes time |
//! | `chain.rs` | what caused what: critical paths |
//! | `stem.rs` | a chain as sums and steps |
//! | `places.rs` | calls in the source, and what is counted for each |
//! | `ideal.rs` | the time on an ideal network |
//! | `collectives.rs` | collective operations by their algorithms |
//! | `waits.rs` | what ranks waited for, call by call |
//! | `names.rs` | names of wait states |
//! | `timeline.rs` | what ranks do over time, in pictures of fixed size |
//! | `links.rs` | what links carry over time, and for whom |
//! | `spool.rs` | all events, in a file |
//! | `details.rs` | single events, while they are few |
//!
//! **How the time in a call is told apart.** A rank in a call is suspended until an activity ends that lets it go on.
//! While that activity is its own, it is *overhead*. If it is a message, the rank has waited for its partner until the
//! message began to travel (*late sender*, *late receiver*), and for the *transfer* from then on. Of the transfer, what
//! it would not have taken alone on its links is *contention*. In a collective operation the same is told of each
//! activity of the chain that led to the last one: what messages took is transfer, what other ranks did meanwhile is
//! waiting for a *late partner*. A receiver that waits for a message although others are there that it asks for later
//! waits in the *wrong order*.
#![forbid(unsafe_code)]

pub mod activity;
pub mod chain;
pub mod collectives;
pub mod details;
mod ideal;
pub mod links;
mod names;
pub mod places;
mod recorder;
pub mod spool;
pub mod stem;
pub mod timeline;
pub mod waits;

pub use activity::{Activity, What};
pub use chain::Cause;
pub use names::wait_state;
pub use places::{Counted, Parts, Place, Spot};
pub use recorder::{CommSums, RankSums, Recorder, Volume};
pub use timeline::{Bins, State};

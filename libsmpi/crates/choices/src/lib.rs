//! The driver of a verification. It has no time; whatever MPI leaves open is a choice.
//!
//! [`Verification`] is a [`smpi_mpi::world::Driver`]. While ranks run, it keeps the operations that the world does not
//! decide by itself: receives from any source, waits for any of several requests, tests, probes. When nothing moves any
//! more, it lists the open choices ([`Verification::open_choices`]) and makes one of them ([`Verification::choose`]).
//! The exploration in `smpi-checker` decides which choice is made, and which others are tried later. This crate knows
//! neither processes nor findings.
//!
//! | where | what |
//! |---|---|
//! | `state/` | the state beside MPI's own, cheap to copy and to restore |
//! | `driver/mod.rs` | the world's reports and questions |
//! | `driver/open.rs`, `driver/choose.rs` | which choices are open, and what happens when one is made |
//! | `driver/ahead.rs` | polls that find nothing, and what their ranks would poll for next |
//! | `driver/alone.rs` | choices that may be made before all others where states are recognised |
//! | `driver/cancel.rs` | operations that the program cancels |
//! | `driver/order.rs` | locks and atomic accesses whose order makes no difference |
//! | `driver/reluctant.rs` | sends and collective operations that wait and need not (`--buffering each`) |
//! | `driver/unseen.rs` | results of Waitany that the program has not looked at |
//! | `driver/polls.rs` | whose turn it is when only polls are left |
//! | `driver/steps.rs` | single steps, for the slow reductions |
//! | `driver/describe.rs` | choices in words |
//!
//! *Invariant: a choice loses no candidate when other choices are made first* (`smpi_checker` explains why).
#![forbid(unsafe_code)]

mod driver;
mod state;

pub use driver::{Answer, Described, EchoAhead, NextOperation, Verification, bound};
pub use state::{
    Cancels, Communication, Communications, Discoveries, Discovery, Echo, Name, Polled, Remembered, Retry, Round, Site,
    State,
};

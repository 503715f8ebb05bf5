//! The driver of a verification: below MPI's semantics there is no time, and what MPI leaves open is a choice.
//!
//! [`Verification`] is a [`smpi_mpi::world::Driver`]. While ranks run it keeps what the world does not do by itself:
//! receives from any source, waits for any of several requests, tests, probes. When nothing moves any more it lists
//! what is open ([`Verification::open_choices`]), and makes one of the choices ([`Verification::choose`]). Which one,
//! and that another one is tried later, is decided above, by the exploration in `smpi-checker`; this crate knows
//! neither processes nor findings.
//!
//! | where | what |
//! |---|---|
//! | `state/` | what is kept beside MPI's own state, in copies that are cheap to make and to put back |
//! | `driver/mod.rs` | what the world says and asks |
//! | `driver/open.rs`, `driver/choose.rs` | which choices are open, and what happens when one is made |
//! | `driver/cancel.rs` | operations that the program cancels |
//! | `driver/reluctant.rs` | sends and collective operations that wait and need not (`--buffering each`) |
//! | `driver/unseen.rs` | results of Waitany that the program has not looked at |
//! | `driver/polls.rs` | whose turn it is where nothing but polls is left |
//! | `driver/steps.rs` | single steps, for the slow reductions |
//! | `driver/describe.rs` | choices in words |
//!
//! *Invariant: the answers that a choice has do not become fewer when others make theirs first* (`smpi_checker`
//! explains why that is needed).
#![forbid(unsafe_code)]

mod driver;
mod state;

pub use driver::{Answer, Described, NextOperation, Verification};
pub use state::{Cancels, Name, Names, State};

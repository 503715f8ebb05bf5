//! A third driver below MPI's semantics, beside simulation and verification, in which every transfer takes one tick:
//! the proof that the seam between them ([`smpi_mpi::world::Driver`]) is one. A set of MPI programs runs on it, whose
//! dates and results follow from the standard and from that one rule.
//!
//! There is no platform, no checker, no C and no process here: ranks are `async fn`s, and waiting is awaiting.
//!
//! | file | what |
//! |---|---|
//! | `driver.rs` | the driver |
//! | `memory.rs`, `machine.rs` | memory of the ranks, and what runs them |
//! | `rank.rs`, `messages.rs`, `collective.rs` | what a rank calls |
//! | `times.rs` | dates of programs and algorithms |
//! | `order.rs` | which message goes to which receive |
//! | `waiting.rs` | waits, tests, deadlocks |
//! | `at_once.rs` | messages that are delivered when they are sent |
//! | `late.rs` | buffers that the program changes once it has them back |
//! | `lists.rs` | arrays of requests that calls are about again and again |
//! | `looking.rs` | probes and cancellation |
//! | `algorithms.rs` | results of all collective algorithms |
//! | `noticed.rs` | what is noticed about a program, and what it leaves |
//! | `snapshots.rs` | going back to an earlier state |
#![forbid(unsafe_code)]

mod algorithms;
mod at_once;
mod collective;
mod driver;
mod late;
mod lists;
mod looking;
mod machine;
mod memory;
mod messages;
mod noticed;
mod order;
mod rank;
mod snapshots;
mod times;
mod waiting;

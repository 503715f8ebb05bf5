//! Observers of a running program: which memory it touches, how it uses MPI, its annotations, its failures.
//! Observations become warnings in a simulation and findings in a verification. They never change the run.
//!
//! | where | what |
//! |---|---|
//! | [`access`] | reads and writes of programs that were compiled with `smpicc --verify`, and of MPI's own calls |
//! | [`checks`] | misuse of MPI that no single call shows, in words |
//! | [`annotation`] | what a program says about its next Waitany |
//! | [`failure`] | what went wrong on a rank |
//!
//! The data about each rank is part of the runtime's state, so that a verification can restore it.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod access;
pub mod annotation;
pub mod checks;
pub mod failure;

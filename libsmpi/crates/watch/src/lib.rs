//! Who looks on while a program runs: which memory it touches, how it uses MPI, what it says about itself, and what
//! goes wrong. In a simulation that becomes warnings, in a verification findings; nothing of it changes what happens.
//!
//! | where | what |
//! |---|---|
//! | [`access`] | reads and writes of programs that were compiled with `smpicc --verify`, and of MPI's own calls |
//! | [`checks`] | misuse of MPI that no single call shows, in words |
//! | [`annotation`] | what a program says about its next Waitany |
//! | [`failure`] | what went wrong on a rank |
//!
//! What is remembered of each rank is part of the runtime's state, so that a verification can come back to it.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod access;
pub mod annotation;
pub mod checks;
pub mod failure;

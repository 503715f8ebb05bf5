//! Right programs in each of which one fault is planted: whether what a verification says of it names the line.
//!
//! Programs are those of `tests/programs` in which nothing is found ([`base`]) and random ones, written as C
//! ([`written`]). [`calls`] reads the calls of a source, [`faults`] changes one of them, and [`judged`] looks at where
//! the line stands in what is found. Of small programs, and of random ones that go wrong in some orders ([`wrong`]),
//! [`brute`] compares what is explained with all executions. docs/explain.md says what came of it.

pub mod base;
pub mod brute;
pub mod calls;
pub mod faults;
pub mod judged;
pub mod written;
pub mod wrong;

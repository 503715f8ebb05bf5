//! Random MPI programs under every kind of exploration, and simulated: all of them must tell the same.
//!
//! The programs are words for the interpreter `tests/programs/verify/script.c` ([`program`]), made by [`generate`] and
//! [`planted`], run by [`run`] and judged by [`compare`]; a program on which two explorations differ is made as small
//! as possible ([`shrink`]). docs/verification.md, "How that is tested", says what is compared and why.

pub mod compare;
pub mod crossed;
pub mod endless;
pub mod features;
pub mod generate;
pub mod planted;
pub mod program;
pub mod run;
pub mod shrink;
pub mod symmetric;

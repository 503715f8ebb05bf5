//! Random walks of allocation around messages of any source, verified: the programs are right by construction, so that
//! whatever is found in them is memory that the checker did not put back.
//!
//! The programs are words for the interpreter `tests/programs/verify/memory_script.c` ([`generate`]), run in every kind
//! of exploration and judged by [`compare`].

pub mod compare;
pub mod generate;

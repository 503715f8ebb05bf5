//! What the tests over whole programs share: the directives in a program's comments, the tools under test, and how a
//! program is built, run and judged. The tests themselves are in `tests/`.
//!
//! It knows no MPI: a program says itself what is right, and what it prints is compared here.
#![forbid(unsafe_code)]

pub mod blamed;
pub mod campaign;
pub mod case;
pub mod covered;
pub mod crossing;
pub mod directives;
pub mod environment;
pub mod explored;
pub mod judge;
pub mod memory;
pub mod orders;
pub mod pages;
pub mod place;
pub mod process;
pub mod properties;
pub mod queue;
pub mod schema;
pub mod slurm;
pub mod stepping;
pub mod times;
pub mod toolchain;
pub mod traces;
pub mod verification;

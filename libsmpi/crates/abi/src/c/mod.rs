//! Types and constants of the C ABI (MPI 5.0 §20). `types` is written by hand, `constants` by `cargo xtask codegen`;
//! `include/mpi.h` comes from both.
#![allow(non_camel_case_types, non_snake_case, missing_docs, reason = "names and meanings are the standard's")]

#[rustfmt::skip]
pub mod constants;
#[rustfmt::skip]
pub mod handles;
pub mod types;

pub use constants::*;
pub use types::*;

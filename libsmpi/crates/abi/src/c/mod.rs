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

use std::mem::offset_of;
use std::ops::Range;

/// The bytes of a status that a call sets whose one operation is over: its error is left as it is (MPI 5.0 §3.2.5).
pub const STATUS_OF_ONE: [Range<usize>; 2] = [
    offset_of!(types::MPI_Status, MPI_SOURCE)..offset_of!(types::MPI_Status, MPI_ERROR),
    offset_of!(types::MPI_Status, MPI_internal)..offset_of!(types::MPI_Status, MPI_internal) + 3 * size_of::<i32>(),
];

//! The C ABI (MPI 5.0 §20): types, constants and the exported `MPI_` and `PMPI_` functions.
//!
//! `generated` is written by `cargo xtask codegen` from `libsmpi/abi/*.csv`. No MPI logic lives here: each wrapper
//! brings its arguments into the form shared by `MPI_X` and `MPI_X_c` and calls `crate::api` through `crate::boundary`.
//! `PMPI_X` has the body and never calls `MPI_X`, which only jumps to it, so that a tool which defines `MPI_X` and
//! calls `PMPI_X` reaches the library without recursion.
//!
//! # The contract with the caller
//!
//! Every exported function is `unsafe` because it trusts its C caller for what MPI asks of it and the library cannot
//! check: each pointer argument is valid for the size that the prototype, the counts and the datatypes give it; strings
//! end with a zero byte; buffers stay untouched until the operation completes; callbacks follow their prototype.
//! Handles are not trusted: they are checked in `crate::api`. The wrappers' `unsafe` blocks pass exactly this contract
//! on.
#![allow(non_camel_case_types, non_snake_case, reason = "the names are the standard's")]

#[rustfmt::skip]
pub mod generated;
pub mod tools;

pub use smpi_api::abi::*;

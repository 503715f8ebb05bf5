//! MPI's functions: convert the arguments of a call, check them, call the world and return.
//!
//! | where | what |
//! |---|---|
//! | [`boundary`], `passage.rs`, `target.rs` | the one entry of every call: state check, charging, error handler |
//! | [`functions`] | one file a chapter of the standard, one function for `MPI_X` and `MPI_X_c` |
//! | [`contract`] | what a program promises by calling |
//! | [`convert`] | handles, ranks, tags, counts and buffers: from the program's form into ours |
//! | [`own_memory`] | whether addresses are those of the caller's memory |
//! | [`errors`], `ending.rs` | error handlers, and how a run is ended |
//! | [`attributes`], [`grequest`], `fortran_callbacks.rs` | functions of the program that MPI calls |
//! | `tool.rs` | errors, texts and values of the tool information interface; when its callbacks run |
//! | `user_threads.rs` | what threads of a rank may ask |
//! | `completion.rs` | a rank takes what is complete |
//! | `amended.rs` | calls as if the program were written otherwise |
//!
//! Nothing here is exported: the wrappers with the C names are in the library above. To add a function, see
//! docs/abi.md.
//!
//! # The contract with C
//!
//! Pointers that MPI declares as buffers, arrays or strings are compared with the memory that the caller has; what lies
//! there is trusted as the standard allows: `contract.rs` says what a program promises, in the words of all SAFETY
//! comments. Handles are never trusted: they are looked up. While a rank
//! is suspended, its stack holds no borrow and no value of ours with a destructor, because the stack may never be
//! resumed.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod abi;
mod amended;
pub mod attributes;
pub mod boundary;
mod completion;
pub mod contract;
pub mod convert;
mod ending;
pub mod errors;
mod fortran_callbacks;
pub mod functions;
pub mod grequest;
pub mod own_memory;
mod passage;
mod recording;
mod sockets;
mod spawning;
mod target;
mod tool;
mod user_threads;

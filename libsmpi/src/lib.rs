//! libsmpi as C programs see it: the MPI 5.0 standard ABI over a simulated world.
//!
//! This crate is the only one that exports symbols of C. From the outside in:
//!
//! * [`abi`]: types, constants and the exported wrappers, generated from `libsmpi/abi/*.csv`;
//! * [`boundary`]: the one entry of every MPI call: state check, charging of computation, error handler;
//! * [`bystanders`]: what threads of a rank may ask;
//! * [`fortran`]: the entry points of Fortran programs, over those of C;
//! * [`api`]: one file a chapter of the standard: convert, call, return; [`convert`] and [`handles`] check arguments;
//! * [`objects`]: what a rank's handles refer to;
//! * [`runtime`]: the simulated world, the event loop, and how a rank waits;
//! * [`annotation`]: what the program tells the checker about its next Waitany;
//! * [`access`]: which memory a program reads and writes, if it was compiled with `smpicc --verify`;
//! * [`checks`]: misuse that no single call shows, in simulation and verification;
//! * [`verify`]: the same ranks under the checker: what it explores, and what it finds;
//! * [`hosting`]: what hosting ([`smpi_process`]) asks of the others, and what is exported in libc's place.
//!
//! # The contract with C
//!
//! Pointers that MPI declares as buffers, arrays or strings are trusted as the standard allows (valid for the length
//! that the other arguments say, for as long as the operation lasts); handles are never trusted, they are looked up.
//! Nothing of ours that needs dropping, and no borrow, is held while a rank is suspended: its stack may never be
//! resumed. A panic never crosses into C: the library is built with `panic = "abort"`, and the hook says whose bug it
//! is.

mod abi;
mod access;
mod annotation;
mod api;
mod attributes;
mod boundary;
mod bystanders;
mod callbacks;
mod checks;
mod convert;
mod errors;
mod fortran;
mod grequest;
mod handles;
mod hosting;
mod memory;
mod objects;
mod runtime;
mod verify;

use smpi_process as process;

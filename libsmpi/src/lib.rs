//! libsmpi as C and Fortran programs see it: the MPI 5.0 standard ABI over a simulated or verified world.
//!
//! This crate wires the others together and exports. From the outside in:
//!
//! * [`abi`]: the wrappers with C's names, generated from `libsmpi/abi/*.csv`;
//! * [`fortran`]: the entry points of Fortran programs, over those of C;
//! * [`hosting`]: where programs start, and functions of libc that are answered in libc's place;
//! * [`host`]: from a run plan to an exit code.
//!
//! MPI's functions are in `smpi-api`, what they act on in `smpi-runtime`; `ARCHITECTURE.md` has the map.
//!
//! A panic never crosses into C: the library is built with `panic = "abort"`, and the hook says whose bug it is.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod abi;
mod fortran;
mod host;
mod hosting;

// The generated wrappers name what they call by these paths.
use smpi_api::{boundary, functions as api};

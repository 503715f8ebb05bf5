//! `smpif90` (and its other names `smpif77` and `smpifort`): compiles and links Fortran programs for libsmpi.
//! Everything is in the library of this package.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    mpicc_wrapper::run(mpicc_wrapper::Language::Fortran)
}

//! `smpicxx` (and its other name `smpic++`): compiles and links C++ programs for libsmpi. Everything is in the
//! library of this package.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    mpicc_wrapper::run(mpicc_wrapper::Language::Cxx)
}

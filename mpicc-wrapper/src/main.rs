//! mpicc-wrapper
#![forbid(unsafe_code)]
fn main() {}

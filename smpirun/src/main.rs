//! smpirun
#![forbid(unsafe_code)]
fn main() {}

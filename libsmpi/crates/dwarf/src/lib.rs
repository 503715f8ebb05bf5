//! What debug information knows of an executable: lines, variables, and with which options it was compiled.
//!
//! It reads files and knows nothing of ranks, of MPI, or of what is done with its answers.
//!
//! | module | what |
//! |---|---|
//! | [`source`] | code addresses as function, file and line |
//! | [`declared`] | variables and their types |
//! | [`units`] | the parts that were compiled without a certain option |
#![forbid(unsafe_code)]

pub mod declared;
pub mod source;
pub mod units;

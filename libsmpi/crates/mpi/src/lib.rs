//! mpi layer of libsmpi.
#![forbid(unsafe_code)]

pub mod abi_constants;
pub mod error;
pub mod info;
pub mod memory;

//! mpi layer of libsmpi.
#![forbid(unsafe_code)]

pub mod abi_constants;
pub mod datatype;
pub mod error;
pub mod info;
pub mod memory;
mod softfloat;

//! mpi layer of libsmpi.
#![forbid(unsafe_code)]

pub mod abi_constants;
pub mod datatype;
pub mod error;
pub mod info;
pub mod memory;
pub mod op;
mod softfloat;
pub mod bsend;
pub mod collective;
pub mod comm;
pub mod group;
pub mod progress;
pub mod protocol;
pub mod request;
pub mod world;

//! mpi layer of libsmpi.
#![forbid(unsafe_code)]

pub mod abi_constants;
pub mod bsend;
pub mod buffers;
pub mod cancel;
mod causality;
pub mod choices;
pub mod choosing;
pub mod collective;
pub mod comm;
pub mod datatype;
pub mod describe;
pub mod error;
pub mod exchange;
mod gate;
pub mod group;
pub mod info;
pub mod leftovers;
pub mod memory;
pub mod notes;
pub mod op;
pub mod polls;
pub mod progress;
pub mod protocol;
mod reluctant;
pub mod request;
pub mod snapshot;
mod softfloat;
pub mod steps;
pub mod tape;
pub mod text;
pub mod topology;
mod unseen;
pub mod world;

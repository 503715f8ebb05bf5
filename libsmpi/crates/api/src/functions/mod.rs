//! The MPI functions, one file for each chapter of the standard, in one flat namespace `api::*`.
//!
//! `MPI_X` and `MPI_X_c` are implemented by one `pub unsafe fn x(...) -> Result<()>` here; `docs/abi.md` tells how to
//! add one. A function checks and converts its arguments, calls the `World` and returns; it holds no borrow while
//! its rank waits.

mod abi_info;
mod address;
mod attribute;
mod buffer;
mod collective;
mod collective_exchange;
mod comm;
mod comm_create;
mod datatype;
mod env;
mod errhandler;
mod error;
mod grequest;
mod group;
mod handle_conversion;
mod info;
mod intercomm;
mod mem;
mod neighbor;
mod op;
mod p2p;
mod pack;
mod partitioned;
mod probe;
mod request;
mod request_status;
mod rma;
mod rma_sync;
mod sendrecv;
mod session;
pub mod smpi_ext;
mod smpi_sample;
mod smpi_shared;
mod status;
mod topology;
mod topology_graph;
mod type_create;
mod window;

pub use abi_info::*;
pub use address::*;
pub use attribute::*;
pub use buffer::*;
pub use collective::*;
pub use comm::*;
pub use comm_create::*;
pub use datatype::*;
pub use env::*;
pub use errhandler::*;
pub use error::*;
pub use grequest::*;
pub use group::*;
pub use handle_conversion::*;
pub use info::*;
pub use intercomm::*;
pub use mem::*;
pub use neighbor::*;
pub use op::*;
pub use p2p::*;
pub use pack::*;
pub use partitioned::*;
pub use probe::*;
pub use request::*;
pub use request_status::*;
pub use rma::*;
pub use rma_sync::*;
pub use sendrecv::*;
pub use session::*;
pub use status::*;
pub use topology::*;
pub use topology_graph::*;
pub use type_create::*;
pub use window::*;

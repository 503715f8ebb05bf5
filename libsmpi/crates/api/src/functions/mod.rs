//! The MPI functions, one file for each chapter of the standard, in one flat namespace `api::*`.
//!
//! `MPI_X` and `MPI_X_c` are implemented by one function `x` here, which gets their arguments, or returns what goes to
//! the place that the last one is. Functions that differ in constants only have no function each, but a row of
//! `abi/calls.csv`, which calls what they share. `docs/abi.md` tells how to add one. A function checks and converts its
//! arguments, calls the `World` and returns; it holds no borrow while its rank waits. It is `unsafe` if it trusts
//! [MPI's contract](crate::contract) for a pointer.

mod abi_info;
mod attribute;
mod buffer;
mod collective;
mod collective_exchange;
mod comm;
mod comm_create;
mod connect;
mod datatype;
mod env;
mod errhandler;
mod error;
mod file;
mod file_access;
mod file_convert;
mod file_pointers;
mod file_view;
mod grequest;
mod group;
mod handle_conversion;
mod hardware;
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
mod spawn;
mod status;
mod tool;
mod tool_category;
mod tool_control;
mod tool_event;
mod tool_performance;
mod topology;
mod topology_graph;
mod type_create;
mod window;

// What rows of `calls.csv` name besides.
pub use crate::target::Target;
pub use smpi_mpi::p2p::protocol::Mode;
pub use smpi_mpi::rma::Until;
pub use smpi_runtime::objects::{KeyvalKind, Language};
pub use smpi_runtime::tool::category::Category;

pub use abi_info::*;
pub use attribute::*;
pub use buffer::*;
pub use collective::*;
pub use comm::*;
pub use comm_create::*;
pub use connect::*;
pub use datatype::*;
pub use env::*;
pub use errhandler::*;
pub use error::*;
pub use file::*;
pub use file_access::*;
pub use file_pointers::*;
pub use file_view::*;
pub use grequest::*;
pub use group::*;
pub use handle_conversion::*;
pub use hardware::*;
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
pub use spawn::*;
pub use status::*;
pub use tool::*;
pub use tool_category::*;
pub use tool_control::*;
pub use tool_event::*;
pub use tool_performance::*;
pub use topology::*;
pub use topology_graph::*;
pub use type_create::*;
pub use window::*;

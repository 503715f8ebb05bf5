//! Neighborhood collectives: from arguments to schedules (MPI 5.0 §8.6 to §8.8).
//!
//! As in `collective`, `prepare_x` checks the arguments, and the call is then run in one of the three ways.

use std::ffi::c_void;

use smpi_abi::Function;
use smpi_mpi::collective::{Operands, Part, Parts, Shape};
use smpi_mpi::comm::CommCore;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::topology::{Neighbours, Topology};

use super::collective::{Prepared, part, typed, varying};
use super::collective_exchange;
use super::topology::topology_of;
use crate::abi::counts::Counts;
use crate::abi::types::*;
use smpi_watch::access;

/// A communicator, and the neighbours of the calling rank in it.
struct Around {
    core: CommCore,
    neighbours: Neighbours,
}

impl Around {
    /// Finds them for the communicator at a position, which must have a topology. In one of `MPI_Graph_create` there
    /// must be as many edges from a neighbour as to it, or ranks would wait for messages that nobody sends.
    fn of(comm: MPI_Comm) -> Result<Around> {
        let (topology, core) = topology_of(comm, "a communicator with a process topology")?;
        if let Topology::Graph(graph) = &*topology
            && let Some((from, to)) = graph.one_sided()
        {
            let found = format!("a graph with different numbers of edges from rank {from} to rank {to} and back");
            let allowed = "a symmetric graph";
            return Err(MpiError::parameter(ErrorClass::TOPOLOGY, "comm", found, allowed));
        }
        Ok(Around { neighbours: topology.neighbours(core.rank), core })
    }
}

/// The buffers of a call must not overlap: the blocks of neighbours that exist.
fn check_apart(neighbours: &Neighbours, send: impl Fn(u32) -> Part, recv: &Parts) {
    let places = |ranks: &[Option<u32>]| {
        let places: Vec<u32> = (0..).zip(ranks).filter_map(|(place, rank)| rank.map(|_| place)).collect();
        places.into_iter()
    };
    let sent = || places(&neighbours.destinations).map(send).collect();
    access::apart(sent, || places(&neighbours.sources).map(|place| recv.part(place)).collect());
}

/// `MPI_Neighbor_allgather`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say, until the operation is over.
pub unsafe fn prepare_neighbor_allgather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let Around { core, neighbours } = Around::of(comm)?;
    let send = part(sendbuf, sendcount, sendtype, "send")?;
    let recv = Parts::Even(part(recvbuf, recvcount, recvtype, "recv")?);
    check_apart(&neighbours, |_| send.clone(), &recv);
    let agreed = collective_exchange::around(&neighbours, |_| send.clone(), &recv);
    let operands = Operands::new(Shape::Neighbours)
        .with_blocks(Some(Parts::Even(send)), Some(recv))
        .with_neighbours(neighbours, false);
    Ok(Prepared::new(Function::Neighbor_allgather, comm, core, operands).agreeing(agreed))
}

/// `MPI_Neighbor_allgatherv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say, until the operation is over.
pub unsafe fn prepare_neighbor_allgatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let Around { core, neighbours } = Around::of(comm)?;
    let send = part(sendbuf, sendcount, sendtype, "send")?;
    let blocks = neighbours.sources.len();
    // SAFETY: by MPI's contract `recvcounts` and `displs` are arrays with an element for each block.
    let recv = unsafe { varying(blocks, recvbuf, recvcounts, displs, recvtype, "recv") }?;
    check_apart(&neighbours, |_| send.clone(), &recv);
    let agreed = collective_exchange::around(&neighbours, |_| send.clone(), &recv);
    let operands = Operands::new(Shape::Neighbours)
        .with_blocks(Some(Parts::Even(send)), Some(recv))
        .with_neighbours(neighbours, false);
    Ok(Prepared::new(Function::Neighbor_allgatherv, comm, core, operands).agreeing(agreed))
}

/// `MPI_Neighbor_alltoall`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say, until the operation is over.
pub unsafe fn prepare_neighbor_alltoall(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let Around { core, neighbours } = Around::of(comm)?;
    let send = Parts::Even(part(sendbuf, sendcount, sendtype, "send")?);
    let recv = Parts::Even(part(recvbuf, recvcount, recvtype, "recv")?);
    check_apart(&neighbours, |place| send.part(place), &recv);
    let agreed = collective_exchange::around(&neighbours, |place| send.part(place), &recv);
    let operands =
        Operands::new(Shape::Neighbours).with_blocks(Some(send), Some(recv)).with_neighbours(neighbours, true);
    Ok(Prepared::new(Function::Neighbor_alltoall, comm, core, operands).agreeing(agreed))
}

/// `MPI_Neighbor_alltoallv`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say, until the operation is over.
pub unsafe fn prepare_neighbor_alltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let Around { core, neighbours } = Around::of(comm)?;
    let (outgoing, incoming) = (neighbours.destinations.len(), neighbours.sources.len());
    // SAFETY: by MPI's contract the arrays have an element for each neighbour in their direction.
    let (send, recv) = unsafe {
        let send = varying(outgoing, sendbuf, sendcounts, sdispls, sendtype, "send")?;
        (send, varying(incoming, recvbuf, recvcounts, rdispls, recvtype, "recv")?)
    };
    check_apart(&neighbours, |place| send.part(place), &recv);
    let agreed = collective_exchange::around(&neighbours, |place| send.part(place), &recv);
    let operands =
        Operands::new(Shape::Neighbours).with_blocks(Some(send), Some(recv)).with_neighbours(neighbours, true);
    Ok(Prepared::new(Function::Neighbor_alltoallv, comm, core, operands).agreeing(agreed))
}

/// `MPI_Neighbor_alltoallw`: checks the arguments.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say, until the operation is over.
pub unsafe fn prepare_neighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Result<Prepared> {
    let Around { core, neighbours } = Around::of(comm)?;
    let (outgoing, incoming) = (neighbours.destinations.len(), neighbours.sources.len());
    let (sdispls, rdispls) = (Counts::Aint(sdispls), Counts::Aint(rdispls));
    // SAFETY: by MPI's contract the arrays have an element for each neighbour in their direction.
    let (send, recv) = unsafe {
        let send = typed(outgoing, sendbuf, sendcounts, sdispls, sendtypes, "send")?;
        (send, typed(incoming, recvbuf, recvcounts, rdispls, recvtypes, "recv")?)
    };
    check_apart(&neighbours, |place| send.part(place), &recv);
    let agreed = collective_exchange::around(&neighbours, |place| send.part(place), &recv);
    let operands =
        Operands::new(Shape::Neighbours).with_blocks(Some(send), Some(recv)).with_neighbours(neighbours, true);
    Ok(Prepared::new(Function::Neighbor_alltoallw, comm, core, operands).agreeing(agreed))
}

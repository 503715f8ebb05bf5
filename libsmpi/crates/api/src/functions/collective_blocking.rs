//! Blocking collective operations (MPI 5.0 §6.3–6.11). Each starts its schedule and waits for it.

use std::ffi::{c_int, c_void};

use smpi_mpi::error::Result;

use super::collective::{
    How, prepare_allgather, prepare_allgatherv, prepare_allreduce, prepare_alltoall, prepare_alltoallv,
    prepare_alltoallw, prepare_barrier, prepare_bcast, prepare_exscan, prepare_gather, prepare_gatherv, prepare_reduce,
    prepare_reduce_scatter, prepare_reduce_scatter_block, prepare_scan, prepare_scatter, prepare_scatterv,
};
use crate::abi::counts::Counts;
use crate::abi::types::*;

/// `MPI_Barrier`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn barrier(comm: MPI_Comm) -> Result<()> {
    prepare_barrier(comm)?.run(How::Blocking)
}

/// `MPI_Bcast`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn bcast(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_bcast(buffer, count, datatype, root, comm) }?.run(How::Blocking)
}

/// `MPI_Gather`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn gather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Blocking)
}

/// `MPI_Gatherv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn gatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) }?
        .run(How::Blocking)
}

/// `MPI_Scatter`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn scatter(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Blocking)
}

/// `MPI_Scatterv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn scatterv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Blocking)
}

/// `MPI_Allgather`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn allgather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?.run(How::Blocking)
}

/// `MPI_Allgatherv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn allgatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) }?
        .run(How::Blocking)
}

/// `MPI_Alltoall`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn alltoall(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?.run(How::Blocking)
}

/// `MPI_Alltoallv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn alltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) }?
        .run(How::Blocking)
}

/// `MPI_Alltoallw`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        prepare_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    }?
    .run(How::Blocking)
}

/// `MPI_Reduce`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn reduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce(sendbuf, recvbuf, count, datatype, op, root, comm) }?.run(How::Blocking)
}

/// `MPI_Allreduce`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn allreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allreduce(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Blocking)
}

/// `MPI_Reduce_scatter`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn reduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm) }?.run(How::Blocking)
}

/// `MPI_Reduce_scatter_block`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn reduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm) }?.run(How::Blocking)
}

/// `MPI_Scan`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn scan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Blocking)
}

/// `MPI_Exscan`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts say.
pub unsafe fn exscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_exscan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Blocking)
}

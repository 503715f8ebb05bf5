//! Nonblocking collective operations (MPI 5.0 §6.12).

use std::ffi::{c_int, c_void};

use smpi_mpi::error::Result;

use super::collective::{
    How, prepare_allgather, prepare_allgatherv, prepare_allreduce, prepare_alltoall, prepare_alltoallv,
    prepare_alltoallw, prepare_barrier, prepare_bcast, prepare_exscan, prepare_gather, prepare_gatherv, prepare_reduce,
    prepare_reduce_scatter, prepare_reduce_scatter_block, prepare_scan, prepare_scatter, prepare_scatterv,
};
use crate::abi::counts::Counts;
use crate::abi::types::*;

/// `MPI_Ibarrier`.
///
/// # Safety
/// `request` must be null or valid for writing.
pub unsafe fn ibarrier(comm: MPI_Comm, request: *mut MPI_Request) -> Result<()> {
    prepare_barrier(comm)?.run(How::Immediate(request, 2))
}

/// `MPI_Ibcast`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ibcast(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_bcast(buffer, count, datatype, root, comm) }?.run(How::Immediate(request, 6))
}

/// `MPI_Igather`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn igather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Immediate(request, 9))
}

/// `MPI_Igatherv`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn igatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) }?
        .run(How::Immediate(request, 10))
}

/// `MPI_Iscatter`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iscatter(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Immediate(request, 9))
}

/// `MPI_Iscatterv`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iscatterv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Immediate(request, 10))
}

/// `MPI_Iallgather`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iallgather(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?
        .run(How::Immediate(request, 8))
}

/// `MPI_Iallgatherv`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iallgatherv(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) }?
        .run(How::Immediate(request, 9))
}

/// `MPI_Ialltoall`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ialltoall(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?
        .run(How::Immediate(request, 8))
}

/// `MPI_Ialltoallv`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ialltoallv(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) }?
        .run(How::Immediate(request, 10))
}

/// `MPI_Ialltoallw`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ialltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        prepare_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    }?
    .run(How::Immediate(request, 10))
}

/// `MPI_Ireduce`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ireduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce(sendbuf, recvbuf, count, datatype, op, root, comm) }?.run(How::Immediate(request, 8))
}

/// `MPI_Iallreduce`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iallreduce(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allreduce(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Immediate(request, 7))
}

/// `MPI_Ireduce_scatter`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ireduce_scatter(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm) }?.run(How::Immediate(request, 7))
}

/// `MPI_Ireduce_scatter_block`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn ireduce_scatter_block(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm) }?
        .run(How::Immediate(request, 7))
}

/// `MPI_Iscan`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Immediate(request, 7))
}

/// `MPI_Iexscan`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn iexscan(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_exscan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Immediate(request, 7))
}

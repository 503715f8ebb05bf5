//! Persistent collective operations (MPI 5.0 §6.13). The schedule is made once and started again and again.

use std::ffi::{c_int, c_void};

use smpi_mpi::error::Result;

use super::collective::{
    How, prepare_allgather, prepare_allgatherv, prepare_allreduce, prepare_alltoall, prepare_alltoallv,
    prepare_alltoallw, prepare_barrier, prepare_bcast, prepare_exscan, prepare_gather, prepare_gatherv, prepare_reduce,
    prepare_reduce_scatter, prepare_reduce_scatter_block, prepare_scan, prepare_scatter, prepare_scatterv,
};
use crate::abi::counts::Counts;
use crate::abi::types::*;

/// `MPI_Barrier_init`.
///
/// # Safety
/// `request` must be null or valid for writing.
pub unsafe fn barrier_init(comm: MPI_Comm, _info: MPI_Info, request: *mut MPI_Request) -> Result<()> {
    prepare_barrier(comm)?.run(How::Persistent(request, 3))
}

/// `MPI_Bcast_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn bcast_init(
    buffer: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_bcast(buffer, count, datatype, root, comm) }?.run(How::Persistent(request, 7))
}

/// `MPI_Gather_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn gather_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Persistent(request, 10))
}

/// `MPI_Gatherv_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn gatherv_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm) }?
        .run(How::Persistent(request, 11))
}

/// `MPI_Scatter_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn scatter_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Persistent(request, 10))
}

/// `MPI_Scatterv_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn scatterv_init(
    sendbuf: *const c_void,
    sendcounts: Counts,
    displs: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm) }?
        .run(How::Persistent(request, 11))
}

/// `MPI_Allgather_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn allgather_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?
        .run(How::Persistent(request, 9))
}

/// `MPI_Allgatherv_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn allgatherv_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    displs: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm) }?
        .run(How::Persistent(request, 10))
}

/// `MPI_Alltoall_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn alltoall_init(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm) }?
        .run(How::Persistent(request, 9))
}

/// `MPI_Alltoallv_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn alltoallv_init(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm) }?
        .run(How::Persistent(request, 11))
}

/// `MPI_Alltoallw_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn alltoallw_init(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: Counts,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: Counts,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        prepare_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm)
    }?
    .run(How::Persistent(request, 11))
}

/// `MPI_Reduce_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn reduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    root: c_int,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce(sendbuf, recvbuf, count, datatype, op, root, comm) }?.run(How::Persistent(request, 9))
}

/// `MPI_Allreduce_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn allreduce_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_allreduce(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Persistent(request, 8))
}

/// `MPI_Reduce_scatter_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn reduce_scatter_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm) }?
        .run(How::Persistent(request, 8))
}

/// `MPI_Reduce_scatter_block_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn reduce_scatter_block_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm) }?
        .run(How::Persistent(request, 8))
}

/// `MPI_Scan_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn scan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_scan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Persistent(request, 8))
}

/// `MPI_Exscan_init`.
///
/// # Safety
/// The buffers must be as large as the counts say until the operation is over; `request` must be null or valid.
pub unsafe fn exscan_init(
    sendbuf: *const c_void,
    recvbuf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    op: MPI_Op,
    comm: MPI_Comm,
    _info: MPI_Info,
    request: *mut MPI_Request,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe { prepare_exscan(sendbuf, recvbuf, count, datatype, op, comm) }?.run(How::Persistent(request, 8))
}

//! Persistent neighborhood collectives (MPI 5.0 §8.8).

use std::ffi::c_void;

use smpi_mpi::error::Result;

use super::collective::How;
use super::neighbor::{prepare_allgather, prepare_allgatherv, prepare_alltoall, prepare_alltoallv, prepare_alltoallw};
use crate::abi::counts::Counts;
use crate::abi::types::*;

/// `MPI_Neighbor_allgather_init`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn neighbor_allgather_init(
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

/// `MPI_Neighbor_allgatherv_init`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn neighbor_allgatherv_init(
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

/// `MPI_Neighbor_alltoall_init`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn neighbor_alltoall_init(
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

/// `MPI_Neighbor_alltoallv_init`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn neighbor_alltoallv_init(
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

/// `MPI_Neighbor_alltoallw_init`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn neighbor_alltoallw_init(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: *const MPI_Aint,
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

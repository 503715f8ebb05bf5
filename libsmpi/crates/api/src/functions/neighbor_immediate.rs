//! Nonblocking neighborhood collectives (MPI 5.0 §8.7).

use std::ffi::c_void;

use smpi_mpi::error::Result;

use super::collective::How;
use super::neighbor::{prepare_allgather, prepare_allgatherv, prepare_alltoall, prepare_alltoallv, prepare_alltoallw};
use crate::abi::counts::Counts;
use crate::abi::types::*;

/// `MPI_Ineighbor_allgather`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn ineighbor_allgather(
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

/// `MPI_Ineighbor_allgatherv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn ineighbor_allgatherv(
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

/// `MPI_Ineighbor_alltoall`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn ineighbor_alltoall(
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

/// `MPI_Ineighbor_alltoallv`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn ineighbor_alltoallv(
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

/// `MPI_Ineighbor_alltoallw`.
///
/// # Safety
/// The buffers and arrays must be as large as the counts and the number of neighbours say,
/// until the operation is over; `request` must be null or valid for writing.
pub unsafe fn ineighbor_alltoallw(
    sendbuf: *const c_void,
    sendcounts: Counts,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: Counts,
    rdispls: *const MPI_Aint,
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

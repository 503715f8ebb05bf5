//! Buffers for buffered sends (MPI 5.0 §3.6): a common one, and one for each communicator and session.

use std::ffi::c_void;

use smpi_mpi::comm::TrafficKind;
use smpi_mpi::error::Result;
use smpi_mpi::memory::Addr;
use smpi_mpi::p2p::buffered::{Buffer, BufferOwner};
use smpi_mpi::p2p::request::{Body, Request};

use super::p2p;
use super::session::number;

use crate::abi::counts::CountOut;
use crate::abi::types::*;
use crate::{convert, own_memory};
use smpi_runtime::{blocking, current_rank, with};

/// `MPI_BUFFER_AUTOMATIC`.
const AUTOMATIC: usize = 2;

fn attach(owner: BufferOwner, buffer: *mut c_void, size: MPI_Count) -> Result<()> {
    let size = convert::count(size, "size")? as u64;
    let buffer = match buffer.addr() {
        AUTOMATIC => Buffer::Automatic,
        at => {
            own_memory::bytes(buffer, size, true, "buffer")?;
            smpi_watch::access::inside_bytes(at as u64, size, "buffer");
            Buffer::Memory { at: Addr(at as u64), size }
        }
    };
    with(|runtime| runtime.world.rank(current_rank()).buffers.attach(owner, buffer))
}

/// Waits until the buffer's messages have left and gives it back.
///
/// # Safety
/// `buffer_addr` must be null or valid for writing a pointer.
unsafe fn detach(owner: BufferOwner, buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
    blocking::drain_buffer(owner);
    let (at, bytes) = match with(|runtime| runtime.world.rank(current_rank()).buffers.detach(owner))? {
        Buffer::Automatic => (AUTOMATIC, 0),
        Buffer::Memory { at, size } => (at.0 as usize, size),
    };
    // SAFETY: by MPI's contract `buffer_addr`, which it declares as `void *`, is a place for an address, and `size` is
    // a place.
    unsafe {
        convert::put(buffer_addr.cast::<usize>(), at, "buffer_addr")?;
        size.set(bytes as i64);
    }
    Ok(())
}

fn owner(comm: MPI_Comm) -> Result<BufferOwner> {
    convert::with_comm(comm, "comm", |comm| Ok(Some(comm.core.context_of(TrafficKind::PointToPoint))))
}

/// `MPI_Buffer_attach`.
///
/// # Safety
/// The buffer must have `size` bytes until it is detached.
pub unsafe fn buffer_attach(buffer: *mut c_void, size: MPI_Count) -> Result<()> {
    attach(None, buffer, size)
}

/// `MPI_Buffer_detach`: waits until the buffered messages have left.
///
/// # Safety
/// `buffer_addr` must be null or valid for writing a pointer.
pub unsafe fn buffer_detach(buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
    // SAFETY: by MPI's contract `buffer_addr` and `size` are places.
    unsafe { detach(None, buffer_addr, size) }
}

/// `MPI_Buffer_flush`: waits until the buffered messages have left.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn buffer_flush() -> Result<()> {
    blocking::drain_buffer(None);
    Ok(())
}

/// A request that is over when the buffer is empty.
fn iflush(owner: BufferOwner, comm: u64, request: *mut MPI_Request) -> Result<()> {
    let new = Request::new(Body::Flush(owner), false, comm);
    let key = with(|runtime| runtime.world.new_request(current_rank(), new))?;
    p2p::launch(key)?;
    p2p::give(key, request)
}

/// `MPI_Buffer_iflush`.
///
/// # Safety
/// `request` must be null or valid for writing.
pub unsafe fn buffer_iflush(request: *mut MPI_Request) -> Result<()> {
    iflush(None, 0, request)
}

/// `MPI_Comm_iflush_buffer`.
///
/// # Safety
/// `request` must be null or valid for writing.
pub unsafe fn comm_iflush_buffer(comm: MPI_Comm, request: *mut MPI_Request) -> Result<()> {
    iflush(owner(comm)?, comm as u64, request)
}

/// `MPI_Comm_attach_buffer`.
///
/// # Safety
/// The buffer must have `size` bytes until it is detached.
pub unsafe fn comm_attach_buffer(comm: MPI_Comm, buffer: *mut c_void, size: MPI_Count) -> Result<()> {
    attach(owner(comm)?, buffer, size)
}

/// `MPI_Comm_detach_buffer`: waits until the buffered messages have left.
///
/// # Safety
/// `buffer_addr` must be null or valid for writing a pointer.
pub unsafe fn comm_detach_buffer(comm: MPI_Comm, buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
    // SAFETY: by MPI's contract `buffer_addr` and `size` are places.
    unsafe { detach(owner(comm)?, buffer_addr, size) }
}

/// `MPI_Comm_flush_buffer`: waits until the buffered messages have left.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn comm_flush_buffer(comm: MPI_Comm) -> Result<()> {
    blocking::drain_buffer(owner(comm)?);
    Ok(())
}

/// `MPI_Session_attach_buffer`: for its communicators that have none of their own.
///
/// # Safety
/// The buffer must have `size` bytes until it is detached.
pub unsafe fn session_attach_buffer(session: MPI_Session, buffer: *mut c_void, size: MPI_Count) -> Result<()> {
    attach(Some(number(session)?), buffer, size)
}

/// `MPI_Session_detach_buffer`: waits until the buffered messages have left.
///
/// # Safety
/// `buffer_addr` must be null or valid for writing a pointer.
pub unsafe fn session_detach_buffer(session: MPI_Session, buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
    // SAFETY: by MPI's contract `buffer_addr` and `size` are places.
    unsafe { detach(Some(number(session)?), buffer_addr, size) }
}

/// `MPI_Session_flush_buffer`: waits until the buffered messages have left.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn session_flush_buffer(session: MPI_Session) -> Result<()> {
    blocking::drain_buffer(Some(number(session)?));
    Ok(())
}

/// `MPI_Session_iflush_buffer`.
///
/// # Safety
/// `request` must be null or valid for writing.
pub unsafe fn session_iflush_buffer(session: MPI_Session, request: *mut MPI_Request) -> Result<()> {
    iflush(Some(number(session)?), 0, request)
}

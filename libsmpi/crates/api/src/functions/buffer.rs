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

use smpi_abi::c::handles::MPI_BUFFER_AUTOMATIC as AUTOMATIC;

/// Lends the program's memory to buffered sends.
pub fn attach_buffer(owner: BufferOwner, buffer: *mut c_void, size: MPI_Count) -> Result<()> {
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
pub unsafe fn detach_buffer(owner: BufferOwner, buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
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

/// The owner of a communicator's buffer.
pub fn buffer_of_comm(comm: MPI_Comm) -> Result<BufferOwner> {
    convert::with_comm(comm, "comm", |comm| Ok(Some(comm.core.context_of(TrafficKind::PointToPoint))))
}

/// The owner of a session's buffer, which its communicators that have none of their own use.
pub fn buffer_of_session(session: MPI_Session) -> Result<BufferOwner> {
    number(session).map(Some)
}

/// Waits until the buffered messages have left.
pub fn flush_buffer(owner: BufferOwner) -> Result<()> {
    blocking::drain_buffer(owner);
    Ok(())
}

/// A request that is over when the buffer is empty.
pub fn iflush_buffer(owner: BufferOwner, comm: u64, request: *mut MPI_Request) -> Result<()> {
    let new = Request::new(Body::Flush(owner), false, comm);
    let key = with(|runtime| runtime.world.new_request(current_rank(), new))?;
    p2p::launch(key)?;
    p2p::give_request(key, request)
}

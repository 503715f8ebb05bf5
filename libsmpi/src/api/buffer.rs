//! Buffers for buffered sends (MPI 5.0 §3.6).

use std::ffi::c_void;

use smpi_mpi::bsend::Buffer;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::Addr;

use crate::abi::counts::CountOut;
use crate::abi::types::*;
use crate::convert;
use crate::runtime::{blocking, current_rank, with};

/// `MPI_BUFFER_AUTOMATIC`.
const AUTOMATIC: usize = 2;

/// `MPI_Buffer_attach`.
///
/// # Safety
/// The buffer must have `size` bytes until it is detached.
pub unsafe fn buffer_attach(buffer: *mut c_void, size: MPI_Count) -> Result<()> {
    let size = convert::count(size, 2, "size")?;
    with(|runtime| {
        let state = runtime.world.rank(current_rank());
        if state.buffer != Buffer::Detached {
            return Err(MpiError::new(ErrorClass::BUFFER, "a buffer is attached already; detach it first"));
        }
        state.buffer = match buffer.addr() {
            AUTOMATIC => Buffer::Automatic,
            at => Buffer::Attached { at: Addr(at as u64), size: size as u64, used: 0 },
        };
        Ok(())
    })
}

/// `MPI_Buffer_detach`: waits until the buffered messages have left.
///
/// # Safety
/// `buffer_addr` must be valid for writing a pointer.
pub unsafe fn buffer_detach(buffer_addr: *mut c_void, size: CountOut) -> Result<()> {
    blocking::drain_buffer();
    let taken = with(|runtime| std::mem::take(&mut runtime.world.rank(current_rank()).buffer));
    let (at, bytes) = match taken {
        Buffer::Detached => return Err(MpiError::new(ErrorClass::BUFFER, "no buffer is attached")),
        Buffer::Automatic => (AUTOMATIC, 0),
        Buffer::Attached { at, size, .. } => (at.0 as usize, size),
    };
    // SAFETY: the caller's promise.
    unsafe {
        convert::put(buffer_addr.cast::<usize>(), at, 1, "buffer_addr")?;
        size.set(bytes as i64);
    }
    Ok(())
}

/// `MPI_Buffer_flush`: waits until the buffered messages have left.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn buffer_flush() -> Result<()> {
    blocking::drain_buffer();
    Ok(())
}

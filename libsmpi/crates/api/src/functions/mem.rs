//! Memory allocation (MPI 5.0 §9.2): the rank's own heap.

use std::ffi::c_void;

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::types::*;
use crate::convert;

/// `MPI_Alloc_mem`.
///
/// # Safety
/// `baseptr` must be null or point to a pointer.
pub unsafe fn alloc_mem(size: MPI_Aint, info: MPI_Info, baseptr: *mut c_void) -> Result<()> {
    let size = convert::count(size as MPI_Count, "size")? as usize;
    convert::info(info, "info")?;
    // SAFETY: no conditions; the exported malloc serves the calling rank from its own heap.
    let block = unsafe { libc::malloc(size.max(1)) };
    if block.is_null() {
        return Err(MpiError::new(ErrorClass::NO_MEM, format!("{size} bytes are not available on this rank")));
    }
    // SAFETY: by MPI's contract `baseptr`, which it declares as `void *`, is a place for an address.
    unsafe { convert::put(baseptr.cast::<*mut c_void>(), block, "baseptr") }
}

/// `MPI_Free_mem`.
///
/// # Safety
/// `base` must come from `MPI_Alloc_mem` and not have been freed.
pub unsafe fn free_mem(base: *mut c_void) -> Result<()> {
    // SAFETY: by MPI's contract `base` is a block that `MPI_Alloc_mem` allocated by malloc, and it has not been freed.
    unsafe { libc::free(base) };
    Ok(())
}

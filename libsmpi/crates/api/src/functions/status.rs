//! Reading and writing the fields of a status (MPI 5.0 §3.2.5, §3.8.4, §13.3).

use smpi_mpi::error::Result;

use crate::abi::types::*;
use crate::convert;

/// A status whose fields the program reads.
///
/// # Safety
/// By MPI's contract `status` is a place.
pub unsafe fn status_of(status: *const MPI_Status) -> Result<MPI_Status> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: not null, so by MPI's contract `status` may be read.
    Ok(unsafe { *status })
}

/// `MPI_Status_set_source` and its kin only write a field each.
///
/// # Safety
/// By MPI's contract `status` is a place.
pub unsafe fn change_status(status: *mut MPI_Status, change: impl FnOnce(&mut MPI_Status)) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status` is the program's, as it is not null, and nobody else uses it during the call.
    change(unsafe { &mut *status });
    Ok(())
}

//! Reading and writing the fields of a status (MPI 5.0 §3.2.5, §3.8.4, §13.3).

use std::ffi::c_int;

use smpi_mpi::error::Result;

use crate::abi::types::*;
use crate::convert;

/// `MPI_Status_set_source` and its kin only write a field each.
///
/// # Safety
/// `status` must be valid for writing.
unsafe fn change(status: *mut MPI_Status, change: impl FnOnce(&mut MPI_Status)) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status` is the program's, as it is not null, and nobody else uses it during the call.
    change(unsafe { &mut *status });
    Ok(())
}

/// `MPI_Status_set_source`.
///
/// # Safety
/// `status` must be valid for writing.
pub unsafe fn status_set_source(status: *mut MPI_Status, source: c_int) -> Result<()> {
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { change(status, |status| status.MPI_SOURCE = source) }
}

/// `MPI_Status_set_tag`.
///
/// # Safety
/// `status` must be valid for writing.
pub unsafe fn status_set_tag(status: *mut MPI_Status, tag: c_int) -> Result<()> {
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { change(status, |status| status.MPI_TAG = tag) }
}

/// `MPI_Status_set_error`.
///
/// # Safety
/// `status` must be valid for writing.
pub unsafe fn status_set_error(status: *mut MPI_Status, err: c_int) -> Result<()> {
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { change(status, |status| status.MPI_ERROR = err) }
}

/// `MPI_Status_get_source`.
///
/// # Safety
/// Both pointers must be null or valid.
pub unsafe fn status_get_source(status: *const MPI_Status, source: *mut c_int) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status`, which is not null, and `source` are places.
    unsafe { convert::put(source, (*status).MPI_SOURCE, "source") }
}

/// `MPI_Status_get_tag`.
///
/// # Safety
/// Both pointers must be null or valid.
pub unsafe fn status_get_tag(status: *const MPI_Status, tag: *mut c_int) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status`, which is not null, and `tag` are places.
    unsafe { convert::put(tag, (*status).MPI_TAG, "tag") }
}

/// `MPI_Status_get_error`.
///
/// # Safety
/// Both pointers must be null or valid.
pub unsafe fn status_get_error(status: *const MPI_Status, err: *mut c_int) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status`, which is not null, and `err` are places.
    unsafe { convert::put(err, (*status).MPI_ERROR, "error") }
}

/// `MPI_Test_cancelled`.
///
/// # Safety
/// Both pointers must be valid.
pub unsafe fn test_cancelled(status: *const MPI_Status, flag: *mut c_int) -> Result<()> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status`, which is not null, and `flag` are places.
    unsafe { convert::put(flag, (*status).MPI_internal[2], "flag") }
}

/// `MPI_Status_set_cancelled`.
///
/// # Safety
/// `status` must be valid for writing.
pub unsafe fn status_set_cancelled(status: *mut MPI_Status, flag: c_int) -> Result<()> {
    // SAFETY: by MPI's contract `status` is a place.
    unsafe { change(status, |status| status.MPI_internal[2] = c_int::from(flag != 0)) }
}

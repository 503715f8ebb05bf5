//! Handles as integers and back (`MPI_X_toint`, `MPI_X_fromint`, MPI 5.0 §20), which in this library is also what
//! Fortran sees (`MPI_X_c2f`, `MPI_X_f2c`, §19.3.4), and the conversion of statuses between the languages (§19.3.5).
//!
//! Every handle is a number below 2^31, so the conversions keep the bits and need no table. They check nothing and may
//! be called at any time: an invalid handle is reported by the function that uses it.

use crate::abi::types::MPI_Status;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use std::ffi::c_int;

/// The number of any handle.
pub fn handle_to_int<T>(handle: *mut T) -> c_int {
    handle.addr() as c_int
}

/// The handle, of any kind, that has this number.
pub fn handle_from_int<T>(number: c_int) -> *mut T {
    std::ptr::without_provenance_mut(number as usize)
}

/// Copies a status, whatever the two languages call its type: in all of them it is eight integers in the same order.
///
/// # Safety
/// The pointers are null or valid for a status; they may be equal.
pub unsafe fn copy_status(names: [&str; 2], from: *const MPI_Status, to: *mut MPI_Status) -> Result<()> {
    for (position, pointer) in [from, to.cast_const()].into_iter().enumerate() {
        if pointer.is_null() {
            let allowed = "the address of a status";
            return Err(MpiError::parameter(ErrorClass::ARG, names[position], "null", allowed));
        }
    }
    // SAFETY: by MPI's contract both are places for a status, and neither is null.
    unsafe { std::ptr::copy(from, to, 1) };
    Ok(())
}

//! Generalized requests: operations that the program itself performs and completes (MPI 5.0 §13.2).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::request::{Completion, Status};

use crate::abi::types::MPI_Status;
use crate::convert::{self, with_objects};
use crate::fortran::callbacks as fortran;
use crate::objects::Language;

/// `MPI_Grequest_query_function`.
type QueryFunction = unsafe extern "C" fn(*mut c_void, *mut MPI_Status) -> c_int;
/// `MPI_Grequest_free_function`.
type FreeFunction = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `MPI_Grequest_cancel_function`.
type CancelFunction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

/// The callbacks of a generalized request.
#[derive(Clone, Copy, Debug)]
pub struct Callbacks {
    /// Addresses of the functions; 0 for none.
    pub query: usize,
    /// See above.
    pub free: usize,
    /// See above.
    pub cancel: usize,
    /// Passed to all of them.
    pub extra_state: usize,
    /// How they are called.
    pub language: Language,
}

/// The number under which a request knows its callbacks.
pub fn number(key: Key) -> u64 {
    u64::from(key.slot) << 8 | u64::from(key.generation)
}

fn callbacks(id: u64) -> Option<Callbacks> {
    let key = Key { slot: (id >> 8) as u32, generation: id as u8 };
    with_objects(|objects| objects.grequests.get(key).copied())
}

fn state(callbacks: &Callbacks) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(callbacks.extra_state)
}

/// Runs the query and free functions of a completed generalized request; other completions pass through.
pub fn after(mut completion: Completion) -> Completion {
    let Some(id) = completion.generalized else { return completion };
    let Some(found) = callbacks(id) else { return completion };
    // SAFETY: an all-zero MPI_Status is a valid value of this plain C struct.
    let mut status: MPI_Status = unsafe { std::mem::zeroed() };
    if found.language != Language::C {
        fortran::query_and_free(found.query, found.free, found.extra_state, &mut status);
    } else {
        call_query_and_free(&found, &mut status);
    }
    completion.status = Status {
        source: status.MPI_SOURCE,
        tag: status.MPI_TAG,
        error: 0,
        bytes: convert::bytes_of(&status),
        cancelled: status.MPI_internal[2] != 0,
    };
    let key = Key { slot: (id >> 8) as u32, generation: id as u8 };
    with_objects(|objects| objects.grequests.remove(key));
    completion
}

fn call_query_and_free(found: &Callbacks, status: &mut MPI_Status) {
    // SAFETY: the addresses were given to MPI_Grequest_start as functions of these types.
    unsafe {
        if found.query != 0 {
            std::mem::transmute::<usize, QueryFunction>(found.query)(state(found), status);
        }
        if found.free != 0 {
            std::mem::transmute::<usize, FreeFunction>(found.free)(state(found));
        }
    }
}

/// Runs the cancel function.
///
/// # Errors
/// What it returned.
pub fn cancel(id: u64, complete: bool) -> Result<()> {
    let Some(found) = callbacks(id) else { return Ok(()) };
    if found.cancel == 0 {
        return Ok(());
    }
    let complete = c_int::from(complete);
    let code = match found.language {
        // SAFETY: the address was given to MPI_Grequest_start as a function of this type.
        Language::C => unsafe { std::mem::transmute::<usize, CancelFunction>(found.cancel)(state(&found), complete) },
        _ => fortran::cancel(found.cancel, found.extra_state, complete),
    };
    if code == 0 { Ok(()) } else { Err(MpiError::new(ErrorClass(code), "the cancel function failed")) }
}

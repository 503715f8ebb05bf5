//! Generalized requests: operations that the program itself performs and completes (MPI 5.0 §13.2).

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::{Completion, Status};

use crate::abi::types::MPI_Status;
use crate::convert;
use crate::fortran_callbacks as fortran;
use smpi_runtime::objects::{Callbacks, Language};
use smpi_runtime::with_objects;

/// `MPI_Grequest_query_function`.
type QueryFunction = unsafe extern "C" fn(*mut c_void, *mut MPI_Status) -> c_int;
/// `MPI_Grequest_free_function`.
type FreeFunction = unsafe extern "C" fn(*mut c_void) -> c_int;
/// `MPI_Grequest_cancel_function`.
type CancelFunction = unsafe extern "C" fn(*mut c_void, c_int) -> c_int;

/// The number under which a request knows its callbacks.
pub fn number(key: Key) -> u64 {
    u64::from(key.slot) << 8 | u64::from(key.generation)
}

fn key(id: u64) -> Key {
    Key { slot: (id >> 8) as u32, generation: id as u8 }
}

fn callbacks(id: u64) -> Option<Callbacks> {
    with_objects(|objects| objects.grequests.get(key(id)).copied())
}

fn state(callbacks: &Callbacks) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(callbacks.extra_state)
}

/// Runs the query function of a complete request: what a status is to say, and the code that the function returned.
pub fn query(id: u64) -> (Status, c_int) {
    // SAFETY: a status of zeros is a valid value.
    let mut status: MPI_Status = unsafe { std::mem::zeroed() };
    let code = match callbacks(id) {
        Some(Callbacks { query, extra_state, language: Language::Fortran | Language::OldFortran, .. }) => {
            fortran::query(query, extra_state, &mut status)
        }
        Some(found) if found.query != 0 => {
            // SAFETY: the address was given to MPI_Grequest_start as a function of this type.
            unsafe { std::mem::transmute::<usize, QueryFunction>(found.query)(state(&found), &raw mut status) }
        }
        _ => 0,
    };
    let status = Status {
        source: status.MPI_SOURCE,
        tag: status.MPI_TAG,
        error: code,
        bytes: convert::bytes_of(&status),
        cancelled: status.MPI_internal[2] != 0,
    };
    (status, code)
}

/// Runs the free function of a request that is complete and that nobody will ask about again. Returns its code.
pub fn release(id: u64) -> c_int {
    let found = callbacks(id);
    with_objects(|objects| objects.grequests.remove(key(id)));
    match found {
        Some(Callbacks { free, extra_state, language: Language::Fortran | Language::OldFortran, .. }) => {
            fortran::free(free, extra_state)
        }
        Some(found) if found.free != 0 => {
            // SAFETY: the address was given to MPI_Grequest_start as a function of this type.
            unsafe { std::mem::transmute::<usize, FreeFunction>(found.free)(state(&found)) }
        }
        _ => 0,
    }
}

/// What the code of a callback means.
///
/// # Errors
/// The code, unless it is `MPI_SUCCESS`.
pub fn outcome(code: c_int, which: &str) -> Result<()> {
    let text = || format!("the {which} function of a generalized request returned {code}");
    if code == 0 { Ok(()) } else { Err(MpiError::new(ErrorClass(code), text())) }
}

/// Runs the query and free functions of a completed generalized request; other completions pass through. Of two errors
/// that of the free function, which is called last, is reported (MPI 5.0 §13.2).
pub fn after(completion: Completion) -> Completion {
    let Some(id) = completion.generalized else { return completion };
    let (mut status, queried) = query(id);
    let error = outcome(release(id), "free").and_then(|()| outcome(queried, "query")).err();
    status.error = error.as_ref().map_or(0, |error| error.class.0);
    Completion { status, error, ..completion }
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
    outcome(code, "cancel")
}

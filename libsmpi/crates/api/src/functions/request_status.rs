//! Looking at requests without taking their completions (MPI 5.0 §3.7.6).

use std::ffi::c_int;

use smpi_mpi::error::Result;
use smpi_mpi::p2p::request::{Body, Phase, Status};

use super::request::{Requests, done_in, done_one, in_status, is_all_over};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::grequest;
use crate::{convert, own_memory};
use smpi_runtime::blocking::{self, Hints, HowMany, Poll};
use smpi_runtime::{current_rank, with};

/// What a request would report; `None` while it is active. A complete generalized request is asked, and its answer may
/// be an error.
fn peek(requests: Requests, index: usize) -> (Option<Status>, Result<()>) {
    let Some(key) = requests.key(index) else { return (Some(Status::EMPTY), Ok(())) };
    let found = with(|runtime| {
        let request = runtime.world.request(current_rank(), key)?;
        let generalized = if let Body::Generalized(id) = request.body { Some(id) } else { None };
        match request.phase {
            Phase::Active => None,
            Phase::Done => Some((request.status, generalized)),
            Phase::Inactive => Some((Status::EMPTY, None)),
        }
    });
    match found {
        Some((_, Some(id))) => {
            let (status, code) = grequest::query(id);
            (Some(status), grequest::outcome(code, "query"))
        }
        found => (found.map(|found| found.0), Ok(())),
    }
}

/// Writes what a request would report to a place of an array of statuses, error included.
///
/// # Safety
/// `place` must be valid for writing.
unsafe fn peek_into(place: *mut MPI_Status, requests: Requests, index: usize) -> Result<()> {
    let (status, outcome) = peek(requests, index);
    let status = status.unwrap_or(Status::EMPTY);
    // SAFETY: by MPI's contract `place`, an element of the caller's array of statuses, may be written.
    unsafe {
        convert::put_status(place, &status);
        (*place).MPI_ERROR = status.error;
    }
    outcome.map_err(|error| in_status(&error))
}

/// Lets the look take its time, if there is anything to look at. Returns whether there is.
fn poll(requests: Requests) -> bool {
    let active = requests.is_any_open();
    if active {
        blocking::before_poll(Poll::Test);
    }
    active
}

/// The program is told that this request is done, if it is: it may use the buffers.
fn note_shown(requests: Requests, place: usize) {
    if let Some(key) = requests.key(place) {
        blocking::recording(|trace, rank| trace.shown(rank, key));
        let rank = current_rank();
        let is_noted = with(|runtime| {
            runtime.world.show(&mut runtime.driver, rank, key);
            runtime.world.has_observations()
        });
        smpi_watch::access::release(key);
        if is_noted {
            smpi_watch::checks::place_notes(rank);
        }
    }
}

/// `MPI_Request_get_status`.
///
/// # Safety
/// `flag` must be null or valid for writing; `status` may be ignored.
pub unsafe fn request_get_status(request: MPI_Request, flag: *mut c_int, status: *mut MPI_Status) -> Result<()> {
    let mut handle = request;
    // SAFETY: one handle, on this stack.
    let requests = unsafe { Requests::new(1, &raw mut handle, "request") }?;
    let active = poll(requests);
    let (found, outcome) = if is_all_over(requests) { peek(requests, 0) } else { (None, Ok(())) };
    if found.is_some() {
        note_shown(requests, 0);
    }
    blocking::after_poll(found.is_some());
    // SAFETY: by MPI's contract `flag` and `status` are places.
    unsafe {
        convert::put(flag, c_int::from(found.is_some()), "flag")?;
        match found {
            Some(found) if active => convert::put_status(status, &found),
            Some(_) => convert::put_empty_status(status),
            None => {}
        }
    }
    outcome
}

/// `MPI_Request_get_status_all`.
///
/// # Safety
/// The arrays must have `count` elements; the statuses may be ignored; `flag` must be null or valid.
pub unsafe fn request_get_status_all(
    count: c_int,
    array_of_requests: *const MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`; nothing is written to it.
    let requests = unsafe { Requests::new(count, array_of_requests.cast_mut(), "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    poll(requests);
    let done = is_all_over(requests);
    blocking::after_poll(done);
    // SAFETY: by MPI's contract `flag` is a place.
    unsafe { convert::put(flag, c_int::from(done), "flag") }?;
    let mut outcome = Ok(());
    if done {
        (0..requests.count).for_each(|place| note_shown(requests, place));
    }
    if done && !array_of_statuses.is_null() {
        for index in 0..requests.count {
            // SAFETY: by MPI's contract `array_of_statuses`, which is not left out, is an array of `count`.
            outcome = outcome.and(unsafe { peek_into(array_of_statuses.add(index), requests, index) });
        }
    }
    outcome
}

/// `MPI_Request_get_status_any`.
///
/// # Safety
/// The array must have `count` elements; `index` and `flag` must be null or valid; the status may be ignored.
pub unsafe fn request_get_status_any(
    count: c_int,
    array_of_requests: *const MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`; nothing is written to it.
    let requests = unsafe { Requests::listed(count, array_of_requests.cast_mut(), "array_of_requests") }?;
    let active = poll(requests);
    let picked = blocking::test(requests.keys(), HowMany::One, Hints::default());
    let done = done_one(requests, &picked).map(|(place, _)| place);
    done.into_iter().for_each(|place| note_shown(requests, place));
    blocking::after_poll(done.is_some() || !active);
    // SAFETY: by MPI's contract `flag`, `index` and `status` are places.
    unsafe {
        convert::put(flag, c_int::from(done.is_some() || !active), "flag")?;
        convert::put(index, done.map_or(MPI_UNDEFINED, |place| place as c_int), "indx")?;
        let (found, outcome) = done.map_or((None, Ok(())), |place| peek(requests, place));
        match found {
            Some(found) => convert::put_status(status, &found),
            None if !active => convert::put_empty_status(status),
            None => {}
        }
        outcome
    }
}

/// `MPI_Request_get_status_some`.
///
/// # Safety
/// The arrays must have `incount` elements; the statuses may be ignored; `outcount` must be null or valid.
pub unsafe fn request_get_status_some(
    incount: c_int,
    array_of_requests: *const MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `incount`; nothing is written to it.
    let requests = unsafe { Requests::listed(incount, array_of_requests.cast_mut(), "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    own_memory::needed(array_of_indices, requests.count, "array_of_indices")?;
    if !poll(requests) {
        // SAFETY: by MPI's contract `outcount` is a place.
        return unsafe { convert::put(outcount, MPI_UNDEFINED, "outcount") };
    }
    let (mut found, mut outcome) = (0, Ok(()));
    let picked = blocking::test(requests.keys(), HowMany::Some, Hints::default());
    for (place, _) in done_in(requests, &picked) {
        note_shown(requests, place);
        // SAFETY: by MPI's contract the arrays have an element for each request, and so for each that is found.
        unsafe {
            convert::put(array_of_indices.add(found), place as c_int, "array_of_indices")?;
            if !array_of_statuses.is_null() {
                outcome = outcome.and(peek_into(array_of_statuses.add(found), requests, place));
            }
        }
        found += 1;
    }
    blocking::after_poll(found > 0);
    // SAFETY: by MPI's contract `outcount` is a place.
    unsafe { convert::put(outcount, found as c_int, "outcount") }?;
    outcome
}

//! Generalized requests (MPI 5.0 §13.2).

use std::ffi::c_void;

use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::{Body, Phase, Request};

use super::p2p;
use crate::abi::types::*;
use crate::convert;
use smpi_runtime::objects::Callbacks;
use smpi_runtime::with_objects;

use crate::grequest::{number, outcome, release};
use smpi_runtime::objects::Language;
use smpi_runtime::{current_rank, with};

/// `MPI_Grequest_start`.
///
/// # Safety
/// The functions must have their prescribed types; `request` must be null or valid for writing.
pub unsafe fn grequest_start(
    query_fn: Option<MPI_Grequest_query_function>,
    free_fn: Option<MPI_Grequest_free_function>,
    cancel_fn: Option<MPI_Grequest_cancel_function>,
    extra_state: *mut c_void,
    request: *mut MPI_Request,
) -> Result<()> {
    let callbacks = Callbacks {
        language: Language::C,
        query: query_fn.map_or(0, |function| function as usize),
        free: free_fn.map_or(0, |function| function as usize),
        cancel: cancel_fn.map_or(0, |function| function as usize),
        extra_state: extra_state.expose_provenance(),
    };
    start_generalized(callbacks, request)
}

/// Makes a generalized request.
pub fn start_generalized(callbacks: Callbacks, request: *mut MPI_Request) -> Result<()> {
    let full = || MpiError::new(ErrorClass::OTHER, "too many generalized requests");
    let stored = with_objects(|objects| objects.grequests.insert(callbacks)).ok_or_else(full)?;
    let mut new = Request::new(Body::Generalized(number(stored)), false, 0);
    new.phase = Phase::Active;
    let key = with(|runtime| runtime.world.new_request(current_rank(), new))?;
    p2p::give_request(key, request)
}

/// `MPI_Grequest_complete`.
pub fn grequest_complete(request: MPI_Request) -> Result<()> {
    let key = convert::request(request, "request")?;
    let rank = current_rank();
    let freed = with(|runtime| {
        let generalized = key.and_then(|key| {
            let found = runtime.world.request(rank, key)?;
            if let Body::Generalized(id) = found.body { Some((key, found.freed.then_some(id))) } else { None }
        });
        let Some((key, freed)) = generalized else {
            let allowed = "a generalized request";
            return Err(MpiError::parameter(ErrorClass::REQUEST, "request", "another kind of request", allowed));
        };
        runtime.world.complete_generalized(&mut runtime.driver, rank, key);
        Ok(freed)
    })?;
    // Nobody will wait for a request that the program has freed.
    freed.map_or(Ok(()), |id| outcome(release(id), "free"))
}

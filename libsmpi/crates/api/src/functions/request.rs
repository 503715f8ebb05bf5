//! Completion and life of requests (MPI 5.0 §3.7, §3.9): wait, test, start, cancel, free.

use std::ffi::c_int;

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::{Body, Completion, Phase, Request, Status};
use smpi_mpi::world::ListId;

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, own_memory};
use smpi_runtime::blocking::{self, Hints, HowMany, Picked, Poll};
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::{current_rank, with};
use smpi_watch::access::results;
use smpi_watch::annotation;
use smpi_watch::checks;

/// The program's array of request handles. It lives in the program's memory, so it may be looked at again after a
/// suspension without a copy of ours.
#[derive(Clone, Copy)]
pub(super) struct Requests {
    first: *mut MPI_Request,
    pub(super) count: usize,
    list: Option<ListId>,
}

impl Requests {
    /// Checks the array and every handle in it.
    ///
    /// # Safety
    /// `first` must be null or point to `count` handles, and stay valid while this is used.
    pub(super) unsafe fn new(count: c_int, first: *mut MPI_Request, name: &str) -> Result<Requests> {
        // SAFETY: as this function demands.
        let requests = unsafe { Requests::unchecked(count, first, name) }?;
        requests.check(name)?;
        Ok(requests)
    }

    /// The same for a call that is about any or some of the requests, and may come again for the others: where it does,
    /// it does not look at each.
    ///
    /// # Safety
    /// As for [`Requests::new`].
    pub(super) unsafe fn listed(count: c_int, first: *mut MPI_Request, name: &str) -> Result<Requests> {
        // SAFETY: as this function demands.
        let mut requests = unsafe { Requests::unchecked(count, first, name) }?;
        if requests.count > 0 {
            // SAFETY: `first` points to an array of `count` handles, as the caller of this function establishes. A
            // handle is a pointer: 8 bytes, aligned as a `u64` is. Nobody changes them while the slice is used, in
            // `list`, which calls nothing of the program.
            let handles = unsafe { std::slice::from_raw_parts(first.cast::<u64>(), requests.count) };
            requests.list = with(|runtime| {
                let array = (requests.span().0, handles);
                let key = |handle| convert::key_of_request(handle, "array_of_requests");
                runtime.world.list(&runtime.driver, current_rank(), array, key)
            });
        }
        if requests.list.is_none() {
            requests.check(name)?;
        }
        Ok(requests)
    }

    /// Checks the array.
    ///
    /// # Safety
    /// As for [`Requests::new`].
    unsafe fn unchecked(count: c_int, first: *mut MPI_Request, name: &str) -> Result<Requests> {
        let count = convert::count(count.into(), "count")? as usize;
        own_memory::needed(first, count, name)?;
        let requests = Requests { first, count, list: None };
        results::handles(requests.span().0, requests.span().1);
        Ok(requests)
    }

    /// Checks every handle.
    fn check(self, name: &str) -> Result<()> {
        convert::check_requests((0..self.count).map(|index| self.handle(index)), name)
    }

    /// Whether any of them is not inactive.
    pub(super) fn is_any_open(self) -> bool {
        let listed = self.list.and_then(|list| with(|runtime| runtime.world.is_list_open(current_rank(), list)));
        listed.unwrap_or_else(|| self.keys().any(|key| phase(key) != Phase::Inactive))
    }

    /// Index and key of those that are over, where that is known without a look at each.
    fn done_in_list(self) -> Option<impl Iterator<Item = (usize, Key)>> {
        let rank = current_rank();
        let list = self.list?;
        let next = move |from| with(|runtime| runtime.world.done_in_list(rank, list, from));
        next(0)?;
        let mut from = 0;
        Some(std::iter::from_fn(move || {
            let index = next(from)??;
            from = index + 1;
            Some((index as usize, self.key(index as usize)?))
        }))
    }

    /// The memory of the array, from and up to.
    fn span(self) -> (u64, u64) {
        let low = self.first.addr();
        (low as u64, (low + self.count * size_of::<MPI_Request>()) as u64)
    }

    fn handle(self, index: usize) -> MPI_Request {
        // SAFETY: `index < count`, and by MPI's contract `first` is an array of `count`.
        unsafe { *self.first.add(index) }
    }

    pub(super) fn key(self, index: usize) -> Option<Key> {
        match decode(Kind::Request, self.handle(index) as u64) {
            Decoded::Ours(key) => Some(key),
            _ => None,
        }
    }

    fn set_null(self, index: usize) {
        // SAFETY: `index < count`, and by MPI's contract `first` is an array of `count` that may be written.
        unsafe { *self.first.add(index) = null_request() };
    }

    /// Keys of the requests that are not null.
    pub(super) fn keys(self) -> impl Iterator<Item = Key> + Clone {
        (0..self.count).filter_map(move |index| self.key(index))
    }

    /// Index and key of the requests that are not null.
    pub(super) fn live(self) -> impl Iterator<Item = (usize, Key)> + Clone {
        (0..self.count).filter_map(move |index| self.key(index).map(|key| (index, key)))
    }

    /// Takes the completion of one request and updates its handle.
    fn take(self, index: usize, key: Key) -> Option<Completion> {
        let completion = take(key);
        if completion.as_ref().is_some_and(|completion| completion.gone) {
            self.set_null(index);
        }
        completion
    }
}

fn null_request() -> MPI_Request {
    MPI_REQUEST_NULL
}

/// Takes a completion if the request is over. Runs the callbacks of a generalized request.
fn take(key: Key) -> Option<Completion> {
    let rank = current_rank();
    if !with(|runtime| runtime.world.is_done(rank, key)) {
        return None;
    }
    match crate::completion::complete(key) {
        Some(completion) if completion.generalized.is_some() => Some(crate::grequest::after(completion)),
        completion => completion,
    }
}

/// The same for a call with one status, whose error only a request that was over before sets.
fn take_with_status(requests: Requests, status: *mut MPI_Status) -> Option<Completion> {
    let key = requests.key(0)?;
    let completion = requests.take(0, key)?;
    let polls = results::taken(key, &completion);
    if !polls.is_empty() && !status.is_null() {
        // SAFETY: by MPI's contract `status`, the caller's argument, is a place if it is not left out.
        results::differs(polls, convert::place_of(unsafe { &raw mut (*status).MPI_ERROR }, 1));
    }
    Some(completion)
}

/// Phase of a request; null handles and gone requests are inactive.
pub(super) fn phase(key: Key) -> Phase {
    with(|runtime| runtime.world.request(current_rank(), key).map_or(Phase::Inactive, |request| request.phase))
}

/// Reports one completion to the program: status, then its error.
///
/// # Safety
/// `status` must be ignored or valid for writing.
unsafe fn report(completion: Completion, status: *mut MPI_Status) -> Result<()> {
    // SAFETY: by MPI's contract `status`, the caller's argument, is a place.
    unsafe { convert::put_status(status, &completion.status) };
    match completion.error {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// `MPI_Wait`.
///
/// # Safety
/// `request` must point to a handle; `status` must be ignored or valid for writing.
#[inline]
pub unsafe fn wait(request: *mut MPI_Request, status: *mut MPI_Status) -> Result<()> {
    // SAFETY: by MPI's contract `request` is a place.
    let requests = unsafe { Requests::new(1, request, "request") }?;
    checks::note_idle(requests.keys());
    blocking::wait_all(requests.keys());
    // SAFETY: by MPI's contract `status` is a place.
    unsafe {
        match take_with_status(requests, status) {
            Some(completion) => report(completion, status),
            None => {
                convert::put_empty_status(status);
                Ok(())
            }
        }
    }
}

/// `MPI_Test`.
///
/// # Safety
/// `request` must point to a handle, `flag` to an int; `status` must be ignored or valid for writing.
#[inline]
pub unsafe fn test(request: *mut MPI_Request, flag: *mut c_int, status: *mut MPI_Status) -> Result<()> {
    // SAFETY: by MPI's contract `request` is a place.
    let requests = unsafe { Requests::new(1, request, "request") }?;
    let active = requests.is_any_open();
    if active {
        blocking::before_poll(Poll::Test);
    }
    let asked = requests.key(0).filter(|&key| active && results::ask_test(key));
    let hints = Hints { alike: asked.is_some(), ..Hints::default() };
    let is_over = !active || blocking::test(requests.keys(), HowMany::All, hints) != Picked::Nothing;
    let taken = if is_over { take_with_status(requests, status) } else { None };
    blocking::after_poll(taken.is_some() || !active);
    // SAFETY: by MPI's contract `flag` and `status` are places.
    unsafe {
        convert::put(flag, c_int::from(taken.is_some() || !active), "flag")?;
        if let Some(key) = asked {
            results::told([convert::place_of(flag, 1), convert::place_of(status, 1)], Some((requests.span(), key)));
        }
        match taken {
            Some(completion) => report(completion, status),
            None if active => Ok(()),
            None => {
                convert::put_empty_status(status);
                Ok(())
            }
        }
    }
}

/// Takes all completions in order and fills the statuses.
///
/// # Safety
/// `statuses` must be ignored or have room for all.
unsafe fn take_all(requests: Requests, statuses: *mut MPI_Status) -> Result<()> {
    let mut failed = None;
    for index in 0..requests.count {
        let completion = requests.key(index).and_then(|key| {
            let completion = requests.take(index, key)?;
            results::taken(key, &completion);
            Some(completion)
        });
        let status = completion.as_ref().map_or(Status::EMPTY, |completion| completion.status);
        if !statuses.is_null() {
            // SAFETY: by MPI's contract `statuses`, which is not left out, is an array with an element for each
            // request.
            unsafe {
                let place = statuses.add(index);
                convert::put_status(place, &status);
                (*place).MPI_ERROR = status.error;
            }
        }
        if failed.is_none() {
            failed = completion.and_then(|completion| completion.error);
        }
    }
    failed.map_or(Ok(()), |error| Err(in_status(&error)))
}

pub(super) fn in_status(error: &MpiError) -> MpiError {
    let text = format!("an operation failed: {} [{}]", error.message, error.class.name());
    MpiError { started: error.started.clone(), ..MpiError::new(ErrorClass::IN_STATUS, text).on(error.comm_handle) }
}

/// `MPI_Waitall`: waits in order, as the papers' sequenced WaitAll.
///
/// # Safety
/// The arrays must have `count` elements; the statuses may be ignored.
#[inline]
pub unsafe fn waitall(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`.
    let requests = unsafe { Requests::new(count, array_of_requests, "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    let ends_group = ends_group(requests);
    checks::note_idle(requests.keys());
    blocking::wait_all(requests.keys());
    // SAFETY: by MPI's contract `array_of_statuses` is an array of `count`, if it is not left out.
    let outcome = unsafe { take_all(requests, array_of_statuses) };
    if ends_group {
        results::all_returned(convert::place_of(array_of_statuses, requests.count), outcome.is_err());
    }
    outcome
}

/// Whether a Waitall takes the rest of what Waitany has left, see [`results::ask_all`].
fn ends_group(requests: Requests) -> bool {
    results::is_unseen() && results::ask_all(requests.span(), &active_keys(requests).collect::<Vec<Key>>())
}

/// The requests that are not null or inactive.
fn active_keys(requests: Requests) -> impl Iterator<Item = Key> {
    requests.keys().filter(|&key| phase(key) != Phase::Inactive)
}

/// `MPI_Testall`.
///
/// # Safety
/// The arrays must have `count` elements; the statuses may be ignored; `flag` must be valid for writing.
#[inline]
pub unsafe fn testall(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    flag: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`.
    let requests = unsafe { Requests::new(count, array_of_requests, "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    if requests.is_any_open() {
        blocking::before_poll(Poll::Test);
    }
    let done = is_all_over(requests);
    blocking::after_poll(done);
    // SAFETY: by MPI's contract `flag` is a place, and `array_of_statuses` is an array of `count`, if it is not left
    // out.
    unsafe {
        convert::put(flag, c_int::from(done), "flag")?;
        if done { take_all(requests, array_of_statuses) } else { Ok(()) }
    }
}

/// The requests that are over, with their indices, and their positions among those that are not inactive.
fn done(requests: Requests) -> impl Iterator<Item = (u32, usize, Key)> {
    let mut position = 0;
    requests.live().filter_map(move |(index, key)| {
        let now = phase(key);
        position += u32::from(now != Phase::Inactive);
        (now == Phase::Done).then(|| (position - 1, index, key))
    })
}

/// Those of them that are picked.
pub(super) fn done_in(requests: Requests, picked: &Picked) -> impl Iterator<Item = (usize, Key)> {
    let all = matches!(picked, Picked::First | Picked::Finished);
    let listed = if all { requests.done_in_list() } else { None };
    let searched = listed.is_none().then(|| {
        done(requests).filter(|(position, ..)| picked.contains(*position)).map(|(_, index, key)| (index, key))
    });
    listed.into_iter().flatten().chain(searched.into_iter().flatten())
}

/// The one that is picked.
pub(super) fn done_one(requests: Requests, picked: &Picked) -> Option<(usize, Key)> {
    done_in(requests, picked).next()
}

/// What the program has said about these requests.
fn relevant_of(requests: Requests) -> Option<Box<[bool]>> {
    if !annotation::is_waiting() {
        return None;
    }
    let active = requests.live().filter(|&(_, key)| phase(key) != Phase::Inactive);
    annotation::take(requests.count, &active.map(|(index, _)| index).collect::<Vec<usize>>())
}

/// The same as a hint.
fn hints_of(requests: Requests) -> Hints {
    Hints { relevant: relevant_of(requests), alike: false, list: requests.list }
}

/// The same for Waitany, and whether it makes no difference so far which request it is.
fn hints_of_any(requests: Requests) -> Hints {
    let relevant = relevant_of(requests);
    let alike = results::is_pruning() && {
        let keys: Vec<Key> = active_keys(requests).collect();
        results::ask(requests.span(), &keys, relevant.is_none())
    };
    Hints { relevant, alike, list: requests.list }
}

/// Whether a test finds all of its requests over, or is told so.
pub(super) fn is_all_over(requests: Requests) -> bool {
    blocking::test(requests.keys(), HowMany::All, Hints::default()) != Picked::Nothing
}

/// Takes the completion of the request that is picked.
fn take_one(requests: Requests, picked: &Picked) -> Option<(usize, Completion)> {
    let (index, key) = done_one(requests, picked)?;
    Some((index, requests.take(index, key)?))
}

/// `MPI_Waitany`.
///
/// # Safety
/// The array must have `count` elements; `index` must be valid for writing; `status` may be ignored.
#[inline]
pub unsafe fn waitany(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    index: *mut c_int,
    status: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`.
    let requests = unsafe { Requests::listed(count, array_of_requests, "array_of_requests") }?;
    let hints = hints_of_any(requests);
    let alike = hints.alike;
    let picked = blocking::wait_any(requests.keys(), HowMany::One, hints);
    if alike && let Some((_, key)) = done_one(requests, &picked) {
        results::take(key);
    }
    let done = take_one(requests, &picked);
    // SAFETY: by MPI's contract `index` and `status` are places.
    let outcome = unsafe { report_any(done, index, status) };
    results::returned(alike, [convert::place_of(index, 1), convert::place_of(status, 1)], outcome.is_err());
    outcome
}

/// Writes index and status of one completion, or of none.
///
/// # Safety
/// `index` must be null or valid for writing; `status` may be ignored.
unsafe fn report_any(done: Option<(usize, Completion)>, index: *mut c_int, status: *mut MPI_Status) -> Result<()> {
    // SAFETY: by MPI's contract `index` and `status`, the caller's arguments, are places.
    unsafe {
        match done {
            Some((place, completion)) => {
                convert::put(index, place as c_int, "indx")?;
                report(completion, status)
            }
            None => {
                convert::put(index, MPI_UNDEFINED, "indx")?;
                convert::put_empty_status(status);
                Ok(())
            }
        }
    }
}

/// `MPI_Testany`.
///
/// # Safety
/// The array must have `count` elements; `index` and `flag` must be valid for writing; `status` may be ignored.
#[inline]
pub unsafe fn testany(
    count: c_int,
    array_of_requests: *mut MPI_Request,
    index: *mut c_int,
    flag: *mut c_int,
    status: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`.
    let requests = unsafe { Requests::listed(count, array_of_requests, "array_of_requests") }?;
    let active = requests.is_any_open();
    if active {
        blocking::before_poll(Poll::Test);
    }
    let picked = blocking::test(requests.keys(), HowMany::One, hints_of(requests));
    let done = take_one(requests, &picked);
    let found = done.is_some() || !active;
    blocking::after_poll(found);
    // SAFETY: by MPI's contract `flag`, `index` and `status` are places.
    unsafe {
        convert::put(flag, c_int::from(found), "flag")?;
        if found { report_any(done, index, status) } else { convert::put(index, MPI_UNDEFINED, "indx") }
    }
}

/// Takes the completions that are picked.
///
/// # Safety
/// The output arrays must have room for all requests; the statuses may be ignored.
unsafe fn take_some(
    requests: Requests,
    picked: &Picked,
    outcount: *mut c_int,
    indices: *mut c_int,
    statuses: *mut MPI_Status,
) -> Result<()> {
    if !requests.is_any_open() {
        // SAFETY: by MPI's contract `outcount` is a place.
        return unsafe { convert::put(outcount, MPI_UNDEFINED, "outcount") };
    }
    let (mut taken, mut failed) = (0, None);
    for (index, key) in done_in(requests, picked) {
        let Some(completion) = requests.take(index, key) else { continue };
        // SAFETY: by MPI's contract the arrays have an element for each request, and so for each that is taken.
        unsafe {
            convert::put(indices.add(taken), index as c_int, "array_of_indices")?;
            if !statuses.is_null() {
                convert::put_status(statuses.add(taken), &completion.status);
                (*statuses.add(taken)).MPI_ERROR = completion.status.error;
            }
        }
        failed = failed.or(completion.error);
        taken += 1;
    }
    // SAFETY: by MPI's contract `outcount` is a place.
    unsafe { convert::put(outcount, taken as c_int, "outcount") }?;
    failed.map_or(Ok(()), |error| Err(in_status(&error)))
}

/// `MPI_Waitsome`.
///
/// # Safety
/// The arrays must have `incount` elements; the statuses may be ignored; `outcount` must be valid for writing.
#[inline]
pub unsafe fn waitsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `incount`.
    let requests = unsafe { Requests::listed(incount, array_of_requests, "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    own_memory::needed(array_of_indices, requests.count, "array_of_indices")?;
    let picked = blocking::wait_any(requests.keys(), HowMany::Some, hints_of(requests));
    // SAFETY: by MPI's contract `outcount` is a place, and the other two are arrays of `incount`.
    unsafe { take_some(requests, &picked, outcount, array_of_indices, array_of_statuses) }
}

/// `MPI_Testsome`.
///
/// # Safety
/// The arrays must have `incount` elements; the statuses may be ignored; `outcount` must be valid for writing.
#[inline]
pub unsafe fn testsome(
    incount: c_int,
    array_of_requests: *mut MPI_Request,
    outcount: *mut c_int,
    array_of_indices: *mut c_int,
    array_of_statuses: *mut MPI_Status,
) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `incount`.
    let requests = unsafe { Requests::listed(incount, array_of_requests, "array_of_requests") }?;
    own_memory::array(array_of_statuses, requests.count, "array_of_statuses")?;
    own_memory::needed(array_of_indices, requests.count, "array_of_indices")?;
    if requests.is_any_open() {
        blocking::before_poll(Poll::Test);
    }
    let picked = blocking::test(requests.keys(), HowMany::Some, hints_of(requests));
    blocking::after_poll(done_one(requests, &picked).is_some());
    // SAFETY: by MPI's contract `outcount` is a place, and the other two are arrays of `incount`.
    unsafe { take_some(requests, &picked, outcount, array_of_indices, array_of_statuses) }
}

/// The persistent request of a handle, which is to be started.
fn startable(request: MPI_Request, name: &str) -> Result<Key> {
    let key = convert::request(request, name)?;
    let allowed = "an inactive persistent request";
    let Some(key) = key else {
        return Err(MpiError::parameter(ErrorClass::REQUEST, name, "MPI_REQUEST_NULL", allowed));
    };
    let rank = current_rank();
    with(|runtime| {
        let Some(found) = runtime.world.request(rank, key) else { return Ok(()) };
        if !found.persistent || found.phase != Phase::Inactive {
            let value = if found.persistent { "a request that is active" } else { "not a persistent request" };
            return Err(MpiError::parameter(ErrorClass::REQUEST, name, value, allowed));
        }
        Ok(())
    })?;
    own_memory::of_request(key, name)?;
    Ok(key)
}

/// Starts one persistent request.
fn start_one(request: MPI_Request, name: &str) -> Result<()> {
    let key = startable(request, name)?;
    smpi_watch::access::restarting(key);
    super::p2p::charge_send(key, false);
    smpi_watch::access::starting(key, |runtime, rank| {
        crate::recording::starting(runtime, rank, key);
        runtime.world.start(&mut runtime.driver, rank, key)
    })?;
    smpi_watch::access::own(key);
    Ok(())
}

/// `MPI_Start`.
///
/// # Safety
/// `request` must point to a handle.
#[inline]
pub unsafe fn start(request: *mut MPI_Request) -> Result<()> {
    // SAFETY: by MPI's contract `request` is a place.
    start_one(unsafe { convert::read(request, "request") }?, "request")
}

/// `MPI_Startall`.
///
/// # Safety
/// The array must have `count` handles.
#[inline]
pub unsafe fn startall(count: c_int, array_of_requests: *mut MPI_Request) -> Result<()> {
    // SAFETY: by MPI's contract `array_of_requests` is an array of `count`.
    let requests = unsafe { Requests::new(count, array_of_requests, "array_of_requests") }?;
    // None is started if one cannot be.
    (0..requests.count).try_for_each(|index| startable(requests.handle(index), "array_of_requests").map(drop))?;
    (0..requests.count).try_for_each(|index| start_one(requests.handle(index), "array_of_requests"))
}

/// `MPI_Cancel`.
///
/// # Safety
/// `request` must point to a handle.
#[inline]
pub unsafe fn cancel(request: *mut MPI_Request) -> Result<()> {
    // SAFETY: by MPI's contract `request` is a place.
    let key = convert::request(unsafe { convert::read(request, "request") }?, "request")?;
    let Some(key) = key else {
        let allowed = "an active request";
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", "MPI_REQUEST_NULL", allowed));
    };
    let rank = current_rank();
    let forbidden = with(|runtime| match runtime.world.request(rank, key) {
        // MPI 5.0 §6.12.
        Some(Request { body: Body::Collective(_), .. }) => Some("a request of a collective operation"),
        // MPI 5.0 §4.2.1.
        Some(Request { body: Body::Partitioned(_), .. }) => Some("a partitioned request"),
        _ => None,
    });
    if let Some(value) = forbidden {
        let allowed = "a request of ordinary point-to-point communication or a generalized one";
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", value, allowed));
    }
    blocking::recording(|trace, rank| trace.cancelled(rank, key));
    let generalized = with(|runtime| {
        runtime.world.post_cancel(&mut runtime.driver, rank, key);
        match runtime.world.request(rank, key)?.body {
            Body::Generalized(id) => Some((id, runtime.world.is_done(rank, key))),
            _ => None,
        }
    });
    if let Some((id, complete)) = generalized {
        return crate::grequest::cancel(id, complete);
    }
    Ok(())
}

/// `MPI_Request_free`.
///
/// # Safety
/// `request` must point to a handle.
#[inline]
pub unsafe fn request_free(request: *mut MPI_Request) -> Result<()> {
    // SAFETY: by MPI's contract `request` is a place.
    let requests = unsafe { Requests::new(1, request, "request") }?;
    let Some(key) = requests.key(0) else {
        let allowed = "a request";
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", "MPI_REQUEST_NULL", allowed));
    };
    let rank = current_rank();
    let is_under_way = with(|runtime| {
        let found = runtime.world.request(rank, key);
        found.is_some_and(|found| matches!(found.body, Body::Partitioned(_)) && found.phase == Phase::Active)
    });
    if is_under_way {
        // MPI 5.0 §4.2.1.
        let (value, allowed) = ("a partitioned request that is active", "one that is inactive or complete");
        return Err(MpiError::parameter(ErrorClass::REQUEST, "request", value, allowed));
    }
    smpi_watch::access::forgotten(key);
    let complete = with(|runtime| {
        let found = runtime.world.request(rank, key)?;
        if let (Body::Generalized(id), Phase::Done) = (&found.body, found.phase) { Some(*id) } else { None }
    });
    blocking::recording(|trace, rank| trace.freed(rank, key));
    with(|runtime| runtime.world.free_request(rank, key));
    requests.set_null(0);
    complete.map_or(Ok(()), |id| crate::grequest::outcome(crate::grequest::release(id), "free"))
}

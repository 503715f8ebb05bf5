//! Does the program look at what Waitany returned, or at what a poll has told it? As long as it does not, the result
//! makes no difference, and the checker need not try the others (docs/verification.md, "Results that nobody looks
//! at", has the argument).
//!
//! A rank has at most one *group*: the requests of an array from which Waitany has taken some. What the choice shows in
//! is: the entries of the array, until all are taken; the buffers of the requests that were taken, likewise (of another
//! choice they would still belong to MPI); and the places of the results, index and status, until they are overwritten.
//! A read of any of that, and whatever else could depend on it, is *seen*: [`see`].
//!
//! A *poll* of a send, or for a message, is told "not yet" in the place of all answers. Another answer would show in
//! its flag and its status, until they are overwritten; of a test also in the handle, until the request is taken.
//! Each poll is seen by itself.

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mpi::buffers::{self, Owned};
use smpi_mpi::memory::Addr;
use smpi_mpi::p2p::request::{Body, Completion, Request, RequestKey, Status};
use smpi_mpi::usage::digest;

use smpi_process as process;
use smpi_runtime::watch::{Group, Meaning, Results, Unheard, Watch, meets};

use super::IN_USE;
use smpi_runtime::{current_rank, with};

/// Whether alternatives are left out at all.
static PRUNES: AtomicBool = AtomicBool::new(false);
/// Whether answers of polls are left out.
static PRUNES_POLLS: AtomicBool = AtomicBool::new(false);
/// The rank that runs has results that it has not looked at.
static UNSEEN: AtomicBool = AtomicBool::new(false);

/// Lets the checker leave out what makes no difference, or not: results of Waitany, and answers of polls.
pub fn set_pruning(waits: bool, polls: bool) {
    PRUNES.store(waits, Ordering::Relaxed);
    PRUNES_POLLS.store(polls, Ordering::Relaxed);
}

/// Whether alternatives are left out at all.
#[inline]
pub fn is_pruning() -> bool {
    PRUNES.load(Ordering::Relaxed)
}

/// Notes whether the rank that runs has anything that it has not looked at.
pub fn select(watch: &Watch) {
    UNSEEN.store(watch.results.is_some(), Ordering::Relaxed);
}

/// Whether the calling rank has results that it has not looked at.
#[inline]
pub fn is_unseen() -> bool {
    UNSEEN.load(Ordering::Relaxed)
}

/// Changes what the calling rank has not looked at.
fn update<R>(rank: WorldRank, change: impl FnOnce(&mut Results) -> R) -> R {
    let answer = with(|runtime| {
        let results = &mut runtime.run(rank).watch.results;
        let shared = results.get_or_insert_default();
        let answer = change(Rc::make_mut(shared));
        if shared.is_empty() {
            *results = None;
            runtime.driver.verification().into_iter().for_each(|driver| driver.nothing_seen(rank));
        }
        answer
    });
    super::select(rank);
    answer
}

/// The calling rank sees, or may see, a difference: nothing of what it could have seen is left out.
#[cold]
pub fn see(rank: WorldRank) {
    with(|runtime| {
        let results = runtime.run(rank).watch.results.take();
        let Some(driver) = runtime.driver.verification() else { return };
        driver.see(rank);
        results.iter().flat_map(|results| &results.polls).for_each(|poll| driver.hear(rank, poll.number));
    });
    super::select(rank);
}

/// The calling rank sees what polls have told it, by an access to these bytes.
#[cold]
pub(super) fn hear(rank: WorldRank, low: u64, high: u64, write: bool) {
    let heard = update(rank, |results| results.hear(low, high, write));
    heard_of(rank, heard);
}

/// The program accesses these bytes.
#[cold]
pub(super) fn touched(rank: WorldRank, (low, high): (u64, u64), write: bool) {
    let meets_poll =
        with(|runtime| runtime.run(rank).watch.results.as_ref().is_some_and(|results| results.meets_poll(low, high)));
    if meets_poll {
        hear(rank, low, high, write);
        if write {
            overwritten(rank, low, high);
        }
    }
}

fn heard_of(rank: WorldRank, numbers: Vec<u32>) {
    with(|runtime| {
        let Some(driver) = runtime.driver.verification() else { return };
        numbers.into_iter().for_each(|number| driver.hear(rank, number));
    });
}

/// The program has overwritten results.
pub fn overwritten(rank: WorldRank, low: u64, high: u64) {
    update(rank, |results| results.overwrite(low, high));
}

/// A call of MPI writes a result there: a `T`.
#[inline]
pub fn written<T>(place: *const T) {
    if is_unseen() {
        let low = place.addr() as u64;
        overwritten(current_rank(), low, low + size_of::<T>() as u64);
    }
}

fn with_group<R>(rank: WorldRank, look: impl FnOnce(&Group) -> R) -> Option<R> {
    with(|runtime| runtime.run(rank).watch.results.as_ref().and_then(|results| results.group.as_ref()).map(look))
}

/// Requests whose completions may be taken in any order without anybody noticing but by the results.
fn is_plain(request: &Request) -> bool {
    let known = matches!(
        request.body,
        Body::Send(_) | Body::Recv(_) | Body::MatchedRecv(..) | Body::SendRecv(_) | Body::Collective(_)
    );
    known && !request.persistent && !request.freed
}

/// Waitany is about to ask which request it returns of these, which are the active ones of an array; `plainly`: the
/// program has not said what matters. True when it makes no difference so far.
pub fn ask(array: (u64, u64), active: &[RequestKey], plainly: bool) -> bool {
    if !PRUNES.load(Ordering::Relaxed) || !IN_USE.load(Ordering::Relaxed) {
        return false;
    }
    let rank = current_rank();
    let joins = with_group(rank, |group| plainly && group.array == array && group.open == active);
    match joins {
        Some(true) => return true,
        Some(false) => see(rank),
        None => {}
    }
    let all_plain = with(|runtime| {
        active.iter().all(|&key| runtime.world.request(rank, key).is_some_and(|request| is_plain(request)))
    });
    let begins = plainly && active.len() > 1 && all_plain;
    if begins {
        let group = Group { array, open: active.to_vec(), taken: Vec::new() };
        update(rank, |results| results.group = Some(group));
    }
    begins
}

/// Waitany is about to take this request of the group.
pub fn take(key: RequestKey) {
    let rank = current_rank();
    let memory = with(|runtime| {
        runtime.driver.verification().into_iter().for_each(|driver| driver.take_unseen(rank, key));
        runtime.world.request(rank, key).map(|request| buffers::owned(request)).unwrap_or_default()
    });
    let hashed = |owned: Owned| {
        let held = hash(rank, &owned);
        (owned, held)
    };
    let taken: Vec<(Owned, u64)> = memory.into_iter().map(hashed).collect();
    change_group(rank, |group| {
        group.open.retain(|&open| open != key);
        group.taken.extend(taken);
    });
}

/// What memory holds now, gaps included.
fn hash(rank: WorldRank, owned: &Owned) -> u64 {
    let len = (owned.high - owned.low) as usize;
    let mut bytes = Vec::new();
    with(|runtime| runtime.world.memory().append(rank, Addr(owned.low), len, &mut bytes));
    digest(&bytes)
}

/// Whether a buffer of a taken request was changed since, unnoticed by the compiler's calls: with another choice it
/// would still have belonged to MPI, and that would be a finding.
fn is_changed(rank: WorldRank) -> bool {
    let taken = with_group(rank, |group| group.taken.clone()).unwrap_or_default();
    taken.iter().any(|(owned, before)| hash(rank, owned) != *before)
}

/// Waitany has written its results there (`0..0`: nowhere); `alike`: as [`ask`] said.
pub fn returned(alike: bool, places: [(u64, u64); 2], failed: bool) {
    let rank = current_rank();
    if !alike && !is_unseen() {
        return;
    }
    let ends = alike && with_group(rank, |group| group.open.is_empty()) == Some(true);
    if alike && failed || ends && is_changed(rank) {
        // When an error shows depends on which request is taken first.
        return see(rank);
    }
    update(rank, |results| {
        for place in places.into_iter().filter(|place| place.0 != 0) {
            results.overwrite(place.0, place.1);
            if alike {
                results.places.push(place);
            }
        }
        results.group.take_if(|_| ends);
    });
    if ends {
        with(|runtime| runtime.driver.verification().into_iter().for_each(|driver| driver.all_taken(rank)));
    }
}

/// Waitall is about to wait for these, which are the active ones of an array. True when they are what is left of the
/// group.
pub fn ask_all(array: (u64, u64), active: &[RequestKey]) -> bool {
    let rank = current_rank();
    let ends = with_group(rank, |group| group.array == array && group.open == active);
    if ends == Some(false) && with_group(rank, |group| meets(group.array, array.0, array.1)) == Some(true) {
        see(rank);
    }
    ends == Some(true)
}

/// Waitall has taken the rest of the group, and written statuses there (`0..0`: nowhere).
pub fn all_returned(statuses: (u64, u64), failed: bool) {
    change_group(current_rank(), |group| group.open.clear());
    returned(true, [statuses, (0, 0)], failed);
}

fn change_group(rank: WorldRank, change: impl FnOnce(&mut Group)) {
    update(rank, |results| results.group.as_mut().map(change));
}

/// A call of MPI reads an array of the program.
#[inline]
pub fn looked<T>(first: *const T, len: usize) {
    if is_unseen() {
        let low = first.addr() as u64;
        look_at(low, low.saturating_add((len.saturating_mul(size_of::<T>())) as u64));
    }
}

#[cold]
fn look_at(low: u64, high: u64) {
    let rank = current_rank();
    let meaning = with(|runtime| {
        let results = runtime.run(rank).watch.results.as_ref();
        results.map_or(Meaning::Nothing, |results| results.meaning(low, high, false))
    });
    match meaning {
        Meaning::Nothing => touched(rank, (low, high), false),
        Meaning::Seen | Meaning::Overwritten => see(rank),
    }
}

/// A call is given an array of request handles.
#[inline]
pub fn handles(low: u64, high: u64) {
    if is_unseen() {
        look_at_handles(low, high);
    }
}

#[cold]
fn look_at_handles(low: u64, high: u64) {
    let rank = current_rank();
    let function = with(|runtime| runtime.run(rank).call.function());
    let may_join = matches!(function, Some(Function::Waitany | Function::Waitall));
    if !may_join && with_group(rank, |group| meets(group.array, low, high)) == Some(true) {
        see(rank);
    }
    // These do with a request that is over what they do with none.
    let takes = matches!(function, Some(Function::Wait | Function::Waitall | Function::Test));
    if !takes && is_unseen() {
        hear(rank, low, high, true);
    }
}

/// Whether polls may be told "not yet" in the place of all answers at all.
fn prunes_polls() -> bool {
    PRUNES_POLLS.load(Ordering::Relaxed)
        && IN_USE.load(Ordering::Relaxed)
        && with(|runtime| !runtime.world.has_windows())
}

/// A test is about to ask whether this request is over: whether "not yet" may stand for all answers. So it is with
/// sends: their statuses say nothing.
pub fn ask_test(key: RequestKey) -> bool {
    let rank = current_rank();
    prunes_polls()
        && with(|runtime| {
            let request = runtime.world.request(rank, key);
            request.is_some_and(|request| matches!(request.body, Body::Send(_)) && is_plain(request))
        })
}

/// The same of a probe, which is about to ask.
pub fn ask_probe() {
    if prunes_polls() {
        let rank = current_rank();
        with(|runtime| runtime.driver.verification().into_iter().for_each(|driver| driver.ask_unheard(rank)));
    }
}

/// A poll was answered, with flag and status there (`0..0`: nowhere), after a question about this request, whose
/// handle lies there.
pub fn told(places: [(u64, u64); 2], request: Option<((u64, u64), RequestKey)>) {
    if !PRUNES_POLLS.load(Ordering::Relaxed) {
        return;
    }
    let rank = current_rank();
    let number = with(|runtime| runtime.driver.verification().and_then(|driver| driver.take_unheard(rank)));
    if let Some(number) = number {
        let places = places.into_iter().filter(|place| place.0 != 0).collect();
        update(rank, |results| results.polls.push(Unheard { number, places, request }));
    }
}

/// A request is taken. Returns polls of it whose answer the program has not looked at so far.
#[inline]
pub fn taken(key: RequestKey, completion: &Completion) -> Vec<u32> {
    if is_unseen() { look_at_taken(key, completion) } else { Vec::new() }
}

#[cold]
fn look_at_taken(key: RequestKey, completion: &Completion) -> Vec<u32> {
    let rank = current_rank();
    let polls: Vec<u32> = with(|runtime| {
        let results = runtime.run(rank).watch.results.as_ref();
        results.iter().flat_map(|results| results.polls_of(key)).collect()
    });
    if polls.is_empty() {
        return polls;
    }
    update(rank, |results| results.taken(key));
    if completion.error.is_some() || completion.status != Status::EMPTY {
        // Of a request that was over before, nothing of this would be told now.
        heard_of(rank, polls);
        return Vec::new();
    }
    polls
}

/// Of these polls something else would lie there now, too.
#[cold]
pub fn differs(polls: Vec<u32>, place: (u64, u64)) {
    let places = || vec![place];
    let more = polls.into_iter().map(|number| Unheard { number, places: places(), request: None });
    update(current_rank(), |results| results.polls.extend(more));
}

/// A call starts an operation of the calling rank: what it sends it reads.
#[inline]
pub(super) fn started(key: RequestKey) {
    if is_unseen() {
        let rank = current_rank();
        let touches = with(|runtime| {
            let memory = runtime.world.request(rank, key).map(|request| buffers::owned(request)).unwrap_or_default();
            let results = runtime.run(rank).watch.results.clone();
            let results = results.as_deref();
            let meaning = |owned: &Owned| {
                results.map_or(Meaning::Nothing, |results| results.meaning(owned.low, owned.high, owned.receives))
            };
            let watch = &runtime.run(rank).watch;
            let is_early = |owned: &Owned| watch.offended(owned.low, owned.high, owned.receives).is_some();
            let has_group = results.is_some_and(|results| results.has_group());
            let shows = |owned: &Owned| results.is_some_and(|results| results.meets_poll(owned.low, owned.high));
            memory
                .iter()
                .any(|owned| meaning(owned) != Meaning::Nothing || has_group && is_early(owned) || shows(owned))
        });
        if touches {
            see(rank);
        }
    }
}

/// The calling rank enters an MPI function.
#[inline]
pub fn entered(function: Function) {
    if is_unseen() {
        look_at_call(function);
    }
}

#[cold]
fn look_at_call(function: Function) {
    let rank = current_rank();
    // What is left over at the end is reported.
    let harmless = match function {
        Function::Finalize => with(|runtime| {
            let results = runtime.run(rank).watch.results.as_ref();
            results.is_none_or(|results| !results.has_group() && !results.has_polled_requests())
        }),
        _ => function.reads_buffers_only(),
    };
    if harmless {
        return;
    }
    // Nobody looks at variables of functions that have returned.
    if let Some((base, top)) = process::frames_left() {
        overwritten(rank, base as u64, top as u64);
    }
    if is_unseen() {
        see(rank);
    }
}

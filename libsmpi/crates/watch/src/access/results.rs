//! Does the program look at what Waitany returned? As long as it does not, which request it was makes no difference,
//! and the checker need not try the others (docs/verification.md, "Results that nobody looks at", has the argument).
//!
//! A rank has at most one *group*: the requests of an array from which Waitany has taken some. What the choice shows in
//! is: the entries of the array, until all are taken; the buffers of the requests that were taken, likewise (of another
//! choice they would still belong to MPI); and the places of the results, index and status, until they are overwritten.
//! A read of any of that, and whatever else could depend on it, is *seen*: [`see`].

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mpi::buffers::{self, Owned};
use smpi_mpi::memory::Addr;
use smpi_mpi::p2p::request::{Body, Request, RequestKey};
use smpi_mpi::usage::digest;

use smpi_runtime::watch::{Group, Meaning, Results, Watch, meets};

use super::IN_USE;
use smpi_runtime::{current_rank, with};

/// Whether alternatives are left out at all.
static PRUNES: AtomicBool = AtomicBool::new(false);
/// The rank that runs has results that it has not looked at.
static UNSEEN: AtomicBool = AtomicBool::new(false);

/// Lets the checker leave out what makes no difference, or not.
pub fn set_pruning(prunes: bool) {
    PRUNES.store(prunes, Ordering::Relaxed);
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
        runtime.run(rank).watch.results = None;
        runtime.driver.verification().into_iter().for_each(|driver| driver.see(rank));
    });
    super::select(rank);
}

/// The program has overwritten results.
pub fn overwritten(rank: WorldRank, low: u64, high: u64) {
    update(rank, |results| results.overwrite(low, high));
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

/// A call is given an array of request handles.
#[inline]
pub fn handles(low: u64, high: u64) {
    if is_unseen() {
        let rank = current_rank();
        let may_join =
            matches!(with(|runtime| runtime.run(rank).call.function()), Some(Function::Waitany | Function::Waitall));
        if !may_join && with_group(rank, |group| meets(group.array, low, high)) == Some(true) {
            see(rank);
        }
    }
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
            memory.iter().any(|owned| meaning(owned) != Meaning::Nothing || has_group && is_early(owned))
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
        Function::Finalize => with_group(rank, |_| ()).is_none(),
        _ => function.reads_buffers_only(),
    };
    if !harmless {
        see(rank);
    }
}

//! What every program does to memory that belongs to MPI, however it was compiled: it gives the memory to another
//! operation, frees it, or leaves the function whose variable it is. And buffers of one call that overlap.
//!
//! Source: MPI 5.0 §3.7.2 (until an operation is complete, what it sends from may be read only, what it receives into
//! not even that), §4.1.11 and §6.5 (nothing may be received twice), §3.10 and §2.3 (nor where the same call sends
//! from). Sending from the same memory several times is allowed.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_mpi::buffers::{self, Owned};
use smpi_mpi::collective::Part;
use smpi_mpi::p2p::request::{Body, Request, RequestKey};
use smpi_mpi::rma::{Access, Action, WindowId};
use smpi_mpi::usage::{Lent, Origin};

use super::bounds::{are_bounds_checked, inside};
use super::{LENT, Touch, are_windows_checked, is_checked, report, select, started_at};
use super::{results, sweeps, unwritten};
use crate::checks;
use smpi_process as process;
use smpi_runtime::Runtime;
use smpi_runtime::watch::Territory;
use smpi_runtime::{MpiPhase, current_rank, is_running, try_with, with};

/// Bytes that our own functions have on the stack, at most, between the program's call and [`entered`].
const OWN_FRAMES: usize = 2048;

/// What is wrong with the memory of an operation that starts.
#[derive(Clone, Copy, Default)]
struct Offences {
    /// Its own buffers overlap; whether both receive.
    overlap: Option<bool>,
    /// Whether it writes memory that belongs to another operation, and to which.
    contested: Option<(bool, (RequestKey, bool))>,
}

impl Offences {
    /// Of an operation of the calling rank, with this request if it has one.
    #[inline]
    fn note(self, own: Option<RequestKey>) {
        if let Some(twice) = self.overlap {
            note_overlap(twice);
        }
        if let Some((writes, other)) = self.contested {
            note_shared(own, writes, other);
        }
    }
}

/// Whether some of this memory belongs to an operation that is under way, as [`Offences::contested`] has it.
#[inline]
fn contested(territory: &Territory, memory: &[Owned]) -> Option<(bool, (RequestKey, bool))> {
    memory.iter().find_map(|owned| Some((owned.receives, territory.contested(owned)?)))
}

/// A call starts an operation of the calling rank, by `start`.
#[inline]
pub fn starting<R>(key: RequestKey, start: impl FnOnce(&mut Runtime, WorldRank) -> R) -> R {
    let rank = current_rank();
    if are_windows_checked() && with(|runtime| runtime.world.meets_windows(rank, key)) {
        // Its buffers are compared with accesses to them by windows.
        checks::place_at_window(key);
    }
    if !is_checked() {
        return with(|runtime| start(runtime, rank));
    }
    checks::place(key);
    results::started(key);
    unwritten::starts(key);
    let (offences, outcome) = with(|runtime| (offences(runtime, rank, key), start(runtime, rank)));
    offences.note(Some(key));
    outcome
}

#[inline]
fn offences(runtime: &mut Runtime, rank: WorldRank, key: RequestKey) -> Offences {
    forget_over_in(runtime, rank);
    let territory = runtime.ranks[rank.index()].watch.owned.as_deref();
    let Some(request) = runtime.world.request(rank, key) else { return Offences::default() };
    let contested = territory.and_then(|territory| contested(territory, &buffers::owned(request)));
    Offences { overlap: own_overlap(request), contested }
}

/// Whether buffers of one operation overlap that must not, and whether both receive. The calls of collective operations
/// tell more of their buffers than the schedule does: see [`apart`].
#[inline]
fn own_overlap(request: &Request) -> Option<bool> {
    match &request.body {
        Body::Recv(recv) => buffers::overlap(&[], std::slice::from_ref(&recv.part)),
        Body::MatchedRecv(part, _) => buffers::overlap(&[], std::slice::from_ref(part)),
        Body::Partitioned(all) if !all.sends => buffers::overlap(&[], std::slice::from_ref(&all.part)),
        Body::SendRecv(both) => {
            let sent = buffers::sent_part(request);
            buffers::overlap(sent.map_or(&[], std::slice::from_ref), std::slice::from_ref(&both.recv.part))
        }
        _ => None,
    }
}

/// A call that is over at once reads or writes this memory.
#[inline]
pub fn uses(part: &Part, writes: bool) {
    if !writes {
        unwritten::gives(part, false);
    }
    if is_checked()
        && let Some(owned) = Owned::of(part, writes)
        && let Some(other) = with(|runtime| {
            forget_over_in(runtime, current_rank());
            runtime.run(current_rank()).watch.owned.as_ref()?.contested(&owned)
        })
    {
        note_shared(None, writes, other);
    }
}

#[cold]
fn note_shared(own: Option<RequestKey>, writes: bool, other: (RequestKey, bool)) {
    let (rank, place) = (current_rank(), checks::origin());
    with(|runtime| {
        let origin = started_at(runtime, rank, other.0);
        if runtime.run(rank).watch.is_new(place.site, origin) {
            runtime.world.note_shared((rank, place, own), writes, (other.0, origin, other.1));
        }
    });
}

#[cold]
fn note_overlap(twice: bool) {
    let place = checks::origin();
    checks::note_once(place, |world, rank| world.note_overlap(rank, place, twice));
}

/// An access of the calling rank to a window is started, by `start`: its buffers belong to MPI until the rank has
/// waited for it.
#[inline]
pub fn lending<R, E>(access: Access, start: impl FnOnce(Access) -> Result<R, E>) -> Result<R, E> {
    if is_checked() { lend(access, start) } else { start(access) }
}

fn lend<R, E>(access: Access, start: impl FnOnce(Access) -> Result<R, E>) -> Result<R, E> {
    let (about, request, origin) = ((access.window, access.target), access.request, access.made);
    let parts = |receives: bool| {
        let own = access.own_memory().filter(|own| own.1 == receives);
        own.map(|(part, _)| part.clone()).collect::<Vec<Part>>()
    };
    unwritten::accesses(&access);
    let overlap = buffers::overlap(&parts(false), &parts(true));
    let memory: Vec<Owned> = access.own_memory().filter_map(|(part, receives)| Owned::of(part, receives)).collect();
    let outcome = start(access)?;
    let rank = current_rank();
    let contested = with(|runtime| {
        forget_over_in(runtime, rank);
        let watch = &mut runtime.run(rank).watch;
        let contested = watch.owned.as_deref().and_then(|territory| contested(territory, &memory));
        watch.lend(about, request, origin, &memory);
        contested
    });
    Offences { overlap, contested }.note(None);
    select(rank);
    Ok(outcome)
}

/// The calling rank has waited for its accesses to a target of a window, or to all: their buffers are its own again.
#[inline]
pub fn given_back(window: WindowId, target: Option<u32>) {
    if is_checked() {
        let rank = current_rank();
        with(|runtime| runtime.run(rank).watch.give_back(window, target));
        select(rank);
    }
}

/// These bytes of the calling rank become memory of a window in this call, or are it no longer.
pub fn changes_hands(at: u64, len: u64) {
    if are_windows_checked() {
        let (rank, place) = (current_rank(), checks::origin_at_window());
        with(|runtime| runtime.world.note_own(&mut runtime.driver, rank, (at, at + len), Action::Write, || place));
    }
}

/// The memory of the calling rank that others reach by windows is another one now.
pub fn exposed() {
    let rank = current_rank();
    with(|runtime| runtime.world.look_at_windows(rank));
    select(rank);
}

/// The buffers of a collective call of the calling rank, which must not overlap, nor reach beyond their objects.
#[inline]
pub fn apart(sent: impl FnOnce() -> Vec<Part>, received: impl FnOnce() -> Vec<Part>) {
    if !is_checked() && !are_bounds_checked() {
        return;
    }
    let (sent, received) = (sent(), received());
    sent.iter().for_each(|part| inside(part, "sendbuf"));
    received.iter().for_each(|part| inside(part, "recvbuf"));
    if is_checked()
        && let Some(twice) = buffers::overlap(&sent, &received)
    {
        note_overlap(twice);
    }
}

/// The operations without requests that are over, and of which the rank can know it, have no memory any more.
pub(super) fn forget_over(rank: WorldRank) {
    with(|runtime| forget_over_in(runtime, rank));
}

#[inline]
fn forget_over_in(runtime: &mut Runtime, rank: WorldRank) {
    let Runtime { world, ranks, .. } = runtime;
    let watch = &mut ranks[rank.index()].watch;
    if watch.orphans().next().is_some() {
        watch.forget_orphans(|orphan| !orphan.receives && world.is_freed_over(rank, orphan.request));
    }
}

/// The program frees the block of its heap at an address, which has `len` bytes. Whether MPI has it, so that it is
/// kept.
pub fn freed(at: usize, len: &dyn Fn() -> usize) -> bool {
    if at >= LENT.high.load(Ordering::Relaxed) {
        return false;
    }
    let len = len();
    at + len > LENT.low.load(Ordering::Relaxed) && look_at_freed(at as u64, len as u64)
}

#[cold]
fn look_at_freed(at: u64, len: u64) -> bool {
    let Some(rank) = process::current_rank().filter(|_| is_running()) else { return false };
    sweeps::finish();
    let place = || Origin { site: process::own_site(), call: Callee::Other(checks::FREE) };
    let bytes = (at, at + len);
    let found = try_with(|runtime| {
        // What is under way at MPI_Finalize is a finding of its own.
        if runtime.run(rank).phase != MpiPhase::Active {
            return None;
        }
        forget_over_in(runtime, rank);
        let offended = runtime.run(rank).watch.offended(bytes.0, bytes.1, true);
        let is_resting = runtime.run(rank).watch.lose(bytes, place);
        runtime.world.note_freed(rank, bytes, place);
        Some((offended, is_resting, runtime.world.lent(rank, bytes)))
    });
    let Some((offended, is_resting, lent)) = found.flatten() else { return false };
    if let Some((request, receives)) = offended {
        let place = place();
        report(rank, request, receives, Touch::Free, place);
    }
    if let Some((lent, _)) = lent {
        let place = place();
        report_given_up(rank, Touch::Free, lent, place, (place.site, place));
    }
    offended.is_some() || is_resting || lent.is_some()
}

/// Notes that memory is given up that MPI has for longer than an operation, once for each `cause`.
#[cold]
fn report_given_up(rank: WorldRank, touch: Touch, lent: Lent, place: Origin, cause: (u64, Origin)) {
    with(|runtime| {
        if runtime.run(rank).watch.is_new(cause.0, cause.1) {
            runtime.world.note_given_up(rank, place, touch, lent);
        }
    });
}

/// How far the program's stack pointer is above [`entered`], by the function that was called: finding it takes long.
static DEPTHS: Mutex<BTreeMap<Function, usize>> = Mutex::new(BTreeMap::new());

/// The calling rank enters an MPI function: what lies below the frame that called is no variable of a function that
/// still runs.
#[inline(always)]
pub fn entered(function: Function) {
    let here = 0u8;
    let here = std::ptr::from_ref(&here).addr();
    sweeps::finish();
    if is_checked() && LENT.low.load(Ordering::Relaxed) < here + OWN_FRAMES {
        look_below(function, here);
    }
}

#[cold]
fn look_below(function: Function, here: usize) {
    let depth = DEPTHS.lock().unwrap_or_else(PoisonError::into_inner).get(&function).copied();
    if depth.is_some_and(|depth| LENT.low.load(Ordering::Relaxed) >= here + depth) {
        return;
    }
    let Some((base, top)) = process::frames_left() else { return };
    DEPTHS.lock().unwrap_or_else(PoisonError::into_inner).insert(function, top.saturating_sub(here));
    let rank = current_rank();
    let (left, lent) = with(|runtime| {
        forget_over_in(runtime, rank);
        let left = runtime.run(rank).watch.offended(base as u64, top as u64, true);
        (left, runtime.world.lent(rank, (base as u64, top as u64)))
    });
    if let Some((lent, at)) = lent {
        // Where it is noticed first is told, and that once.
        let place = Origin { site: process::own_site(), call: Callee::Function(function) };
        report_given_up(rank, Touch::Leave, lent, place, (at, Origin::default()));
    }
    if let Some((request, receives)) = left {
        // Where it is noticed is no part of the cause.
        report(rank, request, receives, Touch::Leave, Default::default());
    }
}

//! What the program does with its memory, as far as it was compiled with `smpicc --verify`.
//!
//! Such a program calls a function of [`hooks`] at each read and write (those of the thread sanitizer, whose library it
//! is not linked with). Mostly nobody wants to know: then the call compares the address with the limits in [`LIMITS`],
//! and returns. While MPI owns memory of the rank that runs, under the checker or with `--strict`, the limits enclose
//! that memory, and accesses within are looked up in the rank's [`Watch`].
//!
//! What MPI calls, `free` and returns from functions do to such memory is found in every program: [`operations`].
//!
//! Not seen: what libraries do with the program's memory, apart from the functions in [`calls`] and [`fortran_io`], and
//! code that was compiled without the option ([`coverage`]).

mod atomics;
mod bounds;
mod calls;
mod coverage;
mod declared;
mod fortran_io;
mod harmless;
mod hooks;
mod operations;
mod requests;
pub mod results;
mod sweeps;
mod turns;
pub mod unwritten;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_mpi::buffers;
use smpi_mpi::p2p::request::RequestKey;
use smpi_mpi::rma::Action;
use smpi_mpi::usage::{Origin, Touch};
use smpi_mpi::world::Chooser;

use smpi_process as process;
use smpi_runtime::{Runtime, current_rank, is_running, try_with, with};

pub use bounds::{check_bounds, check_declared, inside, inside_bytes};
pub use coverage::{look_at, unseen};
pub use harmless::{is_complete, suspect};

pub use operations::{apart, changes_hands, entered, exposed, freed, given_back, lending, starting, uses};
pub use requests::{ended, forgotten, restarting};
use smpi_runtime::watch::Meaning;
pub use sweeps::finish as finish_sweeps;
pub use turns::arguments_of_atomic;

/// Misuse of memory that belongs to MPI is looked for: under the checker, and with `--strict`.
static CHECKED: AtomicBool = AtomicBool::new(false);

/// Misuse of memory of windows is looked for.
static WINDOWS_CHECKED: AtomicBool = AtomicBool::new(false);

/// A program is opened that takes functions of these names from libraries. If it reports its accesses, it gets
/// functions that report theirs in the place of some.
pub fn opened(imported: &[String]) -> process::Replacement {
    harmless::note_program(imported);
    if imported.iter().any(|name| name == "__tsan_init") { replacement } else { |_| None }
}

/// Address of what a program that reports its accesses gets instead of a library's function, if it gets something else.
fn replacement(name: &str) -> Option<usize> {
    calls::replacement(name).or_else(|| fortran_io::replacement(name))
}

/// Some program of this run reports its accesses.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// Accesses to other memory than that from `low` up to `high` (not included) are of no interest.
struct Limits {
    low: AtomicUsize,
    high: AtomicUsize,
}

/// For the rank that runs.
static LIMITS: Limits = Limits { low: AtomicUsize::new(usize::MAX), high: AtomicUsize::new(0) };

/// The same for memory that the rank may use as it likes, and must not give up: that of persistent requests between
/// their operations, and what is attached for sends in buffered mode. What [`LIMITS`] enclose is within.
static LENT: Limits = Limits { low: AtomicUsize::new(usize::MAX), high: AtomicUsize::new(0) };

impl Limits {
    fn set(&self, low: usize, high: usize) {
        self.low.store(low, Ordering::Relaxed);
        self.high.store(high, Ordering::Relaxed);
    }
}

/// The program reads or writes `len` bytes at `at`, by a function of a library.
#[inline(always)]
fn access(at: usize, len: usize, write: bool) {
    access_from(at, len, write, 0);
}

/// The program reads or writes `len` bytes at `at`; `caller`: where its code goes on then, 0 if that is to be found.
#[inline(always)]
fn access_from(at: usize, len: usize, write: bool, caller: usize) {
    if is_of_interest(at, len) {
        look_up((at as u64, len as u64), if write { Action::Write } else { Action::Read }, caller, false);
    }
}

#[inline(always)]
fn is_of_interest(at: usize, len: usize) -> bool {
    at.wrapping_add(len) > LIMITS.low.load(Ordering::Relaxed) && at < LIMITS.high.load(Ordering::Relaxed)
}

/// A program that reports its accesses was loaded, or has started.
pub fn note_use() {
    IN_USE.store(true, Ordering::Relaxed);
}

/// Whether some program of this run does.
pub fn is_reported() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// Someone wants to know what is done with memory that belongs to MPI.
pub fn check() {
    CHECKED.store(true, Ordering::Relaxed);
    check_windows();
}

/// Someone wants to know what is done with memory of windows.
pub fn check_windows() {
    WINDOWS_CHECKED.store(true, Ordering::Relaxed);
    process::report_freed();
}

/// Whether someone wants to know.
#[inline]
pub fn is_checked() -> bool {
    CHECKED.load(Ordering::Relaxed)
}

#[inline]
fn are_windows_checked() -> bool {
    WINDOWS_CHECKED.load(Ordering::Relaxed)
}

/// A rank runs from now on.
#[inline]
pub fn select(rank: WorldRank) {
    if are_windows_checked() {
        with(|runtime| {
            let (mut low, mut high) = runtime.run(rank).watch.limits();
            sweeps::select(low > high && runtime.driver.explores());
            if let Some((from, to)) = runtime.world.exposed(rank) {
                (low, high) = (low.min(from as usize), high.max(to as usize));
            }
            LIMITS.set(low, high);
            let more = [runtime.run(rank).watch.resting(), runtime.world.attached(rank)];
            for (from, to) in more.into_iter().flatten() {
                (low, high) = (low.min(from as usize), high.max(to as usize));
            }
            LENT.set(low, high);
            results::select(&runtime.run(rank).watch);
        });
    }
}

/// The buffers of a request of the calling rank belong to MPI from now on, if it was started.
#[inline]
pub fn own(request: RequestKey) {
    if is_checked() {
        let rank = current_rank();
        with(|runtime| {
            let Some(found) = runtime.world.request(rank, request) else { return };
            let memory = buffers::owned(found);
            if found.started {
                runtime.run(rank).watch.add(request, &memory);
            } else if found.persistent {
                let memory = buffers::described(found).into_iter().chain(memory).collect::<Vec<_>>();
                runtime.run(rank).watch.rest(request, &memory);
            }
        });
        select(rank);
    }
}

/// The buffers of a request of the calling rank are the program's again.
#[inline]
pub fn release(request: RequestKey) {
    if is_checked() {
        release_checked(request);
    }
}

#[inline(never)]
fn release_checked(request: RequestKey) {
    let rank = current_rank();
    let had_any = with(|runtime| {
        let Runtime { world, ranks, .. } = runtime;
        let watch = &mut ranks[rank.index()].watch;
        let had_any = watch.owned.is_some();
        watch.remove(request);
        world.members(rank, request.slot).iter().for_each(|&member| watch.remove(member));
        had_any
    });
    if had_any {
        select(rank);
    }
}

/// What an access is, in words.
fn word(writes: bool) -> &'static str {
    if writes { "a write" } else { "a read" }
}

/// Accesses to memory of interest, or to what lies between it. `is_chosen`: it takes place later, when that is chosen,
/// and is compared with others then.
#[cold]
#[inline(never)]
fn look_up((at, len): (u64, u64), action: Action, caller: usize, is_chosen: bool) {
    let Some(rank) = process::current_rank().filter(|_| is_running()) else { return };
    if action.is_atomic() {
        sweeps::finish();
    }
    let write = action.writes();
    let meaning = try_with(|runtime| {
        let results = runtime.run(rank).watch.results.as_ref();
        results.map_or(Meaning::Nothing, |results| results.meaning(at, at + len, write))
    });
    match meaning {
        Some(Meaning::Seen) => results::see(rank),
        Some(Meaning::Overwritten) => results::overwritten(rank, at, at + len),
        Some(Meaning::Nothing) | None => {}
    }
    if results::is_unseen() {
        results::touched(rank, (at, at + len), write);
    }
    let site = || process::site_of_caller(caller).unwrap_or_else(process::own_site);
    let place = || Origin { site: site(), call: Callee::Other(word(write)) };
    // A function of the program that we call on behalf of an operation may use its buffers.
    if try_with(|runtime| runtime.run(rank).doing.is_call()) != Some(false) {
        return;
    }
    if sweeps::keep(rank, (at, len), action, caller) {
        return;
    }
    if !is_chosen {
        with(|runtime| runtime.world.note_own(&mut runtime.driver, rank, (at, at + len), action, place));
    }
    operations::forget_over(rank);
    if let Some((request, receives)) = with(|runtime| runtime.run(rank).watch.offended(at, at + len, write)) {
        // With another result of Waitany it might have been allowed.
        if with(|runtime| runtime.run(rank).watch.results.as_ref().is_some_and(|results| results.has_group())) {
            results::see(rank);
        }
        report(rank, request, receives, if write { Touch::Write } else { Touch::Read }, place());
    }
}

/// Where that was started which memory belongs to by this key.
fn started_at(runtime: &mut Runtime, rank: WorldRank, key: RequestKey) -> Origin {
    let borrowed = runtime.run(rank).watch.borrowed_at(key);
    borrowed.or_else(|| runtime.world.request(rank, key).map(|request| request.origin())).unwrap_or_default()
}

/// Notes an access, once for each place.
#[cold]
fn report(rank: WorldRank, request: RequestKey, receives: bool, touch: Touch, place: Origin) {
    with(|runtime| {
        let origin = started_at(runtime, rank, request);
        if runtime.run(rank).watch.is_new(place.site, origin) {
            // What is known need not be noticed by the content, too, which the request itself has.
            let freed = runtime.run(rank).watch.orphans().find(|orphan| orphan.key == request).map(|one| one.request);
            let request = freed.unwrap_or(request);
            runtime.world.note_access(rank, (request, origin), receives, (touch, place));
        }
    });
}

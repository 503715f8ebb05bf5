//! What threads that a rank started may ask at any time, whatever its level of thread support: whether and how MPI
//! runs, and which version it is (MPI 5.0 §11.6); and, as long as other calls are the main thread's (no more than
//! `MPI_THREAD_FUNNELED` is provided), who the rank is, where it is, and what time it is. Such threads run beside the
//! simulation and must not touch the runtime, so where a rank stands is kept here as well. In a verification there are
//! no such threads.

use std::sync::atomic::{AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::abi::constants::MPI_THREAD_FUNNELED;
use smpi_abi::Function;
use smpi_base::WorldRank;

use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_process as process;
use smpi_runtime::MpiPhase;
use smpi_runtime::summary::Wall;

/// The level of thread support that is provided at most.
pub const MOST: i32 = MPI_THREAD_FUNNELED;

/// Where one rank stands.
#[derive(Default)]
struct Standing {
    /// A [`MpiPhase`].
    phase: AtomicU8,
    thread_level: AtomicI32,
    /// Its host.
    host: OnceLock<String>,
    /// Its communicators by their handles: the own rank and the size.
    comms: Mutex<Vec<(u64, (i32, i32))>>,
    /// The bits of the simulated seconds when it left MPI last.
    left: AtomicU64,
    /// What threads were told of time.
    told: Mutex<Told>,
}

/// What the threads of a rank were told of time: the first one that asks after the rank has left MPI is told that date,
/// the others how long ago that was besides. They run in real time.
#[derive(Default)]
struct Told {
    left: u64,
    asked_secs: f64,
    last_secs: f64,
}

/// By rank; made when the first of them initialises MPI.
static STANDINGS: OnceLock<Vec<Standing>> = OnceLock::new();

/// The clock of this machine, from the first time that a thread asks.
static WALL: OnceLock<Wall> = OnceLock::new();

/// Whether the calling thread was started by a rank, and asks what any thread may ask.
pub fn may_ask(function: Function) -> bool {
    process::thread_owner().is_some() && function.is_for_any_thread()
}

/// A rank initialises MPI, one of `ranks`.
pub fn note_init(rank: WorldRank, ranks: usize) {
    let standings = STANDINGS.get_or_init(|| (0..ranks).map(|_| Standing::default()).collect());
    standings[rank.index()].phase.store(MpiPhase::Active as u8, Ordering::Relaxed);
}

/// Where a rank runs.
pub fn note_host(rank: WorldRank, host: &str) {
    if let Some(standing) = standing(rank) {
        // It stays there.
        let _ = standing.host.set(host.to_string());
    }
}

/// A rank has a communicator with this handle, in which it has this rank, of this many.
pub fn note_comm(rank: WorldRank, handle: u64, own_and_size: (i32, i32)) {
    if let Some(standing) = standing(rank) {
        let mut comms = standing.comms.lock().unwrap_or_else(PoisonError::into_inner);
        comms.retain(|comm| comm.0 != handle);
        comms.push((handle, own_and_size));
    }
}

/// A rank has freed a communicator.
pub fn forget_comm(rank: WorldRank, handle: u64) {
    if let Some(standing) = standing(rank) {
        standing.comms.lock().unwrap_or_else(PoisonError::into_inner).retain(|comm| comm.0 != handle);
    }
}

/// A rank leaves MPI at this simulated date.
#[inline]
pub fn note_left(rank: WorldRank, secs: f64) {
    if let Some(standing) = standing(rank) {
        standing.left.store(secs.to_bits(), Ordering::Relaxed);
    }
}

/// Whose thread the calling one is, if it is not that of the ranks: those are told first, because asking whose thread
/// one is takes longer.
#[inline]
fn bystander() -> Option<WorldRank> {
    if process::is_rank() { None } else { process::thread_owner() }
}

/// For a thread that a rank started: the own rank in a communicator of that rank, and its size.
///
/// # Errors
/// `MPI_ERR_COMM` for a handle that the rank has not.
#[inline]
pub fn comm(handle: u64) -> Option<Result<(i32, i32)>> {
    bystander().map(|owner| comm_of(owner, handle))
}

#[cold]
#[inline(never)]
fn comm_of(owner: WorldRank, handle: u64) -> Result<(i32, i32)> {
    let found = standing(owner).and_then(|standing| {
        let comms = standing.comms.lock().unwrap_or_else(PoisonError::into_inner);
        comms.iter().find(|comm| comm.0 == handle).map(|comm| comm.1)
    });
    let unknown = || MpiError::new(ErrorClass::COMM, "the handle is no communicator of the rank of this thread");
    found.ok_or_else(unknown)
}

/// For a thread that a rank started: the host of that rank.
pub fn host() -> Option<&'static str> {
    let owner = bystander()?;
    Some(standing(owner).and_then(|standing| standing.host.get()).map_or("", String::as_str))
}

/// For a thread that a rank started: the simulated date, in seconds. It never goes back.
pub fn now() -> Option<f64> {
    let owner = bystander()?;
    let Some(standing) = standing(owner) else { return Some(0.0) };
    let left = standing.left.load(Ordering::Relaxed);
    let real_secs = WALL.get_or_init(Wall::start).seconds();
    let mut told = standing.told.lock().unwrap_or_else(PoisonError::into_inner);
    if told.left != left {
        (told.left, told.asked_secs) = (left, real_secs);
    }
    told.last_secs = told.last_secs.max(f64::from_bits(left) + (real_secs - told.asked_secs));
    Some(told.last_secs)
}

/// A rank has finalised MPI.
pub fn note_finalize(rank: WorldRank) {
    if let Some(standing) = standing(rank) {
        standing.phase.store(MpiPhase::After as u8, Ordering::Relaxed);
    }
}

/// What `MPI_Init_thread` provided.
pub fn note_level(rank: WorldRank, level: i32) {
    if let Some(standing) = standing(rank) {
        standing.thread_level.store(level, Ordering::Relaxed);
    }
}

/// For a thread that a rank started: where that rank is between `MPI_Init` and `MPI_Finalize`.
pub fn phase() -> Option<MpiPhase> {
    let owner = process::thread_owner()?;
    let phase = standing(owner).map_or(0, |standing| standing.phase.load(Ordering::Relaxed));
    let phases = [MpiPhase::Before, MpiPhase::Active, MpiPhase::After];
    phases.into_iter().find(|&known| known as u8 == phase)
}

/// For a thread that a rank started: that rank's level of thread support.
pub fn thread_level() -> Option<i32> {
    let owner = process::thread_owner()?;
    Some(standing(owner).map_or(0, |standing| standing.thread_level.load(Ordering::Relaxed)))
}

fn standing(rank: WorldRank) -> Option<&'static Standing> {
    STANDINGS.get()?.get(rank.index())
}

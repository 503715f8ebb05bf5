//! What threads that a rank started may ask at any time, whatever its level of thread support: whether and how MPI
//! runs, and which version it is (MPI 5.0 §11.6). Such threads run beside the simulation and must not touch the
//! runtime, so where a rank stands is kept here as well, in atomics. In a verification there are no such threads.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU8, Ordering};

use smpi_abi::Function;
use smpi_base::WorldRank;

use smpi_process as process;
use smpi_runtime::MpiPhase;

/// Where one rank stands.
#[derive(Default)]
struct Standing {
    /// A [`MpiPhase`].
    phase: AtomicU8,
    thread_level: AtomicI32,
}

/// By rank; made when the first of them initialises MPI.
static STANDINGS: OnceLock<Vec<Standing>> = OnceLock::new();

/// Whether the calling thread was started by a rank, and asks what any thread may ask.
pub fn may_ask(function: Function) -> bool {
    process::thread_owner().is_some() && function.is_for_any_thread()
}

/// A rank initialises MPI, one of `ranks`.
pub fn note_init(rank: WorldRank, ranks: usize) {
    let standings = STANDINGS.get_or_init(|| (0..ranks).map(|_| Standing::default()).collect());
    standings[rank.index()].phase.store(MpiPhase::Active as u8, Ordering::Relaxed);
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

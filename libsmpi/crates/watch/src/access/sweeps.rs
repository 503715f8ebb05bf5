//! Loads and stores of a rank's own window memory, many at a time.
//!
//! What a rank does between two calls is compared with accesses of others as a whole: they hear of it at the next call
//! only, and bytes are what matters, not their order (`smpi_mpi`, `world/own.rs`). So a loop over an array is kept as
//! one range for each line that reads or writes, as long as each access begins where the range ends or lies within, and
//! is noted when the rank calls MPI, uses an atomic operation, frees memory or stops. To note an access takes two
//! thousand instructions, to keep one more some fifty.
//!
//! Only memory of windows can wait: what operations and results of calls own is told of at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_abi::Callee;
use smpi_base::WorldRank;
use smpi_mpi::rma::Action;
use smpi_mpi::usage::Origin;
use smpi_process::{HostCell, site_of_caller};
use smpi_runtime::with;

use super::word;

/// Lines whose ranges are kept at a time.
const LINES: usize = 16;

/// The bytes that one line has read, or written.
#[derive(Clone, Copy)]
struct Sweep {
    /// Where its code goes on; 0: none.
    caller: usize,
    writes: bool,
    bytes: (u64, u64),
    /// Its place in the program.
    site: u64,
    /// How many were begun before it since the rank called MPI.
    order: u32,
}

const NONE: Sweep = Sweep { caller: 0, writes: false, bytes: (0, 0), site: 0, order: 0 };

struct Sweeps {
    rank: Cell<WorldRank>,
    begun: Cell<u32>,
    kept: [Cell<Sweep>; LINES],
}

// SAFETY: ranks, which run on the hosting thread, keep what they access, and what hosts them notes it.
static SWEEPS: HostCell<Sweeps> = unsafe {
    HostCell::new(Sweeps {
        rank: Cell::new(WorldRank(0)),
        begun: Cell::new(0),
        kept: [const { Cell::new(NONE) }; LINES],
    })
};

/// The rank that runs has nothing but windows to be told of, so that this can wait.
static CAN_WAIT: AtomicBool = AtomicBool::new(false);

/// Whether accesses of the rank that runs from now on can wait.
pub fn select(can_wait: bool) {
    CAN_WAIT.store(can_wait, Ordering::Relaxed);
}

/// Keeps an access of a rank's program, if it can wait.
#[inline]
pub fn keep(rank: WorldRank, (at, len): (u64, u64), action: Action, caller: usize) -> bool {
    if !CAN_WAIT.load(Ordering::Relaxed) || action.is_atomic() || caller == 0 {
        return false;
    }
    let (writes, end) = (action.writes(), at + len);
    let slot = &SWEEPS.kept[(caller ^ caller >> 4) % LINES];
    let known = slot.get();
    let (low, high) = known.bytes;
    if known.caller == caller && known.writes == writes && at <= high && low <= end {
        slot.set(Sweep { bytes: (low.min(at), high.max(end)), ..known });
        return true;
    }
    // Only what is known to be in the program can be found later.
    let Some(site) = site_of_caller(caller) else { return false };
    note(SWEEPS.rank.get(), known);
    let order = SWEEPS.begun.get();
    SWEEPS.begun.set(order + 1);
    SWEEPS.rank.set(rank);
    slot.set(Sweep { caller, writes, bytes: (at, end), site, order });
    true
}

/// Notes all that was kept: whatever is done next may tell others of it.
#[inline]
pub fn finish() {
    if SWEEPS.begun.get() > 0 {
        note_all();
    }
}

#[cold]
fn note_all() {
    let mut kept: Vec<Sweep> = SWEEPS.kept.iter().map(|slot| slot.replace(NONE)).collect();
    SWEEPS.begun.set(0);
    kept.sort_by_key(|sweep| sweep.order);
    kept.into_iter().for_each(|sweep| note(SWEEPS.rank.get(), sweep));
}

fn note(rank: WorldRank, sweep: Sweep) {
    if sweep.caller == 0 {
        return;
    }
    let action = if sweep.writes { Action::Write } else { Action::Read };
    let made = Origin { site: sweep.site, call: Callee::Other(word(sweep.writes)) };
    with(|runtime| runtime.world.note_own(&mut runtime.driver, rank, sweep.bytes, action, || made));
}

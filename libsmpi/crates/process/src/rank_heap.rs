//! Memory for libsmpi in the heaps of ranks: it is part of a rank's snapshots, and lost with the rank.

use crate::calls::fresh;
use crate::state;
use smpi_base::WorldRank;
use std::ffi::c_void;
use std::ptr;

/// Memory in the heap of a rank, whoever runs.
///
/// # Panics
/// When the rank's heap is full.
pub fn rank_allocate(rank: WorldRank, len: usize) -> usize {
    let host = state::host().expect("ranks are hosted");
    // What others have left there would belong to the state, where states have names.
    let block = fresh::unmarked(&host.records[rank.index()], len);
    assert!(!block.is_null(), "the heap of rank {rank} is full; --heap-size sets its limit");
    block.addr()
}

/// Gives back memory of [`rank_allocate`].
pub fn rank_free(rank: WorldRank, block: usize) {
    if let Some(host) = state::host() {
        // SAFETY: the block is not used any more.
        let freed = unsafe { host.records[rank.index()].own.arena.free(ptr::with_exposed_provenance_mut(block)) };
        debug_assert!(freed.is_ok());
    }
}

/// Memory in the heap of the calling rank, which is lost with it.
pub fn own_allocate(len: usize) -> *mut c_void {
    match state::current_rank() {
        Some(rank) => ptr::with_exposed_provenance_mut(rank_allocate(rank, len)),
        // SAFETY: any size may be asked for; a program that runs alone ends when its memory does.
        None => unsafe { libc::malloc(len) },
    }
}

/// Gives back memory of [`own_allocate`].
///
/// # Safety
/// It came from there, and nobody uses it any more.
pub unsafe fn own_free(block: *mut c_void) {
    match state::current_rank() {
        Some(rank) => rank_free(rank, block.expose_provenance()),
        // SAFETY: `own_allocate` got it from `malloc` off a rank's stack, and the caller gives it up.
        None => unsafe { libc::free(block) },
    }
}

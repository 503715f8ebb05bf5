//! Accesses that have waited for their targets to expose their memory, where they need not (MPI 5.0 §12.5.2).
//!
//! `MPI_Win_start` may wait for `MPI_Win_post`, or an access, or `MPI_Win_complete`. An exploration in which calls wait
//! as little as MPI allows lets accesses wait. What the rank does between such an access and `MPI_Win_complete` would
//! come earlier where that waits instead: to access the same target is nothing that others can see, and after anything
//! else the exploration is not complete, once a choice is open.

use smpi_abi::{Chapter, Function};
use smpi_base::WorldRank;

use crate::state::Runtime;

/// Why an exploration is not complete where an access has waited.
const EARLY_ACCESS: &str = "accesses after MPI_Win_start are taken to wait for MPI_Win_post, which MPI leaves open";

/// A rank does something that others can see. If an access of it has waited, that might have come before, and all
/// choices that were made meanwhile had other candidates.
pub fn note(runtime: &mut Runtime, rank: WorldRank) {
    let Some(awaited) = runtime.run(rank).awaited_post.take() else { return };
    if runtime.world.state.choices > awaited.choices {
        runtime.world.observers.unexplored = Some(EARLY_ACCESS);
    }
    runtime.world.state.unexplored_if_open = Some(EARLY_ACCESS);
}

/// A rank of which an access has waited calls a function.
#[inline(never)]
pub fn entered(runtime: &mut Runtime, rank: WorldRank, function: Function) {
    if function.chapter() != Chapter::Rma && function != Function::Win_complete {
        note(runtime, rank);
    }
}

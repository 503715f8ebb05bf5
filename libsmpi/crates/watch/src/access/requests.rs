//! Buffers of requests beyond the operation that a call of Wait ends: a persistent request is started after its buffer
//! was freed, or the request of an operation under way is.
//!
//! Source: MPI 5.0 §3.9 and §3.7.3.

use smpi_base::WorldRank;
use smpi_mpi::buffers;
use smpi_mpi::p2p::request::{Phase, RequestKey};

use super::{is_checked, select};
use crate::checks;
use smpi_process as process;
use smpi_runtime::{current_rank, with};

/// The calling rank is about to start a persistent request.
pub fn restarting(request: RequestKey) {
    if !is_checked() {
        return;
    }
    let rank = current_rank();
    let lost = with(|runtime| {
        let freed = runtime.run(rank).watch.lost_at(request)?;
        Some((runtime.world.request(rank, request)?.origin(), freed))
    });
    if let Some((made, freed)) = lost {
        let place = checks::origin();
        with(|runtime| {
            if runtime.run(rank).watch.is_new(place.site, made) {
                runtime.world.note_gone(rank, place, made, freed);
            }
        });
    }
}

/// The calling rank is about to free a request. The memory of an operation under way stays MPI's.
pub fn forgotten(request: RequestKey) {
    if !is_checked() {
        return;
    }
    let rank = current_rank();
    let kept = with(|runtime| {
        let found = runtime.world.request(rank, request);
        let under_way = found.filter(|found| found.phase == Phase::Active);
        let memory = under_way.map(|found| (buffers::owned(found), found.origin()));
        let watch = &mut runtime.run(rank).watch;
        watch.remove(request);
        if let Some((memory, origin)) = memory.filter(|(memory, _)| !memory.is_empty()) {
            let receives = memory.iter().any(|owned| owned.receives);
            watch.orphan(request, receives, origin, &memory);
        }
        watch.forget(request)
    });
    kept.into_iter().for_each(|block| process::rank_free(rank, block as usize));
    select(rank);
}

/// A rank has left MPI, so that all of its operations are over.
pub fn ended(rank: WorldRank) {
    if is_checked() {
        with(|runtime| runtime.run(rank).watch.forget_orphans(|_| true));
        select(rank);
    }
}

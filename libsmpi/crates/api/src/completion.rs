//! A rank waits for one operation of its own and takes what is complete.

use smpi_mpi::p2p::request::{Completion, RequestKey};
use smpi_runtime::{blocking, current_rank, with};

use crate::amended;

/// Waits for one request and takes its completion.
pub fn complete(key: RequestKey) -> Option<Completion> {
    let rank = current_rank();
    if !with(|runtime| runtime.world.is_done(rank, key)) {
        blocking::wait_all(std::iter::once(key));
    }
    let mut is_noted = false;
    let completion = with(|runtime| {
        let completion = runtime.world.take_completion(&mut runtime.driver, rank, key);
        is_noted = runtime.world.has_observations();
        completion
    });
    if let Some(completion) = &completion {
        amended::completed(rank, key, completion);
        blocking::recording(|trace, rank| trace.taken(rank, key, completion.gone));
    }
    smpi_watch::access::release(key);
    if is_noted {
        smpi_watch::checks::place_notes(rank);
    }
    if let Some(bytes) = completion.as_ref().and_then(|completion| completion.received) {
        blocking::delay(with(|runtime| runtime.settings.mpi.receive_overhead.seconds(bytes)));
    }
    completion
}

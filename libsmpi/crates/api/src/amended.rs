//! Calls that are made as if the program were written otherwise ([`smpi_runtime::amend`]): what is asked for each call
//! that can be amended. In a simulation, and in an exploration that tries nothing, that is one look at a flag.

use std::ffi::c_int;

use smpi_base::WorldRank;
use smpi_mpi::p2p::protocol::Mode;
use smpi_mpi::p2p::request::{Completion, RequestKey, Send};
use smpi_runtime::amend::{Amendment, Call, Noted, ROOM};
use smpi_runtime::{Runtime, current_rank, with};
use smpi_watch::checks::here;

use crate::abi::constants::MPI_ANY_SOURCE;

/// Whether a call has to ask.
#[inline(always)]
fn is_asked() -> bool {
    with(|runtime| runtime.amend.is_asked())
}

/// What the line of this call is amended with, if it is, as far as `wanted` tells; it may count the rank's calls there.
fn amendment<T>(wanted: impl FnOnce(&Amendment, WorldRank, &mut u32) -> Option<T>) -> Option<T> {
    let (rank, origin) = (current_rank(), here());
    with(|runtime| {
        let Runtime { amend, ranks, .. } = runtime;
        let amended = amend.amended.as_mut()?;
        if amended.is_at(rank, origin) {
            wanted(&amended.amendment, rank, &mut ranks[rank.index()].amended)
        } else {
            None
        }
    })
}

fn note(call: Call) {
    let noted = Noted { rank: current_rank(), origin: here(), call };
    with(|runtime| runtime.amend.note(noted));
}

/// The source that a receive or a blocking probe asks for.
#[inline]
pub fn source(source: c_int) -> c_int {
    if source == MPI_ANY_SOURCE && is_asked() { named(source) } else { source }
}

#[cold]
fn named(source: c_int) -> c_int {
    let named = amendment(|amendment, rank, made| match amendment {
        Amendment::Sources(sources) => {
            *made += 1;
            sources.get(rank.index())?.get(*made as usize - 1).copied().flatten()
        }
        Amendment::Sends(_) | Amendment::Barrier => None,
    });
    named.unwrap_or(source)
}

/// A receive of any source was made.
#[inline]
pub fn asked_any(source: c_int, request: RequestKey) {
    if source == MPI_ANY_SOURCE && is_asked() {
        note(Call::AnySource { request: Some(request), took: None });
    }
}

/// A rank's receive is over.
#[inline]
pub fn completed(rank: WorldRank, request: RequestKey, completion: &Completion) {
    if is_asked() {
        with(|runtime| runtime.amend.note_taken(rank, request, completion.status.source));
    }
}

/// A blocking probe of any source has found a message.
#[inline]
pub fn probed_any(source: c_int, found: c_int) {
    if source == MPI_ANY_SOURCE && is_asked() {
        note(Call::AnySource { request: None, took: Some(found) });
    }
}

/// Makes a send what it is; whether there is room for its message.
#[inline]
pub fn send(send: &mut Send) -> bool {
    send.mode == Mode::Standard && is_asked() && amended_send(send)
}

#[cold]
fn amended_send(send: &mut Send) -> bool {
    note(Call::StandardSend);
    let mode = amendment(|amendment, _, _| match amendment {
        &Amendment::Sends(mode) => Some(mode),
        Amendment::Sources(_) | Amendment::Barrier => None,
    });
    match mode {
        Some(Mode::Buffered) => return true,
        Some(mode) => send.mode = mode,
        None => {}
    }
    false
}

/// Starts something; with `room`, messages of this rank need not wait meanwhile.
#[inline]
pub fn with_room<R>(room: bool, start: impl FnOnce() -> R) -> R {
    if !room {
        return start();
    }
    let replace = |thresholds| with(|runtime| runtime.world.replace_thresholds_of(current_rank(), thresholds));
    let before = replace(Some(ROOM));
    let started = start();
    replace(before);
    started
}

/// Whether a barrier comes before a blocking collective operation.
#[inline]
pub fn has_barrier() -> bool {
    is_asked() && wants_barrier()
}

#[cold]
fn wants_barrier() -> bool {
    note(Call::Collective);
    amendment(|amendment, _, _| (*amendment == Amendment::Barrier).then_some(())).is_some()
}

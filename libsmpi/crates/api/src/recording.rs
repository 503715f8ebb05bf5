//! What calls tell the recorder of a time-independent trace, beside what `smpi-runtime` tells it.
//!
//! A call that does something of which the trace has no line is noticed when it ends: the trace says so there, and the
//! user is told at the end of the run.

use smpi_abi::{Chapter, Function};
use smpi_base::WorldRank;
use smpi_dwarf::source;
use smpi_mpi::p2p::request::RequestKey;
use smpi_process as process;
use smpi_runtime::{Runtime, blocking};

/// A rank leaves its present call.
#[cold]
pub(crate) fn left(runtime: &mut Runtime, rank: WorldRank) {
    let posts = runtime.world.posts().len();
    // Ranks that come later, ports and files are never in a trace.
    let is_held = runtime.run(rank).call.function().is_none_or(|function| match function.chapter() {
        Chapter::Process => function == Function::Comm_disconnect,
        chapter => !matches!(chapter, Chapter::Io | Chapter::IoNonblocking | Chapter::IoView),
    });
    if runtime.follows.trace.as_mut().is_some_and(|trace| trace.left(rank, posts, is_held)) {
        missing(runtime, rank);
    }
}

/// The calling rank did in a function what traces cannot hold.
pub(crate) fn not_held(function: Function) {
    blocking::recording(|trace, rank| {
        trace.missing(rank, function, || source::in_words(process::own_place().as_ref()))
    });
}

/// The present call does what traces cannot hold.
#[cold]
fn missing(runtime: &mut Runtime, rank: WorldRank) {
    let Some(function) = runtime.run(rank).call.function() else { return };
    let place = || source::in_words(process::own_place().as_ref());
    if let Some(trace) = &mut runtime.follows.trace {
        trace.missing(rank, function, place);
    }
}

/// A request of a rank is about to start.
#[inline]
pub(crate) fn starting(runtime: &mut Runtime, rank: WorldRank, key: RequestKey) {
    if runtime.follows.trace.is_some() {
        started(runtime, rank, key);
    }
}

/// A request could not be started.
#[inline]
pub(crate) fn failed(runtime: &mut Runtime, rank: WorldRank, key: RequestKey) {
    if let Some(trace) = &mut runtime.follows.trace {
        trace.failed(rank, key);
    }
}

#[cold]
fn started(runtime: &mut Runtime, rank: WorldRank, key: RequestKey) {
    let Runtime { world, follows, .. } = runtime;
    let is_missing = match (world.request(rank, key), &mut follows.trace) {
        (Some(request), Some(trace)) => trace.started(rank, key, request),
        _ => false,
    };
    if is_missing {
        missing(runtime, rank);
    }
}

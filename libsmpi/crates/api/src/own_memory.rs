//! Whether the addresses that a program gives to MPI are those of its own memory.
//!
//! Source: MPI 5.0 §2.5 (arguments are those of the calling process), §3.2.2 (a buffer is memory of the caller). A
//! null pointer and the constants of MPI that stand for one are looked at where it is known what they mean.

use std::ffi::c_void;
use std::ops::Range;

use smpi_mpi::buffers::{self, Owned};
use smpi_mpi::collective::select::Operation;
use smpi_mpi::collective::{Operands, Part, Parts, Shape};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::p2p::request::RequestKey;
use smpi_process::{self as process, NotOwn};
use smpi_runtime::{current_rank, is_running, with};
use smpi_watch::access;

/// Runs of bytes of a datatype with gaps that are looked at one by one.
const MOST_RUNS: usize = 10_000;

/// Addresses below are constants of MPI (MPI 5.0 §20: `MPI_IN_PLACE`, `MPI_UNWEIGHTED`, …), or null.
const CONSTANTS: usize = 16;

/// Why memory is not the caller's, unless a window shares it with the caller.
#[inline]
fn not_own(range: &Range<usize>, writes: bool) -> Option<NotOwn> {
    process::not_own(range, writes).filter(|trouble| !is_lent(range, *trouble))
}

/// Whether another rank's memory may be used all the same: that of a window which is shared, or what a function of the
/// program was given that MPI calls.
#[cold]
fn is_lent(range: &Range<usize>, trouble: NotOwn) -> bool {
    let NotOwn::Rank(at, _) = trouble else { return false };
    is_running()
        && with(|runtime| {
            runtime.run(current_rank()).inner_calls > 0
                || runtime.world.is_shared(at as u64) && runtime.world.is_shared(range.end as u64 - 1)
        })
}

/// A place of the caller for one value, by this parameter: to be written, or read, or both.
///
/// # Errors
/// `MPI_ERR_ARG` for an address that is not the caller's. Null is for the function to judge.
#[inline]
pub fn place<T>(place: *const T, name: &str) -> Result<()> {
    array(place, 1, name)
}

/// An array of the caller, by this parameter.
///
/// # Errors
/// As for [`place`].
#[inline]
pub fn array<T>(first: *const T, len: usize, name: &str) -> Result<()> {
    let at = first.addr();
    if at < CONSTANTS || len == 0 {
        return Ok(());
    }
    let range = at..at.wrapping_add(len.saturating_mul(size_of::<T>()));
    match not_own(&range, false) {
        None => Ok(()),
        Some(trouble) => Err(refused(ErrorClass::ARG, name, &range, trouble)),
    }
}

/// The same for an array that the call needs, if it has elements.
///
/// # Errors
/// As for [`place`], also for a null pointer.
#[inline]
pub fn needed<T>(first: *const T, len: usize, name: &str) -> Result<()> {
    if first.is_null() && len > 0 { Err(null(name)) } else { array(first, len, name) }
}

/// A place of the caller through which a function hands something out: before anything is done.
///
/// # Errors
/// As for [`place`], also for a null pointer.
#[inline]
pub fn result<T>(place: *const T, name: &str) -> Result<()> {
    needed(place, 1, name)
}

/// Whether there is a value of the caller to be read.
#[inline]
pub fn is_place<T>(place: *const T) -> bool {
    self::place(place, "").is_ok()
}

/// Bytes of the caller, by this parameter.
///
/// # Errors
/// `MPI_ERR_BUFFER` for memory that is not the caller's.
#[inline]
pub fn bytes(at: *const c_void, len: u64, writes: bool, name: &str) -> Result<()> {
    let start = at.addr();
    let range = start..start.wrapping_add(len as usize);
    if len == 0 { Ok(()) } else { judge(&range, writes, name) }
}

/// The memory of a part, by this parameter.
///
/// # Errors
/// `MPI_ERR_BUFFER` for memory that is not the caller's.
#[inline]
pub fn part(part: &Part, writes: bool, name: &str) -> Result<()> {
    if part.count <= 0 {
        return Ok(());
    }
    let Some((low, high)) = part.datatype.span(part.count as u64) else { return Ok(()) };
    let range = part.at.offset(low).0 as usize..part.at.offset(high).0 as usize;
    if range.is_empty() && low >= high || process::not_own(&range, writes).is_none() {
        return Ok(());
    }
    look_at_runs(part, range, writes, name)
}

/// The memory of a part that is received into, by this parameter: at least its beginning, as less may come.
///
/// # Errors
/// `MPI_ERR_BUFFER` for memory that is not the caller's.
#[inline]
pub fn room(part: &Part, name: &str) -> Result<()> {
    match self::part(part, true, name) {
        Err(error) if !access::is_checked() && has_beginning(part) => drop(error),
        outcome => return outcome,
    }
    Ok(())
}

/// Whether the first byte of a part can be written.
#[cold]
fn has_beginning(part: &Part) -> bool {
    let first = part.at.offset(part.datatype.true_lb()).0 as usize;
    not_own(&(first..first.wrapping_add(1)), true).is_none()
}

/// Not all between the first and the last byte of a part is the caller's. Whether what it has in between is.
#[cold]
#[inline(never)]
fn look_at_runs(part: &Part, range: Range<usize>, writes: bool, name: &str) -> Result<()> {
    let runs = Owned::of(part, writes).filter(|owned| !owned.is_dense()).and_then(|owned| owned.runs(MOST_RUNS));
    match runs {
        None => judge(&range, writes, name),
        Some(runs) => runs.iter().try_for_each(|&(low, high)| judge(&(low as usize..high as usize), writes, name)),
    }
}

/// The buffers of a persistent request that is about to be started, by this parameter: the program may have given back
/// the memory since the request was made.
///
/// # Errors
/// `MPI_ERR_BUFFER` for memory that is not the caller's.
pub fn of_request(key: RequestKey, name: &str) -> Result<()> {
    let memory = with(|runtime| {
        let request = runtime.world.request(current_rank(), key)?;
        Some((buffers::described(request), buffers::owned(request)))
    });
    let Some((whole, pieces)) = memory else { return Ok(()) };
    // A buffer with gaps has been looked at by its pieces when the request was made.
    let dense = whole.into_iter().chain(pieces).filter(Owned::is_dense);
    dense.into_iter().try_for_each(|owned| {
        let range = owned.low as usize..owned.high as usize;
        let writes = owned.receives && access::is_checked();
        judge(&range, writes, name)
            .map_err(|error| MpiError { message: format!("its buffer has {}", error.message), ..error })
    })
}

/// The buffers of a collective call: all blocks of each. `reads_only`: it writes to none.
///
/// # Errors
/// `MPI_ERR_BUFFER` for memory that is not the caller's.
pub fn operands(operands: &Operands, peers: u32, reads_only: bool) -> Result<()> {
    let neighbours = operands.around.as_deref();
    let is = |shapes: &[Operation]| shapes.iter().any(|operation| operands.shape == Shape::Of(*operation));
    if let Some(send) = &operands.send {
        let blocks = match neighbours {
            Some((neighbours, true)) => neighbours.destinations.len() as u32,
            None if is(&[Operation::Scatter, Operation::Alltoall]) || !is_even(send) => peers,
            _ => 1,
        };
        parts(send, blocks, false, "sendbuf")?;
    }
    let Some(recv) = &operands.recv else { return Ok(()) };
    let blocks = match neighbours {
        Some((neighbours, _)) => neighbours.sources.len() as u32,
        None if is(&[Operation::Gather, Operation::Allgather, Operation::Alltoall]) || !is_even(recv) => peers,
        None => 1,
    };
    parts(recv, blocks, !reads_only, if is(&[Operation::Bcast]) { "buffer" } else { "recvbuf" })
}

fn is_even(parts: &Parts) -> bool {
    matches!(parts, Parts::Even(_))
}

fn parts(parts: &Parts, blocks: u32, writes: bool, name: &str) -> Result<()> {
    if let Parts::Even(first) = parts {
        return part(&first.slice(0, first.count.saturating_mul(blocks.into())), writes, name);
    }
    let look = |block| part(&parts.part(block), writes, name);
    let with_block =
        |block, error: MpiError| MpiError { message: format!("block {block}: {}", error.message), ..error };
    (0..blocks).try_for_each(|block| look(block).map_err(|error| with_block(block, error)))
}

#[inline]
fn judge(range: &Range<usize>, writes: bool, name: &str) -> Result<()> {
    match not_own(range, writes) {
        None => Ok(()),
        Some(trouble) => Err(refused(ErrorClass::BUFFER, name, range, trouble)),
    }
}

/// The error for a null pointer.
pub fn null(name: &str) -> MpiError {
    MpiError::parameter(ErrorClass::ARG, name, "a null pointer", "a valid address")
}

/// The error for memory that is not the caller's. Addresses differ from run to run, and are left out.
#[cold]
fn refused(class: ErrorClass, name: &str, range: &Range<usize>, trouble: NotOwn) -> MpiError {
    let (from, what) = match trouble {
        NotOwn::Nothing(from) => (from, "where there is no memory".to_string()),
        NotOwn::Protected(from) => (from, "in memory that is protected, such as a constant's".to_string()),
        NotOwn::Rank(from, rank) => {
            (from, format!("in the memory of rank {rank}, which is another process under other MPIs"))
        }
    };
    let len = range.end.wrapping_sub(range.start);
    let found = match from.wrapping_sub(range.start) {
        0 => format!("an address {what}"),
        before => format!("{len} bytes of which all but the first {before} lie {what}"),
    };
    MpiError::parameter(class, name, found, "memory of the calling rank")
}

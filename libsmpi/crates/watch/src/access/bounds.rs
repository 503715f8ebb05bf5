//! Whether the data of a call lies in one object of the program, and does not reach beyond its end.
//!
//! Source: MPI 5.0 §2.5.2 and §3.2.2 (a buffer has room for its elements), §4.1.12 (all of what a datatype addresses
//! from one buffer lies in the same sequential storage). Known are blocks of the heap and variables with static
//! storage, see `smpi_process`'s `objects.rs`. Each run of bytes is compared with the object in which it begins, so
//! datatypes with absolute addresses, or with displacements from one variable to another, are right.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_mpi::buffers::Owned;
use smpi_mpi::collective::Part;
use smpi_mpi::usage::Holder;

use crate::checks;
use smpi_process::{self as process, Object};
use smpi_runtime::{current_rank, is_running, with};

/// Somebody wants to know.
static CHECKED: AtomicBool = AtomicBool::new(false);

/// Runs of a datatype with gaps that are looked at.
const MOST_RUNS: usize = 10_000;

/// From now on bounds are looked at.
pub fn check_bounds() {
    process::keep_objects();
    CHECKED.store(true, Ordering::Relaxed);
}

/// Whether somebody wants to know.
#[inline]
pub(super) fn are_bounds_checked() -> bool {
    CHECKED.load(Ordering::Relaxed)
}

/// A call of the calling rank reads or writes this memory.
#[inline(always)]
pub fn inside(part: &Part) {
    if are_bounds_checked() && part.count > 0 {
        look(part);
    }
}

#[inline(never)]
fn look(part: &Part) {
    let Some((low, high)) = part.datatype.span(part.count as u64) else { return };
    let whole = part.at.offset(low).0 as usize..part.at.offset(high).0 as usize;
    if !whole.is_empty() && !process::is_in_one_object(&whole) {
        look_closely(part);
    }
}

/// Its data does not lie in one known object.
#[cold]
#[inline(never)]
fn look_closely(part: &Part) {
    let Some(owned) = Owned::of(part, true).filter(|owned| owned.high > owned.low) else { return };
    let whole = owned.low as usize..owned.high as usize;
    let first = process::object_at(whole.start);
    if is_within(first.as_ref(), &whole) {
        return;
    }
    let may_join = part.datatype.counts_bytes();
    if owned.is_dense() {
        return judge(first, whole, may_join);
    }
    if first.is_none() && process::object_at(whole.end - 1).is_none() {
        return;
    }
    for (low, high) in owned.runs(MOST_RUNS).unwrap_or_default() {
        let run = low as usize..high as usize;
        let object = process::object_at(run.start);
        if !is_within(object.as_ref(), &run) {
            judge(object, run, may_join);
        }
    }
}

fn is_within(object: Option<&Object>, run: &Range<usize>) -> bool {
    matches!(object, Some(Object::Block(range) | Object::Variable(range)) if run.end <= range.end)
}

/// Whether a run of bytes goes on in variables without a gap between them: runs that touch are one.
fn is_joined(object: &Object, run: &Range<usize>) -> bool {
    let Object::Variable(first) = object else { return false };
    let mut end = first.end;
    while end < run.end {
        match process::object_at(end) {
            Some(Object::Variable(next)) if next.start == end => end = next.end,
            _ => return false,
        }
    }
    true
}

/// A run of bytes ends beyond the object in which it begins, or begins in none that is known.
fn judge(object: Option<Object>, run: Range<usize>, may_join: bool) {
    let Some(object) = object.filter(|_| is_running()) else { return };
    if may_join && is_joined(&object, &run) {
        return;
    }
    let (rank, place) = (current_rank(), checks::here());
    if !with(|runtime| runtime.run(rank).watch.is_new(place.site, place)) {
        return;
    }
    let (holder, end) = match object {
        Object::Block(range) => (Holder::Block(range.len() as u64), range.end),
        Object::Variable(range) => {
            (Holder::Variable(process::variable_name(rank, range.start), range.len() as u64), range.end)
        }
        Object::NoBlock => (Holder::Nothing, run.start),
    };
    with(|runtime| runtime.world.note_outside(rank, place, holder, (run.end - end) as u64));
}

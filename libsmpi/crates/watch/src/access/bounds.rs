//! Whether the data of a call lies in one object of the program, and does not reach beyond its end.
//!
//! Source: MPI 5.0 §2.5.2 and §3.2.2 (a buffer has room for its elements), §4.1.12 (all of what a datatype addresses
//! from one buffer lies in the same sequential storage). Known are blocks of the heap, variables with static storage
//! and, with debug information, variables of functions, see `smpi_process`'s `objects.rs`. Each run of bytes is
//! compared with the object in which it begins, so datatypes with absolute addresses, or with displacements from one
//! variable to another, are right.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_mpi::buffers::Owned;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::memory::Addr;
use smpi_mpi::usage::Holder;

use super::declared;
use crate::checks;
use smpi_process::{self as process, Glance, HostCell, Object};
use smpi_runtime::{current_rank, is_running, with};

/// Somebody wants to know.
static CHECKED: AtomicBool = AtomicBool::new(false);

/// Somebody wants to know what debug information says, too.
static DECLARED: AtomicBool = AtomicBool::new(false);

/// Runs of a datatype with gaps that are looked at.
const MOST_RUNS: usize = 10_000;

/// From now on bounds are looked at.
pub fn check_bounds() {
    process::keep_objects();
    CHECKED.store(true, Ordering::Relaxed);
}

/// From now on buffers are also compared with what debug information says of variables.
pub fn check_declared() {
    DECLARED.store(true, Ordering::Relaxed);
}

/// Whether somebody wants to know.
#[inline]
pub(super) fn are_bounds_checked() -> bool {
    CHECKED.load(Ordering::Relaxed)
}

/// A call of the calling rank reads or writes this memory, which it has by this parameter.
#[inline(always)]
pub fn inside(part: &Part, parameter: &str) {
    if are_bounds_checked() && part.count > 0 {
        look(part, parameter);
    }
}

/// The calling rank gives MPI so many bytes of memory by this parameter.
pub fn inside_bytes(at: u64, size: u64, parameter: &str) {
    if let Ok(count) = i64::try_from(size) {
        inside(&Part { at: Addr(at), count, datatype: Datatype::basic(Basic::Byte) }, parameter);
    }
}

#[inline(never)]
fn look(part: &Part, parameter: &str) {
    let Some((low, high)) = part.datatype.span(part.count as u64) else { return };
    let whole = part.at.offset(low).0 as usize..part.at.offset(high).0 as usize;
    if whole.is_empty() {
        return;
    }
    let glance = process::glance(&whole);
    if glance == Glance::Block {
        return;
    }
    let may_be_right = glance != Glance::Unclear || look_closely(part);
    if may_be_right && DECLARED.load(Ordering::Relaxed) {
        look_at_declared(part, parameter, glance);
    }
}

/// Compares a buffer with what the program declared there, once for each place of a call.
fn look_at_declared(part: &Part, parameter: &str, glance: Glance) {
    let (at, count, datatype) = (part.at.0, part.count, part.datatype.clone());
    // Elsewhere than on the stack it is the same whoever calls.
    let site = if glance == Glance::Stack { process::site_of_call() } else { 0 };
    let buffer = Buffer { site, at, count, datatype };
    // Ranks have the same variables at addresses a power of two apart, so all bits count.
    let place = ((at ^ site.rotate_left(32)).wrapping_mul(SCATTER) >> (u64::BITS - PLACES.ilog2())) as usize;
    let is_known =
        |right: &Vec<Option<Buffer>>| matches!(right.get(place), Some(Some(known)) if known.is_same(&buffer));
    if is_known(&RIGHT.borrow()) {
        return;
    }
    let is_right = (glance != Glance::Stack || look_closely(part)) && declared::compare(part, parameter);
    if is_right {
        let mut right = RIGHT.borrow_mut();
        if right.is_empty() {
            right.resize_with(PLACES, || None);
        }
        right[place] = Some(buffer);
    }
}

/// A buffer of a call at some place of the program.
struct Buffer {
    site: u64,
    at: u64,
    count: i64,
    /// It is kept, so that no other can have its place.
    datatype: Datatype,
}

impl Buffer {
    fn is_same(&self, other: &Buffer) -> bool {
        (self.site, self.at, self.count) == (other.site, other.at, other.count)
            && self.datatype.is_same(&other.datatype)
    }
}

/// Buffers that are remembered: a power of two.
const PLACES: usize = 1024;

/// 2⁶⁴ divided by the golden ratio: the high bits of a product depend on all of the other factor's (Knuth, "The Art of
/// Computer Programming", volume 3, section 6.4).
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Buffers that were compared and are right, at places that follow from them. Forgetting one costs time, and finding
/// one that is no longer right, because another caller has another variable there, hides what is wrong.
// SAFETY: `look_at_declared` alone uses it, which ranks call: the hosting thread.
static RIGHT: HostCell<RefCell<Vec<Option<Buffer>>>> = unsafe { HostCell::new(RefCell::new(Vec::new())) };

/// Its data does not lie in one known object. Whether it is right, as far as one can say.
#[cold]
#[inline(never)]
fn look_closely(part: &Part) -> bool {
    let Some(owned) = Owned::of(part, true).filter(|owned| owned.high > owned.low) else { return true };
    let whole = owned.low as usize..owned.high as usize;
    let first = process::object_at(whole.start);
    if is_within(first.as_ref(), &whole) {
        return true;
    }
    let may_join = part.datatype.counts_bytes();
    if owned.is_dense() {
        return judge(first, whole, may_join);
    }
    if first.is_none() && process::object_at(whole.end - 1).is_none() {
        return true;
    }
    let mut is_right = true;
    for (low, high) in owned.runs(MOST_RUNS).unwrap_or_default() {
        let run = low as usize..high as usize;
        let object = process::object_at(run.start);
        is_right &= is_within(object.as_ref(), &run) || judge(object, run, may_join);
    }
    is_right
}

fn is_within(object: Option<&Object>, run: &Range<usize>) -> bool {
    matches!(object, Some(Object::Block(range) | Object::Variable(range) | Object::Local(range, _)) if run.end <= range.end)
}

/// Whether a run of bytes goes on in variables without a gap between them: runs that touch are one.
fn is_joined(object: &Object, run: &Range<usize>) -> bool {
    let (Object::Variable(first) | Object::Local(first, _)) = object else { return false };
    let mut end = first.end;
    while end < run.end {
        match process::object_at(end) {
            Some(Object::Variable(next) | Object::Local(next, _)) if next.start == end => end = next.end,
            _ => return false,
        }
    }
    true
}

/// A run of bytes ends beyond the object in which it begins, or begins in none that is known. Whether it is right.
fn judge(object: Option<Object>, run: Range<usize>, may_join: bool) -> bool {
    let Some(object) = object.filter(|_| is_running()) else { return true };
    if may_join && is_joined(&object, &run) {
        return true;
    }
    let (rank, place) = (current_rank(), checks::here());
    if !with(|runtime| runtime.run(rank).watch.is_new(place.site, place)) {
        return false;
    }
    let (holder, end) = match object {
        Object::Block(range) => (Holder::Block(range.len() as u64), range.end),
        Object::Variable(range) => {
            (Holder::Variable(process::variable_name(rank, range.start), range.len() as u64), range.end)
        }
        Object::Local(range, name) => (Holder::Variable(name, range.len() as u64), range.end),
        Object::NoBlock => (Holder::Nothing, run.start),
        Object::NoVariable => (Holder::NoVariable, run.start),
        Object::NoFrame => (Holder::NoFrame, run.start),
    };
    with(|runtime| runtime.world.note_outside(rank, place, holder, (run.end - end) as u64));
    false
}

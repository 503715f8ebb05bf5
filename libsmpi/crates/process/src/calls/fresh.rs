//! What fresh memory of the heap holds: nothing that a program may rely on (C11 §7.22.3.4), so it may be chosen. The
//! same goes for variables of functions (§6.2.4), which `smpicc --verify` lets gcc fill with [`UNWRITTEN`] (clang has
//! other values): where MPI is given such, they get what fresh memory of the heap has.
//!
//! Two executions that differ in nothing else tell what depends on memory that was never written. Where states have
//! names, fresh memory holds zeros, so that what it held before tells no states apart. Filled is what `malloc`,
//! `realloc` and their kin hand out; `calloc` hands out zeros, whatever was asked for here.

use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::declared::has_on_stack;
use crate::record::Record;
use crate::state;

/// What fresh memory is filled with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Fresh {
    /// Nothing: it is as it is.
    AsItIs,
    /// Zeros.
    Zeros,
    /// [`mark_at`] its address.
    Marks,
}

static FILLED: AtomicU8 = AtomicU8::new(Fresh::AsItIs as u8);

/// Bytes of one block that are filled at most: a program may have blocks of which it uses little, and pages that nobody
/// touches cost nothing.
const MOST: usize = 16 << 20;

/// From now on fresh memory of ranks' heaps is filled with this.
pub fn fill_fresh(fresh: Fresh) {
    FILLED.store(fresh as u8, Ordering::Relaxed);
}

/// What fresh memory holds at an address with [`Fresh::Marks`]: another byte in each of most places, never zero. As a
/// number of two bytes or more it is positive and large, but not so large that sums of it lose all others.
pub fn mark_at(at: usize) -> u8 {
    let mixed = (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60;
    0x40 | mixed as u8
}

/// Whether a byte may be one of [`mark_at`].
pub fn is_mark(byte: u8) -> bool {
    byte & 0xf0 == 0x40
}

/// Bytes of variables of functions that nothing was written to, by `-ftrivial-auto-var-init=pattern` of gcc.
const UNWRITTEN: u8 = 0xfe;

/// So many bytes of it in a row are no coincidence where elements have fewer than the first number; else an element is
/// enough.
const SMALL: usize = size_of::<u32>();
const ROW: usize = size_of::<u64>();

/// An element of these addresses is about to be given to MPI by the calling rank. If it belongs to a variable of a
/// function that was never written, it is filled.
pub fn fill_variable(element: Range<usize>) {
    let fresh = FILLED.load(Ordering::Relaxed);
    let is_on_stack = |record: &&Record, at: usize| has_on_stack(record, at);
    let Some(record) = state::current().filter(|record| is_on_stack(record, element.start)) else { return };
    // SAFETY: mapped memory of the stack of the calling rank, which is in its call, up to the address of that.
    let is_unwritten = |at: usize| is_on_stack(&record, at) && unsafe { pointer(at).read() } == UNWRITTEN;
    if fresh == Fresh::AsItIs as u8 || !element.clone().all(is_unwritten) {
        return;
    }
    let mut row = element;
    if row.len() < SMALL {
        row.start = (0..row.start).rev().take_while(|&at| is_unwritten(at)).last().unwrap_or(row.start);
        row.end = (row.end..).find(|&at| !is_unwritten(at)).unwrap_or(row.end);
        if row.len() < ROW {
            return;
        }
    }
    for at in row {
        // SAFETY: the same; the program cannot rely on what was there.
        unsafe { pointer(at).write(if fresh == Fresh::Marks as u8 { mark_at(at) } else { 0 }) };
    }
}

fn pointer(at: usize) -> *mut u8 {
    ptr::with_exposed_provenance_mut(at)
}

/// A new block of a rank's heap, filled.
#[inline]
pub(super) fn allocated(record: &Record, size: usize) -> *mut u8 {
    match FILLED.load(Ordering::Relaxed) == Fresh::Marks as u8 {
        true => filled(record, record.own.arena.allocate(size)),
        false => unmarked(record, size),
    }
}

/// The same for libsmpi itself, without marks.
#[inline]
pub(crate) fn unmarked(record: &Record, size: usize) -> *mut u8 {
    // The heap knows where it is zero already.
    match FILLED.load(Ordering::Relaxed) == Fresh::Zeros as u8 {
        true => record.own.arena.allocate_zeroed(size),
        false => record.own.arena.allocate(size),
    }
}

/// A block of a rank that it was just given, filled.
#[inline]
pub(super) fn filled(record: &Record, block: *mut u8) -> *mut u8 {
    fill(record, block, 0);
    block
}

/// How much of a block is filled already; only known where somebody asked.
#[inline]
pub(super) fn known_size(record: &Record, block: *mut u8) -> usize {
    if FILLED.load(Ordering::Relaxed) == Fresh::AsItIs as u8 {
        return 0;
    }
    record.own.arena.usable_size(block).unwrap_or(0)
}

/// Fills a block of a rank from this byte on.
#[inline]
pub(super) fn fill(record: &Record, block: *mut u8, from: usize) {
    let fresh = FILLED.load(Ordering::Relaxed);
    if fresh != Fresh::AsItIs as u8 && !block.is_null() {
        write(record, block, from, fresh == Fresh::Marks as u8);
    }
}

#[cold]
fn write(record: &Record, block: *mut u8, from: usize, marks: bool) {
    let end = record.own.arena.usable_size(block).unwrap_or(0).min(from.saturating_add(MOST));
    if !marks && from < end {
        // SAFETY: the block is one of the arena, which has `end` bytes or more, and the program has not written to
        // these yet.
        return unsafe { ptr::write_bytes(block.wrapping_add(from), 0, end - from) };
    }
    for at in from..end {
        let byte = mark_at(block.addr() + at);
        // SAFETY: the block is one of the arena, which has `end` bytes or more, and the program has not written to
        // these yet.
        unsafe { ptr::write(block.wrapping_add(at), byte) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte that was never written is not taken for the zero of the other execution, and neighbours mostly differ.
    #[test]
    fn marks_are_no_zeros_and_differ() {
        let marks: Vec<u8> = (4096..8192).map(mark_at).collect();
        assert!(marks.iter().all(|&mark| mark != 0 && is_mark(mark)));
        assert!(marks.windows(2).filter(|pair| pair[0] != pair[1]).count() > 3000);
    }
}

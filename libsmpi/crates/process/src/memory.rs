//! Ranks' memory as ranges of addresses: read, written and given back while no rank runs.

use std::ops::Range;
use std::ptr;

use crate::record::Record;
use smpi_ranks::layout::PAGE;
use smpi_ranks::region;

/// The bytes of a range.
///
/// # Safety
/// The range must be readable, and nobody may write to it as long as the result is in use.
pub unsafe fn bytes_at<'a>(range: &Range<usize>) -> &'a [u8] {
    // SAFETY: the caller says that the range is readable, and at rest as long as the result is in use.
    unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance(range.start), range.len()) }
}

/// Writes bytes.
///
/// # Safety
/// The range must be writable, and nothing may be using its present contents.
pub unsafe fn put(at: usize, bytes: &[u8]) {
    // SAFETY: the caller says that there is room for the bytes, which are a snapshot's, and not in use.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), ptr::with_exposed_provenance_mut(at), bytes.len()) };
}

/// Puts memory of a rank's region back to what it was before the program: zeros, or the file behind it. Both ends must
/// be borders of pages, or lie in pages that were zeros: those of stacks and heaps.
///
/// # Safety
/// As for [`put`].
pub unsafe fn untouch(range: Range<usize>) {
    let whole = range.start.next_multiple_of(PAGE)..range.end / PAGE * PAGE;
    // SAFETY: parts of a range of a rank's region; the caller says that its contents are given up.
    unsafe {
        if whole.is_empty() {
            return clear(range);
        }
        clear(range.start..whole.start);
        region::forget(whole.start, whole.len());
        clear(whole.end..range.end);
    }
}

/// Makes a range zeros.
///
/// # Safety
/// As for [`put`].
pub unsafe fn clear(range: Range<usize>) {
    // SAFETY: the caller says that the range is writable and its contents are given up.
    unsafe { ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(range.start), 0, range.len()) };
}

/// One past the last byte of the rank's heap in use.
fn heap_end(record: &Record) -> usize {
    let (arena, used) = record.own.arena.used();
    arena + used
}

/// First and last address of the parts of the rank's image that may change; the last one goes on to the heap's end.
pub fn data_ranges(record: &Record) -> impl Iterator<Item = (usize, usize)> {
    let base = record.image.region();
    let parts = record.image.program().writable();
    parts.iter().enumerate().map(move |(index, part)| {
        let end = if index + 1 == parts.len() { heap_end(record) } else { base + part.end };
        (base + part.start, end)
    })
}

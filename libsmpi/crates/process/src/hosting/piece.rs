//! Copies of ranges of ranks' memory. Of a large one, only what the rank has written to is copied.

use std::ops::Range;
use std::ptr;

use super::kept::LARGE;
use super::memory::{bytes_at, put, untouch};
use smpi_ranks::layout::PAGE;
use smpi_ranks::pages;

/// A copied range of memory.
pub struct Piece {
    pub range: Range<usize>,
    bytes: Box<[u8]>,
    /// What `bytes` holds, one after the other, where that is not the whole range: the rest is as it was before the
    /// program.
    runs: Option<pages::Runs>,
}

impl Piece {
    /// # Safety
    /// The range must be readable, and nobody may write to it meanwhile.
    pub unsafe fn copy(start: usize, end: usize) -> Piece {
        let range = start..end;
        // SAFETY: the caller says that it is readable and at rest; the bytes are copied at once.
        let bytes = unsafe { bytes_at(&range) };
        Piece { range, bytes: bytes.into(), runs: None }
    }

    /// Like [`Piece::copy`] for a part of a rank's region; what the rank has not touched is left out where that is
    /// worth it.
    ///
    /// # Safety
    /// As for [`Piece::copy`].
    pub unsafe fn copy_touched(start: usize, end: usize) -> Piece {
        let around = start / PAGE * PAGE..end.next_multiple_of(PAGE);
        let runs = if end - start < LARGE { None } else { pages::written(around) };
        // SAFETY: the caller says that the range is readable and at rest.
        unsafe {
            match runs {
                Some(runs) => Piece::copy_runs(start..end, runs),
                None => Piece::copy(start, end),
            }
        }
    }

    /// Copies these parts of a range; the rest of it is as it was before the program.
    ///
    /// # Safety
    /// The parts must be readable, and nobody may write to them meanwhile.
    pub unsafe fn copy_runs(range: Range<usize>, mut runs: pages::Runs) -> Piece {
        let Range { start, end } = range;
        if let Some(first) = runs.first_mut() {
            first.start = first.start.max(start);
        }
        if let Some(last) = runs.last_mut() {
            last.end = last.end.min(end);
        }
        let mut bytes = Vec::with_capacity(runs.iter().map(Range::len).sum());
        // SAFETY: parts of a range of which the caller says that it is readable and at rest.
        runs.iter().for_each(|run| bytes.extend_from_slice(unsafe { bytes_at(run) }));
        Piece { range: start..end, bytes: bytes.into(), runs: Some(runs) }
    }

    /// The bytes of a value.
    pub fn of<T>(value: &T) -> Piece {
        let start = ptr::from_ref(value).expose_provenance();
        // SAFETY: the bytes of a value that is borrowed.
        unsafe { Piece::copy(start, start + size_of::<T>()) }
    }

    /// # Safety
    /// The range must be writable, and nothing may be using its present contents.
    pub unsafe fn restore(&self) {
        let Some(runs) = &self.runs else {
            // SAFETY: the caller says that the range is writable and its contents are given up.
            return unsafe { put(self.range.start, &self.bytes) };
        };
        let (mut at, mut bytes) = (self.range.start, &self.bytes[..]);
        for run in runs {
            let (these, rest) = bytes.split_at(run.len());
            // SAFETY: parts of a range of which the caller says so. Runs are of whole pages, apart from the range's
            // ends.
            unsafe {
                untouch(at..run.start);
                put(run.start, these);
            }
            (at, bytes) = (run.end, rest);
        }
        // SAFETY: the rest of that range, behind the last run.
        unsafe { untouch(at..self.range.end) };
    }

    /// One past its last address.
    pub fn end(&self) -> usize {
        self.range.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEN: usize = 2 * LARGE;

    /// Memory of the kernel's, like that of a region that nobody has touched.
    fn untouched() -> usize {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which stays.
        let memory = unsafe { libc::mmap(ptr::null_mut(), LEN, protection, flags, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        memory.expose_provenance()
    }

    fn write(start: usize, changes: &[(usize, u8)]) {
        for &(at, value) in changes {
            // SAFETY: inside the mapping.
            unsafe { ptr::with_exposed_provenance_mut::<u8>(start + at).write(value) };
        }
    }

    /// Copies a part, changes the memory, puts it back, and compares with a plain copy of everything.
    fn comes_back(from: usize, to: usize) -> Piece {
        let start = untouched();
        write(start, &[(from, 1), (from + 5 * PAGE, 2), (to - 1, 3), (LEN / 2, 4)]);
        // SAFETY: the mapping, which only this test uses.
        unsafe {
            let before = bytes_at(&(start..start + LEN)).to_vec();
            let piece = Piece::copy_touched(start + from, start + to);
            write(start, &[(from, 9), (from + 7 * PAGE, 9), (to - 1, 9), (LEN / 2, 9), (to - 3 * PAGE, 9)]);
            piece.restore();
            assert!(bytes_at(&(start..start + LEN)) == before, "{from} to {to}");
            piece
        }
    }

    #[test]
    fn a_small_piece_is_copied_as_it_is() {
        let piece = comes_back(LEN / 2 - 10 * PAGE, LEN / 2 + 10 * PAGE);
        assert!(piece.runs.is_none());
        assert_eq!(piece.bytes.len(), 20 * PAGE);
    }

    #[test]
    fn of_a_large_piece_only_what_was_touched_is_copied() {
        // The ends of stacks and heaps lie inside of pages.
        for (from, to) in [(0, LEN), (100, LEN - 100)] {
            let piece = comes_back(from, to);
            // Where the kernel does not tell which pages those are, all are.
            assert!(piece.runs.is_none() || piece.bytes.len() < LEN / 4);
        }
    }
}

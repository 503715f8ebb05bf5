//! Where the used blocks of an arena begin, so that any address in it leads to its block.
//!
//! Boundary tags lead from a chunk to the next, not from the middle of a block to its start. So there is one bit for
//! each 16 bytes of the arena, set where a used chunk begins, and above it levels in which a bit stands for a word of
//! the level below that is not zero: a search for the last bit before a place looks at two words of each level.
//!
//! ```text
//! level 2        1                                        one bit for 64 words of level 0
//! level 1        1··1·…                                   one bit for a word of level 0
//! level 0        1···1··········│··1·…│…                  one bit for 16 bytes of the arena
//! arena          │chunk│chunk   │free │chunk …
//! ```
//!
//! The bits lie beside the rank's memory: a snapshot does not have them, so they are set anew from the chain of chunks
//! when one is put back.

use std::ffi::c_void;
use std::ptr;

/// Levels; 64 to the power of this is more than the granules of the largest arena.
const LEVELS: usize = 6;

/// The bits of one arena: a handle, like [`super::Arena`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    /// Invariant: 0, or the address of a mapping with room for all levels of an arena of `granules`, of which nobody
    /// else knows.
    at: usize,
    granules: u64,
}

impl Blocks {
    /// No bits.
    pub const NONE: Blocks = Blocks { at: 0, granules: 0 };

    /// Bits for an arena of `len` bytes; none when the kernel has no room. They stay as long as the process.
    pub fn map(len: u64) -> Blocks {
        let granules = len.div_ceil(super::ALIGN);
        let bytes = 8 * (0..LEVELS).map(|level| words(granules, level)).sum::<u64>() as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let at = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
        if at == libc::MAP_FAILED { Blocks::NONE } else { Blocks { at: at.expose_provenance(), granules } }
    }

    /// The same as two numbers, to be kept where all zeros mean none.
    pub fn numbers(self) -> (u64, u64) {
        (self.at as u64, self.granules)
    }

    /// From [`Blocks::numbers`].
    pub fn from_numbers((at, granules): (u64, u64)) -> Blocks {
        Blocks { at: at as usize, granules }
    }

    /// Whether there are bits.
    pub fn is_there(self) -> bool {
        self.at != 0
    }

    /// A used chunk begins at an offset.
    #[inline]
    pub fn set(self, offset: u64) {
        let mut index = offset / super::ALIGN;
        for level in 0..LEVELS {
            let word = self.word(level, index / 64);
            let old = self.read(word);
            self.write(word, old | 1 << (index % 64));
            if old != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// It does no longer.
    #[inline]
    pub fn clear(self, offset: u64) {
        let mut index = offset / super::ALIGN;
        for level in 0..LEVELS {
            let word = self.word(level, index / 64);
            let new = self.read(word) & !(1 << (index % 64));
            self.write(word, new);
            if new != 0 {
                return;
            }
            index /= 64;
        }
    }

    /// The last used chunk that begins at or before an offset.
    pub fn last_before(self, offset: u64) -> Option<u64> {
        let mut index = (offset / super::ALIGN).min(self.granules.checked_sub(1)?);
        let mut level = 0;
        // Up, to a level where a bit at or before the place is set in its word; bits above level 0 stand for words that
        // are passed over as a whole.
        let found = loop {
            let bits = self.read(self.word(level, index / 64)) & (u64::MAX >> (63 - index % 64));
            if bits != 0 {
                break index / 64 * 64 + u64::from(63 - bits.leading_zeros());
            }
            level += 1;
            index = (index / 64).checked_sub(1).filter(|_| level < LEVELS)?;
        };
        // And down along the last bits.
        let down = |index: u64, level: usize| {
            let bits = self.read(self.word(level, index));
            index * 64 + u64::from(63 - bits.leading_zeros())
        };
        Some((0..level).rev().fold(found, down) * super::ALIGN)
    }

    /// Forgets all chunks that begin below an offset.
    pub fn clear_below(self, offset: u64) {
        debug_assert!(offset <= self.granules * super::ALIGN, "an offset in the arena, not an address");
        let mut index = (offset / super::ALIGN).min(self.granules.saturating_sub(1));
        for level in 0..LEVELS {
            let words = index / 64 + 1;
            // SAFETY: the words from the level's first to that of the index belong to the mapping; see `word`.
            unsafe { ptr::write_bytes(self.word(level, 0), 0, words as usize) };
            index /= 64;
        }
    }

    /// The place of a word of a level.
    #[inline]
    fn word(self, level: usize, index: u64) -> *mut u64 {
        debug_assert!(index < words(self.granules, level));
        let before: u64 = (0..level).map(|level| words(self.granules, level)).sum();
        ptr::with_exposed_provenance_mut::<c_void>(self.at + 8 * (before + index) as usize).cast()
    }

    #[inline]
    fn read(self, word: *mut u64) -> u64 {
        // SAFETY: `word` computed it for an index of this mapping: callers pass granules of the arena.
        unsafe { word.read() }
    }

    #[inline]
    fn write(self, word: *mut u64, value: u64) {
        // SAFETY: as for `read`.
        unsafe { word.write(value) };
    }
}

/// Words of a level; the last one may be of no use.
#[inline]
fn words(granules: u64, level: usize) -> u64 {
    (granules >> (6 * (level + 1))) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;
    use std::collections::BTreeSet;

    #[test]
    fn the_last_one_before_is_found_as_in_a_set() {
        let mut rng = Rng::new(5);
        let len = 40 << 20;
        let (blocks, mut set) = (Blocks::map(len), BTreeSet::new());
        assert_eq!(blocks.last_before(1 << 20), None);
        for round in 0..20_000 {
            // Now few and far from each other, now many.
            let within = if round % 4000 < 1000 { len / 16 } else { 3000 };
            let offset = rng.below(within as usize) as u64 * 16;
            if rng.below(3) < 2 {
                blocks.set(offset);
                set.insert(offset);
            } else {
                blocks.clear(offset);
                set.remove(&offset);
            }
            let at = rng.below(len as usize) as u64;
            assert_eq!(blocks.last_before(at), set.range(..=at).next_back().copied(), "{round}: before {at}");
        }
        blocks.clear_below(len);
        assert_eq!(blocks.last_before(len), None);
        assert_eq!(Blocks::NONE.last_before(0), None);
    }
}

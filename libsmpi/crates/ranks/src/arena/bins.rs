//! Size classes of free chunks: exact below 1 KiB, then eight per power of two, with a bitmap that finds the next
//! class that has one.

use std::cell::Cell;

const EXACT: usize = 64;
const COUNT: usize = EXACT + 8 * 30;
const WORDS: usize = COUNT.div_ceil(64);
/// Chunk offsets are multiples of 16, so 32 bits reach 64 GiB.
const UNIT_SHIFT: u32 = 4;

/// Heads of the lists of free chunks, as offsets from the arena's base.
#[repr(C)]
pub struct Bins {
    /// A bit for each class. Invariant: set if and only if the class's head is not 0.
    filled: [Cell<u64>; WORDS],
    heads: [Cell<u32>; COUNT],
}

/// The class whose chunks may have this size.
#[inline]
pub fn bin_of(size: u64) -> usize {
    if size < 1024 {
        return (size >> UNIT_SHIFT) as usize;
    }
    let power = size.ilog2();
    let eighth = (size >> (power - 3)) as usize & 7;
    EXACT + (power as usize - 10) * 8 + eighth
}

/// The first class all of whose chunks have at least this size.
#[inline]
pub fn search_bin_of(size: u64) -> usize {
    if size < 1024 { bin_of(size) } else { bin_of(size + (1 << (size.ilog2() - 3)) - 1) }
}

impl Bins {
    /// All of it, as bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the bytes of a value that is borrowed, made of cells of whole numbers without gaps; callers write to
        // no cell as long as they use them.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Bins>()) }
    }

    /// The first chunk of a class; 0 = none.
    #[inline]
    pub fn head(&self, bin: usize) -> u64 {
        u64::from(self.heads[bin].get()) << UNIT_SHIFT
    }

    /// Replaces the first chunk of a class; 0 empties it.
    #[inline]
    pub fn set_head(&self, bin: usize, chunk: u64) {
        self.heads[bin].set((chunk >> UNIT_SHIFT) as u32);
        let (word, bit) = (&self.filled[bin / 64], 1 << (bin % 64));
        word.set(if chunk == 0 { word.get() & !bit } else { word.get() | bit });
    }

    /// A chunk of the smallest filled class from `bin` on.
    #[inline]
    pub fn first_from(&self, bin: usize) -> Option<u64> {
        if bin >= COUNT {
            return None;
        }
        let mut word = bin / 64;
        let mut bits = self.filled[word].get() & (u64::MAX << (bin % 64));
        while bits == 0 {
            word += 1;
            bits = self.filled.get(word)?.get();
        }
        Some(self.head(word * 64 + bits.trailing_zeros() as usize))
    }
}

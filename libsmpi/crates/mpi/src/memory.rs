//! The view of a rank's memory that MPI semantics work on, without raw pointers.
//!
//! `libsmpi` implements [`Memory`] over the real address space; tests implement it over vectors. An address is a plain
//! number that only has a meaning together with the rank it belongs to, so that ranks may later live in other
//! processes.

use smpi_base::WorldRank;

/// Address in a rank's memory, as the program sees it. `MPI_BOTTOM` is 0, with absolute displacements added to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Addr(pub u64);

impl Addr {
    /// `MPI_BOTTOM`: the base for absolute displacements.
    pub const BOTTOM: Addr = Addr(0);

    /// The address `displacement` bytes further; wraps like the machine's address arithmetic.
    pub fn offset(self, displacement: i64) -> Addr {
        Addr(self.0.wrapping_add_signed(displacement))
    }
}

/// Reads and writes memory of ranks.
///
/// Callers never pass an empty range, so implementations need not accept a null address. Ranges may span gaps of a
/// datatype: not every byte of them is read or written.
pub trait Memory {
    /// The `len` bytes at `at` in `rank`'s memory.
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[u8];

    /// The `len` bytes at `at` in `rank`'s memory, for writing.
    fn bytes_mut(&mut self, rank: WorldRank, at: Addr, len: usize) -> &mut [u8];

    /// Two ranges at once, address and length each: one to read and one to write. They must not overlap.
    fn bytes_pair(&mut self, rank: WorldRank, read: (Addr, usize), write: (Addr, usize)) -> (&[u8], &mut [u8]);

    /// Copies between (possibly different) ranks; the ranges may overlap.
    fn copy(&mut self, from: WorldRank, src: Addr, to: WorldRank, dst: Addr, len: usize);
}

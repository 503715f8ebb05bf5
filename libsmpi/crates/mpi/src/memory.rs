//! The ranks' memory as MPI semantics see it: cells behind plain numbers.
//!
//! `smpi-runtime` implements [`Memory`] over the real address space, tests implement it over vectors. An address is a
//! plain number. It has a meaning only together with its rank, so ranks may later live in other processes.
//!
//! The bytes are the program's. A call may name the same bytes twice, datatypes skip memory that belongs to others, and
//! other threads of the program may run. So no reference here claims a range for itself: a range is a slice of
//! [`Cell`]s, and only cells with data are touched. Ranges may overlap. If a program's ranges overlap wrongly, their
//! contents are undefined afterwards, and nothing else breaks.
//!
//! | to | use |
//! |---|---|
//! | pack | [`Memory::append`], or [`Memory::bytes`] where there are gaps |
//! | unpack | [`Memory::write`], or [`Memory::bytes_to_write`] where there are gaps |
//! | copy, from a rank to another too | [`Memory::copy`] |
//! | reduce | [`Memory::combine`] |
//!
//! An implementation over the address space promises that its addresses come from a program, and the program vouches
//! for the memory there (MPI 5.0 §2.5.2). A wrong address is the program's fault: the program crashes as if it had used
//! the address itself.

use std::cell::Cell;

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
/// Callers never pass an empty range, so implementations need not accept a null address. What the methods with a body
/// do is what it says; an implementation has its own where it can do the same in less time.
pub trait Memory {
    /// Whether there are bytes at all. Where there are none, buffers have sizes only: what is packed is empty, and
    /// nothing is copied.
    fn has_bytes(&self) -> bool {
        true
    }

    /// Whether [`Memory::is_void`] is true anywhere.
    fn has_void(&self) -> bool {
        false
    }

    /// Whether the contents of all these bytes are nobody's affair: messages from and to there carry nothing, and
    /// nothing is combined with them.
    fn is_void(&self, _at: Addr, _len: usize) -> bool {
        false
    }

    /// The `len` bytes at `at` in `rank`'s memory, to be read.
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>];

    /// The `len` bytes at `at` in `rank`'s memory, to be written.
    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>];

    /// Reads `len` bytes into new room at the end of `out`.
    fn append(&self, rank: WorldRank, at: Addr, len: usize, out: &mut Vec<u8>) {
        out.extend(self.bytes(rank, at, len).iter().map(Cell::get));
    }

    /// Writes bytes.
    fn write(&mut self, rank: WorldRank, at: Addr, bytes: &[u8]) {
        store(self.bytes_to_write(rank, at, bytes.len()), bytes);
    }

    /// Copies between (possibly different) ranks; the ranges may overlap.
    fn copy(&mut self, from: WorldRank, src: Addr, to: WorldRank, dst: Addr, len: usize) {
        let mut bytes = Vec::with_capacity(len);
        self.append(from, src, len, &mut bytes);
        self.write(to, dst, &bytes);
    }

    /// Lets `kernel` change the `len` bytes at `inout`, and read as many at `input`. Where the ranges overlap, it reads
    /// what was there before.
    fn combine(&mut self, rank: WorldRank, input: Addr, inout: Addr, len: usize, kernel: &dyn Fn(&[u8], &mut [u8])) {
        let (mut left, mut right) = (Vec::with_capacity(len), Vec::with_capacity(len));
        self.append(rank, input, len, &mut left);
        self.append(rank, inout, len, &mut right);
        kernel(&left, &mut right);
        self.write(rank, inout, &right);
    }
}

/// Reads cells into `out`, which has as many bytes.
#[inline]
pub(crate) fn fetch(cells: &[Cell<u8>], out: &mut [u8]) {
    assert_eq!(cells.len(), out.len());
    for (byte, cell) in out.iter_mut().zip(cells) {
        *byte = cell.get();
    }
}

/// Writes bytes to cells, of which there are as many.
#[inline]
pub(crate) fn store(cells: &[Cell<u8>], bytes: &[u8]) {
    assert_eq!(cells.len(), bytes.len());
    for (cell, byte) in cells.iter().zip(bytes) {
        cell.set(*byte);
    }
}

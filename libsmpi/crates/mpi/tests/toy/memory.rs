//! The ranks' memory: a vector for each.

use std::cell::Cell;

use smpi_base::WorldRank;
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::world::RankMemory;

/// Address of every rank's first byte: all ranks have the same addresses.
const BASE: Addr = Addr(1 << 20);
/// Contents of memory that nobody wrote.
const JUNK: u8 = 0xA5;

/// Memory of all ranks.
pub(crate) struct Arenas(Vec<Vec<Cell<u8>>>);

impl Arenas {
    pub(crate) fn new(ranks: u32) -> Arenas {
        Arenas(vec![Vec::new(); ranks as usize])
    }
}

impl Memory for Arenas {
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        &self.0[rank.index()][(at.0 - BASE.0) as usize..][..len]
    }

    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.bytes(rank, at, len)
    }
}

impl RankMemory for Arenas {
    fn reserve(&mut self, rank: WorldRank, len: usize) -> Addr {
        let arena = &mut self.0[rank.index()];
        let start = arena.len().next_multiple_of(16);
        // A gap, so that writing too far is noticed as a wrong result.
        arena.resize(start + len + 16, Cell::new(JUNK));
        BASE.offset(start as i64)
    }

    /// Whoever still uses the block gets a wrong result.
    fn release(&mut self, rank: WorldRank, at: Addr, len: usize) {
        self.bytes(rank, at, len).iter().for_each(|byte| byte.set(JUNK));
    }
}

/// All that a rank has in its memory.
pub(crate) fn contents(memory: &mut dyn RankMemory, rank: WorldRank) -> Vec<u8> {
    let end = memory.reserve(rank, 0);
    let mut bytes = Vec::new();
    memory.append(rank, BASE, (end.0 - BASE.0) as usize, &mut bytes);
    bytes
}

/// Puts back what [`contents`] gave.
pub(crate) fn put_back(memory: &mut dyn RankMemory, rank: WorldRank, contents: &[u8]) {
    memory.write(rank, BASE, contents);
}

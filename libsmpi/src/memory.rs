//! The ranks' memory as the MPI layer sees it. All ranks live in this process, so an address is an address.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};

use smpi_base::WorldRank;
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::world::RankMemory;

/// Memory of ranks that live in this process.
pub struct ProcessMemory {
    /// Testing aid: extra bytes before every scratch block, so that addresses differ between shuffled runs.
    skew: usize,
}

impl ProcessMemory {
    /// `shuffle`: seed that moves scratch blocks to other addresses; 0 for none.
    pub fn new(shuffle: u64) -> ProcessMemory {
        ProcessMemory { skew: (shuffle % 61) as usize * 16 }
    }

    fn layout(&self, len: usize) -> Layout {
        Layout::from_size_align(len + self.skew, 16).unwrap_or(Layout::new::<u128>())
    }
}

impl Memory for ProcessMemory {
    fn bytes(&self, _rank: WorldRank, at: Addr, len: usize) -> &[u8] {
        // SAFETY: the program vouches for the buffers it passes to MPI (MPI 5.0 §2.5.2: valid for reads of that
        // length); scratch blocks are ours. A wrong address is a fault of the program and reported as its crash.
        unsafe { std::slice::from_raw_parts(at.0 as *const u8, len) }
    }

    fn bytes_mut(&mut self, _rank: WorldRank, at: Addr, len: usize) -> &mut [u8] {
        // SAFETY: as for `bytes`; the borrow of `self` keeps a second slice from being made meanwhile.
        unsafe { std::slice::from_raw_parts_mut(at.0 as *mut u8, len) }
    }

    fn bytes_pair(&mut self, _rank: WorldRank, read: (Addr, usize), write: (Addr, usize)) -> (&[u8], &mut [u8]) {
        // SAFETY: as for `bytes`; the caller promises that the two ranges do not overlap.
        unsafe {
            (
                std::slice::from_raw_parts(read.0.0 as *const u8, read.1),
                std::slice::from_raw_parts_mut(write.0.0 as *mut u8, write.1),
            )
        }
    }

    fn copy(&mut self, _from: WorldRank, src: Addr, _to: WorldRank, dst: Addr, len: usize) {
        // SAFETY: as for `bytes`; `copy` allows overlap.
        unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) }
    }
}

impl RankMemory for ProcessMemory {
    fn reserve(&mut self, _rank: WorldRank, len: usize) -> Addr {
        let layout = self.layout(len.max(1));
        // SAFETY: the layout is not empty.
        let block = unsafe { alloc(layout) };
        if block.is_null() {
            handle_alloc_error(layout);
        }
        Addr(block as u64 + self.skew as u64)
    }

    fn release(&mut self, _rank: WorldRank, at: Addr, len: usize) {
        let block = (at.0 - self.skew as u64) as *mut u8;
        // SAFETY: `reserve` made the block with the same layout, and a schedule releases each of its blocks once.
        unsafe { dealloc(block, self.layout(len.max(1))) }
    }
}

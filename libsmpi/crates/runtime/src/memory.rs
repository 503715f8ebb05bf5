//! The ranks' memory as the MPI layer sees it. All ranks live in this process, so an address is an address.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};

use std::cell::RefCell;
use std::rc::Rc;

use smpi_base::WorldRank;
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::world::RankMemory;

use smpi_process as process;

/// Ranks whose memory was written since somebody asked last. Shared with who remembers states, and must copy what
/// changed.
pub type Touched = Rc<RefCell<Vec<bool>>>;

/// Memory of ranks that live in this process.
pub struct ProcessMemory {
    /// Testing aid: extra bytes before every scratch block, so that addresses differ between shuffled runs.
    skew: usize,
    touched: Option<Touched>,
}

impl ProcessMemory {
    /// `shuffle`: seed that moves scratch blocks to other addresses; 0 for none.
    pub fn new(shuffle: u64, touched: Option<Touched>) -> ProcessMemory {
        ProcessMemory { skew: (shuffle % 61) as usize * 16, touched }
    }

    fn layout(&self, len: usize) -> Layout {
        Layout::from_size_align(len + self.skew, 16).unwrap_or(Layout::new::<u128>())
    }

    #[inline]
    fn touch(&self, rank: WorldRank) {
        if let Some(touched) = &self.touched {
            touched.borrow_mut()[rank.index()] = true;
        }
    }
}

impl Memory for ProcessMemory {
    fn bytes(&self, _rank: WorldRank, at: Addr, len: usize) -> &[u8] {
        // SAFETY: the program vouches for the buffers it passes to MPI (MPI 5.0 §2.5.2: valid for reads of that
        // length); scratch blocks are ours. A wrong address is a fault of the program and reported as its crash.
        unsafe { std::slice::from_raw_parts(at.0 as *const u8, len) }
    }

    fn bytes_mut(&mut self, rank: WorldRank, at: Addr, len: usize) -> &mut [u8] {
        self.touch(rank);
        // SAFETY: as for `bytes`; the borrow of `self` keeps a second slice from being made meanwhile.
        unsafe { std::slice::from_raw_parts_mut(at.0 as *mut u8, len) }
    }

    fn bytes_pair(&mut self, rank: WorldRank, read: (Addr, usize), write: (Addr, usize)) -> (&[u8], &mut [u8]) {
        self.touch(rank);
        // SAFETY: as for `bytes`; the caller promises that the two ranges do not overlap.
        unsafe {
            (
                std::slice::from_raw_parts(read.0.0 as *const u8, read.1),
                std::slice::from_raw_parts_mut(write.0.0 as *mut u8, write.1),
            )
        }
    }

    fn copy(&mut self, _from: WorldRank, src: Addr, to: WorldRank, dst: Addr, len: usize) {
        self.touch(to);
        // SAFETY: as for `bytes`; `copy` allows overlap.
        unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) }
    }
}

impl RankMemory for ProcessMemory {
    fn reserve(&mut self, rank: WorldRank, len: usize) -> Addr {
        if self.touched.is_some() {
            // Where states are remembered, scratch memory must come and go with the rank's region.
            self.touch(rank);
            return Addr(process::rank_allocate(rank, len.max(1)) as u64);
        }
        let layout = self.layout(len.max(1));
        // SAFETY: the layout is not empty.
        let block = unsafe { alloc(layout) };
        if block.is_null() {
            handle_alloc_error(layout);
        }
        Addr(block as u64 + self.skew as u64)
    }

    fn release(&mut self, rank: WorldRank, at: Addr, len: usize) {
        if self.touched.is_some() {
            self.touch(rank);
            return process::rank_free(rank, at.0 as usize);
        }
        let block = (at.0 - self.skew as u64) as *mut u8;
        // SAFETY: `reserve` made the block with the same layout, and a schedule releases each of its blocks once.
        unsafe { dealloc(block, self.layout(len.max(1))) }
    }
}

//! The ranks' memory as the MPI layer sees it. All ranks live in this process, so an address is an address.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc, handle_alloc_error};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
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
    /// Ranges whose contents do not matter, by their beginnings; apart from each other.
    void: BTreeMap<u64, u64>,
}

impl ProcessMemory {
    /// `shuffle`: seed that moves scratch blocks to other addresses; 0 for none.
    ///
    /// # Safety
    /// Only addresses of a program are used with it, for what the program has passed them to MPI for, and those of
    /// blocks that were reserved with it. The program vouches for its own (MPI 5.0 §2.5.2): there is memory for as long
    /// as the operation goes on, and no thread uses it in a way that MPI forbids. A wrong address is a fault of the
    /// program and reported as its crash. Blocks are given back once, with the length they were reserved with. A kernel
    /// of [`Memory::combine`] uses no other instance.
    pub unsafe fn new(shuffle: u64, touched: Option<Touched>) -> ProcessMemory {
        ProcessMemory { skew: (shuffle % 61) as usize * 16, touched, void: BTreeMap::new() }
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
    #[inline]
    fn has_void(&self) -> bool {
        !self.void.is_empty()
    }

    #[inline]
    fn is_void(&self, at: Addr, len: usize) -> bool {
        let holds = |(_, end): (&u64, &u64)| at.0.checked_add(len as u64).is_some_and(|last| last <= *end);
        self.has_void() && self.void.range(..=at.0).next_back().is_some_and(holds)
    }

    #[inline]
    fn bytes(&self, _rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        // SAFETY: the promise of `new`. Cells let others read and write the same bytes, and are those of this thread.
        unsafe { std::slice::from_raw_parts(at.0 as *const Cell<u8>, len) }
    }

    #[inline]
    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.touch(rank);
        self.bytes(rank, at, len)
    }

    fn append(&self, _rank: WorldRank, at: Addr, len: usize, out: &mut Vec<u8>) {
        out.reserve(len);
        // SAFETY: the source by the promise of `new`; behind the end of `out` there is room, which is filled then.
        unsafe {
            std::ptr::copy(at.0 as *const u8, out.as_mut_ptr().add(out.len()), len);
            out.set_len(out.len() + len);
        }
    }

    fn copy(&mut self, from: WorldRank, src: Addr, to: WorldRank, dst: Addr, len: usize) {
        self.touch(to);
        // SAFETY: both by the promise of `new`; `copy` allows overlap.
        let copy = || unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) };
        let target = dst.0 as usize;
        if from == to { copy() } else { process::moving_to(target..target.saturating_add(len), copy) }
    }

    fn combine(&mut self, rank: WorldRank, input: Addr, inout: Addr, len: usize, kernel: &dyn Fn(&[u8], &mut [u8])) {
        if self.is_void(input, len) || self.is_void(inout, len) {
            return;
        }
        self.touch(rank);
        let mut copy = Vec::new();
        let left = if input.0.abs_diff(inout.0) >= len as u64 {
            // SAFETY: the promise of `new`. The range is apart from the one that is written.
            unsafe { std::slice::from_raw_parts(input.0 as *const u8, len) }
        } else {
            self.append(rank, input, len, &mut copy);
            &copy
        };
        // SAFETY: the promise of `new`. Nobody else has a reference to these bytes: not `left`, which is apart, and not
        // the kernel, because this borrow of `self` is exclusive and other instances are left alone meanwhile.
        kernel(left, unsafe { std::slice::from_raw_parts_mut(inout.0 as *mut u8, len) });
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

    fn reserve_zeros(&mut self, rank: WorldRank, len: usize) -> Addr {
        if self.touched.is_some() {
            let at = self.reserve(rank, len);
            if at != Addr::BOTTOM {
                self.write(rank, at, &vec![0; len]);
                process::share_memory(at.0 as usize, len);
            }
            return at;
        }
        // SAFETY: the layout is not empty.
        let block = unsafe { alloc_zeroed(self.layout(len.max(1))) };
        if block.is_null() { Addr::BOTTOM } else { Addr(block.expose_provenance() as u64 + self.skew as u64) }
    }

    fn disregard(&mut self, at: Addr, len: usize, is_void: bool) {
        match is_void {
            true if len == 0 => {}
            true => _ = self.void.insert(at.0, at.0 + len as u64),
            false => _ = self.void.remove(&at.0),
        }
    }

    fn release(&mut self, rank: WorldRank, at: Addr, len: usize) {
        if self.has_void() {
            self.disregard(at, len, false);
        }
        if self.touched.is_some() {
            self.touch(rank);
            return process::rank_free(rank, at.0 as usize);
        }
        let block = (at.0 - self.skew as u64) as *mut u8;
        // SAFETY: `reserve` made the block with the same layout; it comes back once by the promise of `new`.
        unsafe { dealloc(block, self.layout(len.max(1))) }
    }
}

/// Memory of ranks without any: buffers have sizes, and no bytes. What is packed is empty, and what is written or
/// combined is lost. For replays of traces.
pub struct NoMemory;

impl Memory for NoMemory {
    fn has_bytes(&self) -> bool {
        false
    }

    fn bytes(&self, _rank: WorldRank, _at: Addr, _len: usize) -> &[Cell<u8>] {
        &[]
    }

    fn bytes_to_write(&mut self, _rank: WorldRank, _at: Addr, _len: usize) -> &[Cell<u8>] {
        &[]
    }

    fn append(&self, _rank: WorldRank, _at: Addr, _len: usize, _out: &mut Vec<u8>) {}

    fn write(&mut self, _rank: WorldRank, _at: Addr, _bytes: &[u8]) {}

    fn copy(&mut self, _from: WorldRank, _src: Addr, _to: WorldRank, _dst: Addr, _len: usize) {}

    fn combine(&mut self, _: WorldRank, _: Addr, _: Addr, _: usize, _kernel: &dyn Fn(&[u8], &mut [u8])) {}
}

impl RankMemory for NoMemory {
    fn reserve(&mut self, _rank: WorldRank, _len: usize) -> Addr {
        Addr(1)
    }

    fn reserve_zeros(&mut self, _rank: WorldRank, _len: usize) -> Addr {
        Addr(1)
    }

    fn release(&mut self, _rank: WorldRank, _at: Addr, _len: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: WorldRank = WorldRank(0);

    /// Memory of the default methods, which say what is right.
    struct Slow(Vec<Cell<u8>>);

    impl Memory for Slow {
        fn bytes(&self, _: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
            &self.0[at.0 as usize..][..len]
        }

        fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
            self.bytes(rank, at, len)
        }
    }

    /// Does the same to both, at all distances of two ranges, and compares.
    fn compare(change: impl Fn(&mut dyn Memory, Addr, Addr, usize)) {
        const LEN: usize = 24;
        let start: Vec<Cell<u8>> = (0..3 * LEN).map(|byte| Cell::new((byte as u8).wrapping_mul(37))).collect();
        for (from, to) in (0..2 * LEN).flat_map(|from| (0..2 * LEN).map(move |to| (from, to))) {
            let (real, mut slow) = (start.clone(), Slow(start.clone()));
            let base = Addr(real.as_ptr() as u64);
            // SAFETY: the addresses are those of `real`, which outlives it.
            let mut memory = unsafe { ProcessMemory::new(0, None) };
            change(&mut memory, base.offset(from as i64), base.offset(to as i64), LEN);
            change(&mut slow, Addr(from as u64), Addr(to as u64), LEN);
            assert_eq!(real, slow.0, "from {from} to {to}");
        }
    }

    #[test]
    fn copies_may_overlap() {
        compare(|memory, from, to, len| memory.copy(HERE, from, HERE, to, len));
    }

    #[test]
    fn reductions_may_overlap() {
        let sum = |input: &[u8], inout: &mut [u8]| {
            inout.iter_mut().zip(input).for_each(|(inout, input)| *inout = inout.wrapping_mul(3).wrapping_add(*input));
        };
        compare(|memory, from, to, len| memory.combine(HERE, from, to, len, &sum));
    }

    #[test]
    fn what_is_read_is_appended() {
        compare(|memory, from, to, len| {
            let mut bytes = vec![7; 3];
            memory.append(HERE, from, len, &mut bytes);
            assert_eq!(bytes[..3], [7; 3]);
            memory.write(HERE, to, &bytes[3..]);
        });
    }
}

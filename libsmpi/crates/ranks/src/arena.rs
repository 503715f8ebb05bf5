//! The heap of one rank: a deterministic allocator whose every byte, bookkeeping included, lies in the rank's region.
//!
//! The addresses a rank gets depend only on the calls it made, so a run repeated hands out the same pointers. The
//! design is the classic one of boundary tags with bins of free chunks by size (Lea, "A Memory Allocator", 1996; the
//! two-level size classes of Masmano et al., "TLSF", 2004), with a top that grows into the region.
//!
//! ```text
//!   base            first                                   top                 end            limit
//!   │ Control │ pad │ chunk │ chunk │ chunk │ …             │ free, never binned │ not mapped … │
//!
//!   chunk c:   c+0  size of the chunk before, valid only while that one is free
//!              c+8  own size | USED | PREV_USED          (sizes are multiples of 16, at least 32)
//!              c+16 payload, up to and including the first 8 bytes of the next chunk
//!   free chunk: c+16 next free, c+24 previous free (offsets; 0 = none), and its size at the next chunk's c+0
//! ```

use crate::layout::PAGE;
use crate::region;
use std::ptr;
use std::sync::OnceLock;

mod bins;

use bins::{Bins, bin_of, search_bin_of};

const USED: u64 = 1;
const PREV_USED: u64 = 2;
const FLAGS: u64 = 15;
const MIN_CHUNK: u64 = 32;
/// Alignment of every block.
const ALIGN: u64 = 16;
/// How many chunks of the exact class are looked at before a larger class is split.
const EXACT_TRIES: usize = 8;
/// First mapping beyond the small arena; later ones double the heap.
const MIN_GROWTH: u64 = 4 << 20;
/// Free ranges of this size go back to the kernel at first; each time it happens the bar rises to twice the range.
const FIRST_TRIM: u64 = 1 << 20;
const LAST_TRIM: u64 = 64 << 20;

/// The bookkeeping at the start of an arena. Offsets count from the arena's base.
#[repr(C)]
struct Control {
    top: u64,
    end: u64,
    limit: u64,
    /// From here on nothing was ever handed out: these bytes are zero.
    clean: u64,
    in_use: u64,
    peak: u64,
    trim: u64,
    bins: Bins,
}

/// Use of an arena.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeapStats {
    /// Bytes in blocks that are allocated now, with their headers.
    pub in_use: u64,
    /// The largest value `in_use` had.
    pub peak: u64,
}

/// A pointer that is not the start of an allocated block was given to free or realloc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadPointer;

/// What is done when an arena's bookkeeping makes no sense; see [`set_damage_handler`].
static ON_DAMAGE: OnceLock<fn() -> !> = OnceLock::new();

/// Installs what happens when a program has overwritten the bookkeeping between its blocks. It must leave the rank or
/// end the process: the arena is not used again in this state. By default the process panics.
pub fn set_damage_handler(handler: fn() -> !) {
    let _ = ON_DAMAGE.set(handler);
}

#[cold]
fn damaged() -> ! {
    match ON_DAMAGE.get() {
        Some(handler) => handler(),
        None => panic!("the bookkeeping of a heap was overwritten"),
    }
}

/// A handle to an arena; all its state is in the memory it manages.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    base: *mut u8,
}

fn chunk_size(request: usize) -> Option<u64> {
    let size = (request as u64).checked_add(8 + ALIGN - 1)? & !(ALIGN - 1);
    (size < 1 << 40).then_some(size.max(MIN_CHUNK))
}

impl Arena {
    const FIRST: u64 = (size_of::<Control>() as u64 + ALIGN - 1) & !(ALIGN - 1);

    /// Starts an arena at `base`: `mapped` bytes of zeros are there, and up to `limit` bytes may be mapped behind them.
    ///
    /// # Safety
    /// `base` must be page-aligned, `mapped` bytes (at least two pages) writable and zero, and the addresses up to
    /// `base + limit` reserved for this arena.
    pub unsafe fn create(base: usize, mapped: usize, limit: usize) -> Arena {
        let arena = Arena { base: base as *mut u8 };
        let control = arena.control();
        // SAFETY: the caller gives us this memory; zeros are valid for the bins.
        unsafe {
            (*control).top = Self::FIRST;
            (*control).clean = Self::FIRST;
            (*control).end = mapped as u64;
            (*control).limit = limit as u64;
            (*control).trim = FIRST_TRIM;
        }
        arena.write(Self::FIRST + 8, PREV_USED);
        arena
    }

    /// The part of the arena that was ever used, bookkeeping included: first address and length. Beyond it are zeros.
    pub fn used(&self) -> (usize, usize) {
        // SAFETY: the control block is alive as long as the arena.
        (self.base as usize, unsafe { (*self.control()).clean.max((*self.control()).top + 16) } as usize)
    }

    /// Allocates `size` bytes, aligned to 16. Null when the arena is full.
    ///
    /// # Safety
    /// Like every method here: one thread at a time.
    pub unsafe fn allocate(&self, size: usize) -> *mut u8 {
        match chunk_size(size).and_then(|size| self.take(size)) {
            Some(chunk) => self.payload(chunk),
            None => ptr::null_mut(),
        }
    }

    /// Like [`Arena::allocate`] with all bytes zero.
    ///
    /// # Safety
    /// As [`Arena::allocate`].
    pub unsafe fn allocate_zeroed(&self, size: usize) -> *mut u8 {
        // SAFETY: the control block is alive as long as the arena.
        let clean = unsafe { (*self.control()).clean };
        let Some(chunk) = chunk_size(size).and_then(|size| self.take(size)) else {
            return ptr::null_mut();
        };
        let payload = self.payload(chunk);
        let dirty = (clean.saturating_sub(chunk + 16) as usize).min(size);
        // SAFETY: `dirty` <= `size` bytes of the block; the rest was never written.
        unsafe { ptr::write_bytes(payload, 0, dirty) };
        payload
    }

    /// Allocates `size` bytes aligned to `align`, a power of two. Null when the arena is full.
    ///
    /// # Safety
    /// As [`Arena::allocate`].
    pub unsafe fn allocate_aligned(&self, align: usize, size: usize) -> *mut u8 {
        if align as u64 <= ALIGN {
            // SAFETY: the caller's promise.
            return unsafe { self.allocate(size) };
        }
        let padded = size.checked_add(align).and_then(|s| s.checked_add(MIN_CHUNK as usize));
        let (Some(padded), Some(wanted)) = (padded.and_then(chunk_size), chunk_size(size)) else {
            return ptr::null_mut();
        };
        let Some(mut chunk) = self.take(padded) else {
            return ptr::null_mut();
        };
        let address = self.payload(chunk) as usize;
        let mut lead = (address.next_multiple_of(align) - address) as u64;
        if lead != 0 && lead < MIN_CHUNK {
            lead += align as u64;
        }
        if lead != 0 {
            let rest = self.size(chunk) - lead;
            let flags = self.read(chunk + 8) & FLAGS;
            self.write(chunk + 8, lead | flags);
            self.write(chunk + lead + 8, rest | USED | PREV_USED);
            self.release(chunk);
            chunk += lead;
        }
        self.cut(chunk, wanted);
        self.payload(chunk)
    }

    /// Changes the size of a block, in place where its neighbours allow. Null, with the block as it was, when the arena
    /// is full.
    ///
    /// # Safety
    /// As [`Arena::allocate`], and `pointer` must not be used again when the call succeeds.
    pub unsafe fn resize(&self, pointer: *mut u8, size: usize) -> Result<*mut u8, BadPointer> {
        let chunk = self.chunk_of(pointer)?;
        let Some(wanted) = chunk_size(size) else {
            return Ok(ptr::null_mut());
        };
        let current = self.size(chunk);
        if wanted <= current || self.extend(chunk, wanted) {
            self.cut(chunk, wanted);
            return Ok(pointer);
        }
        let Some(new) = self.take(wanted) else {
            return Ok(ptr::null_mut());
        };
        let target = self.payload(new);
        // SAFETY: both blocks have at least `current - 8` bytes and do not overlap.
        unsafe { ptr::copy_nonoverlapping(pointer, target, current as usize - 8) };
        self.release(chunk);
        Ok(target)
    }

    /// Frees a block.
    ///
    /// # Safety
    /// As [`Arena::allocate`], and `pointer` must not be used again.
    pub unsafe fn free(&self, pointer: *mut u8) -> Result<(), BadPointer> {
        let chunk = self.chunk_of(pointer)?;
        self.release(chunk);
        Ok(())
    }

    /// Bytes that may be used in a block.
    ///
    /// # Safety
    /// As [`Arena::allocate`].
    pub unsafe fn usable_size(&self, pointer: *mut u8) -> Result<usize, BadPointer> {
        Ok(self.size(self.chunk_of(pointer)?) as usize - 8)
    }

    /// Bytes in use now and at most.
    pub fn stats(&self) -> HeapStats {
        // SAFETY: the control block is alive as long as the arena.
        unsafe { HeapStats { in_use: (*self.control()).in_use, peak: (*self.control()).peak } }
    }

    fn control(&self) -> *mut Control {
        self.base.cast()
    }

    fn bins(&self) -> *mut Bins {
        // SAFETY: computes an address inside the control block, which is alive as long as the arena.
        unsafe { &raw mut (*self.control()).bins }
    }

    #[inline]
    fn read(&self, offset: u64) -> u64 {
        // SAFETY: offsets come from the chain of chunks, which lies in mapped memory of this arena.
        unsafe { self.base.add(offset as usize).cast::<u64>().read() }
    }

    #[inline]
    fn write(&self, offset: u64, value: u64) {
        // SAFETY: as in `read`.
        unsafe { self.base.add(offset as usize).cast::<u64>().write(value) }
    }

    #[inline]
    fn size(&self, chunk: u64) -> u64 {
        self.read(chunk + 8) & !FLAGS
    }

    #[inline]
    fn payload(&self, chunk: u64) -> *mut u8 {
        self.base.wrapping_add(chunk as usize + 16)
    }

    /// The allocated chunk whose payload starts at `pointer`.
    fn chunk_of(&self, pointer: *mut u8) -> Result<u64, BadPointer> {
        let offset = (pointer as usize as u64).wrapping_sub(self.base as usize as u64);
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe { (*self.control()).top };
        if !offset.is_multiple_of(ALIGN) || offset < Self::FIRST + 16 || offset >= top + 16 {
            return Err(BadPointer);
        }
        let chunk = offset - 16;
        let size = self.size(chunk);
        let used = self.read(chunk + 8) & USED != 0;
        if !used || !(MIN_CHUNK..=top - chunk).contains(&size) || self.read(chunk + size + 8) & PREV_USED == 0 {
            return Err(BadPointer);
        }
        Ok(chunk)
    }

    /// Finds or makes a chunk of exactly `size` (or 16 bytes more) and marks it used.
    fn take(&self, size: u64) -> Option<u64> {
        let chunk = match self.take_binned(size) {
            Some(chunk) => chunk,
            None => self.take_top(size)?,
        };
        // SAFETY: the control block is alive as long as the arena.
        unsafe {
            let control = self.control();
            (*control).in_use += self.size(chunk);
            (*control).peak = (*control).peak.max((*control).in_use);
        }
        Some(chunk)
    }

    fn take_binned(&self, size: u64) -> Option<u64> {
        let exact = bin_of(size);
        let mut found = 0;
        // SAFETY: one thread at a time (every public method's condition); the borrows end with each expression.
        let mut candidate = unsafe { (*self.bins()).head(exact) };
        for _ in 0..EXACT_TRIES {
            if candidate == 0 {
                break;
            }
            if self.size(candidate) >= size {
                found = candidate;
                break;
            }
            candidate = self.linked(candidate + 16);
        }
        if found == 0 {
            // SAFETY: as above.
            found = unsafe { (*self.bins()).first_from(search_bin_of(size)) }?;
        }
        let whole = self.unlink(found);
        if whole < size {
            damaged();
        }
        let prev_used = self.read(found + 8) & PREV_USED;
        if whole - size >= MIN_CHUNK {
            self.write(found + 8, size | USED | prev_used);
            self.insert(found + size, whole - size);
        } else {
            self.write(found + 8, whole | USED | prev_used);
            let next = found + whole;
            self.write(next + 8, self.read(next + 8) | PREV_USED);
        }
        Some(found)
    }

    fn take_top(&self, size: u64) -> Option<u64> {
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe { (*self.control()).top };
        if !self.reach(top + size) {
            return None;
        }
        self.write(top + 8, size | USED | PREV_USED);
        self.set_top(top + size);
        Some(top)
    }

    /// Makes sure that a top at `new_top` has its header in mapped memory.
    fn reach(&self, new_top: u64) -> bool {
        let needed = new_top + MIN_CHUNK;
        // SAFETY: the control block is alive as long as the arena.
        let (end, limit) = unsafe { ((*self.control()).end, (*self.control()).limit) };
        if needed <= end {
            return true;
        }
        if needed > limit {
            return false;
        }
        let wanted = (needed - end).max(MIN_GROWTH).max(end).next_multiple_of(MIN_GROWTH);
        let len = wanted.min(limit - end);
        // SAFETY: `create`'s caller reserved the addresses up to `limit` for this arena; they hold nothing yet.
        if !unsafe { region::map_fresh(self.base as usize + end as usize, len as usize) } {
            return false;
        }
        // SAFETY: as above.
        unsafe { (*self.control()).end = end + len };
        true
    }

    fn set_top(&self, top: u64) {
        self.write(top + 8, PREV_USED);
        // SAFETY: the control block is alive as long as the arena.
        unsafe {
            (*self.control()).top = top;
            // Moving the top writes its header, 8 bytes beyond it.
            (*self.control()).clean = (*self.control()).clean.max(top + 16);
        }
    }

    /// Grows a used chunk to at least `wanted` by taking what follows it, where that is free.
    fn extend(&self, chunk: u64, wanted: u64) -> bool {
        let size = self.size(chunk);
        let flags = self.read(chunk + 8) & FLAGS;
        let next = chunk + size;
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe { (*self.control()).top };
        let new_size = if next == top {
            if !self.reach(chunk + wanted) {
                return false;
            }
            self.write(chunk + 8, wanted | flags);
            self.set_top(chunk + wanted);
            wanted
        } else {
            let follower = self.read(next + 8);
            let joined = size + (follower & !FLAGS);
            if follower & USED != 0 || joined < wanted {
                return false;
            }
            if self.unlink(next) + size != joined {
                damaged();
            }
            self.write(chunk + 8, joined | flags);
            self.write(chunk + joined + 8, self.read(chunk + joined + 8) | PREV_USED);
            joined
        };
        // SAFETY: as above.
        unsafe {
            (*self.control()).in_use += new_size - size;
            (*self.control()).peak = (*self.control()).peak.max((*self.control()).in_use);
        }
        true
    }

    /// Frees the end of a used chunk beyond `wanted` bytes when that is worth a chunk.
    fn cut(&self, chunk: u64, wanted: u64) {
        let size = self.size(chunk);
        if size - wanted < MIN_CHUNK {
            return;
        }
        let flags = self.read(chunk + 8) & FLAGS;
        self.write(chunk + 8, wanted | flags);
        self.write(chunk + wanted + 8, (size - wanted) | USED | PREV_USED);
        self.release(chunk + wanted);
    }

    /// Frees a used chunk: joins it with free neighbours and puts it into a bin or back to the top.
    fn release(&self, chunk: u64) {
        let mut start = chunk;
        let mut size = self.size(chunk);
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe {
            (*self.control()).in_use -= size;
            (*self.control()).top
        };
        let freed = size;
        if self.read(chunk + 8) & PREV_USED == 0 {
            let before = self.read(chunk);
            if before > chunk - Self::FIRST || self.unlink(chunk - before) != before {
                damaged();
            }
            start -= before;
            size += before;
        }
        let next = start + size;
        // The old header stays in the middle of the joined chunk: without USED, a second free of it is recognised.
        self.write(chunk + 8, freed);
        if next == top {
            self.set_top(start);
            self.trim(start, size);
            return;
        }
        if self.read(next + 8) & USED == 0 {
            size += self.unlink(next);
        }
        let follower = start + size;
        self.write(follower + 8, self.read(follower + 8) & !PREV_USED);
        self.insert(start, size);
        self.trim(start, size);
    }

    /// Gives the pages inside a large free chunk back to the kernel.
    fn trim(&self, chunk: u64, size: u64) {
        // SAFETY: the control block is alive as long as the arena.
        let bar = unsafe { (*self.control()).trim };
        if size < bar {
            return;
        }
        let page = PAGE as u64;
        let first = (chunk + MIN_CHUNK).next_multiple_of(page);
        let last = (chunk + size) / page * page;
        // SAFETY: the pages lie between the header and the end of a free chunk.
        unsafe {
            region::discard(self.base as usize + first as usize, (last - first) as usize);
            (*self.control()).trim = (2 * size).clamp(bar, LAST_TRIM.max(bar));
        }
    }

    /// Marks `chunk` as a free chunk of `size` bytes and puts it into its bin. The chunk before it must be in use.
    fn insert(&self, chunk: u64, size: u64) {
        self.write(chunk + 8, size | PREV_USED);
        self.write(chunk + size, size);
        let bin = bin_of(size);
        // SAFETY: one thread at a time; the borrow ends with the expression.
        let old = unsafe { (*self.bins()).head(bin) };
        self.write(chunk + 16, old);
        self.write(chunk + 24, 0);
        if old != 0 {
            self.write(old + 24, chunk);
        }
        // SAFETY: as above.
        unsafe { (*self.bins()).set_head(bin, chunk) };
    }

    /// Takes a free chunk out of its bin; returns its size.
    fn unlink(&self, chunk: u64) -> u64 {
        let size = self.size(chunk);
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe { (*self.control()).top };
        let is_sound = chunk.is_multiple_of(ALIGN)
            && chunk < top
            && (MIN_CHUNK..=top - chunk).contains(&size)
            && self.read(chunk + 8) & USED == 0
            && self.read(chunk + size) == size;
        if !is_sound {
            damaged();
        }
        let (next, previous) = (self.linked(chunk + 16), self.linked(chunk + 24));
        if next != 0 {
            self.write(next + 24, previous);
        }
        if previous != 0 {
            self.write(previous + 16, next);
        } else {
            // SAFETY: one thread at a time; the borrow ends with the expression.
            unsafe { (*self.bins()).set_head(bin_of(size), next) };
        }
        size
    }

    /// A link between free chunks: the offset of a chunk, or 0. They lie where the program's data was, so they are
    /// looked at before they are followed.
    fn linked(&self, at: u64) -> u64 {
        let link = self.read(at);
        // SAFETY: the control block is alive as long as the arena.
        let top = unsafe { (*self.control()).top };
        if link != 0 && !(link.is_multiple_of(ALIGN) && (Self::FIRST..top).contains(&link)) {
            damaged();
        }
        link
    }
}

#[cfg(test)]
mod tests;

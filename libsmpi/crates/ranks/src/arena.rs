//! The heap of one rank: a deterministic allocator whose every byte, bookkeeping included, lies in the rank's region.
//!
//! The addresses that a rank gets follow from the calls it made, so that a repeated run gets the same pointers. The
//! design is the classic one of boundary tags with bins of free chunks by size (Lea, "A Memory Allocator", 1996; the
//! two-level size classes of Masmano et al., "TLSF", 2004), with a top that grows into the region.
//!
//! ```text
//!   base            first                                   top                 end            limit
//!   │ Control │ pad │ chunk │ chunk │ chunk │ …             │ free, never binned │ not mapped … │
//!
//!   chunk c:   c+0  size of the chunk before, valid only while that one is free
//!              c+8  own size | USED | PREV_USED | slack << 56   (sizes are multiples of 16, at least 32; slack:
//!                   bytes at the end that were not asked for, where somebody wants to know: `blocks.rs`)
//!              c+16 payload, up to and including the first 8 bytes of the next chunk
//!   free chunk: c+16 next free, c+24 previous free (offsets; 0 = none), and its size at the next chunk's c+0
//! ```

use crate::layout::PAGE;
use crate::region;
use smpi_base::digest::Digest;
use std::cell::Cell;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;

mod bins;
mod blocks;

use bins::{Bins, bin_of, search_bin_of};
use blocks::Blocks;

const USED: u64 = 1;
const PREV_USED: u64 = 2;
const FLAGS: u64 = 15;
const SLACK_SHIFT: u32 = 56;
/// The part of a header that is the size.
const SIZE: u64 = ((1 << SLACK_SHIFT) - 1) & !FLAGS;
const MIN_CHUNK: u64 = 32;
/// Alignment of every block.
const ALIGN: u64 = 16;
/// How many chunks of the exact class are looked at before a larger class is split.
const EXACT_TRIES: usize = 8;
/// First mapping beyond the small arena; later ones double the heap.
const MIN_GROWTH: u64 = 4 << 20;
/// Free ranges of this size go back to the kernel at first; each time that happens, the limit rises to twice the range.
const FIRST_TRIM: u64 = 1 << 20;
const LAST_TRIM: u64 = 64 << 20;

/// The bookkeeping at the start of an arena. Offsets count from the arena's base. All zeros is a valid value.
#[repr(C)]
struct Control {
    /// The chunk behind all others, which is free and in no bin. Invariant: `FIRST <= top`, `top + 16 <= end`.
    top: Cell<u64>,
    /// What is mapped. Invariant: `end <= limit`.
    end: Cell<u64>,
    /// What may be mapped.
    limit: Cell<u64>,
    /// From here on nothing was ever handed out: these bytes are zero.
    clean: Cell<u64>,
    /// Bytes in used chunks. Invariant: `in_use <= peak`.
    in_use: Cell<u64>,
    peak: Cell<u64>,
    /// Free ranges from this size on go back to the kernel.
    trim: Cell<u64>,
    /// Where used blocks begin, if that is kept: [`Blocks::numbers`].
    blocks: Cell<(u64, u64)>,
    /// How often one of them was freed or got another size.
    gone: Cell<u64>,
    bins: Bins,
}

impl Control {
    /// Counts bytes of chunks that are used from now on.
    fn count(&self, bytes: u64) {
        self.in_use.set(self.in_use.get() + bytes);
        self.peak.set(self.peak.get().max(self.in_use.get()));
    }
}

/// How much of an arena is used.
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

/// Sets what is done when a program has overwritten the bookkeeping between its blocks. It must leave the rank or end
/// the process: the arena is not used again in this state. Without it, that is a panic.
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

/// What lies at an address of an arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeapPlace {
    /// A block that is in use: its address, and the bytes that were asked for.
    Block(usize, usize),
    /// Nothing that the program has: it was freed, or lies between blocks.
    Free,
}

/// A handle to an arena; all its state is in the memory it manages. It stays on the thread that made it: the handle is
/// neither `Send` nor `Sync`.
#[derive(Clone, Copy, Debug)]
pub struct Arena {
    /// Invariant: what the caller of [`Arena::create`] promised of it holds.
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
    /// `base + limit` reserved for this arena: as long as some copy of the handle is used, they stay mapped, and nobody
    /// else writes to them but whoever was given a block, to that block.
    pub unsafe fn create(base: usize, mapped: usize, limit: usize) -> Arena {
        let arena = Arena { base: base as *mut u8 };
        let control = arena.control();
        control.top.set(Self::FIRST);
        control.clean.set(Self::FIRST);
        control.end.set(mapped as u64);
        control.limit.set(limit as u64);
        control.trim.set(FIRST_TRIM);
        arena.write(Self::FIRST + 8, PREV_USED);
        arena
    }

    /// The part of the arena that was ever used, bookkeeping included: first address and length. Beyond it are zeros.
    pub fn used(&self) -> (usize, usize) {
        let control = self.control();
        (self.base as usize, control.clean.get().max(control.top.get() + 16) as usize)
    }

    /// From now on keeps where blocks begin, and how many bytes were asked for.
    pub fn keep_blocks(&self) {
        let control = self.control();
        control.blocks.set(Blocks::map(control.limit.get()).numbers());
        self.find_blocks(0);
    }

    /// Finds the blocks anew, after all of the arena was put back to an earlier state; `used_before` is the length of
    /// what it used until then, as of [`Arena::used`].
    pub fn find_blocks(&self, used_before: usize) {
        let blocks = self.blocks();
        if !blocks.is_there() {
            return;
        }
        let top = self.control().top.get();
        blocks.clear_below(top.max(used_before as u64));
        let mut chunk = Self::FIRST;
        while chunk < top {
            let size = self.size(chunk);
            if !(MIN_CHUNK..=top - chunk).contains(&size) {
                // Overwritten: the next call finds that out.
                return;
            }
            if self.read(chunk + 8) & USED != 0 {
                blocks.set(chunk);
            }
            chunk += size;
        }
    }

    /// Whether the arena keeps where its blocks are, and has memory at an address.
    pub fn has(&self, address: usize) -> bool {
        self.blocks().is_there() && (self.base as usize..self.end()).contains(&address)
    }

    /// What lies at an address. `None`: nothing of this arena, or nobody has asked for [`Arena::keep_blocks`].
    pub fn place_at(&self, address: usize) -> Option<HeapPlace> {
        let offset = (address as u64).checked_sub(self.base as usize as u64)?;
        let blocks = self.blocks();
        if !blocks.is_there() || offset < Self::FIRST || offset >= self.control().clean.get() {
            return None;
        }
        let Some(chunk) = blocks.last_before(offset.saturating_sub(16)) else { return Some(HeapPlace::Free) };
        let len = (self.size(chunk) - 8).saturating_sub(self.read(chunk + 8) >> SLACK_SHIFT);
        Some(match offset - chunk - 16 < len {
            true => HeapPlace::Block(self.payload(chunk).addr(), len as usize),
            false => HeapPlace::Free,
        })
    }

    #[inline]
    fn blocks(&self) -> Blocks {
        Blocks::from_numbers(self.control().blocks.get())
    }

    /// The chunk is a block of the program of which it wants `size` bytes.
    #[inline]
    fn note_block(&self, chunk: u64, size: usize) {
        let blocks = self.blocks();
        if blocks.is_there() {
            blocks.set(chunk);
            self.note_slack(chunk, self.size(chunk) - 8 - size as u64);
        }
    }

    fn note_slack(&self, chunk: u64, slack: u64) {
        let header = self.read(chunk + 8) & (SIZE | FLAGS);
        self.write(chunk + 8, header | (slack << SLACK_SHIFT));
    }

    fn note_gone(&self) {
        let control = self.control();
        control.gone.set(control.gone.get() + 1);
    }

    /// As long as this number is the same, blocks that [`Arena::place_at`] found are what they were.
    #[inline]
    pub fn blocks_gone(&self) -> u64 {
        self.control().gone.get()
    }

    /// The chunk is no block any more.
    #[inline]
    fn forget_block(&self, chunk: u64) {
        let blocks = self.blocks();
        if blocks.is_there() {
            blocks.clear(chunk);
            self.note_gone();
        }
    }

    /// Allocates `size` bytes, aligned to 16. Null when the arena is full.
    pub fn allocate(&self, size: usize) -> *mut u8 {
        match chunk_size(size).and_then(|size| self.take(size)) {
            Some(chunk) => {
                self.note_block(chunk, size);
                self.payload(chunk)
            }
            None => ptr::null_mut(),
        }
    }

    /// Like [`Arena::allocate`] with all bytes zero, those that were not asked for, too.
    pub fn allocate_zeroed(&self, size: usize) -> *mut u8 {
        let clean = self.control().clean.get();
        let Some(chunk) = chunk_size(size).and_then(|size| self.take(size)) else {
            return ptr::null_mut();
        };
        self.note_block(chunk, size);
        let payload = self.payload(chunk);
        let dirty = clean.saturating_sub(chunk + 16).min(self.size(chunk) - 8) as usize;
        // SAFETY: the chunk that `take` gave has room for all but 8 bytes of its size, and `dirty` is not more.
        unsafe { ptr::write_bytes(payload, 0, dirty) };
        payload
    }

    /// Allocates `size` bytes aligned to `align`, a power of two. Null when the arena is full.
    pub fn allocate_aligned(&self, align: usize, size: usize) -> *mut u8 {
        if align as u64 <= ALIGN {
            return self.allocate(size);
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
        self.note_block(chunk, size);
        self.payload(chunk)
    }

    /// Changes the size of a block, in place where its neighbours allow. Null, with the block as it was, when the arena
    /// is full.
    ///
    /// # Safety
    /// `pointer` must not be used again when the call succeeds.
    pub unsafe fn resize(&self, pointer: *mut u8, size: usize) -> Result<*mut u8, BadPointer> {
        let chunk = self.chunk_of(pointer)?;
        let Some(wanted) = chunk_size(size) else {
            return Ok(ptr::null_mut());
        };
        let current = self.size(chunk);
        if wanted <= current || self.extend(chunk, wanted) {
            self.cut(chunk, wanted);
            self.note_block(chunk, size);
            self.note_gone();
            return Ok(pointer);
        }
        let Some(new) = self.take(wanted) else {
            return Ok(ptr::null_mut());
        };
        let target = self.payload(new);
        // SAFETY: `chunk_of` found a used chunk at `pointer`, whose block has `current - 8` bytes; `take` gave another
        // one that is larger. Used chunks do not overlap.
        unsafe { ptr::copy_nonoverlapping(pointer, target, current as usize - 8) };
        self.forget_block(chunk);
        self.release(chunk);
        self.note_block(new, size);
        Ok(target)
    }

    /// Frees a block.
    ///
    /// # Safety
    /// `pointer` must not be used again.
    pub unsafe fn free(&self, pointer: *mut u8) -> Result<(), BadPointer> {
        let chunk = self.chunk_of(pointer)?;
        self.forget_block(chunk);
        self.release(chunk);
        Ok(())
    }

    /// Bytes of a block: not fewer than were asked for.
    pub fn usable_size(&self, pointer: *mut u8) -> Result<usize, BadPointer> {
        Ok(self.size(self.chunk_of(pointer)?) as usize - 8)
    }

    /// The same for a program that may use them all.
    pub fn use_all(&self, pointer: *mut u8) -> Result<usize, BadPointer> {
        let chunk = self.chunk_of(pointer)?;
        self.note_slack(chunk, 0);
        self.note_gone();
        Ok(self.size(chunk) as usize - 8)
    }

    /// Adds what programs can still notice of the arena: the blocks with their contents, and the free chunks in the
    /// order in which they will be used. What a free chunk holds is left out.
    /// `add` adds memory between two addresses.
    pub fn name(&self, into: &mut Digest, add: &mut dyn FnMut(&mut Digest, Range<usize>)) {
        let between = |from: u64, to: u64| self.base as usize + from as usize..self.base as usize + to as usize;
        let control = self.control();
        let top = control.top.get();
        into.add((top, control.bins.bytes()));
        let (mut from, mut chunk) = (Self::FIRST, Self::FIRST);
        while chunk < top {
            let size = self.size(chunk);
            if !(MIN_CHUNK..=top - chunk).contains(&size) {
                // Overwritten: the next call finds that out.
                return add(into, between(from, top));
            }
            if self.read(chunk + 8) & USED == 0 {
                // With its header and links.
                add(into, between(from, chunk + MIN_CHUNK));
                from = chunk + size;
            }
            chunk += size;
        }
        add(into, between(from, top + 16));
    }

    /// One past the last address that has memory.
    #[inline]
    pub fn end(&self) -> usize {
        self.base as usize + self.control().end.get() as usize
    }

    /// Bytes in use now and at most.
    pub fn stats(&self) -> HeapStats {
        HeapStats { in_use: self.control().in_use.get(), peak: self.control().peak.get() }
    }

    #[inline]
    fn control(&self) -> &Control {
        // SAFETY: the caller of `create` gave `base` with at least two pages of mapped, aligned memory, which began as
        // zeros and stays mapped; the control block is shorter and made of cells, so that writing through another
        // reference is no conflict. Chunks begin behind it.
        unsafe { &*self.base.cast::<Control>() }
    }

    #[inline]
    fn read(&self, offset: u64) -> u64 {
        // SAFETY: offsets come from the chain of chunks, which lies below the top, in memory that `create` was given or
        // `reach` mapped. A link or size that lies where a program had data is compared with the top before it is
        // followed.
        unsafe { self.base.add(offset as usize).cast::<u64>().read() }
    }

    #[inline]
    fn write(&self, offset: u64, value: u64) {
        // SAFETY: as for `read`, the offset is that of a word of the chain of chunks; no reference is held to any.
        unsafe { self.base.add(offset as usize).cast::<u64>().write(value) }
    }

    #[inline]
    fn size(&self, chunk: u64) -> u64 {
        self.read(chunk + 8) & SIZE
    }

    #[inline]
    fn payload(&self, chunk: u64) -> *mut u8 {
        self.base.wrapping_add(chunk as usize + 16)
    }

    /// The allocated chunk whose payload starts at `pointer`.
    fn chunk_of(&self, pointer: *mut u8) -> Result<u64, BadPointer> {
        let offset = (pointer as usize as u64).wrapping_sub(self.base as usize as u64);
        let top = self.control().top.get();
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
        self.control().count(self.size(chunk));
        Some(chunk)
    }

    fn take_binned(&self, size: u64) -> Option<u64> {
        let exact = bin_of(size);
        let mut found = 0;
        let bins = &self.control().bins;
        let mut candidate = bins.head(exact);
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
            found = bins.first_from(search_bin_of(size))?;
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
        let top = self.control().top.get();
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
        let (end, limit) = (self.control().end.get(), self.control().limit.get());
        if needed <= end {
            return true;
        }
        if needed > limit {
            return false;
        }
        let wanted = (needed - end).max(MIN_GROWTH).max(end).next_multiple_of(MIN_GROWTH);
        let len = wanted.min(limit - end);
        // SAFETY: the caller of `create` reserved the addresses up to `limit` for this arena; beyond `end` they hold
        // nothing yet.
        if !unsafe { region::map_fresh(self.base as usize + end as usize, len as usize) } {
            return false;
        }
        self.control().end.set(end + len);
        true
    }

    fn set_top(&self, top: u64) {
        self.write(top + 8, PREV_USED);
        let control = self.control();
        control.top.set(top);
        // Moving the top writes its header, 8 bytes beyond it.
        control.clean.set(control.clean.get().max(top + 16));
    }

    /// Grows a used chunk to at least `wanted` by taking what follows it, where that is free.
    fn extend(&self, chunk: u64, wanted: u64) -> bool {
        let size = self.size(chunk);
        let flags = self.read(chunk + 8) & FLAGS;
        let next = chunk + size;
        let top = self.control().top.get();
        let new_size = if next == top {
            if !self.reach(chunk + wanted) {
                return false;
            }
            self.write(chunk + 8, wanted | flags);
            self.set_top(chunk + wanted);
            wanted
        } else {
            let follower = self.read(next + 8);
            let joined = size + (follower & SIZE);
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
        self.control().count(new_size - size);
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
        let control = self.control();
        control.in_use.set(control.in_use.get() - size);
        let top = control.top.get();
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
        let limit = self.control().trim.get();
        if size < limit {
            return;
        }
        let page = PAGE as u64;
        let first = (chunk + MIN_CHUNK).next_multiple_of(page);
        let last = (chunk + size) / page * page;
        // SAFETY: the pages lie between the header and the end of a free chunk, which hold nothing.
        unsafe { region::discard(self.base as usize + first as usize, (last - first) as usize) };
        self.control().trim.set((2 * size).clamp(limit, LAST_TRIM.max(limit)));
    }

    /// Marks `chunk` as a free chunk of `size` bytes and puts it into its bin. The chunk before it must be in use.
    fn insert(&self, chunk: u64, size: u64) {
        self.write(chunk + 8, size | PREV_USED);
        self.write(chunk + size, size);
        let bin = bin_of(size);
        let old = self.control().bins.head(bin);
        self.write(chunk + 16, old);
        self.write(chunk + 24, 0);
        if old != 0 {
            self.write(old + 24, chunk);
        }
        self.control().bins.set_head(bin, chunk);
    }

    /// Takes a free chunk out of its bin; returns its size.
    fn unlink(&self, chunk: u64) -> u64 {
        let size = self.size(chunk);
        let top = self.control().top.get();
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
            self.control().bins.set_head(bin_of(size), next);
        }
        size
    }

    /// A link between free chunks: the offset of a chunk, or 0. They lie where the program's data was, so they are
    /// looked at before they are followed.
    fn linked(&self, at: u64) -> u64 {
        let link = self.read(at);
        let top = self.control().top.get();
        if link != 0 && !(link.is_multiple_of(ALIGN) && (Self::FIRST..top).contains(&link)) {
            damaged();
        }
        link
    }
}

#[cfg(test)]
mod tests;

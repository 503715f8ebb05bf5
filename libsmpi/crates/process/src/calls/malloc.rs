//! `malloc` and its family, to be exported in the C library's place: a rank's blocks come from the arena in its own
//! region.
//!
//! libsmpi is loaded before libc, so what libc, libstdc++ and other libraries allocate on a rank's behalf comes here
//! too. Whose block a pointer is follows from its address alone. Everything else (the event loop, other threads, the
//! process before and without hosting) goes to glibc's own allocator under its `__libc_` names, which need no look-up
//! and so work from the first instruction of the process on. libsmpi's own Rust values never lie in an arena:
//! [`LibcAllocator`].

use super::fresh;
use crate::contract::{errno, set_errno};
use crate::faults::crash;
use crate::hooks::hooks;
use crate::record::Record;
use crate::{libc_words, running, state};
use smpi_ranks::layout::PAGE;
use smpi_ranks::valgrind;
use std::alloc::{GlobalAlloc, Layout};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

unsafe extern "C" {
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
}

/// The allocator of libsmpi's own Rust code: glibc's, whatever runs.
pub struct LibcAllocator;

/// Alignment that glibc's malloc guarantees.
const MALLOC_ALIGN: usize = 16;

// SAFETY: glibc's allocator satisfies the trait's contract; large alignments go to memalign.
unsafe impl GlobalAlloc for LibcAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size and power-of-two alignment are valid.
        unsafe {
            if layout.align() <= MALLOC_ALIGN {
                __libc_malloc(layout.size()).cast()
            } else {
                __libc_memalign(layout.align(), layout.size()).cast()
            }
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, _layout: Layout) {
        // SAFETY: the block came from `alloc`.
        unsafe { __libc_free(block.cast()) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: any size is valid.
            return unsafe { __libc_calloc(1, layout.size()).cast() };
        }
        // SAFETY: the layout is the caller's; the block has `size` bytes.
        unsafe {
            let block = self.alloc(layout);
            if !block.is_null() {
                ptr::write_bytes(block, 0, layout.size());
            }
            block
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= MALLOC_ALIGN {
            // SAFETY: the block came from `alloc`.
            return unsafe { __libc_realloc(block.cast(), size).cast() };
        }
        // SAFETY: the new layout is valid by the trait's contract; both blocks have the bytes copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                ptr::copy_nonoverlapping(block, new, layout.size().min(size));
                self.dealloc(block, layout);
            }
            new
        }
    }
}

/// Blocks of arenas that other threads freed, linked through their first word: an arena is used by one thread only, so
/// these wait until a rank allocates.
static FREED_ELSEWHERE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

fn free_later(block: *mut c_void) {
    let mut head = FREED_ELSEWHERE.load(Ordering::Relaxed);
    loop {
        // SAFETY: the block is freed, so its first word is ours; blocks have at least 24 bytes.
        unsafe { block.cast::<*mut c_void>().write(head) };
        match FREED_ELSEWHERE.compare_exchange_weak(head, block, Ordering::Release, Ordering::Relaxed) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
}

#[cold]
fn free_waiting() {
    let mut block = FREED_ELSEWHERE.swap(ptr::null_mut(), Ordering::Acquire);
    while !block.is_null() {
        // SAFETY: `free_later` wrote the link and nobody else has the block.
        let next = unsafe { block.cast::<*mut c_void>().read() };
        free_own(block);
        block = next;
    }
}

/// The rank that allocates, after blocks from other threads were taken back.
#[inline]
fn allocating_rank() -> Option<&'static Record> {
    let record = state::current()?;
    if !FREED_ELSEWHERE.load(Ordering::Relaxed).is_null() {
        free_waiting();
    }
    Some(record)
}

/// Somebody wants to know which blocks ranks give up.
static REPORTED: AtomicBool = AtomicBool::new(false);

/// From now on [`crate::Hooks::freed`] is told of the blocks that ranks give up.
pub fn report_freed() {
    REPORTED.store(true, Ordering::Relaxed);
}

/// Tells that a block is given up. Whether it must stay all the same: MPI still uses it, and what it writes there must
/// not be the bookkeeping between the blocks, or another block.
#[inline]
fn is_kept(block: *mut c_void) -> bool {
    // SAFETY: the block is allocated, since the program is only about to free it, or its header tells that it is not.
    REPORTED.load(Ordering::Relaxed) && (hooks().freed)(block.addr(), &|| unsafe { malloc_usable_size(block) })
}

/// Bytes before a block of glibc's allocator in which it keeps the block's size.
const HEADER: usize = 16;

/// Whether there is memory at an address.
#[cold]
fn has_memory(address: *mut c_void) -> bool {
    const PAGE: usize = 4096;
    let mut resident = 0;
    // SAFETY: asks about a page, whether it is there or not; the answer has room for one.
    unsafe { libc::mincore(address.wrapping_byte_sub(address.addr() % PAGE), PAGE, &raw mut resident) == 0 }
}

/// Frees a block of some rank's arena on the hosting thread.
#[inline]
fn free_own(block: *mut c_void) {
    let Some(record) = state::record_at(block as usize) else {
        // Between the regions, where no rank has anything.
        if state::current().is_some() {
            bad_pointer("free");
        }
        return;
    };
    // SAFETY: the program gives the block up.
    if unsafe { record.own.arena.free(block.cast()) }.is_err() {
        bad_pointer("free");
    }
}

/// Where libc's own allocator has its state (glibc's `main_arena`), which is the hosting process's. A large block that
/// is freed between two others is put first on a list whose head lies in the state, as if it were a chunk that begins
/// with the pointer to the top chunk (glibc 2.26 to 2.41, malloc/malloc.c).
///
/// Under valgrind there is nothing to find: its tools put their own allocator in the place of libc's, and memcheck
/// would report that a freed block is read.
pub fn state_of_libc() -> (*mut u8, usize) {
    const LARGE: usize = 60_000;
    /// Offset of `top`, and the size of the whole.
    const TOP_AT: usize = 96;
    const LEN: usize = 2200;
    const TRIES: usize = 100;
    if valgrind::is_running() {
        return (ptr::null_mut(), 0);
    }
    // SAFETY: blocks of this function. The second word of the one that is freed links it to the head of the list.
    unsafe {
        let mut blocks = [ptr::null_mut::<u8>(); TRIES];
        let mut count = 0;
        // The first ones fill holes; sooner or later three come from the end of the heap, one behind the other.
        let is_between = loop {
            if let [.., before, between, after] = blocks[..count] {
                let distances = (between.addr().wrapping_sub(before.addr()), after.addr().wrapping_sub(between.addr()));
                if distances.0 == distances.1 && (LARGE..LARGE + 64).contains(&distances.0) {
                    break true;
                }
            }
            if count == TRIES {
                break false;
            }
            blocks[count] = __libc_malloc(LARGE).cast();
            count += 1;
        };
        let between = blocks[count - 2];
        __libc_free(between.cast());
        let head = if is_between { between.cast::<*mut u8>().add(1).read_volatile() } else { ptr::null_mut() };
        blocks.iter().filter(|block| **block != between).for_each(|block| __libc_free(block.cast()));
        if is_between { (head.wrapping_sub(TOP_AT), LEN) } else { (ptr::null_mut(), 0) }
    }
}

/// Where libc remembers how far its heap reaches (`brk`): the hosting process's heap grows at any time, also while a
/// function of libc keeps something for a rank.
pub fn break_of_libc() -> (*mut u8, usize) {
    // SAFETY: asks for a symbol by its name.
    let word = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__curbrk".as_ptr()) };
    if word.is_null() { (ptr::null_mut(), 0) } else { (word.cast(), size_of::<usize>()) }
}

/// What is done when a rank's heap is found damaged.
pub fn die_of_damage() -> ! {
    crash::die_of(
        "the heap is damaged: the program has written beyond the end of a block from malloc, before its start, or into one \
         that it had freed; that happened before this call",
    )
}

#[cold]
fn bad_pointer(function: &str) -> ! {
    crash::die_of(&format!(
        "{function}() was given a pointer that is not an allocated block: freed twice, not from malloc, or its header was overwritten"
    ))
}

#[cold]
fn out_of_memory() -> *mut c_void {
    set_errno(libc::ENOMEM);
    ptr::null_mut()
}

#[inline]
fn or_errno(block: *mut u8) -> *mut c_void {
    if block.is_null() { out_of_memory() } else { block.cast() }
}

/// C11 §7.22.3.4.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    match allocating_rank() {
        Some(record) => or_errno(fresh::allocated(record, size)),
        // SAFETY: any size may be asked for.
        None => unsafe { __libc_malloc(size) },
    }
}

/// C11 §7.22.3.2.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    match allocating_rank() {
        Some(record) => match count.checked_mul(size) {
            Some(total) => or_errno(record.own.arena.allocate_zeroed(total)),
            None => out_of_memory(),
        },
        // SAFETY: any sizes may be asked for.
        None => unsafe { __libc_calloc(count, size) },
    }
}

/// C11 §7.22.3.3.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    if !running::in_regions(block as usize) {
        if libc_words::keeps_blocks() && state::current().is_some() {
            return;
        }
        if state::current().is_some() && !has_memory(block.wrapping_byte_sub(HEADER)) {
            bad_pointer("free");
        }
        // SAFETY: by C's contract an allocated block; it lies in no region, so glibc's allocator made it.
        unsafe { __libc_free(block) };
    } else if running::on_host_thread() {
        if !is_kept(block) {
            free_own(block);
        }
    } else {
        free_later(block);
    }
}

/// C11 §7.22.3.5.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: any size may be asked for.
        return unsafe { malloc(size) };
    }
    let of_a_rank = running::in_regions(block as usize);
    if !of_a_rank && state::current().is_none() {
        // SAFETY: by C's contract an allocated block; it lies in no region, so glibc's allocator made it.
        return unsafe { __libc_realloc(block, size) };
    }
    if of_a_rank && running::on_host_thread() && state::current().is_some() {
        if is_kept(block) {
            // SAFETY: C's contract for this function, as the caller has it.
            return unsafe { moved(block, size) };
        }
        if size == 0 {
            free_own(block);
            return ptr::null_mut();
        }
        let Some(record) = state::record_at(block as usize) else { bad_pointer("realloc") };
        let known = fresh::known_size(record, block.cast());
        // SAFETY: the program gives the old pointer up.
        return match unsafe { record.own.arena.resize(block.cast(), size) } {
            Ok(new) => {
                fresh::fill(record, new, known);
                or_errno(new)
            }
            Err(_) => bad_pointer("realloc"),
        };
    }
    // SAFETY: by C's contract an allocated block, which the program gives up; both have the bytes that are copied.
    unsafe {
        let old = malloc_usable_size(block);
        let new = malloc(size);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), old.min(size));
            free(block);
        }
        new
    }
}

/// Another block with the beginning of one that stays where it is.
///
/// # Safety
/// `block` must be an allocated block.
unsafe fn moved(block: *mut c_void, size: usize) -> *mut c_void {
    if size == 0 {
        return ptr::null_mut();
    }
    // SAFETY: any size may be asked for; both have the bytes that are copied.
    unsafe {
        let new = malloc(size);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast::<u8>(), malloc_usable_size(block).min(size));
        }
        new
    }
}

/// C11 §7.22.3.1.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn aligned_alloc(align: usize, size: usize) -> *mut c_void {
    match allocating_rank() {
        Some(record) => {
            let Some(align) = align.max(1).checked_next_power_of_two() else {
                set_errno(libc::EINVAL);
                return ptr::null_mut();
            };
            or_errno(fresh::filled(record, record.own.arena.allocate_aligned(align, size)))
        }
        // SAFETY: glibc rounds the alignment up to a power of two; any size may be asked for.
        None => unsafe { __libc_memalign(align, size) },
    }
}

/// The older name of [`aligned_alloc`].
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn memalign(align: usize, size: usize) -> *mut c_void {
    // SAFETY: any alignment and size may be asked for.
    unsafe { aligned_alloc(align, size) }
}

/// POSIX.1-2017 posix_memalign.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn posix_memalign(result: *mut *mut c_void, align: usize, size: usize) -> i32 {
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    let before = errno();
    // SAFETY: any alignment and size may be asked for.
    let block = unsafe { aligned_alloc(align, size) };
    set_errno(before);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: by C's contract a place for the block.
    unsafe { result.write(block) };
    0
}

/// `aligned_alloc` to a page.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    // SAFETY: any size may be asked for.
    unsafe { aligned_alloc(PAGE, size) }
}

/// `valloc` of whole pages.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn pvalloc(size: usize) -> *mut c_void {
    match size.checked_next_multiple_of(PAGE) {
        // SAFETY: any size may be asked for.
        Some(size) => unsafe { aligned_alloc(PAGE, size) },
        None => out_of_memory(),
    }
}

/// glibc's malloc_usable_size.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if block.is_null() {
        return 0;
    }
    if let Some(record) = state::record_at(block as usize) {
        // SAFETY: reads the block's header, which nobody changes while the program holds the block, and nothing else.
        return unsafe { record.own.from_any_thread() }.arena.use_all(block.cast()).unwrap_or(0);
    }
    static REAL: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
    let mut real = REAL.load(Ordering::Relaxed);
    if real.is_null() {
        // SAFETY: looks up a name in the libraries after this one.
        real = unsafe { libc::dlsym(libc::RTLD_NEXT, c"malloc_usable_size".as_ptr()) };
        REAL.store(real, Ordering::Relaxed);
    }
    if real.is_null() {
        return 0;
    }
    // SAFETY: glibc's function has this signature; the block lies in no region, so it is one of glibc's.
    unsafe {
        let real: unsafe extern "C" fn(*mut c_void) -> usize = std::mem::transmute(real);
        real(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_break_of_libc_is_where_the_heap_ends() {
        let (word, len) = break_of_libc();
        // SAFETY: a word of libc; `sbrk(0)` asks for a number.
        let (known, end) = unsafe { (word.cast::<usize>().read(), libc::sbrk(0).addr()) };
        assert_eq!((known, len), (end, size_of::<usize>()));
    }

    #[test]
    fn our_own_values_keep_their_contents_and_alignment() {
        for align in [1, 16, 64, 4096] {
            let layout = Layout::from_size_align(100, align).expect("a valid layout");
            // SAFETY: a layout that is not empty; the blocks are used within it, and freed once.
            unsafe {
                let block = LibcAllocator.alloc_zeroed(layout);
                assert!(block.addr().is_multiple_of(align) && std::slice::from_raw_parts(block, 100) == [0; 100]);
                block.write_bytes(7, 100);
                let larger = LibcAllocator.realloc(block, layout, 5000);
                assert!(larger.addr().is_multiple_of(align) && std::slice::from_raw_parts(larger, 100) == [7; 100]);
                LibcAllocator.dealloc(larger, Layout::from_size_align(5000, align).expect("a valid layout"));
            }
        }
    }

    #[test]
    fn off_a_rank_memory_is_libcs() {
        let mut block = ptr::null_mut();
        // SAFETY: a place for the block, which is used within its size and freed once.
        unsafe {
            assert_eq!(posix_memalign(&mut block, 24, 8), libc::EINVAL);
            assert_eq!(posix_memalign(&mut block, 256, 100), 0);
            assert!(block.addr().is_multiple_of(256) && malloc_usable_size(block) >= 100);
            let block = realloc(block, 1000);
            assert!(malloc_usable_size(block) >= 1000);
            free(block);
            assert_eq!(malloc_usable_size(ptr::null_mut()), 0);
            free(ptr::null_mut());
        }
    }
}

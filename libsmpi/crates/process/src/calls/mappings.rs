//! `mmap` and its relatives, under the checker: a rank's mappings lie in its region, and are noted, so that they can be
//! put back. Sources: POSIX.1-2017 mmap, munmap, mprotect; mremap(2), madvise(2), brk(2).
//!
//! Everywhere else, and for threads of ranks, these are libc's functions. So they are for libraries that ranks share:
//! what such a library maps is its own, as its variables are.
//!
//! What cannot be put back is noted, and makes the exploration incomplete.

use crate::contract::{Table, errno, or_libc, refuse, set_errno};
use crate::descriptors::hide;
use crate::record::{Mapping, NO_CALL, Record, Source};
use crate::state;
use crate::verification::note_uncontrolled;
use smpi_ranks::layout::PAGE;
use smpi_ranks::region;
use std::ffi::{c_int, c_void};
use std::io;
use std::ops::Range;
use std::os::fd::BorrowedFd;
use std::ptr;
use std::rc::Rc;

/// The functions that map memory, and change what is mapped.
pub const REPLACED: Table = &[
    ("mmap", mmap as *const ()),
    ("mmap64", mmap as *const ()),
    ("munmap", munmap as *const ()),
    ("mprotect", mprotect as *const ()),
    ("madvise", madvise as *const ()),
    ("mremap", mremap as *const ()),
    ("brk", brk as *const ()),
    ("sbrk", sbrk as *const ()),
    ("shmat", shmat as *const ()),
];

/// Bytes of a shared mapping of a file that snapshots copy at most.
pub const MOST_SHARED: usize = 64 << 20;

/// Flags that say where a mapping goes.
const PLACED: c_int = libc::MAP_FIXED | libc::MAP_FIXED_NOREPLACE;

/// The calling rank, if its mappings are noted.
fn noted() -> Option<&'static Record> {
    state::caller().filter(|record| record.own.mappings.borrow().are_noted())
}

/// Whole pages from an address on; `None` for what the kernel refuses.
fn pages(start: *mut c_void, len: usize) -> Option<Range<usize>> {
    let end = start.addr().checked_add(len)?.checked_next_multiple_of(PAGE)?;
    (len > 0 && start.addr().is_multiple_of(PAGE)).then_some(start.addr()..end)
}

fn fail(error: &io::Error) -> *mut c_void {
    set_errno(error.raw_os_error().unwrap_or(libc::ENOMEM));
    libc::MAP_FAILED
}

/// The rank's region.
fn region_of(record: &Record) -> Range<usize> {
    let base = record.image.region();
    base..base + state::host().map_or(0, |host| host.layout.stride())
}

/// Whether a range of the rank's region is stack, heap, or data of its image. Behind its last data there is the heap.
fn is_data(record: &Record, range: &Range<usize>) -> bool {
    let (base, program) = (record.image.region(), record.image.program());
    let is_within = |part: Range<usize>| base + part.start <= range.start && range.end <= base + part.end;
    let heap = program.writable().last().map(|last| last.start..region_of(record).len());
    let mut parts =
        program.writable().iter().cloned().chain(std::iter::once(0..program.region().stack_len)).chain(heap);
    parts.any(is_within)
}

fn overlap(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Where a mapping of the calling rank goes. `None`: where the kernel puts it.
fn place(record: &Record, wish: usize, len: usize, flags: c_int) -> Result<Option<Range<usize>>, c_int> {
    let mappings = record.own.mappings.borrow();
    let wished = wish..wish.saturating_add(len);
    if flags & PLACED != 0 {
        let is_free = mappings.is_free(&wished);
        if mappings.is_in_room(&wished) && flags & libc::MAP_FIXED_NOREPLACE != 0 && !is_free {
            return Err(libc::EEXIST);
        }
        // Elsewhere the kernel knows whether there is something.
        return Ok((flags & libc::MAP_FIXED_NOREPLACE == 0 || is_free).then_some(wished));
    }
    if wish.is_multiple_of(PAGE) && mappings.is_free(&wished) {
        return Ok(Some(wished));
    }
    let found = if flags & libc::MAP_32BIT == 0 { mappings.place(len) } else { None };
    Ok(found.map(|start| start..start + len))
}

/// What a mapping shows; `None` where its file cannot be kept.
fn source_of(flags: c_int, descriptor: c_int, offset: i64) -> Option<Source> {
    if flags & libc::MAP_ANONYMOUS != 0 {
        return Some(Source::Anonymous);
    }
    // SAFETY: the kernel has just mapped the file that is open under this number.
    let copy = unsafe { BorrowedFd::borrow_raw(descriptor) }.try_clone_to_owned().ok()?;
    let is_shared = flags & libc::MAP_TYPE != libc::MAP_PRIVATE;
    Some(Source::File { file: Rc::new(hide(copy)?), offset, is_shared })
}

unsafe extern "C" fn mmap(
    wish: *mut c_void,
    len: usize,
    protection: c_int,
    flags: c_int,
    descriptor: c_int,
    offset: i64,
) -> *mut c_void {
    let record = or_libc!(noted(), libc::mmap(wish, len, protection, flags, descriptor, offset));
    let Some(whole) = len.checked_next_multiple_of(PAGE).filter(|&len| len > 0) else {
        set_errno(if len == 0 { libc::EINVAL } else { libc::ENOMEM });
        return libc::MAP_FAILED;
    };
    let range = match place(record, wish.addr(), whole, flags) {
        Ok(range) => range,
        Err(error) => return fail(&io::Error::from_raw_os_error(error)),
    };
    let own_flags = flags & !(libc::MAP_HUGETLB | libc::MAP_GROWSDOWN | libc::MAP_FIXED_NOREPLACE);
    // Nobody shares memory that is no file's: a child of `fork` is refused under the checker.
    let is_anonymous = flags & libc::MAP_ANONYMOUS != 0;
    let own_flags = if is_anonymous { own_flags & !libc::MAP_TYPE | libc::MAP_PRIVATE } else { own_flags };
    let (at, own_flags) = match &range {
        Some(range) => (ptr::with_exposed_provenance_mut(range.start), own_flags | libc::MAP_FIXED),
        None => (wish, flags),
    };
    // SAFETY: the arguments of the caller, whose contract is that of libc's function, or a free place of its region.
    let mapped = unsafe { libc::mmap(at, len, protection, own_flags | libc::MAP_NORESERVE, descriptor, offset) };
    if mapped == libc::MAP_FAILED {
        return mapped;
    }
    let before = errno();
    let (range_now, number) =
        (mapped.expose_provenance()..mapped.addr() + whole, record.own.mappings.borrow_mut().number());
    note(record, range_now, protection, source_of(flags, descriptor, offset), number);
    if range.is_none() {
        note_uncontrolled("a rank maps memory where the kernel chooses: more than fits its region, or MAP_32BIT");
    }
    set_errno(before);
    mapped
}

/// Something was mapped.
fn note(record: &Record, range: Range<usize>, protection: c_int, source: Option<Source>, number: u32) {
    region::note_mapped(&range, protection);
    let mut mappings = record.own.mappings.borrow_mut();
    let is_in_room = mappings.is_in_room(&range);
    if !is_in_room && overlap(&range, &region_of(record)) {
        note_uncontrolled("a rank maps memory over its own data, heap or stack");
        return mappings.remove(&range);
    }
    let Some(source) = source else {
        note_uncontrolled("more files were mapped than can be put back");
        return mappings.remove(&range);
    };
    let is_written = protection & libc::PROT_WRITE != 0;
    let mapping = Mapping { range, protection, source, is_written, number };
    if is_written && mapping.is_shared() && mapping.range.len() > MOST_SHARED {
        note_uncontrolled("what a rank writes to a shared mapping of more than 64 MiB of a file is not put back");
    }
    mappings.insert(mapping);
}

/// Makes a range what it was before something was mapped there.
fn unmap(record: &Record, range: &Range<usize>) -> io::Result<()> {
    let mut mappings = record.own.mappings.borrow_mut();
    if mappings.is_in_room(range) {
        // SAFETY: the program gives these addresses up, which lie in its region.
        unsafe { region::close(range)? };
    } else {
        if overlap(range, &region_of(record)) {
            note_uncontrolled("a rank unmaps its own data, heap or stack");
        }
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        if unsafe { libc::munmap(ptr::with_exposed_provenance_mut(range.start), range.len()) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    mappings.remove(range);
    Ok(())
}

unsafe extern "C" fn munmap(start: *mut c_void, len: usize) -> c_int {
    let record = or_libc!(noted(), libc::munmap(start, len));
    let Some(range) = pages(start, len) else { return refuse(libc::EINVAL) };
    match unmap(record, &range) {
        Ok(()) => 0,
        Err(error) => refuse(error.raw_os_error().unwrap_or(libc::EINVAL)),
    }
}

unsafe extern "C" fn mprotect(start: *mut c_void, len: usize, protection: c_int) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    let result = unsafe { libc::mprotect(start, len, protection) };
    let (Some(record), Some(range)) = (noted(), pages(start, len)) else { return result };
    if result != 0 {
        return result;
    }
    region::note_protected();
    let mut mappings = record.own.mappings.borrow_mut();
    let own = region_of(record);
    if own.start <= range.start && range.end <= own.end {
        if !is_data(record, &range) && !mappings.is_in_room(&range) {
            note_uncontrolled("a rank changes the protection of its own code");
            return result;
        }
        mappings.protect(&range, protection, libc::PROT_READ | libc::PROT_WRITE);
    } else {
        for part in mappings.within_range(&range) {
            mappings.protect(&part.range, protection, libc::PROT_READ | libc::PROT_WRITE);
        }
    }
    result
}

unsafe extern "C" fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int {
    // When the kernel takes pages that it may take is nobody's choice, so it takes them now.
    let is_now = advice == libc::MADV_FREE && noted().is_some();
    let advice = if is_now { libc::MADV_DONTNEED } else { advice };
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::madvise(start, len, advice) }
}

unsafe extern "C" fn mremap(
    start: *mut c_void,
    old_len: usize,
    new_len: usize,
    flags: c_int,
    wish: *mut c_void,
) -> *mut c_void {
    let record = or_libc!(noted(), libc::mremap(start, old_len, new_len, flags, wish));
    let old = pages(start, old_len);
    let is_in_room = old.as_ref().is_some_and(|old| record.own.mappings.borrow().is_in_room(old));
    let is_plain = flags & !(libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED) == 0;
    let (Some(old), true, true) = (old, is_in_room, is_plain && new_len > 0) else {
        note_uncontrolled("a rank moves a mapping that is not put back (mremap)");
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { libc::mremap(start, old_len, new_len, flags, wish) };
    };
    let new_len = new_len.next_multiple_of(PAGE);
    match move_mapping(record, &old, new_len, flags, wish.addr()) {
        Ok(address) => ptr::with_exposed_provenance_mut(address),
        Err(error) => fail(&io::Error::from_raw_os_error(error)),
    }
}

/// Gives a mapping another length, and perhaps another place; answers where it is then.
fn move_mapping(
    record: &Record,
    old: &Range<usize>,
    new_len: usize,
    flags: c_int,
    wish: usize,
) -> Result<usize, c_int> {
    let parts = record.own.mappings.borrow().within_range(old);
    let [mapping] = &parts[..] else { return Err(libc::EFAULT) };
    if mapping.range != *old || mapping.source == Source::Region {
        return Err(libc::EFAULT);
    }
    let error_of = |error: io::Error| error.raw_os_error().unwrap_or(libc::ENOMEM);
    if new_len <= old.len() && flags & libc::MREMAP_FIXED == 0 {
        if new_len < old.len() {
            unmap(record, &(old.start + new_len..old.end)).map_err(error_of)?;
        }
        return Ok(old.start);
    }
    let grown = old.end..old.start + new_len;
    let start = if flags & libc::MREMAP_FIXED != 0 {
        wish
    } else if record.own.mappings.borrow().is_free(&grown) {
        old.start
    } else if flags & libc::MREMAP_MAYMOVE != 0 {
        record.own.mappings.borrow().place(new_len).ok_or(libc::ENOMEM)?
    } else {
        return Err(libc::ENOMEM);
    };
    let new = start..start + new_len;
    // SAFETY: the mapping is the program's, which gives up the old addresses, and where it grows to nothing is mapped,
    // or the program said that it may be replaced. Where it grows in place, the addresses behind it are only kept free.
    let moved = unsafe {
        if start == old.start {
            libc::munmap(ptr::with_exposed_provenance_mut(grown.start), grown.len());
        }
        let fixed = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        let how = if start == old.start { 0 } else { fixed };
        let at = ptr::with_exposed_provenance_mut(old.start);
        libc::mremap(at, old.len(), new_len, how, ptr::with_exposed_provenance_mut::<c_void>(start))
    };
    if moved == libc::MAP_FAILED {
        let error = errno();
        if start == old.start {
            // SAFETY: nothing is mapped there.
            unsafe { region::close(&grown) }.map_err(error_of)?;
        }
        return Err(error);
    }
    if start != old.start {
        // SAFETY: the mapping is elsewhere now.
        unsafe { region::close(old) }.map_err(error_of)?;
    }
    region::note_mapped(&new, mapping.protection);
    let mut mappings = record.own.mappings.borrow_mut();
    mappings.remove(old);
    mappings.insert(Mapping { range: new, ..mapping.clone() });
    Ok(start)
}

/// Moves the end of the data segment; false when there is no room.
fn move_data_end(record: &Record, end: usize) -> bool {
    let (room, before) = {
        let mappings = record.own.mappings.borrow();
        (mappings.data_room(), mappings.data_end())
    };
    if !(room.start..=room.end).contains(&end) {
        return false;
    }
    let (old, new) = (before.next_multiple_of(PAGE), end.next_multiple_of(PAGE));
    if new > old {
        let range = old..new;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: nothing but the data segment is put there.
        if unsafe { region::map(&range, protection, None, false) }.is_err() {
            return false;
        }
        note(record, range, protection, Some(Source::Anonymous), NO_CALL);
    } else if new < old && unmap(record, &(new..old)).is_err() {
        return false;
    }
    record.own.mappings.borrow_mut().set_data_end(end);
    true
}

unsafe extern "C" fn brk(end: *mut c_void) -> c_int {
    let record = or_libc!(noted(), libc::brk(end));
    if move_data_end(record, end.addr()) { 0 } else { refuse(libc::ENOMEM) }
}

unsafe extern "C" fn sbrk(more: isize) -> *mut c_void {
    let record = or_libc!(noted(), libc::sbrk(more));
    let before = record.own.mappings.borrow().data_end();
    let end = before.checked_add_signed(more);
    if end.is_some_and(|end| end == before || move_data_end(record, end)) {
        return ptr::with_exposed_provenance_mut(before);
    }
    set_errno(libc::ENOMEM);
    libc::MAP_FAILED
}

/// POSIX.1-2017 shmat. A segment belongs to the system.
unsafe extern "C" fn shmat(segment: c_int, wish: *const c_void, flags: c_int) -> *mut c_void {
    note_uncontrolled("what ranks write to a segment of System V's shared memory is not put back");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::shmat(segment, wish, flags) }
}

//! Memory of regions, as the kernel gives it: reserving, growing and discarding it at fixed addresses. The program's
//! file is mapped into a region by `smpi-image`.

use crate::keys;
use crate::layout::Layout;
use crate::walls;
use std::ffi::c_void;
use std::io;
use std::ops::Range;

/// Reserves all addresses of the plan, so that nothing else is placed between the regions.
///
/// # Errors
/// The kernel's answer; `EEXIST` when something is mapped there already.
pub fn reserve(layout: &Layout) -> io::Result<()> {
    let (start, end) = layout.span();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: MAP_FIXED_NOREPLACE never touches existing mappings; kernels that do not know it (before 4.17) take the
    // address for a wish, and where they place the mapping instead is looked at.
    let at = unsafe { libc::mmap(start as *mut c_void, end - start, libc::PROT_NONE, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if at as usize != start {
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    Ok(())
}

/// Turns `len` bytes at `start` into fresh zero memory. False when the kernel refuses.
///
/// # Safety
/// The pages must belong to a region that [`reserve`] made, and hold nothing that is needed.
pub unsafe fn map_fresh(start: usize, len: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: by the condition of this function nothing that is needed lies there, so replacing the mapping loses
    // nothing.
    let mapped = unsafe { libc::mmap(start as *mut c_void, len, protection, flags, -1, 0) != libc::MAP_FAILED };
    walls::note_mapping();
    mapped && keys::tag(start, len, protection)
}

/// Maps memory, or a file from an offset on, where the calling rank wants it. Gives the kernel's error.
///
/// # Safety
/// The pages must hold nothing that is needed, and must not be mapped for anybody but the rank.
pub unsafe fn map(pages: &Range<usize>, protection: i32, file: Option<(i32, i64)>, is_shared: bool) -> io::Result<()> {
    let kind = if is_shared { libc::MAP_SHARED } else { libc::MAP_PRIVATE };
    let of_file = if file.is_some() { 0 } else { libc::MAP_ANONYMOUS };
    let flags = kind | of_file | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let (descriptor, offset) = file.unwrap_or((-1, 0));
    let at = pages.start as *mut c_void;
    // SAFETY: by the condition of this function, replacing what is mapped there loses nothing.
    if unsafe { libc::mmap(at, pages.len(), protection, flags, descriptor, offset) } == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    note_mapped(pages, protection);
    Ok(())
}

/// The rank itself has mapped something there.
pub fn note_mapped(pages: &Range<usize>, protection: i32) {
    walls::note_mapping();
    if keys::is_in_regions(pages.start) {
        keys::tag(pages.start, pages.len(), protection);
    }
}

/// It has changed what may be done with some memory.
pub fn note_protected() {
    walls::note_mapping();
}

/// Makes addresses of a region what they were before something was mapped there: nobody's, and not the kernel's to give
/// away.
///
/// # Safety
/// The pages must hold nothing that is needed.
pub unsafe fn close(pages: &Range<usize>) -> io::Result<()> {
    // SAFETY: the caller says so.
    unsafe { map(pages, libc::PROT_NONE, None, false) }
}

/// Gives pages outside of the regions back.
///
/// # Safety
/// The pages must hold nothing that is needed.
pub unsafe fn unmap(pages: &Range<usize>) -> io::Result<()> {
    // SAFETY: by the condition of this function nothing is lost.
    let result = unsafe { libc::munmap(pages.start as *mut c_void, pages.len()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Changes what a rank may do with its memory.
///
/// # Safety
/// Nobody may be using the pages in a way that is not allowed any more.
pub unsafe fn protect(pages: &Range<usize>, protection: i32) -> io::Result<()> {
    // SAFETY: contents do not change, and the caller says the rest.
    if unsafe { libc::mprotect(pages.start as *mut c_void, pages.len(), protection) } != 0 {
        return Err(io::Error::last_os_error());
    }
    walls::note_mapping();
    Ok(())
}

/// Gives the memory behind these pages back to the kernel; they read as their file again, or as zero.
///
/// # Safety
/// The pages must hold nothing that is needed; `start` and `len` must be multiples of the page size.
pub unsafe fn discard(start: usize, len: usize) {
    // SAFETY: by the condition of this function the pages hold nothing that is needed. A refusal only means that the
    // memory stays in use.
    unsafe { libc::madvise(start as *mut c_void, len, libc::MADV_DONTNEED) };
}

/// Like [`discard`], where the contents must be gone afterwards.
///
/// # Safety
/// As for [`discard`].
///
/// # Panics
/// When the kernel refuses.
pub unsafe fn forget(start: usize, len: usize) {
    let pages = start as *mut c_void;
    // SAFETY: by the condition of this function the pages hold nothing that is needed. What the program has locked is
    // unlocked first (madvise(2), EINVAL).
    let is_gone = unsafe {
        libc::madvise(pages, len, libc::MADV_DONTNEED) == 0
            || libc::munlock(pages, len) == 0 && libc::madvise(pages, len, libc::MADV_DONTNEED) == 0
    };
    assert!(is_gone, "memory of a rank cannot be given back: {}", io::Error::last_os_error());
}

//! Memory of regions, as the kernel gives it: reserving, growing and discarding it at fixed addresses. The program's
//! file is mapped into a region by `smpi-image`.

use crate::keys;
use crate::layout::Layout;
use crate::walls;
use std::ffi::c_void;
use std::io;

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

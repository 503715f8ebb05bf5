//! The kernel side of regions: reserving, mapping, growing and discarding memory at fixed addresses.

use crate::layout::{Layout, Region};
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// Makes the sparse file that backs the regions of one program: `Layout::file_len` bytes that read as zero and use no memory.
pub fn create_file(layout: &Layout, name: &std::ffi::CStr) -> io::Result<OwnedFd> {
    // SAFETY: `name` is a C string; the call touches no other memory.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: memfd_create just gave us this descriptor and nobody else knows it.
    let file = unsafe { OwnedFd::from_raw_fd(fd) };
    // SAFETY: plain system call on a descriptor we own.
    if unsafe { libc::ftruncate(fd, layout.file_len() as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(file)
}

/// Reserves all addresses of the plan, so that nothing else is placed between the regions.
///
/// # Errors
/// The kernel's answer; `EEXIST` when something is mapped there already.
pub fn reserve(layout: &Layout) -> io::Result<()> {
    let (start, end) = layout.span();
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: MAP_FIXED_NOREPLACE never touches existing mappings.
    let at = unsafe { libc::mmap(start as *mut c_void, end - start, libc::PROT_NONE, flags, -1, 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    if at as usize != start {
        return Err(io::Error::from_raw_os_error(libc::EEXIST));
    }
    Ok(())
}

/// Maps a rank's region as one private view of its program's file; what the rank writes is its own.
///
/// # Safety
/// The region must have been reserved and must not hold a live rank.
pub unsafe fn map(region: &Region, file: BorrowedFd<'_>) -> io::Result<()> {
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let at = region.base as *mut c_void;
    // SAFETY: the caller owns these addresses.
    let got = unsafe { libc::mmap(at, region.end - region.base, protection, flags, file.as_raw_fd(), 0) };
    if got == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Turns `len` bytes at `start` into fresh zero memory. False when the kernel refuses.
///
/// # Safety
/// The addresses must belong to a region of ours and hold nothing that is needed.
pub unsafe fn map_fresh(start: usize, len: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the caller owns these addresses.
    unsafe { libc::mmap(start as *mut c_void, len, protection, flags, -1, 0) != libc::MAP_FAILED }
}

/// Gives the memory behind these pages back to the kernel; they read as their file again, or as zero.
///
/// # Safety
/// The pages must hold nothing that is needed; `start` and `len` must be multiples of the page size.
pub unsafe fn discard(start: usize, len: usize) {
    // SAFETY: the caller gives up the content. A refusal only means that the memory stays in use.
    unsafe { libc::madvise(start as *mut c_void, len, libc::MADV_DONTNEED) };
}

//! The bytes of a file, mapped for reading: of a large library only the pages that are looked at are read.
//!
//! The file must not be shortened while it is mapped, as for a program that runs: the kernel answers with SIGBUS.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::null_mut;

/// A mapped file.
pub(crate) struct MappedFile {
    /// Invariant: `len` readable bytes of a mapping of the value's own; null when there are none.
    start: *const u8,
    len: usize,
}

// SAFETY: the mapping belongs to the value alone, and threads have all memory in common.
unsafe impl Send for MappedFile {}
// SAFETY: nobody can write to the mapping, which is read-only; threads may read it at the same time.
unsafe impl Sync for MappedFile {}

impl MappedFile {
    /// Maps a whole file.
    ///
    /// # Errors
    /// The system's refusal, also for a directory.
    pub fn open(path: &Path) -> io::Result<MappedFile> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from_raw_os_error(libc::EISDIR));
        }
        let len = metadata.len() as usize;
        if len == 0 {
            return Ok(MappedFile { start: null_mut(), len });
        }
        // SAFETY: a new mapping at an address that the kernel chooses, so it replaces nothing.
        let start = unsafe { libc::mmap(null_mut(), len, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(MappedFile { start: start.cast(), len })
    }
}

impl std::ops::Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `open` mapped these bytes for reading, and only `drop` unmaps them.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

impl Drop for MappedFile {
    fn drop(&mut self) {
        if self.len != 0 {
            // SAFETY: unmaps exactly what `open` mapped; slices of it borrow the value and are gone.
            unsafe { libc::munmap(self.start.cast_mut().cast(), self.len) };
        }
    }
}

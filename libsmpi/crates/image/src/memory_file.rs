//! The memory file (memfd) of a program: the segments of all files at their places in the region, and all values that
//! do not depend on a rank's address. What is not written stays a hole, reads as zero and costs no memory.

use crate::error::LoadError;
use crate::layout::Region;
use crate::members::Members;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::path::Path;
use std::ptr::null_mut;

/// Creates an executable memfd of the region's file length, named after the program (it shows in `/proc/self/maps`).
pub(crate) fn create(path: &Path, region: &Region) -> Result<File, LoadError> {
    const MFD_EXEC: libc::c_uint = 0x10;
    let io = |error| LoadError::Io { path: path.to_path_buf(), action: "create a memory file for its images", error };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = CString::new(name).unwrap_or_default();
    // SAFETY: the name ends with a zero. Kernels before 6.3 refuse MFD_EXEC, and always create executable files.
    let mut descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | MFD_EXEC) };
    if descriptor < 0 {
        // SAFETY: the name ends with a zero.
        descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    }
    if descriptor < 0 {
        return Err(io(std::io::Error::last_os_error()));
    }
    // SAFETY: `memfd_create` has just made the descriptor, so nobody else owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    file.set_len(region.file_len as u64).map_err(io)?;
    Ok(file)
}

/// The image's part of a memfd, mapped for writing while the program is opened.
pub(crate) struct ImageWriter {
    /// Invariant: `len` readable and writable bytes of a mapping of the value's own.
    start: *mut u8,
    len: usize,
    first_address: u64,
}

impl ImageWriter {
    /// Maps the image's part of `file`.
    pub fn new(members: &Members, file: &File, region: &Region) -> Result<ImageWriter, LoadError> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let offset = region.image_offset as libc::off_t;
        // SAFETY: a new mapping at an address that the kernel chooses, so it replaces nothing.
        let start =
            unsafe { libc::mmap(null_mut(), region.image_len, protection, libc::MAP_SHARED, file.as_raw_fd(), offset) };
        if start == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            return Err(LoadError::Io { path: members.path().into(), action: "map its memory file", error });
        }
        Ok(ImageWriter { start: start.cast(), len: region.image_len, first_address: members.first_address() })
    }

    /// Writes all segments.
    pub fn write_segments(&mut self, members: &Members) -> Result<(), LoadError> {
        for member in &members.list {
            for segment in &member.file.segments {
                let bytes = member.file.file_bytes(segment.file_offset, segment.file_size)?;
                self.write(member.at(segment.address), bytes);
            }
        }
        Ok(())
    }

    /// Writes bytes at an image address, which the caller has checked against the image.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let at = (address - self.first_address) as usize;
        self.bytes()[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Copies bytes between image addresses, which the caller has checked against the image.
    pub fn duplicate(&mut self, from: u64, to: u64, len: usize) {
        let first = self.first_address;
        let (from, to) = ((from - first) as usize, (to - first) as usize);
        self.bytes().copy_within(from..from + len, to);
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `new` mapped these bytes for reading and writing, and only `drop` unmaps them. The slice borrows
        // `self`, so there is no other; the scratch image of `apply` is a private mapping of the file, which never
        // writes here.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

impl Drop for ImageWriter {
    fn drop(&mut self) {
        // SAFETY: unmaps exactly what `new` mapped; slices of it borrow the value and are gone.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

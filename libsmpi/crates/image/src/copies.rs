//! Images for tools that know code by the file that it was mapped from, as valgrind does: it reads the debug
//! information of each file once, for one place. So each rank gets files of its own, and its segments are mapped from
//! these once more, over what the memory file has; every byte stays as it was.

use crate::error::LoadError;
use crate::image::Image;
use crate::layout::{PAGE, round_down, round_up};
use crate::pages::protection_of;
use std::ffi::c_void;
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::path::Path;

impl Image {
    /// Maps the segments of the image from copies of its files, which it makes in `directory`.
    ///
    /// # Errors
    /// The system's refusal to copy or to map.
    ///
    /// # Safety
    /// The image was mapped with `protect`, and no code of it has run yet.
    pub unsafe fn map_copies(&self, directory: &Path) -> Result<(), LoadError> {
        let parts = &*self.program().parts;
        std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        for member in &parts.members.list {
            let name = member.file.path.file_name().unwrap_or_default();
            let copy = directory.join(name);
            std::fs::copy(&member.file.path, &copy).map_err(|error| failed(&copy, error))?;
            let file = File::open(&copy).map_err(|error| failed(&copy, error))?;
            for segment in &member.file.segments {
                let start = self.address(member.at(segment.address));
                let (first, end) = (round_down(start, PAGE), round_up(start + segment.file_size, PAGE));
                let offset = segment.file_offset.saturating_sub(start - first);
                // SAFETY: the range is that of a segment of the image, which `map` has mapped readable. What is mapped
                // over it gets the same bytes, and nobody runs there yet to see the moment in between.
                unsafe { map_over(first..end, protection_of(segment.flags), &file, offset) }
                    .map_err(|error| failed(&copy, error))?;
            }
        }
        // SAFETY: parts of the image, as in `map`.
        unsafe { self.protect() }
    }
}

/// Maps a file over pages that keep their contents.
///
/// # Safety
/// The pages are mapped readable, and nobody uses them.
unsafe fn map_over(pages: Range<usize>, protection: i32, file: &File, offset: usize) -> std::io::Result<()> {
    const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;
    let (at, len) = (pages.start as *mut c_void, pages.len());
    let flags = libc::MAP_PRIVATE | libc::MAP_FIXED;
    // SAFETY: by the condition of this function the pages can be read, and replaced as nobody uses them; where they are
    // written to, they were made writable.
    unsafe {
        let kept = std::slice::from_raw_parts(at.cast::<u8>(), len).to_vec();
        if libc::mmap(at, len, protection, flags, file.as_raw_fd(), offset as libc::off_t) == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let is_same = std::slice::from_raw_parts(at.cast::<u8>(), len) == kept;
        if !is_same {
            if protection & libc::PROT_WRITE == 0 && libc::mprotect(at, len, WRITABLE) != 0 {
                return Err(std::io::Error::last_os_error());
            }
            std::ptr::copy_nonoverlapping(kept.as_ptr(), at.cast::<u8>(), len);
        }
    }
    Ok(())
}

fn failed(path: &Path, error: std::io::Error) -> LoadError {
    LoadError::Io { path: path.to_path_buf(), action: "map a copy for valgrind", error }
}

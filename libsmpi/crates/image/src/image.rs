//! One rank's copy of a program: addresses of what the rank's owner needs.

use crate::error::LoadError;
use crate::private::PrivateVariable;
use crate::program::{Program, ProgramFile};
use std::ffi::{c_char, c_int, c_void};
use std::ops::Range;
use std::os::fd::AsRawFd;

/// A function of `DT_INIT`, `DT_INIT_ARRAY` or `DT_PREINIT_ARRAY`: called with `argc`, `argv`, `envp`.
pub type Constructor = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// One rank's copy of a program, mapped and relocated. Small: there may be 50,000. Dropping it unmaps nothing, because
/// the region with the rank's stack and heap belongs to the caller.
#[derive(Clone)]
pub struct Image {
    program: Program,
    /// Base of the region. Invariant: [`Image::map`] has mapped it.
    region: usize,
}

impl Image {
    /// Maps the region of one rank at `base` over `stride` bytes, and relocates the image of `program` in it.
    ///
    /// One mapping, readable, writable and executable. With `protect`, code and constants become read-only, code alone
    /// executable, and large uninitialised data anonymous: up to [`Program::split_mappings`].
    ///
    /// # Errors
    /// The system's refusal to map, usually because of `vm.max_map_count` or the address-space limit.
    ///
    /// # Safety
    /// `base` is a multiple of [`crate::Region::align`], `stride` a multiple of a page and at least
    /// [`crate::Region::least_stride`]; the addresses from `base` to `base + stride` are the caller's to overwrite:
    /// nothing lives there, and nobody else maps there while the image is in use.
    pub unsafe fn map(program: &Program, base: usize, stride: usize, protect: bool) -> Result<Image, LoadError> {
        let parts = &*program.parts;
        debug_assert!(base.is_multiple_of(parts.region.align) && stride >= parts.region.least_stride());
        let mut protection = libc::PROT_READ | libc::PROT_WRITE;
        if !protect {
            protection |= libc::PROT_EXEC;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: by the condition of this function nothing lives at these addresses, so replacing what is mapped there
        // loses nothing.
        let mapped = unsafe { libc::mmap(base as *mut c_void, stride, protection, flags, parts.file.as_raw_fd(), 0) };
        if mapped == libc::MAP_FAILED {
            return Err(refused(program));
        }
        for bss in parts.large_bss.iter().filter(|_| protect) {
            let at = (base + bss.start) as *mut c_void;
            // SAFETY: a part of the mapping just made, in which nothing is stored yet, not even from the file.
            let mapped = unsafe { libc::mmap(at, bss.len(), protection, flags | libc::MAP_ANONYMOUS, -1, 0) };
            if mapped == libc::MAP_FAILED {
                return Err(refused(program));
            }
        }
        let bias = program.bias(base);
        for &offset in &parts.words {
            let word = (base + offset) as *mut usize;
            // SAFETY: `relocate` has checked that words lie in segments, and `apply` has added words of duplicates,
            // which lie in the image, too; all of it is in the region just mapped for reading and writing. Nobody else
            // knows of it yet.
            unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(bias)) };
        }
        let image = Image { program: program.clone(), region: base };
        if protect {
            // SAFETY: the mapping just made, into which there are no references.
            unsafe { image.protect()? };
        }
        Ok(image)
    }

    /// Gives the parts of the image their own protection.
    ///
    /// # Safety
    /// Nobody holds references into the image.
    pub(crate) unsafe fn protect(&self) -> Result<(), LoadError> {
        for &(offset, len, protection) in &self.program.parts.protections {
            // SAFETY: a part of the image's mapping; the program was linked for this protection.
            if unsafe { libc::mprotect((self.region + offset) as *mut c_void, len, protection) } != 0 {
                return Err(refused(&self.program));
            }
        }
        Ok(())
    }

    /// The program it is an image of.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Base of the region.
    pub fn region(&self) -> usize {
        self.region
    }

    /// What it adds to link-time addresses.
    pub fn bias(&self) -> usize {
        self.program.bias(self.region)
    }

    /// Run-time address of an image address: a link-time address of the executable, or one of a private library with
    /// what that was moved by.
    pub fn address(&self, link_address: u64) -> usize {
        self.bias().wrapping_add(link_address as usize)
    }

    /// Address at which the rank has a file, given by its index among [`Program::files`].
    pub fn file_base(&self, file: usize) -> usize {
        self.address(self.program.files()[file].first)
    }

    /// Image address of a run-time address of this image; [`ProgramFile::own_address`] makes what `addr2line` knows of
    /// it.
    pub fn link_address(&self, address: usize) -> Option<u64> {
        self.range().contains(&address).then(|| address.wrapping_sub(self.bias()) as u64)
    }

    /// Addresses of the whole image.
    pub fn range(&self) -> Range<usize> {
        let start = self.region + self.program.region().image_offset;
        start..start + self.program.region().image_len
    }

    /// Addresses of its code.
    pub fn text_range(&self) -> Range<usize> {
        let text = &self.program.parts.text;
        self.address(text.start)..self.address(text.end)
    }

    /// Address of `_start`, see [`crate::enter`].
    pub fn entry(&self) -> usize {
        self.address(self.program.parts.entry)
    }

    /// Address of the executable's `.eh_frame_hdr`.
    pub fn eh_frame_hdr(&self) -> Option<usize> {
        self.program.files()[0].eh_frame_hdr.map(|address| self.address(address))
    }

    /// Where the rank's thread-local block lies while the rank does not run: [`crate::TlsTemplate::size`] bytes, which
    /// hold the initial contents at first. The owner of the ranks copies them to directly below the thread pointer and
    /// back.
    pub fn tls_slot(&self) -> *mut u8 {
        (self.region + self.program.region().tls_offset) as *mut u8
    }

    /// The rank's own object of a variable of libc.
    pub fn private_variable(&self, variable: PrivateVariable) -> *mut u8 {
        self.address(self.program.parts.private[variable as usize]) as *mut u8
    }

    /// Points libraries to this rank's objects of libc's variables: its turn begins.
    #[inline]
    pub fn bind(&self) {
        for slot in &self.program.parts.slots {
            // SAFETY: the word is writable and holds an address of this variable, as `Slot` says; the object lies in
            // the image, which `map` has mapped.
            unsafe { slot.word.write(self.address(slot.own)) };
        }
    }

    /// Points libraries to libc's own objects again: the rank's turn is over.
    #[inline]
    pub fn unbind(&self) {
        for slot in &self.program.parts.slots {
            // SAFETY: as in `bind`.
            unsafe { slot.word.write(slot.original) };
        }
    }

    /// Addresses of the constructors of private libraries in the order in which to call them, as [`Constructor`]s: a
    /// library's after those of the libraries it needs.
    pub fn library_constructors(&self) -> impl Iterator<Item = usize> + '_ {
        let order = self.program.parts.members.construction.iter();
        order.flat_map(|&index| self.constructors_of(&self.program.parts.files[index]))
    }

    /// Addresses of the constructors in the order in which to call them, as [`Constructor`]s: the executable's preinit
    /// array, the libraries', then the executable's `DT_INIT` and init array.
    ///
    /// An executable linked with a C library older than 2.34 passes its own `__libc_csu_init` to `__libc_start_main`
    /// (third function argument, not null), which does the executable's part: call [`Image::library_constructors`] and
    /// then that one, and not these.
    pub fn constructors(&self) -> impl Iterator<Item = usize> + '_ {
        let own = self.constructors_of(&self.program.parts.files[0]);
        self.array(self.program.parts.preinit).chain(self.library_constructors()).chain(own)
    }

    /// Addresses of the destructors in the order in which to call them, without arguments: the executable's fini array
    /// from its end and `DT_FINI`, then the same of the libraries, against the order of construction.
    pub fn destructors(&self) -> impl Iterator<Item = usize> + '_ {
        let parts = &self.program.parts;
        let libraries = parts.members.construction.iter().rev().copied();
        std::iter::once(0).chain(libraries).flat_map(|index| {
            let file = &parts.files[index];
            self.array(file.fini_array).rev().chain(file.fini.map(|address| self.address(address)))
        })
    }

    fn constructors_of(&self, file: &ProgramFile) -> impl Iterator<Item = usize> {
        file.init.map(|address| self.address(address)).into_iter().chain(self.array(file.init_array))
    }

    fn array(&self, array: Option<(u64, usize)>) -> impl DoubleEndedIterator<Item = usize> {
        let (address, len) = array.unwrap_or((0, 0));
        (0..len).map(move |index| self.word(address + 8 * index as u64)).filter(|&word| word != 0 && word != usize::MAX)
    }

    fn word(&self, link_address: u64) -> usize {
        // SAFETY: `ElfFile` has checked that the arrays of the dynamic section lie in segments, all of which lie in the
        // region that `map` has mapped; its caller leaves it so while the image is in use.
        unsafe { (self.address(link_address) as *const usize).read_unaligned() }
    }
}

/// The refusal of the system to map a rank's region; to be called at once, while `errno` is there.
fn refused(program: &Program) -> LoadError {
    let error = std::io::Error::last_os_error();
    let action = "map the region of a rank (see sysctl vm.max_map_count, ulimit -v and -d)";
    LoadError::Io { path: program.path().into(), action, error }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({} at {:#x})", self.program.path().display(), self.region)
    }
}

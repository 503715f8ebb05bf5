//! A program: read, bound and flattened once, then mapped once per rank.

use crate::error::LoadError;
use crate::flatten::{self, Canvas};
use crate::image::Image;
use crate::layout::{Layout, Region};
use crate::libraries;
use crate::pages::{large_bss, protections};
use crate::parse::Parsed;
use crate::private::{CELLS_LEN, PrivateVariable};
use crate::relocate::{self, Indirect, Relocations};
use crate::resolve::Scope;
use crate::symbols::SymbolTable;
use crate::tls::TlsTemplate;
use object::elf;
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Arc;

/// An executable, ready to be mapped any number of times. Cloning is cheap.
#[derive(Clone)]
pub struct Program {
    pub(crate) parts: Arc<Parts>,
}

/// What all images of a program have in common.
pub(crate) struct Parts {
    pub path: PathBuf,
    pub path_c: CString,
    pub file: File,
    pub region: Region,
    pub tls: TlsTemplate,
    /// Link-time address of the image's first byte.
    pub first_address: u64,
    pub entry: u64,
    pub eh_frame_hdr: Option<u64>,
    pub program_headers: Option<(u64, usize)>,
    pub text: Range<u64>,
    pub text_section: u64,
    /// Offsets in the region of the words that hold addresses of the image.
    pub words: Vec<usize>,
    /// Link-time addresses of the private variables.
    pub private: [u64; PrivateVariable::ALL.len()],
    pub preinit: Option<(u64, usize)>,
    pub init: Option<u64>,
    pub init_array: Option<(u64, usize)>,
    pub fini: Option<u64>,
    pub fini_array: Option<(u64, usize)>,
    /// Parts of the region that are not readable and writable: offset, length, `PROT_*`.
    pub protections: Vec<(usize, usize, c_int)>,
    /// Pages of the region that are zero in every image at its start, if they are many.
    pub large_bss: Option<Range<usize>>,
    /// Functions and objects that the program exports, sorted by name: link-time addresses.
    pub exports: Vec<(String, u64)>,
}

impl Program {
    /// Reads the executable at `path`, opens the libraries it needs and binds its symbols.
    ///
    /// `interpose` answers, by name, the addresses of what libsmpi puts in the place of a library's function; a function
    /// that the program defines itself is never asked for. Call it on the thread that will run the ranks.
    ///
    /// # Errors
    /// Every way in which the file can be unsuitable, see [`LoadError`]; nothing is left behind except open libraries.
    pub fn open(path: &Path, layout: &Layout, interpose: &dyn Fn(&str) -> Option<usize>) -> Result<Program, LoadError> {
        let parsed = Parsed::read(path)?;
        let tls = TlsTemplate::new(&parsed, layout.tls_limit)?;
        libraries::open_needed(&parsed)?;
        let region = Region::new(layout, &parsed, CELLS_LEN);
        let mut relocations = relocate::classify(&parsed, &region, &tls, &Scope { interpose })?;
        let file = flatten::create(path, &region)?;
        let mut canvas = Canvas::new(&parsed, &file, &region)?;
        canvas.write_segments(&parsed)?;
        paint(&mut canvas, &parsed, &region, &mut relocations)?;
        settle_indirect(&mut canvas, &parsed, &file, &region, &mut relocations)?;
        drop(canvas);
        Ok(Program { parts: Arc::new(Parts::new(parsed, region, tls, file, relocations)?) })
    }

    /// Path of the executable, as given.
    pub fn path(&self) -> &Path {
        &self.parts.path
    }

    /// The same for C.
    pub fn path_c(&self) -> &CStr {
        &self.parts.path_c
    }

    /// Where the parts of a region lie.
    pub fn region(&self) -> &Region {
        &self.parts.region
    }

    /// Shape of the program's thread-local block.
    pub fn tls(&self) -> TlsTemplate {
        self.parts.tls
    }

    /// What the image in the region at `base` adds to link-time addresses.
    pub fn bias(&self, base: usize) -> usize {
        (base + self.parts.region.image_offset).wrapping_sub(self.parts.first_address as usize)
    }

    /// Link-time address of `.eh_frame_hdr`; `None` in a program without unwind tables.
    pub fn eh_frame_hdr(&self) -> Option<u64> {
        self.parts.eh_frame_hdr
    }

    /// Offset in a region from which on everything up to the heap may change while a rank runs: data, cells, thread-local
    /// block. What lies before it (code, constants, relocated constants) is the same for the whole life of an image.
    pub fn writable_offset(&self) -> usize {
        let constant_end = self.parts.protections.iter().map(|part| part.0 + part.1).max();
        constant_end.unwrap_or(self.parts.region.image_offset)
    }

    /// Link-time address and number of the program headers, when the image contains them.
    pub fn program_headers(&self) -> Option<(u64, usize)> {
        self.parts.program_headers
    }

    /// Link-time address of a function or variable that the program exports (`-rdynamic`), for a rank's `dlsym`.
    pub fn exported(&self, name: &str) -> Option<u64> {
        let exports = &self.parts.exports;
        exports.binary_search_by(|entry| entry.0.as_str().cmp(name)).ok().map(|index| exports[index].1)
    }

    /// Names of all functions, for crash messages. Reads the executable again.
    pub fn symbol_table(&self) -> SymbolTable {
        SymbolTable::read(&self.parts.path)
    }

    /// Maps the region of one rank at `base` over `stride` bytes and relocates the image in it.
    ///
    /// One mapping, readable, writable and executable. With `protect`, code and constants become read-only, code alone
    /// executable, and large uninitialised data anonymous: up to seven mappings.
    ///
    /// # Errors
    /// The system's refusal to map, usually because of `vm.max_map_count` or the address-space limit.
    ///
    /// # Safety
    /// `base` is a multiple of [`Region::align`], `stride` a multiple of a page and at least [`Region::least_stride`];
    /// the addresses from `base` to `base + stride` are the caller's to overwrite: nothing lives there, and nobody else
    /// maps there while the image is in use.
    pub unsafe fn instantiate(&self, base: usize, stride: usize, protect: bool) -> Result<Image, LoadError> {
        let parts = &*self.parts;
        debug_assert!(base.is_multiple_of(parts.region.align) && stride >= parts.region.least_stride());
        let mut protection = libc::PROT_READ | libc::PROT_WRITE;
        if !protect {
            protection |= libc::PROT_EXEC;
        }
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the caller owns these addresses; the file is the program's own.
        let mapped = unsafe { libc::mmap(base as *mut c_void, stride, protection, flags, parts.file.as_raw_fd(), 0) };
        if mapped == libc::MAP_FAILED {
            return Err(self.refused());
        }
        if protect && let Some(bss) = &parts.large_bss {
            let at = (base + bss.start) as *mut c_void;
            // SAFETY: a part of the mapping just made, in which nothing is stored yet.
            let mapped = unsafe { libc::mmap(at, bss.len(), protection, flags | libc::MAP_ANONYMOUS, -1, 0) };
            if mapped == libc::MAP_FAILED {
                return Err(self.refused());
            }
        }
        let bias = self.bias(base);
        for &offset in &parts.words {
            let word = (base + offset) as *mut usize;
            // SAFETY: `relocate` checked that the word lies in a segment, and segments lie in the region just mapped.
            unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(bias)) };
        }
        if protect {
            for &(offset, len, protection) in &parts.protections {
                // SAFETY: a part of the mapping just made; the program was linked for this protection.
                if unsafe { libc::mprotect((base + offset) as *mut c_void, len, protection) } != 0 {
                    return Err(self.refused());
                }
            }
        }
        Ok(Image::new(self.clone(), base))
    }

    fn refused(&self) -> LoadError {
        let error = std::io::Error::last_os_error();
        let action = "map the region of a rank (see sysctl vm.max_map_count and ulimit -v)";
        LoadError::Io { path: self.parts.path.clone(), action, error }
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("path", &self.parts.path).field("region", &self.parts.region).finish()
    }
}

/// Writes all that is the same in every image, and gives the thread-local block its own share of it.
fn paint(
    canvas: &mut Canvas,
    parsed: &Parsed,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    for (address, bytes) in &relocations.copies {
        canvas.write(*address, bytes);
    }
    for (address, value) in &relocations.fixed {
        canvas.write(*address, &value.to_le_bytes());
    }
    let Some(tls) = parsed.tls else { return Ok(()) };
    // The initial contents may hold addresses themselves; the copy is made after relocation, as the linker does.
    let slot = parsed.first_address + (region.tls_offset - region.image_offset) as u64;
    let contents = tls.address..tls.address + tls.file_size as u64;
    canvas.write(slot, parsed.bytes(tls.address, tls.file_size)?);
    let moved = |address: &u64| contents.contains(address).then(|| address - tls.address + slot);
    for (address, value) in &relocations.fixed {
        if let Some(address) = moved(address) {
            canvas.write(address, &value.to_le_bytes());
        }
    }
    let words: Vec<u64> = relocations.words.iter().filter_map(moved).collect();
    relocations.words.extend(words);
    Ok(())
}

/// Runs the resolvers of indirect functions once, in a scratch image, and stores what they chose.
fn settle_indirect(
    canvas: &mut Canvas,
    parsed: &Parsed,
    file: &File,
    region: &Region,
    relocations: &mut Relocations,
) -> Result<(), LoadError> {
    if relocations.indirect.is_empty() {
        return Ok(());
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    let offset = region.image_offset as libc::off_t;
    // SAFETY: a new private mapping at an address of the kernel's choice.
    let scratch = unsafe {
        libc::mmap(null_mut(), region.image_len, protection, libc::MAP_PRIVATE, file.as_raw_fd(), offset) as usize
    };
    if scratch == libc::MAP_FAILED as usize {
        let error = std::io::Error::last_os_error();
        return Err(LoadError::Io { path: parsed.path.clone(), action: "map it to choose indirect functions", error });
    }
    let bias = scratch.wrapping_sub(parsed.first_address as usize);
    for &address in &relocations.words {
        let word = bias.wrapping_add(address as usize) as *mut usize;
        // SAFETY: `relocate` checked that the word lies in the image.
        unsafe { word.write_unaligned(word.read_unaligned().wrapping_add(bias)) };
    }
    for Indirect { address, resolver } in std::mem::take(&mut relocations.indirect) {
        let resolver = bias.wrapping_add(resolver as usize);
        // SAFETY: the psABI's type of a resolver; the image is relocated except for other indirect functions, which a
        // resolver must not call.
        let chosen = unsafe { std::mem::transmute::<usize, extern "C" fn() -> usize>(resolver)() };
        let own = chosen.wrapping_sub(scratch) < region.image_len;
        let value = if own { chosen.wrapping_sub(bias) } else { chosen };
        canvas.write(address, &(value as u64).to_le_bytes());
        if own {
            relocations.words.push(address);
        }
    }
    // SAFETY: unmaps exactly the scratch image, which nothing refers to any more.
    unsafe { libc::munmap(scratch as *mut c_void, region.image_len) };
    Ok(())
}

impl Parts {
    fn new(
        parsed: Parsed,
        region: Region,
        tls: TlsTemplate,
        file: File,
        relocations: Relocations,
    ) -> Result<Parts, LoadError> {
        let in_region = |address: u64| (address - parsed.first_address) as usize + region.image_offset;
        let mut words: Vec<usize> = relocations.words.iter().map(|&address| in_region(address)).collect();
        words.sort_unstable();
        let code = parsed.segments.iter().filter(|segment| segment.flags & elf::PF_X != 0);
        let text = code
            .map(|segment| segment.address..segment.address + segment.memory_size)
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
            .unwrap_or(0..0);
        Ok(Parts {
            path_c: CString::new(parsed.path.as_os_str().as_bytes()).unwrap_or_default(),
            path: parsed.path.clone(),
            file,
            tls,
            first_address: parsed.first_address,
            entry: parsed.entry,
            eh_frame_hdr: parsed.eh_frame_hdr,
            program_headers: parsed.program_headers,
            text_section: SymbolTable::text_section(&parsed.path).unwrap_or(text.start),
            text,
            words,
            private: relocations.private,
            preinit: parsed.array(elf::DT_PREINIT_ARRAY, elf::DT_PREINIT_ARRAYSZ),
            init: parsed.dynamic_value(elf::DT_INIT),
            init_array: parsed.array(elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ),
            fini: parsed.dynamic_value(elf::DT_FINI),
            fini_array: parsed.array(elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ),
            protections: protections(&parsed, &region),
            large_bss: large_bss(&parsed, &region, &relocations),
            exports: exports(&parsed)?,
            region,
        })
    }
}

/// Functions and objects of the dynamic symbol table that the program defines, sorted by name.
fn exports(parsed: &Parsed) -> Result<Vec<(String, u64)>, LoadError> {
    let mut exports = Vec::new();
    for index in 1..parsed.symbol_count()? {
        let symbol = parsed.symbol(index)?;
        let is_plain = matches!(symbol.kind, elf::STT_NOTYPE | elf::STT_FUNC | elf::STT_OBJECT);
        if symbol.section != elf::SHN_UNDEF && symbol.section != elf::SHN_ABS && is_plain {
            exports.push((parsed.symbol_name(&symbol)?, symbol.value));
        }
    }
    exports.sort();
    Ok(exports)
}

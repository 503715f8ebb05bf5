//! A program, read and bound once, and its images, one per rank.

use crate::error::LoadError;
use crate::flatten::{self, Canvas};
use crate::layout::{Layout, PAGE, Region, round_down, round_up};
use crate::libraries;
use crate::parse::Parsed;
use crate::private::{CELLS_LEN, PrivateVariable};
use crate::relocate::{self, Indirect, Relocations};
use crate::resolve::Scope;
use crate::symbols::SymbolTable;
use crate::tls::{self, TlsTemplate};
use object::elf;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::Arc;

/// A function of `DT_INIT`, `DT_INIT_ARRAY` or `DT_PREINIT_ARRAY`: called with `argc`, `argv`, `envp`.
pub type Constructor = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char);

/// Uninitialised data at least this large gets anonymous memory, where the number of mappings allows it: a page of the
/// memfd would be allocated once more for the file itself.
const LARGE_BSS: usize = 256 << 10;

/// An executable, ready to be mapped any number of times. Cloning is cheap.
#[derive(Clone)]
pub struct Program {
    parts: Arc<Parts>,
}

struct Parts {
    path: PathBuf,
    path_c: CString,
    file: File,
    region: Region,
    tls: TlsTemplate,
    /// Link-time address of the image's first byte.
    first_address: u64,
    entry: u64,
    eh_frame_hdr: Option<u64>,
    program_headers: Option<(u64, usize)>,
    text: Range<u64>,
    text_section: u64,
    /// Offsets in the region of the words that hold addresses of the image.
    words: Vec<usize>,
    /// Link-time addresses of the private variables.
    private: [u64; PrivateVariable::ALL.len()],
    preinit: Option<(u64, usize)>,
    init: Option<u64>,
    init_array: Option<(u64, usize)>,
    fini: Option<u64>,
    fini_array: Option<(u64, usize)>,
    /// Parts of the region that are not readable and writable: offset, length, `PROT_*`.
    protections: Vec<(usize, usize, c_int)>,
    /// Pages of the region that are zero in every image at its start, if they are many.
    large_bss: Option<Range<usize>>,
    /// Functions and objects that the program exports, sorted by name: link-time addresses.
    exports: Vec<(String, u64)>,
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
        Ok(Image { program: self.clone(), region: base })
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

/// Which parts of a region get another protection than read and write: offset, length, `PROT_*`; adjacent ones joined.
fn protections(parsed: &Parsed, region: &Region) -> Vec<(usize, usize, c_int)> {
    const DATA: c_int = libc::PROT_READ | libc::PROT_WRITE;
    let in_region = |address: u64| (address - parsed.first_address) as usize + region.image_offset;
    let segments: Vec<(usize, usize, c_int)> = parsed
        .segments
        .iter()
        .map(|segment| {
            let end = round_up(in_region(segment.address + segment.memory_size), PAGE);
            (round_down(in_region(segment.address), PAGE), end, protection_of(segment.flags))
        })
        .collect();
    // Like the dynamic linker: the last page of the read-only range may hold other data, and stays writable.
    let relro = parsed.relro.map(|(from, to)| (round_down(in_region(from), PAGE), round_down(in_region(to), PAGE)));
    let cells = round_down(region.cells_offset, PAGE);
    let mut borders: Vec<usize> = segments.iter().flat_map(|&(from, to, _)| [from, to]).collect();
    borders.extend(relro.iter().flat_map(|&(from, to)| [from, to]));
    borders.extend([region.image_offset, cells, region.arena_offset]);
    borders.sort_unstable();
    borders.dedup();

    let mut runs: Vec<(usize, usize, c_int)> = Vec::new();
    if parsed.executable_stack {
        runs.push((0, region.stack_len, DATA | libc::PROT_EXEC));
    }
    let mut previous = libc::PROT_READ;
    for pair in borders.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let covers = |range: &(usize, usize)| range.0 <= from && to <= range.1;
        let of_segments = segments.iter().filter(|(a, b, _)| covers(&(*a, *b))).fold(0, |all, (_, _, bits)| all | bits);
        // Gaps between segments follow what is before them, which saves mappings.
        let mut protection = if of_segments == 0 { previous } else { of_segments };
        if relro.as_ref().is_some_and(covers) {
            protection &= !libc::PROT_WRITE;
        }
        if from >= cells {
            protection |= DATA;
        }
        previous = protection;
        match runs.last_mut() {
            Some(last) if last.2 == protection && last.0 + last.1 == from => last.1 += to - from,
            _ if protection == DATA => {}
            _ => runs.push((from, to - from, protection)),
        }
    }
    runs
}

/// `PROT_*` of a segment's `PF_*` flags.
fn protection_of(flags: u32) -> c_int {
    [(elf::PF_R, libc::PROT_READ), (elf::PF_W, libc::PROT_WRITE), (elf::PF_X, libc::PROT_EXEC)]
        .iter()
        .filter(|(flag, _)| flags & flag != 0)
        .fold(0, |all, (_, bit)| all | bit)
}

/// The pages at the end of the last segment that neither the file nor a relocation gives contents to.
fn large_bss(parsed: &Parsed, region: &Region, relocations: &Relocations) -> Option<Range<usize>> {
    let last = parsed.segments.last()?;
    let mut start = last.address + last.file_size as u64;
    let written = relocations.copies.iter().map(|(address, bytes)| address + bytes.len() as u64);
    let written = written.chain(relocations.fixed.iter().map(|(address, _)| address + 8));
    let written = written.chain(relocations.words.iter().map(|address| address + 8));
    let end = last.address + last.memory_size;
    start = written.filter(|&at| at <= end).fold(start, u64::max);
    let in_region = |address: u64| (address - parsed.first_address) as usize + region.image_offset;
    let pages = round_up(in_region(start), PAGE)..round_down(in_region(end), PAGE);
    (pages.end.saturating_sub(pages.start) >= LARGE_BSS).then_some(pages)
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

/// One rank's copy of a program, mapped and relocated. Small: there may be 50,000. Dropping it unmaps nothing, because
/// the region with the rank's stack and heap belongs to the caller.
#[derive(Clone)]
pub struct Image {
    program: Program,
    region: usize,
}

impl Image {
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

    /// Run-time address of a link-time address.
    pub fn address(&self, link_address: u64) -> usize {
        self.bias().wrapping_add(link_address as usize)
    }

    /// Link-time address of a run-time address of this image, as debug information and `addr2line` know it.
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

    /// Address of its `.text` section, as gdb's `add-symbol-file` wants it.
    pub fn text_section(&self) -> usize {
        self.address(self.program.parts.text_section)
    }

    /// Address of `_start`, see [`crate::enter`].
    pub fn entry(&self) -> usize {
        self.address(self.program.parts.entry)
    }

    /// Address of `.eh_frame_hdr`.
    pub fn eh_frame_hdr(&self) -> Option<usize> {
        self.program.eh_frame_hdr().map(|address| self.address(address))
    }

    /// Where the rank's thread-local block lies while the rank does not run: [`TlsTemplate::size`] bytes, which hold the
    /// initial contents at first. The owner of the ranks copies them to directly below the thread pointer and back.
    pub fn tls_slot(&self) -> *mut u8 {
        (self.region + self.program.region().tls_offset) as *mut u8
    }

    /// Exchanges the bytes of [`Image::tls_slot`] with those directly below the thread pointer. Called when the rank gets
    /// the processor and again when it loses it; does nothing for a program without thread-local data.
    ///
    /// # Safety
    /// [`Layout::tls_limit`] bytes below the thread pointer of the calling thread are a pad that nobody else uses between
    /// the two calls, and the image is mapped.
    pub unsafe fn exchange_tls(&self) {
        // SAFETY: the slot is in the mapped region; the rest is the caller's promise.
        unsafe { tls::exchange(self.tls_slot(), self.program.parts.tls.size) };
    }

    /// The rank's own object of a variable of libc.
    pub fn private_variable(&self, variable: PrivateVariable) -> *mut u8 {
        self.address(self.program.parts.private[variable as usize]) as *mut u8
    }

    /// Addresses of the constructors in the order in which to call them, as [`Constructor`]s: preinit array, `DT_INIT`,
    /// init array.
    ///
    /// An executable linked with a C library older than 2.34 passes its own `__libc_csu_init` to `__libc_start_main`
    /// (third function argument, not null), which does the same: call that one then, and not these.
    pub fn constructors(&self) -> impl Iterator<Item = usize> + '_ {
        let parts = &self.program.parts;
        let init = parts.init.map(|address| self.address(address));
        self.array(parts.preinit).chain(init).chain(self.array(parts.init_array))
    }

    /// Addresses of the destructors in the order in which to call them, without arguments: fini array from its end,
    /// `DT_FINI`.
    pub fn destructors(&self) -> impl Iterator<Item = usize> + '_ {
        let parts = &self.program.parts;
        self.array(parts.fini_array).rev().chain(parts.fini.map(|address| self.address(address)))
    }

    fn array(&self, array: Option<(u64, usize)>) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let (address, len) = array.unwrap_or((0, 0));
        (0..len).map(move |index| self.word(address + 8 * index as u64)).filter(|&word| word != 0 && word != usize::MAX)
    }

    fn word(&self, link_address: u64) -> usize {
        // SAFETY: arrays of the dynamic section lie in the image, which the caller of `instantiate` keeps mapped.
        unsafe { (self.address(link_address) as *const usize).read_unaligned() }
    }
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Image({} at {:#x})", self.program.parts.path.display(), self.region)
    }
}

//! An executable or a library: its header, program headers and dynamic section. Nothing is placed or bound here.
//!
//! Everything is taken from the program headers and the dynamic section, as the dynamic linker does, so that stripped
//! executables load too. Every read is checked against the file; a damaged file is refused, never trusted.
//! Source: gABI chapters 4 and 5; GNU extensions (versions, RELRO, RELR) as readelf names them.

use crate::error::{LoadError, NotPie};
use crate::file::MappedFile;
use crate::layout::{PAGE, round_down};
use crate::names::{is_interpreter, is_libsmpi};
use object::elf;
use smpi_base::map::Map;
use std::path::{Path, PathBuf};

/// User addresses end at 2^47; half of that leaves room for a base.
const ADDRESS_LIMIT: u64 = 1 << 46;
/// Largest alignment of a segment that a linker writes: a huge page.
const LARGEST_ALIGN: usize = 1 << 30;
const ELF_HEADER_SIZE: usize = 64;
const PROGRAM_HEADER_SIZE: usize = 56;

/// A `PT_LOAD` segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub address: u64,
    pub file_offset: usize,
    pub file_size: usize,
    pub memory_size: u64,
    /// `PF_R | PF_W | PF_X`.
    pub flags: u32,
}

/// The `PT_TLS` segment: initial contents of the file's own thread-local data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TlsSegment {
    pub address: u64,
    pub file_size: usize,
    pub memory_size: usize,
    pub align: usize,
}

/// What a file is expected to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Executable,
    Library,
}

/// An executable or a shared library, read and checked. Invariant: what its header and its dynamic section point to
/// lies in its segments.
pub(crate) struct ElfFile {
    pub path: PathBuf,
    data: MappedFile,
    kind: Kind,
    /// Invariant: ascending by address, and at least one.
    pub segments: Vec<Segment>,
    /// Lowest link-time address, rounded down to `align`.
    pub first_address: u64,
    /// One past the highest link-time address.
    pub last_address: u64,
    /// Largest alignment of a segment, at least a page.
    pub align: usize,
    pub entry: u64,
    pub tls: Option<TlsSegment>,
    /// Link-time range that becomes read-only after relocation.
    pub relro: Option<(u64, u64)>,
    pub eh_frame_hdr: Option<u64>,
    /// Link-time address and number of the program headers, when they are part of the image.
    pub program_headers: Option<(u64, usize)>,
    pub executable_stack: bool,
    /// Link-time address of the dynamic section.
    pub dynamic_address: u64,
    /// Values of the dynamic section by their tags, but for `DT_NEEDED`.
    pub dynamic: Map<u64, u64>,
    /// Values of `DT_NEEDED`: offsets in the table of strings.
    needed: Vec<u64>,
}

impl ElfFile {
    /// Reads `path` and checks that it is an executable this loader can place anywhere.
    pub fn read(path: &Path) -> Result<ElfFile, LoadError> {
        ElfFile::read_as(path, Kind::Executable)
    }

    /// Reads `path` and checks that it is a shared library.
    pub fn read_library(path: &Path) -> Result<ElfFile, LoadError> {
        ElfFile::read_as(path, Kind::Library)
    }

    fn read_as(path: &Path, kind: Kind) -> Result<ElfFile, LoadError> {
        let data = MappedFile::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::NotFound { path: path.to_path_buf() },
            _ => LoadError::Io { path: path.to_path_buf(), action: "read it", error },
        })?;
        check_identity(path, &data)?;
        let mut file = ElfFile {
            path: path.to_path_buf(),
            kind,
            entry: 0,
            segments: Vec::new(),
            first_address: 0,
            last_address: 0,
            align: PAGE,
            tls: None,
            relro: None,
            eh_frame_hdr: None,
            program_headers: None,
            executable_stack: false,
            dynamic_address: 0,
            dynamic: Map::default(),
            needed: Vec::new(),
            data,
        };
        file.entry = file.file_u64(24)?;
        if file.file_u16(16)? == elf::ET_REL {
            return Err(LoadError::NotPie { path: file.path, kind: NotPie::ObjectFile });
        }
        let (interpreter, dynamic) = file.read_program_headers()?;
        if let Some((offset, size)) = dynamic {
            file.read_dynamic(offset, size)?;
        }
        file.refuse_interpreter()?;
        file.check_kind(interpreter, dynamic.is_some())?;
        file.check_addresses()?;
        Ok(file)
    }

    /// The refusal for a damaged file.
    pub fn malformed(&self, what: impl Into<String>) -> LoadError {
        LoadError::Malformed { path: self.path.clone(), what: what.into() }
    }

    /// Reads the program headers; answers whether there is an interpreter, and the dynamic section's place in the file.
    fn read_program_headers(&mut self) -> Result<(bool, Option<(usize, usize)>), LoadError> {
        let table = self.file_u64(32)? as usize;
        let entry_size = self.file_u16(54)? as usize;
        let count = self.file_u16(56)? as usize;
        if entry_size != PROGRAM_HEADER_SIZE {
            return Err(
                self.malformed(format!("program headers of {entry_size} bytes, expected {PROGRAM_HEADER_SIZE}"))
            );
        }
        let (mut dynamic, mut interpreter) = (None, false);
        for index in 0..count {
            let at = table.saturating_add(index * PROGRAM_HEADER_SIZE);
            let kind = self.file_u32(at)?;
            let flags = self.file_u32(at + 4)?;
            let file_offset = self.file_u64(at + 8)? as usize;
            let address = self.file_u64(at + 16)?;
            let file_size = self.file_u64(at + 32)? as usize;
            let memory_size = self.file_u64(at + 40)?;
            let align = (self.file_u64(at + 48)? as usize).max(1);
            let end = address.checked_add(memory_size);
            if !align.is_power_of_two() || align > LARGEST_ALIGN || end.is_none_or(|end| end > ADDRESS_LIMIT) {
                return Err(self.malformed(format!("program header {index} has an impossible address or alignment")));
            }
            match kind {
                elf::PT_LOAD if memory_size > 0 => {
                    self.file_bytes(file_offset, file_size)?;
                    if file_size as u64 > memory_size {
                        return Err(self.malformed(format!("segment {index} is larger in the file than in memory")));
                    }
                    self.align = self.align.max(align);
                    self.segments.push(Segment { address, file_offset, file_size, memory_size, flags });
                }
                elf::PT_DYNAMIC => {
                    dynamic = Some((file_offset, file_size));
                    self.dynamic_address = address;
                }
                elf::PT_INTERP => interpreter = true,
                elf::PT_TLS if memory_size > 0 => {
                    let memory_size = memory_size as usize;
                    self.tls = Some(TlsSegment { address, file_size, memory_size, align });
                }
                elf::PT_GNU_RELRO => self.relro = Some((address, address + memory_size)),
                elf::PT_GNU_EH_FRAME => self.eh_frame_hdr = Some(address),
                elf::PT_GNU_STACK => self.executable_stack = flags & elf::PF_X != 0,
                elf::PT_PHDR => self.program_headers = Some((address, count)),
                _ => {}
            }
        }
        self.segments.sort_by_key(|segment| segment.address);
        if self.program_headers.is_none() {
            // Libraries do not say it; the table is in the image when a segment holds that part of the file.
            let size = count * PROGRAM_HEADER_SIZE;
            let holds = |s: &&Segment| {
                s.file_offset <= table && table.checked_add(size).is_some_and(|end| end <= s.file_offset + s.file_size)
            };
            let holder = self.segments.iter().find(holds);
            self.program_headers = holder.map(|s| (s.address + (table - s.file_offset) as u64, count));
        }
        let last = self.segments.iter().map(|segment| segment.address + segment.memory_size).max();
        if let (Some(first), Some(last)) = (self.segments.first(), last) {
            self.first_address = round_down(first.address as usize, self.align) as u64;
            self.last_address = last;
        }
        Ok((interpreter, dynamic))
    }

    /// Checks that what the headers and the dynamic section point to belongs to the image.
    fn check_addresses(&self) -> Result<(), LoadError> {
        let executable = |address| self.is_mapped_as(address, 1, elf::PF_X);
        let array = |address, size| {
            self.array(address, size).is_none_or(|(address, words)| self.is_mapped(address, words.saturating_mul(8)))
        };
        let checks = [
            ("segments", !self.segments.is_empty()),
            ("entry point", self.kind == Kind::Library || executable(self.entry)),
            ("DT_INIT", self.dynamic_value(elf::DT_INIT).is_none_or(executable)),
            ("DT_FINI", self.dynamic_value(elf::DT_FINI).is_none_or(executable)),
            ("DT_PREINIT_ARRAY", array(elf::DT_PREINIT_ARRAY, elf::DT_PREINIT_ARRAYSZ)),
            ("DT_INIT_ARRAY", array(elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ)),
            ("DT_FINI_ARRAY", array(elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ)),
            (
                "read-only range",
                self.relro.is_none_or(|(from, to)| self.is_mapped(from, (to - from) as usize) || from == to),
            ),
            ("unwind tables", self.eh_frame_hdr.is_none_or(|address| self.is_mapped(address, 8))),
            (
                "program headers",
                self.program_headers.is_none_or(|(at, count)| self.is_mapped(at, count * PROGRAM_HEADER_SIZE)),
            ),
            (
                "thread-local data",
                self.tls.is_none_or(|tls| {
                    tls.file_size <= tls.memory_size
                        && (tls.file_size == 0 || self.bytes(tls.address, tls.file_size).is_ok())
                }),
            ),
        ];
        match checks.iter().find(|(_, ok)| !ok) {
            Some((what, _)) => Err(self.malformed(format!("its {what} are missing or outside its segments"))),
            None => Ok(()),
        }
    }

    fn read_dynamic(&mut self, offset: usize, size: usize) -> Result<(), LoadError> {
        for at in (offset..offset.saturating_add(size)).step_by(16) {
            let (tag, value) = (self.file_u64(at)?, self.file_u64(at + 8)?);
            match tag as u32 {
                elf::DT_NULL => break,
                elf::DT_NEEDED => self.needed.push(value),
                _ => {
                    self.dynamic.insert(tag, value);
                }
            }
        }
        Ok(())
    }

    /// Refuses interpreters, which have no place in a shared process. A program that was linked with our wrappers may
    /// be called what it likes.
    fn refuse_interpreter(&self) -> Result<(), LoadError> {
        let uses_mpi = || self.needed().is_ok_and(|names| names.iter().any(|name| is_libsmpi(name)));
        if self.kind == Kind::Library || !is_interpreter(&self.path) || uses_mpi() {
            return Ok(());
        }
        Err(LoadError::Interpreter { path: self.path.clone(), of_script: None })
    }

    /// Tells executables from static executables and shared libraries, all of which may be `ET_DYN`.
    fn check_kind(&self, interpreter: bool, has_dynamic: bool) -> Result<(), LoadError> {
        if self.kind == Kind::Library {
            let is_library = self.file_u16(16)? == elf::ET_DYN && has_dynamic;
            return if is_library { Ok(()) } else { Err(self.malformed("it is no shared library")) };
        }
        let is_pie = self.dynamic_value(elf::DT_FLAGS_1).unwrap_or(0) & u64::from(elf::DF_1_PIE) != 0;
        let is_named = self.dynamic_value(elf::DT_SONAME).is_some();
        let kind = match self.file_u16(16)? {
            elf::ET_EXEC if interpreter => NotPie::FixedAddress,
            elf::ET_EXEC => NotPie::Static,
            // A library may have an interpreter, too: libc prints its version. It has a name for the linker then.
            elf::ET_DYN if interpreter && has_dynamic && (is_pie || !is_named) => return Ok(()),
            elf::ET_DYN if is_pie => NotPie::Static,
            elf::ET_DYN => NotPie::SharedLibrary,
            other => NotPie::Other(other),
        };
        Err(LoadError::NotPie { path: self.path.clone(), kind })
    }

    /// Value of a dynamic tag that occurs at most once.
    pub fn dynamic_value(&self, tag: u32) -> Option<u64> {
        self.dynamic.get(&u64::from(tag)).copied()
    }

    /// Names of the libraries that the program needs, in order.
    pub fn needed(&self) -> Result<Vec<String>, LoadError> {
        self.needed.iter().map(|&offset| self.dynamic_string(offset)).collect()
    }

    /// A string-valued dynamic tag, for example `DT_RUNPATH`.
    pub fn dynamic_text(&self, tag: u32) -> Result<Option<String>, LoadError> {
        self.dynamic_value(tag).map(|offset| self.dynamic_string(offset)).transpose()
    }

    /// Entry of the dynamic string table.
    pub fn dynamic_string(&self, offset: u64) -> Result<String, LoadError> {
        let table = self.dynamic_value(elf::DT_STRTAB).ok_or_else(|| self.malformed("no dynamic string table"))?;
        let size = self.dynamic_value(elf::DT_STRSZ).unwrap_or(0);
        let bytes = match size.checked_sub(offset) {
            Some(left) => self.bytes(table.wrapping_add(offset), left as usize)?,
            None => return Err(self.malformed("name outside the dynamic string table")),
        };
        let end = bytes.iter().position(|&byte| byte == 0).ok_or_else(|| self.malformed("unterminated name"))?;
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// Addresses of an array of pointers such as `DT_INIT_ARRAY`: its link-time address and length in words.
    pub fn array(&self, address: u32, size: u32) -> Option<(u64, usize)> {
        let size = self.dynamic_value(size).unwrap_or(0) as usize / 8;
        self.dynamic_value(address).filter(|_| size > 0).map(|address| (address, size))
    }

    /// True when `len` bytes at link-time `address` belong to a loaded segment.
    pub fn is_mapped(&self, address: u64, len: usize) -> bool {
        self.is_mapped_as(address, len, 0)
    }

    /// The same for a segment with all of these `PF_*` flags.
    pub fn is_mapped_as(&self, address: u64, len: usize, flags: u32) -> bool {
        self.segments.iter().filter(|segment| segment.flags & flags == flags).any(|s| {
            address >= s.address && address.checked_add(len as u64).is_some_and(|end| end <= s.address + s.memory_size)
        })
    }

    /// File contents at a link-time address; fails outside the parts of segments that the file holds.
    pub fn bytes(&self, address: u64, len: usize) -> Result<&[u8], LoadError> {
        let segment = self.segments.iter().find(|s| {
            address >= s.address
                && address.checked_add(len as u64).is_some_and(|end| end <= s.address + s.file_size as u64)
        });
        match segment {
            Some(segment) => self.file_bytes(segment.file_offset + (address - segment.address) as usize, len),
            None => Err(self.malformed(format!("{len} bytes at {address:#x} are in no segment"))),
        }
    }

    /// `len` bytes of the file at `offset`.
    pub fn file_bytes(&self, offset: usize, len: usize) -> Result<&[u8], LoadError> {
        offset
            .checked_add(len)
            .and_then(|end| self.data.get(offset..end))
            .ok_or_else(|| self.malformed(format!("truncated: {len} bytes at offset {offset} are missing")))
    }

    fn file_u16(&self, offset: usize) -> Result<u16, LoadError> {
        Ok(u16_at(self.file_bytes(offset, 2)?, 0))
    }

    fn file_u32(&self, offset: usize) -> Result<u32, LoadError> {
        Ok(u32_at(self.file_bytes(offset, 4)?, 0))
    }

    fn file_u64(&self, offset: usize) -> Result<u64, LoadError> {
        Ok(u64_at(self.file_bytes(offset, 8)?, 0))
    }
}

/// Checks magic number, class, byte order and machine.
fn check_identity(path: &Path, data: &[u8]) -> Result<(), LoadError> {
    let path = path.to_path_buf();
    if !data.starts_with(&elf::ELFMAG) {
        if let Some(script) = data.strip_prefix(b"#!") {
            let line = script.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let of_script = Some(String::from_utf8_lossy(line).trim().to_string());
            return Err(LoadError::Interpreter { path, of_script });
        }
        return Err(LoadError::NotElf { path, found: describe(data) });
    }
    if data.get(4) != Some(&elf::ELFCLASS64) || data.get(5) != Some(&elf::ELFDATA2LSB) {
        return Err(LoadError::Not64Bit { path });
    }
    if data.len() < ELF_HEADER_SIZE {
        return Err(LoadError::Malformed { path, what: "shorter than an ELF header".to_string() });
    }
    let machine = u16_at(data, 18);
    if machine != crate::arch::MACHINE {
        return Err(LoadError::WrongMachine { path, machine });
    }
    Ok(())
}

/// What a file that is not ELF looks like, for the message.
fn describe(data: &[u8]) -> String {
    let line = data.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if data.is_empty() {
        "an empty file".to_string()
    } else if data.starts_with(b"MZ") {
        "a Windows executable".to_string()
    } else if data.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
        "a macOS executable".to_string()
    } else if line.len() < 200 && std::str::from_utf8(line).is_ok() {
        "a text file".to_string()
    } else {
        "a binary file of unknown format".to_string()
    }
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

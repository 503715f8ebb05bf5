//! The files that make up an image: the executable, then the libraries that every rank has for itself.
//!
//! ```text
//!  executable's own addresses            image addresses
//!  0 ─────────── executable ──────►      0  executable │ gap │ library 1 │ gap │ library 2 │ cells · TLS
//!  0 ─── library 1 ──────────────────────────────────────────┘ + shift
//! ```
//!
//! An *image address* is a link-time address of the executable, continued behind it: each library's own addresses are
//! moved by a constant shift, so that one bias per rank serves all of them. Their thread-local blocks follow each other
//! downwards from the thread pointer, the executable's first, as psABI's static blocks do.

use crate::dynamic::DynamicSymbol;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::layout::{Extent, round_up};
use crate::tls::TlsTemplate;
use crate::versions::Versions;
use object::elf;
use std::path::Path;

/// One file of an image.
pub(crate) struct Member {
    pub file: ElfFile,
    /// The name under which other files need it; empty for the executable.
    pub name: String,
    /// What is added to its own addresses to get image addresses.
    pub shift: u64,
    /// Distance from the first byte of its thread-local block to the thread pointer.
    pub tls_distance: u64,
    /// True for the run-time library of a compiler: what happens in it is reported at the place of its caller.
    pub is_runtime: bool,
    pub versions: Versions,
    /// Its references bind to its own definitions first (`-Bsymbolic`).
    pub is_symbolic: bool,
}

impl Member {
    /// Image address of an own address.
    pub fn at(&self, own: u64) -> u64 {
        own.wrapping_add(self.shift)
    }

    /// Offset from the thread pointer of the variable at `value` in the file's thread-local block.
    pub fn thread_offset(&self, value: u64) -> u64 {
        value.wrapping_sub(self.tls_distance)
    }

    /// The definition of a name that someone who asks for this version binds to. Rules of glibc's dynamic linker: a
    /// definition without version serves everybody, one that is hidden only those who ask for it.
    pub fn definition(&self, name: &str, version: Option<&str>) -> Result<Option<DynamicSymbol>, LoadError> {
        for (index, symbol) in self.file.definitions(name)? {
            let (number, hidden) = self.file.version_index(index)?;
            let own = if number <= 1 { None } else { self.versions.defined(number) };
            let serves = match (version, own) {
                (Some(version), Some(own)) => version == own,
                (Some(_), None) => true,
                (None, _) => !hidden,
            };
            if serves {
                return Ok(Some(symbol));
            }
        }
        Ok(None)
    }
}

/// All files of an image.
pub(crate) struct Members {
    /// Invariant: the executable first, then the private libraries in the order of the search for symbols.
    pub list: Vec<Member>,
    /// Order in which to call the libraries' constructors, as indices into `list`.
    pub construction: Vec<usize>,
    /// Shape of the common thread-local block.
    pub tls: TlsTemplate,
    /// Names of the libraries that are not private.
    pub shared: Vec<String>,
    extent: Extent,
}

/// A library that every rank gets for itself, before it has its place.
pub(crate) struct PrivateLibrary {
    pub file: ElfFile,
    pub name: String,
    pub is_runtime: bool,
}

impl Members {
    /// Gives every file its place. `construction` names libraries by their index in `libraries`.
    pub fn new(
        executable: ElfFile,
        libraries: Vec<PrivateLibrary>,
        construction: &[usize],
        tls_limit: usize,
    ) -> Result<Members, LoadError> {
        let align = libraries.iter().map(|library| library.file.align).fold(executable.align, usize::max);
        let first = executable.first_address;
        let mut end = executable.last_address;
        let mut block = Block::default();
        let mut list = Vec::with_capacity(libraries.len() + 1);
        let files = std::iter::once((executable, String::new(), false));
        for (file, name, is_runtime) in
            files.chain(libraries.into_iter().map(|library| (library.file, library.name, library.is_runtime)))
        {
            let shift = if list.is_empty() {
                0
            } else {
                (first + round_up((end - first) as usize, align) as u64).wrapping_sub(file.first_address)
            };
            end = file.last_address.wrapping_add(shift);
            let flags = file.dynamic_value(elf::DT_FLAGS).unwrap_or(0);
            list.push(Member {
                tls_distance: block.add(&file, tls_limit)?,
                versions: Versions::new(&file)?,
                is_symbolic: file.dynamic_value(elf::DT_SYMBOLIC).is_some() || flags & u64::from(elf::DF_SYMBOLIC) != 0,
                file,
                name,
                shift,
                is_runtime,
            });
        }
        let tls = block.template();
        let extent = Extent { len: (end - first) as usize, align, tls_size: tls.size, tls_align: tls.align };
        let construction = construction.iter().map(|index| index + 1).collect();
        Ok(Members { list, construction, tls, shared: Vec::new(), extent })
    }

    /// The executable.
    pub fn executable(&self) -> &ElfFile {
        &self.list[0].file
    }

    /// Path of the executable.
    pub fn path(&self) -> &Path {
        &self.executable().path
    }

    /// Image address of the image's first byte.
    pub fn first_address(&self) -> u64 {
        self.executable().first_address
    }

    /// The room that the files need in a region.
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The first file, in the order of the dynamic linker's search, that defines a name, and its definition.
    pub fn find(&self, name: &str, version: Option<&str>) -> Result<Option<(&Member, DynamicSymbol)>, LoadError> {
        first_definition(&self.list, name, version)
    }

    /// The same without the executable.
    pub fn find_in_libraries(
        &self,
        name: &str,
        version: Option<&str>,
    ) -> Result<Option<(&Member, DynamicSymbol)>, LoadError> {
        first_definition(&self.list[1..], name, version)
    }

    /// Image address of a function or variable that a file exports: the first that does, or the one with index `only`.
    pub fn exported(&self, only: Option<usize>, name: &str) -> Option<u64> {
        let files = match only {
            Some(index) => std::slice::from_ref(&self.list[index]),
            None => &self.list[..],
        };
        let (member, symbol) = first_definition(files, name, None).ok()??;
        let is_plain = matches!(symbol.kind, elf::STT_NOTYPE | elf::STT_FUNC | elf::STT_OBJECT);
        (is_plain && symbol.section != elf::SHN_ABS).then(|| member.at(symbol.value))
    }
}

fn first_definition<'a>(
    files: &'a [Member],
    name: &str,
    version: Option<&str>,
) -> Result<Option<(&'a Member, DynamicSymbol)>, LoadError> {
    for member in files {
        if let Some(symbol) = member.definition(name, version)? {
            return Ok(Some((member, symbol)));
        }
    }
    Ok(None)
}

/// The thread-local block while it grows.
#[derive(Default)]
struct Block {
    size: usize,
    align: usize,
}

impl Block {
    /// Adds the block of a file; answers its distance from the thread pointer.
    fn add(&mut self, file: &ElfFile, limit: usize) -> Result<u64, LoadError> {
        let Some(tls) = file.tls else { return Ok(0) };
        self.size = round_up(self.size + tls.memory_size, tls.align);
        self.align = self.align.max(tls.align);
        TlsTemplate { size: self.size, align: self.align }.check(file, limit)?;
        Ok(self.size as u64)
    }

    fn template(&self) -> TlsTemplate {
        TlsTemplate { size: self.size, align: self.align.max(16) }
    }
}

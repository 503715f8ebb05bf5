//! A program: read, bound and written to a memory file once, then mapped once per rank ([`crate::Image`]).

use crate::apply::apply;
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use crate::layout::{Layout, Region};
use crate::libraries;
use crate::members::{Member, Members};
use crate::memory_file::{self, ImageWriter};
use crate::pages::{large_bss, protections, writable};
use crate::private::{CELLS_LEN, PrivateVariable};
use crate::relocate::{self, Relocations};
use crate::resolve::{Interpose, Scope};
use crate::symbols::SymbolTable;
use crate::tls::TlsTemplate;
use crate::variables::{Variable, Variables};
use object::elf;
use std::ffi::{CStr, CString, c_int};
use std::fs::File;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// An executable, ready to be mapped any number of times. Cloning is cheap.
#[derive(Clone)]
pub struct Program {
    /// What all copies of the value, and all images, have in common.
    pub(crate) parts: Arc<Parts>,
}

/// What all images of a program have in common.
pub(crate) struct Parts {
    pub members: Members,
    /// What others may know of the files. Invariant: as many as members, in their order.
    pub files: Vec<ProgramFile>,
    /// The memory file that is mapped once per rank. Invariant: `region.file_len` bytes, and never written to again.
    pub file: File,
    pub region: Region,
    pub entry: u64,
    pub text: Range<u64>,
    /// Offsets in the region of the words that hold addresses of the image. Invariant: ascending, and all of each is in
    /// the image.
    pub words: Vec<usize>,
    /// Image addresses of the private variables.
    pub private: [u64; PrivateVariable::ALL.len()],
    pub preinit: Option<(u64, usize)>,
    /// Parts of the region that are not readable and writable: offset, length, `PROT_*`.
    pub protections: Vec<(usize, usize, c_int)>,
    /// Parts of the region up to the heap that may change while a rank runs.
    pub writable: Vec<Range<usize>>,
    /// Pages of the region that are zero in every image at its start, where they are many.
    pub large_bss: Vec<Range<usize>>,
    /// Read when somebody first asks.
    pub variables: OnceLock<Variables>,
}

/// One file of a program: the executable, or a library that every rank has for itself.
#[derive(Debug)]
pub struct ProgramFile {
    path_c: CString,
    /// Its first image address.
    pub(crate) first: u64,
    /// What is added to its own addresses to get image addresses.
    pub(crate) shift: u64,
    /// Image address of the dynamic section.
    pub(crate) dynamic: u64,
    /// Image address of `.eh_frame_hdr`.
    pub(crate) eh_frame_hdr: Option<u64>,
    /// Image address and number of the program headers.
    pub(crate) program_headers: Option<(u64, usize)>,
    pub(crate) is_runtime: bool,
    pub(crate) init: Option<u64>,
    pub(crate) init_array: Option<(u64, usize)>,
    pub(crate) fini: Option<u64>,
    pub(crate) fini_array: Option<(u64, usize)>,
}

impl ProgramFile {
    fn new(member: &Member) -> ProgramFile {
        let file = &member.file;
        let at = |(address, words)| (member.at(address), words);
        ProgramFile {
            path_c: CString::new(file.path.as_os_str().as_bytes()).unwrap_or_default(),
            first: member.at(file.first_address),
            shift: member.shift,
            dynamic: member.at(file.dynamic_address),
            eh_frame_hdr: file.eh_frame_hdr.map(|address| member.at(address)),
            program_headers: file.program_headers.map(at),
            is_runtime: member.is_runtime,
            init: file.dynamic_value(elf::DT_INIT).map(|address| member.at(address)),
            init_array: file.array(elf::DT_INIT_ARRAY, elf::DT_INIT_ARRAYSZ).map(at),
            fini: file.dynamic_value(elf::DT_FINI).map(|address| member.at(address)),
            fini_array: file.array(elf::DT_FINI_ARRAY, elf::DT_FINI_ARRAYSZ).map(at),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        Path::new(std::ffi::OsStr::from_bytes(self.path_c.to_bytes()))
    }

    /// The same for C.
    pub fn path_c(&self) -> &CStr {
        &self.path_c
    }

    /// True for the run-time library of a compiler: what happens in it is reported at the place of its caller.
    pub fn is_runtime(&self) -> bool {
        self.is_runtime
    }

    /// The file's own address, as its debug information and `addr2line` know it, of an image address.
    pub fn own_address(&self, image_address: u64) -> u64 {
        image_address.wrapping_sub(self.shift)
    }

    /// Names of all its functions, for crash messages. Reads the file again.
    pub fn symbol_table(&self) -> SymbolTable {
        SymbolTable::read(self.path())
    }
}

impl Program {
    /// A number that all images of one program have, and no other program.
    #[inline]
    pub fn identity(&self) -> usize {
        Arc::as_ptr(&self.parts).addr()
    }

    /// Gives the program's memory file another descriptor, which `moved` makes of the one that it has; where it makes
    /// none, that one stays. To be called before the value is shared.
    pub fn move_file(&mut self, moved: impl FnOnce(&File) -> Option<OwnedFd>) {
        if let Some(parts) = Arc::get_mut(&mut self.parts)
            && let Some(descriptor) = moved(&parts.file)
        {
            parts.file = File::from(descriptor);
        }
    }

    /// Reads the executable at `path`, opens the libraries it needs and binds its symbols.
    ///
    /// Every rank gets its own copy of the libraries in `privatize` (names such as `libfoo.so` or `libfoo.so.1`), of
    /// those that were linked with libsmpi's wrappers, of compilers' run-time libraries, and of libraries that need one
    /// of these.
    ///
    /// `interpose` answers, by name, the addresses of what libsmpi puts in the place of a library's function; a
    /// function that the program or a private library defines is never asked for, except those of compilers' run-time
    /// libraries. Its second argument is the private library that asks; empty for the executable. Call it on the thread
    /// that will run the ranks.
    ///
    /// # Errors
    /// Every way in which the file can be unsuitable, see [`LoadError`]; nothing is left behind except open libraries.
    pub fn open(
        path: &Path,
        layout: &Layout,
        privatize: &[String],
        interpose: Interpose<'_>,
    ) -> Result<Program, LoadError> {
        let members = libraries::open_all(ElfFile::read(path)?, privatize, layout.tls_limit)?;
        let region = Region::new(layout, members.extent(), CELLS_LEN);
        let mut relocations = relocate::classify(&members, &region, &Scope { interpose })?;
        let file = memory_file::create(path, &region)?;
        let mut writer = ImageWriter::new(&members, &file, &region)?;
        writer.write_segments(&members)?;
        apply(&mut writer, &members, &file, &region, &mut relocations)?;
        drop(writer);
        Ok(Program { parts: Arc::new(Parts::new(members, region, file, relocations)) })
    }

    /// Path of the executable, as given.
    pub fn path(&self) -> &Path {
        self.parts.members.path()
    }

    /// The executable, then the libraries that every rank has for itself.
    pub fn files(&self) -> &[ProgramFile] {
        &self.parts.files
    }

    /// Names of the libraries that all ranks share.
    pub fn shared_libraries(&self) -> &[String] {
        &self.parts.members.shared
    }

    /// The file that an image address belongs to.
    pub fn file_at(&self, image_address: u64) -> &ProgramFile {
        let files = &self.parts.files;
        &files[files.partition_point(|file| file.first <= image_address).saturating_sub(1)]
    }

    /// The variable with static storage at an image address, if symbol tables tell.
    pub fn variable_at(&self, image_address: u64) -> Option<&Variable> {
        self.variables().at(image_address)
    }

    fn variables(&self) -> &Variables {
        let files = || self.parts.files.iter().map(|file| (file.path(), file.shift));
        self.parts.variables.get_or_init(|| Variables::of(files()))
    }

    /// Whether the image has data at an address of it that may change, and it is in no variable: all have names.
    pub fn is_between_variables(&self, image_address: u64) -> bool {
        let offset = (image_address as usize).wrapping_add(self.bias(0));
        let region = &self.parts.region;
        // What lies behind is made by us.
        let is_data = offset < region.cells_offset && self.parts.writable.iter().any(|part| part.contains(&offset));
        is_data && self.variable_at(image_address).is_none() && !self.variables().may_lack(image_address)
    }

    /// Index of a private library among [`Program::files`], by the name under which it is needed or by its path.
    pub fn library_named(&self, name: &str) -> Option<usize> {
        let members = &self.parts.members.list;
        (1..members.len()).find(|&at| members[at].name == name || members[at].file.path.as_os_str() == name)
    }

    /// Where the parts of a region lie.
    pub fn region(&self) -> &Region {
        &self.parts.region
    }

    /// Shape of the program's thread-local block.
    pub fn tls(&self) -> TlsTemplate {
        self.parts.members.tls
    }

    /// What the image in the region at `base` adds to link-time addresses.
    pub fn bias(&self, base: usize) -> usize {
        (base + self.parts.region.image_offset).wrapping_sub(self.parts.members.first_address() as usize)
    }

    /// Parts of a region between its image's start and its heap that may change while a rank runs: data, cells,
    /// thread-local block. The rest (code, constants, relocated constants) is the same for the whole life of an image.
    /// The last part ends where the heap begins.
    pub fn writable(&self) -> &[Range<usize>] {
        &self.parts.writable
    }

    /// Mappings that an image has when its parts have their own protection.
    pub fn split_mappings(&self) -> usize {
        let parts = &self.parts;
        // The stack's, those of constant parts, those between them; large data splits one.
        1 + parts.protections.len() + parts.writable.len() + 2 * parts.large_bss.len()
    }

    /// Image address of a function or variable that the executable (`-rdynamic`) or a private library exports, for a
    /// rank's `dlsym`; with `file`, the index of a file, one that this file exports.
    pub fn exported(&self, file: Option<usize>, name: &str) -> Option<u64> {
        self.parts.members.exported(file, name)
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("path", &self.path()).field("region", &self.parts.region).finish()
    }
}

impl Parts {
    fn new(members: Members, region: Region, file: File, relocations: Relocations) -> Parts {
        let in_region = |address: u64| (address - members.first_address()) as usize + region.image_offset;
        let mut words: Vec<usize> = relocations.words.iter().map(|&address| in_region(address)).collect();
        words.sort_unstable();
        let executable = members.executable();
        let code = executable.segments.iter().filter(|segment| segment.flags & elf::PF_X != 0);
        let text = code
            .map(|segment| segment.address..segment.address + segment.memory_size)
            .reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
            .unwrap_or(0..0);
        let protections = protections(&members, &region);
        Parts {
            variables: OnceLock::new(),
            files: members.list.iter().map(ProgramFile::new).collect(),
            file,
            entry: executable.entry,
            text,
            words,
            private: relocations.private,
            preinit: executable.array(elf::DT_PREINIT_ARRAY, elf::DT_PREINIT_ARRAYSZ),
            writable: writable(&region, &protections),
            protections,
            large_bss: large_bss(&members, &region, &relocations),
            region,
            members,
        }
    }
}

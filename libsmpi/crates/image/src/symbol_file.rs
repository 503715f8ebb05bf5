//! The file from which a debugger reads the symbols of an image: the program's own, or a copy of it in which the ELF
//! symbols of global variables are blank.
//!
//! gdb believes that a global variable of a library may have been moved into the executable (COPY relocations).
//! Therefore it takes the variable's address from the first file that has an ELF symbol of that name, and would show
//! rank 0's variables for all ranks. Where there are no such symbols it uses the debug information, which is right for
//! each image. Files without debug information, and very large ones, are not copied.

use crate::file::MappedFile;
use object::elf;
use object::read::elf::{ElfFile64, SectionHeader};
use object::{Object, ObjectSection};
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Size beyond which a file is not copied; copying this much takes less than a second.
const LARGEST: usize = 512 << 20;

/// Bytes of an entry of a symbol table.
const ENTRY: usize = 24;

/// Path for debuggers of the file at `path`: from the root, and good as long as this process lives.
pub(crate) fn path_for(path: &Path) -> CString {
    copied(path).unwrap_or_else(|| {
        let absolute = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        CString::new(absolute.as_os_str().as_bytes()).unwrap_or_default()
    })
}

/// Makes a copy, if one is needed and can be made; answers its path.
fn copied(path: &Path) -> Option<CString> {
    let data = MappedFile::open(path).ok().filter(|data| data.len() <= LARGEST)?;
    let file: ElfFile64 = ElfFile64::parse(&*data).ok()?;
    file.section_by_name(".debug_info").or_else(|| file.section_by_name(".zdebug_info"))?;
    let name = CString::new(path.file_name()?.as_bytes()).ok()?;
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return None;
    }
    // SAFETY: `memfd_create` has just made the descriptor, so nobody else owns it.
    let copy = unsafe { File::from_raw_fd(descriptor) };
    copy.write_all_at(&data, 0).ok()?;
    for section in file.sections() {
        let kind = section.elf_section_header().sh_type(file.endian());
        if let (elf::SHT_SYMTAB | elf::SHT_DYNSYM, Some((offset, _))) = (kind, section.file_range()) {
            let mut table = section.data().ok()?.to_vec();
            table.chunks_exact_mut(ENTRY).filter(|entry| is_global_variable(entry)).for_each(|entry| entry.fill(0));
            copy.write_all_at(&table, offset).ok()?;
        }
    }
    // It stays open, because a debugger may follow this path at any time.
    CString::new(format!("/proc/{}/fd/{}", std::process::id(), copy.into_raw_fd())).ok()
}

/// Whether an entry of a symbol table is one of those that gdb would take for another file's variable.
fn is_global_variable(entry: &[u8]) -> bool {
    let (binding, kind) = (entry[4] >> 4, entry[4] & 0xf);
    binding != elf::STB_LOCAL && matches!(kind, elf::STT_NOTYPE | elf::STT_OBJECT | elf::STT_COMMON)
}

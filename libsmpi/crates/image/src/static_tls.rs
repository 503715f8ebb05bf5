//! Makes the thread-local variables of shared libraries that an image uses lie at the same distance from the thread
//! pointer on every thread.
//!
//! Code of an executable adds a constant to the thread pointer to reach them (the *initial-exec* model, psABI chapter
//! 3.4.6): `std::call_once` and all that is built on it do so with two variables of libstdc++. The dynamic linker gives
//! a library such a constant place if it is there at the process's start, or if something that is opened later asks for
//! one by a relocation. The libraries of a program come later here, and the dynamic linker does not relocate its
//! images, so the distance would be right on one thread only. Therefore a library is opened that has these relocations
//! and nothing else.
//!
//! Where the dynamic linker has no room left for a library's variables, or has placed them already, nothing changes:
//! the image reaches them on the thread that runs the ranks, and not on others.

use crate::arch::{self, Action};
use crate::elf_file::ElfFile;
use crate::error::LoadError;
use object::elf;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;

/// Asks for constant places of all thread-local variables that these files take from elsewhere.
pub(crate) fn ask_for_places<'a>(files: impl Iterator<Item = &'a ElfFile>) -> Result<(), LoadError> {
    let mut names = BTreeSet::new();
    for file in files {
        for rela in file.relocations()? {
            let is_thread_local = matches!(
                arch::action(rela.kind),
                Some(Action::TlsModule | Action::TlsModuleOffset | Action::TlsOffset | Action::TlsDescriptor)
            );
            if is_thread_local && rela.symbol != 0 {
                let symbol = file.symbol(rela.symbol)?;
                if symbol.section == elf::SHN_UNDEF {
                    names.insert(file.symbol_name(&symbol)?);
                }
            }
        }
    }
    // One by one: where one has no place, the others still get theirs.
    names.iter().for_each(|name| ask(name));
    Ok(())
}

/// Opens a library that refers to a variable, and closes it: the place stays with the library that has the variable.
fn ask(name: &str) {
    // SAFETY: the name ends with a zero.
    let descriptor = unsafe { libc::memfd_create(c"libsmpi-static-tls".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return;
    }
    // SAFETY: `memfd_create` has just made the descriptor, so nobody else owns it.
    let file = unsafe { File::from_raw_fd(descriptor) };
    if file.write_all_at(&library(name), 0).is_err() {
        return;
    }
    let Ok(path) = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())) else { return };
    // SAFETY: the path ends with a zero, and leads to the file that `library` made: it has no code that could run. The
    // handle is what `dlopen` has just answered, and is not used after it is closed.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        if handle.is_null() {
            libc::dlerror();
        } else {
            libc::dlclose(handle);
        }
    }
}

/// The parts of the library's file, in their order.
struct Parts {
    relocations: u64,
    symbols: u64,
    dynamic: u64,
    word: u64,
    strings: u64,
    end: u64,
}

const HEADER: u64 = 64;
const SEGMENT: u64 = 56;
const SEGMENTS: u64 = 3;
const RELOCATION: u64 = 24;
const SYMBOL: u64 = 24;
/// Entries of the dynamic section, its end included.
const ENTRIES: u64 = 8;

impl Parts {
    fn new(name: &str) -> Parts {
        let relocations = HEADER + SEGMENTS * SEGMENT;
        let symbols = relocations + RELOCATION;
        let dynamic = symbols + 2 * SYMBOL;
        let word = dynamic + ENTRIES * 16;
        let strings = word + 8;
        Parts { relocations, symbols, dynamic, word, strings, end: strings + name.len() as u64 + 2 }
    }
}

/// A shared library with one relocation: the distance of this variable from the thread pointer. The reference is weak,
/// so that a variable which nobody has is no error.
fn library(name: &str) -> Vec<u8> {
    let parts = Parts::new(name);
    let mut bytes = Vec::with_capacity(parts.end as usize);
    let mut words = |list: &[u64]| list.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
    let quad =
        |a: u16, b: u16, c: u16, d: u16| u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48;
    // ELF header: magic number, 64 bits, little endian, version; type and machine; where the segments are described.
    words(&[0x0001_0102_464c_457f, 0, quad(elf::ET_DYN, arch::MACHINE, 1, 0), 0, HEADER, 0]);
    words(&[quad(0, 0, HEADER as u16, SEGMENT as u16), quad(SEGMENTS as u16, 0, 0, 0)]);
    let writable = elf::PF_R | elf::PF_W;
    words(&[pair(elf::PT_LOAD, writable), 0, 0, 0, parts.end, parts.end, 0x1000]);
    let dynamic_bytes = ENTRIES * 16;
    let at = parts.dynamic;
    words(&[pair(elf::PT_DYNAMIC, writable), at, at, at, dynamic_bytes, dynamic_bytes, 8]);
    // Without this entry stacks would have to become executable.
    words(&[pair(elf::PT_GNU_STACK, writable), 0, 0, 0, 0, 0, 16]);
    words(&[parts.word, pair(arch::THREAD_OFFSET, 1), 0]);
    words(&[0, 0, 0]);
    let weak_thread_local = (elf::STB_WEAK << 4) | elf::STT_TLS;
    words(&[pair(1, u32::from(weak_thread_local)), 0, 0]);
    for (tag, value) in [
        (elf::DT_STRTAB, parts.strings),
        (elf::DT_STRSZ, parts.end - parts.strings),
        (elf::DT_SYMTAB, parts.symbols),
        (elf::DT_SYMENT, SYMBOL),
        (elf::DT_RELA, parts.relocations),
        (elf::DT_RELASZ, RELOCATION),
        (elf::DT_RELAENT, RELOCATION),
        (elf::DT_NULL, 0),
    ] {
        words(&[tag as u64, value]);
    }
    words(&[0]);
    bytes.push(0);
    bytes.extend(name.as_bytes());
    bytes.push(0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::Object;

    #[test]
    fn the_library_is_what_other_tools_take_for_one() {
        let bytes = library("variable");
        assert_eq!(bytes.len() as u64, Parts::new("variable").end);
        let file = object::File::parse(bytes.as_slice()).expect("an ELF file");
        assert_eq!(file.kind(), object::ObjectKind::Dynamic);
        assert_eq!(file.segments().count(), 1);
    }

    #[test]
    fn nobody_minds_a_variable_that_does_not_exist() {
        ask("a_variable_that_nobody_has");
    }
}

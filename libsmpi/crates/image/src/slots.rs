//! The words in which libraries keep the addresses of libc's variables that every rank has for itself.
//!
//! A program may have a copy of any variable that a library exports (COPY relocation). So libraries, libc itself too,
//! reach these variables through words that the dynamic linker fills in (`R_X86_64_GLOB_DAT`). Here they are found
//! once, by what they hold. In a rank's turn they hold the address of the rank's object ([`crate::Image::bind`]), and
//! otherwise what the dynamic linker wrote, for the hosting process itself. libsmpi's own words stay as they are.

use crate::arch::{self, Action};
use crate::private::PrivateVariable;
use crate::resolve::find_in_libraries;
use crate::search::{LinkMap, loaded};
use object::elf;
use std::ffi::c_void;

/// A word of a library that holds the address of one of the variables.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Invariant: writable, and nobody's but the dynamic linker's, which has filled it in.
    pub word: *mut usize,
    /// What it holds outside of ranks' turns.
    pub original: usize,
    /// Image address of a rank's object.
    pub own: u64,
}

// SAFETY: plain addresses; the words are used by the thread that hosts the ranks.
unsafe impl Send for Slot {}
// SAFETY: as for `Send`.
unsafe impl Sync for Slot {}

/// Bytes of an entry of a table of relocations (`Elf64_Rela`).
const RELA_LEN: usize = 24;
const PAGE: usize = 4096;

/// The words that hold the addresses of `variables`, each of which comes with the image address of a rank's object.
pub(crate) fn find(variables: &[(PrivateVariable, u64)]) -> Vec<Slot> {
    let wanted: Vec<(usize, u64)> = variables
        .iter()
        .filter_map(|&(variable, own)| Some((find_in_libraries(variable.symbol(), None)?, own)))
        .collect();
    let mut slots = Vec::new();
    for library in libraries() {
        for word in filled_words(library) {
            // SAFETY: a word that the dynamic linker has filled in, as the library's relocations say.
            let holds = unsafe { (word as *const usize).read() };
            if let Some(&(original, own)) = wanted.iter().find(|(address, _)| *address == holds)
                && make_writable(word)
            {
                slots.push(Slot { word: word as *mut usize, original, own });
            }
        }
    }
    slots
}

/// The dynamic linker makes these words read-only once they are filled in.
fn make_writable(word: usize) -> bool {
    let page = word / PAGE * PAGE;
    // SAFETY: pages of a library's data, which were writable when it was loaded.
    unsafe { libc::mprotect(page as *mut c_void, PAGE, libc::PROT_READ | libc::PROT_WRITE) == 0 }
}

/// The libraries that are loaded, but for this one and the program of the process.
fn libraries() -> impl Iterator<Item = &'static LinkMap> {
    loaded().into_iter().skip(1).filter(|map| !map.is_own())
}

/// Addresses of the words of a library that the dynamic linker has filled in with addresses of symbols.
fn filled_words(library: &LinkMap) -> Vec<usize> {
    let mut words = Vec::new();
    let (Some(table), Some(len)) = (library.address(elf::DT_RELA), library.entry(elf::DT_RELASZ)) else { return words };
    for index in 0..len / RELA_LEN {
        // SAFETY: the table of relocations of a loaded library, which has so many bytes.
        let [offset, info] = unsafe { ((table + index * RELA_LEN) as *const [u64; 2]).read_unaligned() };
        if matches!(arch::action(info as u32), Some(Action::Slot | Action::Absolute)) {
            words.push(library.bias.wrapping_add(offset as usize));
        }
    }
    words
}

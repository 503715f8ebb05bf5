//! The words in which libraries keep the addresses of libc's variables that every rank has for itself.
//!
//! A program may have a copy of any variable that a library exports (COPY relocation). So libraries, libc itself too,
//! reach these variables through words that the dynamic linker fills in (`R_X86_64_GLOB_DAT`). Here they are found
//! once, by what they hold. In a rank's turn they hold the address of the rank's object ([`crate::Image::bind`]), and
//! otherwise what the dynamic linker wrote, for the hosting process itself. libsmpi's own words stay as they are.

use crate::arch::{self, Action};
use crate::private::PrivateVariable;
use crate::resolve::{find_in_libraries, library_of};
use crate::search::LinkMap;
use object::elf;
use std::ffi::{c_int, c_void};

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
    for (base, dynamic) in libraries() {
        // SAFETY: a library that is loaded, and will not be unloaded: it was loaded at the start.
        for word in unsafe { filled_words(base, dynamic) } {
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

/// Load address and dynamic section of the libraries that are loaded, but for this one and the program of the process.
fn libraries() -> Vec<(usize, usize)> {
    const RTLD_DI_LINKMAP: c_int = 2;
    unsafe extern "C" {
        fn dlinfo(handle: *mut c_void, request: c_int, answer: *mut c_void) -> c_int;
    }
    let own = library_of(libraries as *const () as usize);
    let mut found = Vec::new();
    // SAFETY: a handle of the process, which is never closed; the list of link maps is glibc's, and nothing is loaded
    // or unloaded meanwhile.
    unsafe {
        let handle = libc::dlopen(std::ptr::null(), libc::RTLD_LAZY);
        let mut at: *const LinkMap = std::ptr::null();
        if handle.is_null() || dlinfo(handle, RTLD_DI_LINKMAP, (&raw mut at).cast()) != 0 || at.is_null() {
            return found;
        }
        // The first one is the program's.
        at = (*at).next;
        while !at.is_null() {
            let map = &*at;
            if map.bias != own {
                found.push((map.bias, map.dynamic as usize));
            }
            at = map.next;
        }
    }
    found
}

/// Addresses of the words that the dynamic linker has filled in with addresses of symbols.
///
/// # Safety
/// `dynamic` must be the dynamic section of a library that is loaded at `base`, and stays.
unsafe fn filled_words(base: usize, dynamic: usize) -> Vec<usize> {
    let (mut table, mut len) = (0, 0);
    let mut entry = dynamic as *const [u64; 2];
    let mut words = Vec::new();
    // SAFETY: a dynamic section ends with a null tag, and what it tells of its table of relocations is true.
    unsafe {
        while !entry.is_null() && (*entry)[0] != 0 {
            match (*entry)[0] as u32 {
                elf::DT_RELA => table = (*entry)[1] as usize,
                elf::DT_RELASZ => len = (*entry)[1] as usize,
                _ => {}
            }
            entry = entry.add(1);
        }
        // glibc has relocated the address in place; the kernel's library has not been relocated.
        if table < base {
            return words;
        }
        for index in 0..len / RELA_LEN {
            let [offset, info] = ((table + index * RELA_LEN) as *const [u64; 2]).read_unaligned();
            if matches!(arch::action(info as u32), Some(Action::Slot | Action::Absolute)) {
                words.push(base.wrapping_add(offset as usize));
            }
        }
    }
    words
}

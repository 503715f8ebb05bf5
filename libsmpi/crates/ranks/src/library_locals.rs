//! Thread-local variables of the shared libraries, libc's own above all: the record of `dlerror`, the locale that
//! `uselocale` set, text buffers, lists of destructors.
//!
//! They lie in one block for each library. What a rank changed there is kept for it when it leaves, and the blocks are
//! again those of the event loop; a rank that changed nothing costs two comparisons. Libraries that are loaded later
//! are not looked at.
//!
//! A rank's copy also has libc's words about its own heap (`tcache`, `thread_arena`), which have been set before any rank
//! runs and do not change afterwards on this thread.

use std::ffi::{c_char, c_int, c_void};
use std::{ptr, slice};

/// The blocks of the calling thread, and what the event loop has in them.
#[derive(Debug)]
pub struct LibraryLocals {
    blocks: Vec<Block>,
    outside: Vec<u8>,
}

/// Thread-local variables of one library.
#[derive(Clone, Copy, Debug)]
struct Block {
    start: *mut u8,
    len: usize,
}

/// ld.so's description of a thread-local variable (`tls_index` of the x86-64 ABI's TLS supplement).
#[repr(C)]
struct Index {
    module: usize,
    offset: usize,
}

unsafe extern "C" {
    fn __tls_get_addr(index: *const Index) -> *mut c_void;
}

/// What [`LibraryLocals::of_this_thread`] collects, and what it leaves out.
struct Search {
    own: usize,
    is_first: bool,
    found: Vec<Block>,
}

impl LibraryLocals {
    /// Finds the blocks of all libraries that are loaded, but for that with the address `own`: the caller's library is the
    /// event loop's. So is the executable, in whose block the ranks' programs have theirs.
    ///
    /// `others` are ranges of memory that are treated like them: variables of libraries that only this thread uses.
    pub fn of_this_thread(own: usize, others: Vec<(*mut u8, usize)>) -> LibraryLocals {
        let mut search = Search { own, is_first: true, found: Vec::new() };
        // SAFETY: the callback uses `search`, which outlives the call.
        unsafe { libc::dl_iterate_phdr(Some(add), ptr::from_mut(&mut search).cast()) };
        let mut blocks = search.found;
        blocks.extend(text_buffers());
        blocks.extend(others.into_iter().map(|(start, len)| Block { start, len }));
        // Ranks begin with what the event loop has, and each would free this thread's last error: it is forgotten.
        for _ in 0..2 {
            // SAFETY: no conditions; the second call frees what the first returned.
            unsafe { libc::dlerror() };
        }
        let len = blocks.iter().map(|block| block.len).sum();
        LibraryLocals { blocks, outside: vec![0; len] }
    }

    /// Puts a rank's variables in place; those of a rank without any are the event loop's.
    ///
    /// # Safety
    /// Must be called on the thread of [`LibraryLocals::of_this_thread`]; `own` must come from [`LibraryLocals::leave`].
    pub unsafe fn enter(&mut self, own: Option<&[u8]>) {
        let mut at = 0;
        for block in &self.blocks {
            // SAFETY: a block of this thread, which stays as long as it.
            let place = unsafe { slice::from_raw_parts_mut(block.start, block.len) };
            self.outside[at..at + block.len].copy_from_slice(place);
            if let Some(own) = own {
                place.copy_from_slice(&own[at..at + block.len]);
            }
            at += block.len;
        }
    }

    /// Puts the event loop's variables back, and keeps the rank's where they differ.
    ///
    /// # Safety
    /// As for [`LibraryLocals::enter`].
    pub unsafe fn leave(&self, own: &mut Option<Box<[u8]>>) {
        let mut at = 0;
        let mut differs = false;
        for block in &self.blocks {
            // SAFETY: as in `enter`.
            let place = unsafe { slice::from_raw_parts(block.start, block.len) };
            differs |= place != &self.outside[at..at + block.len];
            at += block.len;
        }
        if !differs {
            *own = None;
            return;
        }
        let kept = own.get_or_insert_with(|| vec![0; at].into());
        at = 0;
        for block in &self.blocks {
            // SAFETY: as in `enter`.
            let place = unsafe { slice::from_raw_parts_mut(block.start, block.len) };
            kept[at..at + block.len].copy_from_slice(place);
            place.copy_from_slice(&self.outside[at..at + block.len]);
            at += block.len;
        }
    }
}

/// The words in which libc keeps the texts of `strsignal` and `strerror_l`. Since glibc 2.33 they lie in its private part of
/// the thread's descriptor, so they are found by what is in them; where they are not found, they are in libc's block.
fn text_buffers() -> Vec<Block> {
    /// Neither a signal nor an error, so that the texts are made.
    const UNKNOWN: c_int = 0x3fff_ffff;
    unsafe extern "C" {
        fn strsignal(signal: c_int) -> *mut c_char;
        fn strerror_l(error: c_int, locale: libc::locale_t) -> *mut c_char;
    }
    // SAFETY: valid arguments; the locale is freed after its last use.
    let texts = unsafe {
        let locale = libc::newlocale(libc::LC_ALL_MASK, c"C".as_ptr(), ptr::null_mut());
        let texts = [strsignal(UNKNOWN), strerror_l(UNKNOWN, locale)];
        libc::freelocale(locale);
        texts
    };
    // SAFETY: looks up a name; libc has the descriptor's size there for debuggers.
    let size = unsafe {
        let size = libc::dlsym(libc::RTLD_DEFAULT, c"_thread_db_sizeof_pthread".as_ptr()).cast::<u32>();
        if size.is_null() { 0 } else { size.read() as usize }
    };
    let descriptor = ptr::with_exposed_provenance_mut::<usize>(crate::thread_state::thread_pointer());
    // SAFETY: the thread pointer is the address of this thread's descriptor, which has this size.
    let words = (0..size / size_of::<usize>()).map(|word| unsafe { descriptor.add(word) });
    // SAFETY: a word of it.
    let holds_a_text = |word: &*mut usize| texts.iter().any(|text| text.addr() == unsafe { word.read() });
    let words: Vec<*mut usize> = words.filter(holds_a_text).collect();
    for &word in &words {
        // SAFETY: libc's pointer to a block of its own; without one it makes another. Ranks begin without.
        unsafe {
            libc::free(ptr::with_exposed_provenance_mut(word.read()));
            word.write(0);
        }
    }
    words.into_iter().map(|word| Block { start: word.cast(), len: size_of::<usize>() }).collect()
}

unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a valid description with its headers, and `search` is that of `of_this_thread`.
    let (info, search, headers) = unsafe {
        let info = &*info;
        let headers = slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
        (info, &mut *search.cast::<Search>(), headers)
    };
    let is_executable = std::mem::replace(&mut search.is_first, false);
    let holds = |header: &libc::Elf64_Phdr| {
        let offset = search.own.wrapping_sub(info.dlpi_addr as usize).wrapping_sub(header.p_vaddr as usize);
        header.p_type == libc::PT_LOAD && offset < header.p_memsz as usize
    };
    if is_executable || info.dlpi_tls_modid == 0 || headers.iter().any(holds) {
        return 0;
    }
    let size = headers.iter().find(|header| header.p_type == libc::PT_TLS).map_or(0, |header| header.p_memsz as usize);
    if size > 0 {
        let index = Index { module: info.dlpi_tls_modid, offset: 0 };
        // SAFETY: a module that is loaded; the block is made when it is not there yet.
        let start = unsafe { __tls_get_addr(&index) }.cast();
        search.found.push(Block { start, len: size });
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errno() -> *mut i32 {
        // SAFETY: always valid for the calling thread.
        unsafe { libc::__errno_location() }
    }

    #[test]
    fn the_texts_of_libc_are_found() {
        assert_eq!(text_buffers().len(), 2);
    }

    #[test]
    fn what_a_rank_changed_comes_and_goes_with_it() {
        let mut locals = LibraryLocals::of_this_thread(0, Vec::new());
        let (mut first, mut second) = (None, None);
        // SAFETY: this thread's own variables; nothing else runs on it meanwhile.
        unsafe {
            errno().write(1);
            locals.enter(None);
            errno().write(2);
            locals.leave(&mut first);
            assert_eq!(errno().read(), 1);
            locals.enter(second.as_deref());
            locals.leave(&mut second);
            assert!(second.is_none());
            locals.enter(first.as_deref());
            assert_eq!(errno().read(), 2);
            errno().write(1);
            locals.leave(&mut first);
            assert!(first.is_none());
        }
    }
}

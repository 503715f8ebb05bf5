//! Thread-local variables of the shared libraries, libc's own above all: the record of `dlerror`, the locale that
//! `uselocale` set, text buffers, lists of destructors.
//!
//! They lie in one block for each library. When a rank stops, what it changed there is kept for it, and the contents
//! that the event loop had are put back; for a rank that changed nothing, nothing is kept. Libraries that are loaded
//! later are not looked at. `errno` and the exceptions being handled are left out, because `thread_state` exchanges
//! them: a store to them right before a block is read would hold up every switch.
//!
//! A rank's copy includes libc's words about its own heap (`tcache`, `thread_arena`), which are set before any rank
//! runs and do not change on this thread afterwards.

use std::ffi::{c_char, c_int, c_void};
use std::hash::{Hash, Hasher};
use std::{ptr, slice};

/// The blocks of the calling thread, and what the event loop has in them.
///
/// Every switch of ranks looks at all of them, so they are cut into pieces of a few fixed sizes: calling `memcpy` and
/// `memcmp` for each block would take longer than the rest of the switch.
#[derive(Debug)]
pub struct LibraryLocals {
    wide: Pieces<Wide>,
    words: Pieces<[u8; 8]>,
    bytes: Pieces<[u8; 1]>,
}

/// Pieces of one size, and what the event loop has there. Those of one block may overlap. `T` is made of bytes, so that
/// every address and every content will do.
#[derive(Debug)]
struct Pieces<T> {
    /// Invariant: readable and writable for the life of the thread, on which the value stays, and in use by nobody
    /// while one of its methods runs; the caller of [`Pieces::new`] sees to that.
    places: Vec<*mut T>,
    /// Invariant: as many as there are places.
    outside: Vec<T>,
}

/// A piece that is compared by a few instructions without a branch: each of its halves fits two vector registers.
#[derive(Clone, Copy, Debug)]
struct Wide([[u8; 32]; 2]);

impl PartialEq for Wide {
    #[inline]
    fn eq(&self, other: &Wide) -> bool {
        (self.0[0] == other.0[0]) & (self.0[1] == other.0[1])
    }
}

impl Hash for Wide {
    fn hash<H: Hasher>(&self, into: &mut H) {
        self.0.hash(into);
    }
}

/// What a rank has in the pieces.
#[derive(Clone, Hash, Debug)]
pub struct OwnLocals {
    wide: Box<[Wide]>,
    words: Box<[[u8; 8]]>,
    bytes: Box<[[u8; 1]]>,
}

impl<T: Copy + PartialEq> Pieces<T> {
    /// The pieces at these places.
    ///
    /// # Safety
    /// Each place has room for a `T` and stays mapped as long as the calling thread lives; no reference is held to it
    /// while a method of the value runs.
    unsafe fn new(places: Vec<*mut u8>) -> Pieces<T> {
        let places: Vec<*mut T> = places.into_iter().map(<*mut u8>::cast).collect();
        // SAFETY: the caller promises that the places are mapped; a `T` is bytes, for which all contents are valid.
        let outside = places.iter().map(|place| unsafe { **place }).collect();
        Pieces { places, outside }
    }

    /// Keeps the present contents as the event loop's, and restores those of a rank, if it has any of its own.
    ///
    /// # Safety
    /// `own` came from [`Pieces::take`] of this value, and the libraries may go on with it.
    #[inline]
    unsafe fn enter(&mut self, own: Option<&[T]>) {
        for (place, kept) in self.places.iter().zip(&mut self.outside) {
            // SAFETY: the invariant of `places`.
            *kept = unsafe { **place };
        }
        for (place, own) in self.places.iter().zip(own.unwrap_or_default()) {
            // SAFETY: the invariant of `places`; what is written was there before, says the caller.
            unsafe { **place = *own };
        }
    }

    /// Whether a rank has changed what the event loop had.
    #[inline]
    fn differ(&self) -> bool {
        // SAFETY: the invariant of `places`.
        let differs = |(place, kept): (&*mut T, &T)| unsafe { **place != *kept };
        self.places.iter().zip(&self.outside).any(differs)
    }

    /// A copy of the present contents.
    fn take(&self) -> Box<[T]> {
        // SAFETY: the invariant of `places`.
        self.places.iter().map(|place| unsafe { **place }).collect()
    }

    /// Restores what the event loop had.
    ///
    /// # Safety
    /// [`Pieces::enter`] was called for the rank whose variables are there now.
    unsafe fn put_back(&self) {
        for (place, kept) in self.places.iter().zip(&self.outside) {
            // SAFETY: the invariant of `places`; what is written was there when `enter` was called.
            unsafe { **place = *kept };
        }
    }
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
    /// Finds the blocks of all libraries that are loaded, but for that with the address `own`: the caller's library is
    /// the event loop's. So is the executable, in whose block the ranks' programs have theirs.
    ///
    /// `others` are ranges of memory that are treated like them: variables of libraries that only this thread uses.
    /// What lies in `left_out` is not looked at; the caller exchanges it.
    ///
    /// # Safety
    /// The `others` stay mapped as long as the thread lives, and no reference is held to them while a method of the
    /// value runs. No library is unloaded that is loaded now.
    pub unsafe fn of_this_thread(
        own: usize,
        others: Vec<(*mut u8, usize)>,
        left_out: &[(*mut u8, usize)],
    ) -> LibraryLocals {
        let mut search = Search { own, is_first: true, found: Vec::new() };
        // SAFETY: `add` takes the pointer for one to a `Search`, which it is, and which nobody else uses meanwhile.
        unsafe { libc::dl_iterate_phdr(Some(add), ptr::from_mut(&mut search).cast()) };
        let mut blocks = search.found;
        blocks.extend(text_buffers());
        blocks.extend(others.into_iter().map(|(start, len)| Block { start, len }));
        // Ranks begin with what the event loop has, and each would free this thread's last error: it is forgotten.
        for _ in 0..2 {
            // SAFETY: no conditions; the second call frees what the first answered, which was not looked at.
            unsafe { libc::dlerror() };
        }
        for &(start, len) in left_out {
            blocks = blocks.iter().flat_map(|block| block.without(start, len)).collect();
        }
        let (mut wide, mut words, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
        for block in blocks {
            match block.len {
                0 => {}
                1..8 => block.cut(1, &mut bytes),
                8..64 => block.cut(8, &mut words),
                _ => block.cut(64, &mut wide),
            }
        }
        // SAFETY: the pieces lie in blocks: of libraries, which ld.so keeps as long as the thread lives and the library
        // is loaded; words of the thread's descriptor; the `others`, for which the caller answers. Libraries hand out
        // no references to Rust.
        unsafe { LibraryLocals { wide: Pieces::new(wide), words: Pieces::new(words), bytes: Pieces::new(bytes) } }
    }

    /// Puts a rank's variables in place; those of a rank without any are the event loop's.
    ///
    /// # Safety
    /// No rank's variables are in place. `own` must be what [`LibraryLocals::leave`] of this value has kept of the rank
    /// last, or what it had kept when the rank's memory was what it is now: pointers in it must still be valid.
    #[inline]
    pub unsafe fn enter(&mut self, own: Option<&OwnLocals>) {
        // SAFETY: `leave` has taken the three parts of `own` from these pieces, and the libraries may go on with them,
        // as the caller promises.
        unsafe {
            self.wide.enter(own.map(|own| &*own.wide));
            self.words.enter(own.map(|own| &*own.words));
            self.bytes.enter(own.map(|own| &*own.bytes));
        }
    }

    /// Puts the event loop's variables back, and keeps the rank's where they differ.
    ///
    /// # Safety
    /// [`LibraryLocals::enter`] was called for the rank, and it has stopped running since.
    #[inline]
    pub unsafe fn leave(&self, own: &mut Option<Box<OwnLocals>>) {
        if !(self.wide.differ() || self.words.differ() || self.bytes.differ()) {
            *own = None;
            return;
        }
        let kept = OwnLocals { wide: self.wide.take(), words: self.words.take(), bytes: self.bytes.take() };
        *own = Some(Box::new(kept));
        // SAFETY: `enter` was called for this rank, as the caller promises.
        unsafe {
            self.wide.put_back();
            self.words.put_back();
            self.bytes.put_back();
        }
    }
}

impl Block {
    /// What is before and behind a range.
    fn without(&self, start: *mut u8, len: usize) -> [Block; 2] {
        let first = start.addr().saturating_sub(self.start.addr()).min(self.len);
        let end = (start.addr() + len).saturating_sub(self.start.addr()).min(self.len);
        [Block { len: first, ..*self }, Block { start: self.start.wrapping_add(end), len: self.len - end }]
    }

    /// Cuts the block, which is not shorter than a piece, into pieces of this size; the last one ends where the block
    /// ends.
    fn cut(&self, size: usize, into: &mut Vec<*mut u8>) {
        let starts = (0..self.len / size).map(|piece| piece * size);
        let last = (!self.len.is_multiple_of(size)).then(|| self.len - size);
        // Within the block, so nothing is dereferenced that is not its.
        into.extend(starts.chain(last).map(|start| self.start.wrapping_add(start)));
    }
}

/// The words in which libc keeps the texts of `strsignal` and `strerror_l`. Since glibc 2.33 they lie in its private
/// part of the thread's descriptor, side by side (`struct tls_internal_t`), so they are found by what is in them; where
/// they are not found, they are in libc's block. One of the texts alone may also be left over somewhere from earlier
/// calls.
fn text_buffers() -> Vec<Block> {
    /// Neither a signal nor an error, so that the texts are made.
    const UNKNOWN: c_int = 0x3fff_ffff;
    unsafe extern "C" {
        fn strsignal(signal: c_int) -> *mut c_char;
        fn strerror_l(error: c_int, locale: libc::locale_t) -> *mut c_char;
    }
    // SAFETY: the C locale always exists; strings that end with a zero; the locale is freed after its last use.
    let texts = unsafe {
        let locale = libc::newlocale(libc::LC_ALL_MASK, c"C".as_ptr(), ptr::null_mut());
        let texts = [strsignal(UNKNOWN), strerror_l(UNKNOWN, locale)];
        libc::freelocale(locale);
        texts
    };
    // SAFETY: the name ends with a zero; what libc has under it, for debuggers, is the descriptor's size, a `uint32_t`.
    let size = unsafe {
        let size = libc::dlsym(libc::RTLD_DEFAULT, c"_thread_db_sizeof_pthread".as_ptr()).cast::<u32>();
        if size.is_null() { 0 } else { size.read() as usize }
    };
    let descriptor = ptr::with_exposed_provenance_mut::<usize>(crate::thread_pointer::thread_pointer());
    // SAFETY: the thread pointer is the address of this thread's descriptor, which has this size, says libc.
    let mut words = (0..size / size_of::<usize>()).map(|word| unsafe { descriptor.add(word) });
    let mut before = None;
    let pair = words.find_map(|word| {
        let first = before.replace(word)?;
        // SAFETY: the words are those of this thread's descriptor, which is mapped as long as the thread lives.
        let held = unsafe { [first.read(), word.read()] };
        (held == texts.map(|text| text.addr())).then_some([first, word])
    });
    let words = pair.map_or(Vec::new(), Vec::from);
    for &word in &words {
        // SAFETY: the word holds the address that `strsignal` or `strerror_l` has just answered: libc's pointer to a
        // block of its own, which nobody looks at. Without one it makes another. Ranks begin without.
        unsafe {
            libc::free(ptr::with_exposed_provenance_mut(word.read()));
            word.write(0);
        }
    }
    words.into_iter().map(|word| Block { start: word.cast(), len: size_of::<usize>() }).collect()
}

unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: `dl_iterate_phdr` passes a description that is valid during the call, with as many headers as it says,
    // and the pointer that `of_this_thread` gave it, to a `Search` that nobody else uses.
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
        // SAFETY: the module is loaded, since ld.so describes it; it makes the block when that is not there yet.
        let start = unsafe { __tls_get_addr(&index) }.cast();
        search.found.push(Block { start, len: size });
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errno() -> *mut i32 {
        // SAFETY: no conditions; libc answers the address of this thread's variable.
        unsafe { libc::__errno_location() }
    }

    #[test]
    fn the_texts_of_libc_are_found() {
        assert_eq!(text_buffers().len(), 2);
    }

    #[test]
    fn what_is_left_out_is_left_alone() {
        let mut bytes = [0u8; 200];
        let start = bytes.as_mut_ptr();
        let whole = Block { start, len: 200 };
        let lens = |from: usize, len: usize| whole.without(start.wrapping_add(from), len).map(|block| block.len);
        assert_eq!(lens(0, 4), [0, 196]);
        assert_eq!(lens(90, 20), [90, 90]);
        assert_eq!(lens(196, 8), [196, 0]);
        assert_eq!(whole.without(ptr::null_mut(), 8).map(|block| block.len), [0, 200]);
        assert_eq!(lens(300, 8), [200, 0]);
    }

    #[test]
    fn what_a_rank_changed_comes_and_goes_with_it() {
        let (mut first, mut second) = (None, None);
        // SAFETY: no library comes or goes here; the two ranks of this test take turns, and each gets what was kept of
        // it.
        unsafe {
            let mut locals = LibraryLocals::of_this_thread(0, Vec::new(), &[]);
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

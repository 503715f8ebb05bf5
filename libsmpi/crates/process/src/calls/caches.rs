//! Functions of libc that keep what they allocate for all ranks: locales, the modules of name services, conversions.
//!
//! libc is shared, and its pointers to such memory are too: a block in the heap of the rank that happened to call first
//! would be lost with that rank, and with every state that the checker goes back to. So these calls allocate outside
//! the ranks' heaps. What a program itself has to free (`strdup`, `fopen`, `opendir`) stays in its heap. Which
//! functions keep something is from the sources of glibc 2.36. The time zone is read before any rank runs, since
//! libstdc++ asks for it, too: [`prepare`]. Functions whose callers could tell what is kept are in [`super::keepers`].

use crate::contract::Table;
use crate::state::{self, outside_heaps};
use std::ffi::{c_char, c_int, c_long, c_void};
use std::mem::MaybeUninit;

/// Reads the time zone, for what libraries ask that ranks share; ranks that ask themselves read it again
/// ([`crate::libc_words`]).
pub fn prepare() {
    let start: libc::time_t = 0;
    let mut time = MaybeUninit::uninit();
    // SAFETY: both places are this function's. No rank runs yet, so that what it allocates is the process's.
    unsafe { libc::localtime_r(&start, time.as_mut_ptr()) };
}

macro_rules! keeping {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        mod real {
            use super::*;
            unsafe extern "C" {
                $(pub fn $name($($argument: $type),*) -> $result;)*
            }
        }

        $(unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            outside_heaps(|| unsafe { real::$name($($argument),*) })
        })*

        /// The functions that keep what they allocate, and those that give it back.
        pub const REPLACED: Table = &[
            $((stringify!($name), $name as *const ()),)*
            ("freelocale", freelocale as *const ()),
            ("freeaddrinfo", freeaddrinfo as *const ()),
            ("iconv_close", iconv_close as *const ()),
        ];
    };
}

type Text = *const c_char;

keeping! {
    fn iconv_open(to: Text, from: Text) -> *mut c_void;
    fn getpwuid_r(user: u32, entry: *mut c_void, text: *mut c_char, len: usize, result: *mut c_void) -> c_int;
    fn getpwnam_r(name: Text, entry: *mut c_void, text: *mut c_char, len: usize, result: *mut c_void) -> c_int;
    fn gethostid() -> c_long;
    fn getnameinfo(
        address: *const c_void,
        len: u32,
        host: *mut c_char,
        host_len: u32,
        service: *mut c_char,
        service_len: u32,
        flags: c_int
    ) -> c_int;
}

// What these get is in nobody's heap, and a rank that the checker puts back frees it once more: it is kept.

unsafe extern "C" fn freelocale(locale: *mut c_void) {
    unsafe extern "C" {
        fn freelocale(locale: *mut c_void);
    }
    if state::current().is_none() {
        // SAFETY: by C's contract a locale of libc, which its owner gives up.
        unsafe { freelocale(locale) }
    }
}

unsafe extern "C" fn freeaddrinfo(list: *mut c_void) {
    unsafe extern "C" {
        fn freeaddrinfo(list: *mut c_void);
    }
    if state::current().is_none() {
        // SAFETY: by C's contract a list of `getaddrinfo`, which its owner gives up.
        unsafe { freeaddrinfo(list) }
    }
}

unsafe extern "C" fn iconv_close(descriptor: *mut c_void) -> c_int {
    unsafe extern "C" {
        fn iconv_close(descriptor: *mut c_void) -> c_int;
    }
    if state::current().is_some() {
        return 0;
    }
    // SAFETY: by C's contract a descriptor of `iconv_open`, which its owner gives up.
    unsafe { iconv_close(descriptor) }
}

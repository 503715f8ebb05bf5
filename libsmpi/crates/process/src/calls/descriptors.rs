//! Functions that give a file a number which the program has chosen: libc's, and it is noted that the table of
//! descriptors has high numbers ([`crate::descriptors`]). Source: POSIX.1-2017 dup, fcntl.

use super::paths::{behind, real};
use crate::contract::Table;
use crate::descriptors::note_chosen;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("dup2", dup2 as *const ()),
    ("dup3", dup3 as *const ()),
    ("fcntl", fcntl as *const ()),
    ("fcntl64", fcntl64 as *const ()),
];

/// Copies of descriptors.
macro_rules! copying {
    ($($name:ident ($($flags:ident)?);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// None: it asks nothing of its callers.
        pub unsafe extern "C" fn $name(old: c_int, new: c_int $(, $flags: c_int)?) -> c_int {
            let real = real!($name(c_int, c_int $(, copying!(@type $flags))?) -> c_int);
            note_chosen(new);
            // SAFETY: takes numbers, and any.
            unsafe { real(old, new $(, $flags)?) }
        }
    )*};
    (@type $flags:ident) => { c_int };
}

copying! {
    dup2();
    dup3(flags);
}

/// Functions with an argument that C's callers may leave out: then it is anything.
macro_rules! controlling {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name(descriptor: c_int, command: c_int, argument: usize) -> c_int {
            let real = real!($name(c_int, c_int, usize) -> c_int);
            if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
                note_chosen(argument as c_int);
            }
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            unsafe { real(descriptor, command, argument) }
        }
    )*};
}

controlling!(fcntl fcntl64);

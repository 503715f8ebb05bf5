//! Functions about numbers of files. Where a program chooses one, it is noted that the table of descriptors has high
//! numbers ([`crate::descriptors`]); where it closes those of the explorer, it is told that they are none.
//! [`super::standard`] has what programs get. Source: POSIX.1-2017 dup, fcntl, close.

use super::paths::{behind, real};
use crate::contract::refuse;
use crate::descriptors::{is_hidden, note_chosen};
use crate::{state, verification};
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

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
        pub unsafe extern "C" fn $name(descriptor: c_int, command: c_int, argument: usize) -> c_int {
            let real = real!($name(c_int, c_int, usize) -> c_int);
            if matches!(command, libc::F_DUPFD | libc::F_DUPFD_CLOEXEC) {
                note_chosen(argument as c_int);
            }
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            unsafe { real(descriptor, command, argument) }
        }
    )*};
}

controlling!(fcntl);

/// Whether a descriptor is the explorer's, so that ranks have none of this number.
fn is_explorers(descriptor: c_int) -> bool {
    verification::is_on() && state::caller().is_some() && is_hidden(descriptor)
}

/// `close` of a program.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    if is_explorers(descriptor) {
        return refuse(libc::EBADF);
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { super::paths::close(descriptor) }
}

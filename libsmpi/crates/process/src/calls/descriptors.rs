//! Functions of descriptors that need no name: those that give a file a number which the program has chosen are libc's,
//! and it is noted that the table of descriptors has high numbers ([`crate::descriptors`]); and those that close, which
//! leave the explorer its own. Source: POSIX.1-2017 dup, fcntl, close; close_range(2).

use super::paths::{self, behind, real};
use crate::contract::{Table, refuse};
use crate::descriptors::{is_hidden, note_chosen, open_now};
use crate::{state, verification};
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("dup2", dup2 as *const ()),
    ("dup3", dup3 as *const ()),
    ("fcntl", fcntl as *const ()),
    ("fcntl64", fcntl64 as *const ()),
    ("close", close as *const ()),
    ("close_range", close_range as *const ()),
    ("closefrom", closefrom as *const ()),
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
    unsafe { paths::close(descriptor) }
}

/// `close_range` (close_range(2)): under the checker one by one, so that each is as if it were closed by itself.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    if !verification::is_on() || state::caller().is_none() || flags != 0 || first > last {
        // SAFETY: the arguments of the caller, whose contract is that of the system call.
        return unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) as c_int };
    }
    let wanted = |descriptor: &c_int| (first..=last).contains(&(*descriptor as c_uint));
    // They are listed outside of the heap of the rank.
    for descriptor in state::outside_heaps(open_now).into_iter().filter(wanted) {
        // SAFETY: what the caller wants closed.
        unsafe { close(descriptor) };
    }
    0
}

/// `closefrom` (glibc manual, "Opening and Closing Files").
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn closefrom(lowest: c_int) {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { close_range(lowest.max(0) as c_uint, c_uint::MAX, 0) };
}

//! Names of simulated hosts, as functions that look up addresses see them: all of them are this machine, where all
//! ranks are. So programs that exchange the names of their hosts and open sockets find each other. Source: POSIX.1-2017
//! getaddrinfo; gethostbyname(3).

use super::keepers;
use crate::contract::Table;
use crate::hooks::hooks;
use crate::state;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// The functions that look up hosts by name.
pub const REPLACED: Table = &[("gethostbyname", gethostbyname as *const ()), ("getaddrinfo", getaddrinfo as *const ())];

/// This machine.
const HERE: *const c_char = c"127.0.0.1".as_ptr();

/// The name to look up: this machine's for that of a simulated host.
///
/// # Safety
/// By C's contract `name` is null or a string.
unsafe fn looked_up(name: *const c_char) -> *const c_char {
    if name.is_null() || state::caller().is_none() {
        return name;
    }
    // SAFETY: not null, so it is a string.
    let is_simulated = unsafe { CStr::from_ptr(name) }.to_str().is_ok_and(hooks().is_host);
    if is_simulated { HERE } else { name }
}

unsafe extern "C" fn gethostbyname(name: *const c_char) -> *mut c_void {
    unsafe extern "C" {
        fn gethostbyname(name: *const c_char) -> *mut c_void;
    }
    // SAFETY: by C's contract null or a string.
    let name = unsafe { looked_up(name) };
    // SAFETY: a string of ours, or the caller's, whose contract is that of libc's function.
    ptr::with_exposed_provenance_mut(keepers::hosts(|| unsafe { gethostbyname(name) }.expose_provenance()))
}

unsafe extern "C" fn getaddrinfo(
    node: *const c_char,
    service: *const c_char,
    hints: *const libc::addrinfo,
    found: *mut *mut libc::addrinfo,
) -> c_int {
    // SAFETY: by C's contract null or a string.
    let node = unsafe { looked_up(node) };
    // SAFETY: a string of ours, or the caller's, whose contract is that of libc's function. The list is kept.
    state::outside_heaps(|| unsafe { libc::getaddrinfo(node, service, hints, found) })
}

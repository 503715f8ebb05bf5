//! Functions of libc that read or write memory of the program on its behalf: copies and comparisons.
//!
//! The compiler reports what the program does itself, not what libc does for it. The image loader gives ranks of a
//! program that reports accesses these functions instead; other programs keep libc's.

use std::ffi::{c_int, c_void};

use super::access;

/// Address of what a program that reports its accesses gets instead of libc's function, if it gets something else.
pub fn replacement(name: &str) -> Option<usize> {
    let function = match name {
        "memcpy" => memcpy as *const (),
        "memmove" => memmove as *const (),
        "memset" => memset as *const (),
        "mempcpy" | "__mempcpy" => mempcpy as *const (),
        "memcmp" | "bcmp" => memcmp as *const (),
        "bcopy" => bcopy as *const (),
        "bzero" => bzero as *const (),
        "__memcpy_chk" => memcpy_chk as *const (),
        "__memmove_chk" => memmove_chk as *const (),
        "__memset_chk" => memset_chk as *const (),
        _ => return None,
    };
    Some(function as usize)
}

unsafe extern "C" fn memcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
    access(from.addr(), len, false);
    access(to.addr(), len, true);
    // SAFETY: as in C.
    unsafe { libc::memcpy(to, from, len) }
}

unsafe extern "C" fn memmove(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
    access(from.addr(), len, false);
    access(to.addr(), len, true);
    // SAFETY: as in C.
    unsafe { libc::memmove(to, from, len) }
}

unsafe extern "C" fn memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void {
    access(to.addr(), len, true);
    // SAFETY: as in C.
    unsafe { libc::memset(to, byte, len) }
}

unsafe extern "C" fn memcmp(one: *const c_void, other: *const c_void, len: usize) -> c_int {
    access(one.addr(), len, false);
    access(other.addr(), len, false);
    // SAFETY: as in C.
    unsafe { libc::memcmp(one, other, len) }
}

unsafe extern "C" fn mempcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
    // SAFETY: as in C; the end of the target is part of it.
    unsafe { memcpy(to, from, len).cast::<u8>().add(len).cast() }
}

unsafe extern "C" fn bcopy(from: *const c_void, to: *mut c_void, len: usize) {
    // SAFETY: as in C.
    unsafe { memmove(to, from, len) };
}

unsafe extern "C" fn bzero(to: *mut c_void, len: usize) {
    // SAFETY: as in C.
    unsafe { memset(to, 0, len) };
}

/// What clang calls from version 16 on, instead of libc's function.
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memcpy(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { memcpy(to, from, len) }
}

/// As [`__tsan_memcpy`].
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memmove(to: *mut c_void, from: *const c_void, len: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { memmove(to, from, len) }
}

/// As [`__tsan_memcpy`].
#[unsafe(no_mangle)]
unsafe extern "C" fn __tsan_memset(to: *mut c_void, byte: c_int, len: usize) -> *mut c_void {
    // SAFETY: as in C.
    unsafe { memset(to, byte, len) }
}

/// Ends the program as libc does when a copy does not fit its target.
fn check(len: usize, room: usize) {
    if len > room {
        unsafe extern "C" {
            fn __chk_fail() -> !;
        }
        // SAFETY: takes nothing and does not return.
        unsafe { __chk_fail() }
    }
}

unsafe extern "C" fn memcpy_chk(to: *mut c_void, from: *const c_void, len: usize, room: usize) -> *mut c_void {
    check(len, room);
    // SAFETY: as in C.
    unsafe { memcpy(to, from, len) }
}

unsafe extern "C" fn memmove_chk(to: *mut c_void, from: *const c_void, len: usize, room: usize) -> *mut c_void {
    check(len, room);
    // SAFETY: as in C.
    unsafe { memmove(to, from, len) }
}

unsafe extern "C" fn memset_chk(to: *mut c_void, byte: c_int, len: usize, room: usize) -> *mut c_void {
    check(len, room);
    // SAFETY: as in C.
    unsafe { memset(to, byte, len) }
}

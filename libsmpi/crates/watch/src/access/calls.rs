//! Functions of libc that read or write memory of the program on its behalf: copies, comparisons, output, sorting.
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
        "fwrite" => fwrite as *const (),
        "qsort" => qsort as *const (),
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

unsafe extern "C" fn fwrite(from: *const c_void, size: usize, count: usize, to: *mut libc::FILE) -> usize {
    access(from.addr(), size.saturating_mul(count), false);
    // SAFETY: as in C.
    unsafe { libc::fwrite(from, size, count, to) }
}

/// How two elements are compared.
type Comparison = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

unsafe extern "C" fn qsort(first: *mut c_void, count: usize, size: usize, compare: Option<Comparison>) {
    access(first.addr(), size.saturating_mul(count), false);
    access(first.addr(), size.saturating_mul(count), true);
    // SAFETY: as in C.
    unsafe { libc::qsort(first, count, size, compare) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes() -> [u8; 8] {
        [0, 1, 2, 3, 4, 5, 6, 7]
    }

    /// What a program gets does what the function of that name does.
    #[test]
    fn copies_go_where_those_of_libc_go() {
        type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize) -> *mut c_void;
        let (mut to, from) = ([0xff_u8; 8], bytes());
        for (name, returned) in [("memcpy", 0), ("memmove", 0), ("mempcpy", 3), ("__mempcpy", 3)] {
            let function = replacement(name).unwrap();
            // SAFETY: the replacement of a function of this form, with memory of this test.
            let end = unsafe {
                std::mem::transmute::<usize, Copy>(function)(to[1..].as_mut_ptr().cast(), from[4..].as_ptr().cast(), 3)
            };
            assert_eq!((to, end.addr() - to[1..].as_ptr().addr()), ([0xff, 4, 5, 6, 0xff, 0xff, 0xff, 0xff], returned));
            to = [0xff; 8];
        }
        let mut place = bytes();
        let at = place.as_mut_ptr();
        // SAFETY: ranges of one array, which may overlap; the source comes first.
        unsafe { bcopy(at.cast(), at.add(2).cast(), 5) };
        assert_eq!(place, [0, 1, 0, 1, 2, 3, 4, 7]);
        // SAFETY: within the array.
        unsafe { bzero(at.add(1).cast(), 3) };
        assert_eq!(place, [0, 0, 0, 0, 2, 3, 4, 7]);
        // SAFETY: within the array.
        unsafe { memset(at.add(6).cast(), 0x1ff, 2) };
        assert_eq!(place, [0, 0, 0, 0, 2, 3, 0xff, 0xff]);
    }

    #[test]
    fn comparisons_look_at_bytes_without_sign() {
        let (one, other) = ([1_u8, 0x80], [1_u8, 0x7f]);
        // SAFETY: arrays of two bytes.
        let compare = |len| unsafe { memcmp(one.as_ptr().cast(), other.as_ptr().cast(), len) };
        assert!(compare(2) > 0 && compare(1) == 0 && compare(0) == 0);
        assert_eq!(replacement("bcmp"), replacement("memcmp"));
        assert_eq!(replacement("strcpy"), None);
    }
}

//! The environment of a rank: `getenv`, `setenv` and relatives on the rank's own `environ`.
//!
//! Ranks start with one shared, read-only vector of the process's variables; the first change gives the rank its own in
//! its heap. Functions that start other programs pass the rank's variables on. Source: POSIX.1-2017 chapter 8.

use super::malloc;
use crate::faults::refusals::refuse_in_verification;
use crate::state::refuse;
use crate::{keys, running, state};
use smpi_image::{Image, PrivateVariable};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

type Vector = *mut *mut c_char;

unsafe extern "C" {
    static mut environ: Vector;
}

/// The rank's `environ`.
fn variable(image: &Image) -> *mut Vector {
    image.private_variable(PrivateVariable::Environ).cast()
}

/// The `environ` that the caller sees: its rank's, also on threads that the rank started, or the process's.
fn place() -> *mut Vector {
    match state::current().or_else(keys::owner) {
        Some(record) => variable(&record.image),
        None => &raw mut environ,
    }
}

/// Gives a new rank the process's variables.
pub fn start(image: &Image) {
    // SAFETY: the image is mapped, and its `environ` is a pointer.
    unsafe { variable(image).write(environ) };
}

/// Value part of `entry` when it defines `name`.
///
/// # Safety
/// `entry` must be a C string.
unsafe fn value_of(entry: *mut c_char, name: &[u8]) -> Option<*mut c_char> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { CStr::from_ptr(entry) }.to_bytes();
    let is_it = bytes.len() > name.len() && bytes.starts_with(name) && bytes[name.len()] == b'=';
    // SAFETY: inside the string.
    is_it.then(|| unsafe { entry.add(name.len() + 1) })
}

/// Entries of a vector.
///
/// # Safety
/// `vector` must be null or end with a null entry.
unsafe fn entries(vector: Vector) -> impl Iterator<Item = Vector> {
    let mut at = vector;
    std::iter::from_fn(move || {
        // SAFETY: the caller's promise; the iterator stops at the null entry.
        unsafe {
            if at.is_null() || (*at).is_null() {
                return None;
            }
            at = at.add(1);
            Some(at.sub(1))
        }
    })
}

/// A variable's name as C passes it, `None` when it is not one.
unsafe fn checked_name<'a>(name: *const c_char) -> Option<&'a [u8]> {
    if name.is_null() {
        return None;
    }
    // SAFETY: as in C.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    (!name.is_empty() && !name.contains(&b'=')).then_some(name)
}

pub unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: as in C.
    unsafe {
        let Some(name) = checked_name(name) else { return ptr::null_mut() };
        entries(*place()).find_map(|entry| value_of(*entry, name)).unwrap_or(ptr::null_mut())
    }
}

/// Puts `entry` into the caller's environment, in the place of the variable `name` or at the end. The vector is always
/// copied: it is short, and the old one may be shared or the program's own.
unsafe fn put(entry: *mut c_char, name: &[u8]) -> c_int {
    // SAFETY: `place` is a valid vector; the new one has room for one entry more and the null.
    unsafe {
        let old = *place();
        let count = entries(old).count();
        let new: Vector = malloc::malloc((count + 2) * size_of::<*mut c_char>()).cast();
        if new.is_null() {
            return refuse(libc::ENOMEM);
        }
        let mut end = new;
        let mut placed = false;
        for at in entries(old) {
            let same = value_of(*at, name).is_some();
            if !same || !placed {
                end.write(if same { entry } else { *at });
                end = end.add(1);
                placed |= same;
            }
        }
        if !placed {
            end.write(entry);
            end = end.add(1);
        }
        end.write(ptr::null_mut());
        *place() = new;
    }
    0
}

pub unsafe extern "C" fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    // SAFETY: as in C.
    unsafe {
        let Some(name_bytes) = checked_name(name) else { return refuse(libc::EINVAL) };
        if overwrite == 0 && !getenv(name).is_null() {
            return 0;
        }
        let value = if value.is_null() { &[] } else { CStr::from_ptr(value).to_bytes() };
        let entry: *mut u8 = malloc::malloc(name_bytes.len() + value.len() + 2).cast();
        if entry.is_null() {
            return refuse(libc::ENOMEM);
        }
        ptr::copy_nonoverlapping(name_bytes.as_ptr(), entry, name_bytes.len());
        entry.add(name_bytes.len()).write(b'=');
        ptr::copy_nonoverlapping(value.as_ptr(), entry.add(name_bytes.len() + 1), value.len());
        entry.add(name_bytes.len() + 1 + value.len()).write(0);
        put(entry.cast(), name_bytes)
    }
}

pub unsafe extern "C" fn putenv(entry: *mut c_char) -> c_int {
    // SAFETY: as in C.
    unsafe {
        let bytes = CStr::from_ptr(entry).to_bytes();
        match bytes.iter().position(|b| *b == b'=') {
            Some(0) => refuse(libc::EINVAL),
            Some(len) => put(entry, &bytes[..len]),
            None => unsetenv(entry),
        }
    }
}

pub unsafe extern "C" fn unsetenv(name: *const c_char) -> c_int {
    // SAFETY: as in C; `setenv` makes the vector the rank's own, with one entry for the name.
    unsafe {
        let Some(name_bytes) = checked_name(name) else { return refuse(libc::EINVAL) };
        if getenv(name).is_null() {
            return 0;
        }
        if setenv(name, c"".as_ptr(), 1) != 0 {
            return -1;
        }
        let mut end = *place();
        for at in entries(*place()) {
            if value_of(*at, name_bytes).is_none() {
                end.write(*at);
                end = end.add(1);
            }
        }
        end.write(ptr::null_mut());
    }
    0
}

pub extern "C" fn clearenv() -> c_int {
    // SAFETY: a null vector is an empty environment.
    unsafe { *place() = ptr::null_mut() };
    0
}

/// Calls a function that reads libc's `environ` with the rank's in its place; on other threads with the process's,
/// because the ranks run meanwhile.
pub fn with_own<R>(call: impl FnOnce() -> R) -> R {
    if state::current().is_none() {
        return call();
    }
    // SAFETY: one thread of ranks; the process's vector is put back before a rank can look.
    unsafe {
        let process = environ;
        environ = *place();
        let result = call();
        environ = process;
        result
    }
}

/// Makes the variables of the rank those of the whole process, which is a child of `fork`: for functions of libc that
/// replace it.
pub fn adopt_in_child() {
    if running::is_child() {
        // SAFETY: the child has one thread.
        unsafe { environ = *place() };
    }
}

pub unsafe extern "C" fn system(command: *const c_char) -> c_int {
    if !command.is_null() {
        refuse_in_verification("system() starts a process");
    }
    // SAFETY: as in C.
    with_own(|| unsafe { libc::system(command) })
}

pub unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    refuse_in_verification("popen() starts a process");
    // SAFETY: as in C.
    with_own(|| unsafe { libc::popen(command, mode) })
}

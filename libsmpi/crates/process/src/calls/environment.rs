//! The environment of a rank: `getenv`, `setenv` and relatives on the rank's own `environ`.
//!
//! Ranks start with one shared, read-only vector of the process's variables; the first change gives the rank its own in
//! its heap. Functions that start other programs pass the rank's variables on. Source: POSIX.1-2017 chapter 8.

use super::{malloc, standard};
use crate::contract::{Table, refuse};
use crate::faults::refusals::refuse_in_verification;
use crate::{keys, libc_words, placed, state};
use smpi_image::{Image, PrivateVariable};
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::sync::OnceLock;

type Vector = *mut *mut c_char;

/// The functions about the environment, and those of libc that read it.
pub const REPLACED: Table = &[
    ("getenv", getenv as *const ()),
    ("secure_getenv", getenv as *const ()),
    ("setenv", setenv as *const ()),
    ("putenv", putenv as *const ()),
    ("unsetenv", unsetenv as *const ()),
    ("clearenv", clearenv as *const ()),
    ("system", system as *const ()),
    ("popen", popen as *const ()),
];

unsafe extern "C" {
    static mut environ: Vector;
    fn tzset();
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
    static COPY: OnceLock<usize> = OnceLock::new();
    // SAFETY: no rank runs yet, so nobody changes the process's variables.
    let copy = *COPY.get_or_init(|| unsafe { copied(environ) }.expose_provenance());
    // SAFETY: the image is mapped, and its `environ` is a pointer.
    unsafe { variable(image).write(ptr::with_exposed_provenance_mut(copy)) };
}

/// A copy of a vector and its strings that stays in its place ([`placed`]); the vector itself where there is no memory.
///
/// # Safety
/// `vector` must be null or end with a null entry; the others must be strings.
unsafe fn copied(vector: Vector) -> Vector {
    // SAFETY: the caller passes such a vector; the mapping has room for all of it.
    unsafe {
        let strings: Vec<&CStr> = entries(vector).map(|entry| CStr::from_ptr(entry)).collect();
        let pointers = (strings.len() + 1) * size_of::<*mut c_char>();
        let len = pointers + strings.iter().map(|string| string.count_bytes() + 1).sum::<usize>();
        let Some(place) = placed::map(placed::ENVIRONMENT, len) else { return vector };
        let (copy, mut at): (Vector, *mut c_char) = (place.cast().as_ptr(), place.add(pointers).cast().as_ptr());
        for (index, string) in strings.into_iter().enumerate() {
            copy.add(index).write(at);
            ptr::copy_nonoverlapping(string.as_ptr(), at, string.count_bytes() + 1);
            at = at.add(string.count_bytes() + 1);
        }
        copy
    }
}

/// Value part of `entry` when it defines `name`.
///
/// # Safety
/// `entry` must be a C string.
unsafe fn value_of(entry: *mut c_char, name: &[u8]) -> Option<*mut c_char> {
    // SAFETY: the caller passes a string.
    let bytes = unsafe { CStr::from_ptr(entry) }.to_bytes();
    let is_it = bytes.len() > name.len() && bytes.starts_with(name) && bytes[name.len()] == b'=';
    // SAFETY: inside the string.
    is_it.then(|| unsafe { entry.add(name.len() + 1) })
}

/// Entries of a vector.
///
/// # Safety
/// `vector` must be null or end with a null entry.
unsafe fn entries(vector: Vector) -> impl Iterator<Item = *mut c_char> {
    let mut at = vector;
    std::iter::from_fn(move || {
        if at.is_null() {
            return None;
        }
        // SAFETY: the caller's vector goes on up to its null entry, at which the iterator stays.
        unsafe {
            let entry = *at;
            at = if entry.is_null() { at } else { at.add(1) };
            (!entry.is_null()).then_some(entry)
        }
    })
}

/// The value of a variable in a vector; null when there is none.
///
/// # Safety
/// `vector` must be null or end with a null entry; the others must be strings.
unsafe fn find(vector: Vector, name: &[u8]) -> *mut c_char {
    // SAFETY: the caller passes such a vector.
    unsafe { entries(vector).find_map(|entry| value_of(entry, name)).unwrap_or(ptr::null_mut()) }
}

/// Puts `entry` into a vector, in the place of the variable `name` or at the end; without `entry`, removes the
/// variable. The vector is always copied: it is short, and the old one may be shared or the program's own. −1 when the
/// rank's heap is full, as in C.
///
/// # Safety
/// `place` must point to a vector as for [`find`]; `entry` must be a string that stays.
unsafe fn change(place: *mut Vector, name: &[u8], entry: Option<*mut c_char>) -> c_int {
    // SAFETY: the caller passes such a vector; the new one has room for one entry more and the null.
    unsafe {
        let old = *place;
        let count = entries(old).count();
        let new: Vector = malloc::malloc((count + 2) * size_of::<*mut c_char>()).cast();
        if new.is_null() {
            return refuse(libc::ENOMEM);
        }
        let mut end = new;
        let mut add = |entry: *mut c_char| {
            end.write(entry);
            end = end.add(1);
        };
        let mut due = entry;
        for at in entries(old) {
            if value_of(at, name).is_none() {
                add(at);
            } else if let Some(entry) = due.take() {
                add(entry);
            }
        }
        due.into_iter().for_each(&mut add);
        add(ptr::null_mut());
        *place = new;
    }
    if name == b"TZ" {
        read_time_zone();
    }
    0
}

/// Libraries that ranks share ask libc for the time zone, too: it is to be the rank's by then.
fn read_time_zone() {
    // SAFETY: without conditions.
    libc_words::within(|| unsafe { tzset() });
}

/// A variable's name as C passes it, `None` when it is not one.
///
/// # Safety
/// `name` must be null or a string.
unsafe fn checked_name<'a>(name: *const c_char) -> Option<&'a [u8]> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null, so the caller's string.
    let name = unsafe { CStr::from_ptr(name) }.to_bytes();
    (!name.is_empty() && !name.contains(&b'=')).then_some(name)
}

pub unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: by C's contract a string; `place` has a vector.
    unsafe { checked_name(name).map_or(ptr::null_mut(), |name| find(*place(), name)) }
}

unsafe extern "C" fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int {
    // SAFETY: by C's contract strings, or null; `place` has a vector. The new entry has room for all that is written.
    unsafe {
        let Some(name) = checked_name(name) else { return refuse(libc::EINVAL) };
        if overwrite == 0 && !find(*place(), name).is_null() {
            return 0;
        }
        let value = if value.is_null() { &[] } else { CStr::from_ptr(value).to_bytes() };
        let entry: *mut u8 = malloc::malloc(name.len() + value.len() + 2).cast();
        if entry.is_null() {
            return refuse(libc::ENOMEM);
        }
        let mut end = entry;
        for part in [name, b"=", value, b"\0"] {
            ptr::copy_nonoverlapping(part.as_ptr(), end, part.len());
            end = end.add(part.len());
        }
        change(place(), name, Some(entry.cast()))
    }
}

unsafe extern "C" fn putenv(entry: *mut c_char) -> c_int {
    // SAFETY: by C's contract a string, which stays; `place` has a vector.
    unsafe {
        let bytes = CStr::from_ptr(entry).to_bytes();
        match bytes.iter().position(|b| *b == b'=') {
            Some(0) => refuse(libc::EINVAL),
            Some(len) => change(place(), &bytes[..len], Some(entry)),
            None => unsetenv(entry),
        }
    }
}

unsafe extern "C" fn unsetenv(name: *const c_char) -> c_int {
    // SAFETY: by C's contract a string; `place` has a vector.
    unsafe {
        let Some(name) = checked_name(name) else { return refuse(libc::EINVAL) };
        if find(*place(), name).is_null() { 0 } else { change(place(), name, None) }
    }
}

extern "C" fn clearenv() -> c_int {
    // SAFETY: `place` is a variable of the rank or of the process; a null vector is an empty environment.
    unsafe { *place() = ptr::null_mut() };
    read_time_zone();
    0
}

unsafe extern "C" fn system(command: *const c_char) -> c_int {
    if !command.is_null() {
        refuse_in_verification("system() starts a process");
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    standard::for_program(|| unsafe { libc::system(command) })
}

unsafe extern "C" fn popen(command: *const c_char, mode: *const c_char) -> *mut libc::FILE {
    refuse_in_verification("popen() starts a process");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    standard::for_program(|| unsafe { libc::popen(command, mode) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Changes a vector of these entries, and tells what is in it then.
    fn changed(before: &[&CStr], name: &str, entry: Option<&'static CStr>) -> Vec<String> {
        let mut vector: Vec<*mut c_char> = before.iter().map(|entry| entry.as_ptr().cast_mut()).collect();
        vector.push(ptr::null_mut());
        let mut place = vector.as_mut_ptr();
        // SAFETY: a vector of strings that ends with a null; off a rank's stack `malloc` is libc's.
        unsafe {
            assert_eq!(change(&mut place, name.as_bytes(), entry.map(|entry| entry.as_ptr().cast_mut())), 0);
            assert_ne!(place, vector.as_mut_ptr(), "the vector is shared");
            let found = entries(place).map(|entry| CStr::from_ptr(entry).to_string_lossy().into_owned()).collect();
            libc::free(place.cast());
            found
        }
    }

    #[test]
    fn a_variable_is_replaced_where_it_stood() {
        assert_eq!(changed(&[c"A=1", c"AB=2", c"C=3"], "AB", Some(c"AB=x")), ["A=1", "AB=x", "C=3"]);
        assert_eq!(changed(&[c"A=1"], "B", Some(c"B=2")), ["A=1", "B=2"]);
        assert_eq!(changed(&[], "B", Some(c"B=")), ["B="]);
    }

    #[test]
    fn one_that_is_there_twice_is_there_once_afterwards() {
        assert_eq!(changed(&[c"A=1", c"B=2", c"A=3"], "A", Some(c"A=x")), ["A=x", "B=2"]);
        assert_eq!(changed(&[c"A=1", c"B=2", c"A=3"], "A", None), ["B=2"]);
    }

    #[test]
    fn values_are_found_by_the_whole_name() {
        let entries = [c"AB=1", c"A=2=3", c"A"];
        let mut vector: Vec<*mut c_char> = entries.iter().map(|entry| entry.as_ptr().cast_mut()).collect();
        vector.push(ptr::null_mut());
        // SAFETY: a vector of strings that ends with a null, or none.
        unsafe {
            assert_eq!(CStr::from_ptr(find(vector.as_mut_ptr(), b"A")), c"2=3");
            assert!(find(vector.as_mut_ptr(), b"B").is_null());
            assert!(find(ptr::null_mut(), b"A").is_null());
        }
    }

    #[test]
    fn names_have_no_equals_sign() {
        // SAFETY: strings, or null.
        unsafe {
            assert_eq!(checked_name(c"A".as_ptr()), Some(&b"A"[..]));
            assert!(checked_name(c"A=".as_ptr()).is_none() && checked_name(c"".as_ptr()).is_none());
            assert!(checked_name(ptr::null()).is_none());
        }
    }
}

//! Functions of libc that look through directories by themselves: `nftw`, `fts`, `glob`, `wordexp` and their kin.
//!
//! They find what the disk has. Where that is not what the rank has, it is noted: nothing is complete then. Source:
//! POSIX.1-2017 nftw, glob, wordexp; fts(3).

use super::paths::{behind, is_asked, on_files, real};
use crate::contract::Table;
use crate::hooks::PathUse;
use crate::overlay::{self, Way};
use crate::verification::note_uncontrolled;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("glob", glob as *const ()),
    ("glob64", glob64 as *const ()),
    ("wordexp", wordexp as *const ()),
    ("ftw", ftw as *const ()),
    ("ftw64", ftw64 as *const ()),
    ("nftw", nftw as *const ()),
    ("nftw64", nftw64 as *const ()),
    ("fts_open", fts_open as *const ()),
    ("fts64_open", fts64_open as *const ()),
];

/// Notes that a rank looks through a directory of which the disk has not what it has.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn note_walk(function: &'static str, path: *const c_char) {
    // SAFETY: what this function demands.
    let is_other = unsafe {
        on_files(function, (libc::AT_FDCWD, path), PathUse::ListsBelow, |files, from, path| {
            let way = files.way(from, path, true)?;
            Ok(matches!(way, Way::To(name, _) if files.is_changed_around(&name)) || overlay::is_away(files))
        })
    };
    if matches!(is_other, Some(Ok(true))) {
        note_uncontrolled(
            "a rank looked through directories that ranks have changed by nftw, fts, glob or wordexp: it found what was there before",
        );
    }
}

/// Directories below which all names of a pattern are. One pattern of several words names several places.
///
/// # Safety
/// By C's contract the pattern is a string or null.
unsafe fn roots(pattern: *const c_char) -> Vec<CString> {
    if pattern.is_null() || !is_asked() {
        return Vec::new();
    }
    // SAFETY: a string by C's contract.
    let pattern = unsafe { CStr::from_ptr(pattern) }.to_bytes();
    let words = pattern.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.filter_map(|word| CString::new(root_of(word)).ok()).collect()
}

/// The directory below which all names of a pattern are.
fn root_of(pattern: &[u8]) -> &[u8] {
    let plain = pattern.iter().position(|byte| b"*?[]{}~\\$`\"'()!".contains(byte)).unwrap_or(pattern.len());
    match pattern[..plain].iter().rposition(|byte| *byte == b'/') {
        Some(end) => &pattern[..=end],
        // The home of somebody, or what a variable says.
        None if pattern.get(plain).is_some_and(|byte| b"~$`\"'\\".contains(byte)) => b"/",
        None => b"./",
    }
}

/// A list of paths that ends with null.
///
/// # Safety
/// By C's contract it is one.
unsafe fn listed(paths: *const *const c_char) -> Vec<*const c_char> {
    if paths.is_null() || !is_asked() {
        return Vec::new();
    }
    // SAFETY: a list up to null by C's contract.
    (0..).map(|index| unsafe { *paths.add(index) }).take_while(|path| !path.is_null()).collect()
}

/// The functions, and what notes where they look.
macro_rules! walking {
    ($($name:ident ($($argument:ident: $type:ty),*) -> $result:ty, $note:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            let real = real!($name($($type),*) -> $result);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                $note(stringify!($name));
                real($($argument),*)
            }
        }
    )*};
}

walking! {
    ftw(path: *const c_char, visit: *const c_void, open: c_int) -> c_int, |name| note_walk(name, path);
    ftw64(path: *const c_char, visit: *const c_void, open: c_int) -> c_int, |name| note_walk(name, path);
    nftw(path: *const c_char, visit: *const c_void, open: c_int, flags: c_int) -> c_int, |name| note_walk(name, path);
    nftw64(path: *const c_char, visit: *const c_void, open: c_int, flags: c_int) -> c_int, |name| note_walk(name, path);
    glob(pattern: *const c_char, flags: c_int, error: *const c_void, found: *mut c_void) -> c_int,
        |name| roots(pattern).iter().for_each(|root| note_walk(name, root.as_ptr()));
    glob64(pattern: *const c_char, flags: c_int, error: *const c_void, found: *mut c_void) -> c_int,
        |name| roots(pattern).iter().for_each(|root| note_walk(name, root.as_ptr()));
    wordexp(pattern: *const c_char, found: *mut c_void, flags: c_int) -> c_int,
        |name| roots(pattern).iter().for_each(|root| note_walk(name, root.as_ptr()));
    fts_open(paths: *const *const c_char, options: c_int, order: *const c_void) -> *mut c_void,
        |name| listed(paths).into_iter().for_each(|path| note_walk(name, path));
    fts64_open(paths: *const *const c_char, options: c_int, order: *const c_void) -> *mut c_void,
        |name| listed(paths).into_iter().for_each(|path| note_walk(name, path));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_below_what_they_begin_with() {
        for (pattern, root) in
            [("*.dat", "./"), ("a/b*/c", "a/"), ("/x/y.dat", "/x/"), ("~/a*", "/"), ("$X/a", "/"), ("a?", "./")]
        {
            assert_eq!(root_of(pattern.as_bytes()), root.as_bytes(), "{pattern}");
        }
    }
}

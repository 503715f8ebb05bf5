//! Functions of libc that take names of files and open none: as those of [`super::paths`], which they use.
//!
//! Those that other libraries call (libstdc++ for `std::filesystem`, libgfortran) are exported in libc's place; the
//! others ([`REPLACED`]) are what programs get. Where a function cannot show what MPI has changed, it uses the disk,
//! and the library above is told. Source: POSIX.1-2017, and the manual pages of Linux for what it lacks.

use crate::contract::{Table, errno, refuse, set_errno};
use crate::hooks::{PathUse, hooks};
use crate::hosting::{is_hidden, open_descriptors};
use crate::{state, verification};
use std::ffi::{CStr, OsStr, c_char, c_int, c_long, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::AtomicPtr;

use super::paths::{Given, Place, behind, given, is_asked, note_both, on_path, real};
use super::paths::{on_one_path, on_two_paths};
use super::{exit, threads};

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("syscall", syscall as *const ()),
    ("close", close as *const ()),
    ("close_range", close_range as *const ()),
    ("closefrom", closefrom as *const ()),
    ("glob", glob as *const ()),
    ("glob64", glob64 as *const ()),
    ("wordexp", wordexp as *const ()),
    ("ftw", ftw as *const ()),
    ("ftw64", ftw64 as *const ()),
    ("nftw", nftw as *const ()),
    ("nftw64", nftw64 as *const ()),
    ("fts_open", fts_open as *const ()),
    ("fts64_open", fts64_open as *const ()),
    ("scandirat", scandirat as *const ()),
    ("scandirat64", scandirat64 as *const ()),
    ("mkstemp", mkstemp as *const ()),
    ("mkstemp64", mkstemp64 as *const ()),
    ("mkostemp", mkostemp as *const ()),
    ("mkostemp64", mkostemp64 as *const ()),
    ("eaccess", eaccess as *const ()),
    ("__xstat", __xstat as *const ()),
    ("__xstat64", __xstat64 as *const ()),
    ("__lxstat", __lxstat as *const ()),
    ("__lxstat64", __lxstat64 as *const ()),
    ("__fxstatat", __fxstatat as *const ()),
    ("__fxstatat64", __fxstatat64 as *const ()),
    ("__openat_2", __openat_2 as *const ()),
    ("__openat64_2", __openat64_2 as *const ()),
    ("__readlink_chk", __readlink_chk as *const ()),
    ("__readlinkat_chk", __readlinkat_chk as *const ()),
    ("__realpath_chk", __realpath_chk as *const ()),
    ("statfs", statfs as *const ()),
    ("statfs64", statfs64 as *const ()),
    ("pathconf", pathconf as *const ()),
    ("futimesat", futimesat as *const ()),
    ("lutimes", lutimes as *const ()),
];

on_one_path! {
    mkdir() (mode: libc::mode_t) ChangesEntry;
    mkdirat(directory) (mode: libc::mode_t) ChangesEntry;
    rmdir() () ChangesEntry;
    mknod() (mode: libc::mode_t, device: libc::dev_t) ChangesEntry;
    mknodat(directory) (mode: libc::mode_t, device: libc::dev_t) ChangesEntry;
    mkfifo() (mode: libc::mode_t) ChangesEntry;
    mkfifoat(directory) (mode: libc::mode_t) ChangesEntry;
    chmod() (mode: libc::mode_t) Changes;
    fchmodat(directory) (mode: libc::mode_t, flags: c_int) Changes;
    chown() (user: libc::uid_t, group: libc::gid_t) Changes;
    lchown() (user: libc::uid_t, group: libc::gid_t) ChangesEntry;
    fchownat(directory) (user: libc::uid_t, group: libc::gid_t, flags: c_int) Changes;
    utime() (times: *const libc::utimbuf) Changes;
    utimes() (times: *const libc::timeval) Changes;
    lutimes() (times: *const libc::timeval) ChangesEntry;
    futimesat(directory) (times: *const libc::timeval) Changes;
    utimensat(directory) (times: *const libc::timespec, flags: c_int) Changes;
    statfs() (about: *mut libc::statfs) Resolves;
    statfs64() (about: *mut libc::statfs64) Resolves;
    statvfs() (about: *mut libc::statvfs) Resolves;
    statvfs64() (about: *mut libc::statvfs64) Resolves;
    eaccess() (mode: c_int) Looks;
}

on_two_paths! {
    symlink(target: *const c_char, path: *const c_char) (libc::AT_FDCWD, path), (libc::AT_FDCWD, ptr::null());
    symlinkat(target: *const c_char, at: c_int, path: *const c_char) (at, path), (libc::AT_FDCWD, ptr::null());
}

/// Functions that are about a name and give something of their own, which is this where there is no such name.
macro_rules! resolving {
    ($($name:ident ($($argument:ident: $type:ty),*) -> $result:ty, $how:ident $place:expr, $none:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            let real = real!($name($($type),*) -> $result);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                match given(stringify!($name), $place, PathUse::$how) {
                    Given::Result(_) => $none,
                    _ => real($($argument),*),
                }
            }
        }
    )*};
}

resolving! {
    readlink(path: *const c_char, buffer: *mut c_char, size: usize) -> isize, ReadsLink (libc::AT_FDCWD, path), -1;
    readlinkat(at: c_int, path: *const c_char, buffer: *mut c_char, size: usize) -> isize, ReadsLink (at, path), -1;
    __readlink_chk(path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize,
        ReadsLink (libc::AT_FDCWD, path), -1;
    __readlinkat_chk(at: c_int, path: *const c_char, buffer: *mut c_char, size: usize, room: usize) -> isize,
        ReadsLink (at, path), -1;
    realpath(path: *const c_char, buffer: *mut c_char) -> *mut c_char,
        Resolves (libc::AT_FDCWD, path), ptr::null_mut();
    __realpath_chk(path: *const c_char, buffer: *mut c_char, room: usize) -> *mut c_char,
        Resolves (libc::AT_FDCWD, path), ptr::null_mut();
    canonicalize_file_name(path: *const c_char) -> *mut c_char, Resolves (libc::AT_FDCWD, path), ptr::null_mut();
    pathconf(path: *const c_char, name: c_int) -> c_long, Resolves (libc::AT_FDCWD, path), -1;
    ftw(path: *const c_char, visit: *const c_void, open: c_int) -> c_int, ListsBelow (libc::AT_FDCWD, path), -1;
    ftw64(path: *const c_char, visit: *const c_void, open: c_int) -> c_int, ListsBelow (libc::AT_FDCWD, path), -1;
    nftw(path: *const c_char, visit: *const c_void, open: c_int, flags: c_int) -> c_int,
        ListsBelow (libc::AT_FDCWD, path), -1;
    nftw64(path: *const c_char, visit: *const c_void, open: c_int, flags: c_int) -> c_int,
        ListsBelow (libc::AT_FDCWD, path), -1;
    scandirat(at: c_int, path: *const c_char, list: *mut c_void, filter: *const c_void, order: *const c_void) -> c_int,
        Lists (at, path), -1;
    scandirat64(at: c_int, path: *const c_char, list: *mut c_void, filter: *const c_void, order: *const c_void)
        -> c_int, Lists (at, path), -1;
}

/// Tells the library above that a rank looks for names of this pattern.
///
/// # Safety
/// By C's contract the pattern is a string.
unsafe fn note_pattern(function: &'static str, pattern: *const c_char) {
    if pattern.is_null() || !is_asked() {
        return;
    }
    // SAFETY: a string by C's contract.
    let pattern = unsafe { CStr::from_ptr(pattern) }.to_bytes();
    let before = errno();
    // One pattern of several words names several places.
    for word in pattern.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        (hooks().paths.used)(function, root_of(word), PathUse::ListsBelow);
    }
    set_errno(before);
}

/// The directory below which all names of a pattern are.
fn root_of(pattern: &[u8]) -> &Path {
    let plain = pattern.iter().position(|byte| b"*?[]{}~\\$`\"'()!".contains(byte)).unwrap_or(pattern.len());
    let directory = match pattern[..plain].iter().rposition(|byte| *byte == b'/') {
        Some(end) => &pattern[..=end],
        // The home of somebody, or what a variable says.
        None if pattern.get(plain).is_some_and(|byte| b"~$`\"'\\".contains(byte)) => b"/",
        None => b"./",
    };
    Path::new(OsStr::from_bytes(directory))
}

/// Functions that look for names of a pattern.
macro_rules! patterns {
    ($($name:ident ($($argument:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name(pattern: *const c_char, $($argument: $type),*) -> c_int {
            let real = real!($name(*const c_char, $($type),*) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                note_pattern(stringify!($name), pattern);
                real(pattern, $($argument),*)
            }
        }
    )*};
}

patterns! {
    glob(flags: c_int, error: *const c_void, found: *mut c_void);
    glob64(flags: c_int, error: *const c_void, found: *mut c_void);
    wordexp(found: *mut c_void, flags: c_int);
}

/// Functions that walk through directories, of which they get a list that ends with null.
macro_rules! walks {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name(paths: *const *const c_char, options: c_int, order: *const c_void) -> *mut c_void {
            let real = real!($name(*const *const c_char, c_int, *const c_void) -> *mut c_void);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments: a list up to null.
            unsafe {
                for place in (0..).map(|index| *paths.add(index)).take_while(|path| !path.is_null()) {
                    given(stringify!($name), (libc::AT_FDCWD, place), PathUse::ListsBelow);
                }
                real(paths, options, order)
            }
        }
    )*};
}

walks!(fts_open fts64_open);

/// Functions that make and open a file of a new name, which is in the template afterwards.
macro_rules! temporary {
    ($($name:ident ($($flags:ident: $type:ty)?);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name(template: *mut c_char $(, $flags: $type)?) -> c_int {
            let real = real!($name(*mut c_char $(, $type)?) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                let descriptor = real(template $(, $flags)?);
                super::paths::note_opened((libc::AT_FDCWD, template), PathUse::Writes, descriptor);
                descriptor
            }
        }
    )*};
}

temporary! {
    mkstemp();
    mkstemp64();
    mkostemp(flags: c_int);
    mkostemp64(flags: c_int);
}

/// Functions that programs for older versions of glibc call: the same with a number before that says how `struct stat`
/// looks (LSB 5.0 __xstat). There is one for each machine.
macro_rules! older {
    ($($name:ident $new:ident ($($argument:ident: $type:ty),*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        unsafe extern "C" fn $name(_version: c_int, $($argument: $type),*) -> c_int {
            // SAFETY: C's contract is that of the newer function.
            unsafe { super::paths::$new($($argument),*) }
        }
    )*};
}

older! {
    __xstat stat (path: *const c_char, buffer: *mut libc::stat);
    __xstat64 stat64 (path: *const c_char, buffer: *mut libc::stat64);
    __lxstat lstat (path: *const c_char, buffer: *mut libc::stat);
    __lxstat64 lstat64 (path: *const c_char, buffer: *mut libc::stat64);
    __fxstatat fstatat (at: c_int, path: *const c_char, buffer: *mut libc::stat, flags: c_int);
    __fxstatat64 fstatat64 (at: c_int, path: *const c_char, buffer: *mut libc::stat64, flags: c_int);
}

/// `openat` as it is called by programs compiled with checks (`_FORTIFY_SOURCE`).
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn __openat_2(at: c_int, path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as that of `openat` without a mode.
    unsafe { super::paths::openat(at, path, flags, 0) }
}

/// The same of `openat64`.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn __openat64_2(at: c_int, path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as that of `openat64` without a mode.
    unsafe { super::paths::openat64(at, path, flags, 0) }
}

/// The places of a call of the system, and what it does with them; none for calls that take no names.
fn named(number: c_long, [a, b, c, d]: [usize; 4]) -> [Option<(Place, PathUse)>; 2] {
    let here = |path: usize| (libc::AT_FDCWD, path as *const c_char);
    let at = |directory: usize, path: usize| (directory as c_int, path as *const c_char);
    let one = |place, how| [Some((place, how)), None];
    let two = |from, to| [Some((from, PathUse::ChangesEntry)), Some((to, PathUse::ChangesEntry))];
    let look = |flags: usize| super::paths::look(flags as c_int);
    #[cfg(target_arch = "x86_64")]
    match number {
        libc::SYS_stat | libc::SYS_access => return one(here(a), PathUse::Looks),
        libc::SYS_lstat => return one(here(a), PathUse::LooksAtEntry),
        libc::SYS_readlink => return one(here(a), PathUse::ReadsLink),
        libc::SYS_chmod | libc::SYS_chown | libc::SYS_utime | libc::SYS_utimes => {
            return one(here(a), PathUse::Changes);
        }
        libc::SYS_unlink | libc::SYS_mkdir | libc::SYS_rmdir | libc::SYS_mknod | libc::SYS_lchown => {
            return one(here(a), PathUse::ChangesEntry);
        }
        libc::SYS_rename | libc::SYS_link => return two(here(a), here(b)),
        libc::SYS_symlink => return one(here(b), PathUse::ChangesEntry),
        libc::SYS_futimesat => return one(at(a, b), PathUse::Changes),
        _ => {}
    }
    match number {
        libc::SYS_openat2 => one(at(a, b), PathUse::Changes),
        libc::SYS_newfstatat => one(at(a, b), look(d)),
        libc::SYS_statx => one(at(a, b), look(c)),
        libc::SYS_faccessat | libc::SYS_faccessat2 => one(at(a, b), PathUse::Looks),
        libc::SYS_readlinkat => one(at(a, b), PathUse::ReadsLink),
        libc::SYS_truncate => one(here(a), PathUse::Changes),
        libc::SYS_fchmodat | libc::SYS_fchownat | libc::SYS_utimensat => one(at(a, b), PathUse::Changes),
        libc::SYS_unlinkat | libc::SYS_mkdirat | libc::SYS_mknodat => one(at(a, b), PathUse::ChangesEntry),
        libc::SYS_renameat | libc::SYS_renameat2 | libc::SYS_linkat => two(at(a, b), at(c, d)),
        libc::SYS_symlinkat => one(at(b, c), PathUse::ChangesEntry),
        libc::SYS_statfs => one(here(a), PathUse::Resolves),
        libc::SYS_name_to_handle_at => one(at(a, b), PathUse::Changes),
        _ => [None, None],
    }
}

/// `syscall`: with a name of a file it uses the disk, and the library above is told if that has another one.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    let real = real!(syscall(c_long, usize, usize, usize, usize, usize, usize) -> c_long);
    if let Some(record) = state::current() {
        match number {
            libc::SYS_exit => threads::exit_thread(record, a as c_int),
            libc::SYS_exit_group => exit::leave_now(record, a as c_int),
            _ => {}
        }
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function; those that it did not pass are
    // not used. Names are strings. What opens and closes is as libc's function for it.
    unsafe {
        if verification::is_on() {
            #[cfg(target_arch = "x86_64")]
            match number {
                libc::SYS_open => return super::paths::open(a as *const c_char, b as c_int, c as _).into(),
                libc::SYS_creat => return super::paths::creat(a as *const c_char, b as _).into(),
                _ => {}
            }
            match number {
                libc::SYS_openat => {
                    return super::paths::openat(a as c_int, b as *const c_char, c as c_int, d as _).into();
                }
                libc::SYS_close => return close(a as c_int).into(),
                _ => {}
            }
            for (place, how) in named(number, [a, b, c, d]).into_iter().flatten() {
                note_on_disk("syscall", place, how);
            }
        }
        let result = real(number, a, b, c, d, e, f);
        if number == libc::SYS_openat2 {
            super::paths::note_opened((a as c_int, b as *const c_char), PathUse::Writes, result as c_int);
        }
        result
    }
}

/// Whether a descriptor is the explorer's, so that ranks have none of this number.
fn is_explorers(descriptor: c_int) -> bool {
    verification::is_on() && state::caller().is_some() && is_hidden(descriptor)
}

/// `close` of a program.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    if is_explorers(descriptor) {
        return refuse(libc::EBADF);
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { super::paths::close(descriptor) }
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
    for descriptor in open_descriptors().into_iter().filter(wanted) {
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

/// Tells the library above that a rank uses what the disk has for a name, whatever MPI has changed.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn note_on_disk(function: &'static str, place: Place, how: PathUse) {
    let changes = if how.is_of_entry() { PathUse::ChangesEntry } else { PathUse::Changes };
    // SAFETY: what this function demands.
    unsafe {
        if !matches!(given(function, place, how), Given::System) {
            given(function, place, changes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_below_what_they_begin_with() {
        for (pattern, root) in
            [("*.dat", "./"), ("a/b*/c", "a/"), ("/x/y.dat", "/x/"), ("~/a*", "/"), ("$X/a", "/"), ("a?", "./")]
        {
            assert_eq!(root_of(pattern.as_bytes()), Path::new(root), "{pattern}");
        }
    }
}

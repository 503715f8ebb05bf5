//! Functions of libc that take names of files and open none: as those of [`super::paths`], which they use.
//!
//! Those that other libraries call (libstdc++ for `std::filesystem`, libgfortran) are exported in libc's place; the
//! others ([`REPLACED`]) are what programs get. Where a function cannot show what ranks have changed, it uses the disk,
//! which is noted. Source: POSIX.1-2017, and the manual pages of Linux for what it lacks.

use crate::contract::{Table, refuse, room, set_errno};
use crate::hooks::PathUse;
use crate::overlay::{self, Way};
use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::AtomicPtr;

use super::malloc;
use super::paths::{Act, Given, behind, given, is_asked, on_files, on_one_path, on_path, real};

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[
    ("scandirat", scandirat as *const ()),
    ("scandirat64", scandirat64 as *const ()),
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
    ("futimes", futimes as *const ()),
    ("setxattr", setxattr as *const ()),
    ("lsetxattr", lsetxattr as *const ()),
    ("removexattr", removexattr as *const ()),
    ("lremovexattr", lremovexattr as *const ()),
    ("getwd", getwd as *const ()),
    ("get_current_dir_name", get_current_dir_name as *const ()),
];

/// What is changed with these flags.
fn change(flags: c_int) -> Act {
    if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { Act::ChangeEntry } else { Act::Change }
}

on_one_path! {
    mkdir() (mode: libc::mode_t) ChangesEntry Act::MakeDirectory;
    mkdirat(directory) (mode: libc::mode_t) ChangesEntry Act::MakeDirectory;
    mknod() (mode: libc::mode_t, device: libc::dev_t) ChangesEntry Act::Make;
    mknodat(directory) (mode: libc::mode_t, device: libc::dev_t) ChangesEntry Act::Make;
    mkfifo() (mode: libc::mode_t) ChangesEntry Act::Make;
    mkfifoat(directory) (mode: libc::mode_t) ChangesEntry Act::Make;
    chmod() (mode: libc::mode_t) Changes Act::Change;
    fchmodat(directory) (mode: libc::mode_t, flags: c_int) Changes change(flags);
    chown() (user: libc::uid_t, group: libc::gid_t) Changes Act::Change;
    lchown() (user: libc::uid_t, group: libc::gid_t) ChangesEntry Act::ChangeEntry;
    utime() (times: *const libc::utimbuf) Changes Act::Change;
    utimes() (times: *const libc::timeval) Changes Act::Change;
    lutimes() (times: *const libc::timeval) ChangesEntry Act::ChangeEntry;
    futimesat(directory) (times: *const libc::timeval) Changes Act::Change;
    setxattr() (name: *const c_char, value: *const c_void, size: usize, flags: c_int) Changes Act::Change;
    lsetxattr() (name: *const c_char, value: *const c_void, size: usize, flags: c_int) ChangesEntry Act::ChangeEntry;
    removexattr() (name: *const c_char) Changes Act::Change;
    lremovexattr() (name: *const c_char) ChangesEntry Act::ChangeEntry;
    statfs() (about: *mut libc::statfs) Resolves Act::Look;
    statfs64() (about: *mut libc::statfs64) Resolves Act::Look;
    statvfs() (about: *mut libc::statvfs) Resolves Act::Look;
    statvfs64() (about: *mut libc::statvfs64) Resolves Act::Look;
    eaccess() (mode: c_int) Looks Act::Look;
}

/// Functions that make a link, which says whatever it is to say.
macro_rules! links {
    ($($name:ident ($($at:ident)?);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(target: *const c_char $(, $at: c_int)?, path: *const c_char) -> c_int {
            let real = real!($name(*const c_char $(, on_one_path!(@type $at))?, *const c_char) -> c_int);
            let place = on_one_path!(@place path $($at)?);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                on_path(stringify!($name), place, (PathUse::ChangesEntry, Act::Make), |place| {
                    real(target $(, links!(@first place $at))?, place.1)
                })
            }
        }
    )*};
    (@first $place:ident $at:ident) => { $place.0 };
}

links! {
    symlink();
    symlinkat(at);
}

/// Changes what is said of an open file: by its name, if it has one, since what is open may be what the disk has.
fn on_descriptor(descriptor: c_int, call: impl FnOnce(Option<&CStr>) -> c_int) -> c_int {
    if !is_asked() {
        return call(None);
    }
    let place = overlay::with(|files| overlay::place_to_change(files, descriptor)).flatten();
    match place {
        None => call(None),
        Some(Ok(place)) => call(CString::new(place.as_os_str().as_bytes()).ok().as_deref()),
        Some(Err(error)) => refuse(error),
    }
}

/// Functions that change what is said of an open file, and those that do by a name.
macro_rules! on_descriptors {
    ($($name:ident ($($argument:ident: $type:ty),*) $by_name:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(descriptor: c_int $(, $argument: $type)*) -> c_int {
            let real = real!($name(c_int $(, $type)*) -> c_int);
            let by_name = $by_name;
            on_descriptor(descriptor, |place| match place {
                // SAFETY: the arguments of the caller, whose contract is that of libc's functions, and a valid path.
                Some(place) => unsafe { by_name(place.as_ptr() $(, $argument)*) },
                // SAFETY: the same.
                None => unsafe { real(descriptor $(, $argument)*) },
            })
        }
    )*};
}

on_descriptors! {
    fchmod(mode: libc::mode_t) real!(chmod(*const c_char, libc::mode_t) -> c_int);
    fchown(user: libc::uid_t, group: libc::gid_t) real!(chown(*const c_char, libc::uid_t, libc::gid_t) -> c_int);
    futimes(times: *const libc::timeval) real!(utimes(*const c_char, *const libc::timeval) -> c_int);
}

/// `fchownat`: with no name it is about the open file.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn fchownat(
    directory: c_int,
    path: *const c_char,
    user: libc::uid_t,
    group: libc::gid_t,
    flags: c_int,
) -> c_int {
    let real = real!(fchownat(c_int, *const c_char, libc::uid_t, libc::gid_t, c_int) -> c_int);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
    unsafe {
        if flags & libc::AT_EMPTY_PATH != 0 && !path.is_null() && *path == 0 && directory != libc::AT_FDCWD {
            return fchown(directory, user, group);
        }
        on_path("fchownat", (directory, path), change(flags).with(PathUse::Changes), |(directory, path)| {
            real(directory, path, user, group, flags)
        })
    }
}

/// `utimensat`: with null it is about the open file.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn utimensat(
    directory: c_int,
    path: *const c_char,
    times: *const libc::timespec,
    flags: c_int,
) -> c_int {
    let real = real!(utimensat(c_int, *const c_char, *const libc::timespec, c_int) -> c_int);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
    unsafe {
        if path.is_null() {
            return futimens(directory, times);
        }
        on_path("utimensat", (directory, path), change(flags).with(PathUse::Changes), |(directory, path)| {
            real(directory, path, times, flags)
        })
    }
}

/// `futimens`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn futimens(descriptor: c_int, times: *const libc::timespec) -> c_int {
    let real = real!(futimens(c_int, *const libc::timespec) -> c_int);
    let by_name = real!(utimensat(c_int, *const c_char, *const libc::timespec, c_int) -> c_int);
    on_descriptor(descriptor, |place| match place {
        // SAFETY: the arguments of the caller, whose contract is that of libc's functions, and a valid path.
        Some(place) => unsafe { by_name(libc::AT_FDCWD, place.as_ptr(), times, 0) },
        // SAFETY: the same.
        None => unsafe { real(descriptor, times) },
    })
}

/// Functions that are about a name and give something of their own: which argument is the name, where it begins if
/// they say so, and what they give where there is no such name.
macro_rules! resolving {
    ($($name:ident ($($at:ident)?) ($($argument:ident: $type:ty),*) -> $result:ty, $how:ident $act:expr, $none:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($($at: c_int,)? path: *const c_char $(, $argument: $type)*) -> $result {
            let real = real!($name($(on_one_path!(@type $at),)? *const c_char $(, $type)*) -> $result);
            let place = on_one_path!(@place path $($at)?);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                match given(stringify!($name), place, PathUse::$how, $act) {
                    Given::System => on_one_path!(@call real place ($($at)?) $($argument)*),
                    Given::Instead(name, _) => {
                        let place = (libc::AT_FDCWD, name.as_ptr());
                        on_one_path!(@call real place ($($at)?) $($argument)*)
                    }
                    Given::Fails => $none,
                }
            }
        }
    )*};
}

resolving! {
    readlink() (buffer: *mut c_char, size: usize) -> isize, ReadsLink Act::LookAtEntry, -1;
    readlinkat(at) (buffer: *mut c_char, size: usize) -> isize, ReadsLink Act::LookAtEntry, -1;
    __readlink_chk() (buffer: *mut c_char, size: usize, room: usize) -> isize, ReadsLink Act::LookAtEntry, -1;
    __readlinkat_chk(at) (buffer: *mut c_char, size: usize, room: usize) -> isize, ReadsLink Act::LookAtEntry, -1;
    pathconf() (name: c_int) -> c_long, Resolves Act::Look, -1;
    scandirat(at) (list: *mut c_void, filter: *const c_void, order: *const c_void) -> c_int, Lists Act::List, -1;
    scandirat64(at) (list: *mut c_void, filter: *const c_void, order: *const c_void) -> c_int, Lists Act::List, -1;
}

/// The one name of a path of a rank. `None` where the system finds it as well.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn resolved(function: &'static str, path: *const c_char) -> Option<Result<PathBuf, c_int>> {
    // SAFETY: what this function demands.
    let found = unsafe {
        on_files(function, (libc::AT_FDCWD, path), PathUse::Resolves, |files, from, path| {
            if files.are_untouched() && !overlay::is_away(files) {
                return Ok(None);
            }
            match files.way(from, path, true)? {
                Way::Elsewhere => Ok(None),
                Way::To(_, what) if what.kind().is_none() => Err(libc::ENOENT),
                Way::To(name, _) => Ok(Some(name)),
            }
        })
    };
    found?.transpose()
}

/// Gives a path in the caller's buffer, or in a block of its own; null with `ERANGE` where there is no room.
///
/// # Safety
/// By C's contract there is room for `size` bytes, if the buffer is not null.
unsafe fn give(path: &Path, buffer: *mut c_char, size: Option<usize>) -> *mut c_char {
    let bytes = path.as_os_str().as_bytes();
    let len = bytes.len() + 1;
    if size.is_some_and(|size| len > size) {
        set_errno(libc::ERANGE);
        return ptr::null_mut();
    }
    let buffer = match buffer.is_null() {
        // SAFETY: a size that is not zero.
        true => unsafe { malloc::malloc(size.unwrap_or(len)) }.cast(),
        false => buffer,
    };
    if !buffer.is_null() {
        // SAFETY: a new block of at least that many bytes, or the caller's buffer, which has them.
        let place = unsafe { room(buffer.cast(), len) };
        place[..len - 1].copy_from_slice(bytes);
        place[len - 1] = 0;
    }
    buffer
}

/// Functions that give the one name of a path.
macro_rules! one_name {
    ($($name:ident ($($argument:ident: $type:ty),*) $buffer:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(path: *const c_char $(, $argument: $type)*) -> *mut c_char {
            let real = real!($name(*const c_char $(, $type)*) -> *mut c_char);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments. A buffer has room for
            // any path.
            unsafe {
                match resolved(stringify!($name), path) {
                    None => real(path $(, $argument)*),
                    Some(Ok(name)) => give(&name, $buffer, None),
                    Some(Err(error)) => {
                        set_errno(error);
                        ptr::null_mut()
                    }
                }
            }
        }
    )*};
}

one_name! {
    realpath(buffer: *mut c_char) buffer;
    __realpath_chk(buffer: *mut c_char, room: usize) buffer;
    canonicalize_file_name() ptr::null_mut();
}

/// The working directory of a rank. `None` where the system knows it by the same name.
fn working_directory() -> Option<Result<PathBuf, c_int>> {
    if !is_asked() {
        return None;
    }
    overlay::with(|files| overlay::is_away(files).then(|| overlay::here(files))).flatten()
}

/// Functions that give the working directory, with the size of the buffer, if there is one: 0 says that there is none.
macro_rules! working_directories {
    ($($name:ident ($($argument:ident: $type:ty),*) $buffer:expr, $size:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($($argument: $type),*) -> *mut c_char {
            let real = real!($name($($type),*) -> *mut c_char);
            let (buffer, size): (*mut c_char, usize) = ($buffer, $size);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                match working_directory() {
                    None => real($($argument),*),
                    Some(Ok(_)) if size == 0 && !buffer.is_null() => {
                        set_errno(libc::EINVAL);
                        ptr::null_mut()
                    }
                    Some(Ok(name)) => give(&name, buffer, (size > 0).then_some(size)),
                    Some(Err(error)) => {
                        set_errno(error);
                        ptr::null_mut()
                    }
                }
            }
        }
    )*};
}

working_directories! {
    getcwd(buffer: *mut c_char, size: usize) buffer, size;
    getwd(buffer: *mut c_char) buffer, libc::PATH_MAX as usize;
    get_current_dir_name() ptr::null_mut(), 0;
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

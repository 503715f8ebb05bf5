//! Functions of libc that take names of files: under the checker, files that MPI has changed are not on the disk, so
//! the library above is asked what a rank finds there ([`crate::hooks::Paths`]).
//!
//! They are exported in libc's place, because libstdc++ and libgfortran call them, too. Wherever there is no checker,
//! and for whoever is no rank, they are libc's. A rank that reads such a file gets a file without a name that has its
//! contents. Source: POSIX.1-2017, and the manual pages of Linux for what it lacks.

use crate::contract::{errno, refuse, set_errno};
use crate::hooks::{PathAnswer, PathUse, hooks};
use crate::{keys, state, verification};
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where a path begins, and the path.
pub(super) type Place = (c_int, *const c_char);

/// libc's function of a name, of this form.
macro_rules! real {
    ($name:ident($($type:ty),*) -> $result:ty) => {{
        static FOUND: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
        let found = behind(&FOUND, stringify!($name));
        // SAFETY: libc's function of this name has this form; where there is none, an option of null is none.
        match unsafe { std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($type),*) -> $result>>(found) } {
            Some(real) => real,
            None => panic!("libc has no {}", stringify!($name)),
        }
    }};
}
pub(super) use real;

/// Names of functions that are looked for before the first rank runs: to look for one later would take away from a
/// rank what its `dlerror` is to say.
const LOOKED_FOR: &str = "
    __readlink_chk __readlinkat_chk __realpath_chk access canonicalize_file_name chmod chown close closedir eaccess
    euidaccess faccessat fchmodat fchownat fclose fopen fopen64 freopen freopen64 fstatat fstatat64 fts64_open
    fts_open ftw ftw64 futimesat glob glob64 lchown link linkat lutimes mkdir mkdirat mkfifo mkfifoat mknod mknodat
    mkostemp mkostemp64 mkstemp mkstemp64 nftw nftw64 open open64 openat openat64 opendir pathconf readlink readlinkat
    realpath remove rename renameat renameat2 rmdir scandir scandir64 scandirat scandirat64 stat stat64 statfs
    statfs64 statvfs statvfs64 statx symlink symlinkat syscall truncate truncate64 unlink unlinkat utime utimensat
    utimes wordexp fputwc fgetwc ungetwc
";

static KNOWN: OnceLock<Vec<(&'static str, usize)>> = OnceLock::new();

/// Looks for libc's functions behind those that are here, in [`super::names`] and in [`super::keepers`].
pub fn prepare() {
    let names = || LOOKED_FOR.split_whitespace().chain(super::keepers::names());
    KNOWN.get_or_init(|| names().map(|name| (name, next(name))).collect());
}

/// The function of this name in the libraries after this one; 0 where there is none.
fn next(name: &str) -> usize {
    // SAFETY: a null-terminated name; RTLD_NEXT is relative to this library.
    CString::new(name).map_or(0, |name| unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) }.addr())
}

/// The function of this name in the libraries after this one, null where there is none.
pub(super) fn behind(found: &AtomicPtr<c_void>, name: &'static str) -> *mut c_void {
    let address = found.load(Ordering::Relaxed);
    if !address.is_null() {
        return address;
    }
    let known = KNOWN.get().and_then(|known| known.iter().find(|one| one.0 == name));
    let address = ptr::with_exposed_provenance_mut(known.map_or_else(|| next(name), |known| known.1));
    found.store(address, Ordering::Relaxed);
    address
}

/// The path that a caller means, from the working directory or the root on; `None` where there is none.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn path_of((directory, path): Place) -> Option<PathBuf> {
    if path.is_null() {
        return None;
    }
    // SAFETY: a string by C's contract.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
    if path.as_os_str().is_empty() {
        return None;
    }
    let from = if directory == libc::AT_FDCWD { PathBuf::new() } else { format!("/proc/self/fd/{directory}").into() };
    Some(from.join(path))
}

/// Whether a rank calls, under the checker.
pub(super) fn is_asked() -> bool {
    if !verification::is_on() {
        return false;
    }
    if keys::thread_owner().is_some() {
        verification::note_uncontrolled(
            "a thread of a rank used files by their names, and not as MPI has changed them",
        );
        return false;
    }
    state::caller().is_some()
}

/// What a rank gets for a name.
pub(super) enum Given {
    /// What the system has.
    System,
    /// The file of this name, which is there as long as it is open.
    Instead(CString, OwnedFd),
    /// This result, 0 or −1.
    Result(c_int),
}

/// Tells the library above that a rank uses a name, and gives what the rank gets for it.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn given(function: &'static str, place: Place, how: PathUse) -> Given {
    if !is_asked() {
        return Given::System;
    }
    // SAFETY: what this function demands.
    let Some(path) = (unsafe { path_of(place) }) else { return Given::System };
    let before = errno();
    let answer = (hooks().paths.used)(function, &path, how);
    set_errno(before);
    match answer {
        PathAnswer::System => Given::System,
        PathAnswer::Instead(file) => {
            let name = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap_or_default();
            Given::Instead(name, file)
        }
        PathAnswer::Done => Given::Result(0),
        PathAnswer::Fails(error) => Given::Result(refuse(error)),
    }
}

/// Runs a function of libc for what the rank gets for a name. The second argument of `call` says whether that is
/// another file than the system has.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn on_path(
    function: &'static str,
    place: Place,
    how: PathUse,
    call: impl FnOnce(Place, bool) -> c_int,
) -> c_int {
    // SAFETY: what this function demands.
    match unsafe { given(function, place, how) } {
        Given::System => call(place, false),
        Given::Instead(name, file) => {
            let result = call((libc::AT_FDCWD, name.as_ptr()), true);
            drop_quietly(file);
            result
        }
        Given::Result(result) => result,
    }
}

/// Closes a file without a trace in `errno`.
fn drop_quietly(file: OwnedFd) {
    let before = errno();
    drop(file);
    set_errno(before);
}

/// Tells the library above that a rank has opened a path.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn note_opened(place: Place, how: PathUse, descriptor: c_int) {
    if descriptor < 0 || !is_asked() {
        return;
    }
    // SAFETY: what this function demands.
    if let Some(path) = unsafe { path_of(place) } {
        let before = errno();
        (hooks().paths.opened)(&path, how, descriptor);
        set_errno(before);
    }
}

/// What a file is opened for, by the flags of `open`.
fn use_of(flags: c_int) -> PathUse {
    let is_changed = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_TRUNC | libc::O_CREAT) != 0;
    match (is_changed, flags & libc::O_DIRECTORY != 0) {
        (_, true) => PathUse::Lists,
        (true, false) => PathUse::Writes,
        (false, false) => PathUse::Reads,
    }
}

/// The functions that open by flags, with the name that they have in messages.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn open_by_flags(
    function: &'static str,
    place: Place,
    flags: c_int,
    call: impl FnOnce(Place, c_int) -> c_int,
) -> c_int {
    let how = use_of(flags);
    let call = |place, is_other| {
        // What a rank gets instead has a name that is a link.
        let flags = if is_other { flags & !libc::O_NOFOLLOW } else { flags };
        call(place, flags)
    };
    // SAFETY: what this function demands.
    unsafe {
        let descriptor = on_path(function, place, how, call);
        note_opened(place, how, descriptor);
        descriptor
    }
}

/// Functions that open by flags. The last argument is one that C's callers may leave out: then it is anything.
macro_rules! opening {
    ($($name:ident $shown:literal ($($directory:ident)?);)*) => {$(
        #[doc = concat!("`", $shown, "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            $($directory: c_int,)?
            path: *const c_char,
            flags: c_int,
            mode: libc::mode_t,
        ) -> c_int {
            let place = opening!(@place path $($directory)?);
            let real = real!($name($(opening!(@type $directory),)? *const c_char, c_int, libc::mode_t) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                open_by_flags($shown, place, flags, |place, flags| opening!(@call real place flags mode $($directory)?))
            }
        }
    )*};
    (@type $directory:ident) => { c_int };
    (@place $path:ident) => { (libc::AT_FDCWD, $path) };
    (@place $path:ident $directory:ident) => { ($directory, $path) };
    (@call $real:ident $place:ident $flags:ident $mode:ident) => { $real($place.1, $flags, $mode) };
    (@call $real:ident $place:ident $flags:ident $mode:ident $directory:ident) => {
        $real($place.0, $place.1, $flags, $mode)
    };
}

opening! {
    open "open" ();
    open64 "open" ();
    openat "openat" (directory);
    openat64 "openat" (directory);
}

/// `open` as it is called by programs compiled with checks (`_FORTIFY_SOURCE`).
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn __open_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as that of `open` without a mode.
    unsafe { open(path, flags, 0) }
}

/// The same of `open64`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn __open64_2(path: *const c_char, flags: c_int) -> c_int {
    // SAFETY: as that of `open64` without a mode.
    unsafe { open64(path, flags, 0) }
}

/// `creat`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn creat(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: it is `open` with these flags.
    unsafe { open(path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
}

/// `creat64`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn creat64(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: it is `open64` with these flags.
    unsafe { open64(path, libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC, mode) }
}

/// What a file is opened for, by the mode of `fopen`.
///
/// # Safety
/// By C's contract `mode` is a string.
unsafe fn use_of_mode(mode: *const c_char) -> PathUse {
    // SAFETY: a string by C's contract.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    if mode.starts_with(b"r") && !mode.contains(&b'+') { PathUse::Reads } else { PathUse::Writes }
}

/// The functions that open streams.
///
/// # Safety
/// By C's contract the path is a string or null, and the mode a string.
unsafe fn open_stream(
    function: &'static str,
    path: *const c_char,
    mode: *const c_char,
    call: impl FnOnce(*const c_char) -> *mut libc::FILE,
) -> *mut libc::FILE {
    let place = (libc::AT_FDCWD, path);
    // SAFETY: what this function demands; a stream that libc has opened.
    unsafe {
        let how = use_of_mode(mode);
        let stream = match given(function, place, how) {
            Given::System => call(path),
            Given::Instead(name, file) => {
                let stream = call(name.as_ptr());
                drop_quietly(file);
                stream
            }
            Given::Result(_) => ptr::null_mut(),
        };
        if !stream.is_null() && verification::is_on() {
            note_opened(place, how, libc::fileno(stream));
        }
        stream
    }
}

/// Functions that open streams.
macro_rules! streams {
    ($($name:ident $shown:literal ($($old:ident)?);)*) => {$(
        #[doc = concat!("`", $shown, "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            path: *const c_char,
            mode: *const c_char,
            $($old: *mut libc::FILE,)?
        ) -> *mut libc::FILE {
            let real =
                real!($name(*const c_char, *const c_char $(, streams!(@type $old))?) -> *mut libc::FILE);
            // What `freopen` closes it has written before it opens the next one, and that may be the same file.
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                $(
                    libc::fflush($old);
                    closing(|| descriptor_of($old), || ());
                )?
                open_stream($shown, path, mode, |path| real(path, mode $(, $old)?))
            }
        }
    )*};
    (@type $old:ident) => { *mut libc::FILE };
}

streams! {
    fopen "fopen" ();
    fopen64 "fopen" ();
    freopen "freopen" (stream);
    freopen64 "freopen" (stream);
}

/// Runs a function that closes a descriptor, of which the library above is told.
fn closing<R>(descriptor: impl FnOnce() -> c_int, close: impl FnOnce() -> R) -> R {
    if !verification::is_on() || state::caller().is_none() {
        return close();
    }
    let before = errno();
    let is_known = (hooks().paths.closes)(descriptor());
    set_errno(before);
    let result = close();
    if is_known {
        let after = errno();
        (hooks().paths.closed)();
        set_errno(after);
    }
    result
}

/// The descriptor of a stream.
///
/// # Safety
/// By C's contract the stream is open, or null.
unsafe fn descriptor_of(stream: *mut libc::FILE) -> c_int {
    // SAFETY: an open stream.
    if stream.is_null() { -1 } else { unsafe { libc::fileno(stream) } }
}

/// `close`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    let real = real!(close(c_int) -> c_int);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    closing(|| descriptor, || unsafe { real(descriptor) })
}

/// `fclose`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    let real = real!(fclose(*mut libc::FILE) -> c_int);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    closing(|| unsafe { descriptor_of(stream) }, || unsafe { real(stream) })
}

/// Functions that use one path without opening it: where it begins, if they say so, and what follows it.
macro_rules! on_one_path {
    ($($name:ident ($($directory:ident)?) ($($argument:ident: $type:ty),*) $how:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            $($directory: c_int,)?
            path: *const c_char
            $(, $argument: $type)*
        ) -> c_int {
            let place = on_one_path!(@place path $($directory)?);
            let real = real!($name($(on_one_path!(@type $directory),)? *const c_char $(, $type)*) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                on_path(stringify!($name), place, PathUse::$how, |place, _| {
                    on_one_path!(@call real place ($($directory)?) $($argument)*)
                })
            }
        }
    )*};
    (@type $directory:ident) => { c_int };
    (@place $path:ident) => { (libc::AT_FDCWD, $path) };
    (@place $path:ident $directory:ident) => { ($directory, $path) };
    (@call $real:ident $place:ident () $($argument:ident)*) => { $real($place.1 $(, $argument)*) };
    (@call $real:ident $place:ident ($directory:ident) $($argument:ident)*) => {
        $real($place.0, $place.1 $(, $argument)*)
    };
}

pub(super) use on_one_path;

on_one_path! {
    stat() (buffer: *mut libc::stat) Looks;
    stat64() (buffer: *mut libc::stat64) Looks;
    access() (mode: c_int) Looks;
    euidaccess() (mode: c_int) Looks;
    faccessat(directory) (mode: c_int, flags: c_int) Looks;
    truncate() (size: libc::off_t) Changes;
    truncate64() (size: libc::off64_t) Changes;
    unlink() () Removes;
    unlinkat(directory) (flags: c_int) Removes;
    remove() () Removes;
}

/// What is asked about with these flags.
pub(super) fn look(flags: c_int) -> PathUse {
    if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { PathUse::LooksAtEntry } else { PathUse::Looks }
}

/// Functions that may look at a link: what a rank gets instead has a name that is one, which is followed.
macro_rules! maybe_links {
    ($($name:ident ($buffer:ty);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            directory: c_int,
            path: *const c_char,
            buffer: *mut $buffer,
            flags: c_int,
        ) -> c_int {
            let real = real!($name(c_int, *const c_char, *mut $buffer, c_int) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
            unsafe {
                on_path(stringify!($name), (directory, path), look(flags), |(directory, path), is_other| {
                    let flags = if is_other { flags & !libc::AT_SYMLINK_NOFOLLOW } else { flags };
                    real(directory, path, buffer, flags)
                })
            }
        }
    )*};
}

maybe_links! {
    fstatat(libc::stat);
    fstatat64(libc::stat64);
}

/// `lstat`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn lstat(path: *const c_char, buffer: *mut libc::stat) -> c_int {
    // SAFETY: it is `fstatat` with these arguments.
    unsafe { fstatat(libc::AT_FDCWD, path, buffer, libc::AT_SYMLINK_NOFOLLOW) }
}

/// `lstat64`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn lstat64(path: *const c_char, buffer: *mut libc::stat64) -> c_int {
    // SAFETY: it is `fstatat64` with these arguments.
    unsafe { fstatat64(libc::AT_FDCWD, path, buffer, libc::AT_SYMLINK_NOFOLLOW) }
}

/// `statx`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn statx(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mask: c_uint,
    buffer: *mut libc::statx,
) -> c_int {
    let real = real!(statx(c_int, *const c_char, c_int, c_uint, *mut libc::statx) -> c_int);
    // SAFETY: C's contract is that of libc's function, which gets the same arguments, or a path of ours.
    unsafe {
        on_path("statx", (directory, path), look(flags), |(directory, path), is_other| {
            let flags = if is_other { flags & !libc::AT_SYMLINK_NOFOLLOW } else { flags };
            real(directory, path, flags, mask, buffer)
        })
    }
}

/// Tells the library above that a rank changes two names; what it gets is what the system has.
///
/// # Safety
/// By C's contract the paths are strings or null.
pub(super) unsafe fn note_both(function: &'static str, from: Place, to: Place) {
    for place in [from, to] {
        // SAFETY: what this function demands.
        if let Given::Instead(_, file) = unsafe { given(function, place, PathUse::ChangesEntry) } {
            drop_quietly(file);
        }
    }
}

/// Functions with two paths.
macro_rules! on_two_paths {
    ($($name:ident ($($argument:ident: $type:ty),*) $from:expr, $to:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let real = real!($name($($type),*) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                note_both(stringify!($name), $from, $to);
                real($($argument),*)
            }
        }
    )*};
}

pub(super) use on_two_paths;

on_two_paths! {
    rename(from: *const c_char, to: *const c_char) (libc::AT_FDCWD, from), (libc::AT_FDCWD, to);
    link(from: *const c_char, to: *const c_char) (libc::AT_FDCWD, from), (libc::AT_FDCWD, to);
    renameat(at: c_int, from: *const c_char, there: c_int, to: *const c_char) (at, from), (there, to);
    renameat2(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_uint) (at, from), (there, to);
    linkat(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_int) (at, from), (there, to);
}

/// `opendir`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    let real = real!(opendir(*const c_char) -> *mut libc::DIR);
    let place = (libc::AT_FDCWD, path);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function. Nobody gets another directory.
    unsafe {
        given("opendir", place, PathUse::Lists);
        let directory = real(path);
        if !directory.is_null() && verification::is_on() {
            note_opened(place, PathUse::Lists, libc::dirfd(directory));
        }
        directory
    }
}

/// `closedir`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn closedir(directory: *mut libc::DIR) -> c_int {
    let real = real!(closedir(*mut libc::DIR) -> c_int);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function: an open directory.
    closing(|| unsafe { libc::dirfd(directory) }, || unsafe { real(directory) })
}

/// Functions that list a directory at once.
macro_rules! listing {
    ($($name:ident)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            path: *const c_char,
            list: *mut c_void,
            filter: *const c_void,
            order: *const c_void,
        ) -> c_int {
            let real = real!($name(*const c_char, *mut c_void, *const c_void, *const c_void) -> c_int);
            // SAFETY: the arguments of the caller, whose contract is that of libc's function. Nobody gets another
            // directory.
            unsafe {
                given(stringify!($name), (libc::AT_FDCWD, path), PathUse::Lists);
                real(path, list, filter, order)
            }
        }
    )*};
}

listing!(scandir scandir64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_modes_tell_what_a_file_is_opened_for() {
        assert_eq!(use_of(libc::O_RDONLY | libc::O_CLOEXEC), PathUse::Reads);
        assert_eq!(use_of(libc::O_RDWR), PathUse::Writes);
        assert_eq!(use_of(libc::O_RDONLY | libc::O_CREAT), PathUse::Writes);
        assert_eq!(use_of(libc::O_RDONLY | libc::O_DIRECTORY), PathUse::Lists);
        // SAFETY: strings.
        let of = |mode: &CStr| unsafe { use_of_mode(mode.as_ptr()) };
        assert_eq!(
            [of(c"rb"), of(c"r+"), of(c"a"), of(c"w")].map(|how| how == PathUse::Reads),
            [true, false, false, false]
        );
    }

    #[test]
    fn what_programs_get_is_looked_for_early() {
        // These call functions of other names.
        let others = ["__xstat", "__lxstat", "__fxstatat", "__openat"];
        let early: Vec<&str> = LOOKED_FOR.split_whitespace().collect();
        for (name, _) in crate::calls::names::REPLACED {
            assert!(early.contains(name) || others.iter().any(|other| name.starts_with(other)), "{name}");
        }
        assert!(early.iter().all(|name| next(name) != 0));
    }

    #[test]
    fn whoever_is_no_rank_gets_libcs_functions() {
        let path = CString::new(format!("/tmp/smpi-paths-{}", std::process::id())).unwrap();
        // SAFETY: valid strings, and places of this function.
        unsafe {
            let descriptor = creat(path.as_ptr(), 0o600);
            assert!(descriptor >= 0 && close(descriptor) == 0);
            let mut about: libc::stat = std::mem::zeroed();
            assert_eq!((lstat(path.as_ptr(), &mut about), about.st_size), (0, 0));
            let stream = fopen(path.as_ptr(), c"r".as_ptr());
            assert!(!stream.is_null() && fclose(stream) == 0);
            assert_eq!((unlink(path.as_ptr()), access(path.as_ptr(), libc::F_OK)), (0, -1));
            assert_eq!(errno(), libc::ENOENT);
        }
    }
}

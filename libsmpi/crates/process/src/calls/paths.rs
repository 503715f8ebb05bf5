//! Functions of libc that take names of files: under the checker, ranks find the files that are theirs
//! ([`crate::overlay`]), and the library above is told what they do with them ([`crate::hooks::Paths`]).
//!
//! They are exported in libc's place, because libstdc++ and libgfortran call them, too. Wherever there is no checker,
//! and for whoever is no rank, they are libc's. Otherwise libc's function is called for the place where the file is.
//! Source: POSIX.1-2017, and the manual pages of Linux for what it lacks.

use crate::contract::{errno, refuse, set_errno};
use crate::hooks::{PathUse, hooks};
use crate::overlay::{self, Files, Fresh, Needs, Removes, Target, Way};
use crate::{descriptors, keys, libraries, state, verification};
use smpi_image::exports;
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where a path begins, and the path.
pub(super) type Place = (c_int, *const c_char);

/// libc's function of a name, of this form.
macro_rules! real {
    ($name:ident($($type:ty),*) -> $result:ty) => {{
        static FOUND: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());
        let found = behind(&FOUND, const { $crate::calls::paths::terminated(concat!(stringify!($name), "\0")) });
        // SAFETY: libc's function of this name has this form; where there is none, an option of null is none.
        match unsafe { std::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($type),*) -> $result>>(found) } {
            Some(real) => real,
            None => panic!("libc has no {}", stringify!($name)),
        }
    }};
}
pub(super) use real;

/// A name with its zero, as C wants it.
pub(super) const fn terminated(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a zero at the end, and no other"),
    }
}

/// The function of this name in the libraries after this one, null where there is none.
pub(super) fn behind(found: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    let address = found.load(Ordering::Relaxed);
    if !address.is_null() {
        return address;
    }
    // SAFETY: a null-terminated name; RTLD_NEXT is relative to this library.
    let next = || unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    let address = exports::behind(name).map_or_else(next, ptr::with_exposed_provenance_mut);
    found.store(address, Ordering::Relaxed);
    address
}

/// The path of a caller; `None` where it is null or empty: then it is no name.
///
/// # Safety
/// By C's contract the path is a string or null, and lives as long as it is used.
unsafe fn path_of<'a>(path: *const c_char) -> Option<&'a Path> {
    // SAFETY: a string by C's contract, if it is not null.
    let path = (!path.is_null()).then(|| overlay::path_of(unsafe { CStr::from_ptr(path) }.to_bytes()))?;
    (!path.as_os_str().is_empty()).then_some(path)
}

/// Whether a rank calls, under the checker.
pub(super) fn is_asked() -> bool {
    if !verification::is_on() || overlay::is_busy() {
        return false;
    }
    if keys::thread_owner().is_some() {
        verification::note_uncontrolled("a thread of a rank used files by their names: it found those of the disk");
        return false;
    }
    state::caller().is_some()
}

/// What a function does with what is under a name.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Looks at it, or uses it as it is; follows a link.
    Look,
    /// The same, and does not follow a link.
    LookAtEntry,
    /// Opens it with these flags.
    Open(c_int),
    /// Changes what is in it.
    Write,
    /// Changes what is said of it; follows a link.
    Change,
    /// The same, and does not follow a link.
    ChangeEntry,
    /// Makes something of this name that is no directory.
    Make,
    /// Makes a directory.
    MakeDirectory,
    /// Lists what is in it.
    List,
}

impl Act {
    /// The target of it.
    fn target(self, files: &Files, from: &Path, path: &Path) -> Result<Target, c_int> {
        match self {
            Act::Look => files.look(from, path, true),
            Act::LookAtEntry => files.look(from, path, false),
            Act::Open(flags) => files.open(from, path, flags),
            Act::Write => files.change(from, path, true, Needs::Writing),
            Act::Change => files.change(from, path, true, Needs::Owning),
            Act::ChangeEntry => files.change(from, path, false, Needs::Owning),
            Act::Make => files.make(from, path, false),
            Act::MakeDirectory => files.make(from, path, true),
            Act::List => files.list(from, path),
        }
    }

    /// With what the library above is told of it.
    pub(super) fn with(self, how: PathUse) -> (PathUse, Act) {
        match (how, self) {
            (PathUse::Looks, Act::LookAtEntry) => (PathUse::LooksAtEntry, self),
            both => both,
        }
    }

    /// Whether nothing is changed by it.
    fn only_looks(self) -> bool {
        match self {
            Act::Look | Act::LookAtEntry | Act::List => true,
            Act::Open(flags) => !changes(flags),
            Act::Write | Act::Change | Act::ChangeEntry | Act::Make | Act::MakeDirectory => false,
        }
    }
}

/// What a rank gets for a name.
pub(super) enum Given {
    /// What the system has.
    System,
    /// What is in this place; and what is to be told when it was made there.
    Instead(CString, Option<Fresh>),
    /// This error, which is in `errno`.
    Fails,
}

/// Tells the library above what a rank uses; false where it is not the program that does.
fn note_used((directory, path): (c_int, &Path), how: PathUse) -> bool {
    let name = overlay::with(|files| {
        let from = overlay::start(files, directory, path).ok()?;
        match files.way(&from, path, !how.is_of_entry()).ok()? {
            Way::To(name, _) => Some(name),
            Way::Elsewhere => None,
        }
    });
    let before = errno();
    let is_own = name.flatten().is_none_or(|name| (hooks().paths.used)(&name, how));
    set_errno(before);
    is_own
}

/// Does something with the files, after the library above was told of it. `None` where they are the system's.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn on_files<R>(
    (directory, path): Place,
    how: PathUse,
    act: impl FnOnce(&Files, &Path, &Path) -> Result<R, c_int>,
) -> Option<Result<R, c_int>> {
    if !is_asked() {
        return None;
    }
    // SAFETY: what this function demands.
    let path = unsafe { path_of(path) }?;
    if !note_used((directory, path), how) {
        return None;
    }
    overlay::with(|files| act(files, &overlay::start(files, directory, path)?, path))
}

/// What a rank gets for a name.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn given(place: Place, how: PathUse, act: Act) -> Given {
    let target = |files: &Files, from: &Path, path: &Path| {
        // The system knows best what it has.
        if act.only_looks() && files.are_untouched() { Ok(Target::Same) } else { act.target(files, from, path) }
    };
    let name = |place: &Path| CString::new(place.as_os_str().as_bytes()).unwrap_or_default();
    // SAFETY: what this function demands.
    match unsafe { on_files(place, how, target) } {
        None | Some(Ok(Target::Same)) => Given::System,
        Some(Ok(Target::Place(place))) => Given::Instead(name(&place), None),
        Some(Ok(Target::New(fresh))) => Given::Instead(name(fresh.place()), Some(fresh)),
        Some(Err(error)) => {
            set_errno(error);
            Given::Fails
        }
    }
}

/// It was made, if it was to be.
pub(super) fn note_made(fresh: Option<Fresh>) {
    fresh.into_iter().for_each(|fresh| {
        overlay::with(|files| files.made(fresh));
    });
}

/// Runs a function of libc for what the rank gets for a name. The second argument of `call` says whether that is
/// another file than the system has.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn on_path(place: Place, (how, act): (PathUse, Act), call: impl FnOnce(Place) -> c_int) -> c_int {
    // SAFETY: what this function demands.
    match unsafe { given(place, how, act) } {
        Given::System => call(place),
        Given::Instead(name, fresh) => {
            let result = call((libc::AT_FDCWD, name.as_ptr()));
            note_made(fresh.filter(|_| result >= 0));
            result
        }
        Given::Fails => -1,
    }
}

/// Tells the library above that a rank has opened a path.
///
/// # Safety
/// By C's contract the path is a string or null.
pub(super) unsafe fn note_opened((directory, path): Place, how: PathUse, descriptor: c_int) {
    if descriptor < 0 || !is_asked() {
        return;
    }
    // SAFETY: what this function demands.
    let Some(path) = (unsafe { path_of(path) }) else { return };
    let name = overlay::with(|files| {
        let from = overlay::start(files, directory, path).ok()?;
        match files.way(&from, path, true).ok()? {
            Way::To(name, _) => Some(name),
            Way::Elsewhere => None,
        }
    });
    if let Some(name) = name.flatten() {
        let before = errno();
        (hooks().paths.opened)(&name, how, descriptor);
        set_errno(before);
    }
}

/// Whether a file is changed that is opened with these flags.
fn changes(flags: c_int) -> bool {
    flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_TRUNC | libc::O_CREAT) != 0
}

/// What a file is opened for, by the flags of `open`.
pub(super) fn use_of(flags: c_int) -> PathUse {
    match (changes(flags), flags & libc::O_DIRECTORY != 0) {
        (_, true) => PathUse::Lists,
        (true, false) => PathUse::Writes,
        (false, false) => PathUse::Reads,
    }
}

/// The functions that open by flags, with the name that they have in messages.
///
/// # Safety
/// By C's contract the path is a string or null.
unsafe fn open_by_flags(place: Place, flags: c_int, call: impl FnOnce(Place) -> c_int) -> c_int {
    let how = use_of(flags);
    // SAFETY: what this function demands.
    unsafe {
        let descriptor = on_path(place, (how, Act::Open(flags)), call);
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
                open_by_flags(place, flags, |place| opening!(@call real place flags mode $($directory)?))
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

/// The flags that the mode of `fopen` stands for (C11 §7.21.5.3).
///
/// # Safety
/// By C's contract `mode` is a string.
unsafe fn flags_of_mode(mode: *const c_char) -> c_int {
    // SAFETY: a string by C's contract.
    let mode = unsafe { CStr::from_ptr(mode) }.to_bytes();
    // What glibc takes from behind a comma is no flag.
    let mode = mode.split(|byte| *byte == b',').next().unwrap_or_default();
    let (alone, also) = match mode.first() {
        Some(b'w') => (libc::O_WRONLY, libc::O_CREAT | libc::O_TRUNC),
        Some(b'a') => (libc::O_WRONLY, libc::O_CREAT | libc::O_APPEND),
        _ => (libc::O_RDONLY, 0),
    };
    let access = if mode.contains(&b'+') { libc::O_RDWR } else { alone };
    access | also | if mode.contains(&b'x') { libc::O_EXCL } else { 0 }
}

/// The functions that open streams.
///
/// # Safety
/// By C's contract the path is a string or null, and the mode a string.
unsafe fn open_stream(
    (path, mode): (*const c_char, *const c_char),
    old: *mut libc::FILE,
    call: impl FnOnce(*const c_char) -> *mut libc::FILE,
) -> *mut libc::FILE {
    let place = (libc::AT_FDCWD, path);
    // SAFETY: what this function demands; a stream that libc has opened.
    unsafe {
        let flags = flags_of_mode(mode);
        let how = use_of(flags);
        if path.is_null() && changes(flags) && is_asked() {
            note_reopened(old);
        }
        let stream = match given(place, how, Act::Open(flags)) {
            Given::System => call(path),
            Given::Instead(name, fresh) => {
                let stream = call(name.as_ptr());
                note_made(fresh.filter(|_| !stream.is_null()));
                stream
            }
            Given::Fails => ptr::null_mut(),
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
                open_stream((path, mode), streams!(@old $($old)?), |path| real(path, mode $(, $old)?))
            }
        }
    )*};
    (@type $old:ident) => { *mut libc::FILE };
    (@old) => { ptr::null_mut() };
    (@old $old:ident) => { $old };
}

/// Notes that a stream without a name gets another mode (`freopen` of null), by which it may be written.
///
/// # Safety
/// By C's contract the stream is open, or null.
unsafe fn note_reopened(stream: *mut libc::FILE) {
    // SAFETY: what this function demands.
    let about = descriptors::about(unsafe { descriptor_of(stream) });
    if about.is_some_and(|about| about.st_mode & libc::S_IFMT == libc::S_IFREG) {
        verification::note_uncontrolled(
            "what a rank writes to a file after it has given its stream another mode is not put back",
        );
    }
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
    let descriptor = descriptor();
    descriptors::note_closed(descriptor);
    (hooks().paths.closes)(descriptor);
    set_errno(before);
    close()
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

/// Functions that use one path without opening it: where it begins, if they say so, what follows it, what the library
/// above is told, and what they do.
macro_rules! on_one_path {
    ($($name:ident ($($directory:ident)?) ($($argument:ident: $type:ty),*) $how:ident $act:expr;)*) => {$(
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
                on_path(place, $act.with(PathUse::$how), |place| {
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
    stat() (buffer: *mut libc::stat) Looks Act::Look;
    stat64() (buffer: *mut libc::stat64) Looks Act::Look;
    access() (mode: c_int) Looks Act::Look;
    euidaccess() (mode: c_int) Looks Act::Look;
    faccessat(directory) (mode: c_int, flags: c_int) Looks Act::Look;
    truncate() (size: libc::off_t) Changes Act::Write;
    truncate64() (size: libc::off64_t) Changes Act::Write;
}

/// Functions that remove one name: what they remove.
macro_rules! removing {
    ($($name:ident ($($directory:ident)?) ($($flags:ident: $type:ty)?) $removes:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name(
            $($directory: c_int,)?
            path: *const c_char
            $(, $flags: $type)?
        ) -> c_int {
            let place = on_one_path!(@place path $($directory)?);
            let real = real!($name($(on_one_path!(@type $directory),)? *const c_char $(, $type)?) -> c_int);
            let removes = $removes;
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe {
                let removed = on_files(place, PathUse::Removes, |files, from, path| {
                    files.remove(from, path, removes)
                });
                match removed {
                    None | Some(Ok(false)) => on_one_path!(@call real place ($($directory)?) $($flags)?),
                    Some(Ok(true)) => 0,
                    Some(Err(error)) => refuse(error),
                }
            }
        }
    )*};
}

removing! {
    unlink() () Removes::File;
    unlinkat(directory) (flags: c_int) if flags & libc::AT_REMOVEDIR != 0 { Removes::Directory } else { Removes::File };
    remove() () Removes::Any;
    rmdir() () Removes::Directory;
}

/// What is asked about with these flags.
pub(super) fn look(flags: c_int) -> Act {
    if flags & libc::AT_SYMLINK_NOFOLLOW != 0 { Act::LookAtEntry } else { Act::Look }
}

on_one_path! {
    fstatat(directory) (buffer: *mut libc::stat, flags: c_int) Looks look(flags);
    fstatat64(directory) (buffer: *mut libc::stat64, flags: c_int) Looks look(flags);
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
        on_path((directory, path), look(flags).with(PathUse::Looks), |(directory, path)| {
            real(directory, path, flags, mask, buffer)
        })
    }
}

/// Gives something another name, or one more.
///
/// # Safety
/// By C's contract the paths are strings or null.
pub(super) unsafe fn on_both(
    from: Place,
    to: Place,
    act: impl FnOnce(&Files, (&Path, &Path), (&Path, &Path)) -> Result<bool, c_int>,
    call: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: what this function demands.
    let done = unsafe {
        let Some(new) = path_of(to.1) else { return call() };
        on_files(from, PathUse::ChangesEntry, |files, start, path| {
            // Who is told is not the program.
            Ok((overlay::start(files, to.0, new)?, start.to_path_buf(), path.to_path_buf()))
        })
        .map(|from| {
            let (there, start, path) = from?;
            if !note_used((to.0, new), PathUse::ChangesEntry) {
                return Ok(false);
            }
            overlay::with(|files| act(files, (&start, &path), (&there, new))).unwrap_or(Ok(false))
        })
    };
    match done {
        None | Some(Ok(false)) => call(),
        Some(Ok(true)) => 0,
        Some(Err(error)) => refuse(error),
    }
}

/// Functions with two paths.
macro_rules! on_two_paths {
    ($($name:ident ($($argument:ident: $type:ty),*) $from:expr, $to:expr, $act:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "`.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($($argument: $type),*) -> c_int {
            let real = real!($name($($type),*) -> c_int);
            // SAFETY: C's contract is that of libc's function, which gets the same arguments.
            unsafe { on_both($from, $to, $act, || real($($argument),*)) }
        }
    )*};
}

on_two_paths! {
    rename(from: *const c_char, to: *const c_char) (libc::AT_FDCWD, from), (libc::AT_FDCWD, to),
        |files, from, to| files.rename(from, to, 0);
    link(from: *const c_char, to: *const c_char) (libc::AT_FDCWD, from), (libc::AT_FDCWD, to),
        |files, from, to| files.link(from, to, false);
    renameat(at: c_int, from: *const c_char, there: c_int, to: *const c_char) (at, from), (there, to),
        |files, from, to| files.rename(from, to, 0);
    renameat2(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_uint) (at, from), (there, to),
        |files, from, to| files.rename(from, to, flags);
    linkat(at: c_int, from: *const c_char, there: c_int, to: *const c_char, flags: c_int) (at, from), (there, to),
        |files, from, to| files.link(from, to, flags & libc::AT_SYMLINK_FOLLOW != 0);
}

/// `opendir`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    let real = real!(opendir(*const c_char) -> *mut libc::DIR);
    let place = (libc::AT_FDCWD, path);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function, or a path of ours.
    unsafe {
        let directory = match given(place, PathUse::Lists, Act::List) {
            Given::System => real(path),
            Given::Instead(name, _) => real(name.as_ptr()),
            Given::Fails => ptr::null_mut(),
        };
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

/// What `close`, `fclose` and `closedir` are to all but the program: they are told where they return to. This library,
/// and what it is made of, call them by these names for what is their own.
macro_rules! by_caller {
    ($($name:ident $of:ident($argument:ident: $type:ty);)*) => {$(
        #[doc = concat!("`", stringify!($name), "`, called from this address.")]
        ///
        /// # Safety
        /// C's contract (`contract.rs`).
        pub unsafe extern "C" fn $name($argument: $type, caller: usize) -> c_int {
            let real = real!($of($type) -> c_int);
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            unsafe { if libraries::own().contains(&caller) { real($argument) } else { $of($argument) } }
        }
    )*};
}

by_caller! {
    close_from close(descriptor: c_int);
    fclose_from fclose(stream: *mut libc::FILE);
    closedir_from closedir(directory: *mut libc::DIR);
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
            // SAFETY: the arguments of the caller, whose contract is that of libc's function, or a path of ours.
            unsafe {
                on_path((libc::AT_FDCWD, path), (PathUse::Lists, Act::List), |(_, path)| {
                    real(path, list, filter, order)
                })
            }
        }
    )*};
}

listing!(scandir scandir64);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::{keepers, names};

    #[test]
    fn flags_and_modes_tell_what_a_file_is_opened_for() {
        assert_eq!(use_of(libc::O_RDONLY | libc::O_CLOEXEC), PathUse::Reads);
        assert_eq!(use_of(libc::O_RDWR), PathUse::Writes);
        assert_eq!(use_of(libc::O_RDONLY | libc::O_CREAT), PathUse::Writes);
        assert_eq!(use_of(libc::O_RDONLY | libc::O_DIRECTORY), PathUse::Lists);
        // SAFETY: strings.
        let of = |mode: &CStr| use_of(unsafe { flags_of_mode(mode.as_ptr()) });
        assert_eq!(
            [of(c"rb"), of(c"r+"), of(c"a"), of(c"w")].map(|how| how == PathUse::Reads),
            [true, false, false, false]
        );
    }

    #[test]
    fn functions_are_found_without_a_question_that_dlerror_would_notice() {
        for (name, _) in names::REPLACED.iter().chain(keepers::REPLACED) {
            assert!(exports::behind(&CString::new(*name).unwrap()).is_some(), "{name}");
        }
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

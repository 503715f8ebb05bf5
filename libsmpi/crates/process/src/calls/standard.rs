//! What programs do to descriptors 0 to 2, which ranks share: a rank that closes or redirects one does so for itself.
//!
//! Where its three lead stands in the rank's record ([`crate::record::Routes`]); the process's own stay as they are. A
//! file in the place of one of them is open under a higher number, to which calls are passed on. A rank that closes one
//! and opens a file gets its number, as POSIX wants. What a rank writes to a copy of a shared one (`dup`) is the
//! process's, and comes out at once.

use super::{descriptors, paths};
use crate::contract::{Table, refuse};
use crate::descriptors::note_chosen;
use crate::descriptors::open_now;
use crate::record::{Record, Route};
use crate::state::{self, caller};
use crate::streams::stdio;
use std::ffi::{c_char, c_int, c_uint};

/// The functions about descriptors.
pub const REPLACED: Table = &[
    ("close_range", close_range as *const ()),
    ("closefrom", closefrom as *const ()),
    ("open", open as *const ()),
    ("open64", open64 as *const ()),
    ("openat", openat as *const ()),
    ("openat64", openat64 as *const ()),
    ("creat", creat as *const ()),
    ("creat64", creat64 as *const ()),
    ("close", close as *const ()),
    ("dup", dup as *const ()),
    ("dup2", dup2 as *const ()),
    ("__dup2", dup2 as *const ()),
    ("dup3", dup3 as *const ()),
    ("fcntl", fcntl as *const ()),
    ("fcntl64", fcntl as *const ()),
    ("fdopen", fdopen as *const ()),
    ("fstat", fstat as *const ()),
    ("fstat64", fstat as *const ()),
    ("lseek", lseek as *const ()),
    ("lseek64", lseek as *const ()),
    ("isatty", isatty as *const ()),
    ("fsync", fsync as *const ()),
    ("fdatasync", fdatasync as *const ()),
    ("ftruncate", ftruncate as *const ()),
    ("ftruncate64", ftruncate as *const ()),
    ("freopen", freopen as *const ()),
    ("freopen64", freopen as *const ()),
    ("fclose", fclose as *const ()),
];

/// Files in the place of the three are open under numbers from here on, out of the way of the program's.
const FIRST: c_int = 200;

/// Whether such a file of some rank is open under this number.
fn is_behind(descriptor: c_int) -> bool {
    let is_of = |record: &Record| record.routes.all().contains(&Route::File(descriptor));
    descriptor >= FIRST && state::host().is_some_and(|host| host.records.iter().any(is_of))
}

/// The number under which the process has what a rank's descriptor leads to; `None` where it leads nowhere.
fn behind(descriptor: c_int) -> Option<c_int> {
    match caller().and_then(|record| record.routes.of(descriptor)) {
        Some(Route::Shared(number) | Route::File(number)) => Some(number),
        Some(Route::Closed) => None,
        None => Some(descriptor),
    }
}

/// A copy of a descriptor, out of the way of the program's.
fn copy(descriptor: c_int, flags: c_int) -> c_int {
    note_chosen(FIRST);
    let command = if flags & libc::O_CLOEXEC != 0 { libc::F_DUPFD_CLOEXEC } else { libc::F_DUPFD };
    // SAFETY: asks for a new number.
    unsafe { libc::fcntl(descriptor, command, FIRST) }
}

/// Which of the process's three a descriptor is a copy of: `preferred`, if it is of several.
fn shared_with(descriptor: c_int, preferred: c_int) -> Option<c_int> {
    const KCMP_FILE: c_int = 0;
    let is_same = |number: c_int| {
        // SAFETY: asks about numbers.
        unsafe {
            let process = libc::getpid();
            libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, descriptor, number) == 0
        }
    };
    [preferred, 0, 1, 2].into_iter().find(|&number| is_same(number))
}

/// Leads one of a rank's three elsewhere, and closes the file that it led to.
fn lead(record: &Record, descriptor: c_int, route: Route) {
    if let Route::File(old) = record.routes.lead(descriptor, route) {
        // SAFETY: a number that this file made for the rank.
        unsafe { paths::close(old) };
    }
}

/// Makes the process's three those of a rank, because this process is a copy that has only this rank.
pub fn settle_in_child(record: &Record) {
    for (number, route) in (0..).zip(record.routes.all()) {
        match route {
            Route::Shared(other) if other == number => {}
            // SAFETY: takes numbers.
            Route::Shared(other) | Route::File(other) => unsafe {
                libc::dup2(other, number);
            },
            // SAFETY: a number of this process.
            Route::Closed => unsafe {
                libc::close(number);
            },
        }
        record.routes.lead(number, Route::Shared(number));
    }
}

/// Starts another program with the three that the calling rank has.
pub fn for_program<R>(start: impl FnOnce() -> R) -> R {
    let Some(record) =
        caller().filter(|record| (0..3).any(|number| record.routes.of(number) != Some(Route::Shared(number))))
    else {
        return start();
    };
    let wanted = record.routes.all();
    // SAFETY: numbers of this process; what is not open stays so.
    let saved = [0, 1, 2].map(|number| unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, FIRST) });
    settle_in_child(record);
    let result = start();
    for (number, saved) in (0..).zip(saved) {
        // SAFETY: as above.
        unsafe {
            libc::dup2(saved, number);
            libc::close(saved);
        }
    }
    record.routes.set(wanted);
    result
}

/// What was opened gets the lowest number that is free to the rank, which may be one of the three.
fn placed(descriptor: c_int) -> c_int {
    let Some(record) = caller().filter(|_| descriptor > 2) else { return descriptor };
    let Some(lowest) = record.routes.lowest_closed() else { return descriptor };
    let moved = copy(descriptor, 0);
    if moved < 0 {
        return descriptor;
    }
    // SAFETY: a number that was opened for the caller, who gets another one.
    unsafe { libc::close(descriptor) };
    lead(record, lowest, Route::File(moved));
    lowest
}

unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::open(path, flags, mode) })
}

unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::open64(path, flags, mode) })
}

unsafe extern "C" fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::openat(directory, path, flags, mode) })
}

unsafe extern "C" fn openat64(directory: c_int, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::openat64(directory, path, flags, mode) })
}

unsafe extern "C" fn creat(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::creat(path, mode) })
}

unsafe extern "C" fn creat64(path: *const c_char, mode: libc::mode_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    placed(unsafe { paths::creat64(path, mode) })
}

/// `close` of a program.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn close(descriptor: c_int) -> c_int {
    match caller().and_then(|record| Some((record, record.routes.of(descriptor)?))) {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None if caller().is_none() || !is_behind(descriptor) => unsafe { descriptors::close(descriptor) },
        None | Some((_, Route::Closed)) => refuse(libc::EBADF),
        Some((record, _)) => {
            lead(record, descriptor, Route::Closed);
            0
        }
    }
}

unsafe extern "C" fn dup(descriptor: c_int) -> c_int {
    let Some(real) = behind(descriptor) else { return refuse(libc::EBADF) };
    // SAFETY: makes a new number.
    placed(unsafe { libc::dup(real) })
}

unsafe extern "C" fn dup2(old: c_int, new: c_int) -> c_int {
    let Some(real) = behind(old) else { return refuse(libc::EBADF) };
    match caller().filter(|_| (0..3).contains(&new)) {
        // SAFETY: takes numbers, and any.
        None => unsafe { descriptors::dup2(real, new) },
        Some(_) if old == new => new,
        Some(record) => redirect(record, real, new, 0),
    }
}

unsafe extern "C" fn dup3(old: c_int, new: c_int, flags: c_int) -> c_int {
    let Some(real) = behind(old) else { return refuse(libc::EBADF) };
    match caller().filter(|_| (0..3).contains(&new)) {
        // SAFETY: takes numbers, and any.
        None => unsafe { descriptors::dup3(real, new, flags) },
        Some(_) if old == new => refuse(libc::EINVAL),
        Some(record) => redirect(record, real, new, flags),
    }
}

/// Leads one of a rank's three to what is open under a number; answers like `dup2`.
fn redirect(record: &Record, real: c_int, new: c_int, flags: c_int) -> c_int {
    let route = match shared_with(real, new) {
        Some(number) => Route::Shared(number),
        None => match copy(real, flags) {
            ..0 => return -1,
            number => Route::File(number),
        },
    };
    lead(record, new, route);
    new
}

/// `fcntl` for all commands: they take a word, or none.
unsafe extern "C" fn fcntl(descriptor: c_int, command: c_int, argument: usize) -> c_int {
    let Some(real) = behind(descriptor) else { return refuse(libc::EBADF) };
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    let result = unsafe { super::locks::fcntl(real, command, argument) };
    if command == libc::F_DUPFD || command == libc::F_DUPFD_CLOEXEC {
        return if argument <= 2 { placed(result) } else { result };
    }
    result
}

unsafe extern "C" fn fdopen(descriptor: c_int, mode: *const c_char) -> *mut libc::FILE {
    match caller().and_then(|record| record.routes.of(descriptor)) {
        // What is printed to it has to come out in whole lines, as to the shared streams themselves.
        Some(Route::Shared(number)) => stdio::another(number, mode),
        _ => match behind(descriptor) {
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            Some(real) => unsafe { libc::fdopen(real, mode) },
            None => {
                refuse(libc::EBADF);
                std::ptr::null_mut()
            }
        },
    }
}

/// Functions that take a descriptor first, and are passed on to what it leads to.
macro_rules! on_descriptor {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {$(
        unsafe extern "C" fn $name(descriptor: c_int $(, $argument: $type)*) -> $result {
            match behind(descriptor) {
                // SAFETY: the arguments of the caller, whose contract is that of libc's function.
                Some(real) => unsafe { libc::$name(real $(, $argument)*) },
                None => <$result>::from(refuse(libc::EBADF) as i8),
            }
        }
    )*};
}

on_descriptor! {
    fstat(buffer: *mut libc::stat) -> c_int;
    lseek(offset: libc::off_t, from: c_int) -> libc::off_t;
    fsync() -> c_int;
    fdatasync() -> c_int;
    ftruncate(size: libc::off_t) -> c_int;
}

unsafe extern "C" fn isatty(descriptor: c_int) -> c_int {
    match behind(descriptor) {
        // SAFETY: takes a number, and any.
        Some(real) => unsafe { libc::isatty(real) },
        None => {
            refuse(libc::EBADF);
            0
        }
    }
}

/// `freopen`: a shared stream stays what it is, and leads the rank to the file.
unsafe extern "C" fn freopen(path: *const c_char, mode: *const c_char, stream: *mut libc::FILE) -> *mut libc::FILE {
    let shared = caller().and_then(|record| Some((record, stdio::number_of(stream)?)));
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe {
        let Some((record, number)) = shared else { return paths::freopen(path, mode, stream) };
        if path.is_null() {
            // Only the mode changes, and everything is written at once.
            return stream;
        }
        let file = paths::fopen(path, mode);
        let real = if file.is_null() { -1 } else { copy(libc::fileno(file), 0) };
        if !file.is_null() {
            libc::fclose(file);
        }
        lead(record, number, if real < 0 { Route::Closed } else { Route::File(real) });
        if real < 0 {
            return std::ptr::null_mut();
        }
        libc::clearerr(stream);
        stream
    }
}

/// `fclose`, which leaves the shared streams to the other ranks.
unsafe extern "C" fn fclose(stream: *mut libc::FILE) -> c_int {
    match caller().and_then(|record| Some((record, stdio::number_of(stream)?))) {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None => unsafe { paths::fclose(stream) },
        Some((record, number)) => {
            let is_whole = number == 0 || stdio::settle(stream);
            lead(record, number, Route::Closed);
            if is_whole { 0 } else { libc::EOF }
        }
    }
}

/// `close_range` (close_range(2)): for a rank one by one, so that each is as if it were closed by itself.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn close_range(first: c_uint, last: c_uint, flags: c_int) -> c_int {
    if caller().is_none() || flags != 0 || first > last {
        // SAFETY: the arguments of the caller, whose contract is that of the system call.
        return unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) as c_int };
    }
    let wanted = |descriptor: &c_int| (first..=last).contains(&(*descriptor as c_uint));
    for descriptor in open_now().into_iter().filter(wanted) {
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

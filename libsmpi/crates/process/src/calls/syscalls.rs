//! `syscall`: calls of the system that take names of files do what libc's functions do that make them.
//! Source: syscall(2), syscalls(2).

use super::paths::{self, Act, Given, Place, behind, given, real};
use super::{exit, names, threads};
use crate::contract::Table;
use crate::{state, verification};
use std::ffi::{c_char, c_int, c_long, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

/// What programs get, and libraries do not.
pub const REPLACED: Table = &[("syscall", syscall as *const ())];

/// What a call of the system is that older programs make, where the machine has it: without a directory.
#[cfg(target_arch = "x86_64")]
unsafe fn older(number: c_long, [a, b, c, _, _, _]: [usize; 6]) -> Option<c_int> {
    let (path, other) = (a as *const c_char, b as *const c_char);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function for this call.
    Some(unsafe {
        match number {
            libc::SYS_open => paths::open(path, b as c_int, c as _),
            libc::SYS_creat => paths::creat(path, b as _),
            libc::SYS_stat => paths::stat(path, b as *mut _),
            libc::SYS_lstat => paths::lstat(path, b as *mut _),
            libc::SYS_access => paths::access(path, b as c_int),
            libc::SYS_readlink => names::readlink(path, b as *mut c_char, c) as c_int,
            libc::SYS_chmod => names::chmod(path, b as _),
            libc::SYS_chown => names::chown(path, b as _, c as _),
            libc::SYS_lchown => names::lchown(path, b as _, c as _),
            libc::SYS_utime => names::utime(path, b as *const _),
            libc::SYS_utimes => names::utimes(path, b as *const _),
            libc::SYS_unlink => paths::unlink(path),
            libc::SYS_mkdir => names::mkdir(path, b as _),
            libc::SYS_rmdir => paths::rmdir(path),
            libc::SYS_mknod => names::mknod(path, b as _, c as _),
            libc::SYS_rename => paths::rename(path, other),
            libc::SYS_link => paths::link(path, other),
            libc::SYS_symlink => names::symlink(path, other),
            libc::SYS_dup2 => return Some(super::descriptors::dup2(a as c_int, b as c_int)),
            _ => return None,
        }
    })
}

#[cfg(not(target_arch = "x86_64"))]
unsafe fn older(_: c_long, _: [usize; 6]) -> Option<c_int> {
    None
}

/// The same of calls that all machines have.
unsafe fn newer(number: c_long, [a, b, c, d, e, _]: [usize; 6]) -> Option<c_int> {
    let (at, path) = (a as c_int, b as *const c_char);
    let (there, other) = (c as c_int, d as *const c_char);
    // SAFETY: the arguments of the caller, whose contract is that of libc's function for this call.
    Some(unsafe {
        match number {
            libc::SYS_openat => paths::openat(at, path, c as c_int, d as _),
            libc::SYS_close => super::descriptors::close(at),
            libc::SYS_close_range => super::standard::close_range(a as _, b as _, c as c_int),
            libc::SYS_newfstatat => paths::fstatat(at, path, c as *mut _, d as c_int),
            libc::SYS_statx => paths::statx(at, path, c as c_int, d as _, e as *mut _),
            libc::SYS_faccessat => paths::faccessat(at, path, c as c_int, 0),
            libc::SYS_faccessat2 => paths::faccessat(at, path, c as c_int, d as c_int),
            libc::SYS_readlinkat => names::readlinkat(at, path, c as *mut c_char, d) as c_int,
            libc::SYS_truncate => paths::truncate(a as *const c_char, b as _),
            libc::SYS_fchmod => names::fchmod(at, b as _),
            libc::SYS_fchown => names::fchown(at, b as _, c as _),
            libc::SYS_fchmodat => names::fchmodat(at, path, c as _, 0),
            libc::SYS_fchownat => names::fchownat(at, path, c as _, d as _, e as c_int),
            libc::SYS_utimensat if b == 0 => names::futimens(at, c as *const _),
            libc::SYS_utimensat => names::utimensat(at, path, c as *const _, d as c_int),
            libc::SYS_unlinkat => paths::unlinkat(at, path, c as c_int),
            libc::SYS_mkdirat => names::mkdirat(at, path, c as _),
            libc::SYS_mknodat => names::mknodat(at, path, c as _, d as _),
            libc::SYS_renameat => paths::renameat(at, path, there, other),
            libc::SYS_renameat2 => paths::renameat2(at, path, there, other, e as _),
            libc::SYS_linkat => paths::linkat(at, path, there, other, e as c_int),
            libc::SYS_symlinkat => names::symlinkat(a as *const c_char, b as c_int, c as *const c_char),
            libc::SYS_statfs => names::statfs(a as *const c_char, b as *mut _),
            libc::SYS_chdir => crate::directory::chdir(a as *const c_char),
            libc::SYS_fchdir => crate::directory::fchdir(at),
            libc::SYS_dup3 => super::descriptors::dup3(at, b as c_int, c as c_int),
            _ => return None,
        }
    })
}

/// `syscall`.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
    let real = real!(syscall(c_long, usize, usize, usize, usize, usize, usize) -> c_long);
    let arguments = [a, b, c, d, e, f];
    if let Some(record) = state::current() {
        match number {
            libc::SYS_exit => threads::exit_thread(record, a as c_int),
            libc::SYS_exit_group => exit::leave_now(record, a as c_int),
            _ => {}
        }
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function; those that it did not pass are
    // not used. Names are strings.
    unsafe {
        if verification::is_on() {
            if let Some(result) = older(number, arguments).or_else(|| newer(number, arguments)) {
                return result.into();
            }
            if number == libc::SYS_openat2 {
                return openat2((a as c_int, b as *const c_char), (c as *const libc::open_how, d), real);
            }
        }
        real(number, a, b, c, d, e, f)
    }
}

/// `openat2`: where the flags are is the caller's, so what is opened is what stands in the place that it gets.
///
/// # Safety
/// By C's contract the path is a string, and there are flags, of which the size is told.
unsafe fn openat2(
    place: Place,
    (how, size): (*const libc::open_how, usize),
    real: unsafe extern "C" fn(c_long, usize, usize, usize, usize, usize, usize) -> c_long,
) -> c_long {
    let call = |place: Place| {
        // SAFETY: the arguments of the caller, or a path of ours.
        unsafe { real(libc::SYS_openat2, place.0 as usize, place.1 as usize, how as usize, size, 0, 0) }
    };
    if how.is_null() || size < size_of::<libc::open_how>() {
        return call(place);
    }
    // SAFETY: what this function demands.
    unsafe {
        let flags = (*how).flags as c_int;
        let used = paths::use_of(flags);
        let descriptor = match given(place, used, Act::Open(flags)) {
            Given::System => call(place),
            Given::Instead(name, fresh) => {
                let descriptor = call((libc::AT_FDCWD, name.as_ptr()));
                paths::note_made(fresh.filter(|_| descriptor >= 0));
                descriptor
            }
            Given::Fails => -1,
        };
        paths::note_opened(place, used, descriptor as c_int);
        descriptor
    }
}

//! Locks of files. The kernel's locks of `fcntl` and `lockf` are a process's, so that ranks would never meet one of
//! another rank; those of an open file (fcntl(2), "Open file description locks") exclude what opened the file itself.
//! So a rank's lock is one of these. A rank that waits for a lock must not keep the others from giving it up: it
//! sleeps, in simulated time, and tries again. Source: POSIX.1-2017 fcntl, lockf; flock(2).
//!
//! Under the checker one order is tried, in which ranks get locks as they ask; no exploration with locks is complete.

use super::descriptors;
use crate::contract::{Table, errno, refuse};
use crate::faults::refusals::refuse_in_verification;
use crate::signals::sleeping::within_sleep;
use crate::{state, verification, waiting};
use std::ffi::c_int;
use std::mem::zeroed;

/// The functions about locks, apart from `fcntl`.
pub const REPLACED: Table =
    &[("flock", flock as *const ()), ("lockf", lockf as *const ()), ("lockf64", lockf as *const ())];

/// So long a rank sleeps before the second attempt, in seconds of simulated time; then always twice as long, up to the
/// second one.
const FIRST_PAUSE: f64 = 1e-5;
const LONGEST_PAUSE: f64 = 0.01;
/// So often a rank tries under the checker, where sleeping takes no time.
const MOST_ATTEMPTS: u32 = 1000;

fn note() {
    verification::note_uncontrolled("ranks lock files, and only one order in which they get the locks is tried");
}

/// Tries for a lock until the rank has it, or something else than another's lock is in the way.
fn wait_for(mut attempt: impl FnMut() -> c_int) -> c_int {
    let (mut pause, mut attempts) = (FIRST_PAUSE, 0);
    loop {
        let result = attempt();
        if result == 0 || !matches!(errno(), libc::EAGAIN | libc::EACCES) {
            return result;
        }
        let Some(record) = state::caller() else { return result };
        attempts += 1;
        if attempts > MOST_ATTEMPTS {
            refuse_in_verification("waits for the lock of a file while the rank that has it waits for a message:");
        }
        if within_sleep(record, pause).is_some() {
            return refuse(libc::EINTR);
        }
        pause = LONGEST_PAUSE.min(2.0 * pause);
    }
}

/// `fcntl`, whose commands take a word, or none.
///
/// # Safety
/// C's contract for the command.
pub unsafe fn fcntl(descriptor: c_int, command: c_int, argument: usize) -> c_int {
    let own = match command {
        libc::F_SETLK | libc::F_SETLKW => libc::F_OFD_SETLK,
        libc::F_GETLK => libc::F_OFD_GETLK,
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        _ => return waiting::outside(|| unsafe { descriptors::fcntl(descriptor, command, argument) }),
    };
    // SAFETY: for these commands C's contract is that of libc's function: a lock, which lies there as long as this
    // lasts.
    unsafe {
        if state::caller().is_none() {
            return libc::fcntl(descriptor, command, argument);
        }
        note();
        let lock = std::ptr::with_exposed_provenance_mut::<libc::flock>(argument);
        if lock.is_null() {
            return refuse(libc::EFAULT);
        }
        // The kernel wants it so; programs leave the field as it is.
        (*lock).l_pid = 0;
        let attempt = || libc::fcntl(descriptor, own, lock);
        let result = if command == libc::F_SETLKW { wait_for(attempt) } else { attempt() };
        if command == libc::F_GETLK && result == 0 && (*lock).l_type != libc::F_UNLCK as libc::c_short {
            (*lock).l_pid = libc::getpid();
        }
        result
    }
}

unsafe extern "C" fn flock(descriptor: c_int, operation: c_int) -> c_int {
    if state::caller().is_none() {
        // SAFETY: takes numbers, and any.
        return waiting::outside(|| unsafe { libc::flock(descriptor, operation) });
    }
    note();
    // SAFETY: as above; nobody waits in the kernel.
    let attempt = || unsafe { libc::flock(descriptor, operation | libc::LOCK_NB) };
    if operation & (libc::LOCK_NB | libc::LOCK_UN) != 0 { attempt() } else { wait_for(attempt) }
}

/// `lockf`, which is `fcntl` from the present position on.
unsafe extern "C" fn lockf(descriptor: c_int, function: c_int, len: libc::off_t) -> c_int {
    let (command, kind) = match function {
        libc::F_LOCK => (libc::F_SETLKW, libc::F_WRLCK),
        libc::F_TLOCK => (libc::F_SETLK, libc::F_WRLCK),
        libc::F_ULOCK => (libc::F_SETLK, libc::F_UNLCK),
        libc::F_TEST => (libc::F_GETLK, libc::F_WRLCK),
        _ => return refuse(libc::EINVAL),
    };
    // SAFETY: a lock of this function, for which zeroes are valid.
    unsafe {
        let mut lock: libc::flock = zeroed();
        (lock.l_type, lock.l_whence, lock.l_len) = (kind as libc::c_short, libc::SEEK_CUR as libc::c_short, len);
        let result = fcntl(descriptor, command, (&raw mut lock).expose_provenance());
        match function {
            libc::F_TEST if result == 0 && lock.l_type != libc::F_UNLCK as libc::c_short => refuse(libc::EACCES),
            _ => result,
        }
    }
}

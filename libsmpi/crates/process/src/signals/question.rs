//! `SIGUSR1` from outside asks what the ranks do. The event loop answers when it has control again; a second question
//! before that is answered at once with the rank that runs.
//!
//! A program with a handler of its own for `SIGUSR1` gets the signal instead ([`super::handler::have_handled`]).

use crate::state;
use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Somebody asks.
static ASKED: AtomicBool = AtomicBool::new(false);
/// The process that answers: children of ranks do not.
static ANSWERS: AtomicI32 = AtomicI32::new(0);

/// From now on `SIGUSR1` asks, and does not end the process.
pub fn answer() {
    ANSWERS.store(std::process::id() as i32, Ordering::Relaxed);
    // SAFETY: the action is fully set; the handler is a function of this library, which is never unloaded.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = ask as *const () as usize;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut());
    }
}

/// Whether somebody has asked since the last call.
#[inline]
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed) && ASKED.swap(false, Ordering::Relaxed)
}

extern "C" fn ask(signal: c_int) {
    // SAFETY: these functions may be called in handlers (signal-safety(7)); `errno` is put back.
    unsafe {
        if libc::getpid() != ANSWERS.load(Ordering::Relaxed) {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
            return;
        }
        let errno = *libc::__errno_location();
        if ASKED.swap(true, Ordering::Relaxed)
            && let Some(record) = state::current()
        {
            let mut digits = [0; 10];
            let parts: [&[u8]; 3] = [
                b"smpirun: rank ",
                decimal(record.rank.0, &mut digits),
                b" has not called MPI since the last SIGUSR1; what all ranks do is said when it does\n",
            ];
            for part in parts {
                libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len());
            }
        }
        *libc::__errno_location() = errno;
    }
}

/// The decimal digits of a number, without the allocator.
fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_digits() {
        for number in [0, 7, 10, 4096, u32::MAX] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }
}

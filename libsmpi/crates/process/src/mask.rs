//! Signal masks: sets of signals as numbers, and the mask of the calling thread, which is the kernel's.

use std::ffi::c_int;
use std::mem::zeroed;
use std::ptr;

/// One more than the largest number of a signal.
pub const COUNT: usize = 65;

/// Signals that mean a crash when they are not raised: they are never blocked, because the kernel would end the
/// process.
const FAULTS: [c_int; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// Whether a number is that of a signal.
pub fn is_signal(number: c_int) -> bool {
    (1..COUNT as c_int).contains(&number)
}

/// A signal's place in a mask.
pub fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The signal with the lowest number in a mask.
pub fn first(mask: u64) -> Option<c_int> {
    (mask != 0).then(|| mask.trailing_zeros() as c_int + 1)
}

/// A mask without the signals that are never blocked.
pub fn blockable(mask: u64) -> u64 {
    FAULTS.iter().fold(mask, |mask, &signal| mask & !bit(signal))
}

/// The set of the first 64 signals; Linux has no others.
pub fn set_of(mask: u64) -> libc::sigset_t {
    // SAFETY: plain data, for which zeroes are valid; its first word has the first 64 signals
    // (bits/types/__sigset_t.h).
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        ptr::from_mut(&mut set).cast::<u64>().write(mask);
        set
    }
}

/// The mask of a set.
///
/// # Safety
/// `set` must point to a signal set.
pub unsafe fn mask_of(set: *const libc::sigset_t) -> u64 {
    // SAFETY: the caller's set begins with the word that `set_of` writes.
    unsafe { set.cast::<u64>().read() }
}

/// Sets this thread's mask, without the signals that are never blocked, and returns the one before.
pub fn set_mask(mask: u64) -> u64 {
    let set = set_of(blockable(mask));
    // SAFETY: plain data and a valid place for the old mask.
    unsafe {
        let mut old: libc::sigset_t = zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, &mut old);
        mask_of(&old)
    }
}

/// Lets signals come to this thread.
pub fn unblock(signals: impl Iterator<Item = c_int>) {
    let set = set_of(signals.fold(0, |mask, signal| mask | bit(signal)));
    // SAFETY: a valid set.
    unsafe { libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, ptr::null_mut()) };
}

/// This thread's mask.
pub fn current_mask() -> u64 {
    // SAFETY: only asks; a valid place for the answer.
    unsafe {
        let mut old: libc::sigset_t = zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut old);
        mask_of(&old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_libcs_sets() {
        let mask = bit(libc::SIGUSR1) | bit(64);
        let set = set_of(mask);
        // SAFETY: valid sets.
        unsafe {
            assert_eq!(mask_of(&set), mask);
            assert_eq!(libc::sigismember(&set, libc::SIGUSR1), 1);
            assert_eq!(libc::sigismember(&set, libc::SIGUSR2), 0);
        }
        assert_eq!((first(mask), first(0)), (Some(libc::SIGUSR1), None));
        assert!(is_signal(1) && is_signal(64) && !is_signal(0) && !is_signal(65) && !is_signal(-1));
    }

    #[test]
    fn crashes_are_never_blocked() {
        let before = set_mask(bit(libc::SIGSEGV) | bit(libc::SIGUSR1));
        assert_eq!(current_mask(), bit(libc::SIGUSR1));
        assert_eq!(set_mask(before), bit(libc::SIGUSR1));
        assert_eq!(current_mask(), before);
    }
}

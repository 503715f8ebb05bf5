//! Ctrl-C during an exploration: stop and say what is known so far.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether whoever started this process wants it to ignore a signal, as shells do of SIGINT for what runs behind them.
pub fn is_ignored(signal: libc::c_int) -> bool {
    // SAFETY: only asks; the action is written by the system.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Takes over SIGINT and SIGTERM, as far as they are not ignored.
pub fn catch() {
    for signal in [libc::SIGINT, libc::SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
        // SAFETY: the handler only stores to an atomic; the action is fully set. It runs on a stack of its own, where
        // there is one, because protection keys deny ranks' stacks to handlers.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = note as *const () as usize;
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
            libc::sigaction(signal, &action, std::ptr::null_mut());
        }
    }
}

/// Whether the user wants to stop.
pub fn wanted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

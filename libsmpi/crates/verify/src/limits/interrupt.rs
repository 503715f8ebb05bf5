//! Ctrl-C during an exploration: stop and say what is known so far.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Takes over SIGINT and SIGTERM.
pub fn catch() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
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

//! Ctrl-C during an exploration: stop and say what is known so far.

use std::sync::atomic::{AtomicBool, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn note(_signal: libc::c_int) {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Takes over SIGINT and SIGTERM.
pub fn catch() {
    for signal in [libc::SIGINT, libc::SIGTERM] {
        // SAFETY: the handler only stores to an atomic.
        unsafe { libc::signal(signal, note as *const () as usize) };
    }
}

/// Whether the user wants to stop.
pub fn wanted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

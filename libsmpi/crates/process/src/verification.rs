//! Whether ranks are under the checker, and what they do there that it can neither explore nor put back, so that no
//! exploration with it is complete.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_ON: AtomicBool = AtomicBool::new(false);
static NOTED: OnceLock<&'static str> = OnceLock::new();

/// From now on ranks are under the checker: a crash is a finding, and ends one rank only.
pub fn begin() {
    IS_ON.store(true, Ordering::Relaxed);
}

/// Whether ranks are under the checker.
pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// A rank does what cannot be put back; `what` says what is left out. Only the first is kept.
pub fn note_uncontrolled(what: &'static str) {
    if is_on() {
        NOTED.get_or_init(|| what);
    }
}

/// What was noted in this process.
pub fn uncontrolled() -> Option<&'static str> {
    NOTED.get().copied()
}

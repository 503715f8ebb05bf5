//! What ranks do under the checker that it can neither explore nor put back, so that no exploration with it is
//! complete.

use super::faults;
use std::sync::OnceLock;

static NOTED: OnceLock<&'static str> = OnceLock::new();

/// A rank does such a thing; `what` says what is left out. Only the first is kept.
pub fn note(what: &'static str) {
    if faults::is_catching() {
        NOTED.get_or_init(|| what);
    }
}

/// What was noted in this process.
pub fn noted() -> Option<&'static str> {
    NOTED.get().copied()
}

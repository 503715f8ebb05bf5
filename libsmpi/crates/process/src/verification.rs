//! Whether ranks are under the checker, and what they do there that it can neither explore nor put back, so that no
//! exploration with it is complete.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

struct Verification {
    is_on: AtomicBool,
    /// What was not controlled first.
    uncontrolled: OnceLock<&'static str>,
}

static VERIFICATION: Verification = Verification::new();

impl Verification {
    const fn new() -> Verification {
        Verification { is_on: AtomicBool::new(false), uncontrolled: OnceLock::new() }
    }

    fn begin(&self) {
        self.is_on.store(true, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    fn note_uncontrolled(&self, what: &'static str) {
        if self.is_on() {
            self.uncontrolled.get_or_init(|| what);
        }
    }
}

/// From now on ranks are under the checker: a crash is a finding, and ends one rank only.
pub fn begin() {
    VERIFICATION.begin();
}

/// Whether ranks are under the checker.
pub fn is_on() -> bool {
    VERIFICATION.is_on()
}

/// A rank does what cannot be put back; `what` says what is left out. Only the first is kept, and nothing where there
/// is no checker.
pub fn note_uncontrolled(what: &'static str) {
    VERIFICATION.note_uncontrolled(what);
}

/// What was noted in this process.
pub fn uncontrolled() -> Option<&'static str> {
    VERIFICATION.uncontrolled.get().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verification_is_incomplete_and_the_first_reason_is_told() {
        let verification = Verification::new();
        verification.note_uncontrolled("before");
        assert!(!verification.is_on() && verification.uncontrolled.get().is_none());
        verification.begin();
        verification.note_uncontrolled("first");
        verification.note_uncontrolled("second");
        assert_eq!((verification.is_on(), verification.uncontrolled.get()), (true, Some(&"first")));
    }
}

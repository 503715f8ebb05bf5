//! Whether ranks are under the checker, and what they do there that it can neither explore nor put back, so that no
//! exploration with it is complete.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reasons that are kept: more than a program has, and no more than a verdict should list.
const MOST: usize = 16;

struct Verification {
    is_on: AtomicBool,
    /// What was not controlled, each reason once, in the order in which they came.
    uncontrolled: [OnceLock<&'static str>; MOST],
}

static VERIFICATION: Verification = Verification::new();

impl Verification {
    const fn new() -> Verification {
        Verification { is_on: AtomicBool::new(false), uncontrolled: [const { OnceLock::new() }; MOST] }
    }

    fn begin(&self) {
        self.is_on.store(true, Ordering::Relaxed);
    }

    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    fn note_uncontrolled(&self, what: &'static str) {
        if self.is_on() {
            let _ = self.uncontrolled.iter().find(|place| *place.get_or_init(|| what) == what);
        }
    }

    fn uncontrolled(&self) -> impl Iterator<Item = &'static str> {
        self.uncontrolled.iter().map_while(|place| place.get().copied())
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

/// A rank does what cannot be put back; `what` says what is left out. Each reason is kept once, and nothing where there
/// is no checker.
pub fn note_uncontrolled(what: &'static str) {
    VERIFICATION.note_uncontrolled(what);
}

/// What was noted in this process.
pub fn uncontrolled() -> impl Iterator<Item = &'static str> {
    VERIFICATION.uncontrolled()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verification_is_incomplete_and_every_reason_is_told_once() {
        let verification = Verification::new();
        verification.note_uncontrolled("before");
        assert!(!verification.is_on() && verification.uncontrolled().next().is_none());
        verification.begin();
        for what in ["first", "second", "first"] {
            verification.note_uncontrolled(what);
        }
        assert!(verification.is_on());
        assert_eq!(verification.uncontrolled().collect::<Vec<_>>(), ["first", "second"]);
    }
}

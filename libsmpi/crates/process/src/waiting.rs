//! System calls in which a rank may be left for good because it waits for too long: those that the program asked for,
//! and while which nothing of this library is half done.

use crate::running;
use std::sync::atomic::{AtomicU64, Ordering};

/// No step has this number.
const NONE: u64 = 0;

/// The step in which the rank waits outside of this library though one of its functions is on the stack.
static OUTSIDE: AtomicU64 = AtomicU64::new(NONE);

/// Makes a system call that the program asked for, and in which its rank may be left.
pub fn outside<R>(call: impl FnOnce() -> R) -> R {
    OUTSIDE.store(running::step(), Ordering::Relaxed);
    let result = call();
    end();
    result
}

/// Whether the rank that runs waits outside in this step.
pub fn is_outside(step: u64) -> bool {
    OUTSIDE.load(Ordering::Relaxed) == step
}

/// The rank does not wait any more.
pub fn end() {
    OUTSIDE.store(NONE, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_outside_as_long_as_its_call_lasts() {
        let step = running::step();
        assert!(!is_outside(step));
        assert!(outside(|| is_outside(step) && !is_outside(step + 1)));
        assert!(!is_outside(step));
    }
}

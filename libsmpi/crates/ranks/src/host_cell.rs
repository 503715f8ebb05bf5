//! State that belongs to the thread that hosts the ranks.
//!
//! Ranks are coroutines of one thread, so what only they and their event loop use needs no lock; but a `static` has to
//! be `Sync`. [`HostCell`] is the one place that promises it, and turns a mistake of ours into a clear panic: using the
//! value while it is in use, or from another thread.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Its address tells threads apart.
    static MARK: u8 = const { 0 };
}

/// A value for the hosting thread.
pub struct HostCell<T> {
    value: UnsafeCell<T>,
    /// Invariant: true while a closure of [`HostCell::with`] runs.
    in_use: Cell<bool>,
    /// The thread that used it first, in debug builds; 0 for none.
    owner: AtomicUsize,
}

// SAFETY: `with` is the only way to the value. It is called by ranks and by the event loop that resumes them, which are
// all one thread: the C API refuses calls from other threads before they get here. Debug builds check it.
unsafe impl<T> Sync for HostCell<T> {}

impl<T> HostCell<T> {
    /// A cell with this value.
    pub const fn new(value: T) -> HostCell<T> {
        HostCell { value: UnsafeCell::new(value), in_use: Cell::new(false), owner: AtomicUsize::new(0) }
    }

    /// Gives the closure exclusive access to the value. It must neither suspend a rank nor run the program's code.
    ///
    /// # Panics
    /// When the value is in use already.
    #[inline]
    pub fn with<R>(&self, action: impl FnOnce(&mut T) -> R) -> R {
        self.check_thread();
        assert!(!self.in_use.replace(true), "a value of the hosting thread is used while it is in use");
        // SAFETY: the flag makes this the only live borrow, and the closure cannot keep it.
        let result = action(unsafe { &mut *self.value.get() });
        self.in_use.set(false);
        result
    }

    /// Whether a closure of [`HostCell::with`] runs: somebody came here from within it, as a signal handler does.
    pub fn is_in_use(&self) -> bool {
        self.in_use.get()
    }

    #[inline]
    fn check_thread(&self) {
        if cfg!(debug_assertions) {
            let this = MARK.with(|mark| &raw const *mark).addr();
            let owner = self.owner.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed);
            assert!(owner.is_ok() || owner == Err(this), "a value of the hosting thread is used by another one");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NUMBERS: HostCell<Vec<u32>> = HostCell::new(Vec::new());

    #[test]
    fn a_value_is_used_by_one_at_a_time() {
        NUMBERS.with(|numbers| numbers.push(7));
        assert_eq!(NUMBERS.with(|numbers| numbers.clone()), [7]);
        let nested = std::panic::catch_unwind(|| NUMBERS.with(|_| NUMBERS.with(|numbers| numbers.len())));
        assert!(nested.is_err());
    }

    #[test]
    fn another_thread_is_noticed() {
        static OTHER: HostCell<u32> = HostCell::new(0);
        OTHER.with(|number| *number += 1);
        assert!(std::thread::spawn(|| OTHER.with(|number| *number)).join().is_err());
    }
}

//! Values that only the hosting thread uses: the event loop and the ranks, which are coroutines of that thread.

use crate::running;
use std::ops::Deref;

/// A value of the hosting thread, for a static or for a part of something that all threads see. What is inside may be
/// a `Cell`, a `RefCell` or whatever else is for one thread.
///
/// Invariant: no other thread uses the value, not even to read it. Where the value is made says why that is so
/// ([`HostCell::new`]); builds with debug assertions check it at every use. In a process that hosts no ranks, and in a
/// child of `fork`, the hosting thread is the one that calls.
#[derive(Debug)]
pub struct HostCell<T>(T);

// SAFETY: one thread alone uses the value, as whoever called `new` promised.
unsafe impl<T> Sync for HostCell<T> {}

impl<T> HostCell<T> {
    /// Makes a value of the hosting thread.
    ///
    /// # Safety
    /// Only the hosting thread uses the value.
    pub const unsafe fn new(value: T) -> HostCell<T> {
        HostCell(value)
    }

    /// The value, for another thread.
    ///
    /// # Safety
    /// What the caller does with the value, and what the hosting thread does at the same time, must be no data race.
    pub unsafe fn from_any_thread(&self) -> &T {
        &self.0
    }
}

impl<T> Deref for HostCell<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        debug_assert!(running::may_be_host_thread(), "a value of the hosting thread is used by another one");
        &self.0
    }
}

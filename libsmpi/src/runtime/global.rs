//! The one piece of hidden global state, which the C ABI forces: where the runtime is.
//!
//! Ranks run on one thread, so access is exclusive by construction; the flag turns a mistake of ours (blocking or
//! calling back into the program inside [`with`]) into a clear internal error instead of two live borrows.

use std::cell::{Cell, UnsafeCell};

use super::state::Runtime;

struct Slot {
    runtime: UnsafeCell<Option<Runtime>>,
    borrowed: Cell<bool>,
}

// SAFETY: only the hosting thread reaches the slot: ranks are coroutines of that thread, and the boundary refuses
// MPI calls from any other thread before they get here.
unsafe impl Sync for Slot {}

static SLOT: Slot = Slot { runtime: UnsafeCell::new(None), borrowed: Cell::new(false) };

/// Puts the runtime in place; once a process.
pub fn install(runtime: Runtime) {
    // SAFETY: called before any rank runs, so nothing else looks at the slot.
    unsafe { *SLOT.runtime.get() = Some(runtime) };
}

/// True once there is a runtime.
pub fn is_running() -> bool {
    // SAFETY: as for `with`; reading the discriminant does not outlive this expression.
    unsafe { (*SLOT.runtime.get()).is_some() }
}

/// Gives the closure exclusive access to the runtime. The closure must neither suspend a rank nor run the program's
/// code.
#[inline]
pub fn with<R>(action: impl FnOnce(&mut Runtime) -> R) -> R {
    assert!(!SLOT.borrowed.replace(true), "the runtime is used while it is in use");
    // SAFETY: the flag above makes this the only live borrow, and the closure cannot keep it (no lifetime escapes).
    let runtime = unsafe { &mut *SLOT.runtime.get() };
    let result = match runtime {
        Some(runtime) => action(runtime),
        None => panic!("no runtime"),
    };
    SLOT.borrowed.set(false);
    result
}

/// Like [`with`], but gives up when the runtime is in use or not there.
pub fn try_with<R>(action: impl FnOnce(&mut Runtime) -> R) -> Option<R> {
    (is_running() && !SLOT.borrowed.get()).then(|| with(action))
}

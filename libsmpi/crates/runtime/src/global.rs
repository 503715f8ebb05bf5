//! Where the runtime is: the one piece of hidden state that the C ABI forces.

use std::sync::atomic::{AtomicBool, Ordering};

use smpi_ranks::HostCell;

use crate::state::Runtime;

static RUNTIME: HostCell<Option<Runtime>> = HostCell::new(None);

/// Whether there is one; any thread may ask.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Puts the runtime in place; once a process, before any rank runs.
pub fn install(runtime: Runtime) {
    RUNTIME.with(|place| *place = Some(runtime));
    RUNNING.store(true, Ordering::Release);
}

/// True once there is a runtime.
#[inline]
pub fn is_running() -> bool {
    RUNNING.load(Ordering::Relaxed)
}

/// Gives the closure exclusive access to the runtime. The closure must neither suspend a rank nor run the program's
/// code.
#[inline]
pub fn with<R>(action: impl FnOnce(&mut Runtime) -> R) -> R {
    RUNTIME.with(|place| match place {
        Some(runtime) => action(runtime),
        None => panic!("no runtime"),
    })
}

/// Like [`with`], but gives up when the runtime is in use or not there.
pub fn try_with<R>(action: impl FnOnce(&mut Runtime) -> R) -> Option<R> {
    (is_running() && !RUNTIME.is_in_use()).then(|| with(action))
}

//! Where the runtime is: the one piece of hidden state that the C ABI forces.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

use smpi_base::WorldRank;
use smpi_process::{self as process, HostCell};

use crate::objects::RankObjects;
use crate::state::Runtime;

// SAFETY: ranks and the event loop use it, which are coroutines of the hosting thread; the C API refuses calls from any
// other thread before they get here.
static RUNTIME: HostCell<RefCell<Option<Runtime>>> = unsafe { HostCell::new(RefCell::new(None)) };

/// Whether there is one; any thread may ask.
static RUNNING: AtomicBool = AtomicBool::new(false);

/// Whether what ranks do is written to a trace.
static RECORDING: AtomicBool = AtomicBool::new(false);

/// Puts the runtime in place; once a process, before any rank runs.
pub fn install(runtime: Runtime) {
    RECORDING.store(runtime.follows.trace.is_some(), Ordering::Relaxed);
    *RUNTIME.borrow_mut() = Some(runtime);
    RUNNING.store(true, Ordering::Release);
}

/// True once there is a runtime.
#[inline]
pub fn is_running() -> bool {
    RUNNING.load(Ordering::Relaxed)
}

/// Whether what ranks do is written to a trace.
#[inline]
pub fn is_recording() -> bool {
    RECORDING.load(Ordering::Relaxed)
}

/// Gives the closure exclusive access to the runtime. The closure must neither suspend a rank nor run the program's
/// code.
#[inline]
pub fn with<R>(action: impl FnOnce(&mut Runtime) -> R) -> R {
    match RUNTIME.try_borrow_mut().as_deref_mut() {
        Ok(Some(runtime)) => action(runtime),
        Ok(None) => panic!("no runtime"),
        Err(_) => panic!("the runtime is used while it is in use"),
    }
}

/// Like [`with`], but gives up when the runtime is in use or not there.
pub fn try_with<R>(action: impl FnOnce(&mut Runtime) -> R) -> Option<R> {
    Some(action(RUNTIME.try_borrow_mut().ok()?.as_mut()?))
}

/// The rank that calls: the one on whose stack we are, or rank 0 of a program that runs without `smpirun`.
#[inline]
pub fn current_rank() -> WorldRank {
    process::current_rank().unwrap_or(WorldRank(0))
}

/// Runs the action on the objects of the calling rank.
#[inline]
pub fn with_objects<R>(action: impl FnOnce(&mut RankObjects) -> R) -> R {
    let rank = current_rank();
    with(|runtime| action(&mut runtime.objects[rank.index()]))
}

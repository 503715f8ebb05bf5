//! Ranks that compute for longer than a timer of theirs runs: they are interrupted, as the kernel would.

use super::deliver::take;
use super::forward;
use super::timers::expire_until;
use crate::hooks::hooks;
use crate::{running, state};
use smpi_ranks::keys as protection;
use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Processor time between two looks at a rank that computes while it has a timer.
const LOOK_NANOS: i64 = 20_000_000;

/// The step that was seen last, and how often it was.
static SEEN: AtomicU64 = AtomicU64::new(0);
static LOOKS: AtomicU32 = AtomicU32::new(0);

/// A timer of a rank was set: starts to look at ranks that compute, once.
pub fn watch() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    let signal = libc::SIGRTMAX() - 1;
    // SAFETY: fully set arguments; the handler is a function of this library, which is never unloaded.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = look as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigaction(signal, &action, ptr::null_mut());
        let mut event: libc::sigevent = zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal;
        event.sigev_notify_thread_id = libc::gettid();
        let mut timer = ptr::null_mut();
        let pause = libc::timespec { tv_sec: 0, tv_nsec: LOOK_NANOS };
        let pauses = libc::itimerspec { it_interval: pause, it_value: pause };
        if libc::timer_create(libc::CLOCK_THREAD_CPUTIME_ID, &mut event, &mut timer) == 0 {
            libc::timer_settime(timer, 0, &pauses, ptr::null_mut());
        }
    }
}

extern "C" fn look(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    protection::leave();
    let step = running::step();
    let looks = if SEEN.swap(step, Ordering::Relaxed) == step { LOOKS.load(Ordering::Relaxed) + 1 } else { 0 };
    LOOKS.store(looks, Ordering::Relaxed);
    let Some(record) = state::caller() else { return };
    let computed = f64::from(looks) * LOOK_NANOS as f64 / 1e9;
    if looks > 0
        && forward::is_in_program(context)
        && (hooks().clock.date)() + computed >= record.own.signals.timers.next()
    {
        // SAFETY: the kernel's arguments, which this handler was called with; it returns at once.
        unsafe { forward::call(context, info, signal, take_early) };
    }
}

/// On the stack of a rank that has computed for as long as its next timer runs.
extern "C" fn take_early(_signal: c_int, _info: *mut libc::siginfo_t, _context: *mut c_void) {
    if let Some(record) = state::caller() {
        expire_until(record, record.own.signals.timers.next());
        take(record);
    }
}

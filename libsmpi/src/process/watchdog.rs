//! Ends ranks that compute for ever: the checker's `--call-timeout`.
//!
//! A timer ticks a few times per limit. A tick that finds the rank still in the turn in which earlier ticks found it counts;
//! when as many have counted as the limit has, the rank is left like one that crashed. Ticks are counted, not time, so that a
//! stopped process (a debugger, a suspended laptop) does not make a rank late. A turn costs one store.

use super::{faults, state};
use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Ticks per limit.
const TICKS: u32 = 10;
/// A rank is left only while the program's own code runs, where nothing of ours or of libc is half done. One that is blocked
/// in a system call is never seen there; after this many ticks it is left wherever it is.
const LAST_TICK: u32 = 2 * TICKS;

static TURN: AtomicU64 = AtomicU64::new(0);
static SEEN_TURN: AtomicU64 = AtomicU64::new(0);
static COUNTED: AtomicU32 = AtomicU32::new(0);
static LIMIT_MILLIS: AtomicU64 = AtomicU64::new(0);

/// A rank begins its turn. Only the hosting thread calls it.
#[inline]
pub fn note_turn() {
    TURN.store(TURN.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Starts to watch the calling thread. `false` when the system gives no timer.
pub fn start(limit_secs: f64) -> bool {
    LIMIT_MILLIS.store((limit_secs * 1e3) as u64, Ordering::Relaxed);
    let nanos = ((limit_secs * 1e9) as u64 / u64::from(TICKS)).max(1_000_000);
    let part = libc::timespec { tv_sec: (nanos / 1_000_000_000) as _, tv_nsec: (nanos % 1_000_000_000) as _ };
    // SAFETY: plain system calls with fully set arguments; the handler is a function of this library.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = tick as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
        libc::sigaction(libc::SIGALRM, &action, ptr::null_mut());
        let mut event: libc::sigevent = zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = libc::SIGALRM;
        event.sigev_notify_thread_id = libc::gettid();
        let mut timer: libc::timer_t = zeroed();
        let times = libc::itimerspec { it_interval: part, it_value: part };
        libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) == 0
            && libc::timer_settime(timer, 0, &times, ptr::null_mut()) == 0
    }
}

extern "C" fn tick(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    let turn = TURN.load(Ordering::Relaxed);
    if SEEN_TURN.swap(turn, Ordering::Relaxed) != turn {
        COUNTED.store(0, Ordering::Relaxed);
        return;
    }
    let counted = COUNTED.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(record) = state::current().filter(|_| counted >= TICKS) else { return };
    let in_program = smpi_image::unwind::find(interrupted_at(context)).is_some_and(|found| found.in_image);
    if in_program || counted == LAST_TICK {
        let seconds = LIMIT_MILLIS.load(Ordering::Relaxed) as f64 / 1e3;
        faults::leave_computing(record, seconds);
    }
}

/// Address of the instruction that a signal interrupted.
fn interrupted_at(context: *mut c_void) -> usize {
    // SAFETY: the kernel passes the context of this architecture.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    return registers.gregs[libc::REG_RIP as usize] as usize;
    #[cfg(target_arch = "aarch64")]
    return registers.pc as usize;
}

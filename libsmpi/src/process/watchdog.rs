//! Ends ranks that compute for ever, or are blocked in a system call: the checker's `--call-timeout`.
//!
//! A thread looks at the hosting thread a few times per limit. When a rank is still in the turn in which it was seen so often
//! that the limit is over, a signal interrupts it, and the rank is left like one that crashed. Looks are counted, not time,
//! so that a stopped process (a debugger, a suspended laptop) does not make a rank late. A turn costs one store, and nothing is
//! interrupted before the limit: a signal would end `poll` and the like early, whatever its flags (signal(7)).

use super::{faults, state};
use smpi_ranks::keys;
use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// Looks per limit.
const LOOKS: u32 = 10;
/// A rank is left only in the program's own code and in system calls, where nothing of ours or of libc is half done; after
/// this many looks it is left wherever it is.
const LAST_LOOK: u32 = 2 * LOOKS;

static TURN: AtomicU64 = AtomicU64::new(0);
static COUNTED: AtomicU32 = AtomicU32::new(0);
static LIMIT_MILLIS: AtomicU64 = AtomicU64::new(0);

/// A rank begins its turn. Only the hosting thread calls it.
#[inline]
pub fn note_turn() {
    TURN.store(TURN.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
}

/// Starts to watch the calling thread, in a thread of its own that ends with the process. `false` when the system gives none.
pub fn start(limit_secs: f64) -> bool {
    LIMIT_MILLIS.store((limit_secs * 1e3) as u64, Ordering::Relaxed);
    let pause = Duration::from_secs_f64((limit_secs / f64::from(LOOKS)).max(1e-3));
    // SAFETY: system calls with fully set arguments; the handler is a function of this library. The new thread inherits that
    // all signals are blocked: they are the hosting thread's.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = interrupted as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
        libc::sigaction(libc::SIGALRM, &action, ptr::null_mut());
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
        let (process, watched) = (libc::getpid(), libc::gettid());
        let thread = std::thread::Builder::new().name("watchdog".into()).spawn(move || watch(pause, process, watched));
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        thread.is_ok()
    }
}

fn watch(pause: Duration, process: libc::pid_t, watched: libc::pid_t) -> ! {
    let mut seen = 0;
    loop {
        std::thread::sleep(pause);
        let turn = TURN.load(Ordering::Relaxed);
        if turn != seen || !state::is_any_current() {
            seen = turn;
            COUNTED.store(0, Ordering::Relaxed);
            continue;
        }
        if COUNTED.fetch_add(1, Ordering::Relaxed) + 1 >= LOOKS {
            // SAFETY: signals a thread of this process; should it be gone, nothing happens.
            unsafe { libc::syscall(libc::SYS_tgkill, process, watched, libc::SIGALRM) };
        }
    }
}

extern "C" fn interrupted(_signal: c_int, _info: *mut libc::siginfo_t, context: *mut c_void) {
    // As in `faults`: the rank's stack is looked at.
    keys::leave();
    let counted = COUNTED.load(Ordering::Relaxed);
    // The turn may have ended while the signal was on its way.
    let Some(record) = state::current().filter(|_| counted >= LOOKS) else { return };
    let at = interrupted_at(context);
    let in_program = smpi_image::unwind::find(at).is_some_and(|found| found.in_image);
    let in_system_call = !in_program && is_system_call(at);
    if in_program || in_system_call || counted >= LAST_LOOK {
        let seconds = LIMIT_MILLIS.load(Ordering::Relaxed) as f64 / 1e3;
        faults::leave_computing(record, seconds, in_system_call);
    }
}

/// Whether a signal that came at this instruction interrupted a system call: it shows the instruction after, or, when the
/// call is to be repeated, the one that makes it.
fn is_system_call(at: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    const INSTRUCTION: [u8; 2] = [0x0f, 0x05];
    #[cfg(target_arch = "aarch64")]
    const INSTRUCTION: [u8; 4] = 0xd400_0001_u32.to_le_bytes();
    let len = INSTRUCTION.len();
    // SAFETY: code that was running, and the bytes before it, which belong to the same function or the one before.
    let bytes = unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(at - len), 2 * len) };
    bytes[..len] == INSTRUCTION || bytes[len..] == INSTRUCTION
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

//! Signals of ranks: dispositions, masks and pending signals belong to the rank, not to the process.
//!
//! The kernel has one handler for each signal of interest, ours ([`super::faults`]); what a rank asked for stands in
//! its own table, and the handler looks there. A signal that a rank sends itself (`raise`, a timer) does not go through
//! the kernel: its handler is called like a function, on the rank's stack. Masks are the kernel's, so that `sigsetjmp`
//! and `siglongjmp` see them; they are only switched with ranks that ever changed one. Signals from outside are for all
//! ranks that have a handler, as under mpirun. In children of `fork`, and on threads that ranks started, everything is
//! libc's.
//!
//! Source: POSIX.1-2017, System Interfaces 2.4; signal(7) for default actions.

mod calls;
mod forward;
mod timers;

pub use calls::{replacement, signal};
pub use forward::{have_handled, passed_on};
pub use timers::{Timers, note_timer, within_sleep};

use super::faults;
use super::state::{self, Record};
use crate::running;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_int, c_void};
use std::mem::{transmute, zeroed};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// One more than the largest number of a signal.
const COUNT: usize = 65;

/// Signals that mean a crash when they are not raised: they are never blocked, because the kernel would end the
/// process.
const FAULTS: [c_int; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS];

/// What a rank wants to happen when a signal comes.
#[derive(Clone, Copy)]
pub struct Action {
    /// A function, `SIG_DFL` or `SIG_IGN`.
    handler: usize,
    flags: c_int,
    /// Signals that are blocked meanwhile.
    mask: u64,
}

const DEFAULT: Action = Action { handler: libc::SIG_DFL, flags: 0, mask: 0 };

type Actions = Box<[Action; COUNT]>;

/// What a signal does to a rank that has no handler for it.
#[derive(Clone, Copy, PartialEq)]
enum Default {
    Nothing,
    Stops,
    Ends,
}

/// A rank's signals.
pub struct Signals {
    /// Made when the rank first sets an action.
    actions: UnsafeCell<Option<Actions>>,
    /// Signals that came while they were blocked, or while another rank ran.
    pending: Cell<u64>,
    /// It changed its mask at some time; `mask` is then its mask while another rank runs.
    is_masked: Cell<bool>,
    mask: Cell<u64>,
    /// The stack for handlers, as `sigaltstack` was told.
    stack: Cell<Option<(usize, usize)>>,
    pub timers: Timers,
    /// There may be something to deliver: a pending signal or a timer that has expired.
    attention: Cell<bool>,
    /// Handlers that were called.
    handled: Cell<u64>,
}

/// A rank's signals at one moment.
#[derive(Clone)]
pub struct SignalState {
    actions: Option<Actions>,
    pending: u64,
    mask: Option<u64>,
    stack: Option<(usize, usize)>,
    timers: Timers,
}

impl Signals {
    /// Those of a new process.
    pub fn new() -> Signals {
        Signals {
            actions: UnsafeCell::new(None),
            pending: Cell::new(0),
            is_masked: Cell::new(false),
            mask: Cell::new(0),
            stack: Cell::new(None),
            timers: Timers::default(),
            attention: Cell::new(false),
            handled: Cell::new(0),
        }
    }

    /// Copies them. The rank must not be running.
    pub fn state(&self) -> SignalState {
        SignalState {
            // SAFETY: the hosting thread alone uses the table, and keeps no borrow.
            actions: unsafe { (*self.actions.get()).clone() },
            pending: self.pending.get(),
            mask: self.is_masked.get().then(|| self.mask.get()),
            stack: self.stack.get(),
            timers: self.timers.clone(),
        }
    }

    /// Puts them back. The rank must not be running.
    pub fn set_state(&self, state: &SignalState) {
        // SAFETY: as in `state`.
        unsafe { (*self.actions.get()).clone_from(&state.actions) };
        self.pending.set(state.pending);
        self.is_masked.set(state.mask.is_some());
        self.mask.set(state.mask.unwrap_or(0));
        self.stack.set(state.stack);
        self.timers.set(&state.timers);
        self.attention.set(state.pending != 0);
    }

    /// What shall happen when `signal` comes.
    fn action(&self, signal: c_int) -> Action {
        // SAFETY: as in `state`.
        let actions = unsafe { &*self.actions.get() };
        actions.as_ref().map_or(DEFAULT, |actions| actions[signal as usize])
    }

    fn set_action(&self, signal: c_int, action: Action) {
        // SAFETY: as in `state`.
        let actions = unsafe { &mut *self.actions.get() };
        actions.get_or_insert_with(|| Box::new([DEFAULT; COUNT]))[signal as usize] = action;
    }

    /// Whether the rank has a function for a signal.
    fn has_handler(&self, signal: c_int) -> bool {
        !matches!(self.action(signal).handler, libc::SIG_DFL | libc::SIG_IGN)
    }

    /// The rank begins its turn.
    #[inline]
    pub fn enter(&self) {
        if self.is_masked.get() {
            OUTSIDE.store(set_mask(self.mask.get()), Ordering::Relaxed);
        }
    }

    /// The rank's turn is over.
    #[inline]
    pub fn leave(&self) {
        if self.is_masked.get() {
            self.mask.set(set_mask(OUTSIDE.load(Ordering::Relaxed)));
        }
    }

    /// The rank that runs is about to change its mask.
    fn own_mask(&self) {
        if !self.is_masked.replace(true) {
            OUTSIDE.store(current_mask(), Ordering::Relaxed);
        }
    }

    /// A signal is there for the rank; it is delivered when it can be.
    fn post(&self, signal: c_int) {
        self.pending.set(self.pending.get() | bit(signal));
        self.attention.set(true);
    }
}

/// The mask of the event loop, while a rank runs that has its own.
static OUTSIDE: AtomicU64 = AtomicU64::new(0);

/// A signal's place in a mask.
fn bit(signal: c_int) -> u64 {
    1 << (signal - 1)
}

/// The set of the first 64 signals; Linux has no others.
fn set_of(mask: u64) -> libc::sigset_t {
    // SAFETY: plain data, for which zeroes are valid; its first word has the first 64 signals
    // (bits/types/__sigset_t.h).
    unsafe {
        let mut set: libc::sigset_t = zeroed();
        ptr::from_mut(&mut set).cast::<u64>().write(mask);
        set
    }
}

/// # Safety
/// `set` must point to a signal set.
unsafe fn mask_of(set: *const libc::sigset_t) -> u64 {
    // SAFETY: the caller's promise; see `set_of`.
    unsafe { set.cast::<u64>().read() }
}

/// Sets this thread's mask, without the signals that are never blocked, and returns the one before.
fn set_mask(mask: u64) -> u64 {
    let faults = FAULTS.iter().fold(0, |all, &signal| all | bit(signal));
    let set = set_of(mask & !faults);
    // SAFETY: plain data and a valid place for the old mask.
    unsafe {
        let mut old: libc::sigset_t = zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, &mut old);
        mask_of(&old)
    }
}

/// This thread's mask.
fn current_mask() -> u64 {
    // SAFETY: only asks; a valid place for the answer.
    unsafe {
        let mut old: libc::sigset_t = zeroed();
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), &mut old);
        mask_of(&old)
    }
}

/// The rank that calls, when its signals are ours to handle.
fn caller() -> Option<&'static Record> {
    state::current().filter(|_| !running::is_child())
}

fn is_signal(number: c_int) -> bool {
    (1..COUNT as c_int).contains(&number)
}

fn default_of(signal: c_int) -> Default {
    match signal {
        libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT => Default::Nothing,
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => Default::Stops,
        _ => Default::Ends,
    }
}

/// Whether a rank ignores a signal.
fn is_ignored(record: &Record, signal: c_int) -> bool {
    record.signals.action(signal).handler == libc::SIG_IGN
}

/// Whether a signal does nothing to a process without a handler.
fn is_harmless(signal: c_int) -> bool {
    default_of(signal) == Default::Nothing
}

/// The rank sends itself a signal.
fn raise(record: &'static Record, signal: c_int) {
    if is_ignored(record, signal) && signal != libc::SIGKILL && signal != libc::SIGSTOP {
        return;
    }
    if signal != libc::SIGKILL && signal != libc::SIGSTOP && current_mask() & bit(signal) != 0 {
        record.signals.post(signal);
        return;
    }
    deliver(record, signal);
}

/// Lets a signal act on the rank that runs.
fn deliver(record: &'static Record, signal: c_int) {
    let action = record.signals.action(signal);
    match action.handler {
        libc::SIG_IGN => {}
        libc::SIG_DFL => match default_of(signal) {
            Default::Nothing => {}
            Default::Stops => {
                faults::refuse_in_verification("a signal stops the process");
                // SAFETY: stops this process, as the program wants; it goes on when the user says so.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            Default::Ends => faults::end_by_signal(record, signal),
        },
        handler => {
            let old = begin_handler(record, signal, action);
            // SAFETY: the program's function for this signal, called on the rank's stack with what a handler gets.
            // Nothing here needs dropping, should it not come back.
            unsafe {
                if action.flags & libc::SA_SIGINFO == 0 {
                    transmute::<usize, extern "C" fn(c_int)>(handler)(signal);
                } else {
                    let mut info: libc::siginfo_t = zeroed();
                    info.si_signo = signal;
                    info.si_code = libc::SI_TKILL;
                    let mut context: libc::ucontext_t = zeroed();
                    libc::getcontext(&mut context);
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = transmute(handler);
                    handler(signal, &mut info, ptr::from_mut(&mut context).cast());
                }
            }
            set_mask(old);
        }
    }
}

/// What happens before a handler is called: its mask holds, and with `SA_RESETHAND` the action is over. Returns the
/// mask that holds again afterwards.
fn begin_handler(record: &Record, signal: c_int, action: Action) -> u64 {
    let old = current_mask();
    record.signals.own_mask();
    set_mask(mask_while_handling(old, signal, action));
    note_handler(record, signal, action);
    old
}

fn mask_while_handling(before: u64, signal: c_int, action: Action) -> u64 {
    let own = if action.flags & libc::SA_NODEFER == 0 { bit(signal) } else { 0 };
    before | action.mask | own
}

fn note_handler(record: &Record, signal: c_int, action: Action) {
    record.signals.handled.set(record.signals.handled.get() + 1);
    if action.flags & libc::SA_RESETHAND != 0 {
        record.signals.set_action(signal, DEFAULT);
    }
}

/// Delivers what is there for the rank that runs, and not blocked: at points where it may call anything.
#[inline]
pub fn take(record: &'static Record) {
    if record.signals.attention.get() {
        take_pending(record);
    }
}

#[cold]
fn take_pending(record: &'static Record) {
    record.signals.attention.set(false);
    timers::expire(record);
    loop {
        let due = record.signals.pending.get() & !current_mask();
        if due == 0 {
            return;
        }
        let signal = due.trailing_zeros() as c_int + 1;
        record.signals.pending.set(record.signals.pending.get() & !bit(signal));
        deliver(record, signal);
    }
}

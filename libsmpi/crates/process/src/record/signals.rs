//! What a rank wants done about signals, what came for it, and its mask.

use crate::mask::{COUNT, bit, current_mask, set_mask};
use crate::record::timers::Timers;
use smpi_base::digest::{Digest, Named, Unnamed};
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_int;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a rank wants to happen when a signal comes.
#[derive(Clone, Copy, Debug, PartialEq, Hash)]
pub struct Action {
    /// A function, `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    pub flags: c_int,
    /// Signals that are blocked meanwhile.
    pub mask: u64,
}

/// The action of a process that starts.
pub const DEFAULT: Action = Action { handler: libc::SIG_DFL, flags: 0, mask: 0 };

impl Action {
    /// The mask while the handler of a signal runs.
    pub fn mask_meanwhile(&self, signal: c_int, before: u64) -> u64 {
        let own = if self.flags & libc::SA_NODEFER == 0 { bit(signal) } else { 0 };
        before | self.mask | own
    }
}

/// Whether a signal does nothing to a process without a handler (signal(7)).
pub fn is_harmless(signal: c_int) -> bool {
    matches!(signal, libc::SIGCHLD | libc::SIGURG | libc::SIGWINCH | libc::SIGCONT)
}

type Actions = Box<[Action; COUNT]>;

/// A rank's signals.
pub struct Signals {
    /// Made when the rank first sets an action.
    actions: UnsafeCell<Option<Actions>>,
    /// Signals that came while they were blocked, or while another rank ran.
    pending: Cell<u64>,
    /// It changed its mask at some time; `mask` is then its mask while another rank runs.
    is_masked: Cell<bool>,
    mask: Cell<u64>,
    /// The stack for handlers, as `sigaltstack` was told: where it begins, and its size.
    pub stack: Cell<Option<(usize, usize)>>,
    pub timers: Timers,
    /// There may be something to deliver: a pending signal or a timer that has expired.
    pub attention: Cell<bool>,
    /// Handlers that were called.
    handled: Cell<u64>,
}

/// A rank's signals at one moment.
#[derive(Clone, Debug)]
pub struct SignalState {
    actions: Option<Actions>,
    pending: u64,
    mask: Option<u64>,
    stack: Option<(usize, usize)>,
    timers: Timers,
}

/// The mask of the event loop, while a rank runs that has its own.
static OUTSIDE: AtomicU64 = AtomicU64::new(0);

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

    /// Adds them to a name: signals come from the rank itself, or from its timers.
    ///
    /// # Errors
    /// A timer runs: when it will expire, is no part of a name.
    pub fn name(&self, into: &mut Digest) -> Named {
        let SignalState { actions, pending, mask, stack, timers } = self.state();
        if timers.next().is_finite() {
            return Err(Unnamed("a rank has set a timer"));
        }
        into.add((actions, pending, mask, stack));
        Ok(())
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
        // SAFETY: the hosting thread alone uses the table, and keeps no borrow.
        unsafe { (*self.actions.get()).clone_from(&state.actions) };
        self.pending.set(state.pending);
        self.is_masked.set(state.mask.is_some());
        self.mask.set(state.mask.unwrap_or(0));
        self.stack.set(state.stack);
        self.timers.set(&state.timers);
        self.attention.set(state.pending != 0);
    }

    /// What shall happen when `signal` comes.
    pub fn action(&self, signal: c_int) -> Action {
        // SAFETY: the hosting thread alone uses the table, and keeps no borrow.
        let actions = unsafe { &*self.actions.get() };
        actions.as_ref().map_or(DEFAULT, |actions| actions[signal as usize])
    }

    /// Says what shall happen when `signal` comes.
    pub fn set_action(&self, signal: c_int, action: Action) {
        // SAFETY: the hosting thread alone uses the table, and keeps no borrow.
        let actions = unsafe { &mut *self.actions.get() };
        actions.get_or_insert_with(|| Box::new([DEFAULT; COUNT]))[signal as usize] = action;
        // One that waits and does nothing from now on is gone, whether it is blocked or not (POSIX.1-2017 §2.4.3).
        let does_nothing = match action.handler {
            libc::SIG_IGN => true,
            libc::SIG_DFL => is_harmless(signal),
            _ => false,
        };
        if does_nothing {
            self.pending.set(self.pending.get() & !bit(signal));
        }
    }

    /// Whether the rank has a function for a signal.
    pub fn has_handler(&self, signal: c_int) -> bool {
        !matches!(self.action(signal).handler, libc::SIG_DFL | libc::SIG_IGN)
    }

    /// Whether the rank ignores a signal.
    pub fn ignores(&self, signal: c_int) -> bool {
        self.action(signal).handler == libc::SIG_IGN
    }

    /// The rank's function for a signal is about to be called.
    pub fn note_handler(&self, signal: c_int) {
        self.handled.set(self.handled.get() + 1);
        if self.action(signal).flags & libc::SA_RESETHAND != 0 {
            self.set_action(signal, DEFAULT);
        }
    }

    /// How many functions for signals were called so far.
    pub fn handled(&self) -> u64 {
        self.handled.get()
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
    pub fn own_mask(&self) {
        if !self.is_masked.replace(true) {
            OUTSIDE.store(current_mask(), Ordering::Relaxed);
        }
    }

    /// A signal is there for the rank; it is delivered when it can be.
    pub fn post(&self, signal: c_int) {
        self.pending.set(self.pending.get() | bit(signal));
        self.attention.set(true);
    }

    /// Signals that wait to be delivered.
    pub fn pending(&self) -> u64 {
        self.pending.get()
    }

    /// Takes the signal with the lowest number among those that wait and are in a mask.
    pub fn take_pending(&self, among: u64) -> Option<c_int> {
        let signal = crate::mask::first(self.pending.get() & among)?;
        self.pending.set(self.pending.get() & !bit(signal));
        Some(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDLER: usize = 0x1000;

    #[test]
    fn signals_wait_until_they_are_taken() {
        let signals = Signals::new();
        assert!(!signals.attention.get());
        signals.post(libc::SIGUSR2);
        signals.post(libc::SIGUSR1);
        signals.post(libc::SIGUSR1);
        assert!(signals.attention.get());
        assert_eq!(signals.take_pending(bit(libc::SIGALRM)), None);
        assert_eq!(signals.take_pending(u64::MAX), Some(libc::SIGUSR1));
        assert_eq!(signals.take_pending(u64::MAX), Some(libc::SIGUSR2));
        assert_eq!(signals.pending(), 0);
    }

    #[test]
    fn a_handler_may_be_for_once() {
        let signals = Signals::new();
        assert_eq!(signals.action(libc::SIGUSR1), DEFAULT);
        signals.set_action(libc::SIGUSR1, Action { handler: HANDLER, flags: libc::SA_RESETHAND, mask: 0 });
        signals.set_action(libc::SIGUSR2, Action { handler: libc::SIG_IGN, ..DEFAULT });
        assert!(signals.has_handler(libc::SIGUSR1) && !signals.has_handler(libc::SIGUSR2));
        assert!(signals.ignores(libc::SIGUSR2) && !signals.ignores(libc::SIGUSR1));
        signals.note_handler(libc::SIGUSR1);
        assert_eq!((signals.handled(), signals.action(libc::SIGUSR1)), (1, DEFAULT));
    }

    #[test]
    fn a_handler_has_its_own_signal_blocked_unless_it_says_otherwise() {
        let action = Action { handler: HANDLER, flags: 0, mask: bit(libc::SIGUSR2) };
        let before = bit(libc::SIGINT);
        let all = before | bit(libc::SIGUSR1) | bit(libc::SIGUSR2);
        assert_eq!(action.mask_meanwhile(libc::SIGUSR1, before), all);
        let open = Action { flags: libc::SA_NODEFER, ..action };
        assert_eq!(open.mask_meanwhile(libc::SIGUSR1, before), all & !bit(libc::SIGUSR1));
    }

    #[test]
    fn they_can_be_put_back() {
        let signals = Signals::new();
        signals.post(libc::SIGUSR1);
        signals.stack.set(Some((16, 32)));
        let then = signals.state();
        signals.set_action(libc::SIGUSR1, Action { handler: HANDLER, ..DEFAULT });
        signals.take_pending(u64::MAX);
        signals.attention.set(false);
        signals.stack.set(None);
        signals.set_state(&then);
        assert_eq!((signals.pending(), signals.attention.get()), (bit(libc::SIGUSR1), true));
        assert_eq!((signals.stack.get(), signals.action(libc::SIGUSR1)), (Some((16, 32)), DEFAULT));
    }

    #[test]
    fn a_rank_that_changes_its_mask_has_it_in_its_turns_only() {
        let signals = Signals::new();
        let outside = current_mask();
        signals.own_mask();
        set_mask(outside | bit(libc::SIGUSR1));
        signals.leave();
        assert_eq!(current_mask(), outside);
        signals.enter();
        assert_eq!(current_mask(), outside | bit(libc::SIGUSR1));
        signals.leave();
        assert_eq!(current_mask(), outside);
    }
}

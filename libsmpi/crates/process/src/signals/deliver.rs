//! Lets signals act on the rank that runs: its handler is called like a function, or what happens by default happens.

use super::timers;
use crate::faults::crash::end_by_signal;
use crate::faults::refusals::refuse_in_verification;
use crate::mask::{bit, current_mask, set_mask};
use crate::record::{Action, Record, is_harmless};
use crate::state;
use std::ffi::{c_int, c_void};
use std::mem::{transmute, zeroed};
use std::ptr;

/// What a signal does to a rank that has no handler for it.
#[derive(Clone, Copy, PartialEq)]
enum Default {
    Nothing,
    Stops,
    Ends,
}

fn default_of(signal: c_int) -> Default {
    match signal {
        _ if is_harmless(signal) => Default::Nothing,
        libc::SIGSTOP | libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => Default::Stops,
        _ => Default::Ends,
    }
}

/// The rank sends itself a signal.
pub fn raise(record: &'static Record, signal: c_int) {
    if record.own.signals.ignores(signal) && signal != libc::SIGKILL && signal != libc::SIGSTOP {
        return;
    }
    if signal != libc::SIGKILL && signal != libc::SIGSTOP && current_mask() & bit(signal) != 0 {
        record.own.signals.post(signal);
        return;
    }
    deliver(record, signal);
}

/// Lets a signal act on the rank that runs.
pub fn deliver(record: &'static Record, signal: c_int) {
    let action = record.own.signals.action(signal);
    match action.handler {
        libc::SIG_IGN => {}
        libc::SIG_DFL => match default_of(signal) {
            Default::Nothing => {}
            Default::Stops => {
                refuse_in_verification("a signal stops the process");
                // SAFETY: stops this process, as the program wants; it goes on when the user says so.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            Default::Ends => end_by_signal(record, signal),
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
    record.own.signals.own_mask();
    set_mask(action.mask_meanwhile(signal, old));
    record.own.signals.note_handler(signal);
    old
}

/// Delivers what is there for the rank that runs, and not blocked: at points where it may call anything.
#[inline]
pub fn take(record: &'static Record) {
    if record.own.signals.attention.get() {
        take_pending(record);
    }
}

#[cold]
fn take_pending(record: &'static Record) {
    record.own.signals.attention.set(false);
    timers::expire(record);
    loop {
        let Some(signal) = record.own.signals.take_pending(!current_mask()) else { return };
        deliver(record, signal);
    }
}

/// Delivers the signals that came for the calling rank while it was suspended.
#[inline]
pub fn take_own() {
    if let Some(record) = state::current() {
        take(record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_signals_end_a_rank_that_has_no_handler() {
        assert!([libc::SIGCHLD, libc::SIGWINCH].map(default_of).iter().all(|d| *d == Default::Nothing));
        assert!(default_of(libc::SIGTSTP) == Default::Stops);
        assert!([libc::SIGTERM, libc::SIGUSR1, libc::SIGALRM, 40].map(default_of).iter().all(|d| *d == Default::Ends));
    }
}

//! The functions of libc about signals, as ranks get them.

use super::deliver::{self, deliver, take};
use super::handler::have_handled;
use super::timer_calls::{alarm, getitimer, setitimer, timer_create, timerfd_create, ualarm};
use super::{sleeping, timers};
use crate::contract::{Table, or_libc, put, refuse, set_errno};
use crate::faults::crash::end_by_signal;
use crate::faults::refusals::refuse_in_verification;
use crate::mask::{COUNT, current_mask, is_signal, mask_of, set_mask, set_of};
use crate::record::{Action, DEFAULT, Record};
use crate::state::caller;
use crate::waiting;
use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;

type Handler = libc::sighandler_t;

/// The functions about signals.
pub const REPLACED: Table = &[
    ("sigaction", sigaction as *const ()),
    ("__sigaction", sigaction as *const ()),
    ("signal", signal as *const ()),
    ("bsd_signal", signal as *const ()),
    ("ssignal", signal as *const ()),
    ("sysv_signal", sysv_signal as *const ()),
    ("__sysv_signal", sysv_signal as *const ()),
    ("sigignore", sigignore as *const ()),
    ("siginterrupt", siginterrupt as *const ()),
    ("raise", raise as *const ()),
    ("gsignal", raise as *const ()),
    ("kill", kill as *const ()),
    ("killpg", killpg as *const ()),
    ("pthread_kill", pthread_kill as *const ()),
    ("sigqueue", sigqueue as *const ()),
    ("tgkill", tgkill as *const ()),
    ("abort", abort as *const ()),
    ("sigprocmask", sigprocmask as *const ()),
    ("pthread_sigmask", pthread_sigmask as *const ()),
    ("sigpending", sigpending as *const ()),
    ("sigsuspend", sigsuspend as *const ()),
    ("pause", pause as *const ()),
    ("sigwait", sigwait as *const ()),
    ("sigwaitinfo", sigwaitinfo as *const ()),
    ("sigtimedwait", sigtimedwait as *const ()),
    ("sigaltstack", sigaltstack as *const ()),
    ("alarm", alarm as *const ()),
    ("ualarm", ualarm as *const ()),
    ("setitimer", setitimer as *const ()),
    ("timer_create", timer_create as *const ()),
    ("timerfd_create", timerfd_create as *const ()),
    ("getitimer", getitimer as *const ()),
];

/// Sets a rank's action, or says why not.
fn set(record: &'static Record, signal: c_int, action: Action) -> Result<(), c_int> {
    if !is_signal(signal) || signal == libc::SIGKILL || signal == libc::SIGSTOP {
        return Err(libc::EINVAL);
    }
    if action.handler != libc::SIG_DFL {
        have_handled(signal, action.flags & libc::SA_RESTART != 0);
    }
    record.own.signals.set_action(signal, action);
    timers::note_left_out(record);
    Ok(())
}

unsafe extern "C" fn sigaction(signal: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int {
    let record = or_libc!(caller(), libc::sigaction(signal, new, old));
    if !is_signal(signal) {
        return refuse(libc::EINVAL);
    }
    let before = record.own.signals.action(signal);
    // SAFETY: by C's contract null or valid structures.
    unsafe {
        if let Some(new) = new.as_ref() {
            let action = Action { handler: new.sa_sigaction, flags: new.sa_flags, mask: mask_of(&new.sa_mask) };
            if let Err(error) = set(record, signal, action) {
                return refuse(error);
            }
        }
        if !old.is_null() {
            let mut action: libc::sigaction = zeroed();
            (action.sa_sigaction, action.sa_flags, action.sa_mask) =
                (before.handler, before.flags, set_of(before.mask));
            old.write(action);
        }
    }
    0
}

fn set_simply(record: &'static Record, signal: c_int, handler: Handler, flags: c_int) -> Handler {
    let before = if is_signal(signal) { record.own.signals.action(signal) } else { DEFAULT };
    match set(record, signal, Action { handler, flags, mask: 0 }) {
        Ok(()) => before.handler,
        Err(error) => {
            set_errno(error);
            libc::SIG_ERR
        }
    }
}

/// `signal`, with the meaning that it has on Linux by default (signal(2)).
pub unsafe extern "C" fn signal(signal: c_int, handler: Handler) -> Handler {
    let record = or_libc!(caller(), libc::signal(signal, handler));
    set_simply(record, signal, handler, libc::SA_RESTART)
}

/// `signal`, as System V had it, and as strict C programs get it.
unsafe extern "C" fn sysv_signal(signal: c_int, handler: Handler) -> Handler {
    let record = or_libc!(caller(), libc::signal(signal, handler));
    set_simply(record, signal, handler, libc::SA_RESETHAND | libc::SA_NODEFER)
}

unsafe extern "C" fn sigignore(number: c_int) -> c_int {
    // SAFETY: a constant for the handler.
    if unsafe { signal(number, libc::SIG_IGN) } == libc::SIG_ERR { -1 } else { 0 }
}

unsafe extern "C" fn siginterrupt(signal: c_int, interrupts: c_int) -> c_int {
    let Some(record) = caller() else { return 0 };
    if !is_signal(signal) {
        return refuse(libc::EINVAL);
    }
    let mut action = record.own.signals.action(signal);
    action.flags = if interrupts != 0 { action.flags & !libc::SA_RESTART } else { action.flags | libc::SA_RESTART };
    record.own.signals.set_action(signal, action);
    0
}

extern "C" fn raise(signal: c_int) -> c_int {
    let record = or_libc!(caller(), libc::raise(signal));
    if !(0..COUNT as c_int).contains(&signal) {
        return refuse(libc::EINVAL);
    }
    if signal != 0 {
        deliver::raise(record, signal);
    }
    0
}

/// `kill`: ranks are one process, so a signal to it is to the rank itself; one to its group is, too, or it would end
/// the user's shell script.
extern "C" fn kill(process: libc::pid_t, signal: c_int) -> c_int {
    // SAFETY: asks for a number.
    let is_own = process == 0 || process == unsafe { libc::getpid() };
    // SAFETY: takes numbers, and any.
    send(is_own, signal, "kill() sends a signal to another process", || unsafe { libc::kill(process, signal) })
}

extern "C" fn killpg(group: libc::pid_t, signal: c_int) -> c_int {
    // SAFETY: asks for a number.
    let is_own = group == 0 || group == unsafe { libc::getpgrp() };
    // SAFETY: takes numbers, and any.
    send(is_own, signal, "killpg() sends a signal to other processes", || unsafe { libc::killpg(group, signal) })
}

/// Sends a signal to the rank that calls, or, by `others`, to processes outside; `what` says what that is.
fn send(is_own: bool, signal: c_int, what: &str, others: impl FnOnce() -> c_int) -> c_int {
    if is_own && caller().is_some() {
        return raise(signal);
    }
    if signal != 0 {
        refuse_in_verification(what);
    }
    others()
}

unsafe extern "C" fn pthread_kill(thread: libc::pthread_t, signal: c_int) -> c_int {
    // SAFETY: by C's contract a thread that has not been joined.
    unsafe {
        if caller().is_some() && libc::pthread_equal(thread, libc::pthread_self()) != 0 {
            return if raise(signal) == 0 { 0 } else { libc::EINVAL };
        }
        libc::pthread_kill(thread, signal)
    }
}

unsafe extern "C" fn sigqueue(process: libc::pid_t, signal: c_int, value: libc::sigval) -> c_int {
    // SAFETY: takes numbers and a value for the handler, and any.
    unsafe {
        if caller().is_some() && process == libc::getpid() {
            return raise(signal);
        }
        libc::sigqueue(process, signal, value)
    }
}

extern "C" fn tgkill(group: libc::pid_t, thread: libc::pid_t, signal: c_int) -> c_int {
    // SAFETY: takes numbers, and any.
    unsafe {
        if caller().is_some() && group == libc::getpid() && thread == libc::gettid() {
            return raise(signal);
        }
        libc::syscall(libc::SYS_tgkill, group, thread, signal) as c_int
    }
}

/// `abort`: the rank's handler for SIGABRT, if there is one, and then the end of the rank.
extern "C" fn abort() -> ! {
    let Some(record) = caller() else {
        // SAFETY: ends the process, as its caller wants.
        unsafe { libc::abort() }
    };
    deliver_or_ignore(record);
    end_by_signal(record, libc::SIGABRT)
}

fn deliver_or_ignore(record: &'static Record) {
    if record.own.signals.has_handler(libc::SIGABRT) {
        deliver(record, libc::SIGABRT);
    }
}

/// Changes the rank's mask; signals that are not blocked any more are delivered.
///
/// # Safety
/// C's contract for `sigprocmask`: null or valid sets.
unsafe fn change_mask(
    record: &'static Record,
    how: c_int,
    new: *const libc::sigset_t,
    old: *mut libc::sigset_t,
) -> c_int {
    let before = current_mask();
    // SAFETY: by C's contract null or valid sets.
    unsafe {
        if !new.is_null() {
            let new = mask_of(new);
            let mask = match how {
                libc::SIG_BLOCK => before | new,
                libc::SIG_UNBLOCK => before & !new,
                libc::SIG_SETMASK => new,
                _ => return libc::EINVAL,
            };
            record.own.signals.own_mask();
            set_mask(mask);
        }
        put(old, set_of(before));
    }
    record.own.signals.attention.set(record.own.signals.attention.get() || record.own.signals.pending() != 0);
    take(record);
    0
}

unsafe extern "C" fn sigprocmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    let record = or_libc!(caller(), libc::sigprocmask(how, new, old));
    // SAFETY: the arguments of the caller, whose contract is that of `change_mask`.
    match unsafe { change_mask(record, how, new, old) } {
        0 => 0,
        error => refuse(error),
    }
}

unsafe extern "C" fn pthread_sigmask(how: c_int, new: *const libc::sigset_t, old: *mut libc::sigset_t) -> c_int {
    let record = or_libc!(caller(), libc::pthread_sigmask(how, new, old));
    // SAFETY: the arguments of the caller, whose contract is that of `change_mask`.
    unsafe { change_mask(record, how, new, old) }
}

unsafe extern "C" fn sigpending(set: *mut libc::sigset_t) -> c_int {
    // SAFETY: by C's contract a place for a set.
    unsafe {
        let result = libc::sigpending(set);
        if result == 0
            && let Some(record) = caller()
        {
            set.write(set_of(mask_of(set) | record.own.signals.pending()));
        }
        result
    }
}

/// Waits for a signal: one that is pending, a timer's, or one from outside.
fn wait_for_signal(record: &'static Record) {
    let before = record.own.signals.handled();
    record.own.signals.attention.set(true);
    take(record);
    while record.own.signals.handled() == before {
        if sleeping::wait_for_one(record) {
            continue;
        }
        // SAFETY: waits. What comes from outside ends it, and its handler may have run already.
        waiting::outside(|| unsafe { libc::pause() });
        take(record);
        return;
    }
}

extern "C" fn pause() -> c_int {
    let record = or_libc!(caller(), libc::pause());
    wait_for_signal(record);
    refuse(libc::EINTR)
}

unsafe extern "C" fn sigsuspend(mask: *const libc::sigset_t) -> c_int {
    let record = or_libc!(caller(), libc::sigsuspend(mask));
    record.own.signals.own_mask();
    // SAFETY: by C's contract a valid set.
    let before = set_mask(unsafe { mask_of(mask) });
    wait_for_signal(record);
    set_mask(before);
    refuse(libc::EINTR)
}

unsafe extern "C" fn sigwait(set: *const libc::sigset_t, signal: *mut c_int) -> c_int {
    let record = or_libc!(caller(), libc::sigwait(set, signal));
    // SAFETY: by C's contract a valid set, and a place for the signal.
    unsafe {
        match wait_for_pending(record, mask_of(set), f64::INFINITY) {
            Some(number) => {
                signal.write(number);
                0
            }
            None => waiting::outside(|| libc::sigwait(set, signal)),
        }
    }
}

/// Waits for one of the `wanted` signals, which are blocked, to become pending, and takes it; for `limit` seconds at
/// most.
fn wait_for_pending(record: &'static Record, wanted: u64, limit: f64) -> Option<c_int> {
    loop {
        timers::expire(record);
        let pending = record.own.signals.take_pending(wanted);
        if pending.is_some() {
            return pending;
        }
        if !sleeping::wait_for_one_of(record, wanted, limit) {
            return None;
        }
    }
}

unsafe extern "C" fn sigwaitinfo(set: *const libc::sigset_t, info: *mut libc::siginfo_t) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of `sigtimedwait` without a time.
    unsafe { sigtimedwait(set, info, ptr::null()) }
}

unsafe extern "C" fn sigtimedwait(
    set: *const libc::sigset_t,
    info: *mut libc::siginfo_t,
    timeout: *const libc::timespec,
) -> c_int {
    let record = or_libc!(caller(), libc::sigtimedwait(set, info, timeout));
    // SAFETY: by C's contract a valid set; the others are null or valid.
    unsafe {
        let limit = timeout.as_ref().map_or(f64::INFINITY, |time| time.tv_sec as f64 + time.tv_nsec as f64 / 1e9);
        let Some(signal) = wait_for_pending(record, mask_of(set), limit) else {
            // The time is over, or a signal from outside is all that can come.
            return match timeout.is_null() {
                true => waiting::outside(|| libc::sigtimedwait(set, info, timeout)),
                false => refuse(libc::EAGAIN),
            };
        };
        if !info.is_null() {
            let mut found: libc::siginfo_t = zeroed();
            found.si_signo = signal;
            info.write(found);
        }
        signal
    }
}

unsafe extern "C" fn sigaltstack(new: *const libc::stack_t, old: *mut libc::stack_t) -> c_int {
    let record = or_libc!(caller(), libc::sigaltstack(new, old));
    let before = record.own.signals.stack.get();
    // SAFETY: by C's contract null or valid structures.
    unsafe {
        if let Some(new) = new.as_ref() {
            if new.ss_flags & libc::SS_DISABLE == 0 && new.ss_size < libc::MINSIGSTKSZ {
                return refuse(libc::ENOMEM);
            }
            let stack = (new.ss_flags & libc::SS_DISABLE == 0).then(|| (new.ss_sp.addr(), new.ss_size));
            record.own.signals.stack.set(stack);
        }
        if !old.is_null() {
            let (start, len) = before.unwrap_or((0, 0));
            let flags = if before.is_some() { 0 } else { libc::SS_DISABLE };
            old.write(libc::stack_t {
                ss_sp: ptr::with_exposed_provenance_mut::<c_void>(start),
                ss_flags: flags,
                ss_size: len,
            });
        }
    }
    0
}

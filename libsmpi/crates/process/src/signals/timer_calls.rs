//! `alarm`, `ualarm`, `setitimer` and `getitimer` of ranks: simulated time, one set of timers for each rank.
//!
//! Timers of `timer_create` and `timerfd_create` are the kernel's: they run in real time, and what a checker explores
//! with them is not complete.

use super::{computing, timers};
use crate::contract::{or_libc, put, refuse};
use crate::record::{Record, Timer};
use crate::state::caller;
use crate::verification;
use std::ffi::{c_int, c_uint};

fn set(record: &Record, which: usize, seconds: f64, interval: f64) -> Timer {
    let left = timers::set(record, which, seconds, interval);
    if record.own.signals.timers.next() < f64::INFINITY && !verification::is_on() {
        computing::watch();
    }
    left
}

unsafe extern "C" {
    #[link_name = "setitimer"]
    fn libc_setitimer(which: c_int, new: *const libc::itimerval, old: *mut libc::itimerval) -> c_int;
    #[link_name = "getitimer"]
    fn libc_getitimer(which: c_int, value: *mut libc::itimerval) -> c_int;
    #[link_name = "ualarm"]
    fn libc_ualarm(micros: c_uint, interval: c_uint) -> c_uint;
}

pub extern "C" fn alarm(seconds: c_uint) -> c_uint {
    let record = or_libc!(caller(), libc::alarm(seconds));
    let left = set(record, 0, f64::from(seconds), 0.0).due;
    if left == f64::INFINITY { 0 } else { left.max(1.0).ceil() as c_uint }
}

pub extern "C" fn ualarm(micros: c_uint, interval: c_uint) -> c_uint {
    let record = or_libc!(caller(), libc_ualarm(micros, interval));
    let left = set(record, 0, f64::from(micros) / 1e6, f64::from(interval) / 1e6).due;
    if left == f64::INFINITY { 0 } else { (left * 1e6).max(1.0).ceil() as c_uint }
}

fn seconds_of(time: libc::timeval) -> f64 {
    time.tv_sec as f64 + time.tv_usec as f64 / 1e6
}

fn time_of(seconds: f64) -> libc::timeval {
    let micros = (seconds.max(0.0) * 1e6).ceil() as i64;
    libc::timeval { tv_sec: micros / 1_000_000, tv_usec: micros % 1_000_000 }
}

fn value_of(left: Timer) -> libc::itimerval {
    let value = if left.due == f64::INFINITY { 0.0 } else { left.due.max(1e-6) };
    libc::itimerval { it_interval: time_of(left.interval), it_value: time_of(value) }
}

pub unsafe extern "C" fn setitimer(which: c_int, new: *const libc::itimerval, old: *mut libc::itimerval) -> c_int {
    let record = or_libc!(caller(), libc_setitimer(which, new, old));
    let is_time = |time: libc::timeval| time.tv_sec >= 0 && (0..1_000_000).contains(&time.tv_usec);
    // SAFETY: by C's contract null or a valid structure.
    let new = unsafe { new.as_ref() }.copied();
    let Some(new) = new.filter(|new| is_time(new.it_value) && is_time(new.it_interval) && (0..3).contains(&which))
    else {
        return refuse(libc::EINVAL);
    };
    let left = set(record, which as usize, seconds_of(new.it_value), seconds_of(new.it_interval));
    // SAFETY: by C's contract null, or a place for what the timer was.
    unsafe { put(old, value_of(left)) };
    0
}

pub unsafe extern "C" fn getitimer(which: c_int, value: *mut libc::itimerval) -> c_int {
    let record = or_libc!(caller(), libc_getitimer(which, value));
    if !(0..3).contains(&which) {
        return refuse(libc::EINVAL);
    }
    let timer = record.own.signals.timers.get(which as usize);
    // SAFETY: by C's contract a place for the timer.
    unsafe { value.write(value_of(Timer { due: timer.due - timers::now(), ..timer })) };
    0
}

/// `timer_create`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn timer_create(
    clock: libc::clockid_t,
    event: *mut libc::sigevent,
    timer: *mut libc::timer_t,
) -> c_int {
    note_of_kernel("when a timer of timer_create() expires is not explored: it runs in real time, beside the ranks");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::timer_create(clock, event, timer) }
}

/// `timerfd_create`.
pub extern "C" fn timerfd_create(clock: c_int, flags: c_int) -> c_int {
    note_of_kernel("when a timer of timerfd_create() expires is not explored: it runs in real time, beside the ranks");
    // SAFETY: libc's function, to which any numbers may be given.
    unsafe { libc::timerfd_create(clock, flags) }
}

/// A rank makes a timer of the kernel's.
fn note_of_kernel(what: &'static str) {
    if caller().is_some() {
        verification::note_uncontrolled(what);
    }
}

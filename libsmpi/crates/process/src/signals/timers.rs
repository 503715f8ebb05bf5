//! `alarm` and `setitimer` of ranks: simulated time, one set of timers for each rank.
//!
//! The runtime wakes a rank that is blocked when its timer expires. A rank that computes gets the signal at its next
//! MPI call, when its computation is charged; should it compute for longer than the timer runs, as a loop does that
//! waits for the handler to set a variable, then after that much processor time. Virtual and profiling timers run like
//! the real one.
//!
//! Under the checker time has no meaning: a timer expires when its rank waits for that (`pause`, `sleep`), and not
//! otherwise. That is only a part of what can happen, so the exploration is not complete when there is a handler.

use super::{caller, forward, take};
use crate::hooks::hooks;
use crate::running;
use crate::state::{self, Record};
use crate::{faults, uncontrolled};
use smpi_base::WorldRank;
use std::cell::Cell;
use std::ffi::{c_int, c_uint, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The signals of the three timers, by number (`ITIMER_REAL` and so on).
const SIGNALS: [c_int; 3] = [libc::SIGALRM, libc::SIGVTALRM, libc::SIGPROF];

/// One timer.
#[derive(Clone, Copy, PartialEq)]
struct Timer {
    /// Simulated date at which it expires.
    due: f64,
    /// Seconds until it does so again; 0 for once.
    interval: f64,
}

const OFF: Timer = Timer { due: f64::INFINITY, interval: 0.0 };

/// The timers of a rank.
#[derive(Clone)]
pub struct Timers(Cell<[Timer; 3]>);

impl Default for Timers {
    fn default() -> Timers {
        Timers(Cell::new([OFF; 3]))
    }
}

impl Timers {
    /// Makes these timers those of another moment.
    pub fn set(&self, other: &Timers) {
        self.0.set(other.0.get());
    }

    /// The date at which the next one expires.
    fn next(&self) -> f64 {
        self.0.get().iter().map(|timer| timer.due).fold(f64::INFINITY, f64::min)
    }

    /// Sets one timer, and returns what it was.
    fn replace(&self, which: usize, timer: Timer) -> Timer {
        let mut timers = self.0.get();
        let old = std::mem::replace(&mut timers[which], timer);
        self.0.set(timers);
        old
    }
}

/// Notes under the checker when a timer of the rank has a handler.
pub fn note_left_out(record: &Record) {
    let armed = |(timer, signal): (Timer, c_int)| timer != OFF && record.signals.has_handler(signal);
    if faults::is_catching() && record.signals.timers.0.get().into_iter().zip(SIGNALS).any(armed) {
        uncontrolled::note("a timer's signal comes only when its rank waits for it, in sleep() or pause()");
    }
}

/// A timer of a rank that does not run has expired.
pub fn note_timer(rank: WorldRank) {
    if let Some(record) = state::host().and_then(|host| host.records.get(rank.index())) {
        record.signals.attention.set(true);
    }
}

/// Posts the signals of the timers that have expired by now.
pub fn expire(record: &Record) {
    if record.signals.timers.next() < f64::INFINITY {
        expire_until(record, (hooks().clock.date)());
    }
}

fn expire_until(record: &Record, date: f64) {
    for (which, signal) in SIGNALS.into_iter().enumerate() {
        let timer = record.signals.timers.0.get()[which];
        if timer.due <= date {
            let again = if timer.interval > 0.0 { Timer { due: timer.due + timer.interval, ..timer } } else { OFF };
            record.signals.timers.replace(which, again);
            record.signals.post(signal);
        }
    }
    wake(record);
}

/// Has the rank woken when its next timer expires.
fn wake(record: &Record) {
    let next = record.signals.timers.next();
    (hooks().clock.wake_at)(record.rank, next);
    if next < f64::INFINITY && !faults::is_catching() {
        watch_computing();
    }
}

/// The date of the next timer that would interrupt the rank's sleep.
fn next_interruption(record: &Record) -> f64 {
    let blocked = super::current_mask();
    let interrupts = |&(timer, signal): &(Timer, c_int)| {
        let handler = record.signals.action(signal).handler;
        timer.due < f64::INFINITY && blocked & super::bit(signal) == 0 && handler != libc::SIG_IGN
    };
    let timers = record.signals.timers.0.get().into_iter().zip(SIGNALS);
    timers.filter(interrupts).map(|(timer, _)| timer.due).fold(f64::INFINITY, f64::min)
}

/// Lets the rank sleep, and returns how many seconds were left when a signal interrupted it.
pub fn within_sleep(record: &'static Record, seconds: f64) -> Option<f64> {
    let clock = hooks().clock;
    let due = next_interruption(record);
    let until = due - (clock.date)();
    if until > seconds || until == f64::INFINITY {
        (clock.sleep)(seconds);
        take(record);
        return None;
    }
    (clock.sleep)(until.max(0.0));
    expire_until(record, due);
    take(record);
    Some(seconds - until)
}

/// Waits until a timer of the rank interrupts it; false when there is none, and it would wait for ever.
pub fn wait_for_one(record: &'static Record) -> bool {
    next_interruption(record) < f64::INFINITY && within_sleep(record, f64::MAX).is_some()
}

/// Waits until a timer expires whose signal is one of `wanted`, which is then pending, or for `limit` seconds; false
/// when that comes first, and at once when nothing comes.
pub fn wait_for_one_of(record: &Record, wanted: u64, limit: f64) -> bool {
    let timers = record.signals.timers.0.get().into_iter().zip(SIGNALS);
    let due = timers.filter(|&(_, signal)| wanted & super::bit(signal) != 0).map(|(timer, _)| timer.due);
    let due = due.fold(f64::INFINITY, f64::min);
    let clock = hooks().clock;
    if due == f64::INFINITY || due - (clock.date)() > limit {
        if limit < f64::INFINITY {
            (clock.sleep)(limit);
        }
        return false;
    }
    (clock.sleep)((due - (clock.date)()).max(0.0));
    expire_until(record, due);
    true
}

/// The date of a rank, its computation so far included.
fn now() -> f64 {
    let clock = hooks().clock;
    if faults::is_catching() { (clock.date)() } else { (clock.now)() }
}

fn set(record: &Record, which: usize, seconds: f64, interval: f64) -> Timer {
    let now = now();
    let new = if seconds > 0.0 { Timer { due: now + seconds, interval } } else { OFF };
    let old = record.signals.timers.replace(which, new);
    wake(record);
    note_left_out(record);
    Timer { due: old.due - now, interval: old.interval }
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
    let Some(record) = caller() else {
        // SAFETY: no conditions.
        return unsafe { libc::alarm(seconds) };
    };
    let left = set(record, 0, f64::from(seconds), 0.0).due;
    if left == f64::INFINITY { 0 } else { left.max(1.0).ceil() as c_uint }
}

pub extern "C" fn ualarm(micros: c_uint, interval: c_uint) -> c_uint {
    let Some(record) = caller() else {
        // SAFETY: no conditions.
        return unsafe { libc_ualarm(micros, interval) };
    };
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
    let Some(record) = caller() else {
        // SAFETY: as in C.
        return unsafe { libc_setitimer(which, new, old) };
    };
    let is_time = |time: libc::timeval| time.tv_sec >= 0 && (0..1_000_000).contains(&time.tv_usec);
    // SAFETY: as in C.
    let new = unsafe { new.as_ref() }.copied();
    let Some(new) = new.filter(|new| is_time(new.it_value) && is_time(new.it_interval) && (0..3).contains(&which))
    else {
        state::set_errno(libc::EINVAL);
        return -1;
    };
    let left = set(record, which as usize, seconds_of(new.it_value), seconds_of(new.it_interval));
    if !old.is_null() {
        // SAFETY: as in C.
        unsafe { old.write(value_of(left)) };
    }
    0
}

pub unsafe extern "C" fn getitimer(which: c_int, value: *mut libc::itimerval) -> c_int {
    let Some(record) = caller() else {
        // SAFETY: as in C.
        return unsafe { libc_getitimer(which, value) };
    };
    if !(0..3).contains(&which) {
        state::set_errno(libc::EINVAL);
        return -1;
    }
    let timer = record.signals.timers.0.get()[which as usize];
    // SAFETY: as in C.
    unsafe { value.write(value_of(Timer { due: timer.due - now(), ..timer })) };
    0
}

/// Processor time between two looks at a rank that computes while it has a timer.
const LOOK_NANOS: i64 = 20_000_000;

/// The step that was seen last, and how often it was.
static SEEN: AtomicU64 = AtomicU64::new(0);
static LOOKS: AtomicU32 = AtomicU32::new(0);

/// Starts to look at ranks that compute, once.
fn watch_computing() {
    static STARTED: AtomicBool = AtomicBool::new(false);
    if STARTED.swap(true, Ordering::Relaxed) {
        return;
    }
    let signal = libc::SIGRTMAX() - 1;
    // SAFETY: fully set arguments; the handler is a function of this library.
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
    smpi_ranks::keys::leave();
    let step = running::step();
    let looks = if SEEN.swap(step, Ordering::Relaxed) == step { LOOKS.load(Ordering::Relaxed) + 1 } else { 0 };
    LOOKS.store(looks, Ordering::Relaxed);
    let Some(record) = caller() else { return };
    let computed = f64::from(looks) * LOOK_NANOS as f64 / 1e9;
    if looks > 0 && forward::is_in_program(context) && (hooks().clock.date)() + computed >= record.signals.timers.next()
    {
        // SAFETY: the kernel's arguments; this handler returns at once.
        unsafe { forward::call(context, info, signal, take_early) };
    }
}

/// On the stack of a rank that has computed for as long as its next timer runs.
extern "C" fn take_early(_signal: c_int, _info: *mut libc::siginfo_t, _context: *mut c_void) {
    if let Some(record) = caller() {
        expire_until(record, record.signals.timers.next());
        take(record);
    }
}

//! The clocks and sleeps of libc, as ranks see them: simulated time, from [`crate::Hooks::clock`].
//!
//! All clocks agree, CPU-time clocks included, and start with the simulation, so nothing a program prints depends
//! on the hosting machine: those of the date at a date that is a setting ([`crate::Clock::epoch`]), because programs
//! seed random numbers with it and are written for dates that are not 0; all others at 0. A thread that the program
//! started itself sees the real ones.

use crate::contract::{Table, or_libc, put, refuse};
use crate::hooks::hooks;
use crate::host_cell::HostCell;
use crate::mask::{mask_of, set_mask};
use crate::signals::sleeping::within_sleep;
use crate::{running, state, waiting};
use std::cell::Cell;
use std::ffi::c_int;
use std::ptr;

const NANOS: f64 = 1e9;

/// Further functions about time.
pub const REPLACED: Table = &[
    ("nanosleep", nanosleep as *const ()),
    ("clock_nanosleep", clock_nanosleep as *const ()),
    ("usleep", usleep as *const ()),
    ("sleep", sleep as *const ()),
    ("sched_yield", sched_yield as *const ()),
    ("select", select as *const ()),
    ("pselect", pselect as *const ()),
    ("poll", poll as *const ()),
    ("ppoll", ppoll as *const ()),
    (
        "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
        chrono_sleep as *const (),
    ),
];

/// The functions that show the time, by how many arguments they have. Their callers wait where the time that they see
/// is a choice.
pub const SHOWING: [Table; 3] = [
    &[
        ("clock", clock as *const ()),
        ("_ZNSt6chrono3_V212system_clock3nowEv", system_clock_now as *const ()),
        ("_ZNSt6chrono3_V212steady_clock3nowEv", steady_clock_now as *const ()),
    ],
    &[("time", time as *const ()), ("times", times as *const ())],
    &[
        ("gettimeofday", gettimeofday as *const ()),
        ("clock_gettime", clock_gettime as *const ()),
        ("timespec_get", timespec_get as *const ()),
        ("getrusage", getrusage as *const ()),
    ],
];

/// How many arguments a function has that shows the time.
pub fn arguments(name: &str) -> Option<usize> {
    SHOWING.iter().position(|table| table.iter().any(|(showing, _)| *showing == name))
}

unsafe extern "C" {
    #[link_name = "clock"]
    fn libc_clock() -> libc::clock_t;
}

/// A child of `fork`: the rank's time when it began, and the real one.
// SAFETY: this file uses it in a child, for its one thread.
static BEGAN: HostCell<Cell<Option<(f64, f64)>>> = unsafe { HostCell::new(Cell::new(None)) };

fn real_now() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    secs_of(&time)
}

/// A child of `fork` begins: its clock goes on where the rank's stands, in real time.
pub fn begin_in_child() {
    BEGAN.set(Some(((hooks().clock.date)(), real_now())));
}

/// The simulated time when a rank calls.
fn now() -> Option<f64> {
    state::current()?;
    if !running::is_child() {
        return Some((hooks().clock.now)());
    }
    BEGAN.get().map(|(date, real)| date + real_now() - real)
}

/// Lets a rank sleep; `None` when the caller is none.
fn sleep_secs(secs: f64) -> Option<Slept> {
    let record = state::caller()?;
    Some(match within_sleep(record, secs.max(0.0)) {
        None => Slept::All,
        Some(left) => Slept::Left(left),
    })
}

/// How a sleep ended.
enum Slept {
    /// As it was meant to.
    All,
    /// By a signal, so many seconds early.
    Left(f64),
}

impl Slept {
    /// The result of a function that fails when it is interrupted.
    fn or_interrupted(self) -> c_int {
        match self {
            Slept::All => 0,
            Slept::Left(_) => refuse(libc::EINTR),
        }
    }
}

/// Whether a clock shows the date, and not only what has passed.
fn shows_date(clock: libc::clockid_t) -> bool {
    matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE | libc::CLOCK_REALTIME_ALARM | libc::CLOCK_TAI)
}

/// What a clock shows: whole seconds are added to others last, so that dates have their nanoseconds.
fn shown(clock: libc::clockid_t, now: f64) -> libc::timespec {
    let mut time = timespec(now);
    if shows_date(clock) {
        time.tv_sec += (hooks().clock.epoch)();
    }
    time
}

fn nanos(secs: f64) -> i64 {
    (secs * NANOS).round() as i64
}

fn timespec(secs: f64) -> libc::timespec {
    let nanos = nanos(secs);
    libc::timespec { tv_sec: nanos.div_euclid(1_000_000_000), tv_nsec: nanos.rem_euclid(1_000_000_000) }
}

fn timeval(secs: f64) -> libc::timeval {
    let time = timespec(secs);
    libc::timeval { tv_sec: time.tv_sec, tv_usec: time.tv_nsec / 1000 }
}

fn secs_of(time: &libc::timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 / NANOS
}

fn is_valid(time: &libc::timespec) -> bool {
    (0..1_000_000_000).contains(&time.tv_nsec) && time.tv_sec >= 0
}

unsafe extern "C" fn time(result: *mut libc::time_t) -> libc::time_t {
    let now = or_libc!(now(), libc::time(result));
    let secs = shown(libc::CLOCK_REALTIME, now).tv_sec;
    // SAFETY: by C's contract null, or a place for the time.
    unsafe { put(result, secs) };
    secs
}

unsafe extern "C" fn gettimeofday(result: *mut libc::timeval, zone: *mut libc::timezone) -> c_int {
    let now = or_libc!(now(), libc::gettimeofday(result, zone.cast()));
    let time = shown(libc::CLOCK_REALTIME, now);
    // SAFETY: by C's contract null, or a place for the time.
    unsafe { put(result, libc::timeval { tv_sec: time.tv_sec, tv_usec: time.tv_nsec / 1000 }) };
    0
}

unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, result: *mut libc::timespec) -> c_int {
    match now() {
        Some(now) if !result.is_null() => {
            // SAFETY: not null, so by C's contract a place for the time.
            unsafe { result.write(shown(clock, now)) };
            0
        }
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        _ => unsafe { libc::clock_gettime(clock, result) },
    }
}

unsafe extern "C" fn timespec_get(result: *mut libc::timespec, base: c_int) -> c_int {
    const TIME_UTC: c_int = 1;
    if base != TIME_UTC {
        return 0;
    }
    // SAFETY: by C's contract a place for the time.
    if unsafe { clock_gettime(libc::CLOCK_REALTIME, result) } == 0 { base } else { 0 }
}

extern "C" fn clock() -> libc::clock_t {
    let now = or_libc!(now(), libc_clock());
    (now * 1e6).round() as libc::clock_t
}

unsafe extern "C" fn times(result: *mut libc::tms) -> libc::clock_t {
    let now = or_libc!(now(), libc::times(result));
    // SAFETY: asks for a constant of the system.
    let ticks = (now * unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64).round() as libc::clock_t;
    // SAFETY: by C's contract null, or a place for the times.
    unsafe { put(result, libc::tms { tms_utime: ticks, tms_stime: 0, tms_cutime: 0, tms_cstime: 0 }) };
    ticks
}

/// `getrusage`: the simulated time as the rank's processor time, and nothing else, which would be the hosting
/// process's.
unsafe extern "C" fn getrusage(who: c_int, result: *mut libc::rusage) -> c_int {
    match now() {
        Some(now) if !result.is_null() && (who == libc::RUSAGE_SELF || who == libc::RUSAGE_THREAD) => {
            // SAFETY: not null, so by C's contract a place for the structure, which is plain data, for which zeroes are
            // valid.
            unsafe {
                result.write(std::mem::zeroed());
                (*result).ru_utime = timeval(now);
            }
            0
        }
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        _ => unsafe { libc::getrusage(who as _, result) },
    }
}

/// `std::chrono::system_clock::now()`: nanoseconds, returned like an integer.
extern "C" fn system_clock_now() -> i64 {
    chrono_now(libc::CLOCK_REALTIME)
}

/// `std::chrono::steady_clock::now()`.
extern "C" fn steady_clock_now() -> i64 {
    chrono_now(libc::CLOCK_MONOTONIC)
}

fn chrono_now(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    unsafe { clock_gettime(clock, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// `std::this_thread::__sleep_for(chrono::seconds, chrono::nanoseconds)`.
extern "C" fn chrono_sleep(secs: i64, nanos: i64) {
    let time = libc::timespec { tv_sec: secs, tv_nsec: nanos };
    // SAFETY: a valid request and no remainder wanted.
    unsafe { nanosleep(&time, ptr::null_mut()) };
}

unsafe extern "C" fn nanosleep(request: *const libc::timespec, rest: *mut libc::timespec) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of `clock_nanosleep` for them.
    match unsafe { clock_nanosleep(libc::CLOCK_REALTIME, 0, request, rest) } {
        0 => 0,
        error => refuse(error),
    }
}

unsafe extern "C" fn clock_nanosleep(
    clock: libc::clockid_t,
    flags: c_int,
    request: *const libc::timespec,
    rest: *mut libc::timespec,
) -> c_int {
    let now = or_libc!(now(), libc::clock_nanosleep(clock, flags, request, rest));
    // SAFETY: by C's contract a valid structure.
    let request = unsafe { &*request };
    if !is_valid(request) {
        return libc::EINVAL;
    }
    let absolute = flags & libc::TIMER_ABSTIME != 0;
    let mut request = *request;
    if absolute && shows_date(clock) {
        request.tv_sec -= (hooks().clock.epoch)();
    }
    let secs = secs_of(&request) - if absolute { now } else { 0.0 };
    if running::is_child() {
        let relative = timespec(secs.max(0.0));
        // SAFETY: a valid request, and the caller's place for what is left.
        return unsafe { libc::clock_nanosleep(libc::CLOCK_MONOTONIC, 0, &relative, rest) };
    }
    match sleep_secs(secs) {
        Some(Slept::Left(left)) => {
            if !absolute {
                // SAFETY: by C's contract null, or a place for what is left.
                unsafe { put(rest, timespec(left)) };
            }
            libc::EINTR
        }
        _ => 0,
    }
}

extern "C" fn usleep(micros: libc::c_uint) -> c_int {
    if let Some(slept) = sleep_secs(f64::from(micros) / 1e6) {
        return slept.or_interrupted();
    }
    // SAFETY: takes a number, and any.
    unsafe { libc::usleep(micros) }
}

/// Lets other ranks go on.
extern "C" fn sched_yield() -> c_int {
    if sleep_secs(0.0).is_none() {
        // SAFETY: takes nothing.
        return unsafe { libc::sched_yield() };
    }
    0
}

extern "C" fn sleep(secs: libc::c_uint) -> libc::c_uint {
    match sleep_secs(f64::from(secs)) {
        Some(Slept::All) => return 0,
        Some(Slept::Left(left)) => return left.ceil() as libc::c_uint,
        None => {}
    }
    // SAFETY: takes a number, and any.
    unsafe { libc::sleep(secs) }
}

/// `select`; without descriptors it is a sleep.
unsafe extern "C" fn select(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    timeout: *mut libc::timeval,
) -> c_int {
    if count == 0 && !timeout.is_null() {
        // SAFETY: not null, so by C's contract a valid structure.
        let time = unsafe { &*timeout };
        if let Some(slept) = sleep_secs(time.tv_sec as f64 + time.tv_usec as f64 / 1e6) {
            return slept.or_interrupted();
        }
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    waiting::outside(|| unsafe { libc::select(count, read, write, except, timeout) })
}

/// `poll`; without descriptors it is a sleep.
unsafe extern "C" fn poll(entries: *mut libc::pollfd, count: libc::nfds_t, millis: c_int) -> c_int {
    if count == 0
        && millis >= 0
        && let Some(slept) = sleep_secs(f64::from(millis) / 1e3)
    {
        return slept.or_interrupted();
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    waiting::outside(|| unsafe { libc::poll(entries, count, millis) })
}

/// Waiting for no descriptor at all (`count` is 0), a sleep during which another signal mask holds, unless `mask` is
/// null; `None` when there are descriptors, the caller is no rank, or wants to sleep for ever.
///
/// # Safety
/// `time` is null or points to a time, `mask` is null or points to a signal set.
unsafe fn sleep_masked(count: u64, time: *const libc::timespec, mask: *const libc::sigset_t) -> Option<c_int> {
    let record = state::caller().filter(|_| count == 0)?;
    // SAFETY: by the condition of this function.
    let time = unsafe { time.as_ref()? };
    if !is_valid(time) {
        return Some(refuse(libc::EINVAL));
    }
    let before = (!mask.is_null()).then(|| {
        record.own.signals.own_mask();
        // SAFETY: not null, so by the condition of this function a set.
        set_mask(unsafe { mask_of(mask) })
    });
    let slept = sleep_secs(secs_of(time));
    before.map(set_mask);
    slept.map(Slept::or_interrupted)
}

/// `pselect`; without descriptors it is a sleep.
unsafe extern "C" fn pselect(
    count: c_int,
    read: *mut libc::fd_set,
    write: *mut libc::fd_set,
    except: *mut libc::fd_set,
    timeout: *const libc::timespec,
    mask: *const libc::sigset_t,
) -> c_int {
    // SAFETY: by C's contract null or a valid time, and null or a valid set.
    if let Some(result) = unsafe { sleep_masked(count as u64, timeout, mask) } {
        return result;
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    waiting::outside(|| unsafe { libc::pselect(count, read, write, except, timeout, mask) })
}

/// `ppoll`; without descriptors it is a sleep.
unsafe extern "C" fn ppoll(
    entries: *mut libc::pollfd,
    count: libc::nfds_t,
    timeout: *const libc::timespec,
    mask: *const libc::sigset_t,
) -> c_int {
    // SAFETY: by C's contract null or a valid time, and null or a valid set.
    if let Some(result) = unsafe { sleep_masked(count, timeout, mask) } {
        return result;
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    waiting::outside(|| unsafe { libc::ppoll(entries, count, timeout, mask) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_whole_nanoseconds() {
        let time = timespec(1.75);
        assert_eq!((time.tv_sec, time.tv_nsec), (1, 750_000_000));
        let time = timespec(0.999_999_999_9);
        assert_eq!((time.tv_sec, time.tv_nsec), (1, 0));
        assert_eq!(secs_of(&timespec(3.5)), 3.5);
        let time = timeval(2.000_000_6);
        assert_eq!((time.tv_sec, time.tv_usec), (2, 0));
    }

    #[test]
    fn requests_to_sleep_are_checked() {
        let time = |tv_sec, tv_nsec| libc::timespec { tv_sec, tv_nsec };
        assert!(is_valid(&time(0, 0)) && is_valid(&time(7, 999_999_999)));
        assert!(!is_valid(&time(0, 1_000_000_000)) && !is_valid(&time(0, -1)) && !is_valid(&time(-1, 0)));
    }

    #[test]
    fn off_a_rank_a_clock_is_the_real_one() {
        let (mut before, mut ours) = (timespec(0.0), timespec(0.0));
        // SAFETY: valid places.
        unsafe {
            assert_eq!(libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut before), 0);
            assert_eq!(clock_gettime(libc::CLOCK_MONOTONIC, &mut ours), 0);
            assert_eq!(timespec_get(&mut ours, 77), 0);
        }
        assert!(secs_of(&ours) >= secs_of(&before) && steady_clock_now() >= nanos(secs_of(&before)));
    }
}

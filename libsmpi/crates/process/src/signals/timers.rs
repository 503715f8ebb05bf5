//! The timers of ranks: when they expire, and what that posts.
//!
//! The runtime wakes a rank that is blocked when its timer expires. A rank that computes gets the signal at its next
//! MPI call, when its computation is charged; should it compute for longer than the timer runs, as a loop does that
//! waits for the handler to set a variable, then after that much processor time ([`super::computing`]). Virtual and
//! profiling timers run like the real one.
//!
//! Under the checker time has no meaning: a timer expires when its rank waits for that (`pause`, `sleep`), and not
//! otherwise. That is only a part of what can happen, so the exploration is not complete when there is a handler.

use crate::hooks::hooks;
use crate::mask::{bit, current_mask};
use crate::record::{OFF, Record, Timer};
use crate::{state, verification};
use smpi_base::WorldRank;

/// Notes under the checker when a timer of the rank has a handler.
pub fn note_left_out(record: &Record) {
    let is_armed = |(timer, signal)| timer != OFF && record.own.signals.has_handler(signal);
    if verification::is_on() && record.own.signals.timers.all().any(is_armed) {
        verification::note_uncontrolled(
            "a timer's signal comes only when its rank waits for it, in sleep() or pause()",
        );
    }
}

/// A timer of a rank that does not run has expired.
pub fn note_timer(rank: WorldRank) {
    if let Some(record) = state::host().and_then(|host| host.records.get(rank.index())) {
        record.own.signals.attention.set(true);
    }
}

/// Posts the signals of the timers that have expired by now.
pub fn expire(record: &Record) {
    if record.own.signals.timers.next() < f64::INFINITY {
        expire_until(record, (hooks().clock.date)());
    }
}

/// Posts the signals of the timers that expire until a date.
pub fn expire_until(record: &Record, date: f64) {
    record.own.signals.timers.expire(date, |signal| record.own.signals.post(signal));
    wake(record);
}

/// Has the rank woken when its next timer expires.
fn wake(record: &Record) {
    (hooks().clock.wake_at)(record.rank, record.own.signals.timers.next());
}

/// The date of the next timer that would interrupt the rank's sleep.
pub fn next_interruption(record: &Record) -> f64 {
    let blocked = current_mask();
    record.own.signals.timers.next_of(|signal| blocked & bit(signal) == 0 && !record.own.signals.ignores(signal))
}

/// The date of a rank, its computation so far included.
pub fn now() -> f64 {
    let clock = hooks().clock;
    if verification::is_on() { (clock.date)() } else { (clock.now)() }
}

/// Sets a timer to expire in so many seconds, and then at every interval; 0 for never. Returns what it was, with the
/// seconds that were left in the place of the date.
pub fn set(record: &Record, which: usize, seconds: f64, interval: f64) -> Timer {
    let now = now();
    let new = if seconds > 0.0 { Timer { due: now + seconds, interval } } else { OFF };
    let old = record.own.signals.timers.replace(which, new);
    wake(record);
    note_left_out(record);
    Timer { due: old.due - now, interval: old.interval }
}

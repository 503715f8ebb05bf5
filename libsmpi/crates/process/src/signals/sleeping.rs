//! Ranks that wait, in simulated time, until a timer of theirs interrupts them.

use super::deliver::take;
use super::timers::{expire_until, next_interruption};
use crate::hooks::hooks;
use crate::mask::bit;
use crate::record::Record;

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
    let due = record.own.signals.timers.next_of(|signal| wanted & bit(signal) != 0);
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

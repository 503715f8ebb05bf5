//! The timers of a rank (`alarm`, `setitimer`), in simulated time.

use std::cell::Cell;
use std::ffi::c_int;

/// The signals of the three timers, by number (`ITIMER_REAL` and so on).
const TIMER_SIGNALS: [c_int; 3] = [libc::SIGALRM, libc::SIGVTALRM, libc::SIGPROF];

/// One timer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timer {
    /// Simulated date at which it expires, in seconds.
    pub due: f64,
    /// Seconds until it does so again; 0 for once.
    pub interval: f64,
}

/// A timer that does not run.
pub const OFF: Timer = Timer { due: f64::INFINITY, interval: 0.0 };

/// The timers of a rank.
#[derive(Clone, Debug)]
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

    /// The date at which the next one expires; infinity for none.
    pub fn next(&self) -> f64 {
        self.next_of(|_| true)
    }

    /// The date at which the next one expires whose signal is wanted.
    pub fn next_of(&self, is_wanted: impl Fn(c_int) -> bool) -> f64 {
        let wanted = self.all().filter(|&(_, signal)| is_wanted(signal));
        wanted.map(|(timer, _)| timer.due).fold(f64::INFINITY, f64::min)
    }

    /// The timers with their signals.
    pub fn all(&self) -> impl Iterator<Item = (Timer, c_int)> {
        self.0.get().into_iter().zip(TIMER_SIGNALS)
    }

    /// One timer, by its number.
    pub fn get(&self, which: usize) -> Timer {
        self.0.get()[which]
    }

    /// Sets one timer, and returns what it was.
    pub fn replace(&self, which: usize, timer: Timer) -> Timer {
        let mut timers = self.0.get();
        let old = std::mem::replace(&mut timers[which], timer);
        self.0.set(timers);
        old
    }

    /// Moves the timers that are due at a date on, and names their signals.
    pub fn expire(&self, date: f64, mut each: impl FnMut(c_int)) {
        for (which, signal) in TIMER_SIGNALS.into_iter().enumerate() {
            let timer = self.get(which);
            if timer.due <= date {
                let again = if timer.interval > 0.0 { Timer { due: timer.due + timer.interval, ..timer } } else { OFF };
                self.replace(which, again);
                each(signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expired(timers: &Timers, date: f64) -> Vec<c_int> {
        let mut signals = Vec::new();
        timers.expire(date, |signal| signals.push(signal));
        signals
    }

    #[test]
    fn a_timer_expires_once_or_at_every_interval() {
        let timers = Timers::default();
        timers.replace(0, Timer { due: 2.0, interval: 0.0 });
        timers.replace(2, Timer { due: 1.0, interval: 0.5 });
        assert_eq!((timers.next(), expired(&timers, 0.9)), (1.0, vec![]));
        assert_eq!(expired(&timers, 1.0), [libc::SIGPROF]);
        assert_eq!(timers.next(), 1.5);
        // However late it is, an interval is over once a look.
        assert_eq!(expired(&timers, 2.5), [libc::SIGALRM, libc::SIGPROF]);
        assert_eq!((timers.get(0), timers.next()), (OFF, 2.0));
    }

    #[test]
    fn the_next_one_may_be_asked_for_by_signal() {
        let timers = Timers::default();
        assert_eq!(timers.next(), f64::INFINITY);
        timers.replace(0, Timer { due: 1.0, interval: 0.0 });
        assert_eq!(timers.replace(1, Timer { due: 3.0, interval: 0.0 }), OFF);
        assert_eq!(timers.next_of(|signal| signal == libc::SIGVTALRM), 3.0);
        assert_eq!(timers.next_of(|signal| signal == libc::SIGPROF), f64::INFINITY);
    }
}

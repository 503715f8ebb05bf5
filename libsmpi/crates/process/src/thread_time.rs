//! CPU time of the threads that ranks start, for whoever charges it.
//!
//! Threads run beside the simulation in real time. Until they are simulated, what they compute is charged to the rank
//! at its next MPI call. A thread belongs to the rank that started it. A thread of a library that ranks share (the pool
//! of an OpenMP run-time library, say) works for whichever rank runs: the rank waits for it before it goes on.

use smpi_base::WorldRank;
use smpi_ranks::walls;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A clock that is not known yet.
const NO_CLOCK: i64 = i64::MIN;
/// A total that is not known yet, because the thread still runs.
const RUNNING: u64 = u64::MAX;

/// One thread.
pub struct ThreadTime {
    number: u32,
    /// `None`: it works for whoever runs.
    owner: Option<WorldRank>,
    /// Its CPU-time clock, once it runs.
    clock: AtomicI64,
    /// All its CPU time in nanoseconds, once it has ended.
    total: AtomicU64,
    /// Of that, what was handed out.
    taken: AtomicU64,
}

static THREADS: Mutex<Vec<Arc<ThreadTime>>> = Mutex::new(Vec::new());
static STARTED: AtomicU32 = AtomicU32::new(0);
static ANY: AtomicBool = AtomicBool::new(false);
static WANTED: AtomicBool = AtomicBool::new(false);

fn threads() -> MutexGuard<'static, Vec<Arc<ThreadTime>>> {
    THREADS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on somebody takes the time of threads that start.
pub fn want() {
    WANTED.store(true, Ordering::Relaxed);
}

/// Threads that ranks have started so far.
pub fn started() -> u32 {
    STARTED.load(Ordering::Relaxed)
}

/// A thread is about to be started. `None` when nobody takes its time.
pub fn announce(owner: Option<WorldRank>) -> Option<Arc<ThreadTime>> {
    walls::tear_down();
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    if !WANTED.load(Ordering::Relaxed) {
        return None;
    }
    let (clock, total, taken) = (AtomicI64::new(NO_CLOCK), AtomicU64::new(RUNNING), AtomicU64::new(0));
    let thread = Arc::new(ThreadTime { number, owner, clock, total, taken });
    threads().push(Arc::clone(&thread));
    ANY.store(true, Ordering::Relaxed);
    Some(thread)
}

/// A thread that was announced was not started.
pub fn withdraw(thread: &ThreadTime) {
    STARTED.fetch_sub(1, Ordering::Relaxed);
    thread.total.store(0, Ordering::Release);
}

thread_local! {
    static OWN: RefCell<Option<Ending>> = const { RefCell::new(None) };
}

/// Notes at the end of the calling thread, however it ends, how much time it has used.
struct Ending(Arc<ThreadTime>);

impl Drop for Ending {
    fn drop(&mut self) {
        self.0.total.store(nanos(libc::CLOCK_THREAD_CPUTIME_ID), Ordering::Release);
    }
}

/// The calling thread is the one that was announced.
pub fn begin(thread: Arc<ThreadTime>) {
    let mut clock = 0;
    // SAFETY: a valid place for the clock of the calling thread.
    if unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) } == 0 {
        thread.clock.store(i64::from(clock), Ordering::Release);
    }
    OWN.with(|own| *own.borrow_mut() = Some(Ending(thread)));
}

fn nanos(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result, which a clock that is gone leaves at 0.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

impl ThreadTime {
    fn used(&self) -> u64 {
        match (self.total.load(Ordering::Acquire), self.clock.load(Ordering::Acquire)) {
            (RUNNING, NO_CLOCK) => 0,
            (RUNNING, clock) => nanos(clock as libc::clockid_t),
            (total, _) => total,
        }
    }
}

/// Hands out the CPU seconds that threads used for a rank since the last time, with a number for each thread.
#[inline]
pub fn take(rank: WorldRank, each: impl FnMut(u32, f64)) {
    if ANY.load(Ordering::Relaxed) {
        take_from_threads(rank, each);
    }
}

#[cold]
fn take_from_threads(rank: WorldRank, mut each: impl FnMut(u32, f64)) {
    threads().retain(|thread| {
        if thread.owner.is_some_and(|owner| owner != rank) {
            return true;
        }
        let is_over = thread.total.load(Ordering::Acquire) != RUNNING;
        let used = thread.used();
        // The number of a thread that has just ended may be another's already; its total comes.
        let new = used.saturating_sub(thread.taken.load(Ordering::Relaxed));
        if new > 0 {
            thread.taken.store(used, Ordering::Relaxed);
            each(thread.number, new as f64 * 1e-9);
        }
        !is_over
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(rank: u32) -> Vec<f64> {
        let mut seconds = Vec::new();
        take(WorldRank(rank), |_, new| seconds.push(new));
        seconds
    }

    #[test]
    fn time_goes_once_to_the_rank_that_a_thread_works_for() {
        assert!(announce(Some(WorldRank(0))).is_none(), "nobody wants it");
        want();
        let used = |owner, nanos| {
            let thread = announce(owner).expect("somebody wants it");
            thread.total.store(nanos, Ordering::Release);
            thread
        };
        used(Some(WorldRank(1)), 2_000_000_000);
        assert_eq!((taken(0), taken(1), taken(1)), (vec![], vec![2.0], vec![]));
        // A thread of a shared library works for whoever runs.
        used(None, 500_000_000);
        assert_eq!((taken(7), taken(1)), (vec![0.5], vec![]));
        let count = started();
        withdraw(&announce(None).expect("somebody wants it"));
        assert_eq!((started(), taken(0)), (count, vec![]));
    }
}

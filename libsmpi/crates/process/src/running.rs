//! What nearly every call asks: which thread hosts the ranks, whether one of them runs, and in which step. It lies side
//! by side, so that callers in other crates need one address for all of it.

use smpi_ranks::thread_pointer::thread_pointer;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, AtomicUsize, Ordering};

/// See the file's header. Only the hosting thread writes, so that nothing is ordered by these; in a child of `fork` its
/// one thread is the hosting one.
struct Running {
    /// Thread pointer of the hosting thread; 0 when this process hosts no ranks.
    host_thread: AtomicUsize,
    /// The kernel's number of that thread.
    host_thread_id: AtomicI32,
    /// What `pthread_self` says there.
    host_pthread: AtomicU64,
    /// The record of the rank that runs; null for none.
    record: AtomicPtr<()>,
    /// What the ranks' regions cover: address and length.
    regions: [AtomicUsize; 2],
    /// Number of the present step, see [`note_step`].
    step: AtomicU64,
    /// Name of the function that was entered last: address and length. It can be asked for at any time.
    call: (AtomicPtr<u8>, AtomicUsize),
    /// Number of the present turn of a rank, see [`note_turn`].
    turn: AtomicU64,
    /// This process is a child of `fork`.
    is_child: AtomicBool,
}

static RUNNING: Running = Running::new();

impl Running {
    const fn new() -> Running {
        Running {
            host_thread: AtomicUsize::new(0),
            host_thread_id: AtomicI32::new(0),
            host_pthread: AtomicU64::new(0),
            record: AtomicPtr::new(ptr::null_mut()),
            regions: [AtomicUsize::new(usize::MAX), AtomicUsize::new(0)],
            step: AtomicU64::new(1),
            call: (AtomicPtr::new(ptr::null_mut()), AtomicUsize::new(0)),
            turn: AtomicU64::new(1),
            is_child: AtomicBool::new(false),
        }
    }

    fn start_hosting(&self) {
        self.host_thread.store(thread_pointer(), Ordering::Relaxed);
        // SAFETY: asks the kernel and libc for a number, which they always have.
        let (number, handle) = unsafe { (libc::gettid(), libc::pthread_self()) };
        self.host_thread_id.store(number, Ordering::Relaxed);
        self.host_pthread.store(handle, Ordering::Relaxed);
    }

    #[inline]
    fn is_hosted(&self) -> bool {
        self.host_thread.load(Ordering::Relaxed) != 0
    }

    #[inline]
    fn on_host_thread(&self) -> bool {
        thread_pointer() == self.host_thread.load(Ordering::Relaxed)
    }

    #[inline]
    fn is_rank(&self) -> bool {
        if self.record.load(Ordering::Relaxed).is_null() {
            !self.is_hosted()
        } else {
            self.on_host_thread() && !self.is_child.load(Ordering::Relaxed)
        }
    }
}

/// Declares that this process hosts ranks, on this thread.
pub fn start_hosting() {
    RUNNING.start_hosting();
}

/// True when this process hosts ranks (started by `smpirun`).
#[inline]
pub fn is_hosted() -> bool {
    RUNNING.is_hosted()
}

/// True on the thread that runs the event loop and the ranks.
#[inline]
pub fn on_host_thread() -> bool {
    RUNNING.on_host_thread()
}

/// The kernel's number of that thread.
pub fn host_thread_id() -> libc::pid_t {
    RUNNING.host_thread_id.load(Ordering::Relaxed)
}

/// Whether a handle of libc means that thread.
pub fn is_host_thread(thread: libc::pthread_t) -> bool {
    is_hosted() && RUNNING.host_pthread.load(Ordering::Relaxed) == thread
}

/// Whether the calling thread is the one of a [`crate::HostCell`]: in a process that hosts no ranks any is.
#[inline]
pub fn may_be_host_thread() -> bool {
    !is_hosted() || on_host_thread()
}

/// The record of the rank that runs, whichever thread asks; null for none.
#[inline]
pub fn record() -> *mut () {
    RUNNING.record.load(Ordering::Relaxed)
}

/// Notes whose code runs from now on.
#[inline]
pub fn set_record(record: *mut ()) {
    RUNNING.record.store(record, Ordering::Relaxed);
}

/// Notes what the ranks' regions cover, once they are there.
pub fn set_regions(start: usize, end: usize) {
    RUNNING.regions[0].store(start, Ordering::Relaxed);
    RUNNING.regions[1].store(end - start, Ordering::Release);
}

/// True when the address lies in the range that the ranks' regions cover.
#[inline]
pub fn in_regions(address: usize) -> bool {
    let [start, len] = &RUNNING.regions;
    address.wrapping_sub(start.load(Ordering::Relaxed)) < len.load(Ordering::Relaxed)
}

/// True in a child of `fork`.
#[inline]
pub fn is_child() -> bool {
    RUNNING.is_child.load(Ordering::Relaxed)
}

/// This process is a child of `fork`.
pub fn become_child() {
    RUNNING.is_child.store(true, Ordering::Relaxed);
}

/// True when the caller may call MPI: it is a rank, or a program that runs without `smpirun`.
#[inline]
pub fn is_rank() -> bool {
    RUNNING.is_rank()
}

/// The rank that runs enters or leaves MPI. Only the hosting thread calls it.
#[inline]
pub fn note_step() {
    RUNNING.step.store(step().wrapping_add(1), Ordering::Relaxed);
}

/// The rank that runs enters a function of MPI. Only the hosting thread calls it.
#[inline]
pub fn note_call(name: &'static str) {
    let (at, len) = &RUNNING.call;
    at.store(name.as_ptr().cast_mut(), Ordering::Relaxed);
    len.store(name.len(), Ordering::Relaxed);
    note_step();
}

/// The function that was entered last; empty for none. To be asked for on the hosting thread.
pub fn call() -> &'static str {
    let (at, len) = &RUNNING.call;
    let (at, len) = (at.load(Ordering::Relaxed), len.load(Ordering::Relaxed));
    if at.is_null() {
        return "";
    }
    // SAFETY: `note_call` has put a text there that stays, and nothing is noted meanwhile on this thread.
    unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(at, len)) }
}

/// The present step.
#[inline]
pub fn step() -> u64 {
    RUNNING.step.load(Ordering::Relaxed)
}

/// A rank begins to run, until it waits or ends. Only the hosting thread calls it.
#[inline]
pub fn note_turn() {
    note_step();
    RUNNING.turn.store(turn().wrapping_add(1), Ordering::Relaxed);
}

/// The present turn.
#[inline]
pub fn turn() -> u64 {
    RUNNING.turn.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_call_mpi() {
        let running = Running::new();
        let elsewhere = || std::thread::scope(|scope| scope.spawn(|| running.is_rank()).join().unwrap());
        // A program without `smpirun`.
        assert!(!running.is_hosted() && running.is_rank() && elsewhere());
        // The event loop.
        running.start_hosting();
        assert!(running.is_hosted() && running.on_host_thread() && !running.is_rank() && !elsewhere());
        // A rank, and a thread of it.
        running.record.store(ptr::dangling_mut(), Ordering::Relaxed);
        assert!(running.is_rank() && !elsewhere());
        // Its child.
        running.is_child.store(true, Ordering::Relaxed);
        assert!(!running.is_rank());
    }
}

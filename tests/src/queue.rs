//! Numbers that threads take one by one, such as the seeds of random programs.

use std::sync::atomic::{AtomicU64, Ordering};

/// Numbers, of which each is taken once.
#[derive(Debug)]
pub struct Queue {
    next: AtomicU64,
    end: u64,
}

impl Queue {
    /// `count` numbers from `first` on.
    pub fn new(first: u64, count: u64) -> Queue {
        Queue { next: AtomicU64::new(first), end: first + count }
    }
}

impl Iterator for &Queue {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < self.end)
    }
}

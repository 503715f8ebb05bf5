//! Standard input, which only rank 0 reads. It is read ahead here: the stream itself is unbuffered, so that other ranks
//! find nothing in it.
//!
//! Threads of rank 0 may read, too, so what was read ahead is locked; but never while the kernel reads, or while memory
//! of the program is written to: a rank may be left for good there.

use super::output::commit;
use crate::{running, state, verification, waiting};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was read of standard input.
struct Input {
    bytes: Vec<u8>,
    /// How much of it rank 0 has got.
    next: usize,
    /// There is no more to be read.
    is_at_end: bool,
}

static INPUT: Mutex<Input> = Mutex::new(Input::NEW);

/// Another rank met the end, which libc notes in the stream that rank 0 uses too.
static ENDED_ELSEWHERE: AtomicBool = AtomicBool::new(false);

/// So much is read ahead.
const AHEAD: usize = 64 << 10;

impl Input {
    const NEW: Input = Input { bytes: Vec::new(), next: 0, is_at_end: false };

    /// Hands out what was read ahead, `len` bytes at most; `None` when the kernel is to be asked for more.
    fn take(&mut self, len: usize) -> Option<Vec<u8>> {
        let ahead = &self.bytes[self.next..];
        if ahead.is_empty() && !self.is_at_end {
            return None;
        }
        let taken = ahead[..len.min(ahead.len())].to_vec();
        self.next += taken.len();
        Some(taken)
    }

    /// Adds what the kernel gave; nothing is the end. What is `kept` can be handed out again, the end too.
    fn add(&mut self, bytes: &[u8], kept: bool) {
        // Another thread may not have taken yet what it added.
        if !kept && self.next == self.bytes.len() {
            self.bytes.clear();
            self.next = 0;
        }
        self.bytes.extend_from_slice(bytes);
        self.is_at_end = kept && bytes.is_empty();
    }
}

fn input() -> MutexGuard<'static, Input> {
    INPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads for a rank, or for a thread or the process itself (`None`); the answer is that of `read`. Other ranks than 0
/// meet the end.
pub fn read(rank: Option<u32>, target: &mut [u8]) -> isize {
    if rank.is_some_and(|rank| rank != 0) {
        ENDED_ELSEWHERE.store(true, Ordering::Relaxed);
        return 0;
    }
    loop {
        let taken = input().take(target.len());
        if let Some(taken) = taken {
            target[..taken.len()].copy_from_slice(&taken);
            return taken.len() as isize;
        }
        if running::may_be_host_thread() {
            // A prompt must be seen before its answer is typed.
            commit();
        }
        let mut new = Vec::with_capacity(AHEAD);
        let room = new.spare_capacity_mut().as_mut_ptr();
        // SAFETY: `room` has this many bytes.
        let got = waiting::outside(|| unsafe { libc::read(0, room.cast(), AHEAD) });
        if got < 0 {
            let error = state::errno();
            drop(new);
            state::set_errno(error);
            return got;
        }
        // SAFETY: the kernel has filled as many bytes as it says.
        unsafe { new.set_len(got as usize) };
        // Under the checker rank 0 reads again what it read in earlier executions.
        input().add(&new, verification::is_on());
        if got == 0 {
            return 0;
        }
    }
}

/// How much rank 0 has read.
pub fn position() -> usize {
    input().next
}

/// Puts standard input back to where rank 0 had read to, under the checker.
pub fn set_position(position: usize) {
    input().next = position;
}

/// Whether libc's stream says that it is at its end because another rank met it. It is told once.
#[inline]
pub fn take_end_of_others() -> bool {
    ENDED_ELSEWHERE.load(Ordering::Relaxed) && ENDED_ELSEWHERE.swap(false, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(input: &mut Input, len: usize) -> Option<String> {
        input.take(len).map(|bytes| String::from_utf8(bytes).expect("text"))
    }

    #[test]
    fn what_was_read_ahead_is_handed_out_first() {
        let mut input = Input::NEW;
        assert_eq!(taken(&mut input, 3), None);
        input.add(b"abcde", false);
        assert_eq!(taken(&mut input, 3).as_deref(), Some("abc"));
        assert_eq!(taken(&mut input, 3).as_deref(), Some("de"));
        assert_eq!(taken(&mut input, 3), None);
        input.add(b"f", false);
        assert_eq!((input.bytes.len(), taken(&mut input, 3).as_deref()), (1, Some("f")));
    }

    #[test]
    fn nothing_is_lost_between_two_readers() {
        let mut input = Input::NEW;
        input.add(b"ab", false);
        input.add(b"cd", false);
        assert_eq!(taken(&mut input, 9).as_deref(), Some("abcd"));
    }

    #[test]
    fn a_terminal_may_end_more_than_once() {
        let mut input = Input::NEW;
        input.add(b"", false);
        assert_eq!(taken(&mut input, 3), None);
    }

    #[test]
    fn what_is_kept_can_be_read_again() {
        let mut input = Input::NEW;
        input.add(b"ab", true);
        assert_eq!(taken(&mut input, 2).as_deref(), Some("ab"));
        input.add(b"", true);
        assert_eq!(taken(&mut input, 2).as_deref(), Some(""));
        input.next = 1;
        assert_eq!(taken(&mut input, 2).as_deref(), Some("b"));
        assert_eq!(taken(&mut input, 2).as_deref(), Some(""));
    }
}

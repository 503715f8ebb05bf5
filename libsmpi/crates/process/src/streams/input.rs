//! Standard input, which only rank 0 reads. It is read ahead here: the stream itself is unbuffered, so that other ranks
//! find nothing in it.
//!
//! Threads of rank 0 may read, too, so what was read ahead is locked; but never while the kernel reads, or while memory
//! of the program is written to: a rank may be left for good there.

use super::output::commit;
use crate::host_cell::HostCell;
use crate::{running, verification, waiting};
use std::cell::UnsafeCell;
use std::slice;
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

/// What is on its way from the kernel, or to the program, on the hosting thread.
// SAFETY: `read` alone uses it, after it has asked for the thread.
static BUFFER: HostCell<UnsafeCell<[u8; AHEAD]>> = unsafe { HostCell::new(UnsafeCell::new([0; AHEAD])) };

impl Input {
    const NEW: Input = Input { bytes: Vec::new(), next: 0, is_at_end: false };

    /// Hands out what was read ahead, as far as there is room; `None` when the kernel is to be asked for more.
    fn take(&mut self, room: &mut [u8]) -> Option<usize> {
        let ahead = &self.bytes[self.next..];
        if ahead.is_empty() && !self.is_at_end {
            return None;
        }
        let len = room.len().min(ahead.len());
        room[..len].copy_from_slice(&ahead[..len]);
        self.next += len;
        Some(len)
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

/// The rank that runs meets the end of an input that is not rank 0's.
pub fn note_end() {
    ENDED_ELSEWHERE.store(true, Ordering::Relaxed);
}

/// Reads for a rank, or for a thread or the process itself (`None`); the answer is that of `read`. Other ranks than 0
/// meet the end.
pub fn read(rank: Option<u32>, target: &mut [u8]) -> isize {
    if rank.is_some_and(|rank| rank != 0) {
        note_end();
        return 0;
    }
    // SAFETY: buffers of this length. The first is used by the hosting thread alone: a handler of the program that
    // reads while the kernel waits is done with it before the kernel fills it.
    unsafe {
        if running::may_be_host_thread() {
            read_through(BUFFER.get().cast(), target)
        } else {
            read_through(vec![0; AHEAD].as_mut_ptr(), target)
        }
    }
}

/// Reads by way of a buffer. Nothing here needs dropping.
///
/// # Safety
/// The buffer has [`AHEAD`] bytes, which nobody uses meanwhile.
unsafe fn read_through(buffer: *mut u8, target: &mut [u8]) -> isize {
    loop {
        let len = target.len().min(AHEAD);
        // SAFETY: a part of the caller's buffer.
        let taken = input().take(unsafe { slice::from_raw_parts_mut(buffer, len) });
        if let Some(len) = taken {
            // SAFETY: a part of the caller's buffer, which has been filled.
            target[..len].copy_from_slice(unsafe { slice::from_raw_parts(buffer, len) });
            return len as isize;
        }
        if running::may_be_host_thread() {
            // A prompt must be seen before its answer is typed.
            commit();
        }
        // SAFETY: the kernel fills the caller's buffer. Nothing is half done as long as it waits.
        let got = waiting::outside(|| unsafe { libc::read(0, buffer.cast(), AHEAD) });
        if got < 0 {
            return got;
        }
        // SAFETY: the part of the caller's buffer that the kernel has filled.
        let new = unsafe { slice::from_raw_parts(buffer, got as usize) };
        // Under the checker rank 0 reads again what it read in earlier executions.
        input().add(new, verification::is_on());
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
        let mut room = vec![0; len];
        input.take(&mut room).map(|len| String::from_utf8_lossy(&room[..len]).into_owned())
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

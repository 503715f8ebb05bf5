//! Standard input, which only rank 0 reads. It is read ahead here: the stream itself is unbuffered, so that other ranks
//! find nothing in it.

use super::output::commit;
use crate::host_cell::HostCell;
use crate::{verification, waiting};
use std::cell::UnsafeCell;

/// Standard input of rank 0.
struct Input {
    bytes: Vec<u8>,
    next: usize,
    /// Another rank met the end, which libc notes in the stream that rank 0 uses too.
    ended_elsewhere: bool,
    /// There is no more to be read.
    at_end: bool,
}

// SAFETY: only the hosting thread uses it.
static INPUT: HostCell<UnsafeCell<Input>> = unsafe {
    HostCell::new(UnsafeCell::new(Input { bytes: Vec::new(), next: 0, ended_elsewhere: false, at_end: false }))
};

/// So much is read ahead.
const INPUT_BUFFER: usize = 64 << 10;

impl Input {
    fn read(&mut self, target: &mut [u8]) -> isize {
        if self.next == self.bytes.len() && !self.at_end {
            // A prompt must be seen before its answer is typed.
            commit();
            // Nothing new is there as long as the kernel waits: the rank may be left then. Under the checker rank 0
            // reads again what it read in earlier executions.
            if !verification::is_on() {
                self.bytes.clear();
            }
            self.next = self.bytes.len();
            self.bytes.reserve(INPUT_BUFFER);
            let target = self.bytes.spare_capacity_mut().as_mut_ptr().cast();
            // SAFETY: passes a valid buffer of this capacity to the kernel, which fills the bytes that it counts.
            let got = waiting::outside(|| unsafe { libc::read(0, target, INPUT_BUFFER) });
            self.at_end = got == 0 && verification::is_on();
            if got < 0 {
                return got;
            }
            // SAFETY: the kernel has filled so many behind those that are kept.
            unsafe { self.bytes.set_len(self.next + got as usize) };
        }
        let len = target.len().min(self.bytes.len() - self.next);
        target[..len].copy_from_slice(&self.bytes[self.next..self.next + len]);
        self.next += len;
        len as isize
    }
}

/// Reads for a rank, or for the process itself (`None`); the answer is that of `read`. Other ranks than 0 meet the end.
pub fn read(rank: Option<u32>, target: &mut [u8]) -> isize {
    // SAFETY: the hosting thread alone uses it.
    let input = unsafe { &mut *INPUT.get() };
    if rank.is_some_and(|rank| rank != 0) {
        input.ended_elsewhere = true;
        return 0;
    }
    input.read(target)
}

/// How much rank 0 has read.
pub fn position() -> usize {
    // SAFETY: the hosting thread alone uses it.
    unsafe { (*INPUT.get()).next }
}

/// Puts standard input back to where rank 0 had read to, under the checker.
pub fn set_position(position: usize) {
    // SAFETY: the hosting thread alone uses it.
    unsafe { (*INPUT.get()).next = position };
}

/// Whether libc's stream says that it is at its end because another rank met it. It is told once.
#[inline]
pub fn take_end_of_others() -> bool {
    // SAFETY: the hosting thread alone uses it.
    let input = unsafe { &mut *INPUT.get() };
    std::mem::take(&mut input.ended_elsewhere)
}

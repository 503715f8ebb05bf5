//! Whether a rank that computes for too long provably never ends: it comes back to the very state that it was in.
//!
//! What a rank does between two calls follows from its registers and its memory, as long as it executes code of its own
//! and asks nobody. So it is executed instruction by instruction (the trap flag: Intel SDM volume 3 §18.3.1.4) until
//! its registers are what they were at some step before (Brent, BIT 20, 1980: the step to compare with moves on to
//! powers of two). Memory is compared one such round later, by its hash. Where both are the same, nothing will ever
//! change. That no other process could change what the rank reads is for the library above to say.
//!
//! Nothing is said of code that leaves the image, asks the system or a clock, or needs too many steps.

use super::crash::leave_computing;
use crate::host_cell::HostCell;
use crate::memory::{bytes_at, data_ranges};
use crate::record::Record;
use crate::{running, state};
use smpi_base::digest::Digest;
use smpi_image::unwind;
use smpi_ranks::thread_pointer::thread_pointer;
use std::cell::RefCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// Steps after which the search is given up: some tenths of a second.
const MOST_STEPS: u32 = 20_000;
/// Bytes of memory that are compared at most.
const MOST_BYTES: usize = 256 << 20;
/// Bytes below the stack pointer that a function may use (x86-64 psABI §3.2.2).
const RED_ZONE: usize = 128;
/// The trap flag, and that of resuming, which is no state of the program (Intel SDM volume 1 §3.4.3).
const TRAP: i64 = 1 << 8;
const RESUME: i64 = 1 << 16;
/// General registers in a context, the address of the instruction and flags included.
const REGISTERS: usize = libc::REG_EFL as usize + 1;
/// Bytes of the classical floating-point state; behind them is how long the extended one is.
const CLASSICAL: usize = 464;

/// The general registers of a rank that was interrupted.
type General = [i64; REGISTERS];

/// A search for a round.
struct Search {
    /// What is said of the rank where none is found.
    words: String,
    steps: u32,
    /// Steps since the one to compare with, and how many there will be.
    since: u32,
    most: u32,
    compared: General,
    /// A hash of the other registers there: of the floating-point unit, and of vectors.
    others: u128,
    /// The hash of memory at that step, once registers were the same.
    memory: Option<u128>,
}

/// The step whose rank a search is about; 0 for none. The rank is left after it, and makes no further step of this
/// number.
static SEARCHED: AtomicU64 = AtomicU64::new(0);

// SAFETY: handlers of signals use it, on the hosting thread only; that of the timer asks for the flag first, so that it
// does not interrupt that of steps here.
static SEARCH: HostCell<RefCell<Option<Search>>> = unsafe { HostCell::new(RefCell::new(None)) };

/// Begins to look for a round of the rank that a signal has interrupted. When it is known whether there is one, the
/// rank is left, with these words where there is none.
///
/// # Safety
/// `context` must be that of a signal handler on the hosting thread.
pub unsafe fn begin(context: *mut c_void, words: String) {
    // SAFETY: the caller's context.
    let (compared, others) = unsafe { (general(context), others(context)) };
    let search = Search { words, steps: 0, since: 0, most: 1, compared, others, memory: None };
    *SEARCH.borrow_mut() = Some(search);
    SEARCHED.store(running::step(), Ordering::Relaxed);
    // SAFETY: as above.
    unsafe { trap(context, true) };
}

/// Whether a search is about the rank that runs, under way or just over.
pub fn is_searching() -> bool {
    SEARCHED.load(Ordering::Relaxed) == running::step()
}

/// One more instruction was executed.
///
/// # Safety
/// `context` must be that of a signal handler on the hosting thread.
pub unsafe fn step(context: *mut c_void) {
    let Some(record) = state::current() else { return };
    // SAFETY: the caller's context.
    let (now, others) = unsafe { (general(context), || others(context)) };
    let outcome = {
        let mut search = SEARCH.borrow_mut();
        let Some(search) = search.as_mut() else { return };
        search.step(record, now, &others)
    };
    let Some(is_endless) = outcome else { return };
    let Some(search) = SEARCH.borrow_mut().take() else { return };
    // SAFETY: as above.
    unsafe { trap(context, false) };
    leave_computing(record, &search.words, is_endless)
}

impl Search {
    /// Whether the rank goes on for ever, once that is known or given up.
    fn step(&mut self, record: &Record, now: General, others: &dyn Fn() -> u128) -> Option<bool> {
        self.steps += 1;
        self.since += 1;
        let at = now[libc::REG_RIP as usize] as usize;
        if self.steps > MOST_STEPS || !is_of_program(at) || asks(at) {
            return Some(false);
        }
        if now == self.compared && others() == self.others {
            let stack = now[libc::REG_RSP as usize] as usize;
            let Some(found) = memory(record, stack) else { return Some(false) };
            return match self.memory.replace(found) {
                None => None,
                before => Some(before == Some(found)),
            };
        }
        if self.since == self.most && self.memory.is_none() {
            (self.since, self.most, self.compared, self.others) = (0, self.most * 2, now, others());
        }
        None
    }
}

fn is_of_program(at: usize) -> bool {
    unwind::find(at).is_some_and(|found| found.in_image)
}

/// Whether an instruction asks what is no state of the rank: the system, a clock, a source of random numbers.
fn asks(at: usize) -> bool {
    // SAFETY: the instruction that the rank executes next. A byte is read where those before say that it is one's.
    let byte = |offset: usize| unsafe { ptr::with_exposed_provenance::<u8>(at + offset).read() };
    let is_prefix = |byte: u8| matches!(byte, 0x66 | 0xf2 | 0xf3 | 0x40..=0x4f);
    let Some(first) = (0..4).find(|&offset| !is_prefix(byte(offset))) else { return true };
    if byte(first) != 0x0f {
        // `int3`, `int`, `int1`.
        return matches!(byte(first), 0xcc | 0xcd | 0xf1);
    }
    match byte(first + 1) {
        // `syscall`, `rdtsc`, `rdpmc`, `sysenter`, `cpuid`.
        0x05 | 0x31 | 0x33 | 0x34 | 0xa2 => true,
        // `rdtscp`, and others that programs have no use for.
        0x01 => true,
        // `rdrand`, `rdseed` and `rdpid` take a register; `cmpxchg8b` memory.
        0xc7 => byte(first + 2) >= 0xc0,
        _ => false,
    }
}

/// A hash of all memory that the rank can reach and change; `None` where that is too much, or it has mapped some.
fn memory(record: &Record, stack: usize) -> Option<u128> {
    if !record.own.mappings.borrow().all().is_empty() {
        return None;
    }
    let base = record.image.region();
    let end = base + record.image.program().region().stack_len;
    let stack = (base..end).contains(&stack).then(|| stack - RED_ZONE..end);
    // The program's thread-local variables are below the thread pointer while the rank runs (`threads.rs`).
    let thread = thread_pointer();
    let locals = thread - record.app.tls_initial.len()..thread;
    let ranges: Vec<_> = data_ranges(record).map(|(start, end)| start..end).chain(stack).chain([locals]).collect();
    if ranges.iter().map(ExactSizeIterator::len).sum::<usize>() > MOST_BYTES {
        return None;
    }
    let mut digest = Digest::new();
    for range in ranges {
        // SAFETY: parts of the region of the rank that was interrupted, which does not run meanwhile, and of its
        // thread.
        digest.add(unsafe { bytes_at(&range) });
    }
    Some(digest.bits())
}

/// # Safety
/// `context` must be that of a signal handler.
unsafe fn general(context: *mut c_void) -> General {
    // SAFETY: the caller's context.
    let all = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let mut general: General = std::array::from_fn(|place| all[place]);
    general[libc::REG_EFL as usize] &= !(TRAP | RESUME);
    general
}

/// A hash of the other registers.
///
/// # Safety
/// `context` must be that of a signal handler.
unsafe fn others(context: *mut c_void) -> u128 {
    const MAGIC: u32 = 0x4650_5853;
    const HEADER_END: usize = 576;
    let mut digest = Digest::new();
    // SAFETY: the caller's context, whose floating-point state is there, or null; its length is in its own words.
    unsafe {
        let state = (*context.cast::<libc::ucontext_t>()).uc_mcontext.fpregs.cast::<u8>();
        if !state.is_null() {
            digest.add(std::slice::from_raw_parts(state, CLASSICAL));
            let words = state.add(CLASSICAL).cast::<u32>();
            // The extended size, and what it has beyond its header: the upper halves of vectors.
            let len = if words.read() == MAGIC { words.add(4).read() as usize } else { 0 };
            if len > HEADER_END {
                digest.add(std::slice::from_raw_parts(state.add(HEADER_END), len - HEADER_END));
            }
        }
    }
    digest.bits()
}

/// # Safety
/// `context` must be that of a signal handler.
unsafe fn trap(context: *mut c_void, on: bool) {
    // SAFETY: the caller's context.
    let flags = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_EFL as usize] };
    *flags = if on { *flags | TRAP } else { *flags & !TRAP };
}

#[cfg(test)]
mod tests {
    #[test]
    fn instructions_that_ask_are_known() {
        let asks = |code: &[u8]| {
            let padded = [code, &[0x90; 8]].concat();
            super::asks(padded.as_ptr().expose_provenance())
        };
        assert!(asks(&[0x0f, 0x05]) && asks(&[0x0f, 0x31]) && asks(&[0x0f, 0x01, 0xf9]));
        assert!(asks(&[0xcc]) && asks(&[0xcd, 0x80]) && asks(&[0xf1]));
        assert!(asks(&[0x48, 0x0f, 0xc7, 0xf0]) && !asks(&[0x48, 0x0f, 0xc7, 0x0f]));
        assert!(!asks(&[0x48, 0x89, 0xc3]) && !asks(&[0x0f, 0xb6, 0xc0]) && !asks(&[0xeb, 0xfe]));
    }
}

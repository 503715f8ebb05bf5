//! The unused part of ranks' stacks, where states have names ([`super::naming`]).

use std::ptr;

use smpi_image::entries;

use crate::state;

/// Below the program's stack are frames of calls that are over. What they leave there becomes part of the program's
/// next frames, as values that nobody has set, and tells how the state was reached. So it is cleared, but for the
/// outermost frames, which are cleared when the call has returned ([`smpi_image::entries`]).
const CLEARED: usize = 16 << 10;

/// Clears the stack below a call that is about to return to its program, where states have names. Called on the stack
/// of the rank that runs.
#[inline]
pub fn clear_stack_below() {
    if entries::is_in_use() {
        clear_below();
    }
}

#[inline(never)]
fn clear_below() {
    let here = 0_u8;
    let end = ptr::from_ref(&here).addr() - FRAME;
    let lowest = state::current().map_or(end, |record| record.image.region());
    clear(lowest.max(end - CLEARED), end);
}

/// What the functions that clear may have on the stack themselves, with what leaf functions have below it.
const FRAME: usize = 1 << 10;

/// Clears unused stack.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn clear(start: usize, end: usize) {
    // SAFETY: the caller's stack, below all frames: nothing is called meanwhile, and no rank has handlers of signals
    // that run on it without being asked. The direction flag is clear at every call (System V psABI §3.2.1).
    unsafe {
        std::arch::asm!("rep stosb", inout("rdi") start => _, inout("rcx") end.saturating_sub(start) => _, in("al") 0_u8,
            options(nostack, preserves_flags));
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn clear(_start: usize, _end: usize) {}

/// The same for a rank that was put back to where its stack begins at `low`; `base` is the end of the stack.
pub(super) fn clear_stack(base: usize, low: usize) {
    if entries::is_in_use() {
        clear(base.max(low - CLEARED), low);
    }
}

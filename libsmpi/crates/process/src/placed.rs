//! What ranks may come by pointers to, as variables of their environment, or as what calls of ours leave on their
//! stacks, lies at the same addresses in every process that hosts the same ranks. Else the ranks would be in other
//! states in each, and nobody could go on with what another process knows of these.

use std::ptr::{self, NonNull};

/// Where the variables of the environment lie.
pub const ENVIRONMENT: usize = 0xff_0000_0000;
/// Where the records of ranks lie.
pub const RECORDS: usize = 0xf0_0000_0000;

/// Room of so many bytes at an address, if that is free, or else anywhere; zeros, and never freed. `None`: there is no
/// memory, or nothing is wanted.
pub fn map(address: usize, len: usize) -> Option<NonNull<u8>> {
    let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, in whatever place is free.
    let place = unsafe { libc::mmap(ptr::without_provenance_mut(address), len, rights, flags, -1, 0) };
    if place == libc::MAP_FAILED { None } else { NonNull::new(place.cast()) }
}

/// Gives functions that protect their frames by a canary the same one in every process, from now on: it lies on the
/// stack, too.
///
/// # Safety
/// No function that has begun may return if it has such a frame.
pub unsafe fn fix_canary() {
    // As a random one, it begins with a zero byte, which ends strings. Where the compiler looks for it: System V ABI,
    // AMD64 supplement, as used by gcc's `-fstack-protector`.
    const CANARY: u64 = 0x5a3c_96e1_78d2_4b00;
    // SAFETY: the word is the thread's own.
    unsafe { std::arch::asm!("mov fs:[0x28], {}", in(reg) CANARY, options(nostack, preserves_flags)) };
}

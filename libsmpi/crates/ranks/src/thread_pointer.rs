//! The thread pointer, which tells one thread from another and says where its variables are.

/// The thread pointer: the address from which the compiler reaches thread-local variables, unique for each thread.
#[inline]
pub fn thread_pointer() -> usize {
    let pointer: usize;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the x86-64 ABI keeps the thread pointer at %fs:0.
    unsafe {
        std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly));
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: reads a register that code of users may read.
    unsafe {
        std::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags, nomem));
    }
    pointer
}

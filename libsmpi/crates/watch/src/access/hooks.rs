//! The functions that compilers call at reads and writes with `-fsanitize=thread` (gcc 12, clang 14): names and
//! arguments are theirs. Those for atomic operations are in [`super::atomics`].
//!
//! Each costs two loads, an addition and a branch when nothing is watched. None of them keeps anything. Where the
//! program does it is the return address, which they pass on: to walk the stack would take a microsecond each time.

use std::arch::naked_asm;

use super::{access_from, note_use};

extern "C" fn access<const LEN: usize, const WRITE: bool>(at: usize, caller: usize) {
    access_from(at, LEN, WRITE, caller);
}

extern "C" fn range<const WRITE: bool>(at: usize, len: usize, caller: usize) {
    access_from(at, len, WRITE, caller);
}

/// Functions without a task here.
macro_rules! ignored {
    ($($name:ident($($argument:ident),*);)*) => {$(
        /// Not needed: threads, locks and call stacks are of no interest.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: usize),*) {
            $(let _ = $argument;)*
        }
    )*};
}

/// Functions that report an access of a certain size.
macro_rules! accesses {
    ($($name:ident $size:literal $write:literal;)*) => {$(
        /// An access of this size.
        // SAFETY: System V AMD64 ABI: at the entry of a function its return address is where the stack pointer points,
        // and the second argument is in rsi; the function that is jumped to returns to our caller.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: usize) {
            naked_asm!("mov rsi, [rsp]", "jmp {}", sym access::<$size, $write>)
        }
    )*};
}

/// Called by a constructor of everything that was compiled with the option.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    note_use();
}

/// Functions that report an access of as many bytes as their second argument says.
macro_rules! ranges {
    ($($name:ident $write:literal;)*) => {$(
        /// An access to a range: copies of structures.
        // SAFETY: as for accesses of one size, with the third argument in rdx.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(at: usize, len: usize) {
            naked_asm!("mov rdx, [rsp]", "jmp {}", sym range::<$write>)
        }
    )*};
}

ranges! {
    __tsan_read_range false;
    __tsan_write_range true;
}

ignored! {
    __tsan_func_entry(caller);
    __tsan_func_exit();
    __tsan_ignore_thread_begin();
    __tsan_ignore_thread_end();
    __tsan_acquire(at);
    __tsan_release(at);
}

// The pointer to a table of virtual functions is read when one is called; constructors and destructors set it.
accesses! {
    __tsan_vptr_read 8 false;
    __tsan_vptr_update 8 true;
    __tsan_read1 1 false;
    __tsan_read2 2 false;
    __tsan_read4 4 false;
    __tsan_read8 8 false;
    __tsan_read16 16 false;
    __tsan_write1 1 true;
    __tsan_write2 2 true;
    __tsan_write4 4 true;
    __tsan_write8 8 true;
    __tsan_write16 16 true;
    __tsan_read_write1 1 true;
    __tsan_read_write2 2 true;
    __tsan_read_write4 4 true;
    __tsan_read_write8 8 true;
    __tsan_read_write16 16 true;
    __tsan_unaligned_read2 2 false;
    __tsan_unaligned_read4 4 false;
    __tsan_unaligned_read8 8 false;
    __tsan_unaligned_read16 16 false;
    __tsan_unaligned_write2 2 true;
    __tsan_unaligned_write4 4 true;
    __tsan_unaligned_write8 8 true;
    __tsan_unaligned_write16 16 true;
    __tsan_unaligned_read_write2 2 true;
    __tsan_unaligned_read_write4 4 true;
    __tsan_unaligned_read_write8 8 true;
    __tsan_unaligned_read_write16 16 true;
    __tsan_volatile_read1 1 false;
    __tsan_volatile_read2 2 false;
    __tsan_volatile_read4 4 false;
    __tsan_volatile_read8 8 false;
    __tsan_volatile_read16 16 false;
    __tsan_volatile_write1 1 true;
    __tsan_volatile_write2 2 true;
    __tsan_volatile_write4 4 true;
    __tsan_volatile_write8 8 true;
    __tsan_volatile_write16 16 true;
    __tsan_unaligned_volatile_read2 2 false;
    __tsan_unaligned_volatile_read4 4 false;
    __tsan_unaligned_volatile_read8 8 false;
    __tsan_unaligned_volatile_read16 16 false;
    __tsan_unaligned_volatile_write2 2 true;
    __tsan_unaligned_volatile_write4 4 true;
    __tsan_unaligned_volatile_write8 8 true;
    __tsan_unaligned_volatile_write16 16 true;
}

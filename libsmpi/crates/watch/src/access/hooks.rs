//! The functions that compilers call at reads and writes with `-fsanitize=thread` (gcc 12, clang 14): names and
//! arguments are theirs. Those for atomic operations are in [`super::atomics`].
//!
//! Each costs a load, an addition and a branch when nothing is watched. None of them keeps anything.

use super::{access, note_use};

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
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(at: usize) {
            access(at, $size, $write);
        }
    )*};
}

/// Called by a constructor of everything that was compiled with the option.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_init() {
    note_use();
}

/// An access to a range: copies of structures.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_read_range(at: usize, len: usize) {
    access(at, len, false);
}

/// As [`__tsan_read_range`].
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_write_range(at: usize, len: usize) {
    access(at, len, true);
}

/// A constructor or destructor of C++ sets the pointer to the table of virtual functions.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_vptr_update(at: usize, _value: usize) {
    access(at, size_of::<usize>(), true);
}

/// A virtual function is called.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_vptr_read(at: usize) {
    access(at, size_of::<usize>(), false);
}

ignored! {
    __tsan_func_entry(caller);
    __tsan_func_exit();
    __tsan_ignore_thread_begin();
    __tsan_ignore_thread_end();
    __tsan_acquire(at);
    __tsan_release(at);
}

accesses! {
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

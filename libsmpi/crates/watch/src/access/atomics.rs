//! Atomic operations of a program that was compiled with `-fsanitize=thread`: the compiler leaves them to us.
//!
//! All are sequentially consistent, whatever was asked for: that is always allowed. Operations on 16 bytes are built on
//! `cmpxchg16b`. An operation that may write counts as a write of its operand.

use std::arch::asm;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use super::turns::{Does, in_turn};

const ORDER: Ordering = Ordering::SeqCst;

/// The operations on integers of one size. Parameters of type `c_int` are memory orders.
macro_rules! operations {
    ($type:ty, $cell:ty, $load:ident $store:ident $exchange:ident $strong:ident $weak:ident $value:ident,
     $($fetch:ident $method:ident $does:ident),*) => {
        /// Reads.
        ///
        /// # Safety
        /// `at` must be aligned and valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $load(at: *const $type, _order: c_int) -> $type {
            if let Some(found) = in_turn(at.addr(), size_of::<$type>(), Does::Load, 0, 0) {
                return found as $type;
            }
            // SAFETY: the compiler passes an atomic object, which is aligned and valid.
            unsafe { <$cell>::from_ptr(at.cast_mut()) }.load(ORDER)
        }

        /// Writes.
        ///
        /// # Safety
        /// As for reading.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $store(at: *mut $type, value: $type, _order: c_int) {
            if in_turn(at.addr(), size_of::<$type>(), Does::Exchange, value as u128, 0).is_none() {
                // SAFETY: the compiler passes an atomic object, which is aligned and valid.
                unsafe { <$cell>::from_ptr(at) }.store(value, ORDER);
            }
        }

        /// Writes, and returns what was there.
        ///
        /// # Safety
        /// As for reading.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $exchange(at: *mut $type, value: $type, _order: c_int) -> $type {
            if let Some(found) = in_turn(at.addr(), size_of::<$type>(), Does::Exchange, value as u128, 0) {
                return found as $type;
            }
            // SAFETY: the compiler passes an atomic object, which is aligned and valid.
            unsafe { <$cell>::from_ptr(at) }.swap(value, ORDER)
        }

        /// Writes `value` where `expected` is; returns what was there (clang's form).
        ///
        /// # Safety
        /// As for reading.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $value(
            at: *mut $type,
            expected: $type,
            value: $type,
            _order: c_int,
            _failure: c_int,
        ) -> $type {
            let (wanted, new) = (expected as u128, value as u128);
            if let Some(found) = in_turn(at.addr(), size_of::<$type>(), Does::Compare, new, wanted) {
                return found as $type;
            }
            // SAFETY: the compiler passes an atomic object, which is aligned and valid.
            let outcome = unsafe { <$cell>::from_ptr(at) }.compare_exchange(expected, value, ORDER, ORDER);
            outcome.unwrap_or_else(|found| found)
        }

        /// Writes `value` where `*expected` is, else puts there what it found; returns whether it wrote.
        ///
        /// # Safety
        /// As for reading; `expected` must be valid for writing.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $strong(
            at: *mut $type,
            expected: *mut $type,
            value: $type,
            order: c_int,
            failure: c_int,
        ) -> c_int {
            // SAFETY: the compiler passes an atomic object, and in `expected` a variable of the same type.
            unsafe {
                let wanted = *expected;
                let found = $value(at, wanted, value, order, failure);
                if found != wanted {
                    *expected = found;
                }
                c_int::from(found == wanted)
            }
        }

        /// The same: ours never fails without a reason.
        ///
        /// # Safety
        /// As above.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $weak(
            at: *mut $type,
            expected: *mut $type,
            value: $type,
            order: c_int,
            failure: c_int,
        ) -> c_int {
            // SAFETY: the arguments are the compiler's for the other function, too, which asks the same of them.
            unsafe { $strong(at, expected, value, order, failure) }
        }

        $(
            /// Combines what is there with `value`; returns what was there.
            ///
            /// # Safety
            /// As for reading.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $fetch(at: *mut $type, value: $type, _order: c_int) -> $type {
                if let Some(found) = in_turn(at.addr(), size_of::<$type>(), Does::$does, value as u128, 0) {
                    return found as $type;
                }
                // SAFETY: the compiler passes an atomic object, which is aligned and valid.
                unsafe { <$cell>::from_ptr(at) }.$method(value, ORDER)
            }
        )*
    };
}

operations!(u8, AtomicU8,
    __tsan_atomic8_load __tsan_atomic8_store __tsan_atomic8_exchange __tsan_atomic8_compare_exchange_strong
    __tsan_atomic8_compare_exchange_weak __tsan_atomic8_compare_exchange_val,
    __tsan_atomic8_fetch_add fetch_add Add, __tsan_atomic8_fetch_sub fetch_sub Sub, __tsan_atomic8_fetch_and fetch_and And,
    __tsan_atomic8_fetch_or fetch_or Or, __tsan_atomic8_fetch_xor fetch_xor Xor, __tsan_atomic8_fetch_nand fetch_nand Nand);
operations!(u16, AtomicU16,
    __tsan_atomic16_load __tsan_atomic16_store __tsan_atomic16_exchange __tsan_atomic16_compare_exchange_strong
    __tsan_atomic16_compare_exchange_weak __tsan_atomic16_compare_exchange_val,
    __tsan_atomic16_fetch_add fetch_add Add, __tsan_atomic16_fetch_sub fetch_sub Sub, __tsan_atomic16_fetch_and fetch_and And,
    __tsan_atomic16_fetch_or fetch_or Or, __tsan_atomic16_fetch_xor fetch_xor Xor, __tsan_atomic16_fetch_nand fetch_nand Nand);
operations!(u32, AtomicU32,
    __tsan_atomic32_load __tsan_atomic32_store __tsan_atomic32_exchange __tsan_atomic32_compare_exchange_strong
    __tsan_atomic32_compare_exchange_weak __tsan_atomic32_compare_exchange_val,
    __tsan_atomic32_fetch_add fetch_add Add, __tsan_atomic32_fetch_sub fetch_sub Sub, __tsan_atomic32_fetch_and fetch_and And,
    __tsan_atomic32_fetch_or fetch_or Or, __tsan_atomic32_fetch_xor fetch_xor Xor, __tsan_atomic32_fetch_nand fetch_nand Nand);
operations!(u64, AtomicU64,
    __tsan_atomic64_load __tsan_atomic64_store __tsan_atomic64_exchange __tsan_atomic64_compare_exchange_strong
    __tsan_atomic64_compare_exchange_weak __tsan_atomic64_compare_exchange_val,
    __tsan_atomic64_fetch_add fetch_add Add, __tsan_atomic64_fetch_sub fetch_sub Sub, __tsan_atomic64_fetch_and fetch_and And,
    __tsan_atomic64_fetch_or fetch_or Or, __tsan_atomic64_fetch_xor fetch_xor Xor, __tsan_atomic64_fetch_nand fetch_nand Nand);
operations!(u128, AtomicU128,
    __tsan_atomic128_load __tsan_atomic128_store __tsan_atomic128_exchange __tsan_atomic128_compare_exchange_strong
    __tsan_atomic128_compare_exchange_weak __tsan_atomic128_compare_exchange_val,
    __tsan_atomic128_fetch_add fetch_add Add, __tsan_atomic128_fetch_sub fetch_sub Sub, __tsan_atomic128_fetch_and fetch_and And,
    __tsan_atomic128_fetch_or fetch_or Or, __tsan_atomic128_fetch_xor fetch_xor Xor, __tsan_atomic128_fetch_nand fetch_nand Nand);

/// A barrier between threads.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_thread_fence(_order: c_int) {
    fence(ORDER);
}

/// A barrier between a thread and its signal handlers.
#[unsafe(no_mangle)]
pub extern "C" fn __tsan_atomic_signal_fence(_order: c_int) {
    std::sync::atomic::compiler_fence(ORDER);
}

/// An atomic integer of 16 bytes, as those of the standard library.
struct AtomicU128(*mut u128);

impl AtomicU128 {
    /// # Safety
    /// `at` must be valid and aligned to 16 bytes.
    unsafe fn from_ptr(at: *mut u128) -> AtomicU128 {
        AtomicU128(at)
    }

    fn compare_exchange(&self, expected: u128, value: u128, _: Ordering, _: Ordering) -> Result<u128, u128> {
        let (mut low, mut high) = (expected as u64, (expected >> 64) as u64);
        // SAFETY: the promise given to `from_ptr`; rbx is not available as an operand, so it is exchanged around the
        // instruction, and the address must not be in it. Every processor that Debian's amd64 runs on in practice has
        // cmpxchg16b (since 2006).
        unsafe {
            asm!(
                "xchg rbx, {value}",
                "lock cmpxchg16b [rdi]",
                "mov rbx, {value}",
                value = inout(reg) value as u64 => _,
                in("rdi") self.0,
                in("rcx") (value >> 64) as u64,
                inout("rax") low,
                inout("rdx") high,
            );
        }
        let found = u128::from(high) << 64 | u128::from(low);
        if found == expected { Ok(found) } else { Err(found) }
    }

    fn update(&self, change: impl Fn(u128) -> u128) -> u128 {
        let mut known = self.load(ORDER);
        loop {
            match self.compare_exchange(known, change(known), ORDER, ORDER) {
                Ok(found) => return found,
                Err(found) => known = found,
            }
        }
    }

    fn load(&self, order: Ordering) -> u128 {
        self.compare_exchange(0, 0, order, order).unwrap_or_else(|found| found)
    }

    fn store(&self, value: u128, _: Ordering) {
        self.update(|_| value);
    }

    fn swap(&self, value: u128, _: Ordering) -> u128 {
        self.update(|_| value)
    }

    fn fetch_add(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| known.wrapping_add(value))
    }

    fn fetch_sub(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| known.wrapping_sub(value))
    }

    fn fetch_and(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| known & value)
    }

    fn fetch_or(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| known | value)
    }

    fn fetch_xor(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| known ^ value)
    }

    fn fetch_nand(&self, value: u128, _: Ordering) -> u128 {
        self.update(|known| !(known & value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value with bits everywhere, and one that carries into the upper half.
    const HIGH: u128 = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
    const CARRY: u128 = 0xffff_ffff_ffff_ffff;

    #[test]
    fn integers_of_sixteen_bytes_are_changed_as_a_whole() {
        type Operation = unsafe extern "C" fn(*mut u128, u128, c_int) -> u128;
        type Meaning = fn(u128, u128) -> u128;
        let all: [(Operation, Meaning); 7] = [
            (__tsan_atomic128_exchange, |_, value| value),
            (__tsan_atomic128_fetch_add, u128::wrapping_add),
            (__tsan_atomic128_fetch_sub, u128::wrapping_sub),
            (__tsan_atomic128_fetch_and, |known, value| known & value),
            (__tsan_atomic128_fetch_or, |known, value| known | value),
            (__tsan_atomic128_fetch_xor, |known, value| known ^ value),
            (__tsan_atomic128_fetch_nand, |known, value| !(known & value)),
        ];
        for (operation, meaning) in all {
            for (known, value) in [(HIGH, CARRY), (CARRY, 1), (0, u128::MAX), (CARRY << 64, HIGH)] {
                let mut place = known;
                // SAFETY: an aligned variable of this test.
                let before = unsafe { operation(&raw mut place, value, 5) };
                assert_eq!((before, place), (known, meaning(known, value)));
            }
        }
        let mut place = HIGH;
        // SAFETY: an aligned variable of this test.
        unsafe {
            assert_eq!(__tsan_atomic128_load(&raw const place, 5), HIGH);
            __tsan_atomic128_store(&raw mut place, CARRY, 5);
        }
        assert_eq!(place, CARRY);
    }

    /// The upper half alone makes the difference, too; what was found is told in both forms.
    #[test]
    fn a_comparison_fails_on_any_difference_and_tells_what_it_found() {
        for wrong in [HIGH ^ 1, HIGH ^ (1 << 127)] {
            let (mut place, mut expected) = (HIGH, wrong);
            // SAFETY: aligned variables of this test.
            unsafe {
                assert_eq!(__tsan_atomic128_compare_exchange_strong(&raw mut place, &raw mut expected, 7, 5, 5), 0);
                assert_eq!((place, expected), (HIGH, HIGH));
                assert_eq!(__tsan_atomic128_compare_exchange_val(&raw mut place, wrong, 7, 5, 5), HIGH);
                assert_eq!(place, HIGH);
                assert_eq!(__tsan_atomic128_compare_exchange_weak(&raw mut place, &raw mut expected, 7, 5, 5), 1);
                assert_eq!((place, expected), (7, HIGH));
            }
        }
        let (mut place, mut expected) = (5_u16, 6_u16);
        // SAFETY: aligned variables of this test.
        unsafe {
            assert_eq!(__tsan_atomic16_compare_exchange_strong(&raw mut place, &raw mut expected, 9, 5, 5), 0);
            assert_eq!(__tsan_atomic16_compare_exchange_strong(&raw mut place, &raw mut expected, 9, 5, 5), 1);
        }
        assert_eq!((place, expected), (9, 5));
    }

    #[test]
    fn threads_lose_no_addition_to_sixteen_bytes() {
        let mut place = CARRY - 500;
        let at = &raw mut place as usize;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(move || {
                    for _ in 0..1000 {
                        // SAFETY: an aligned variable that outlives the threads.
                        unsafe { __tsan_atomic128_fetch_add(at as *mut u128, 1, 5) };
                    }
                });
            }
        });
        assert_eq!(place, CARRY + 3500);
    }
}

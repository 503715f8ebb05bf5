//! What functions in libc's place have in common: the contract with their callers, how they answer, and who else than
//! a rank may call.
//!
//! # C's contract
//!
//! A program calls such a function as it would call libc's of the same name, so what C or the function's manual asks of
//! its arguments holds: a pointer is null where that is allowed, and otherwise valid for what it stands for, as long as
//! the call lasts; strings and lists end with a null; a stream or another object of libc is one that libc made. The
//! program establishes that by calling. Comments that name C's contract mean this, and say which part of it.

use std::slice;

/// Functions that ranks get in the place of libraries', by the library's name for them.
pub type Table = &'static [(&'static str, *const ())];

/// The rank that calls, as `$caller` finds it. Whoever is none (a thread, a child of `fork`, a program without
/// `smpirun`) gets what libc's function answers to the same call.
macro_rules! or_libc {
    ($caller:expr, $call:expr) => {
        match $caller {
            Some(record) => record,
            // SAFETY: C's contract for the function that says this is that of libc's, which gets the same arguments.
            None => return unsafe { $call },
        }
    };
}
pub(crate) use or_libc;

/// The calling thread's `errno`.
pub fn errno() -> i32 {
    // SAFETY: libc's place for the calling thread's `errno` is valid as long as the thread runs.
    unsafe { *libc::__errno_location() }
}

/// Sets the calling thread's `errno`.
pub fn set_errno(value: i32) {
    // SAFETY: libc's place for the calling thread's `errno` is valid as long as the thread runs.
    unsafe { *libc::__errno_location() = value }
}

/// Answers as a function that fails: −1, and the error in `errno`.
pub fn refuse(error: i32) -> i32 {
    set_errno(error);
    -1
}

/// Writes a result where the caller wants it; nowhere for null.
///
/// # Safety
/// By C's contract the place is null or valid.
pub unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so it is valid by C's contract.
        unsafe { place.write(value) };
    }
}

/// Elements that the caller passes; with `count` 0 the address may be any.
///
/// # Safety
/// By C's contract there are `count` elements, and nobody changes them while the result is in use.
pub unsafe fn elements<'a, T>(start: *const T, count: usize) -> &'a [T] {
    // SAFETY: C's contract, which covers the address only where there are elements.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(start, count) } }
}

/// Room for bytes that the caller passes; with `len` 0 the address may be any.
///
/// # Safety
/// By C's contract there is room for `len` bytes, and nobody else uses it while the result is in use.
pub unsafe fn room<'a>(start: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: C's contract, which covers the address only where there is room.
    if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(start, len) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn null_is_no_place_and_nothing_may_lie_anywhere() {
        let mut place = 0;
        // SAFETY: null, a valid place, and no elements.
        unsafe {
            put(ptr::null_mut(), 7);
            put(&mut place, 7);
            assert!(elements(ptr::null::<u64>(), 0).is_empty());
            assert!(room(ptr::null_mut(), 0).is_empty());
            assert_eq!(elements(&raw const place, 1), [7]);
        }
    }

    #[test]
    fn a_refusal_leaves_the_error_behind() {
        assert_eq!((refuse(libc::EINVAL), errno()), (-1, libc::EINVAL));
    }
}

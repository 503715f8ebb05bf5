//! Conversions between multibyte and wide characters that remember where they stand: each function of libc has a state
//! of its own for callers that pass none. Here each rank has these states. Source: C11 §7.22.7, §7.28.1, §7.29.6.

use crate::contract::Table;
use crate::record::Record;
use crate::state;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// The functions that may use a state of their own.
pub const REPLACED: Table = &[
    ("mblen", mblen as *const ()),
    ("mbtowc", mbtowc as *const ()),
    ("wctomb", wctomb as *const ()),
    ("mbrlen", mbrlen as *const ()),
    ("mbrtowc", mbrtowc as *const ()),
    ("wcrtomb", wcrtomb as *const ()),
    ("mbsrtowcs", mbsrtowcs as *const ()),
    ("wcsrtombs", wcsrtombs as *const ()),
    ("mbsnrtowcs", mbsnrtowcs as *const ()),
    ("wcsnrtombs", wcsnrtombs as *const ()),
    ("mbrtoc16", mbrtoc16 as *const ()),
    ("c16rtomb", c16rtomb as *const ()),
    ("mbrtoc32", mbrtoc32 as *const ()),
    ("c32rtomb", c32rtomb as *const ()),
];

type Wide = libc::wchar_t;
/// A `mbstate_t`, or null.
type State = *mut c_void;

mod real {
    use super::{State, Wide, c_char, c_int};
    unsafe extern "C" {
        pub fn mblen(text: *const c_char, len: usize) -> c_int;
        pub fn mbtowc(wide: *mut Wide, text: *const c_char, len: usize) -> c_int;
        pub fn wctomb(text: *mut c_char, wide: Wide) -> c_int;
    }
    unsafe extern "C" {
        pub fn mbrlen(text: *const c_char, len: usize, state: State) -> usize;
        pub fn mbrtowc(wide: *mut Wide, text: *const c_char, len: usize, state: State) -> usize;
        pub fn wcrtomb(text: *mut c_char, wide: Wide, state: State) -> usize;
        pub fn mbsrtowcs(wide: *mut Wide, text: *mut *const c_char, len: usize, state: State) -> usize;
        pub fn wcsrtombs(text: *mut c_char, wide: *mut *const Wide, len: usize, state: State) -> usize;
        pub fn mbsnrtowcs(wide: *mut Wide, text: *mut *const c_char, most: usize, len: usize, state: State) -> usize;
        pub fn wcsnrtombs(text: *mut c_char, wide: *mut *const Wide, most: usize, len: usize, state: State) -> usize;
        pub fn mbrtoc16(wide: *mut u16, text: *const c_char, len: usize, state: State) -> usize;
        pub fn c16rtomb(text: *mut c_char, wide: u16, state: State) -> usize;
        pub fn mbrtoc32(wide: *mut u32, text: *const c_char, len: usize, state: State) -> usize;
        pub fn c32rtomb(text: *mut c_char, wide: u32, state: State) -> usize;
    }
}

/// Whose state it is, by number in [`Record`].
#[derive(Clone, Copy)]
enum Own {
    Mbtowc,
    Wctomb,
    Mbrlen,
    Mbrtowc,
    Wcrtomb,
    Mbsrtowcs,
    Wcsrtombs,
    Mbsnrtowcs,
    Wcsnrtombs,
    Mbrtoc16,
    C16rtomb,
    Mbrtoc32,
    C32rtomb,
}

fn place(record: &Record, own: Own) -> State {
    record.own.conversions[own as usize].as_ptr().cast()
}

/// The state to use: the caller's, or else the rank's for this function; whoever is no rank gets libc's.
fn chosen(state: State, own: Own) -> State {
    if !state.is_null() {
        return state;
    }
    state::current().map_or(ptr::null_mut(), |record| place(record, own))
}

/// Functions that take a state last, which may be null.
macro_rules! with_state {
    ($($name:ident($($argument:ident: $type:ty),*) by $own:ident;)*) => {$(
        unsafe extern "C" fn $name($($argument: $type,)* state: State) -> usize {
            // SAFETY: the arguments of the caller, whose contract is that of libc's function; a rank's state has the
            // size of a `mbstate_t`, and is one that libc left there, or zero.
            unsafe { real::$name($($argument,)* chosen(state, Own::$own)) }
        }
    )*};
}

with_state! {
    mbrlen(text: *const c_char, len: usize) by Mbrlen;
    mbrtowc(wide: *mut Wide, text: *const c_char, len: usize) by Mbrtowc;
    wcrtomb(text: *mut c_char, wide: Wide) by Wcrtomb;
    mbsrtowcs(wide: *mut Wide, text: *mut *const c_char, len: usize) by Mbsrtowcs;
    wcsrtombs(text: *mut c_char, wide: *mut *const Wide, len: usize) by Wcsrtombs;
    mbsnrtowcs(wide: *mut Wide, text: *mut *const c_char, most: usize, len: usize) by Mbsnrtowcs;
    wcsnrtombs(text: *mut c_char, wide: *mut *const Wide, most: usize, len: usize) by Wcsnrtombs;
    mbrtoc16(wide: *mut u16, text: *const c_char, len: usize) by Mbrtoc16;
    c16rtomb(text: *mut c_char, wide: u16) by C16rtomb;
    mbrtoc32(wide: *mut u32, text: *const c_char, len: usize) by Mbrtoc32;
    c32rtomb(text: *mut c_char, wide: u32) by C32rtomb;
}

/// The result of a function that does not tell an incomplete character from a wrong one.
fn as_int(len: usize) -> c_int {
    // −1 and −2 are the two.
    c_int::try_from(len).unwrap_or(-1)
}

/// `mblen`, which begins anew with every call.
unsafe extern "C" fn mblen(text: *const c_char, len: usize) -> c_int {
    if text.is_null() || state::current().is_none() {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { real::mblen(text, len) };
    }
    let mut fresh = 0_u64;
    // SAFETY: by C's contract there are `len` bytes; the state is a new one.
    as_int(unsafe { real::mbrlen(text, len, (&raw mut fresh).cast()) })
}

unsafe extern "C" fn mbtowc(wide: *mut Wide, text: *const c_char, len: usize) -> c_int {
    // SAFETY: by C's contract null, or `len` bytes and a place for the result, or null; the state is the rank's.
    unsafe {
        let Some(record) = state::current() else { return real::mbtowc(wide, text, len) };
        if text.is_null() {
            record.own.conversions[Own::Mbtowc as usize].set(0);
            return real::mbtowc(wide, text, len);
        }
        as_int(real::mbrtowc(wide, text, len, place(record, Own::Mbtowc)))
    }
}

unsafe extern "C" fn wctomb(text: *mut c_char, wide: Wide) -> c_int {
    // SAFETY: by C's contract null, or room for a character; the state is the rank's.
    unsafe {
        let Some(record) = state::current() else { return real::wctomb(text, wide) };
        if text.is_null() {
            record.own.conversions[Own::Wctomb as usize].set(0);
            return real::wctomb(text, wide);
        }
        as_int(real::wcrtomb(text, wide, place(record, Own::Wctomb)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_has_a_state_for_each_function() {
        assert_eq!(Own::C32rtomb as usize + 1, crate::record::CONVERSIONS);
        assert_eq!([as_int(3), as_int(usize::MAX), as_int(usize::MAX - 1)], [3, -1, -1]);
    }
}

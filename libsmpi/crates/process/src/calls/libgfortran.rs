//! What the Fortran run-time library (libgfortran) gets instead of libc's functions, beyond what every program gets.
//!
//! Each rank has its own copy of that library, so its units, buffers and options are the rank's. Three things would
//! still be wrong: it would keep lines back that other ranks' lines shall be ordered with, it would replace our
//! handlers of crashes by its own, and the messages with which it ends a rank would not say which rank it was.

use super::{environment, exit};
use crate::faults::places;
use crate::signals::calls;
use crate::state;
use crate::streams::output::print_error;
use smpi_image::unwind;
use std::ffi::{CStr, c_char, c_int};

/// Beginning of the library's name.
const RUNTIME: &str = "libgfortran.so";

/// Address of what the library gets in the place of a function.
pub fn replacement(name: &str, user: &str) -> Option<*const ()> {
    if !user.starts_with(RUNTIME) {
        return None;
    }
    Some(match name {
        "getenv" | "secure_getenv" => getenv as *const (),
        "signal" => signal as *const (),
        "exit" => leave as *const (),
        _ => return None,
    })
}

/// `getenv`, with unbuffered standard units unless the user says otherwise: what a rank prints is a line among other
/// ranks' lines, and is not lost when the rank crashes. One record is still one piece.
unsafe extern "C" fn getenv(name: *const c_char) -> *mut c_char {
    // SAFETY: by C's contract a string.
    let found = unsafe { environment::getenv(name) };
    // SAFETY: by C's contract a string.
    if found.is_null() && unsafe { CStr::from_ptr(name) } == c"GFORTRAN_UNBUFFERED_PRECONNECTED" {
        return c"y".as_ptr().cast_mut();
    }
    found
}

/// `signal`, which leaves crashes to us: the library's own handler prints a backtrace and knows no ranks. Handlers of
/// the program (`call signal(…)`) are installed.
unsafe extern "C" fn signal(number: c_int, handler: libc::sighandler_t) -> libc::sighandler_t {
    if unwind::find(handler).is_some_and(|location| location.in_image && location.file.is_runtime()) {
        return libc::SIG_DFL;
    }
    // SAFETY: by C's contract a handler for the signal.
    unsafe { calls::signal(number, handler) }
}

/// `exit`, by which the library carries out `STOP`, `ERROR STOP` and the end after a run-time error.
extern "C" fn leave(code: c_int) -> ! {
    if let Some(record) = state::current()
        && code != 0
    {
        let place = places::in_words(record);
        print_error(&format!("smpirun: rank {}: ended with exit code {}{place}\n", record.rank, code & 0xff));
        record.own.end_is_told.set(true);
    }
    exit::exit(code)
}

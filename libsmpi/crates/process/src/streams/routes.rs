//! Reading and writing by a rank's descriptors 0 to 2, wherever they lead.

use super::{input, output};
use crate::contract::refuse;
use crate::record::{Record, Route, Stream};
use crate::{keys, waiting};
use std::ffi::c_int;

/// Reads; the answer is that of `read`.
pub fn read(record: &Record, descriptor: c_int, target: &mut [u8]) -> isize {
    match record.routes.of(descriptor) {
        Some(Route::Shared(0)) => input::read(Some(record.rank.0), target),
        Some(Route::Shared(number) | Route::File(number)) => {
            // SAFETY: room that the caller has lent.
            let got = waiting::outside(|| unsafe { libc::read(number, target.as_mut_ptr().cast(), target.len()) });
            if got == 0 {
                input::note_end();
            }
            got
        }
        Some(Route::Closed) | None => refuse(libc::EBADF) as isize,
    }
}

/// Writes; the answer is that of `write`.
pub fn write(record: &Record, descriptor: c_int, bytes: &[u8]) -> isize {
    let shared = |stream| match output::lost(stream) {
        // What was lost is told by the next call.
        Some(error) => refuse(error) as isize,
        None => {
            output::print(record, stream, bytes);
            bytes.len() as isize
        }
    };
    match record.routes.of(descriptor) {
        Some(Route::Shared(1)) => shared(Stream::Out),
        Some(Route::Shared(2)) => shared(Stream::Err),
        Some(Route::Shared(number) | Route::File(number)) => {
            // SAFETY: the bytes are lent by the caller.
            waiting::outside(|| unsafe { libc::write(number, bytes.as_ptr().cast(), bytes.len()) })
        }
        Some(Route::Closed) | None => refuse(libc::EBADF) as isize,
    }
}

/// The number under which the process has what a descriptor leads to for the calling thread, which a rank has started;
/// other callers' lead where they say.
pub fn of_thread(descriptor: c_int) -> c_int {
    match keys::owner().and_then(|record| record.routes.of(descriptor)) {
        Some(Route::File(number)) => number,
        Some(Route::Closed) => -1,
        _ => descriptor,
    }
}

//! What programs do with the standard streams by descriptor, or to the streams themselves.

use crate::record::{Record, Stream};
use crate::streams::{input, output, stdio};
use crate::{state, waiting};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

fn captured(descriptor: c_int) -> Option<(&'static Record, Stream)> {
    let stream = match descriptor {
        1 => Stream::Out,
        2 => Stream::Err,
        _ => return None,
    };
    state::current().map(|record| (record, stream))
}

/// `read`; from standard input what `stdin` would answer: the input for rank 0, its end for all others.
pub unsafe extern "C" fn read(descriptor: c_int, target: *mut c_void, len: usize) -> isize {
    if descriptor == 0
        && let Some(record) = state::caller()
    {
        // SAFETY: as in C.
        let target = unsafe { std::slice::from_raw_parts_mut(target.cast(), len) };
        return input::read(Some(record.rank.0), target);
    }
    // SAFETY: as in C.
    waiting::outside(|| unsafe { libc::read(descriptor, target, len) })
}

pub unsafe extern "C" fn readv(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if descriptor != 0 || state::caller().is_none() {
        // SAFETY: as in C.
        return waiting::outside(|| unsafe { libc::readv(descriptor, parts, count) });
    }
    // One part may be filled less than the caller hopes: short reads are always possible.
    // SAFETY: as in C: `count` entries.
    let first = unsafe { std::slice::from_raw_parts(parts, count.max(0) as usize) }.iter().find(|p| p.iov_len > 0);
    // SAFETY: as in C: each with a valid buffer.
    first.map_or(0, |part| unsafe { read(descriptor, part.iov_base, part.iov_len) })
}

pub unsafe extern "C" fn write(descriptor: c_int, bytes: *const c_void, len: usize) -> isize {
    match captured(descriptor) {
        Some((record, stream)) => {
            // SAFETY: as in C.
            output::print(record, stream, unsafe { std::slice::from_raw_parts(bytes.cast(), len) });
            len as isize
        }
        // SAFETY: as in C.
        None => waiting::outside(|| unsafe { libc::write(descriptor, bytes, len) }),
    }
}

pub unsafe extern "C" fn writev(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let Some((record, stream)) = captured(descriptor) else {
        // SAFETY: as in C.
        return waiting::outside(|| unsafe { libc::writev(descriptor, parts, count) });
    };
    let mut total = 0;
    for index in 0..count.max(0) as usize {
        // SAFETY: as in C: `count` entries, each with a valid buffer.
        let bytes = unsafe {
            let part = &*parts.add(index);
            std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len)
        };
        output::print(record, stream, bytes);
        total += bytes.len();
    }
    total as isize
}

/// `setvbuf`, which must not make the shared streams keep one rank's bytes: they are complete lines anyway.
pub unsafe extern "C" fn setvbuf(file: *mut libc::FILE, buffer: *mut c_char, mode: c_int, size: usize) -> c_int {
    // SAFETY: as in C.
    if stdio::is_output(file) { 0 } else { unsafe { libc::setvbuf(file, buffer, mode, size) } }
}

pub unsafe extern "C" fn setbuf(file: *mut libc::FILE, buffer: *mut c_char) {
    if !stdio::is_output(file) {
        // SAFETY: as in C.
        unsafe { libc::setbuf(file, buffer) }
    }
}

pub unsafe extern "C" fn setbuffer(file: *mut libc::FILE, buffer: *mut c_char, size: usize) {
    let mode = if buffer.is_null() { libc::_IONBF } else { libc::_IOFBF };
    // SAFETY: as in C.
    unsafe { setvbuf(file, buffer, mode, size) };
}

pub unsafe extern "C" fn setlinebuf(file: *mut libc::FILE) {
    // SAFETY: as in C.
    unsafe { setvbuf(file, ptr::null_mut(), libc::_IOLBF, 0) };
}

/// `fclose`, which leaves the shared streams to the other ranks.
pub unsafe extern "C" fn fclose(file: *mut libc::FILE) -> c_int {
    // SAFETY: as in C.
    if stdio::is_shared(file) { 0 } else { unsafe { libc::fclose(file) } }
}

//! What programs do with the standard streams by descriptor, or to the streams themselves.

use crate::contract::{Table, elements, room};
use crate::record::Record;
use crate::streams::{routes, stdio};
use crate::{running, state, waiting};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// The functions on standard streams.
pub const REPLACED: Table = &[
    ("write", write as *const ()),
    ("__write", write as *const ()),
    ("writev", writev as *const ()),
    ("read", read as *const ()),
    ("__read", read as *const ()),
    ("readv", readv as *const ()),
    ("fflush", fflush as *const ()),
    ("fflush_unlocked", fflush as *const ()),
    ("setvbuf", setvbuf as *const ()),
    ("setbuf", setbuf as *const ()),
    ("setbuffer", setbuffer as *const ()),
    ("setlinebuf", setlinebuf as *const ()),
];

/// The rank that calls, when the descriptor is one of its three.
fn standard(descriptor: c_int) -> Option<&'static Record> {
    if (0..3).contains(&descriptor) { state::current() } else { None }
}

/// `read`; from standard input what `stdin` would answer: the input for rank 0, its end for all others.
unsafe extern "C" fn read(descriptor: c_int, target: *mut c_void, len: usize) -> isize {
    if let Some(record) = standard(descriptor).filter(|_| !running::is_child() || descriptor != 0) {
        // SAFETY: by C's contract there is room for `len` bytes.
        return routes::read(record, descriptor, unsafe { room(target.cast(), len) });
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    waiting::outside(|| unsafe { libc::read(routes::of_thread(descriptor), target, len) })
}

unsafe extern "C" fn readv(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if standard(descriptor).is_none() || running::is_child() {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return waiting::outside(|| unsafe { libc::readv(routes::of_thread(descriptor), parts, count) });
    }
    // One part may be filled less than the caller hopes: short reads are always possible.
    // SAFETY: by C's contract there are `count` entries.
    let first = unsafe { elements(parts, count.max(0) as usize) }.iter().find(|part| part.iov_len > 0);
    // SAFETY: by C's contract each names room of its length.
    first.map_or(0, |part| unsafe { read(descriptor, part.iov_base, part.iov_len) })
}

unsafe extern "C" fn write(descriptor: c_int, bytes: *const c_void, len: usize) -> isize {
    match standard(descriptor) {
        // SAFETY: by C's contract there are `len` bytes.
        Some(record) => routes::write(record, descriptor, unsafe { elements(bytes.cast(), len) }),
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None => waiting::outside(|| unsafe { libc::write(routes::of_thread(descriptor), bytes, len) }),
    }
}

unsafe extern "C" fn writev(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let Some(record) = standard(descriptor) else {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return waiting::outside(|| unsafe { libc::writev(routes::of_thread(descriptor), parts, count) });
    };
    let mut total = 0;
    // SAFETY: by C's contract there are `count` entries.
    for part in unsafe { elements(parts, count.max(0) as usize) } {
        // SAFETY: by C's contract each names bytes of its length.
        let bytes = unsafe { elements(part.iov_base.cast::<u8>(), part.iov_len) };
        match routes::write(record, descriptor, bytes) {
            written @ 0.. => total += written,
            error if total == 0 => return error,
            _ => break,
        }
    }
    total
}

/// `fflush`, which for the shared streams waits for what it reports: whether what the rank printed can be written.
unsafe extern "C" fn fflush(file: *mut libc::FILE) -> c_int {
    let is_shared = state::current().is_some() && (file.is_null() || stdio::is_output(file));
    // SAFETY: the argument of the caller, whose contract is that of libc's function.
    let outcome = unsafe { libc::fflush(file) };
    if is_shared && !stdio::settle(file) { libc::EOF } else { outcome }
}

/// `setvbuf`, which must not make the shared streams keep one rank's bytes: they are complete lines anyway.
unsafe extern "C" fn setvbuf(file: *mut libc::FILE, buffer: *mut c_char, mode: c_int, size: usize) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    if stdio::is_output(file) { 0 } else { unsafe { libc::setvbuf(file, buffer, mode, size) } }
}

unsafe extern "C" fn setbuf(file: *mut libc::FILE, buffer: *mut c_char) {
    if !stdio::is_output(file) {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        unsafe { libc::setbuf(file, buffer) }
    }
}

unsafe extern "C" fn setbuffer(file: *mut libc::FILE, buffer: *mut c_char, size: usize) {
    let mode = if buffer.is_null() { libc::_IONBF } else { libc::_IOFBF };
    // SAFETY: C's contract for `setbuffer` gives what `setvbuf` asks for.
    unsafe { setvbuf(file, buffer, mode, size) };
}

unsafe extern "C" fn setlinebuf(file: *mut libc::FILE) {
    // SAFETY: by C's contract a stream; without a buffer there is no size.
    unsafe { setvbuf(file, ptr::null_mut(), libc::_IOLBF, 0) };
}

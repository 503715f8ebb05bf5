//! libc's three standard streams, replaced by unbuffered ones that end in this library.

use super::{input, output, routes};
use crate::contract::{errno, refuse};
use crate::record::{Record, Route, Stream};
use crate::state;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

/// glibc's `cookie_io_functions_t`.
#[repr(C)]
struct CookieFunctions {
    read: Option<unsafe extern "C" fn(*mut c_void, *mut c_char, usize) -> isize>,
    write: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize) -> isize>,
    seek: Option<unsafe extern "C" fn(*mut c_void, *mut i64, c_int) -> c_int>,
    close: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
}

unsafe extern "C" {
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut libc::FILE;
    #[link_name = "clearerr"]
    fn libc_clearerr(stream: *mut libc::FILE);
    fn fwide(stream: *mut libc::FILE, mode: c_int) -> c_int;
    static mut stdin: *mut libc::FILE;
    static mut stdout: *mut libc::FILE;
    static mut stderr: *mut libc::FILE;
}

/// Offset of `_fileno` in glibc's `struct _IO_FILE`, part of its ABI (bits/types/struct_FILE.h).
const FILENO_OFFSET: usize = 112;

/// Offset of `_chain` there: the next of all streams.
const CHAIN_OFFSET: usize = 104;

/// The head of libc's list of all streams; null where it has none.
fn all_streams() -> *mut *mut libc::FILE {
    // SAFETY: looks up a name; libc's variable of this name is a pointer.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"_IO_list_all".as_ptr()).cast() }
}

/// Flushes the streams that a rank opened, in a child process that has only this rank.
pub fn flush_own(record: &Record) {
    let head = all_streams();
    if head.is_null() {
        return;
    }
    // SAFETY: a list of valid streams, which flushing does not change; the offset lies in each of them.
    unsafe {
        let mut at = *head;
        while !at.is_null() {
            if state::record_at(at.addr()).is_some_and(|owner| ptr::eq(owner, record)) {
                libc::fflush(at);
            }
            at = at.cast::<u8>().add(CHAIN_OFFSET).cast::<*mut libc::FILE>().read();
        }
    }
}

unsafe extern "C" fn cookie_write(cookie: *mut c_void, bytes: *const c_char, len: usize) -> isize {
    let stream = if cookie as usize == Stream::Err as usize { Stream::Err } else { Stream::Out };
    // SAFETY: stdio passes a buffer of this length.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) };
    let Some(record) = state::current() else {
        let number = routes::of_thread(stream as c_int);
        if number == stream as c_int {
            output::write_all(stream, bytes);
            return len as isize;
        }
        // SAFETY: stdio's bytes.
        return unsafe { libc::write(number, bytes.as_ptr().cast(), len) }.max(0);
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        match routes::write(record, stream as c_int, rest) {
            written @ 1.. => rest = &rest[written as usize..],
            _ if errno() == libc::EINTR => {}
            // stdio takes this for an error.
            _ => return 0,
        }
    }
    len as isize
}

unsafe extern "C" fn cookie_read(_: *mut c_void, target: *mut c_char, len: usize) -> isize {
    // SAFETY: stdio passes a buffer of this length.
    let target = unsafe { std::slice::from_raw_parts_mut(target.cast(), len) };
    match state::current() {
        Some(record) => routes::read(record, 0, target),
        None => match routes::of_thread(0) {
            0 => input::read(None, target),
            // SAFETY: stdio's buffer.
            number => unsafe { libc::read(number, target.as_mut_ptr().cast(), target.len()) },
        },
    }
}

fn replacement(stream: Stream) -> *mut libc::FILE {
    let functions = CookieFunctions { read: None, write: Some(cookie_write), seek: None, close: None };
    open(stream as usize as *mut c_void, c"w", functions, stream as c_int)
}

/// Opens an unbuffered stream over our functions. It has the number of its descriptor, so that `isatty(fileno(stdout))`
/// works; an unbuffered stream never uses it otherwise.
fn open(cookie: *mut c_void, mode: &CStr, functions: CookieFunctions, descriptor: c_int) -> *mut libc::FILE {
    // SAFETY: valid mode and functions; the cookie is a number. The offset lies in glibc's `FILE`.
    unsafe {
        let file = fopencookie(cookie, mode.as_ptr(), functions);
        if !file.is_null() {
            libc::setvbuf(file, ptr::null_mut(), libc::_IONBF, 0);
            file.cast::<u8>().add(FILENO_OFFSET).cast::<c_int>().write(descriptor);
        }
        file
    }
}

/// Replaces libc's streams. Must run before programs and the C++ library are loaded.
pub fn replace_streams() {
    // SAFETY: one thread; libc documents the three as assignable. Without byte orientation, `perror` would write to a
    // duplicate of descriptor 2 and so around us.
    unsafe {
        let (out, err) = (replacement(Stream::Out), replacement(Stream::Err));
        let input = CookieFunctions { read: Some(cookie_read), write: None, seek: None, close: None };
        let input = open(ptr::null_mut(), c"r", input, 0);
        if !out.is_null() && !err.is_null() && !input.is_null() {
            fwide(err, -1);
            libc::fflush(ptr::null_mut());
            stdout = out;
            stderr = err;
            stdin = input;
        }
    }
}

/// What libc keeps of streams beside their descriptors, and what only the hosting thread uses: the head of the list of
/// all streams, which lie in the heaps of the ranks that opened them, and the object behind `stdin`.
pub fn streams_of_libc() -> Vec<(*mut u8, usize)> {
    /// Size of glibc's `struct _IO_FILE` (bits/types/struct_FILE.h).
    const FILE_LEN: usize = 216;
    // SAFETY: `stdin` is a valid stream.
    unsafe {
        let list = all_streams().cast::<u8>();
        let list = (!list.is_null()).then_some((list, size_of::<usize>()));
        list.into_iter().chain([(stdin.cast::<u8>(), FILE_LEN)]).collect()
    }
}

/// Prepares standard input for the rank that runs next: the end that another rank saw is not rank 0's.
#[inline]
pub fn select_input(record: &Record) {
    let has_input = record.rank.0 == 0 || record.routes.of(0) != Some(Route::Shared(0));
    if has_input && input::take_end_of_others() {
        // SAFETY: libc's variable holds a valid stream.
        unsafe { libc_clearerr(stdin) };
    }
}

/// The number of a shared stream among descriptors; `None` for others.
pub fn number_of(file: *mut libc::FILE) -> Option<c_int> {
    // SAFETY: reads pointers, which nobody changes while ranks run.
    let shared = unsafe { [stdin, stdout, stderr] };
    shared.iter().position(|stream| *stream == file).map(|number| number as c_int)
}

/// Another stream of the calling rank to one of the shared ones.
pub fn another(number: c_int, mode: *const c_char) -> *mut libc::FILE {
    let read = CookieFunctions { read: Some(cookie_read), write: None, seek: None, close: None };
    let write = CookieFunctions { read: None, write: Some(cookie_write), seek: None, close: None };
    let functions = if number == 0 { read } else { write };
    // SAFETY: by C's contract a mode; the offset lies in glibc's `FILE`.
    unsafe {
        let file = fopencookie(ptr::without_provenance_mut(number as usize), mode, functions);
        if !file.is_null() {
            file.cast::<u8>().add(FILENO_OFFSET).cast::<c_int>().write(number);
        }
        file
    }
}

/// Writes what waits for a shared stream, or for both where it is null. False, with `errno` and the stream's mark of an
/// error, if something was lost.
pub fn settle(file: *mut libc::FILE) -> bool {
    /// glibc's `_IO_ERR_SEEN`, in the first field of `struct _IO_FILE` (bits/types/struct_FILE.h).
    const ERROR_SEEN: c_int = 0x20;
    output::flush_early();
    // SAFETY: reads pointers, which nobody changes while ranks run.
    let both = unsafe { [(stdout, Stream::Out), (stderr, Stream::Err)] };
    let asked = both.into_iter().filter(|(stream, _)| file.is_null() || *stream == file);
    let losses = asked.filter_map(|(stream, kind)| Some((stream, output::lost(kind)?)));
    let mut is_whole = true;
    for (stream, error) in losses {
        // SAFETY: a valid stream, whose first field are its flags.
        unsafe { *stream.cast::<c_int>() |= ERROR_SEEN };
        refuse(error);
        is_whole = false;
    }
    is_whole
}

/// Whether a stream is one of the two that all ranks print to.
pub fn is_output(file: *mut libc::FILE) -> bool {
    // SAFETY: reads two pointers, which nobody changes while ranks run.
    unsafe { file == stdout || file == stderr }
}

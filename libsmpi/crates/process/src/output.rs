//! The standard streams: what ranks print comes out as whole lines, in rank order within an instant.
//!
//! `stdout` and `stderr` of libc are replaced by unbuffered streams that end here, before any program or the C++
//! library sees them. A rank's bytes wait in its own buffer until their line is complete; complete lines wait for the
//! end of the instant ([`commit`]). Only rank 0 reads standard input, as under mpirun.

use super::state::{self, Host, Record};
use super::{faults, watchdog};
use crate::running;
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The two streams; the value is the file descriptor.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(i32)]
pub enum Stream {
    Out = 1,
    Err = 2,
}

/// What a rank printed since its last line end, and, under the checker, a hash of all that it printed to standard
/// output, or all of it.
#[derive(Clone, Default)]
pub struct Partial {
    out: Vec<u8>,
    err: Vec<u8>,
    hash: u64,
    all: Vec<u8>,
}

/// What becomes of ranks' output.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(u8)]
pub enum Use {
    /// It is written.
    Written,
    /// A program under the checker runs many times: what it prints is only compared.
    Compared,
    /// A schedule is replayed: both.
    WrittenAndCompared,
}

static USE: AtomicU8 = AtomicU8::new(Use::Written as u8);
/// Whether what is compared is also kept.
static KEPT: AtomicBool = AtomicBool::new(false);

/// Says what becomes of what ranks print from now on.
pub fn set_use(new: Use) {
    USE.store(new as u8, Ordering::Relaxed);
}

/// From now on, what ranks print under the checker is kept ([`text_of`]).
pub fn keep() {
    KEPT.store(true, Ordering::Relaxed);
}

impl Partial {
    fn of(&mut self, stream: Stream) -> &mut Vec<u8> {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }
}

/// A piece of the instant's output.
struct Piece {
    rank: u32,
    stream: Stream,
    start: usize,
    end: usize,
}

/// Output of the current instant.
#[derive(Default)]
struct Pending {
    pieces: Vec<Piece>,
    bytes: Vec<u8>,
}

struct PendingSlot(UnsafeCell<Pending>);

// SAFETY: only the hosting thread uses it, and no borrow outlives a function of this file.
unsafe impl Sync for PendingSlot {}

static PENDING: PendingSlot = PendingSlot(UnsafeCell::new(Pending { pieces: Vec::new(), bytes: Vec::new() }));

/// So much output is written before the instant ends, when that does not change the order.
const EARLY: usize = 1 << 20;

impl Pending {
    fn add(&mut self, rank: u32, stream: Stream, parts: [&[u8]; 2]) {
        let start = self.bytes.len();
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let end = self.bytes.len();
        match self.pieces.last_mut() {
            Some(last) if last.rank == rank && last.stream == stream && last.end == start => last.end = end,
            _ if start == end => {}
            _ => self.pieces.push(Piece { rank, stream, start, end }),
        }
    }

    fn emit(&mut self) {
        if !self.pieces.is_sorted_by_key(|piece| piece.rank) {
            self.pieces.sort_by_key(|piece| piece.rank);
        }
        let mut joined: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < self.pieces.len() {
            let stream = self.pieces[at].stream;
            let run = self.pieces[at..].iter().take_while(|piece| piece.stream == stream).count();
            let run = &self.pieces[at..at + run];
            at += run.len();
            if run.windows(2).all(|pair| pair[0].end == pair[1].start) {
                write_all(stream, &self.bytes[run[0].start..run[run.len() - 1].end]);
            } else {
                joined.clear();
                run.iter().for_each(|piece| joined.extend_from_slice(&self.bytes[piece.start..piece.end]));
                write_all(stream, &joined);
            }
        }
        self.pieces.clear();
        self.bytes.clear();
    }
}

fn pending() -> *mut Pending {
    PENDING.0.get()
}

/// Writes to the process's own stream. Gives up silently where nobody can be told: when the stream is closed.
fn write_all(stream: Stream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: passes a valid buffer to the kernel.
        let written = unsafe { libc::write(stream as c_int, bytes.as_ptr().cast(), bytes.len()) };
        if written > 0 {
            bytes = &bytes[written as usize..];
            continue;
        }
        match state::errno() {
            libc::EINTR => {}
            libc::EAGAIN => {
                let mut poll = libc::pollfd { fd: stream as c_int, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one valid entry.
                unsafe { libc::poll(&mut poll, 1, -1) };
            }
            _ => return,
        }
    }
}

/// Takes bytes that a rank prints.
pub fn print(record: &Record, stream: Stream, bytes: &[u8]) {
    if running::is_child() {
        write_all(stream, bytes);
        return;
    }
    // SAFETY: the hosting thread alone uses the buffers, and nothing below runs other code of the program.
    let (pending, partial) = unsafe { (&mut *pending(), &mut *record.partial.get()) };
    let kind = USE.load(Ordering::Relaxed);
    if kind != Use::Written as u8 && stream == Stream::Out {
        extend(&mut partial.hash, bytes);
        if KEPT.load(Ordering::Relaxed) {
            partial.all.extend_from_slice(bytes);
        }
    }
    if kind == Use::Compared as u8 {
        return;
    }
    let partial = partial.of(stream);
    let Some(last) = bytes.iter().rposition(|b| *b == b'\n') else {
        partial.extend_from_slice(bytes);
        return;
    };
    let (lines, rest) = bytes.split_at(last + 1);
    pending.add(record.rank.0, stream, [partial, lines]);
    partial.clear();
    partial.extend_from_slice(rest);
    if pending.bytes.len() >= EARLY && state::host().is_some_and(|host| !host.shuffled) {
        // Ranks run in rank order within an instant, so what waits here would be written first anyway.
        pending.emit();
    }
}

/// Adds a rank's incomplete lines to the output.
fn complete(record: &Record) {
    // SAFETY: as in `print`.
    let (pending, partial) = unsafe { (&mut *pending(), &mut *record.partial.get()) };
    for stream in [Stream::Out, Stream::Err] {
        let bytes = std::mem::take(partial.of(stream));
        pending.add(record.rank.0, stream, [&bytes, &[]]);
    }
}

/// A rank ended: its last line is complete, whether or not it says so.
pub fn end_of_rank(record: &Record) {
    complete(record);
}

/// Writes what one rank printed, in a child process that has only this rank.
pub fn flush_rank(record: &Record) {
    // SAFETY: as in `print`.
    let partial = unsafe { &mut *record.partial.get() };
    for stream in [Stream::Out, Stream::Err] {
        write_all(stream, &std::mem::take(partial.of(stream)));
    }
}

/// Writes the lines of this instant, in rank order. With one rank, incomplete lines too: it may be a prompt.
pub fn commit() {
    if let Some(host) = state::host()
        && let [only] = &host.records[..]
    {
        complete(only);
    }
    // SAFETY: as in `print`.
    let pending = unsafe { &mut *pending() };
    if !pending.pieces.is_empty() {
        pending.emit();
    }
}

/// A hash of all that a rank has printed to standard output since [`set_use`] asked for comparisons.
pub fn hash_of(record: &Record) -> u64 {
    // SAFETY: as in `print`.
    unsafe { (*record.partial.get()).hash }
}

/// All that a rank has printed to standard output since [`keep`].
pub fn text_of(record: &Record) -> String {
    // SAFETY: as in `print`.
    let all = unsafe { &(*record.partial.get()).all };
    String::from_utf8_lossy(all).into_owned()
}

/// Adds bytes to a hash of all bytes before, however they were cut (FNV-1a).
fn extend(hash: &mut u64, bytes: &[u8]) {
    for &byte in bytes {
        *hash = (*hash ^ u64::from(byte) ^ 0xcbf2_9ce4_8422_2325).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Writes everything there is, incomplete lines too: nothing more will be printed.
pub fn flush_all(host: &Host) {
    commit();
    host.records.iter().for_each(complete);
    commit();
}

/// Forgets what the parent has not written yet: it will do so itself.
pub fn forget_in_child() {
    // SAFETY: the child has one thread.
    let pending = unsafe { &mut *pending() };
    pending.pieces.clear();
    pending.bytes.clear();
    for record in state::host().into_iter().flat_map(|host| &host.records) {
        // SAFETY: as above.
        unsafe { *record.partial.get() = Partial::default() };
    }
}

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

unsafe extern "C" fn cookie_write(cookie: *mut c_void, bytes: *const c_char, len: usize) -> isize {
    let stream = if cookie as usize == Stream::Err as usize { Stream::Err } else { Stream::Out };
    // SAFETY: stdio passes a buffer of this length.
    let bytes = unsafe { std::slice::from_raw_parts(bytes.cast::<u8>(), len) };
    match state::current() {
        Some(record) => print(record, stream, bytes),
        None => write_all(stream, bytes),
    }
    len as isize
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

/// Standard input of rank 0, read ahead: the stream itself is unbuffered, so that other ranks find nothing in it.
struct Input {
    bytes: Vec<u8>,
    next: usize,
    /// Another rank met the end, which libc notes in the stream that rank 0 uses too.
    ended_elsewhere: bool,
    /// There is no more to be read.
    at_end: bool,
}

struct InputSlot(UnsafeCell<Input>);

// SAFETY: only the hosting thread uses it, and no borrow outlives a function of this file.
unsafe impl Sync for InputSlot {}

static INPUT: InputSlot =
    InputSlot(UnsafeCell::new(Input { bytes: Vec::new(), next: 0, ended_elsewhere: false, at_end: false }));

/// So much is read ahead.
const INPUT_BUFFER: usize = 64 << 10;

impl Input {
    fn read(&mut self, target: &mut [u8]) -> isize {
        if self.next == self.bytes.len() && !self.at_end {
            // A prompt must be seen before its answer is typed.
            commit();
            // Nothing new is there as long as the kernel waits: the rank may be left then. Under the checker rank 0
            // reads again what it read in earlier executions.
            if !faults::is_catching() {
                self.bytes.clear();
            }
            self.next = self.bytes.len();
            self.bytes.reserve(INPUT_BUFFER);
            let target = self.bytes.spare_capacity_mut().as_mut_ptr().cast();
            // SAFETY: passes a valid buffer of this capacity to the kernel, which fills the bytes that it counts.
            let got = watchdog::outside(|| unsafe { libc::read(0, target, INPUT_BUFFER) });
            self.at_end = got == 0 && faults::is_catching();
            if got < 0 {
                return got;
            }
            // SAFETY: the kernel has filled so many behind those that are kept.
            unsafe { self.bytes.set_len(self.next + got as usize) };
        }
        let len = target.len().min(self.bytes.len() - self.next);
        target[..len].copy_from_slice(&self.bytes[self.next..self.next + len]);
        self.next += len;
        len as isize
    }
}

unsafe extern "C" fn cookie_read(_: *mut c_void, target: *mut c_char, len: usize) -> isize {
    // SAFETY: the hosting thread alone uses it; stdio passes a buffer of this length.
    let (input, target) = unsafe { (&mut *INPUT.0.get(), std::slice::from_raw_parts_mut(target.cast(), len)) };
    if state::current().is_some_and(|record| record.rank.0 != 0) {
        input.ended_elsewhere = true;
        return 0;
    }
    input.read(target)
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

/// How much rank 0 has read of standard input.
pub fn input_position() -> usize {
    // SAFETY: the hosting thread alone uses it.
    unsafe { (*INPUT.0.get()).next }
}

/// Puts standard input back to where rank 0 had read to, under the checker.
pub fn set_input_position(position: usize) {
    // SAFETY: as above.
    unsafe { (*INPUT.0.get()).next = position };
}

/// What libc keeps of streams beside their descriptors, and what only the hosting thread uses: the head of the list of
/// all streams, which lie in the heaps of the ranks that opened them, and the object behind `stdin`.
pub fn streams_of_libc() -> Vec<(*mut u8, usize)> {
    /// Size of glibc's `struct _IO_FILE` (bits/types/struct_FILE.h).
    const FILE_LEN: usize = 216;
    // SAFETY: looks up a name; libc's variable of this name is a pointer. `stdin` is a valid stream.
    unsafe {
        let list = libc::dlsym(libc::RTLD_DEFAULT, c"_IO_list_all".as_ptr()).cast::<u8>();
        let list = (!list.is_null()).then_some((list, size_of::<usize>()));
        list.into_iter().chain([(stdin.cast::<u8>(), FILE_LEN)]).collect()
    }
}

/// Prepares standard input for the rank that runs next: the end that another rank saw is not rank 0's.
#[inline]
pub fn select_input(rank: u32) {
    // SAFETY: the hosting thread alone uses it.
    let input = unsafe { &mut *INPUT.0.get() };
    if rank == 0 && input.ended_elsewhere {
        input.ended_elsewhere = false;
        // SAFETY: libc's variable holds a valid stream.
        unsafe { libc_clearerr(stdin) };
    }
}

fn is_replaced(file: *mut libc::FILE) -> bool {
    // SAFETY: reads two pointers.
    unsafe { file == stdout || file == stderr }
}

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
    if descriptor == 0 && state::current().is_some() && !running::is_child() {
        // SAFETY: as in C.
        return unsafe { cookie_read(ptr::null_mut(), target.cast(), len) };
    }
    // SAFETY: as in C.
    watchdog::outside(|| unsafe { libc::read(descriptor, target, len) })
}

pub unsafe extern "C" fn readv(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    if descriptor != 0 || state::current().is_none() || running::is_child() {
        // SAFETY: as in C.
        return watchdog::outside(|| unsafe { libc::readv(descriptor, parts, count) });
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
            print(record, stream, unsafe { std::slice::from_raw_parts(bytes.cast(), len) });
            len as isize
        }
        // SAFETY: as in C.
        None => watchdog::outside(|| unsafe { libc::write(descriptor, bytes, len) }),
    }
}

pub unsafe extern "C" fn writev(descriptor: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let Some((record, stream)) = captured(descriptor) else {
        // SAFETY: as in C.
        return watchdog::outside(|| unsafe { libc::writev(descriptor, parts, count) });
    };
    let mut total = 0;
    for index in 0..count.max(0) as usize {
        // SAFETY: as in C: `count` entries, each with a valid buffer.
        let bytes = unsafe {
            let part = &*parts.add(index);
            std::slice::from_raw_parts(part.iov_base.cast::<u8>(), part.iov_len)
        };
        print(record, stream, bytes);
        total += bytes.len();
    }
    total as isize
}

/// `setvbuf`, which must not make the shared streams keep one rank's bytes: they are complete lines anyway.
pub unsafe extern "C" fn setvbuf(file: *mut libc::FILE, buffer: *mut c_char, mode: c_int, size: usize) -> c_int {
    // SAFETY: as in C.
    if is_replaced(file) { 0 } else { unsafe { libc::setvbuf(file, buffer, mode, size) } }
}

pub unsafe extern "C" fn setbuf(file: *mut libc::FILE, buffer: *mut c_char) {
    if !is_replaced(file) {
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
    // SAFETY: reads a pointer.
    let shared = unsafe { is_replaced(file) || file == stdin };
    // SAFETY: as in C.
    if shared { 0 } else { unsafe { libc::fclose(file) } }
}

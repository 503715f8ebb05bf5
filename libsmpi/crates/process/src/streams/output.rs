//! What ranks print: whole lines, in rank order within an instant.

use super::pending::Pending;
use crate::contract::errno;
use crate::host_cell::HostCell;
use crate::record::{Record, Stream};
use crate::running;
use crate::state::{self, Host};
use smpi_base::{eprint, print};
use std::cell::{RefCell, UnsafeCell};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};

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

/// Says what becomes of what ranks print from now on; returns what became of it before.
pub fn set_use(new: Use) -> Use {
    let old = USE.swap(new as u8, Ordering::Relaxed);
    let all = [Use::Written, Use::Compared, Use::WrittenAndCompared];
    all.into_iter().find(|kind| *kind as u8 == old).unwrap_or(new)
}

/// From now on, what ranks print under the checker is kept (`text_of`).
pub fn keep() {
    KEPT.store(true, Ordering::Relaxed);
}

// SAFETY: this file uses it for ranks that run, for the event loop, and for crashes on the hosting thread.
static PENDING: HostCell<UnsafeCell<Pending>> = unsafe { HostCell::new(UnsafeCell::new(Pending::EMPTY)) };

/// The last line that the rank which runs has printed to standard error, under the checker.
// SAFETY: as the one above.
static LAST_ERROR: HostCell<RefCell<Vec<u8>>> = unsafe { HostCell::new(RefCell::new(Vec::new())) };

/// Bytes of it that are kept.
const MOST_OF_LAST: usize = 200;

/// What the rank that was resumed last has printed to standard error since, as far as its last line.
pub fn last_error() -> String {
    String::from_utf8_lossy(&LAST_ERROR.borrow()).trim().to_string()
}

/// A rank is about to be resumed.
pub fn forget_last_error() {
    if USE.load(Ordering::Relaxed) != Use::Written as u8 {
        LAST_ERROR.borrow_mut().clear();
    }
}

fn note_last_error(bytes: &[u8]) {
    let mut last = LAST_ERROR.borrow_mut();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if last.ends_with(b"\n") && !line.trim_ascii().is_empty() {
            last.clear();
        }
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let room = MOST_OF_LAST.saturating_sub(last.len());
        last.extend_from_slice(&text[..text.len().min(room)]);
        if text.len() < line.len() && !last.ends_with(b"\n") {
            last.push(b'\n');
        }
    }
}

/// So much output is written before the instant ends, when that does not change the order.
const EARLY: usize = 1 << 20;

/// The first error of each stream with which something was lost; 0 for none.
static LOST: [AtomicI32; 3] = [const { AtomicI32::new(0) }; 3];

/// The error with which something that was to be written to a stream was lost.
pub fn lost(stream: Stream) -> Option<c_int> {
    Some(LOST[stream as usize].load(Ordering::Relaxed)).filter(|error| *error != 0)
}

/// What was lost of what ranks printed, for the user.
pub fn losses() -> Option<String> {
    let of = |(stream, name): (Stream, &str)| {
        let error = std::io::Error::from_raw_os_error(lost(stream)?);
        Some(format!("cannot write to {name}: {}; what ranks printed there is lost", print::reason(&error)))
    };
    [(Stream::Out, "standard output"), (Stream::Err, "standard error")].into_iter().find_map(of)
}

/// Writes to the process's own stream. Where that fails, it is remembered ([`lost`]), except where the stream is
/// closed, or nobody reads it: then nobody wants it.
pub fn write_all(stream: Stream, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the kernel reads `bytes`.
        let written = unsafe { libc::write(stream as c_int, bytes.as_ptr().cast(), bytes.len()) };
        if written > 0 {
            bytes = &bytes[written as usize..];
            continue;
        }
        match errno() {
            libc::EINTR => {}
            libc::EAGAIN => {
                let mut poll = libc::pollfd { fd: stream as c_int, events: libc::POLLOUT, revents: 0 };
                // SAFETY: one entry, of this function.
                unsafe { libc::poll(&mut poll, 1, -1) };
            }
            error => {
                if error != libc::EBADF && error != libc::EPIPE {
                    let _ = LOST[stream as usize].compare_exchange(0, error, Ordering::Relaxed, Ordering::Relaxed);
                }
                return;
            }
        }
    }
}

/// Takes bytes that a rank prints.
pub fn print(record: &Record, stream: Stream, bytes: &[u8]) {
    if running::is_child() {
        write_all(stream, bytes);
        return;
    }
    // SAFETY: nobody else uses the buffers now: this is the hosting thread, and no function of this file calls the
    // program or another of this file while it has them. One that a crash interrupts never goes on.
    let (pending, printed) = unsafe { (&mut *PENDING.get(), &mut *record.own.printed.get()) };
    let kind = USE.load(Ordering::Relaxed);
    if kind != Use::Written as u8 && stream == Stream::Out {
        printed.note(bytes, KEPT.load(Ordering::Relaxed));
    }
    if kind != Use::Written as u8 && stream == Stream::Err {
        note_last_error(bytes);
    }
    if kind == Use::Compared as u8 {
        return;
    }
    let partial = printed.of(stream);
    let Some(last) = bytes.iter().rposition(|b| *b == b'\n') else {
        partial.extend_from_slice(bytes);
        return;
    };
    let (lines, rest) = bytes.split_at(last + 1);
    pending.add(record.rank.0, stream, [partial, lines]);
    partial.clear();
    partial.extend_from_slice(rest);
    if pending.size() >= EARLY && state::host().is_some_and(|host| !host.shuffled) {
        // Ranks run in rank order within an instant, so what waits here would be written first anyway.
        pending.emit(write_all);
    }
}

/// Writes the whole lines that wait, when that does not change the order: whoever calls `fflush` learns whether they
/// are lost.
pub fn flush_early() {
    if running::is_child() || USE.load(Ordering::Relaxed) != Use::Written as u8 {
        return;
    }
    if state::host().is_some_and(|host| !host.shuffled) {
        // SAFETY: nobody else uses the buffers now, as `print` says.
        unsafe { (*PENDING.get()).emit(write_all) };
    }
}

/// Prints a message of ours among the calling rank's error output, so that it appears in the order of the ranks; off a
/// rank's stack, on standard error at once.
pub fn print_error(text: &str) {
    match state::current() {
        Some(record) => print(record, Stream::Err, text.as_bytes()),
        None => eprint!("{text}"),
    }
}

/// Adds a rank's incomplete lines to the output: it ends, or all do.
pub fn complete(record: &Record) {
    // SAFETY: nobody else uses the buffers now, as `print` says.
    let (pending, printed) = unsafe { (&mut *PENDING.get(), &mut *record.own.printed.get()) };
    for stream in [Stream::Out, Stream::Err] {
        let bytes = std::mem::take(printed.of(stream));
        pending.add(record.rank.0, stream, [&bytes, &[]]);
    }
}

/// Writes what one rank printed, in a child process that has only this rank.
pub fn flush_rank(record: &Record) {
    // SAFETY: nobody else uses the buffer: the child has one thread.
    let printed = unsafe { &mut *record.own.printed.get() };
    for stream in [Stream::Out, Stream::Err] {
        write_all(stream, &std::mem::take(printed.of(stream)));
    }
}

/// Writes the whole lines that ranks printed in this instant, in rank order. With one rank, incomplete lines too: it
/// may be a prompt.
pub fn commit() {
    if let Some(host) = state::host()
        && let Some(only) = host.records.only()
    {
        complete(only);
    }
    // SAFETY: nobody else uses the buffers now, as `print` says.
    let pending = unsafe { &mut *PENDING.get() };
    if !pending.is_empty() {
        pending.emit(write_all);
    }
}

/// Whether the next [`commit`] writes something.
pub fn has_some() -> bool {
    // SAFETY: nobody else uses the buffers now, as `print` says.
    let is_empty = unsafe { (*PENDING.get()).is_empty() };
    !is_empty
}

/// A hash of all that a rank has printed to standard output since [`set_use`] asked for comparisons.
pub fn hash_of(record: &Record) -> u64 {
    // SAFETY: nobody changes the buffer now, as `print` says.
    unsafe { (*record.own.printed.get()).hash() }
}

/// All that a rank has printed to standard output since [`keep`].
pub fn text_of(record: &Record) -> String {
    // SAFETY: nobody changes the buffer now, as `print` says.
    unsafe { (*record.own.printed.get()).text() }
}

/// Writes everything there is, incomplete lines too: nothing more will be printed.
pub fn flush_all(host: &Host) {
    commit();
    host.records.iter().for_each(complete);
    commit();
}

/// Writes what ranks have printed and not finished with a line end: they will not go on.
pub fn flush() {
    if let Some(host) = state::host() {
        flush_all(host);
    }
}

/// Forgets what the parent has not written yet: it will do so itself.
pub fn forget_in_child() {
    // SAFETY: nobody else uses the buffers: the child has one thread.
    let pending = unsafe { &mut *PENDING.get() };
    pending.clear();
    for record in state::host().into_iter().flat_map(|host| host.records.iter()) {
        // SAFETY: nobody else uses the buffers: the child has one thread.
        unsafe { *record.own.printed.get() = Default::default() };
    }
}

/// Ends the whole run at once, from wherever it is called: writes what ranks printed and leaves without handlers.
pub fn end_process(code: i32) -> ! {
    if running::on_host_thread() && !running::is_child() {
        flush();
    }
    // SAFETY: flushes the files that the program has open, then ends the process.
    unsafe {
        libc::fflush(std::ptr::null_mut());
        libc::_exit(code)
    }
}

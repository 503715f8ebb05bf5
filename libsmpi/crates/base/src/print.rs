//! Printing to the standard streams of the process, which may be closed, full, or a pipe that nobody reads any more.
//!
//! `eprintln!` and its kin of Rust's library panic there: a run would be called a bug of ours because a disk is full.
//! The macros here have the same names and lose what cannot be written, since there is nobody left to be told. What
//! answers a question of the user goes through [`answer`] instead, whose caller learns of it.
//!
//! A program that is hosted may close standard error, or put a file in its place. Whoever has something to say
//! nevertheless keeps a copy of it first ([`keep_error`]).

use std::fmt::Arguments;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::sync::OnceLock;

/// A copy of standard error that is not the program's.
static KEPT_ERROR: OnceLock<File> = OnceLock::new();

/// From now on errors are written to this copy of standard error, whatever becomes of descriptor 2.
pub fn keep_error(copy: File) {
    let _ = KEPT_ERROR.set(copy);
}

/// The descriptor that errors are written to.
pub fn error_descriptor() -> RawFd {
    KEPT_ERROR.get().map_or(2, File::as_raw_fd)
}

/// As `std::eprint!`, and never panics.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => { $crate::print::error(format_args!($($text)*)) };
}

/// As `std::eprintln!`, and never panics.
#[macro_export]
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::print::error(format_args!("{}\n", format_args!($($text)*))) };
}

/// Writes to standard error, as much as can be written.
pub fn error(text: Arguments<'_>) {
    let _ = match KEPT_ERROR.get() {
        // As one text: others may write to the same terminal.
        Some(mut copy) => copy.write_all(text.to_string().as_bytes()),
        None => io::stderr().lock().write_fmt(text),
    };
}

/// Writes the answer to a question to standard output. A reader who has seen enough (`| head -1`) is no error.
///
/// # Errors
/// Text for the user when the answer, or a part of it, could not be written.
pub fn answer(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {}", reason(&error)))
        }
        _ => Ok(()),
    }
}

/// An error of the system without Rust's `(os error 2)`, as a part of a sentence.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

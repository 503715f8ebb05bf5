//! `getopt`, `getopt_long` and `getopt_long_only` with the state of each rank for itself.
//!
//! libc's versions keep hidden variables per process; these keep theirs in the rank and work on the rank's own
//! `optind`, `optarg`, `opterr` and `optopt`. Behaviour and messages follow POSIX.1-2017 getopt and the glibc manual,
//! "Parsing program options": arguments that are no options move to the end unless the option string starts with `+` or
//! `POSIXLY_CORRECT` is set; with `-` they come as the value 1.

use super::environment;
use crate::faults::refusals::refuse_foreign;
use crate::record::{Position, Record, Stream};
use crate::state;
use crate::streams::output;
use smpi_image::PrivateVariable;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;

/// The C `struct option` of getopt.h.
#[repr(C)]
pub struct LongOption {
    name: *const c_char,
    has_arg: c_int,
    flag: *mut c_int,
    value: c_int,
}

const REQUIRED: c_int = 1;

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Permute,
    AsGiven,
    Posix,
}

/// One call: the caller's arguments and the rank's variables.
struct Call<'a> {
    argc: c_int,
    argv: *mut *mut c_char,
    short: &'a [u8],
    long: &'a [LongOption],
    long_index: *mut c_int,
    long_only: bool,
    order: Order,
    record: &'static Record,
    position: Position,
}

type Argument = *mut *mut c_char;

pub unsafe extern "C" fn getopt(argc: c_int, argv: Argument, short: *const c_char) -> c_int {
    // SAFETY: as in C.
    unsafe { parse(argc, argv, short, ptr::null(), ptr::null_mut(), false) }
}

pub unsafe extern "C" fn getopt_long(
    argc: c_int,
    argv: Argument,
    short: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: as in C.
    unsafe { parse(argc, argv, short, long, index, false) }
}

pub unsafe extern "C" fn getopt_long_only(
    argc: c_int,
    argv: Argument,
    short: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: as in C.
    unsafe { parse(argc, argv, short, long, index, true) }
}

unsafe fn parse(
    argc: c_int,
    argv: Argument,
    short: *const c_char,
    long: *const LongOption,
    long_index: *mut c_int,
    long_only: bool,
) -> c_int {
    let Some(record) = state::current() else {
        refuse_foreign("getopt()");
    };
    // SAFETY: as in C: a string, and options up to one without a name.
    let (short, long) = unsafe {
        let count = if long.is_null() { 0 } else { (0..).take_while(|i| !(*long.add(*i)).name.is_null()).count() };
        let long = if count == 0 { &[] } else { std::slice::from_raw_parts(long, count) };
        (CStr::from_ptr(short).to_bytes(), long)
    };
    // SAFETY: a C string.
    let posix = unsafe { !environment::getenv(c"POSIXLY_CORRECT".as_ptr()).is_null() };
    let (order, short) = match short.first() {
        Some(b'-') => (Order::AsGiven, &short[1..]),
        Some(b'+') => (Order::Posix, &short[1..]),
        _ if posix => (Order::Posix, short),
        _ => (Order::Permute, short),
    };
    let position = record.own.getopt.get();
    let mut call = Call { argc, argv, short, long, long_index, long_only, order, record, position };
    // SAFETY: as in C.
    let result = unsafe { call.next_option() };
    record.own.getopt.set(call.position);
    result
}

impl Call<'_> {
    fn int(&self, which: PrivateVariable) -> *mut c_int {
        self.record.image.private_variable(which).cast()
    }

    fn optind(&self) -> c_int {
        // SAFETY: the image's variable is an int.
        unsafe { self.int(PrivateVariable::Optind).read() }
    }

    fn set_optind(&self, value: c_int) {
        // SAFETY: as in `optind`.
        unsafe { self.int(PrivateVariable::Optind).write(value) }
    }

    fn set_optarg(&self, value: *const c_char) {
        // SAFETY: the image's variable is a pointer.
        unsafe { self.record.image.private_variable(PrivateVariable::Optarg).cast::<*const c_char>().write(value) }
    }

    fn set_optopt(&self, value: c_int) {
        // SAFETY: the image's variable is an int.
        unsafe { self.int(PrivateVariable::Optopt).write(value) }
    }

    /// The argument at an index below `argc`.
    unsafe fn argument(&self, index: c_int) -> *mut c_char {
        // SAFETY: the caller's promise.
        unsafe { *self.argv.add(index as usize) }
    }

    unsafe fn text(&self, index: c_int) -> &[u8] {
        // SAFETY: arguments are C strings.
        unsafe { CStr::from_ptr(self.argument(index)).to_bytes() }
    }

    unsafe fn is_option(&self, index: c_int) -> bool {
        // SAFETY: the caller's promise.
        let text = unsafe { self.text(index) };
        text.len() > 1 && text[0] == b'-'
    }

    /// What a missing or unknown option answers, and whether a message is due.
    fn complain(&self, missing_argument: bool, message: &str) -> c_int {
        // SAFETY: the image's variables have these types; arguments are C strings.
        unsafe {
            if self.int(PrivateVariable::Opterr).read() != 0 && self.short.first() != Some(&b':') {
                let name = CStr::from_ptr(self.argument(0)).to_string_lossy();
                let line = format!("{name}: {message}\n");
                output::print(self.record, Stream::Err, line.as_bytes());
            }
        }
        c_int::from(if missing_argument && self.short.first() == Some(&b':') { b':' } else { b'?' })
    }

    /// Moves the skipped arguments `first..last` behind the options `last..optind`.
    unsafe fn exchange(&mut self) {
        let (first, last, now) = (self.position.first, self.position.last, self.optind());
        if first < last && last < now {
            // SAFETY: all indices are below `argc`.
            let all = unsafe { std::slice::from_raw_parts_mut(self.argv.add(first as usize), (now - first) as usize) };
            all.rotate_left((last - first) as usize);
        }
        self.position.first += now - last;
        self.position.last = now;
    }

    unsafe fn next_option(&mut self) -> c_int {
        if self.argc < 1 {
            return -1;
        }
        self.set_optarg(ptr::null());
        if self.optind() == 0 || !self.position.started {
            self.set_optind(self.optind().max(1));
            let start = self.optind();
            self.position = Position { next: ptr::null(), first: start, last: start, started: true };
        }
        // SAFETY: the position lies in an argument, or is null.
        let inside = unsafe { !self.position.next.is_null() && *self.position.next != 0 };
        if !inside {
            // SAFETY: as in C.
            match unsafe { self.next_argument() } {
                Some(answer) => return answer,
                None => self.position.next = ptr::null(),
            }
            // SAFETY: `next_argument` stopped at an option.
            unsafe {
                let text = self.text(self.optind());
                let double = text.starts_with(b"--");
                let argument = self.argument(self.optind());
                if !self.long.is_empty() && (double || self.is_long_only(text)) {
                    let name = argument.add(if double { 2 } else { 1 });
                    if let Some(answer) = self.long_option(name, if double { "--" } else { "-" }) {
                        return answer;
                    }
                }
                self.position.next = argument.add(1);
            }
        }
        // SAFETY: `next` is not at the end of its argument.
        unsafe { self.short_option() }
    }

    fn is_long_only(&self, text: &[u8]) -> bool {
        self.long_only && (text.len() > 2 || !self.short.contains(&text[1]))
    }

    /// Finds the next argument that is an option; the answer of the whole call when there is none.
    unsafe fn next_argument(&mut self) -> Option<c_int> {
        // `optind` may have been set back by the program.
        self.position.last = self.position.last.min(self.optind());
        self.position.first = self.position.first.min(self.optind());
        // SAFETY: every index is checked against `argc`.
        unsafe {
            if self.order == Order::Permute {
                if self.position.first != self.position.last && self.position.last != self.optind() {
                    self.exchange();
                } else if self.position.last != self.optind() {
                    self.position.first = self.optind();
                }
                while self.optind() < self.argc && !self.is_option(self.optind()) {
                    self.set_optind(self.optind() + 1);
                }
                self.position.last = self.optind();
            }
            if self.optind() < self.argc && self.text(self.optind()) == b"--" {
                self.set_optind(self.optind() + 1);
                if self.position.first != self.position.last && self.position.last != self.optind() {
                    self.exchange();
                } else if self.position.first == self.position.last {
                    self.position.first = self.optind();
                }
                self.position.last = self.argc;
                self.set_optind(self.argc);
            }
            if self.optind() >= self.argc {
                if self.position.first != self.position.last {
                    self.set_optind(self.position.first);
                }
                return Some(-1);
            }
            if !self.is_option(self.optind()) {
                if self.order == Order::Posix {
                    return Some(-1);
                }
                self.set_optarg(self.argument(self.optind()));
                self.set_optind(self.optind() + 1);
                return Some(1);
            }
        }
        None
    }

    /// Handles a long option whose name starts at `name`. `None`: it is a short option after all.
    unsafe fn long_option(&mut self, name: *mut c_char, prefix: &str) -> Option<c_int> {
        // SAFETY: a part of an argument.
        let whole = unsafe { CStr::from_ptr(name) }.to_bytes();
        let equals = whole.iter().position(|b| *b == b'=');
        let given = &whole[..equals.unwrap_or(whole.len())];
        let shown = format!("{prefix}{}", String::from_utf8_lossy(given));
        // SAFETY: names are C strings.
        let candidate = |option: &&LongOption| unsafe { CStr::from_ptr(option.name) }.to_bytes().starts_with(given);
        // SAFETY: as above.
        let exact = |option: &&LongOption| unsafe { CStr::from_ptr(option.name) }.to_bytes() == given;
        let mut candidates = self.long.iter().filter(candidate);
        let first = candidates.next();
        let found = self.long.iter().find(exact).or(first);
        let same = |a: &LongOption, b: &LongOption| (a.has_arg, a.flag, a.value) == (b.has_arg, b.flag, b.value);
        let Some(option) = found else {
            // SAFETY: a part of an argument.
            let is_short = prefix == "-" && unsafe { self.short.contains(&(*name as u8)) };
            if is_short {
                return None;
            }
            self.position.next = ptr::null();
            self.set_optind(self.optind() + 1);
            self.set_optopt(0);
            return Some(self.complain(false, &format!("unrecognized option '{shown}'")));
        };
        self.set_optind(self.optind() + 1);
        self.position.next = ptr::null();
        if !exact(&option) && candidates.any(|other| !same(other, option)) {
            self.set_optopt(0);
            let names: Vec<String> = (self.long.iter().filter(candidate))
                // SAFETY: as above.
                .map(|o| format!(" '{prefix}{}'", unsafe { CStr::from_ptr(o.name) }.to_string_lossy()))
                .collect();
            let text = format!("option '{shown}' is ambiguous; possibilities:{}", names.concat());
            return Some(self.complain(false, &text));
        }
        // SAFETY: as in C.
        Some(unsafe { self.take_long(option, name, equals, prefix) })
    }

    unsafe fn take_long(&self, option: &LongOption, name: *mut c_char, equals: Option<usize>, prefix: &str) -> c_int {
        // SAFETY: names are C strings; indices are checked; flag and index are the program's own.
        unsafe {
            let full = CStr::from_ptr(option.name).to_string_lossy();
            if let Some(equals) = equals {
                if option.has_arg == 0 {
                    self.set_optopt(option.value);
                    return self.complain(false, &format!("option '{prefix}{full}' doesn't allow an argument"));
                }
                self.set_optarg(name.add(equals + 1));
            } else if option.has_arg == REQUIRED {
                if self.optind() >= self.argc {
                    self.set_optopt(option.value);
                    return self.complain(true, &format!("option '{prefix}{full}' requires an argument"));
                }
                self.set_optarg(self.argument(self.optind()));
                self.set_optind(self.optind() + 1);
            }
            if !self.long_index.is_null() {
                let index = ptr::from_ref(option).offset_from(self.long.as_ptr());
                self.long_index.write(index as c_int);
            }
            if option.flag.is_null() {
                return option.value;
            }
            option.flag.write(option.value);
            0
        }
    }

    /// Handles the short option at `position.next`.
    unsafe fn short_option(&mut self) -> c_int {
        // SAFETY: `next` points to a character of an argument, which ends with a null.
        let (letter, rest) = unsafe {
            let letter = *self.position.next as u8;
            self.position.next = self.position.next.add(1);
            (letter, self.position.next)
        };
        // SAFETY: as above.
        let at_end = unsafe { *rest } == 0;
        if at_end {
            self.set_optind(self.optind() + 1);
        }
        let place = self.short.iter().position(|b| *b == letter).filter(|_| letter != b':' && letter != b';');
        let Some(place) = place else {
            self.set_optopt(c_int::from(letter));
            return self.complain(false, &format!("invalid option -- '{}'", letter as char));
        };
        let colons = self.short[place + 1..].iter().take_while(|b| **b == b':').count();
        if colons == 0 {
            return c_int::from(letter);
        }
        self.position.next = ptr::null();
        if !at_end {
            self.set_optarg(rest);
            self.set_optind(self.optind() + 1);
        } else if colons == 1 {
            if self.optind() >= self.argc {
                self.set_optopt(c_int::from(letter));
                let message = format!("option requires an argument -- '{}'", letter as char);
                return self.complain(true, &message);
            }
            // SAFETY: the index is below `argc`.
            self.set_optarg(unsafe { self.argument(self.optind()) });
            self.set_optind(self.optind() + 1);
        }
        c_int::from(letter)
    }
}

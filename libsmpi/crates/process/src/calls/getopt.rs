//! `getopt`, `getopt_long` and `getopt_long_only` with the state of each rank for itself.
//!
//! libc's versions keep hidden variables per process; these keep theirs in the rank and work on the rank's own
//! `optind`, `optarg`, `opterr` and `optopt`. Behaviour and messages follow POSIX.1-2017 getopt and the glibc manual,
//! "Parsing program options": arguments that are no options move to the end unless the option string starts with `+` or
//! `POSIXLY_CORRECT` is set; with `-` they come as the value 1.

use super::environment;
use crate::contract::{Table, elements};
use crate::faults::refusals::refuse_foreign;
use crate::record::{Position, Record, Stream};
use crate::state;
use crate::streams::output;
use smpi_image::PrivateVariable;
use std::ffi::{CStr, c_char, c_int};
use std::{ptr, slice};

/// The functions that parse options.
pub const REPLACED: Table = &[
    ("getopt", getopt as *const ()),
    ("getopt_long", getopt_long as *const ()),
    ("getopt_long_only", getopt_long_only as *const ()),
];

/// The C `struct option` of getopt.h.
#[repr(C)]
pub struct LongOption {
    name: *const c_char,
    has_arg: c_int,
    flag: *mut c_int,
    value: c_int,
}

impl LongOption {
    fn name(&self) -> &CStr {
        // SAFETY: by C's contract names are strings; `long_options` has left out the entry without one.
        unsafe { CStr::from_ptr(self.name) }
    }

    fn is_like(&self, other: &LongOption) -> bool {
        (self.has_arg, self.flag, self.value) == (other.has_arg, other.flag, other.value)
    }
}

const REQUIRED: c_int = 1;

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Permute,
    AsGiven,
    Posix,
}

/// The caller's variables, valid as long as a call lasts.
struct Variables {
    optind: *mut c_int,
    optarg: *mut *const c_char,
    opterr: *mut c_int,
    optopt: *mut c_int,
}

impl Variables {
    /// Those of a rank, which its image has.
    fn of(record: &Record) -> Variables {
        let variable = |which| record.image.private_variable(which);
        Variables {
            optind: variable(PrivateVariable::Optind).cast(),
            optarg: variable(PrivateVariable::Optarg).cast(),
            opterr: variable(PrivateVariable::Opterr).cast(),
            optopt: variable(PrivateVariable::Optopt).cast(),
        }
    }
}

/// One call: the caller's arguments and variables.
struct Call<'a> {
    arguments: &'a mut [*mut c_char],
    short: &'a [u8],
    long: &'a [LongOption],
    /// Where the number of a long option is wanted; null for nowhere.
    long_index: *mut c_int,
    long_only: bool,
    order: Order,
    variables: Variables,
    position: Position,
    /// What to tell the user.
    message: Option<String>,
}

type Arguments = *mut *mut c_char;

unsafe extern "C" fn getopt(argc: c_int, argv: Arguments, short: *const c_char) -> c_int {
    // SAFETY: the arguments of the caller, by C's contract; no long options.
    unsafe { parse(argc, argv, short, ptr::null(), ptr::null_mut(), false) }
}

unsafe extern "C" fn getopt_long(
    argc: c_int,
    argv: Arguments,
    short: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: the arguments of the caller, by C's contract.
    unsafe { parse(argc, argv, short, long, index, false) }
}

unsafe extern "C" fn getopt_long_only(
    argc: c_int,
    argv: Arguments,
    short: *const c_char,
    long: *const LongOption,
    index: *mut c_int,
) -> c_int {
    // SAFETY: the arguments of the caller, by C's contract.
    unsafe { parse(argc, argv, short, long, index, true) }
}

/// # Safety
/// C's contract for `getopt_long`: `argc` strings, a string, options up to one without a name or null, a place or null.
unsafe fn parse(
    argc: c_int,
    argv: Arguments,
    short: *const c_char,
    long: *const LongOption,
    long_index: *mut c_int,
    long_only: bool,
) -> c_int {
    let Some(record) = state::current() else { refuse_foreign("getopt()") };
    // SAFETY: a string.
    let is_posix = unsafe { !environment::getenv(c"POSIXLY_CORRECT".as_ptr()).is_null() };
    let (variables, position) = (Variables::of(record), record.own.getopt.get());
    // SAFETY: the arguments of the caller; the variables are the rank's own.
    let (result, position, message) = unsafe {
        let mut call = Call::new(argc, argv, short, long_options(long), is_posix, variables, position);
        (call.long_index, call.long_only) = (long_index, long_only);
        (call.next_option(), call.position, call.message)
    };
    record.own.getopt.set(position);
    if let Some(message) = message {
        output::print(record, Stream::Err, message.as_bytes());
    }
    result
}

/// The options of a list.
///
/// # Safety
/// The list is null, or ends with an option without a name.
unsafe fn long_options<'a>(list: *const LongOption) -> &'a [LongOption] {
    // SAFETY: the caller's list goes on up to the option without a name, which is looked at and left out.
    unsafe {
        let count = if list.is_null() { 0 } else { (0..).take_while(|i| !(*list.add(*i)).name.is_null()).count() };
        elements(list, count)
    }
}

impl<'a> Call<'a> {
    /// A call without long options' extras.
    ///
    /// # Safety
    /// There are `argc` strings at `argv`, and `short` is one; all of them, and the variables, outlive the call.
    unsafe fn new(
        argc: c_int,
        argv: Arguments,
        short: *const c_char,
        long: &'a [LongOption],
        is_posix: bool,
        variables: Variables,
        position: Position,
    ) -> Call<'a> {
        // SAFETY: what the caller says of them.
        let (arguments, short) = unsafe {
            let arguments =
                if argc < 1 { &mut [] } else { slice::from_raw_parts_mut(argv, usize::try_from(argc).unwrap_or(0)) };
            (arguments, CStr::from_ptr(short).to_bytes())
        };
        let (order, short) = match short.first() {
            Some(b'-') => (Order::AsGiven, &short[1..]),
            Some(b'+') => (Order::Posix, &short[1..]),
            _ if is_posix => (Order::Posix, short),
            _ => (Order::Permute, short),
        };
        let (long_index, long_only, message) = (ptr::null_mut(), false, None);
        Call { arguments, short, long, long_index, long_only, order, variables, position, message }
    }

    fn argc(&self) -> c_int {
        self.arguments.len() as c_int
    }

    fn optind(&self) -> c_int {
        // SAFETY: the variables are valid as long as the call lasts.
        unsafe { self.variables.optind.read() }
    }

    fn set_optind(&mut self, value: c_int) {
        // SAFETY: the variables are valid as long as the call lasts.
        unsafe { self.variables.optind.write(value) }
    }

    /// The next call begins with the next argument.
    fn go_on(&mut self) {
        self.set_optind(self.optind() + 1);
    }

    fn set_optarg(&mut self, value: *const c_char) {
        // SAFETY: the variables are valid as long as the call lasts.
        unsafe { self.variables.optarg.write(value) }
    }

    fn set_optopt(&mut self, value: c_int) {
        // SAFETY: the variables are valid as long as the call lasts.
        unsafe { self.variables.optopt.write(value) }
    }

    /// An argument, by its number.
    fn argument(&self, index: c_int) -> *mut c_char {
        self.arguments[index as usize]
    }

    fn text(&self, index: c_int) -> &'a [u8] {
        // SAFETY: arguments are strings, which outlive the call.
        unsafe { CStr::from_ptr(self.argument(index)).to_bytes() }
    }

    fn is_option(&self, index: c_int) -> bool {
        let text = self.text(index);
        text.len() > 1 && text[0] == b'-'
    }

    /// Whether the caller wants to tell a missing argument from an unknown option, and no messages.
    fn is_silent(&self) -> bool {
        self.short.first() == Some(&b':')
    }

    /// What a missing or unknown option answers; a message is due if the caller wants any.
    fn complain(&mut self, is_argument_missing: bool, message: &str) -> c_int {
        // SAFETY: the variables are valid as long as the call lasts.
        if !self.is_silent() && unsafe { self.variables.opterr.read() } != 0 {
            self.message = Some(format!("{}: {message}\n", String::from_utf8_lossy(self.text(0))));
        }
        c_int::from(if is_argument_missing && self.is_silent() { b':' } else { b'?' })
    }

    /// Moves the skipped arguments `first..last` behind the options `last..optind`.
    fn exchange(&mut self) {
        let (first, last, now) = (self.position.first, self.position.last, self.optind());
        if first < last && last < now {
            self.arguments[first as usize..now as usize].rotate_left((last - first) as usize);
        }
        self.position.first += now - last;
        self.position.last = now;
    }

    fn next_option(&mut self) -> c_int {
        if self.arguments.is_empty() {
            return -1;
        }
        self.set_optarg(ptr::null());
        if self.optind() == 0 || !self.position.started {
            self.set_optind(self.optind().max(1));
            let start = self.optind();
            self.position = Position { next: ptr::null(), first: start, last: start, started: true };
        }
        // SAFETY: the position lies in an argument, or is null.
        let is_inside = unsafe { !self.position.next.is_null() && *self.position.next != 0 };
        if !is_inside {
            if let Some(answer) = self.next_argument() {
                return answer;
            }
            self.position.next = ptr::null();
            // It stopped at an option.
            let (argument, text) = (self.argument(self.optind()), self.text(self.optind()));
            let prefix = if text.starts_with(b"--") { "--" } else { "-" };
            if !self.long.is_empty()
                && (prefix == "--" || self.is_long_only(text))
                && let Some(answer) = self.long_option(argument, prefix)
            {
                return answer;
            }
            // SAFETY: an option has two characters at least.
            self.position.next = unsafe { argument.add(1) };
        }
        self.short_option()
    }

    fn is_long_only(&self, text: &[u8]) -> bool {
        self.long_only && (text.len() > 2 || !self.short.contains(&text[1]))
    }

    /// Finds the next argument that is an option; the answer of the whole call when there is none.
    fn next_argument(&mut self) -> Option<c_int> {
        // `optind` may have been set back by the program.
        self.position.last = self.position.last.min(self.optind());
        self.position.first = self.position.first.min(self.optind());
        if self.order == Order::Permute {
            if self.position.first != self.position.last && self.position.last != self.optind() {
                self.exchange();
            } else if self.position.last != self.optind() {
                self.position.first = self.optind();
            }
            while self.optind() < self.argc() && !self.is_option(self.optind()) {
                self.go_on();
            }
            self.position.last = self.optind();
        }
        if self.optind() < self.argc() && self.text(self.optind()) == b"--" {
            self.go_on();
            if self.position.first != self.position.last && self.position.last != self.optind() {
                self.exchange();
            } else if self.position.first == self.position.last {
                self.position.first = self.optind();
            }
            self.position.last = self.argc();
            self.set_optind(self.argc());
        }
        if self.optind() >= self.argc() {
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
            self.go_on();
            return Some(1);
        }
        None
    }

    /// Handles the long option that an argument is, behind a prefix. `None`: it is a short option after all.
    fn long_option(&mut self, argument: *mut c_char, prefix: &str) -> Option<c_int> {
        // SAFETY: the argument begins with the prefix.
        let (name, whole) = unsafe {
            let name = argument.add(prefix.len());
            (name, CStr::from_ptr(name).to_bytes())
        };
        let equals = whole.iter().position(|b| *b == b'=');
        let given = &whole[..equals.unwrap_or(whole.len())];
        let shown = format!("{prefix}{}", String::from_utf8_lossy(given));
        let options = self.long;
        let is_candidate = |option: &&LongOption| option.name().to_bytes().starts_with(given);
        let is_exact = |option: &&LongOption| option.name().to_bytes() == given;
        let mut candidates = options.iter().filter(is_candidate);
        let first = candidates.next();
        let Some(option) = options.iter().find(is_exact).or(first) else {
            if prefix == "-" && whole.first().is_some_and(|letter| self.short.contains(letter)) {
                return None;
            }
            self.position.next = ptr::null();
            self.go_on();
            self.set_optopt(0);
            return Some(self.complain(false, &format!("unrecognized option '{shown}'")));
        };
        self.go_on();
        self.position.next = ptr::null();
        if !is_exact(&option) && candidates.any(|other| !other.is_like(option)) {
            self.set_optopt(0);
            let name = |option: &LongOption| format!(" '{prefix}{}'", option.name().to_string_lossy());
            let names: String = options.iter().filter(is_candidate).map(name).collect();
            return Some(self.complain(false, &format!("option '{shown}' is ambiguous; possibilities:{names}")));
        }
        // SAFETY: behind the equals sign the argument goes on, or ends.
        let value = equals.map(|equals| unsafe { name.add(equals + 1) });
        Some(self.take_long(option, value, prefix))
    }

    fn take_long(&mut self, option: &LongOption, value: Option<*mut c_char>, prefix: &str) -> c_int {
        let full = option.name().to_string_lossy();
        if let Some(value) = value {
            if option.has_arg == 0 {
                self.set_optopt(option.value);
                return self.complain(false, &format!("option '{prefix}{full}' doesn't allow an argument"));
            }
            self.set_optarg(value);
        } else if option.has_arg == REQUIRED {
            if self.optind() >= self.argc() {
                self.set_optopt(option.value);
                return self.complain(true, &format!("option '{prefix}{full}' requires an argument"));
            }
            self.set_optarg(self.argument(self.optind()));
            self.go_on();
        }
        // SAFETY: the option is one of the list; by C's contract index and flag are null or places of the program's.
        unsafe {
            if !self.long_index.is_null() {
                self.long_index.write(ptr::from_ref(option).offset_from(self.long.as_ptr()) as c_int);
            }
            if option.flag.is_null() {
                return option.value;
            }
            option.flag.write(option.value);
        }
        0
    }

    /// Handles the short option at `position.next`.
    fn short_option(&mut self) -> c_int {
        // SAFETY: `next` points to a character of an argument, which ends with a null.
        let (letter, rest, is_at_end) = unsafe {
            let rest = self.position.next.add(1);
            (*self.position.next as u8, rest, *rest == 0)
        };
        self.position.next = rest;
        if is_at_end {
            self.go_on();
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
        if !is_at_end {
            self.set_optarg(rest);
            self.go_on();
        } else if colons == 1 {
            if self.optind() >= self.argc() {
                self.set_optopt(c_int::from(letter));
                return self.complain(true, &format!("option requires an argument -- '{}'", letter as char));
            }
            self.set_optarg(self.argument(self.optind()));
            self.go_on();
        }
        c_int::from(letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;
    use std::ffi::CString;

    /// libc's own.
    mod real {
        use super::*;
        unsafe extern "C" {
            pub static mut optind: c_int;
            pub static mut optarg: *const c_char;
            pub static mut opterr: c_int;
            pub static mut optopt: c_int;
            pub fn getopt_long(
                argc: c_int,
                argv: Arguments,
                short: *const c_char,
                long: *const LongOption,
                index: *mut c_int,
            ) -> c_int;
            pub fn getopt_long_only(
                argc: c_int,
                argv: Arguments,
                short: *const c_char,
                long: *const LongOption,
                index: *mut c_int,
            ) -> c_int;
        }
    }

    /// One answer: the value, `optind`, the number of the long option, `optopt` after a complaint, `optarg`.
    type Answer = (c_int, c_int, c_int, c_int, Option<String>);

    const WORDS: [&str; 22] = [
        "-a", "-b", "-c", "-ab", "-bx", "-cy", "-abc", "-q", "-", "--", "plain", "other", "--al", "--alpha", "--beta",
        "--be=1", "--gamma", "--gamma=", "--al=1", "--b", "--none", "-al",
    ];
    const LETTERS: [&CStr; 6] = [c"ab:c::", c"+ab:c::", c"-ab:c::", c":ab:c::", c"+:a:bc", c""];

    fn options() -> [LongOption; 6] {
        let option = |name: &'static CStr, has_arg, value| LongOption {
            name: name.as_ptr(),
            has_arg,
            flag: ptr::null_mut(),
            value: c_int::from(value),
        };
        [
            option(c"alpha", 0, b'a'),
            option(c"beta", 1, b'b'),
            option(c"gamma", 2, b'c'),
            option(c"alpine", 0, b'A'),
            option(c"b", 0, b'B'),
            LongOption { name: ptr::null(), has_arg: 0, flag: ptr::null_mut(), value: 0 },
        ]
    }

    fn text(string: *const c_char) -> Option<String> {
        // SAFETY: null, or a string of the test.
        (!string.is_null()).then(|| unsafe { CStr::from_ptr(string) }.to_string_lossy().into_owned())
    }

    /// All answers for a command line, and in which order its words are afterwards.
    fn answers(line: &[CString], mut next: impl FnMut(&mut [*mut c_char]) -> Answer) -> (Vec<Answer>, Vec<String>) {
        let mut words: Vec<*mut c_char> = line.iter().map(|word| word.as_ptr().cast_mut()).collect();
        words.push(ptr::null_mut());
        let mut answers = Vec::new();
        for _ in 0..30 {
            answers.push(next(&mut words));
            if answers.last().is_some_and(|answer| answer.0 == -1) {
                break;
            }
        }
        (answers, words.iter().filter_map(|word| text(*word)).collect())
    }

    fn ours(line: &[CString], letters: &CStr, long_only: bool) -> (Vec<Answer>, Vec<String>) {
        let options = options();
        let (mut index, mut argument, mut errors, mut letter) = (0, ptr::null(), 0, 0);
        let mut position = Position::START;
        answers(line, |words| {
            let mut which = -1;
            let (optind, optarg, opterr, optopt) =
                (&raw mut index, &raw mut argument, &raw mut errors, &raw mut letter);
            let variables = Variables { optind, optarg, opterr, optopt };
            // SAFETY: strings and variables of the test.
            let value = unsafe {
                let (argc, argv) = (words.len() as c_int - 1, words.as_mut_ptr());
                let list = long_options(options.as_ptr());
                let is_posix = std::env::var_os("POSIXLY_CORRECT").is_some();
                let mut call = Call::new(argc, argv, letters.as_ptr(), list, is_posix, variables, position);
                (call.long_index, call.long_only) = (&raw mut which, long_only);
                let value = call.next_option();
                position = call.position;
                value
            };
            let unknown = if value == c_int::from(b'?') { letter } else { 0 };
            (value, index, which, unknown, text(argument))
        })
    }

    fn of_libc(line: &[CString], letters: &CStr, long_only: bool) -> (Vec<Answer>, Vec<String>) {
        let options = options();
        // SAFETY: libc's variables; no other test parses options.
        unsafe { (real::optind, real::opterr, real::optopt) = (0, 0, 0) };
        answers(line, |words| {
            let mut which = -1;
            let parse = if long_only { real::getopt_long_only } else { real::getopt_long };
            // SAFETY: strings of the test, and libc's variables.
            unsafe {
                let (argc, argv) = (words.len() as c_int - 1, words.as_mut_ptr());
                let value = parse(argc, argv, letters.as_ptr(), options.as_ptr(), &mut which);
                let unknown = if value == c_int::from(b'?') { real::optopt } else { 0 };
                (value, real::optind, which, unknown, text(real::optarg))
            }
        })
    }

    #[test]
    fn command_lines_are_parsed_as_libc_does() {
        let mut rng = Rng::new(1);
        for _ in 0..5000 {
            let mut below = |limit: usize| (rng.next_u64() % limit as u64) as usize;
            let words = (0..below(7)).map(|_| WORDS[below(WORDS.len())]).collect::<Vec<_>>();
            let line = ["program"].into_iter().chain(words).map(|word| CString::new(word).unwrap());
            let (line, letters, long_only) = (line.collect::<Vec<_>>(), LETTERS[below(LETTERS.len())], below(2) == 0);
            let (ours, theirs) = (ours(&line, letters, long_only), of_libc(&line, letters, long_only));
            assert_eq!(ours, theirs, "{line:?} {letters:?} {long_only}");
        }
    }

    #[test]
    fn complaints_are_messages_unless_they_are_not_wanted() {
        let message = |letters: &CStr, mut errors: c_int| {
            let mut words = [c"program", c"-x"].map(|word| word.as_ptr().cast_mut());
            let (mut index, mut argument, mut letter) = (1, ptr::null(), 0);
            let (optind, optarg, opterr, optopt) =
                (&raw mut index, &raw mut argument, &raw mut errors, &raw mut letter);
            let variables = Variables { optind, optarg, opterr, optopt };
            // SAFETY: strings and variables of the test.
            unsafe {
                let argv = words.as_mut_ptr();
                let mut call = Call::new(2, argv, letters.as_ptr(), &[], false, variables, Position::START);
                assert_eq!(call.next_option(), c_int::from(b'?'));
                call.message
            }
        };
        assert_eq!(message(c"a", 1).as_deref(), Some("program: invalid option -- 'x'\n"));
        assert_eq!(message(c"a", 0), None);
        assert_eq!(message(c":a", 1), None);
    }
}

//! Crashes of the program: names the rank, the signal, the place in the source and the MPI call before it, then ends
//! the run with the exit code 128 + signal. Under the checker a crash is a finding, and ends its rank only.
//!
//! Most of it runs in the handler of a signal ([`crate::signals`]). It does more than POSIX allows there (it reads
//! debug information, and so allocates from libc); should that fail too, the second signal ends the process with a
//! short message.

use super::{guard, places};
use crate::hooks::hooks;
use crate::host_cell::HostCell;
use crate::keys::owner;
use crate::record::Record;
use crate::streams::output::{self, end_process};
use crate::{mask, running, state, verification};
use smpi_base::WorldRank;
use smpi_base::print::error_descriptor;
use smpi_dwarf::source::{self, SourceLocation};
use smpi_ranks::Switch;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Signals that mean a crash.
const SIGNALS: [(c_int, &str, &str); 7] = [
    (libc::SIGSEGV, "SIGSEGV", "invalid memory access"),
    (libc::SIGBUS, "SIGBUS", "invalid memory access"),
    (libc::SIGFPE, "SIGFPE", "arithmetic error such as an integer division by zero"),
    (libc::SIGILL, "SIGILL", "invalid instruction"),
    (libc::SIGABRT, "SIGABRT", "abort: an uncaught exception or a call of abort()"),
    (libc::SIGTRAP, "SIGTRAP", "breakpoint or trap"),
    (libc::SIGSYS, "SIGSYS", "invalid system call"),
];

/// The one of these by which the watchdog interrupts ranks: ranks cannot block it, and the kernel sends it only in a
/// sandbox.
pub const INTERRUPTS: c_int = libc::SIGSYS;

/// Signals with which the kernel ends programs that reach a limit, or have set a timer without a handler.
pub const LIMITS: [(c_int, &str, &str); 5] = [
    (libc::SIGXFSZ, "SIGXFSZ", "a file would be larger than the system allows, see ulimit -f"),
    (libc::SIGXCPU, "SIGXCPU", "more processor time than the system allows, see ulimit -t"),
    (libc::SIGALRM, "SIGALRM", "a timer without a handler"),
    (libc::SIGVTALRM, "SIGVTALRM", "a timer without a handler"),
    (libc::SIGPROF, "SIGPROF", "a timer without a handler"),
];

/// Says which limit ends this process, if one does.
pub fn say_limit(signal: c_int) {
    let Some((_, name, meaning)) = LIMITS.iter().find(|known| known.0 == signal) else { return };
    let rank = state::current().map_or(String::new(), |record| format!(", while rank {} ran", record.rank));
    write_at_end(&format!("smpirun: ended by {name} ({meaning}){rank}\n"));
}

/// Signals that mean a crash when the kernel sends them.
pub fn signals() -> impl Iterator<Item = c_int> {
    SIGNALS.iter().map(|entry| entry.0)
}

/// Whether a signal means a crash when the kernel sends it.
pub fn is_fault(signal: c_int) -> bool {
    signals().any(|fault| fault == signal)
}

/// Whether an address lies just below the stack of a rank.
pub fn is_stack_overflow(record: &Record, address: usize) -> bool {
    state::host().is_some_and(|host| host.layout.is_stack_guard(record.rank.0, address))
}

/// Whether a rank is in a place where libsmpi's own state must not be looked at.
pub fn is_inside(record: &Record) -> bool {
    (hooks().progress)(record.rank).is_none()
}

/// A crash is being reported.
static REPORTING: AtomicBool = AtomicBool::new(false);

/// What an invalid access to memory means just now.
// SAFETY: ranks on the hosting thread say it, and the handler of their crashes asks there.
static MEANING: HostCell<Cell<Option<&'static str>>> = unsafe { HostCell::new(Cell::new(None)) };

/// Says what an invalid access to memory means from now on, where that is known better than by its address.
#[inline]
pub fn faults_mean(meaning: Option<&'static str>) {
    if running::may_be_host_thread() {
        MEANING.set(meaning);
    }
}

/// A crash is about to be reported. Ends the process when that is the second one, in the attempt to report the first.
pub fn begin_report(signal: c_int) {
    if REPORTING.swap(true, Ordering::Relaxed) {
        write_at_end("smpirun: the program crashed, and so did the attempt to say where\n");
        // SAFETY: ends the process.
        unsafe { libc::_exit(smpi_base::exit::of_signal(signal)) }
    }
    guard::arm(true);
}

/// Writes the message of a process that is about to end.
fn write_at_end(message: &str) {
    // SAFETY: async-signal-safe calls with valid arguments. Where nobody reads standard error any more, SIGPIPE would
    // call the handler again, which writes here.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::write(error_descriptor(), message.as_ptr().cast(), message.len());
    }
}

/// A signal in words; `address` is what an invalid access to memory was about, if the kernel could tell that.
pub fn describe(signal: c_int, address: Option<Option<usize>>) -> String {
    let known = SIGNALS.iter().find(|entry| entry.0 == signal).copied();
    let Some((_, name, meaning)) = known else { return describe_sent(signal) };
    // The access is over, and the next crash is another one.
    if let Some(better) = address.filter(|_| running::may_be_host_thread()).and_then(|_| MEANING.take()) {
        return format!("{name} ({meaning}, {better})");
    }
    match address {
        // Addresses near 0 say "null pointer"; others would differ between machines and say nothing.
        Some(Some(address)) if address < 4096 => format!("{name} ({meaning}, through a null pointer)"),
        Some(None) => format!("{name} ({meaning}, through a pointer that is no address)"),
        _ => format!("{name} ({meaning})"),
    }
}

/// A signal that means no crash by itself, and that ended a rank.
fn describe_sent(signal: c_int) -> String {
    unsafe extern "C" {
        fn sigabbrev_np(signal: c_int) -> *const c_char;
    }
    if let Some((_, name, meaning)) = LIMITS.iter().find(|known| known.0 == signal) {
        return format!("{name} ({meaning})");
    }
    // SAFETY: any number may be asked about; the answer is a string that stays, or null.
    let name = unsafe {
        let name = sigabbrev_np(signal);
        if name.is_null() {
            format!("signal {signal}")
        } else {
            format!("SIG{}", CStr::from_ptr(name).to_string_lossy())
        }
    };
    format!("{name} (sent by the rank to itself, which has no handler for it)")
}

/// A thread of a rank is about to report a crash, and waits until what ranks printed is written.
static IS_AWAITED: AtomicBool = AtomicBool::new(false);
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);

/// Writes everybody's output. It is the hosting thread's: another thread, which is about to end the process, interrupts
/// that one for good.
fn write_output() {
    const LOOKS: u32 = 1000;
    const PAUSE: Duration = Duration::from_millis(1);
    if running::may_be_host_thread() {
        return output::flush();
    }
    IS_AWAITED.store(true, Ordering::Release);
    // SAFETY: a signal to a thread of this process; the kernel never blocks this one (see `mask`), and its handler is
    // ours.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), running::host_thread_id(), libc::SIGTRAP) };
    for _ in 0..LOOKS {
        if IS_WRITTEN.load(Ordering::Acquire) {
            break;
        }
        std::thread::sleep(PAUSE);
    }
}

/// The begin of the handler of signals: does what a thread that crashed waits for, and then nothing any more.
pub fn stop_if_awaited() {
    if running::on_host_thread() && IS_AWAITED.swap(false, Ordering::Acquire) {
        output::flush();
        IS_WRITTEN.store(true, Ordering::Release);
        loop {
            // SAFETY: waits; the thread that crashed ends the process.
            unsafe { libc::pause() };
        }
    }
}

/// Writes everybody's output, then the message.
fn report(rank: Option<&Record>, what: &str, hint: &str) {
    write_output();
    let thread_of = owner();
    let place = rank.or(thread_of).and_then(places::place_of);
    let advice = if place.as_ref().is_some_and(|place| place.file.is_none()) {
        "\n  compile with -g to see the line"
    } else {
        ""
    };
    let place = source::in_words(place.as_ref());
    let who = match (rank, thread_of) {
        (Some(record), _) => format!("rank {}", record.rank),
        (None, Some(record)) => format!("a thread of rank {}", record.rank),
        (None, None) if running::is_hosted() => "smpirun".to_string(),
        (None, None) => "the program".to_string(),
    };
    let mut message = format!("smpirun: {who}: {what}{place}{hint}{advice}\n");
    if let Some(progress) = rank.and_then(|record| (hooks().progress)(record.rank)) {
        message += &format!("  at that point the rank was {progress}\n");
    }
    write_at_end(&message);
}

/// A crash that the checker takes as a finding.
#[derive(Clone, Debug)]
pub struct Crash {
    /// The signal.
    pub signal: c_int,
    /// What happened, in words.
    pub what: String,
    /// Where in the program.
    pub place: Option<SourceLocation>,
    /// It is a failed assertion.
    pub asserted: bool,
    /// The rank sent itself the signal.
    pub sent: bool,
    /// The rank went on for too long; whether it provably goes on for ever.
    pub endless: Option<bool>,
}

// SAFETY: crashes of ranks, which happen on the hosting thread, are put there, and the event loop takes them.
static CRASH: HostCell<Cell<Option<Crash>>> = unsafe { HostCell::new(Cell::new(None)) };

/// Why the explorer is at its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reason {
    /// An invalid access to memory, a stack overflow, or a heap that was overwritten: by the program, or by MPI on its
    /// behalf.
    Access,
    /// Another crash. The program does not ask MPI for that.
    Crash,
    /// A bug of ours, which is on standard error already.
    Bug,
}

/// What the explorer has to say before it ends.
pub struct LastWords<'a> {
    /// Why it ends.
    pub reason: Reason,
    /// In words.
    pub text: &'a str,
    /// The rank that ran.
    pub rank: Option<WorldRank>,
    /// The call that it was in; empty if that is not known.
    pub call: &'static str,
    /// Where in its program.
    pub place: Option<SourceLocation>,
}

/// Takes what the explorer has to say before it ends, and gives the exit code to end with where that is known.
pub type TakeLastWords = fn(&LastWords<'_>) -> Option<i32>;

static LAST_WORDS: OnceLock<TakeLastWords> = OnceLock::new();

/// Installs the function that takes the last words of this process when it crashes where no rank can be left.
pub fn set_last_words(take: TakeLastWords) {
    let _ = LAST_WORDS.set(take);
}

fn tell(words: &LastWords<'_>) -> Option<i32> {
    LAST_WORDS.get().and_then(|take| take(words))
}

/// The program crashed, or we did, by a signal whose exit code is that of `signal`: `is_access` says that it was an
/// invalid access to memory, `is_unfinished` that a function of this library will not come to its end, `what` and
/// `hint` tell the user about it.
pub fn crashed(
    rank: Option<&Record>,
    signal: c_int,
    is_access: bool,
    is_unfinished: bool,
    what: String,
    hint: &str,
) -> ! {
    let mut code = smpi_base::exit::of_signal(signal);
    match rank {
        Some(record) if verification::is_on() && !is_unfinished && !is_inside(record) => {
            caught(record, signal, what, false)
        }
        _ if verification::is_on() => {
            // State of the library's own is half done, so the explorer is at its end.
            let place = rank.and_then(places::place_of);
            let inside =
                if rank.is_some_and(|record| !is_inside(record)) { "a function of libsmpi" } else { "an MPI call" };
            let text = match rank {
                Some(_) if hint.is_empty() => format!("{what} inside {inside}"),
                Some(_) => format!("{what} inside {inside}; {}", hint.trim_start()),
                None => format!("{what}{hint}"),
            };
            let call = if rank.is_some() { running::call() } else { "" };
            let rank = rank.map(|record| record.rank);
            let reason = if is_access { Reason::Access } else { Reason::Crash };
            code = tell(&LastWords { reason, text: &text, rank, call, place }).unwrap_or(code);
        }
        _ => report(rank, &what, hint),
    }
    end_process(code)
}

/// Ends a rank by a signal that it sent itself.
pub fn end_by_signal(record: &Record, signal: c_int) -> ! {
    let what = describe(signal, None);
    if verification::is_on() {
        let place = places::place_of(record);
        CRASH.set(Some(Crash { signal, what, place, asserted: false, sent: true, endless: None }));
        leave(record, signal)
    }
    REPORTING.store(true, Ordering::Relaxed);
    report(Some(record), &what, "");
    end_process(smpi_base::exit::of_signal(signal))
}

/// The crash that ended the rank that was resumed last.
pub fn take_crash() -> Option<Crash> {
    CRASH.take()
}

/// Leaves the crashed rank for good, from the handler's stack.
fn caught(record: &Record, signal: c_int, what: String, asserted: bool) -> ! {
    let place = places::place_of(record);
    CRASH.set(Some(Crash { signal, what, place, asserted, sent: false, endless: None }));
    leave(record, signal)
}

/// Gives control back to the event loop for good.
fn leave(record: &Record, signal: c_int) -> ! {
    REPORTING.store(false, Ordering::Relaxed);
    guard::arm(false);
    record.own.end_is_told.set(true);
    // It may be left in the handler of this signal.
    mask::unblock([INTERRUPTS].into_iter());
    loop {
        let home = record.own.home.get().expect("a rank that crashes has run");
        // SAFETY: the event loop never resumes a rank that ended, so it does not matter on which stack we leave it.
        unsafe { home.switch(Switch::Exited(smpi_base::exit::of_signal(signal))) };
    }
}

/// A bug of ours is no finding about the program: the explorer ends, and its parent tells the user. Nothing when this
/// is no verification.
pub fn end_after_bug(words: &str) {
    if verification::is_on() {
        tell(&LastWords { reason: Reason::Bug, text: words, rank: None, call: "", place: None });
        end_process(smpi_base::exit::INTERNAL_BUG)
    }
}

/// The thread that ranks run on has ended, which nothing but a system call of the rank that ran can do: ends the
/// explorer, from its watcher.
pub fn thread_is_gone(rank: WorldRank) -> ! {
    let text = format!("rank {rank} ended its thread by a system call; leave by return, exit() or pthread_exit()");
    let words = LastWords { reason: Reason::Access, text: &text, rank: Some(rank), call: "", place: None };
    let code = tell(&words).unwrap_or(smpi_base::exit::INTERNAL_BUG);
    // SAFETY: ends the process, whose data nobody uses any more.
    unsafe { libc::_exit(code) }
}

/// Leaves a rank that goes on for too long, from the handler of a timer; `does` says how, as in "computes for 10 s".
/// `is_endless`: it provably goes on for ever, if nobody else changes its memory.
pub fn leave_computing(record: &Record, does: &str, is_endless: bool) -> ! {
    let what = format!("rank {} {does}", record.rank);
    let place = places::place_of(record);
    CRASH.set(Some(Crash {
        signal: libc::SIGALRM,
        what,
        place,
        asserted: false,
        sent: false,
        endless: Some(is_endless),
    }));
    leave(record, libc::SIGALRM)
}

/// Ends a rank under the checker whose assertion is false. Nothing when this is no verification.
pub fn leave_asserting(what: String) {
    if verification::is_on()
        && let Some(record) = state::caller()
    {
        caught(record, libc::SIGABRT, what, true)
    }
}

/// Ends the run because of what the current rank did, as a crash that libsmpi notices itself.
pub fn die_of(what: &str) -> ! {
    if verification::is_on() {
        let record = state::current();
        if let Some(record) = record.filter(|record| !is_inside(record)) {
            caught(record, libc::SIGABRT, what.to_string(), false)
        }
        // State of the library's own is half done, so the explorer is at its end.
        let (rank, place) = (record.map(|record| record.rank), record.and_then(places::place_of));
        let code = tell(&LastWords { reason: Reason::Access, text: what, rank, call: running::call(), place });
        end_process(code.unwrap_or(smpi_base::exit::of_signal(libc::SIGABRT)))
    }
    die_reporting(what, "")
}

/// Ends the run because of what a thread did that is no rank.
pub fn die_of_thread(what: &str, hint: &str) -> ! {
    die_reporting(what, hint)
}

fn die_reporting(what: &str, hint: &str) -> ! {
    REPORTING.store(true, Ordering::Relaxed);
    report(state::current(), what, hint);
    end_process(smpi_base::exit::of_signal(libc::SIGABRT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_only_where_they_say_something() {
        assert_eq!(describe(libc::SIGSEGV, Some(Some(8))), "SIGSEGV (invalid memory access, through a null pointer)");
        assert_eq!(describe(libc::SIGSEGV, Some(Some(0x7f00_0000))), "SIGSEGV (invalid memory access)");
        assert!(describe(libc::SIGSEGV, Some(None)).ends_with("through a pointer that is no address)"));
        assert!(describe(libc::SIGFPE, None).starts_with("SIGFPE (arithmetic error"));
    }

    #[test]
    fn other_signals_have_their_names() {
        assert!(describe(libc::SIGUSR1, None).starts_with("SIGUSR1 (sent by the rank to itself"));
        assert!(describe(99, None).starts_with("signal 99 "));
        assert!(is_fault(libc::SIGBUS) && !is_fault(libc::SIGUSR1));
    }
}

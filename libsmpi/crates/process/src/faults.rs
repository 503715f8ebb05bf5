//! Crashes of the program: names the rank, the signal, the place in the source and the MPI call before it, then ends
//! the run with the exit code 128 + signal.
//!
//! The handler runs on its own stack, so it also explains a stack overflow: a fault just below the rank's stack. It
//! does more than POSIX allows in a handler (it reads debug information, and so allocates from libc); should that fail
//! too, the second signal ends the process with a short message.

use super::hooks::hooks;
use super::keys::{owner, thread_owner};
use super::state::{self, Record};
use super::{directory, end_process, output, signals};
use crate::running;
use smpi_base::map::Map;
use smpi_image::{ProgramFile, unwind};
use smpi_ranks::{Switch, keys};
use smpi_report::source::{Source, SourceLocation};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// `si_code` of an access that a protection key denies (sigaction(2)).
const SEGV_PKUERR: c_int = 4;
/// Stack of the handler: debug information is read on it.
const HANDLER_STACK: usize = 1 << 20;
/// Frames to look at for one of the program's.
const FRAMES: usize = 64;
/// Frames of other libraries to go through on the way to the program.
const DEEPEST: usize = 4096;

static REPORTING: AtomicBool = AtomicBool::new(false);

/// Installs the handlers. A program may replace them by its own.
pub fn install() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, handed to the kernel for good; the action is fully set.
    unsafe {
        let stack = libc::mmap(ptr::null_mut(), HANDLER_STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if stack == libc::MAP_FAILED {
            return;
        }
        let stack = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: HANDLER_STACK };
        libc::sigaltstack(&stack, ptr::null_mut());
        for (signal, ..) in SIGNALS {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }
}

pub extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // The kernel starts handlers with all keys but the default denied (pkeys(7)); this one looks at ranks' stacks.
    keys::leave();
    // SAFETY: the kernel passes valid information.
    let (code, at) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    let foreign = signal == libc::SIGSEGV && code == SEGV_PKUERR && keys::is_enabled();
    if foreign && may_go_on(at, context) {
        return;
    }
    // SAFETY: the kernel's arguments.
    if unsafe { signals::passed_on(signal, info, context) } {
        return;
    }
    if REPORTING.swap(true, Ordering::Relaxed) {
        let text = b"smpirun: the program crashed, and so did the attempt to say where\n";
        // SAFETY: async-signal-safe calls with valid arguments.
        unsafe {
            libc::write(2, text.as_ptr().cast(), text.len());
            libc::_exit(smpi_base::exit::of_signal(signal));
        }
    }
    let rank = state::current();
    // SAFETY: the kernel passes valid information.
    let address = unsafe { (*info).si_addr() } as usize;
    let memory = signal == libc::SIGSEGV || signal == libc::SIGBUS;
    let overflow = memory && rank.is_some_and(|record| is_stack_overflow(record, address));
    let what = match state::record_at(address).filter(|_| foreign) {
        Some(owner) => {
            format!("SIGSEGV (access to the memory of rank {}, which is another process under other MPIs)", owner.rank)
        }
        None if overflow => "stack overflow".to_string(),
        None => describe(signal, memory.then_some(address)),
    };
    let hint = match rank {
        Some(record) if overflow => stack_hint(record),
        None if memory && thread_owner().is_none() => outside_hint(address),
        _ => String::new(),
    };
    if let Some(record) = rank
        && CATCHING.load(Ordering::Relaxed)
    {
        caught(record, signal, what, false)
    }
    if CATCHING.load(Ordering::Relaxed) {
        // No rank runs: the explorer itself is at its end, and its parent tells the user.
        if let Some(tell) = LAST_WORDS.get() {
            tell(memory, &format!("{what}{hint}"));
        }
        end_process(smpi_base::exit::of_signal(signal))
    }
    report(rank, &what, &hint);
    // The guard below a stack answers with SIGBUS, but users know a stack overflow as SIGSEGV.
    let signal = if overflow { libc::SIGSEGV } else { signal };
    end_process(smpi_base::exit::of_signal(signal))
}

pub fn is_stack_overflow(record: &Record, address: usize) -> bool {
    state::host().is_some_and(|host| host.layout.is_stack_guard(record.rank.0, address))
}

/// Whether a rank is in a place where libsmpi's own state must not be looked at.
pub fn is_inside(record: &Record) -> bool {
    (hooks().progress)(record.rank).is_none()
}

/// Whether a signal means a crash when the kernel sends it.
pub fn is_fault(signal: c_int) -> bool {
    SIGNALS.iter().any(|entry| entry.0 == signal)
}

/// Whether the access was no mistake of the program, though its protection key was denied; then it is allowed.
///
/// In a handler of the program the rank's own memory is denied; and libsmpi may move data between ranks while one of
/// them runs.
fn may_go_on(address: usize, context: *mut c_void) -> bool {
    let Some(record) = state::current() else { return false };
    let own = state::record_at(address).is_some_and(|owner| owner.rank == record.rank);
    let ours = is_inside(record);
    let value = if ours { keys::open_value() } else { keys::value_of(record.image.region()) };
    // SAFETY: the kernel passes the context of this architecture.
    (own || ours) && unsafe { set_interrupted_keys(context, value) }
}

/// Changes the protection-key register of the interrupted code. The kernel saves it in the extended part of the
/// floating-point state (Intel SDM volume 1 §13.2: component 9; Linux arch/x86/include/uapi/asm/sigcontext.h).
///
/// # Safety
/// `context` must be that of a signal handler.
#[cfg(target_arch = "x86_64")]
unsafe fn set_interrupted_keys(context: *mut c_void, value: u32) -> bool {
    const MAGIC: u32 = 0x4650_5853;
    const MAGIC_AT: usize = 464;
    const SIZE_AT: usize = MAGIC_AT + 16;
    const HEADER_AT: usize = 512;
    const COMPONENT: u32 = 9;
    // SAFETY: the caller's promise; the magic number says that the extended part is there, and how long it is.
    unsafe {
        let state = (*context.cast::<libc::ucontext_t>()).uc_mcontext.fpregs.cast::<u8>();
        if state.is_null() || state.add(MAGIC_AT).cast::<u32>().read() != MAGIC {
            return false;
        }
        let offset = std::arch::x86_64::__cpuid_count(0xd, COMPONENT).ebx as usize;
        if offset < HEADER_AT || offset + 4 > state.add(SIZE_AT).cast::<u32>().read() as usize {
            return false;
        }
        let present = state.add(HEADER_AT).cast::<u64>();
        present.write(present.read() | 1 << COMPONENT);
        state.add(offset).cast::<u32>().write_unaligned(value);
        true
    }
}

/// Other processors have no keys.
///
/// # Safety
/// None.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn set_interrupted_keys(_context: *mut c_void, _value: u32) -> bool {
    false
}

fn describe(signal: c_int, address: Option<usize>) -> String {
    let known = SIGNALS.iter().find(|entry| entry.0 == signal).copied();
    let Some((_, name, meaning)) = known else { return describe_sent(signal) };
    match address {
        // Addresses near 0 say "null pointer"; others would differ between machines and say nothing.
        Some(address) if address < 4096 => format!("{name} ({meaning}, through a null pointer)"),
        _ => format!("{name} ({meaning})"),
    }
}

/// A signal that means no crash by itself, and that ended a rank.
fn describe_sent(signal: c_int) -> String {
    unsafe extern "C" {
        fn sigabbrev_np(signal: c_int) -> *const c_char;
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

/// The event loop itself touches the program's memory only where a rank told MPI to.
fn outside_hint(address: usize) -> String {
    let whose = state::record_at(address).map_or(String::new(), |record| format!(" of rank {}", record.rank));
    format!("\n  while a message was moved: a buffer{whose} that was given to MPI is not valid memory, or too small")
}

fn stack_hint(record: &Record) -> String {
    let bytes = record.image.program().region().stack_len;
    format!("\n  its stack has {} KiB; a larger one: --stack-size={}MiB", bytes >> 10, (bytes >> 20).max(1) * 4)
}

/// Writes everybody's output, then the message.
fn report(rank: Option<&Record>, what: &str, hint: &str) {
    if let Some(host) = state::host() {
        output::flush_all(host);
    }
    let thread_of = owner();
    let place = place_in_program(rank.or(thread_of));
    let advice = if place.as_ref().is_some_and(|place| place.file.is_none()) {
        "\n  compile with -g to see the line"
    } else {
        ""
    };
    let place = place.map_or(String::new(), |place| format!(" in {place}"));
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
    // SAFETY: a valid buffer.
    unsafe { libc::write(2, message.as_ptr().cast(), message.len()) };
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
}

struct CrashSlot(std::cell::RefCell<Option<Crash>>);

// SAFETY: only the hosting thread uses it.
unsafe impl Sync for CrashSlot {}

/// Takes what the explorer has to say before it ends: whether it is about an invalid access to memory, and in words.
pub type LastWords = fn(bool, &str);

static LAST_WORDS: std::sync::OnceLock<LastWords> = std::sync::OnceLock::new();

/// Installs the function that takes the last words of this process when it crashes outside of all ranks.
pub fn set_last_words(tell: LastWords) {
    let _ = LAST_WORDS.set(tell);
}

static CATCHING: AtomicBool = AtomicBool::new(false);
static CRASH: CrashSlot = CrashSlot(std::cell::RefCell::new(None));

/// From now on a crash of a rank ends that rank only; [`take_crash`] tells what it was.
pub fn catch_crashes() {
    CATCHING.store(true, Ordering::Relaxed);
    // What libraries send, and what the kernel sends because of what a rank does.
    const OTHERS: [c_int; 7] =
        [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGXCPU, libc::SIGUSR1, libc::SIGUSR2, libc::SIGVTALRM, libc::SIGPROF];
    OTHERS.into_iter().for_each(|signal| signals::have_handled(signal, true));
}

/// Whether crashes are findings, because this is a verification.
pub fn is_catching() -> bool {
    CATCHING.load(Ordering::Relaxed)
}

/// Ends a rank by a signal that it sent itself.
pub fn end_by_signal(record: &Record, signal: c_int) -> ! {
    let what = describe(signal, None);
    if is_catching() {
        let place = place_in_program(Some(record));
        *CRASH.0.borrow_mut() = Some(Crash { signal, what, place, asserted: false, sent: true });
        leave(record, signal)
    }
    REPORTING.store(true, Ordering::Relaxed);
    report(Some(record), &what, "");
    end_process(smpi_base::exit::of_signal(signal))
}

/// The crash that ended the rank that was resumed last.
pub fn take_crash() -> Option<Crash> {
    CRASH.0.borrow_mut().take()
}

/// Leaves the crashed rank for good, from the handler's stack.
fn caught(record: &Record, signal: c_int, what: String, asserted: bool) -> ! {
    let place = place_in_program(Some(record));
    *CRASH.0.borrow_mut() = Some(Crash { signal, what, place, asserted, sent: false });
    leave(record, signal)
}

/// Gives control back to the event loop for good.
fn leave(record: &Record, signal: c_int) -> ! {
    REPORTING.store(false, Ordering::Relaxed);
    loop {
        let home = record.home.get().expect("a rank that crashes has run");
        // SAFETY: the event loop never resumes a rank that ended, so it does not matter on which stack we leave it.
        unsafe { home.switch(Switch::Exited(smpi_base::exit::of_signal(signal))) };
    }
}

/// A bug of ours is no finding about the program: the explorer ends, and its parent tells the user. Nothing when this
/// is no verification.
pub fn end_after_bug(words: &str) {
    if CATCHING.load(Ordering::Relaxed) {
        if let Some(tell) = LAST_WORDS.get() {
            tell(false, words);
        }
        end_process(smpi_base::exit::INTERNAL_BUG)
    }
}

/// Leaves a rank that computes for too long, from the handler of a timer.
pub fn leave_computing(record: &Record, seconds: f64, in_system_call: bool) -> ! {
    let rank = record.rank;
    let does = if in_system_call { "waits in a system call (for input, another process, a timer)" } else { "computes" };
    let what = format!("rank {rank} {does} for more than {seconds} s without an MPI call (--call-timeout moves that)");
    caught(record, libc::SIGALRM, what, false)
}

/// Ends a rank under the checker whose assertion is false. Nothing when this is no verification.
pub fn leave_asserting(what: String) {
    if let Some(record) = state::current()
        && CATCHING.load(Ordering::Relaxed)
        && !running::is_child()
    {
        caught(record, libc::SIGABRT, what, true)
    }
}

/// `__assert_fail`, which `assert` calls (LSB 5.0, libc): under the checker the rank fails, otherwise libc's own is
/// called.
pub unsafe extern "C" fn assert_fail(
    text: *const c_char,
    file: *const c_char,
    line: libc::c_uint,
    function: *const c_char,
) -> ! {
    unsafe extern "C" {
        fn __assert_fail(text: *const c_char, file: *const c_char, line: libc::c_uint, function: *const c_char) -> !;
    }
    // SAFETY: `assert` passes strings.
    unsafe {
        leave_asserting(format!("the assertion `{}` is false", CStr::from_ptr(text).to_string_lossy()));
        __assert_fail(text, file, line, function)
    }
}

/// Ends a verification because a rank does what a checker cannot take back. Nothing when this is no verification.
pub fn refuse_in_verification(what: &str) {
    if !CATCHING.load(Ordering::Relaxed) || running::is_child() {
        return;
    }
    let Some(record) = state::current() else { return };
    let place = place_in_program(Some(record)).map_or(String::new(), |place| format!(" in {place}"));
    eprintln!(
        "smpirun: error: rank {}: {what}{place}: --verify puts ranks back to earlier states, which is not possible for this; \
         run the program without --verify, or build it without",
        record.rank
    );
    end_process(smpi_base::exit::REFUSED)
}

/// Ends the run because a rank wants another program in the place of its process, which is that of all ranks.
pub fn refuse_exec(function: &str) {
    let Some(record) = state::current() else { return };
    let place = place_in_program(Some(record)).map_or(String::new(), |place| format!(" in {place}"));
    if let Some(host) = state::host() {
        output::flush_all(host);
    }
    eprintln!(
        "smpirun: error: rank {}: {function}(){place} would replace all ranks, which are one process here; \
         give smpirun the program itself, or call {function} in a child of fork()",
        record.rank
    );
    end_process(smpi_base::exit::REFUSED)
}

/// Where the calling rank is: the program's innermost frame.
pub fn place_of(record: &Record) -> Option<SourceLocation> {
    place_in_program(Some(record))
}

/// Ends the run because of what the current rank did, as a crash that libsmpi notices itself.
pub fn die_of(what: &str) -> ! {
    if let Some(record) = state::current()
        && CATCHING.load(Ordering::Relaxed)
    {
        caught(record, libc::SIGABRT, what.to_string(), false)
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

/// Source location of the innermost frame that is the program's own.
fn place_in_program(rank: Option<&Record>) -> Option<SourceLocation> {
    let record = rank?;
    Some(source_of(record, link_address()?))
}

/// Image address of the innermost instruction of the program, or of a private library, on this stack.
pub fn link_address() -> Option<u64> {
    let frame = innermost_frame()?;
    let location = unwind::find(frame.address).filter(unwind::Location::in_users_code)?;
    // A return address is the instruction after the call; the one before it belongs to the call.
    let back = usize::from(!frame.exact);
    Some(frame.address.wrapping_sub(location.bias).wrapping_sub(back) as u64)
}

type Known = Map<(PathBuf, u64), SourceLocation>;

struct KnownSlot(std::cell::RefCell<Known>);

// SAFETY: only the hosting thread uses it.
unsafe impl Sync for KnownSlot {}

/// Debug information is slow to read, and the same places are asked for again and again.
static KNOWN: LazyLock<KnownSlot> = LazyLock::new(|| KnownSlot(Default::default()));

/// Source location of an image address of a rank.
pub fn source_of(record: &Record, image_address: u64) -> SourceLocation {
    let file = record.image.program().file_at(image_address);
    let own = file.own_address(image_address);
    if !running::on_host_thread() {
        return read_source(file, own);
    }
    let key = (file.path().to_path_buf(), own);
    if let Some(found) = KNOWN.0.borrow().get(&key) {
        return found.clone();
    }
    let found = read_source(file, own);
    KNOWN.0.borrow_mut().insert(key, found.clone());
    found
}

fn read_source(file: &ProgramFile, address: u64) -> SourceLocation {
    directory::at_home(|| {
        let mut found = Source::open(file.path()).map(|source| source.locate(address)).unwrap_or_default();
        if found.function.is_none() {
            found.function = file.symbol_table().function_at(address).map(|(symbol, _)| symbol.name.clone());
        }
        found
    })
}

/// Whether the code that a signal interrupted was called by the program without code at the addresses `own` in between.
/// To be asked in the signal's handler.
pub fn interrupted_outside(own: &std::ops::Range<usize>) -> bool {
    let mut search = Search { own: own.clone(), interrupted: false, left: DEEPEST, outside: false };
    // SAFETY: Itanium C++ ABI §1.6: the callback gets `search` while the call lasts.
    unsafe { _Unwind_Backtrace(search_frame, ptr::from_mut(&mut search).cast()) };
    search.outside
}

/// Looks for the program below the frames of a handler.
struct Search {
    own: std::ops::Range<usize>,
    /// The frame that was interrupted has been seen; those before it are the handler's.
    interrupted: bool,
    left: usize,
    outside: bool,
}

extern "C" fn search_frame(context: *mut c_void, search: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `interrupted_outside` and its own context.
    let (search, address, exact) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *search.cast::<Search>(), address, exact != 0)
    };
    search.interrupted |= exact;
    search.left -= 1;
    if !search.interrupted {
        return if search.left == 0 { STOP } else { GO_ON };
    }
    search.outside = unwind::find(address).is_some_and(|location| location.in_users_code());
    if search.outside || search.own.contains(&address) || search.left == 0 { STOP } else { GO_ON }
}

struct Frame {
    address: usize,
    /// True when the address is of the instruction that was interrupted, not a return address.
    exact: bool,
    /// The stack pointer of the function there, where it called.
    stack_pointer: usize,
}

/// What the unwinder collects.
struct Walk {
    left: usize,
    found: Option<Frame>,
}

unsafe extern "C" {
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, argument: *mut c_void) -> c_int;
    fn _Unwind_GetIPInfo(context: *mut c_void, before_instruction: *mut c_int) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

/// What a callback of the unwinder answers (`_URC_NO_REASON`, `_URC_NORMAL_STOP`).
const GO_ON: c_int = 0;
const STOP: c_int = 4;

extern "C" fn step(context: *mut c_void, walk: *mut c_void) -> c_int {
    // SAFETY: the unwinder passes the argument of `innermost_frame` and its own context.
    let (walk, address, exact) = unsafe {
        let mut exact = 0;
        let address = _Unwind_GetIPInfo(context, &mut exact);
        (&mut *walk.cast::<Walk>(), address, exact != 0)
    };
    if unwind::find(address).is_some_and(|location| location.in_users_code()) {
        // SAFETY: as above. In this callback it is the end of the frame that was called: its caller's stack pointer.
        let stack_pointer = unsafe { _Unwind_GetCFA(context) };
        walk.found = Some(Frame { address, exact, stack_pointer });
        return STOP;
    }
    walk.left -= 1;
    if walk.left == 0 { STOP } else { GO_ON }
}

/// An address in the innermost function of the program, or of a private library of it, that called us.
pub(super) fn caller() -> Option<usize> {
    innermost_frame().map(|frame| frame.address)
}

/// The part of the current rank's stack that no function of the program uses now, from and up to; `None` where the
/// program runs on a stack of its own.
pub(super) fn frames_left() -> Option<(usize, usize)> {
    let record = state::current()?;
    let base = record.image.region();
    let top = innermost_frame()?.stack_pointer;
    (base..base + record.image.program().region().stack_len).contains(&top).then_some((base, top))
}

fn innermost_frame() -> Option<Frame> {
    let mut walk = Walk { left: FRAMES, found: None };
    // SAFETY: Itanium C++ ABI §1.6: the callback gets `walk` while the call lasts.
    unsafe { _Unwind_Backtrace(step, ptr::from_mut(&mut walk).cast()) };
    walk.found
}

//! The kernel's handler: what happens when a signal comes that this process does not send itself.
//!
//! It runs on its own stack, so it also explains a stack overflow: a fault just below the rank's stack.

use super::forward::passed_on;
use crate::faults::crash::{self, begin_report, crashed, describe, is_fault, is_inside, is_stack_overflow};
use crate::faults::guard;
use crate::faults::interrupted::{interrupted_at, return_from_nowhere, set_interrupted_keys};
#[cfg(target_arch = "x86_64")]
use crate::faults::looping;
use crate::faults::watchdog;
use crate::keys::thread_owner;
use crate::mask::{COUNT, set_of, unblock};
use crate::record::Record;
use crate::streams::output::end_process;
use crate::{libraries, moving, running, state, verification};
use smpi_base::eprintln;
use smpi_image::unwind;
use smpi_ranks::keys as protection;
use smpi_ranks::walls;
use std::ffi::{c_int, c_void};
use std::mem::zeroed;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// `si_code` of an access to memory that does not allow it (sigaction(2)).
const SEGV_ACCERR: c_int = 2;
/// `si_code` of what the kernel itself says (sigaction(2)): of an access to memory, that its address is none at all
/// (Intel SDM vol. 1 §3.3.7.1), which it does not tell then.
const SI_KERNEL: c_int = 0x80;
/// `si_code` of what a thread was sent by itself or another one (sigaction(2)).
const SI_TKILL: c_int = -6;
/// `si_code` of an access that a protection key denies (sigaction(2)).
const SEGV_PKUERR: c_int = 4;
/// Stack of the handler: debug information is read on it.
const HANDLER_STACK: usize = 1 << 20;

/// Installs the handler for crashes. A program may replace it by its own.
pub fn install() {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, handed to the kernel for good.
    unsafe {
        let stack = libc::mmap(ptr::null_mut(), HANDLER_STACK, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if stack == libc::MAP_FAILED {
            return;
        }
        let stack = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: HANDLER_STACK };
        libc::sigaltstack(&stack, ptr::null_mut());
    }
    // Whoever started this process may have had signals blocked, and then crashes and questions would not be heard of.
    unblock(crash::signals().chain([libc::SIGALRM, libc::SIGUSR1]));
    crash::signals().for_each(|signal| handle_from_now_on(signal, 0));
    // A program that installs handlers of its own has these handled as it says.
    crash::LIMITS.iter().filter(|(signal, ..)| is_default(*signal)).for_each(|(signal, ..)| {
        handle_from_now_on(*signal, libc::SA_RESTART);
    });
}

/// Whether a signal does to this process what it does to any.
fn is_default(signal: c_int) -> bool {
    // SAFETY: asks only, with a place for the answer.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        libc::sigaction(signal, ptr::null(), &mut action) == 0 && action.sa_sigaction == libc::SIG_DFL
    }
}

fn handle_from_now_on(signal: c_int, more_flags: c_int) {
    // SAFETY: the action is fully set; the handler is a function of this library, which is never unloaded.
    unsafe {
        let mut action: libc::sigaction = zeroed();
        action.sa_sigaction = handle as *const () as usize;
        // The watchdog's comes again and again, and must not interrupt its own handler.
        let about_more = if signal == crash::INTERRUPTS { libc::SA_RESTART } else { libc::SA_NODEFER };
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | about_more | more_flags;
        libc::sigaction(signal, &action, ptr::null_mut());
    }
}

/// Makes the kernel do with signals what a rank asked for, because this process is a copy that has only this rank.
pub fn leave_to_kernel(record: &Record) {
    for signal in (1..COUNT as c_int).filter(|&signal| signal != libc::SIGKILL && signal != libc::SIGSTOP) {
        let wanted = record.own.signals.action(signal);
        // SAFETY: the action is fully set: what the program asked for, or what happens by default. The numbers between
        // that belong to libc are refused.
        unsafe {
            let mut action: libc::sigaction = zeroed();
            (action.sa_sigaction, action.sa_flags, action.sa_mask) =
                (wanted.handler, wanted.flags, set_of(wanted.mask));
            libc::sigaction(signal, &action, ptr::null_mut());
        }
    }
    let (start, len) = record.own.signals.stack.get().unwrap_or((0, 0));
    let flags = if len == 0 { libc::SS_DISABLE } else { 0 };
    let stack = libc::stack_t { ss_sp: ptr::with_exposed_provenance_mut(start), ss_flags: flags, ss_size: len };
    // SAFETY: the program's stack for handlers, or none.
    unsafe { libc::sigaltstack(&stack, ptr::null_mut()) };
}

/// Signals that [`handle`] is called for beside those of crashes.
static HANDLED: AtomicU64 = AtomicU64::new(0);

/// Has our handler called for one more signal, so that it can be passed on to ranks.
pub fn have_handled(signal: c_int, restart: bool) {
    // The explorer uses these itself; ranks send them to themselves without the kernel.
    let is_explorers = verification::is_on() && [libc::SIGINT, libc::SIGTERM, libc::SIGALRM].contains(&signal);
    let place = 1 << (signal - 1);
    if is_explorers || is_fault(signal) || HANDLED.fetch_or(place, Ordering::Relaxed) & place != 0 {
        return;
    }
    handle_from_now_on(signal, if restart { libc::SA_RESTART } else { 0 });
}

/// From now on a crash of a rank ends that rank only; [`crash::take_crash`] tells what it was.
pub fn catch_crashes() {
    verification::begin();
    // What libraries send, and what the kernel sends because of what a rank does.
    const OTHERS: [c_int; 7] =
        [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGXCPU, libc::SIGUSR1, libc::SIGUSR2, libc::SIGVTALRM, libc::SIGPROF];
    OTHERS.into_iter().for_each(|signal| have_handled(signal, true));
}

extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // The kernel starts handlers with all keys but the default denied (pkeys(7)); this one looks at ranks' stacks.
    protection::leave();
    // SAFETY: the kernel calls, with information about the signal.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr() as usize) };
    if signal == crash::INTERRUPTS && code == SI_TKILL && watchdog::is_on() && running::on_host_thread() {
        return watchdog::interrupted(context);
    }
    // SAFETY: the kernel's context.
    if is_fault(signal) && signal != libc::SIGTRAP && unsafe { guard::recover(context) } {
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if signal == libc::SIGTRAP && is_of_step(code) && running::on_host_thread() && looping::is_searching() {
        // SAFETY: the kernel's arguments.
        return unsafe { looping::step(context) };
    }
    let was_closed = walls::lower();
    crash::stop_if_awaited();
    let has_key = signal == libc::SIGSEGV && code == SEGV_PKUERR && protection::is_enabled();
    if has_key && may_go_on(address, context) {
        return;
    }
    let is_closed = was_closed && signal == libc::SIGSEGV && code == SEGV_ACCERR && is_of_another(address);
    // libsmpi may move data between ranks while one of them runs: now it can.
    if is_closed && state::current().is_some_and(is_inside) {
        return;
    }
    let is_foreign = has_key || is_closed;
    if is_fault(signal) && state::current().is_some() && moving::is_target(address) {
        state::set_current(None);
    }
    // SAFETY: the kernel's arguments, which this handler was called with.
    if unsafe { passed_on(signal, info, context) } {
        return;
    }
    begin_report(signal);
    let is_call = signal == libc::SIGSEGV && address == interrupted_at(context) && !is_code(address);
    // SAFETY: the kernel's context, in an attempt.
    guard::attempt(&mut || unsafe { return_from_nowhere(context, is_code) });
    let rank = state::current();
    let is_access = signal == libc::SIGSEGV || signal == libc::SIGBUS;
    let is_overflow = is_access && rank.is_some_and(|record| is_stack_overflow(record, address));
    // The place below a stack belongs to the rank before, which has nothing there.
    let what = match state::record_at(address).filter(|_| is_foreign && !is_overflow) {
        Some(owner) => {
            format!("SIGSEGV (access to the memory of rank {}, which is another process under other MPIs)", owner.rank)
        }
        None if is_overflow => "stack overflow".to_string(),
        None if is_call => NO_CODE.to_string(),
        None => describe(signal, is_access.then_some((code != SI_KERNEL).then_some(address))),
    };
    let library = rank.and_then(|_| libraries::shared_at(interrupted_at(context)));
    let what = match library {
        Some(library) if is_foreign => refuse_sharing(rank, &what, &library),
        Some(library) => format!("{what} {}", in_shared(&library)),
        None => what,
    };
    let hint = match rank {
        Some(record) if is_overflow => stack_hint(record),
        None if is_access && thread_owner().is_none() => outside_hint(address),
        _ => String::new(),
    };
    // The guard below a stack answers with SIGBUS, but users know a stack overflow as SIGSEGV.
    let known_as = if is_overflow && !verification::is_on() { libc::SIGSEGV } else { signal };
    // Where a function of ours has no stack left, a lock may be held, or a table half made, for which the next rank
    // would wait for ever.
    let is_unfinished = is_overflow && libraries::own().contains(&interrupted_at(context));
    crashed(rank, known_as, is_access, is_unfinished, what, &hint)
}

/// Whether a SIGTRAP with this `si_code` may come from an instruction that was executed with the trap flag set
/// (sigaction(2): `TRAP_TRACE`). In a virtual machine with little time the register that tells this (Intel SDM vol. 3
/// §18.2.3: DR6) was empty once in some millions of steps, and then the kernel says `TRAP_BRKPT`. A breakpoint in the
/// program's code has `SI_KERNEL`, and what a thread sends has a code that is not above 0.
#[cfg(target_arch = "x86_64")]
fn is_of_step(code: c_int) -> bool {
    code > 0 && code != SI_KERNEL
}

/// What may be the reason for a crash in a library.
fn in_shared(library: &str) -> String {
    format!(
        "in {library}, a library that all ranks share: with --privatize {library} each rank has its own, as each \
         process has under other MPIs"
    )
}

/// Ends a verification whose ranks meet in the data of a library: it tells nothing about the program. Otherwise what
/// happened, in words.
fn refuse_sharing(rank: Option<&Record>, what: &str, library: &str) -> String {
    let text = format!("{what} {}", in_shared(library));
    if let Some(record) = rank.filter(|_| verification::is_on()) {
        eprintln!("smpirun: error: rank {}: {text}; --verify has no verdict without that", record.rank);
        end_process(smpi_base::exit::REFUSED)
    }
    text
}

/// What a program did that went on where there is no code.
const NO_CODE: &str = "SIGSEGV (a call of what is no function, or a return to an address that was overwritten)";

/// Whether there is code of a program or library.
fn is_code(address: usize) -> bool {
    unwind::find_object(address).is_some()
}

/// Whether there is memory of a rank that does not run.
fn is_of_another(address: usize) -> bool {
    let running = state::current().map(|record| record.rank);
    state::record_at(address).is_some_and(|owner| Some(owner.rank) != running)
}

/// Whether the access was no mistake of the program, though its protection key was denied; then it is allowed.
///
/// In a handler of the program the rank's own memory is denied; and libsmpi may move data between ranks while one of
/// them runs.
fn may_go_on(address: usize, context: *mut c_void) -> bool {
    let Some(record) = state::current() else { return false };
    let is_own = state::record_at(address).is_some_and(|owner| owner.rank == record.rank);
    let is_ours = is_inside(record);
    let value = if is_ours { protection::open_value() } else { protection::value_of(record.image.region()) };
    // SAFETY: `handle` was called by the kernel, with a context.
    (is_own || is_ours) && unsafe { set_interrupted_keys(context, value) }
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn a_trap_that_nobody_sent_and_that_is_no_breakpoint_may_be_a_step() {
        // TRAP_BRKPT, TRAP_TRACE, TRAP_BRANCH, TRAP_HWBKPT, TRAP_UNK
        assert!((1..=5).all(is_of_step));
        assert!(![SI_KERNEL, SI_TKILL, libc::SI_USER, libc::SI_QUEUE].into_iter().any(is_of_step));
    }
}

//! Signals that the kernel delivers, passed on to the handler of the rank that was interrupted.
//!
//! Our handler runs on a stack of its own, which is one for all ranks. The rank's handler may call MPI, and then the
//! rank is suspended in it: so the kernel's record of what was interrupted is moved to the rank's stack, and the
//! handler begins there when ours returns. When it ends in turn, `rt_sigreturn` goes on from that record.
//!
//! ```text
//!   rank's stack:  │ … frames │ red zone │ floating-point state │ siginfo │ ucontext │ frames of the handler …
//!                                                                         └ what rt_sigreturn reads
//! ```
//!
//! Sources: System V psABI for x86-64 §3.2.2 (red zone), Linux arch/x86/include/uapi/asm/sigcontext.h and ucontext.h.

use crate::faults::crash::{self, end_by_signal, is_fault, is_inside, is_stack_overflow};
use crate::faults::interrupted::{interrupted_at, is_system_call};
use crate::mask::blockable;
use crate::record::{Record, is_harmless};
use crate::streams::output;
use crate::{running, state};
use smpi_image::unwind;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr;

/// Whether a signal is no crash: a rank has a handler for it, or ignores it, or it came from outside and ends this
/// process as it would end any.
///
/// # Safety
/// As for a handler: with the kernel's arguments.
pub unsafe fn passed_on(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) -> bool {
    /// The kernel has a reason of its own (`SI_KERNEL`): a key on the terminal, a limit.
    const BY_KERNEL: c_int = 0x80;
    if running::is_child() || !running::is_hosted() {
        return false;
    }
    let record = state::current();
    let is_fault = is_fault(signal);
    // SAFETY: the kernel's arguments, as the caller says; `info` is that of a signal of this number.
    unsafe {
        let ours = (*info).si_code <= 0 && (*info).si_pid() == libc::getpid();
        let is_foreign = !ours && ((*info).si_code <= 0 || (!is_fault && (*info).si_code <= BY_KERNEL));
        if is_foreign && !running::on_host_thread() {
            // It is for ranks, and those are the hosting thread's. A thread may say who sent a signal only where it
            // says that it was queued.
            let mut told = *info;
            told.si_code = libc::SI_QUEUE;
            let (process, thread) = (libc::getpid(), running::host_thread_id());
            return libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, signal, &raw const told) == 0;
        }
        if is_foreign {
            let current = record.filter(|_| is_in_program(context));
            return from_outside(current, signal, info, context) || end_by_default(signal);
        }
        // What the library does itself is no rank's: it writes to a pipe that nobody reads, for example.
        let Some(record) = record.filter(|record| !is_inside(record)) else {
            return !is_fault && end_by_default(signal);
        };
        let overflow = (signal == libc::SIGSEGV || signal == libc::SIGBUS)
            && is_stack_overflow(record, (*info).si_addr() as usize);
        forward(record, signal, info, context, overflow) || !is_fault && record.own.signals.ignores(signal)
    }
}

/// Lets a signal from outside do what it does to a process without a handler.
fn end_by_default(signal: c_int) -> bool {
    if is_harmless(signal) {
        return true;
    }
    crash::say_limit(signal);
    // SAFETY: valid arguments; the signal is not blocked here, so this ends or stops the process. Output that nobody
    // reads ends it, too, and does not call the handler once more.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        if state::current().is_none() {
            output::flush();
        }
        libc::raise(signal);
    }
    true
}

/// Passes a signal on to the handler that the interrupted rank has for it. False when it has none, or its stack is at
/// its end.
///
/// # Safety
/// Must be called by a signal handler with what the kernel gave it, on the hosting thread.
unsafe fn forward(
    record: &'static Record,
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
    overflow: bool,
) -> bool {
    if !record.own.signals.has_handler(signal) {
        return false;
    }
    let action = record.own.signals.action(signal);
    let own_stack = record.own.signals.stack.get().filter(|_| action.flags & libc::SA_ONSTACK != 0);
    if overflow && own_stack.is_none() {
        return false;
    }
    let handler = if signal == libc::SIGABRT { handle_abort as *const () as usize } else { action.handler };
    // SAFETY: the kernel's arguments, as the caller says; the handler is the program's, or ours with the same
    // arguments.
    if !unsafe { redirect(context, info, signal, handler, own_stack, action.mask_meanwhile(signal, 0)) } {
        return false;
    }
    record.own.signals.own_mask();
    if signal != libc::SIGABRT {
        record.own.signals.note_handler(signal);
    }
    true
}

/// SIGABRT from libc's `abort`, which ends the process when the handler comes back: the rank ends before that.
extern "C" fn handle_abort(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(record) = state::current() else { return };
    let action = record.own.signals.action(signal);
    record.own.signals.note_handler(signal);
    // SAFETY: the program's function for this signal, with what the kernel gives handlers.
    unsafe {
        transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(action.handler)(
            signal, info, context,
        )
    };
    end_by_signal(record, signal)
}

/// Makes the interrupted rank call a function of ours on its own stack.
///
/// # Safety
/// As for [`forward`].
pub unsafe fn call(
    context: *mut c_void,
    info: *mut libc::siginfo_t,
    signal: c_int,
    function: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
) {
    // SAFETY: the kernel's arguments, as the caller says, in a handler that returns afterwards.
    unsafe { redirect(context, info, signal, function as *const () as usize, None, 0) };
}

/// Whether a signal interrupted the program's own code, or a system call: nothing of ours or of libc is half done
/// there.
pub fn is_in_program(context: *mut c_void) -> bool {
    let at = interrupted_at(context);
    unwind::find(at).is_some_and(|found| found.in_image) || is_system_call(at)
}

/// A signal that no rank sent: it is for all ranks that have a handler. `current` is the rank that was interrupted
/// where its handler may run at once, and gets it at once. False when no rank has one, or ignores it.
///
/// # Safety
/// As for [`forward`].
unsafe fn from_outside(
    current: Option<&'static Record>,
    signal: c_int,
    info: *mut libc::siginfo_t,
    context: *mut c_void,
) -> bool {
    let Some(host) = state::host() else { return false };
    let mut any = false;
    for record in host.records.iter() {
        any |= record.own.signals.ignores(signal);
        if !record.own.signals.has_handler(signal) {
            continue;
        }
        any = true;
        let is_interrupted = current.is_some_and(|current| current.rank == record.rank);
        // SAFETY: the kernel's arguments, as the caller says.
        if !(is_interrupted && unsafe { forward(record, signal, info, context, false) }) {
            record.own.signals.post(signal);
        }
    }
    any
}

/// Where a handler begins: rax is the handler, its arguments are in place, and the stack pointer is at the record that
/// `rt_sigreturn` reads.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn begin() {
    std::arch::naked_asm!("call rax", "mov eax, {sigreturn}", "syscall", "ud2", sigreturn = const libc::SYS_rt_sigreturn)
}

/// Makes the interrupted code go on in `handler`, on its own stack or on `stack`, with `blocked` signals blocked in
/// addition.
///
/// # Safety
/// `context` and `info` must be those of a signal handler that returns afterwards; the interrupted code's stack must
/// have room.
#[cfg(target_arch = "x86_64")]
unsafe fn redirect(
    context: *mut c_void,
    info: *mut libc::siginfo_t,
    signal: c_int,
    handler: usize,
    stack: Option<(usize, usize)>,
    blocked: u64,
) -> bool {
    /// The kernel's part of a `ucontext_t`: up to the mask of 64 signals.
    const RECORD: usize = 304;
    const MASK_AT: usize = 296;
    const RED_ZONE: usize = 128;
    const DIRECTION_FLAG: i64 = 0x400;
    // SAFETY: the kernel's arguments, as the caller says; the floating-point state says itself how long it is. The
    // stack has room, or its guard is met.
    unsafe {
        let interrupted = &mut *context.cast::<libc::ucontext_t>();
        let registers = &mut interrupted.uc_mcontext.gregs;
        let sp = registers[libc::REG_RSP as usize] as usize;
        let top = match stack {
            Some((start, len)) if !(start..start + len).contains(&sp) => start + len,
            _ => sp - RED_ZONE,
        };
        let float = interrupted.uc_mcontext.fpregs.cast::<u8>();
        let float_len = if float.is_null() { 0 } else { float_state_len(float) };
        let float_copy = (top - float_len) & !63;
        let info_copy = float_copy - size_of::<libc::siginfo_t>();
        let record = (info_copy - size_of::<libc::ucontext_t>()) & !15;
        let place = |at: usize| ptr::with_exposed_provenance_mut::<u8>(at);
        ptr::copy_nonoverlapping(float, place(float_copy), float_len);
        ptr::copy_nonoverlapping(info, place(info_copy).cast(), 1);
        ptr::write_bytes(place(record), 0, size_of::<libc::ucontext_t>());
        ptr::copy_nonoverlapping(context.cast::<u8>(), place(record), RECORD);
        let kept = place(record).cast::<libc::ucontext_t>();
        (*kept).uc_mcontext.fpregs = if float.is_null() { ptr::null_mut() } else { place(float_copy).cast() };
        registers[libc::REG_RIP as usize] = begin as *const () as i64;
        registers[libc::REG_RSP as usize] = record as i64;
        registers[libc::REG_RAX as usize] = handler as i64;
        registers[libc::REG_RDI as usize] = i64::from(signal);
        registers[libc::REG_RSI as usize] = info_copy as i64;
        registers[libc::REG_RDX as usize] = record as i64;
        registers[libc::REG_EFL as usize] &= !DIRECTION_FLAG;
        let mask = context.cast::<u8>().add(MASK_AT).cast::<u64>();
        mask.write(mask.read() | blockable(blocked));
    }
    true
}

/// Length of the floating-point state in a signal's record.
///
/// # Safety
/// `state` must point to one.
#[cfg(target_arch = "x86_64")]
unsafe fn float_state_len(state: *const u8) -> usize {
    const LEGACY: usize = 512;
    const MAGIC: u32 = 0x4650_5853;
    const MAGIC_AT: usize = 464;
    // SAFETY: the caller has found the state in a signal's record; the magic number says that the length is there.
    unsafe {
        if state.add(MAGIC_AT).cast::<u32>().read() != MAGIC {
            return LEGACY;
        }
        state.add(MAGIC_AT + 4).cast::<u32>().read() as usize
    }
}

/// Other processors: the handler runs at once, on our stack, and should not call MPI.
///
/// # Safety
/// `context` and `info` must be those of a signal handler.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn redirect(
    context: *mut c_void,
    info: *mut libc::siginfo_t,
    signal: c_int,
    handler: usize,
    _stack: Option<(usize, usize)>,
    _blocked: u64,
) -> bool {
    // SAFETY: a function for signals, which gets the kernel's arguments.
    unsafe {
        transmute::<usize, extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void)>(handler)(signal, info, context)
    };
    true
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn the_floating_point_state_says_how_long_it_is() {
        let mut state = [0_u32; 128];
        let len = |state: &[u32; 128]| {
            // SAFETY: 512 bytes, as the old form has.
            unsafe { float_state_len(state.as_ptr().cast()) }
        };
        assert_eq!(len(&state), 512);
        // The place and the value that the kernel's header names (FP_XSTATE_MAGIC1).
        (state[464 / 4], state[468 / 4]) = (0x4650_5853, 2696);
        assert_eq!(len(&state), 2696);
    }
}

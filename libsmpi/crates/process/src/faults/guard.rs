//! An attempt to read a stack that may be damaged: an invalid access in it ends the attempt, and not the process.
//!
//! The handler of crashes looks where in its program a rank was. The stack that it walks then may be what the crash is
//! about: overwritten return addresses lead to memory that nobody has. A second signal in the attempt goes on behind it
//! ([`recover`]).

use super::interrupted;
use smpi_ranks::thread_pointer::thread_pointer;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A crash is being looked into, so that stacks may be damaged.
static IS_ARMED: AtomicBool = AtomicBool::new(false);

/// The thread that makes an attempt; 0 for none.
static THREAD: AtomicUsize = AtomicUsize::new(0);
/// Its stack pointer and the instruction behind the attempt.
static BEHIND: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// From now on, or no longer, stacks may be damaged.
pub fn arm(is_armed: bool) {
    IS_ARMED.store(is_armed, Ordering::Relaxed);
}

/// Calls, and comes back whatever happens if stacks may be damaged. What `call` has made is not dropped then, so it
/// must hold nothing that matters.
pub fn attempt(call: &mut dyn FnMut()) {
    // One within another is ended with it.
    if !IS_ARMED.load(Ordering::Relaxed) || THREAD.load(Ordering::Relaxed) != 0 {
        return call();
    }
    THREAD.store(thread_pointer(), Ordering::Relaxed);
    protect(call);
    THREAD.store(0, Ordering::Relaxed);
}

/// In the handler of signals: whether the signal ends an attempt, which is over when the handler returns.
///
/// # Safety
/// `context` must be that of a signal handler, of a signal that means a crash.
pub unsafe fn recover(context: *mut c_void) -> bool {
    if THREAD.load(Ordering::Relaxed) != thread_pointer() {
        return false;
    }
    let [stack, code] = &BEHIND;
    // SAFETY: the handler's context. The frame of `smpi_attempt`, to which the stack pointer leads, is there as long as
    // an attempt goes on.
    unsafe { interrupted::go_on_at(context, code.load(Ordering::Relaxed), stack.load(Ordering::Relaxed)) }
}

#[cfg(target_arch = "x86_64")]
fn protect(call: &mut dyn FnMut()) {
    unsafe extern "C" {
        fn smpi_attempt(call: extern "C" fn(*mut c_void), argument: *mut c_void, behind: *const AtomicUsize);
    }
    extern "C" fn run(call: *mut c_void) {
        // SAFETY: what `protect` passes, which lives there.
        unsafe { (*call.cast::<&mut dyn FnMut()>())() }
    }
    let mut call = call;
    // SAFETY: `run` gets its argument while it lasts. What the function below keeps is as long as the callee wants.
    unsafe { smpi_attempt(run, std::ptr::from_mut(&mut call).cast(), BEHIND.as_ptr()) }
}

/// Other processors end with the second signal.
#[cfg(not(target_arch = "x86_64"))]
fn protect(call: &mut dyn FnMut()) {
    call();
}

// Keeps the registers that a callee must keep (System V psABI for x86-64 §3.2.1) and where to go on, then calls. The
// unwinder passes it by the table that the directives make.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.smpi_attempt,\"ax\",@progbits",
    ".hidden smpi_attempt",
    ".globl smpi_attempt",
    ".type smpi_attempt,@function",
    "smpi_attempt:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    ".cfi_offset rbx, -24",
    "push r12",
    ".cfi_offset r12, -32",
    "push r13",
    ".cfi_offset r13, -40",
    "push r14",
    ".cfi_offset r14, -48",
    "push r15",
    ".cfi_offset r15, -56",
    "sub rsp, 8",
    "mov [rdx], rsp",
    "lea rax, [rip + 2f]",
    "mov [rdx + 8], rax",
    "mov rax, rdi",
    "mov rdi, rsi",
    "call rax",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".size smpi_attempt, . - smpi_attempt",
    ".popsection",
);

//! What the kernel tells a signal handler about the code that it interrupted, and what a handler may change there.

use std::ffi::c_void;
use std::ptr;

/// Address of the instruction that a signal interrupted.
pub fn interrupted_at(context: *mut c_void) -> usize {
    // SAFETY: handlers of signals call this with what the kernel gave them: the context of this architecture.
    let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    return registers.gregs[libc::REG_RIP as usize] as usize;
    #[cfg(target_arch = "aarch64")]
    return registers.pc as usize;
}

/// Has the interrupted code go on at another instruction, with another stack. False where that is not known how.
///
/// # Safety
/// `context` must be that of a signal handler, and the code there must be able to go on with that stack.
pub unsafe fn go_on_at(context: *mut c_void, code: usize, stack: usize) -> bool {
    // SAFETY: the caller's context, of this architecture.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext };
    #[cfg(target_arch = "x86_64")]
    {
        registers.gregs[libc::REG_RIP as usize] = code as i64;
        registers.gregs[libc::REG_RSP as usize] = stack as i64;
        true
    }
    #[cfg(target_arch = "aarch64")]
    {
        let _ = (registers, code, stack);
        false
    }
}

/// Where the program has called what is no code, the unwinder finds nothing: makes the context that of its return,
/// which leads to the call. Nothing where the top of the stack does not lead to code.
///
/// # Safety
/// `context` must be that of a signal handler; the stack pointer that was interrupted may be anything, so it is read in
/// an attempt.
#[cfg(target_arch = "x86_64")]
pub unsafe fn return_from_nowhere(context: *mut c_void, is_code: fn(usize) -> bool) {
    if is_code(interrupted_at(context)) {
        return;
    }
    // SAFETY: the caller's context.
    let stack = unsafe { (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs[libc::REG_RSP as usize] } as usize;
    // SAFETY: read in an attempt, as the caller says.
    let back = unsafe { ptr::with_exposed_provenance::<usize>(stack).read() };
    if is_code(back) {
        // SAFETY: nobody goes on there: this is for the walk of the stack.
        unsafe { go_on_at(context, back - 1, stack + 8) };
    }
}

/// Other processors keep the place of a call in a register, where it may not be any more.
///
/// # Safety
/// None.
#[cfg(not(target_arch = "x86_64"))]
pub unsafe fn return_from_nowhere(_context: *mut c_void, _is_code: fn(usize) -> bool) {}

/// Whether a signal that came at this instruction interrupted a system call: it shows the instruction after, or, when
/// the call is to be repeated, the one that makes it.
pub fn is_system_call(at: usize) -> bool {
    #[cfg(target_arch = "x86_64")]
    const INSTRUCTION: [u8; 2] = [0x0f, 0x05];
    #[cfg(target_arch = "aarch64")]
    const INSTRUCTION: [u8; 4] = 0xd400_0001_u32.to_le_bytes();
    let len = INSTRUCTION.len();
    // SAFETY: code that was running, and the bytes before it, which belong to the same function or the one before.
    let bytes = unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(at - len), 2 * len) };
    bytes[..len] == INSTRUCTION || bytes[len..] == INSTRUCTION
}

/// Changes the protection-key register of the interrupted code. The kernel saves it in the extended part of the
/// floating-point state (Intel SDM volume 1 §13.2: component 9; Linux arch/x86/include/uapi/asm/sigcontext.h).
///
/// # Safety
/// `context` must be that of a signal handler.
#[cfg(target_arch = "x86_64")]
pub unsafe fn set_interrupted_keys(context: *mut c_void, value: u32) -> bool {
    const MAGIC: u32 = 0x4650_5853;
    const MAGIC_AT: usize = 464;
    const SIZE_AT: usize = MAGIC_AT + 16;
    const HEADER_AT: usize = 512;
    const COMPONENT: u32 = 9;
    // SAFETY: the caller's context has a floating-point state, or null; the magic number says that the extended part is
    // there, and how long it is.
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
pub unsafe fn set_interrupted_keys(_context: *mut c_void, _value: u32) -> bool {
    false
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn a_system_call_is_the_instruction_before_or_the_one_to_be_repeated() {
        // nop, nop, syscall, nop, nop
        let code = [0x90_u8, 0x90, 0x0f, 0x05, 0x90, 0x90];
        let at = |offset: usize| code.as_ptr().expose_provenance() + offset;
        assert!(is_system_call(at(2)) && is_system_call(at(4)));
        assert!(!is_system_call(at(3)));
    }
}

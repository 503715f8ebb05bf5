//! x86-64: relocation types, thread pointer, TLS descriptors and the jump to a program's entry point.
//!
//! Source: System V psABI for x86-64 1.0, table 4.9 (relocation types), chapter 3.4.1 (initial stack and registers);
//! Oliva & Araujo, *Speeding Up Thread-Local Storage Access in Dynamic Libraries* (TLS descriptors).

use object::elf;

/// `e_machine` of the executables that run here.
pub(crate) const MACHINE: u16 = elf::EM_X86_64;

/// Type of the relocation whose action is [`Action::TlsOffset`].
pub(crate) const THREAD_OFFSET: u32 = elf::R_X86_64_TPOFF64;

/// What a relocation does, independent of the architecture. `S` is the symbol's address, `A` the addend, `B` the bias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Nothing.
    Nothing,
    /// word = B + A
    Relative,
    /// word = S + A
    Absolute,
    /// word = S, the addend is meaningless
    Slot,
    /// bytes at the word = bytes at the library's symbol
    Copy,
    /// word = result of the function at B + A
    IndirectRelative,
    /// word = number of the TLS module of S
    TlsModule,
    /// word = S + A relative to its TLS module
    TlsModuleOffset,
    /// word = S + A relative to the thread pointer
    TlsOffset,
    /// two words: a function, and its argument
    TlsDescriptor,
}

/// Translates a relocation type; `None` when it is not supported.
pub(crate) fn action(kind: u32) -> Option<Action> {
    Some(match kind {
        elf::R_X86_64_NONE => Action::Nothing,
        elf::R_X86_64_RELATIVE | elf::R_X86_64_RELATIVE64 => Action::Relative,
        elf::R_X86_64_64 => Action::Absolute,
        elf::R_X86_64_GLOB_DAT | elf::R_X86_64_JUMP_SLOT => Action::Slot,
        elf::R_X86_64_COPY => Action::Copy,
        elf::R_X86_64_IRELATIVE => Action::IndirectRelative,
        elf::R_X86_64_DTPMOD64 => Action::TlsModule,
        elf::R_X86_64_DTPOFF64 => Action::TlsModuleOffset,
        elf::R_X86_64_TPOFF64 => Action::TlsOffset,
        elf::R_X86_64_TLSDESC => Action::TlsDescriptor,
        _ => return None,
    })
}

/// The calling thread's thread pointer.
pub(crate) fn thread_pointer() -> usize {
    let pointer: usize;
    // SAFETY: the ABI keeps the thread pointer's own address in the word it points to (psABI 3.4.6), for every thread.
    unsafe { std::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, readonly, preserves_flags)) };
    pointer
}

/// Function of a TLS descriptor whose argument is an offset from the thread pointer: returns that argument.
///
/// Its calling convention is its own: `rax` points to the descriptor, `rax` returns the offset, nothing else changes.
#[unsafe(naked)]
pub(crate) extern "C" fn return_tls_offset() {
    std::arch::naked_asm!("endbr64", "mov rax, [rax + 8]", "ret")
}

/// Starts a program: sets the stack pointer to `stack` and jumps to `entry`, as the kernel does after `execve`.
///
/// At `stack` lie `argc`, the argument pointers and a null, the environment pointers and a null, and the auxiliary
/// vector's end (two null words).
///
/// # Safety
/// `entry` is [`crate::Image::entry`] of a mapped image; `stack` is 16-byte aligned, holds the words above, and all
/// memory below it down to the end of the current stack is free to overwrite, with no Rust frame in between that would
/// be returned to. The program's `__libc_start_main` must never return.
#[unsafe(naked)]
pub unsafe extern "C" fn enter(entry: usize, stack: *const usize) -> ! {
    // rdx = 0: no function to register with atexit. rbp = 0 ends the chain of frames for debuggers.
    std::arch::naked_asm!("mov rsp, rsi", "xor edx, edx", "xor ebp, ebp", "jmp rdi")
}

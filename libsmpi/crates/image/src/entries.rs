//! Functions that note where they were called from: what a caller that waits in one will go on with.
//!
//! A rank that waits in a function of the library has the library's frames on its stack. What the *program* goes on
//! with is what it had at the call: the registers that functions preserve, those with arguments, and the stack above.
//! The image binds such functions to a few instructions that note these registers in one place, and let a common piece
//! of code call the function:
//!
//! ```text
//! mov r11, NOTED        r10 and r11 are nobody's between a call and a function (System V psABI for x86-64, figure 3.4)
//! mov [r11], rsp        and so on, for each register
//! mov r11, function
//! mov r10, smpi_call_and_clear      the one for as many arguments on the stack
//! jmp r10
//! ```
//!
//! The function's frames lie where the program's next ones will. What they left there would become part of those, as
//! values that nobody has set, and tell how the state was reached. So it is cleared when the function has returned, for
//! as long as states are told apart by their names ([`clear_behind_calls`]): it takes longer than most calls.
//!
//! In a simulation nobody has to know all that. There, functions that send and receive only note where the program goes
//! on ([`noting_caller`]), which costs one load and one store: so reports can name the line.
//!
//! Whoever suspends the rank takes what was [noted](last) with it, and puts it back ([`set_last`]) when the rank goes
//! on. One thread runs ranks, so there is one place.

use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many registers are noted.
const REGISTERS: usize = WITHOUT_ARGUMENTS + MOST_ARGUMENTS;
/// Of these, the stack pointer and those that functions preserve.
const WITHOUT_ARGUMENTS: usize = 7;
/// How many registers have arguments; further ones are on the stack.
pub const MOST_ARGUMENTS: usize = 6;

/// Registers at a call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[repr(C)]
pub struct Entry {
    /// The stack pointer first: 0 where no call is noted.
    registers: [u64; REGISTERS],
}

impl Entry {
    /// Where the stack of the caller ends: there is the address at which it goes on, its frames are above. `None`: no
    /// call is noted.
    pub fn stack(&self) -> Option<usize> {
        Some(self.registers[0] as usize).filter(|&stack| stack != 0)
    }

    /// The argument at this place, from 0, of those that are in registers; what is there if there are fewer.
    pub fn argument(&self, place: usize) -> Option<usize> {
        self.registers[WITHOUT_ARGUMENTS..].get(place).map(|&argument| argument as usize)
    }
}

struct Noted(UnsafeCell<Entry>);

// SAFETY: only the thread that hosts ranks calls functions that use it, and the instructions that ranks on it execute.
unsafe impl Sync for Noted {}

/// The last call.
static NOTED: Noted = Noted(UnsafeCell::new(Entry { registers: [0; REGISTERS] }));

/// How much of the stack behind a call is cleared, in bytes: what the library's frames take, and more.
pub const CLEARED: usize = 16 << 10;

/// The stack of the rank that runs. Nothing is cleared elsewhere: a program may have stacks of its own in its heap, and
/// nobody knows where they end.
static LOWEST: AtomicUsize = AtomicUsize::new(0);
static HIGHEST: AtomicUsize = AtomicUsize::new(0);

/// The stack is cleared behind calls.
static CLEARS: AtomicBool = AtomicBool::new(false);

/// Says whether the stack is cleared behind calls from now on. While no rank runs.
pub fn clear_behind_calls(clears: bool) {
    CLEARS.store(clears, Ordering::Relaxed);
    set_stack(0..0);
}

/// Whether the stack is cleared behind calls.
#[inline]
pub fn clears() -> bool {
    CLEARS.load(Ordering::Relaxed) && is_in_use()
}

/// Says where the stack of the rank lies that runs from now on, where it is to be cleared: from and to a multiple of 8.
#[inline]
pub fn set_stack(stack: std::ops::Range<usize>) {
    LOWEST.store(stack.start, Ordering::Relaxed);
    HIGHEST.store(stack.end, Ordering::Relaxed);
}

/// Some function notes its calls.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// No call is noted any more, and none will be: somebody comes between callers and functions.
static GIVEN_UP: AtomicBool = AtomicBool::new(false);

/// Ends all noting: what is known of calls would not be all that callers go on with.
pub fn give_up() {
    GIVEN_UP.store(true, Ordering::Relaxed);
    IN_USE.store(false, Ordering::Relaxed);
}

/// Whether calls are noted.
#[inline]
pub fn is_in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// What was noted last, if anything is ever noted. On the hosting thread only.
#[inline]
pub fn last() -> Option<Entry> {
    // SAFETY: the hosting thread reads, and runs no rank meanwhile.
    is_in_use().then(|| unsafe { *NOTED.0.get() })
}

/// Puts back what was noted. On the hosting thread only.
#[inline]
pub fn set_last(entry: Entry) {
    if is_in_use() {
        // SAFETY: the hosting thread writes, and runs no rank meanwhile.
        unsafe { *NOTED.0.get() = entry };
    }
}

/// Nothing is known of the call that the rank is in. On the hosting thread only.
pub fn forget() {
    set_last(Entry::default());
}

/// Room for the instructions of all functions.
const ROOM: usize = 1 << 18;

/// The instructions: where they begin, and how many bytes there are.
static CODE: Mutex<(usize, usize)> = Mutex::new((0, 0));

/// Address of instructions that note the call and go on to the function of a library at `target`. `None` where that
/// cannot be: on other processors, without memory. The function has so many `arguments`, each of a word;
/// what further registers hold is left over from other calls.
pub fn noting(target: usize, arguments: usize) -> Option<usize> {
    let code = instructions((&raw const NOTED).addr() as u64, target as u64, arguments)?;
    let at = put_code(&code)?;
    IN_USE.store(!GIVEN_UP.load(Ordering::Relaxed), Ordering::Relaxed);
    Some(at)
}

/// Where a program goes on behind the call that it has made last of a function that notes this much.
static CALLER: AtomicUsize = AtomicUsize::new(0);

/// Address of instructions that note where the caller goes on, and go on to the function of a library at `target`.
/// `None` where that cannot be, as for [`noting`].
pub fn noting_caller(target: usize) -> Option<usize> {
    put_code(&short_instructions((&raw const CALLER).addr() as u64, target as u64)?)
}

/// Where the program goes on behind the call that it has just made; 0 where that was not noted. It is told once. On the
/// hosting thread only.
#[inline]
pub fn take_caller() -> usize {
    let caller = CALLER.load(Ordering::Relaxed);
    CALLER.store(0, Ordering::Relaxed);
    caller
}

/// Puts back what was [taken](take_caller), when the rank goes on that has made the call.
#[inline]
pub fn set_caller(caller: usize) {
    CALLER.store(caller, Ordering::Relaxed);
}

/// Puts instructions where they can be executed. While no rank runs.
fn put_code(code: &[u8]) -> Option<usize> {
    let mut room = CODE.lock().ok()?;
    if room.0 == 0 {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_EXEC, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping anywhere.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), ROOM, protection, flags, -1, 0) };
        if memory == libc::MAP_FAILED {
            return None;
        }
        room.0 = memory.expose_provenance();
    }
    let at = room.0 + room.1;
    if room.1 + code.len() > ROOM {
        return None;
    }
    // SAFETY: the mapping is ours; images are bound before ranks run, so nobody executes from it now.
    unsafe {
        let whole = std::ptr::with_exposed_provenance_mut(room.0);
        if libc::mprotect(whole, ROOM, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return None;
        }
        std::ptr::copy_nonoverlapping(code.as_ptr(), std::ptr::with_exposed_provenance_mut(at), code.len());
        if libc::mprotect(whole, ROOM, libc::PROT_READ | libc::PROT_EXEC) != 0 {
            return None;
        }
    }
    room.1 += code.len().next_multiple_of(16);
    Some(at)
}

// Each calls the function at r11 with the arguments of its own caller: those in registers stay, and of the stack so
// many words are copied, an even number. (Beyond them there may be nothing: a stack of the program's own ends
// somewhere.) Then it clears the stack in which the function had its frames, if that is the rank's own. At the call the
// caller's frame is told from the stack pointer: who walks the stack by arithmetic (`smpi_process`, `returns.rs`) knows
// no other register.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.smpi_call_and_clear, \"ax\", @progbits",
    ".hidden smpi_call_and_clear",
    ".globl smpi_call_and_clear",
    ".type smpi_call_and_clear, @function",
    ".balign {apart}",
    "smpi_call_and_clear:",
    ".irp words, 0, 2, 4, 6, 8, 10, 12, 14, 16",
    ".balign {apart}",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    ".if \\words",
    "mov r10d, \\words",
    "2: push qword ptr [rbp + 8 * r10 + 8]",
    "dec r10d",
    "jnz 2b",
    ".endif",
    ".cfi_def_cfa rsp, 16 + 8 * \\words",
    "call r11",
    "mov rsp, rbp",
    ".cfi_def_cfa rsp, 16",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "cmp rsp, [rip + {highest}]",
    "ja 4f",
    "mov rcx, [rip + {lowest}]",
    "cmp rsp, rcx",
    "jb 4f",
    "mov r11, rax",
    "lea rdi, [rsp - {cleared}]",
    "cmp rdi, rcx",
    "cmovb rdi, rcx",
    "mov rcx, rsp",
    "sub rcx, rdi",
    "shr rcx, 3",
    "xor eax, eax",
    "rep stosq",
    "mov rax, r11",
    "4: ret",
    ".cfi_endproc",
    ".endr",
    ".size smpi_call_and_clear, . - smpi_call_and_clear",
    ".popsection",
    lowest = sym LOWEST,
    highest = sym HIGHEST,
    cleared = const CLEARED,
    apart = const APART,
);

/// Bytes from one of them to the next, which copies two words more.
const APART: usize = 128;
/// Words on the stack that functions of MPI have as arguments at most, with all six registers before them.
const MOST_WORDS: usize = 16;

#[cfg(target_arch = "x86_64")]
fn instructions(noted: u64, target: u64, arguments: usize) -> Option<Vec<u8>> {
    unsafe extern "C" {
        fn smpi_call_and_clear();
    }
    /// The numbers of the registers: rsp; rbx, rbp, r12 to r15, which functions preserve; rdi, rsi, rdx, rcx, r8, r9,
    /// which have arguments.
    const NUMBERS: [u8; REGISTERS] = [4, 3, 5, 12, 13, 14, 15, 7, 6, 2, 1, 8, 9];
    let to_r11 = |value: u64| [0x49, 0xbb].into_iter().chain(value.to_le_bytes());
    let mut code: Vec<u8> = to_r11(noted).collect();
    for (place, number) in (0..).zip(NUMBERS) {
        if usize::from(place) < WITHOUT_ARGUMENTS + arguments.min(MOST_ARGUMENTS) {
            // mov [r11 + 8 * place], register
            code.extend([0x49 | (number >> 3) << 2, 0x89, 0x43 | (number & 7) << 3, 8 * place]);
        } else {
            // mov qword [r11 + 8 * place], 0
            code.extend([0x49, 0xc7, 0x43, 8 * place, 0, 0, 0, 0]);
        }
    }
    code.extend(to_r11(target));
    let words = arguments.saturating_sub(MOST_ARGUMENTS).min(MOST_WORDS).next_multiple_of(2);
    let call_and_clear = (smpi_call_and_clear as *const () as usize + words / 2 * APART) as u64;
    // mov r10, …; jmp r10
    code.extend([0x49, 0xba].into_iter().chain(call_and_clear.to_le_bytes()));
    code.extend([0x41, 0xff, 0xe2]);
    Some(code)
}

/// As [`noting_caller`] says.
#[cfg(target_arch = "x86_64")]
fn short_instructions(noted: u64, target: u64) -> Option<Vec<u8>> {
    let to_r11 = |value: u64| [0x49, 0xbb].into_iter().chain(value.to_le_bytes());
    let mut code: Vec<u8> = to_r11(noted).collect();
    // mov r10, [rsp]; mov [r11], r10
    code.extend([0x4c, 0x8b, 0x14, 0x24, 0x4d, 0x89, 0x13]);
    code.extend(to_r11(target));
    // jmp r11
    code.extend([0x41, 0xff, 0xe3]);
    Some(code)
}

#[cfg(not(target_arch = "x86_64"))]
fn short_instructions(_noted: u64, _target: u64) -> Option<Vec<u8>> {
    None
}

#[cfg(not(target_arch = "x86_64"))]
fn instructions(_noted: u64, _target: u64, _arguments: usize) -> Option<Vec<u8>> {
    None
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use std::ffi::{CStr, c_char, c_int};

    use super::*;

    #[test]
    fn a_function_gets_its_arguments_and_the_call_is_noted() {
        type Print = unsafe extern "C" fn(*mut c_char, usize, *const c_char, ...) -> c_int;
        let address = noting(libc::snprintf as *const () as usize, 9).unwrap();
        // SAFETY: the instructions go on to a function of this type.
        let print: Print = unsafe { std::mem::transmute(address) };
        let mut text = [0_u8; 64];
        let format = c"%d %d %d %d %d %.1f";
        // SAFETY: room for the text, and arguments as the format says.
        unsafe { print(text.as_mut_ptr().cast(), text.len(), format.as_ptr(), 4, 5, 6, 7, 8, 9.5) };
        assert_eq!(CStr::from_bytes_until_nul(&text).unwrap(), c"4 5 6 7 8 9.5");
        let entry = last().unwrap();
        let (stack, here) = (entry.stack().unwrap(), text.as_ptr().addr());
        assert!(stack < here && here - stack < 4096);
        assert_eq!(entry.registers[7..], [here as u64, 64, format.as_ptr().addr() as u64, 4, 5, 6]);
        // Without any on the stack.
        let address = noting(libc::snprintf as *const () as usize, 5).unwrap();
        // SAFETY: as above.
        let print: Print = unsafe { std::mem::transmute(address) };
        // SAFETY: as above.
        unsafe { print(text.as_mut_ptr().cast(), text.len(), c"%d %d".as_ptr(), 6, 7) };
        assert_eq!(CStr::from_bytes_until_nul(&text).unwrap(), c"6 7");
        assert_eq!(last().unwrap().registers[10..], [6, 7, 0]);
        forget();
        assert_eq!(last().unwrap().stack(), None);
        set_last(entry);
        assert_eq!(last(), Some(entry));
        // Only where the caller goes on: once.
        let address = noting_caller(libc::snprintf as *const () as usize).unwrap();
        // SAFETY: as above.
        let print: Print = unsafe { std::mem::transmute(address) };
        // SAFETY: as above.
        unsafe { print(text.as_mut_ptr().cast(), text.len(), c"%d %.1f".as_ptr(), 8, 9.5) };
        assert_eq!(CStr::from_bytes_until_nul(&text).unwrap(), c"8 9.5");
        let (own, caller) = (a_function_gets_its_arguments_and_the_call_is_noted as *const () as usize, take_caller());
        assert!(caller > own && caller - own < 1 << 16);
        assert_eq!(take_caller(), 0);
        set_caller(caller);
        assert_eq!(take_caller(), caller);
        // Another function has instructions of its own.
        assert_ne!(noting(libc::sprintf as *const () as usize, 6), Some(address));
    }
}

//! Wide characters on the standard streams. The shared streams know bytes only, so what ranks write to them as wide
//! characters becomes bytes here, in the rank's locale, and what they read becomes wide characters. A stream is wide
//! for the rank that used it so. Source: C11 §7.29.2 and §7.29.3.
//!
//! libstdc++'s `std::wcout` and `std::wcin` call some of these, so the library above exports those in libc's place.

use super::paths::{behind, real};
use crate::contract::{Table, set_errno};
use crate::record::Record;
use crate::state;
use crate::streams::{routes, stdio};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicPtr;

type Wide = libc::wchar_t;
type File = *mut libc::FILE;
/// `wint_t`; the end is −1.
type Read = u32;
/// What `va_list` is as a parameter.
type List = *mut c_void;

const END: Read = Read::MAX;

/// The functions on wide streams.
pub const REPLACED: Table = &[
    ("fputwc", fputwc as *const ()),
    ("fputwc_unlocked", fputwc as *const ()),
    ("putwc", fputwc as *const ()),
    ("putwc_unlocked", fputwc as *const ()),
    ("putwchar", putwchar as *const ()),
    ("putwchar_unlocked", putwchar as *const ()),
    ("fputws", fputws as *const ()),
    ("fputws_unlocked", fputws as *const ()),
    ("vfwprintf", vfwprintf as *const ()),
    ("vwprintf", vwprintf as *const ()),
    ("fgetwc", fgetwc as *const ()),
    ("fgetwc_unlocked", fgetwc as *const ()),
    ("getwc", fgetwc as *const ()),
    ("getwc_unlocked", fgetwc as *const ()),
    ("getwchar", getwchar as *const ()),
    ("getwchar_unlocked", getwchar as *const ()),
    ("fgetws", fgetws as *const ()),
    ("fgetws_unlocked", fgetws as *const ()),
    ("ungetwc", ungetwc as *const ()),
    ("fwide", fwide as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("wprintf", gates::wprintf as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("fwprintf", gates::fwprintf as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("__wprintf_chk", gates::wprintf_chk as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("__fwprintf_chk", gates::fwprintf_chk as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("dprintf", gates::dprintf as *const ()),
    #[cfg(target_arch = "x86_64")]
    ("__dprintf_chk", gates::dprintf_chk as *const ()),
    ("vdprintf", vdprintf as *const ()),
];

mod libcs {
    use super::{File, List, Wide, c_char, c_int, c_void};
    unsafe extern "C" {
        pub fn fputws(text: *const Wide, file: File) -> c_int;
        pub fn vfwprintf(file: File, format: *const Wide, list: List) -> c_int;
        pub fn vswprintf(text: *mut Wide, len: usize, format: *const Wide, list: List) -> c_int;
        pub fn vdprintf(descriptor: c_int, format: *const c_char, list: List) -> c_int;
        pub fn vasprintf(text: *mut *mut c_char, format: *const c_char, list: List) -> c_int;
        pub fn fgetws(text: *mut Wide, len: c_int, file: File) -> *mut Wide;
        pub fn fwide(file: File, mode: c_int) -> c_int;
        pub fn wcrtomb(text: *mut c_char, wide: Wide, state: *mut c_void) -> usize;
        pub fn mbrtowc(wide: *mut Wide, text: *const c_char, len: usize, state: *mut c_void) -> usize;
        pub static stdout: File;
        pub static stdin: File;
    }
}

/// The rank that calls and the number of the stream, when that is one of the shared ones.
fn shared(file: File) -> Option<(&'static Record, c_int)> {
    let number = stdio::number_of(file)?;
    Some((state::current()?, number))
}

/// What the rank sees as its stream of this number; programs may put another in its place.
fn own(variable: smpi_image::PrivateVariable, process: File) -> File {
    // SAFETY: the image is mapped, and the variable is a pointer.
    state::current().map_or(process, |record| unsafe { record.image.private_variable(variable).cast::<File>().read() })
}

fn own_output() -> File {
    // SAFETY: reads a pointer of libc's, which nobody changes while ranks run.
    own(smpi_image::PrivateVariable::Stdout, unsafe { libcs::stdout })
}

fn own_input() -> File {
    // SAFETY: as in `own_output`.
    own(smpi_image::PrivateVariable::Stdin, unsafe { libcs::stdin })
}

/// Writes wide characters to a shared stream; false for one that the locale does not have, or where nobody writes.
fn write(record: &Record, number: c_int, text: &[Wide]) -> bool {
    /// `MB_LEN_MAX` of glibc.
    const LONGEST: usize = 16;
    record.own.wide.set(record.own.wide.get() | 1 << number);
    let mut bytes = Vec::with_capacity(text.len());
    let mut state = 0_u64;
    for &wide in text {
        let mut character = [0_u8; LONGEST];
        // SAFETY: room for any character, and a state of this function.
        let len = unsafe { libcs::wcrtomb(character.as_mut_ptr().cast(), wide, (&raw mut state).cast()) };
        if len > LONGEST {
            return false;
        }
        bytes.extend_from_slice(&character[..len]);
    }
    bytes.is_empty() || routes::write(record, number, &bytes) == bytes.len() as isize
}

/// `fputwc`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn fputwc(wide: Wide, file: File) -> Read {
    let real = real!(fputwc(Wide, File) -> Read);
    match shared(file) {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None => unsafe { real(wide, file) },
        Some((record, number)) => {
            if write(record, number, &[wide]) {
                wide as Read
            } else {
                END
            }
        }
    }
}

unsafe extern "C" fn putwchar(wide: Wide) -> Read {
    // SAFETY: the rank's stream.
    unsafe { fputwc(wide, own_output()) }
}

/// The characters of a string.
///
/// # Safety
/// By C's contract `text` ends with a zero.
unsafe fn characters<'a>(text: *const Wide) -> &'a [Wide] {
    // SAFETY: the caller's string.
    unsafe {
        let len = (0..).take_while(|&index| *text.add(index) != 0).count();
        std::slice::from_raw_parts(text, len)
    }
}

unsafe extern "C" fn fputws(text: *const Wide, file: File) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe {
        let Some((record, number)) = shared(file) else { return libcs::fputws(text, file) };
        if write(record, number, characters(text)) { 1 } else { -1 }
    }
}

/// A `va_list` of this architecture, which functions that take one use up.
#[derive(Clone, Copy)]
#[repr(C)]
struct Arguments([usize; LIST_WORDS]);

#[cfg(target_arch = "x86_64")]
const LIST_WORDS: usize = 3;
#[cfg(target_arch = "aarch64")]
const LIST_WORDS: usize = 4;

/// `vfwprintf`.
unsafe extern "C" fn vfwprintf(file: File, format: *const Wide, list: List) -> c_int {
    const MOST: usize = 1 << 26;
    // SAFETY: the arguments of the caller, whose contract is that of libc's function; each attempt has a copy of the
    // list.
    unsafe {
        let Some((record, number)) = shared(file) else { return libcs::vfwprintf(file, format, list) };
        let mut len = 1024;
        loop {
            let mut text: Vec<Wide> = vec![0; len];
            let mut arguments = list.cast::<Arguments>().read();
            let count = libcs::vswprintf(text.as_mut_ptr(), len, format, (&raw mut arguments).cast());
            if count >= 0 {
                return if write(record, number, &text[..count as usize]) { count } else { -1 };
            }
            // Room that does not do, or an error: libc tells no difference.
            len *= 4;
            if len > MOST {
                return -1;
            }
        }
    }
}

unsafe extern "C" fn vwprintf(format: *const Wide, list: List) -> c_int {
    // SAFETY: the arguments of the caller, and the rank's stream.
    unsafe { vfwprintf(own_output(), format, list) }
}

/// `vdprintf`, which inside libc would write to the process's stream.
unsafe extern "C" fn vdprintf(descriptor: c_int, format: *const c_char, list: List) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function; the text is freed.
    unsafe {
        let Some(record) = state::current().filter(|_| (0..3).contains(&descriptor)) else {
            return libcs::vdprintf(descriptor, format, list);
        };
        let mut text = ptr::null_mut();
        let count = libcs::vasprintf(&mut text, format, list);
        if count < 0 {
            return count;
        }
        let written = routes::write(record, descriptor, std::slice::from_raw_parts(text.cast(), count as usize));
        libc::free(text.cast());
        written as c_int
    }
}

/// `fgetwc`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn fgetwc(file: File) -> Read {
    const INCOMPLETE: usize = usize::MAX - 1;
    let real = real!(fgetwc(File) -> Read);
    let Some((record, number)) = shared(file) else {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { real(file) };
    };
    record.own.wide.set(record.own.wide.get() | 1 << number);
    if let Some(wide) = record.own.unread.take() {
        return wide;
    }
    let (mut wide, mut state): (Wide, u64) = (0, 0);
    loop {
        let mut byte = 0_u8;
        if routes::read(record, number, std::slice::from_mut(&mut byte)) != 1 {
            return END;
        }
        // SAFETY: a byte, a place for the character, and a state of this function.
        match unsafe { libcs::mbrtowc(&mut wide, (&raw const byte).cast(), 1, (&raw mut state).cast()) } {
            0 | 1 => return wide as Read,
            INCOMPLETE => {}
            _ => {
                set_errno(libc::EILSEQ);
                return END;
            }
        }
    }
}

unsafe extern "C" fn getwchar() -> Read {
    // SAFETY: the rank's stream.
    unsafe { fgetwc(own_input()) }
}

unsafe extern "C" fn fgetws(text: *mut Wide, len: c_int, file: File) -> *mut Wide {
    // SAFETY: by C's contract there is room for `len` characters.
    unsafe {
        if shared(file).is_none() {
            return libcs::fgetws(text, len, file);
        }
        let mut count = 0;
        while count + 1 < len as usize {
            let wide = fgetwc(file);
            if wide == END {
                break;
            }
            text.add(count).write(wide as Wide);
            count += 1;
            if wide == u32::from(b'\n') {
                break;
            }
        }
        if count == 0 {
            return ptr::null_mut();
        }
        text.add(count).write(0);
        text
    }
}

/// `ungetwc`.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn ungetwc(wide: Read, file: File) -> Read {
    let real = real!(ungetwc(Read, File) -> Read);
    match shared(file) {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None => unsafe { real(wide, file) },
        Some((record, _)) => {
            record.own.unread.set((wide != END).then_some(wide));
            wide
        }
    }
}

unsafe extern "C" fn fwide(file: File, mode: c_int) -> c_int {
    let Some((record, number)) = shared(file) else {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { libcs::fwide(file, mode) };
    };
    if mode > 0 {
        record.own.wide.set(record.own.wide.get() | 1 << number);
    }
    if record.own.wide.get() & 1 << number != 0 { 1 } else { mode.min(0) }
}

/// The functions with a variable list of arguments, which Rust cannot define: they make a `va_list` of what came in
/// registers and on the stack, and call the functions above.
#[cfg(target_arch = "x86_64")]
mod gates {
    use super::{File, List, Wide, c_char, c_int};

    /// A function that is called with a variable list after `$named` words, and passes these and the list on.
    ///
    /// The list: how far the words and the numbers in the save area are used up, where the rest lies on the stack, and
    /// the save area (System V psABI for x86-64 §3.5.7).
    macro_rules! gate {
        ($gate:ident, $named:literal, $list:literal, $handler:ident) => {
            #[unsafe(naked)]
            pub unsafe extern "C" fn $gate() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    "sub rsp, 216",
                    ".cfi_adjust_cfa_offset 216",
                    "mov [rsp + 32], rdi",
                    "mov [rsp + 40], rsi",
                    "mov [rsp + 48], rdx",
                    "mov [rsp + 56], rcx",
                    "mov [rsp + 64], r8",
                    "mov [rsp + 72], r9",
                    "test al, al",
                    "je 2f",
                    "movaps [rsp + 80], xmm0",
                    "movaps [rsp + 96], xmm1",
                    "movaps [rsp + 112], xmm2",
                    "movaps [rsp + 128], xmm3",
                    "movaps [rsp + 144], xmm4",
                    "movaps [rsp + 160], xmm5",
                    "movaps [rsp + 176], xmm6",
                    "movaps [rsp + 192], xmm7",
                    "2:",
                    concat!("mov dword ptr [rsp], 8 * ", $named),
                    "mov dword ptr [rsp + 4], 48",
                    "lea rax, [rsp + 224]",
                    "mov [rsp + 8], rax",
                    "lea rax, [rsp + 32]",
                    "mov [rsp + 16], rax",
                    concat!("mov ", $list, ", rsp"),
                    "call {handler}",
                    "add rsp, 216",
                    ".cfi_adjust_cfa_offset -216",
                    "ret",
                    ".cfi_endproc",
                    handler = sym $handler,
                )
            }
        };
    }

    unsafe extern "C" fn plain(format: *const Wide, list: List) -> c_int {
        // SAFETY: the arguments of the caller, and the rank's stream.
        unsafe { super::vfwprintf(super::own_output(), format, list) }
    }

    unsafe extern "C" fn checked(_: c_int, format: *const Wide, list: List) -> c_int {
        // SAFETY: the arguments of the caller, and the rank's stream.
        unsafe { super::vfwprintf(super::own_output(), format, list) }
    }

    unsafe extern "C" fn to_file(file: File, format: *const Wide, list: List) -> c_int {
        // SAFETY: the arguments of the caller.
        unsafe { super::vfwprintf(file, format, list) }
    }

    unsafe extern "C" fn checked_to_file(file: File, _: c_int, format: *const Wide, list: List) -> c_int {
        // SAFETY: the arguments of the caller.
        unsafe { super::vfwprintf(file, format, list) }
    }

    unsafe extern "C" fn to_descriptor(descriptor: c_int, format: *const c_char, list: List) -> c_int {
        // SAFETY: the arguments of the caller.
        unsafe { super::vdprintf(descriptor, format, list) }
    }

    unsafe extern "C" fn checked_to_descriptor(
        descriptor: c_int,
        _: c_int,
        format: *const c_char,
        list: List,
    ) -> c_int {
        // SAFETY: the arguments of the caller.
        unsafe { super::vdprintf(descriptor, format, list) }
    }

    gate!(wprintf, "1", "rsi", plain);
    gate!(wprintf_chk, "2", "rdx", checked);
    gate!(fwprintf, "2", "rdx", to_file);
    gate!(fwprintf_chk, "3", "rcx", checked_to_file);
    gate!(dprintf, "2", "rdx", to_descriptor);
    gate!(dprintf_chk, "3", "rcx", checked_to_descriptor);
}

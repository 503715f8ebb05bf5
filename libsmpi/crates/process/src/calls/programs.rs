//! Functions that put another program in the place of the process, or beside it: `exec` and relatives, `posix_spawn`.
//!
//! All ranks are one process, so `exec` by a rank would replace all of them: refused, with a message. In children of
//! `fork` it is what the child is for, and the new program gets the rank's environment. Starting a program beside is
//! allowed, but not under the checker, which cannot take it back. Source: POSIX.1-2017 exec, posix_spawn.
//!
//! A rank that asks for the file of its process is told that of its program: proc(5), `/proc/self/exe`.

use super::standard;
use crate::contract::{Table, room};
use crate::faults::refusals::{refuse_exec, refuse_in_verification};
use crate::state;
use std::ffi::{CStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

type Strings = *const *const c_char;

/// The functions with a vector of arguments.
pub const REPLACED: Table = &[
    ("execv", execv as *const ()),
    ("execvp", execvp as *const ()),
    ("execve", execve as *const ()),
    ("execvpe", execvpe as *const ()),
    ("fexecve", fexecve as *const ()),
    ("execveat", execveat as *const ()),
    ("posix_spawn", posix_spawn as *const ()),
    ("posix_spawnp", posix_spawnp as *const ()),
    ("readlink", readlink as *const ()),
];

pub use lists::REPLACED as LISTS;

unsafe extern "C" fn execv(path: *const c_char, arguments: Strings) -> c_int {
    refuse_exec("execv");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::execv(path, arguments) }
}

unsafe extern "C" fn execvp(file: *const c_char, arguments: Strings) -> c_int {
    refuse_exec("execvp");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::execvp(file, arguments) }
}

unsafe extern "C" fn execve(path: *const c_char, arguments: Strings, variables: Strings) -> c_int {
    refuse_exec("execve");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::execve(path, arguments, variables) }
}

unsafe extern "C" fn execvpe(file: *const c_char, arguments: Strings, variables: Strings) -> c_int {
    refuse_exec("execvpe");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::execvpe(file, arguments, variables) }
}

unsafe extern "C" fn fexecve(descriptor: c_int, arguments: Strings, variables: Strings) -> c_int {
    refuse_exec("fexecve");
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::fexecve(descriptor, arguments, variables) }
}

unsafe extern "C" fn execveat(
    directory: c_int,
    path: *const c_char,
    arguments: Strings,
    variables: Strings,
    flags: c_int,
) -> c_int {
    refuse_exec("execveat");
    // SAFETY: by C's contract strings and lists, as the kernel wants them. glibc has this function only since version
    // 2.34, the kernel always.
    unsafe { libc::syscall(libc::SYS_execveat, directory, path, arguments, variables, flags) as c_int }
}

/// A function of libc that starts a process.
macro_rules! spawning {
    ($function:ident) => {
        unsafe extern "C" fn $function(
            child: *mut libc::pid_t,
            program: *const c_char,
            actions: *const libc::posix_spawn_file_actions_t,
            attributes: *const libc::posix_spawnattr_t,
            arguments: *const *mut c_char,
            variables: *const *mut c_char,
        ) -> c_int {
            refuse_in_verification(concat!(stringify!($function), "() starts a process"));
            // SAFETY: the arguments of the caller, whose contract is that of libc's function.
            standard::for_program(|| unsafe {
                libc::$function(child, program, actions, attributes, arguments, variables)
            })
        }
    };
}

spawning!(posix_spawn);
spawning!(posix_spawnp);

unsafe extern "C" fn readlink(path: *const c_char, text: *mut c_char, len: usize) -> isize {
    // SAFETY: by C's contract `path` is a string.
    let asks_for_own = !path.is_null() && unsafe { CStr::from_ptr(path) } == c"/proc/self/exe";
    match state::caller().filter(|_| asks_for_own) {
        Some(record) => {
            let own = record.app.file.as_os_str().as_bytes();
            let own = &own[..own.len().min(len)];
            // SAFETY: by C's contract there is room for `len` bytes, and no more are used.
            unsafe { room(text.cast(), own.len()) }.copy_from_slice(own);
            own.len() as isize
        }
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        None => unsafe { libc::readlink(path, text, len) },
    }
}

/// The functions that take the arguments one by one, which Rust cannot define: a check, and on to libc's with all
/// registers and the stack as they came.
#[cfg(target_arch = "x86_64")]
mod lists {
    use super::{Table, refuse_exec};

    /// A function of libc with a check before it; the check is a function without arguments.
    macro_rules! gate {
        ($gate:ident, $check:ident, $real:ident) => {
            extern "C" fn $check() {
                refuse_exec(stringify!($real));
            }

            /// rdi … r9 and al are what a variable list of arguments is called with (System V psABI for x86-64 §3.5.7).
            #[unsafe(naked)]
            unsafe extern "C" fn $gate() {
                std::arch::naked_asm!(
                    ".cfi_startproc",
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    ".cfi_adjust_cfa_offset 56",
                    "call {check}",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    ".cfi_adjust_cfa_offset -56",
                    "jmp qword ptr [rip + {real}@GOTPCREL]",
                    ".cfi_endproc",
                    check = sym $check,
                    real = sym libc::$real,
                )
            }
        };
    }

    gate!(gate_execl, check_execl, execl);
    gate!(gate_execlp, check_execlp, execlp);
    gate!(gate_execle, check_execle, execle);

    /// The functions with a list of arguments.
    pub const REPLACED: Table = &[
        ("execl", gate_execl as *const ()),
        ("execlp", gate_execlp as *const ()),
        ("execle", gate_execle as *const ()),
    ];
}

/// Elsewhere they are libc's.
#[cfg(not(target_arch = "x86_64"))]
mod lists {
    pub const REPLACED: super::Table = &[];
}

//! Where processes and ranks begin: `__libc_start_main`, which every program's `_start` calls.
//!
//! Three callers: the image of a rank, whose constructors and `main` run here; `smpirun` with a run plan in its
//! environment, which becomes the host of the ranks; and everything else, which goes on to glibc untouched.

use crate::calls::{exit, threads};
use crate::faults::crash;
use crate::hooks::{self, Hooks};
use crate::record::Record;
use crate::signals::handler;
use crate::streams::stdio;
use crate::{descriptors, placed, running, state};
use smpi_base::eprintln;
use smpi_base::plan::{PLAN_VARIABLE, RunPlan};
use smpi_image::{Constructor, PrivateVariable, enter, exports};
use smpi_ranks::fiber::Home;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::transmute;
use std::ptr;

/// `main` of a C program.
pub type Main = unsafe extern "C" fn(c_int, *const *const c_char, *const *const c_char) -> c_int;

type StartMain = unsafe extern "C" fn(
    Main,
    c_int,
    *const *const c_char,
    Option<Constructor>,
    Option<unsafe extern "C" fn()>,
    Option<unsafe extern "C" fn()>,
    *mut c_void,
) -> c_int;

unsafe extern "C" {
    fn dlvsym(handle: *mut c_void, name: *const c_char, version: *const c_char) -> *mut c_void;
}

/// glibc's own `__libc_start_main`, of the version of current programs if there is one.
fn real_start_main() -> StartMain {
    let name = c"__libc_start_main".as_ptr();
    let versions = [c"GLIBC_2.34", c"GLIBC_2.17", c"GLIBC_2.2.5"];
    let found = versions
        .iter()
        // SAFETY: two C strings; RTLD_NEXT is relative to this library.
        .map(|version| unsafe { dlvsym(libc::RTLD_NEXT, name, version.as_ptr()) })
        .find(|address| !address.is_null());
    match found {
        // SAFETY: the LSB fixes this function's type.
        Some(address) => unsafe { transmute::<*mut c_void, StartMain>(address) },
        None => {
            eprintln!("smpirun: error: this C library has no __libc_start_main: libsmpi needs glibc");
            // SAFETY: nothing runs yet that would have to be ended properly.
            unsafe { libc::_exit(smpi_base::exit::REFUSED) }
        }
    }
}

/// `__libc_start_main`, the start of every program that sees libsmpi; see the file's header.
///
/// # Safety
/// Only `_start` calls it, with what the LSB says.
pub unsafe fn libc_start_main(
    hooks: &Hooks,
    main: Main,
    argc: c_int,
    argv: *const *const c_char,
    init: Option<Constructor>,
    fini: Option<unsafe extern "C" fn()>,
    rtld_fini: Option<unsafe extern "C" fn()>,
    stack_end: *mut c_void,
) -> c_int {
    if let Some(record) = state::current() {
        // SAFETY: the image's `_start` called us on the rank's stack.
        unsafe { run_rank(record, main, init) }
    }
    // SAFETY: `_start` passes the arguments of the process.
    let main = if unsafe { is_to_host(argv) } { host } else { main };
    hooks::install(hooks);
    exports::prepare();
    // SAFETY: what `_start` passed goes on to glibc, apart from `main`, which has the same type.
    unsafe { real_start_main()(main, argc, argv, init, fini, rtld_fini, stack_end) }
}

/// Whether this process is `smpirun` with a plan. Tools that `smpirun` runs under, and helpers of theirs, have the same
/// environment (valgrind follows an `exec` by executing itself).
///
/// # Safety
/// `argv` must be a process's arguments.
unsafe fn is_to_host(argv: *const *const c_char) -> bool {
    // SAFETY: the first of the arguments, if there is any; reads the environment, which no thread changes yet.
    unsafe {
        let name = if (*argv).is_null() { c"" } else { CStr::from_ptr(*argv) };
        let is_ours = name.to_bytes().rsplit(|&byte| byte == b'/').next() == Some(b"smpirun");
        is_ours && !libc::getenv(plan_variable().as_ptr()).is_null()
    }
}

fn plan_variable() -> CString {
    CString::new(PLAN_VARIABLE).unwrap_or_default()
}

/// `main` of a process that hosts ranks.
unsafe extern "C" fn host(_argc: c_int, _argv: *const *const c_char, _envp: *const *const c_char) -> c_int {
    let plan = match take_plan() {
        Ok(plan) => plan,
        Err(message) => {
            eprintln!("smpirun: error: {message}");
            return smpi_base::exit::REFUSED;
        }
    };
    if let Err(message) = descriptors::require_least() {
        eprintln!("smpirun: error: {message}");
        return smpi_base::exit::REFUSED;
    }
    if plan.verify.is_some() {
        // SAFETY: the caller is libc, which ends the process when this function returns.
        unsafe { placed::fix_canary() };
    }
    running::start_hosting();
    threads::watch_forks();
    stdio::replace_streams();
    handler::install();
    exit::catch_library_exit();
    (hooks::hooks().main)(plan)
}

/// Reads the plan and removes what `smpirun` added to the environment, so that programs and their children do not see
/// it.
fn take_plan() -> Result<RunPlan, String> {
    let text = std::env::var(PLAN_VARIABLE).map_err(|_| format!("{PLAN_VARIABLE} is not text"))?;
    let own = smpi_image::own_path().to_str().ok();
    let preload = std::env::var("LD_PRELOAD").unwrap_or_default();
    let others = others(&preload, own);
    // SAFETY: the process has one thread.
    unsafe {
        std::env::remove_var(PLAN_VARIABLE);
        if others.is_empty() {
            std::env::remove_var("LD_PRELOAD");
        } else {
            std::env::set_var("LD_PRELOAD", others);
        }
    }
    RunPlan::from_variable(&text).map_err(|error| format!("{PLAN_VARIABLE}: {error}; smpirun writes this variable"))
}

/// A list of libraries to be preloaded, without our own.
fn others(preload: &str, own: Option<&str>) -> String {
    let others = preload.split([':', ' ']).filter(|entry| !entry.is_empty() && Some(*entry) != own);
    others.collect::<Vec<_>>().join(":")
}

/// First code on a rank's stack: jumps to the image's `_start`.
pub fn begin(record: &'static Record, home: Home) -> i32 {
    record.own.home.set(Some(home));
    // What the kernel puts on a new stack: argc, argv and environment, all empty: `run_rank` passes the real ones.
    let stack = StartWords([0; 8]);
    // SAFETY: the image is mapped, the words lie on this rank's stack, whose frames from here down are never returned
    // to.
    unsafe { enter(record.image.entry(), stack.0.as_ptr()) }
}

#[repr(align(16))]
struct StartWords([usize; 8]);

/// Runs a program as a rank; ends with the rank.
///
/// # Safety
/// Must be called by the image's `_start` on the rank's stack, once.
unsafe fn run_rank(record: &'static Record, main: Main, init: Option<Constructor>) -> ! {
    let arguments = &record.app.arguments;
    let argc = arguments.len() as c_int;
    let argv = copy_arguments(record, arguments);
    let variable = |which| record.image.private_variable(which).cast::<*const *const c_char>();
    // SAFETY: `environ` of the image is a pointer; constructors and `main` have these types.
    unsafe {
        let environment = || variable(PrivateVariable::Environ).read();
        match init {
            Some(init) => {
                for constructor in record.image.library_constructors() {
                    transmute::<usize, Constructor>(constructor)(argc, argv, environment());
                }
                init(argc, argv, environment());
            }
            None => {
                for constructor in record.image.constructors() {
                    transmute::<usize, Constructor>(constructor)(argc, argv, environment());
                }
            }
        }
        let code = call_main(main, argc, argv, environment(), record.own.frames_end.as_ptr());
        exit::returned(record, main as usize, code)
    }
}

/// Calls `main` as if nothing had been before it: of what this process keeps elsewhere there is nothing in registers
/// that functions save, nor on the next page of the stack. So what the frames of a rank hold follows from its program,
/// and is the same in every process. Notes where these frames end.
///
/// # Safety
/// As for `main`; `end` must be valid for writing.
#[unsafe(naked)]
unsafe extern "C" fn call_main(
    main: Main,
    argc: c_int,
    argv: *const *const c_char,
    envp: *const *const c_char,
    end: *mut usize,
) -> c_int {
    std::arch::naked_asm!(
        "push rbx",
        "push rbp",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "mov [r8], rsp",
        "mov r9, rdi",
        "mov r10d, esi",
        "mov r11, rcx",
        // What lies below the stack's end is not to be written, as valgrind sees it.
        "sub rsp, {page}",
        "mov rdi, rsp",
        "mov ecx, {page} / 8",
        "xor eax, eax",
        "rep stosq",
        "add rsp, {page}",
        "mov edi, r10d",
        "mov rsi, rdx",
        "mov rdx, r11",
        "xor ebx, ebx",
        "xor ebp, ebp",
        "xor r12d, r12d",
        "xor r13d, r13d",
        "xor r14d, r14d",
        "xor r15d, r15d",
        "call r9",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbp",
        "pop rbx",
        "ret",
        page = const 4096,
    )
}

/// Copies the arguments into the rank's heap: programs may change them. Also sets the rank's program name.
fn copy_arguments(record: &Record, arguments: &[CString]) -> *const *const c_char {
    let text: usize = arguments.iter().map(|argument| argument.as_bytes_with_nul().len()).sum();
    let pointers = (arguments.len() + 1) * size_of::<*const c_char>();
    // SAFETY: the block has room for both parts.
    unsafe {
        let block = record.own.arena.allocate(pointers + text);
        if block.is_null() {
            crash::die_of("the heap is too small for the program's arguments; see --heap-size");
        }
        let vector: *mut *const c_char = block.cast();
        let mut at = block.add(pointers);
        for (index, argument) in arguments.iter().enumerate() {
            let bytes = argument.as_bytes_with_nul();
            ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len());
            vector.add(index).write(at.cast());
            at = at.add(bytes.len());
        }
        vector.add(arguments.len()).write(ptr::null());
        if let Some(first) = arguments.first() {
            let name = vector.read();
            let short = first.as_bytes().iter().rposition(|b| *b == b'/').map_or(0, |slash| slash + 1);
            let set = |which, value| record.image.private_variable(which).cast::<*const c_char>().write(value);
            set(PrivateVariable::ProgramName, name);
            set(PrivateVariable::ProgramShortName, name.add(short));
        }
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_tools_stay_preloaded() {
        assert_eq!(others("/lib/libsmpi.so", Some("/lib/libsmpi.so")), "");
        assert_eq!(others("/a.so:/lib/libsmpi.so /b.so", Some("/lib/libsmpi.so")), "/a.so:/b.so");
        assert_eq!(others("/a.so", None), "/a.so");
    }

    #[test]
    fn only_smpirun_with_a_plan_becomes_a_host() {
        let is_to_host = |name: &CStr| {
            let arguments = [name.as_ptr(), std::ptr::null()];
            // SAFETY: arguments that end with a null. No test sets the plan's variable.
            unsafe { super::is_to_host(arguments.as_ptr()) }
        };
        assert!(!is_to_host(c"/usr/bin/smpirun") && !is_to_host(c"/usr/bin/valgrind"));
    }
}

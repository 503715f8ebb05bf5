//! How a rank ends: `exit` and its relatives, and the handlers that run then.
//!
//! Handlers belong to a rank and run at its end, last registered first, then the program's own destructors; the process
//! ends when the runtime says so. Sources: C11 §7.22.4, POSIX.1-2017 exit, Itanium C++ ABI §3.3.6 (`__cxa_atexit`,
//! `__cxa_finalize`). In a child of `fork` a rank's exit is the child's exit.

use super::malloc;
use crate::contract::Table;
use crate::faults::crash::leave_asserting;
use crate::faults::places;
use crate::faults::refusals::refuse_foreign;
use crate::record::{Call, Exit, Handler, List, Record};
use crate::streams::output;
use crate::{running, state, verification};
use smpi_ranks::Switch;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::ptr;

/// The functions that end a rank, or say what is done then.
pub const REPLACED: Table = &[
    ("exit", exit as *const ()),
    ("_exit", underscore_exit as *const ()),
    ("_Exit", underscore_exit as *const ()),
    ("quick_exit", quick_exit as *const ()),
    ("atexit", atexit as *const ()),
    ("at_quick_exit", at_quick_exit as *const ()),
    ("on_exit", on_exit as *const ()),
    ("__cxa_atexit", cxa_atexit as *const ()),
    ("__cxa_at_quick_exit", cxa_at_quick_exit as *const ()),
    ("__cxa_thread_atexit", cxa_thread_atexit as *const ()),
    ("__cxa_thread_atexit_impl", cxa_thread_atexit as *const ()),
    ("__assert_fail", assert_fail as *const ()),
    ("__cxa_finalize", cxa_finalize as *const ()),
];

/// Adds a handler to a list; −1 when the rank's heap is full, as in C.
fn register(list: &List, call: Call, argument: *mut c_void, owner: *mut c_void) -> i32 {
    // SAFETY: any size may be asked for.
    let entry: *mut Handler = unsafe { malloc::malloc(size_of::<Handler>()) }.cast();
    if entry.is_null() {
        return -1;
    }
    // SAFETY: a fresh block of that size, which only `run` frees.
    unsafe { list.push(entry, call, argument, owner) };
    0
}

/// Runs and removes the handlers of a list, those that they register included.
fn run(list: &List, code: i32) {
    while let Some((entry, call, argument)) = list.pop() {
        // SAFETY: `register` allocated it, and the list has it no more.
        unsafe { malloc::free(entry.cast()) };
        call.run(argument, code);
    }
}

/// The rank whose exit functions are called: the program's code runs nowhere else, except on its own threads.
fn caller(function: &str) -> &'static Record {
    match state::current() {
        Some(record) => record,
        None => refuse_foreign(function),
    }
}

/// Ends a rank whose `main` has returned.
pub fn returned(record: &'static Record, main: usize, code: i32) -> ! {
    // Where it returned is not known; that it did so from there is.
    let site = places::site_at(main).unwrap_or(0);
    end(record, code, Exit { site, returned: true })
}

/// Ends a rank: handlers, destructors, output, and away.
pub fn leave(record: &'static Record, code: i32) -> ! {
    end(record, code, Exit { site: places::own_site(), returned: false })
}

fn end(record: &'static Record, code: i32, exit: Exit) -> ! {
    record.own.exit.set(exit);
    run(&record.own.handlers.thread, code);
    run(&record.own.handlers.exit, code);
    for destructor in record.image.destructors() {
        // SAFETY: the image's DT_FINI and fini array hold functions without arguments.
        unsafe { transmute::<usize, extern "C" fn()>(destructor)() };
    }
    if verification::is_on() {
        // The process will not do it: under the checker its list of streams has none of the rank's.
        // SAFETY: flushes all streams, which are valid.
        unsafe { libc::fflush(ptr::null_mut()) };
    }
    end_now(record, code)
}

/// Ends a rank without handlers.
pub fn leave_now(record: &'static Record, code: i32) -> ! {
    record.own.exit.set(Exit { site: places::own_site(), returned: false });
    end_now(record, code)
}

fn end_now(record: &'static Record, code: i32) -> ! {
    if running::is_child() {
        output::flush_rank(record);
        // SAFETY: ends the child process; the parent's buffers were never this process's to flush.
        unsafe { libc::_exit(code) }
    }
    output::complete(record);
    loop {
        let home = record.own.home.get().expect("a rank that exits has run");
        record.note_stack();
        // SAFETY: we are on this rank's stack. The event loop does not resume a rank that ended.
        unsafe { home.switch(Switch::Exited(code & 0xff)) };
    }
}

/// Makes `exit` called inside a shared library, which is libc's own, end the calling rank and not the process.
pub fn catch_library_exit() {
    unsafe extern "C" {
        #[link_name = "on_exit"]
        fn libc_on_exit(function: extern "C" fn(i32, *mut c_void), argument: *mut c_void) -> i32;
    }
    extern "C" fn at_exit(code: i32, _: *mut c_void) {
        if let Some(record) = state::current() {
            // libc has taken this entry off its list.
            catch_library_exit();
            leave(record, code);
        }
    }
    // SAFETY: registers a function of this library, which is never unloaded.
    unsafe { libc_on_exit(at_exit, ptr::null_mut()) };
}

/// Ends the calling rank at once, without exit handlers, because the whole run is over; off a rank's stack, ends the
/// process.
pub fn exit_now(code: i32) -> ! {
    match state::current() {
        Some(record) => leave_now(record, code),
        None if running::is_hosted() => output::end_process(code),
        None => std::process::exit(code),
    }
}

pub extern "C" fn exit(code: i32) -> ! {
    leave(caller("exit"), code)
}

/// `_exit`.
extern "C" fn underscore_exit(code: i32) -> ! {
    leave_now(caller("_exit"), code)
}

extern "C" fn quick_exit(code: i32) -> ! {
    let record = caller("quick_exit");
    run(&record.own.handlers.quick, code);
    leave_now(record, code)
}

extern "C" fn atexit(function: extern "C" fn()) -> i32 {
    register(&caller("atexit").own.handlers.exit, Call::Plain(function), ptr::null_mut(), ptr::null_mut())
}

extern "C" fn at_quick_exit(function: extern "C" fn()) -> i32 {
    register(&caller("at_quick_exit").own.handlers.quick, Call::Plain(function), ptr::null_mut(), ptr::null_mut())
}

extern "C" fn on_exit(function: extern "C" fn(i32, *mut c_void), argument: *mut c_void) -> i32 {
    register(&caller("on_exit").own.handlers.exit, Call::WithCode(function), argument, ptr::null_mut())
}

extern "C" fn cxa_atexit(function: extern "C" fn(*mut c_void), argument: *mut c_void, owner: *mut c_void) -> i32 {
    register(&caller("__cxa_atexit").own.handlers.exit, Call::WithArgument(function), argument, owner)
}

extern "C" fn cxa_at_quick_exit(function: extern "C" fn(*mut c_void), owner: *mut c_void) -> i32 {
    register(&caller("__cxa_at_quick_exit").own.handlers.quick, Call::WithArgument(function), ptr::null_mut(), owner)
}

extern "C" fn cxa_thread_atexit(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    owner: *mut c_void,
) -> i32 {
    match state::current() {
        Some(record) => register(&record.own.handlers.thread, Call::WithArgument(function), argument, owner),
        // The program's own thread: its end is no business of the rank, so the object is never destroyed.
        None => 0,
    }
}

extern "C" fn cxa_finalize(owner: *mut c_void) {
    if let Some(record) = state::current() {
        record.own.handlers.exit.run_of(owner);
    }
}

/// `__assert_fail`, which `assert` calls (LSB 5.0, libc): under the checker the rank fails, otherwise libc's own is
/// called.
unsafe extern "C" fn assert_fail(
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

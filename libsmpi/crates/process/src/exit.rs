//! How a rank ends: `exit` and its relatives, and the handlers that run then.
//!
//! Handlers belong to a rank and run at its end, last registered first, then the program's own destructors; the process
//! ends when the runtime says so. Sources: C11 §7.22.4, POSIX.1-2017 exit, Itanium C++ ABI §3.3.6 (`__cxa_atexit`,
//! `__cxa_finalize`). In a child of `fork` a rank's exit is the child's exit.

use super::state::{self, Record};
use super::{faults, malloc, output, threads};
use crate::running;
use smpi_ranks::Switch;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr;

/// Lists of handlers of one rank; the entries lie in its arena.
#[derive(Clone, Debug)]
pub struct Handlers {
    exit: Cell<*mut Handler>,
    quick: Cell<*mut Handler>,
    thread: Cell<*mut Handler>,
}

struct Handler {
    next: *mut Handler,
    call: Call,
    argument: *mut c_void,
    /// `__dso_handle` of the object that registered it.
    owner: *mut c_void,
}

#[derive(Clone, Copy)]
enum Call {
    Plain(extern "C" fn()),
    WithArgument(extern "C" fn(*mut c_void)),
    WithCode(extern "C" fn(i32, *mut c_void)),
    /// Ran already.
    Done,
}

impl Handlers {
    /// Makes these lists those of another moment.
    pub fn set(&self, other: &Handlers) {
        self.exit.set(other.exit.get());
        self.quick.set(other.quick.get());
        self.thread.set(other.thread.get());
    }

    /// No handlers.
    pub const fn new() -> Handlers {
        Handlers {
            exit: Cell::new(ptr::null_mut()),
            quick: Cell::new(ptr::null_mut()),
            thread: Cell::new(ptr::null_mut()),
        }
    }
}

/// Adds a handler to a list; −1 when the rank's heap is full, as in C.
fn register(list: &Cell<*mut Handler>, call: Call, argument: *mut c_void, owner: *mut c_void) -> i32 {
    // SAFETY: any size may be asked for.
    let handler: *mut Handler = unsafe { malloc::malloc(size_of::<Handler>()) }.cast();
    if handler.is_null() {
        return -1;
    }
    // SAFETY: a fresh block of that size.
    unsafe { handler.write(Handler { next: list.get(), call, argument, owner }) };
    list.set(handler);
    0
}

/// Runs and removes the handlers of a list, those that they register included.
fn run(list: &Cell<*mut Handler>, code: i32) {
    while !list.get().is_null() {
        // SAFETY: entries are made by `register` and stay until they are freed here.
        let handler = unsafe { list.get().read() };
        // SAFETY: unlinked at the same time, so nobody sees it any more.
        unsafe { malloc::free(list.get().cast()) };
        list.set(handler.next);
        call(handler.call, handler.argument, code);
    }
}

fn call(handler: Call, argument: *mut c_void, code: i32) {
    match handler {
        Call::Plain(function) => function(),
        Call::WithArgument(function) => function(argument),
        Call::WithCode(function) => function(code, argument),
        Call::Done => {}
    }
}

/// Runs what an object registered, or everything for a null `owner`, without removing the entries of others.
fn finalize(list: &Cell<*mut Handler>, owner: *mut c_void) {
    let mut at = list.get();
    while !at.is_null() {
        // SAFETY: as in `run`; handlers only add entries in front.
        let handler = unsafe { &mut *at };
        if owner.is_null() || handler.owner == owner {
            let (function, argument) = (handler.call, handler.argument);
            handler.call = Call::Done;
            call(function, argument, 0);
        }
        at = handler.next;
    }
}

/// The rank whose exit functions are called: the program's code runs nowhere else, except on its own threads.
fn caller(function: &str) -> &'static Record {
    match state::current() {
        Some(record) => record,
        None => threads::refuse_foreign(function),
    }
}

/// Ends a rank: handlers, destructors, output, and away.
pub fn leave(record: &'static Record, code: i32) -> ! {
    run(&record.handlers.thread, code);
    run(&record.handlers.exit, code);
    for destructor in record.image.destructors() {
        // SAFETY: the image's DT_FINI and fini array hold functions without arguments.
        unsafe { transmute::<usize, extern "C" fn()>(destructor)() };
    }
    if faults::is_catching() {
        // The process will not do it: under the checker its list of streams has none of the rank's.
        // SAFETY: no conditions.
        unsafe { libc::fflush(ptr::null_mut()) };
    }
    leave_now(record, code)
}

/// Ends a rank without handlers.
pub fn leave_now(record: &'static Record, code: i32) -> ! {
    if running::is_child() {
        output::flush_rank(record);
        // SAFETY: ends the child process; the parent's buffers were never this process's to flush.
        unsafe { libc::_exit(code) }
    }
    output::end_of_rank(record);
    loop {
        let home = record.home.get().expect("a rank that exits has run");
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

pub extern "C" fn exit(code: i32) -> ! {
    leave(caller("exit"), code)
}

pub extern "C" fn exit_now(code: i32) -> ! {
    leave_now(caller("_exit"), code)
}

pub extern "C" fn quick_exit(code: i32) -> ! {
    let record = caller("quick_exit");
    run(&record.handlers.quick, code);
    leave_now(record, code)
}

pub extern "C" fn atexit(function: extern "C" fn()) -> i32 {
    register(&caller("atexit").handlers.exit, Call::Plain(function), ptr::null_mut(), ptr::null_mut())
}

pub extern "C" fn at_quick_exit(function: extern "C" fn()) -> i32 {
    register(&caller("at_quick_exit").handlers.quick, Call::Plain(function), ptr::null_mut(), ptr::null_mut())
}

pub extern "C" fn on_exit(function: extern "C" fn(i32, *mut c_void), argument: *mut c_void) -> i32 {
    register(&caller("on_exit").handlers.exit, Call::WithCode(function), argument, ptr::null_mut())
}

pub extern "C" fn cxa_atexit(function: extern "C" fn(*mut c_void), argument: *mut c_void, owner: *mut c_void) -> i32 {
    register(&caller("__cxa_atexit").handlers.exit, Call::WithArgument(function), argument, owner)
}

pub extern "C" fn cxa_at_quick_exit(function: extern "C" fn(*mut c_void), owner: *mut c_void) -> i32 {
    register(&caller("__cxa_at_quick_exit").handlers.quick, Call::WithArgument(function), ptr::null_mut(), owner)
}

pub extern "C" fn cxa_thread_atexit(
    function: extern "C" fn(*mut c_void),
    argument: *mut c_void,
    owner: *mut c_void,
) -> i32 {
    match state::current() {
        Some(record) => register(&record.handlers.thread, Call::WithArgument(function), argument, owner),
        // The program's own thread: its end is no business of the rank, so the object is never destroyed.
        None => 0,
    }
}

pub extern "C" fn cxa_finalize(owner: *mut c_void) {
    if let Some(record) = state::current() {
        finalize(&record.handlers.exit, owner);
    }
}

//! Threads and child processes of a rank.
//!
//! A rank may start threads as long as they do not communicate: they run beside the simulation in real time, and
//! [`thread_time`] counts what they compute. A child of `fork` may start another program or end; it is no part of the
//! simulation and is stopped when it calls MPI. Both say so instead of hanging.

use super::{clock, exit, settings, standard};
use crate::contract::Table;
use crate::faults::crash;
use crate::faults::refusals::refuse_in_verification;
use crate::record::Record;
use crate::signals::handler;
use crate::streams::output;
use crate::thread_time::{self, ThreadTime};
use crate::{directory, keys, running, state};
use smpi_base::WorldRank;
use smpi_image::unwind;
use std::cell::RefCell;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The functions that start threads and processes, or end a thread, apart from those that are exported.
pub const REPLACED: Table = &[
    ("fork", fork as *const ()),
    ("__fork", fork as *const ()),
    ("vfork", fork as *const ()),
    ("_Fork", plain_fork as *const ()),
    ("thrd_create", thrd_create as *const ()),
    ("pthread_exit", pthread_exit as *const ()),
    ("thrd_exit", thrd_exit as *const ()),
    ("pthread_cancel", pthread_cancel as *const ()),
];

/// `fork`, also for `vfork`: the child shares nothing with the simulation.
extern "C" fn fork() -> libc::pid_t {
    refuse_in_verification("fork() starts a process");
    // SAFETY: the child goes on with a copy of everything, on a thread like this one.
    unsafe { libc::fork() }
}

/// `_Fork`, which calls no function of `pthread_atfork`: not ours either. glibc has it only since version 2.34.
extern "C" fn plain_fork() -> libc::pid_t {
    refuse_in_verification("_Fork() starts a process");
    // SAFETY: looks up a name in the libraries after this one; the function of this name has this type, and `fork` does
    // all that it does.
    unsafe {
        let real = libc::dlsym(libc::RTLD_NEXT, c"_Fork".as_ptr());
        if real.is_null() {
            return libc::fork();
        }
        let child = std::mem::transmute::<*mut c_void, extern "C" fn() -> libc::pid_t>(real)();
        if child == 0 {
            begin_in_child();
        }
        child
    }
}

/// From now on a copy of this process knows what it is, whoever makes it: a rank, or a library on its behalf
/// (`forkpty`, `daemon`).
pub fn watch_forks() {
    unsafe extern "C" {
        fn pthread_atfork(
            before: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: extern "C" fn(),
        ) -> c_int;
    }
    // SAFETY: registers a function of this library, which is never unloaded.
    unsafe { pthread_atfork(None, None, begin_in_child) };
}

/// A child begins. It is alone from here on: it has the rank's memory, its streams and its handlers of signals, real
/// time, and no other rank.
extern "C" fn begin_in_child() {
    let Some(record) = state::current() else {
        // Explorers are copies, too.
        if running::on_host_thread() {
            running::host_instead();
        }
        return;
    };
    clock::begin_in_child();
    running::become_child();
    // Threads of the rank are not copied, so the child waits for none of them.
    LIVING.try_lock().into_iter().for_each(|mut living| living.clear());
    output::forget_in_child();
    standard::settle_in_child(record);
    handler::leave_to_kernel(record);
}

/// What a thread runs.
pub type Start = extern "C" fn(*mut c_void) -> *mut c_void;

/// What a new thread needs to know.
struct Launch {
    start: Start,
    argument: *mut c_void,
    /// Initial values of the program's thread-local variables, as the rank's own image has them.
    tls: Vec<u8>,
    /// The rank that starts the thread, itself or by a thread of its own.
    owner: Option<&'static Record>,
    living: Option<Living>,
    time: Option<Arc<ThreadTime>>,
}

extern "C" fn launch(launch: *mut c_void) -> *mut c_void {
    // SAFETY: made by `pthread_create` below for this thread alone.
    let launch = unsafe { Box::from_raw(launch.cast::<Launch>()) };
    let Launch { start, argument, tls, owner, living, time } = *launch;
    let place = smpi_ranks::thread_pointer::thread_pointer() - tls.len();
    // SAFETY: every thread of this process has the same thread-local pad below its thread pointer (see `tls_room`).
    unsafe { ptr::copy_nonoverlapping(tls.as_ptr(), place as *mut u8, tls.len()) };
    drop(tls);
    directory::keep_in_thread();
    LIFE.set(living);
    if let Some(owner) = owner {
        keys::belongs_to(owner);
        settings::enter_thread(owner);
    }
    if let Some(time) = time {
        thread_time::begin(time);
    }
    start(argument)
}

/// The owners of the threads that run, one entry for each thread.
static LIVING: Mutex<Vec<WorldRank>> = Mutex::new(Vec::new());
/// One of them has ended.
static ENDED: Condvar = Condvar::new();

fn living() -> MutexGuard<'static, Vec<WorldRank>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread of this rank runs, or is about to, as long as this value exists.
struct Living(WorldRank);

thread_local! {
    /// That of the calling thread: libc drops it at the thread's end, however that comes.
    static LIFE: RefCell<Option<Living>> = const { RefCell::new(None) };
}

impl Living {
    fn new(owner: WorldRank) -> Living {
        living().push(owner);
        Living(owner)
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        let mut living = living();
        if let Some(place) = living.iter().position(|owner| *owner == self.0) {
            living.swap_remove(place);
        }
        ENDED.notify_all();
    }
}

/// Waits until all threads of a rank have ended: its process lives as long as one of them does.
fn await_threads(record: &Record) {
    let mut list = living();
    while list.contains(&record.rank) {
        list = ENDED.wait(list).unwrap_or_else(PoisonError::into_inner);
    }
}

/// `pthread_exit`: a rank's own thread is not the kernel's to end, since all ranks run on it. As its process does when
/// the last thread has ended, the rank ends with the code 0. What lies on its stack is not destroyed.
extern "C" fn pthread_exit(value: *mut c_void) -> ! {
    unsafe extern "C" {
        #[link_name = "pthread_exit"]
        fn libc_pthread_exit(value: *mut c_void) -> !;
    }
    match state::current() {
        Some(record) => {
            await_threads(record);
            exit::leave(record, 0)
        }
        // SAFETY: ends a thread that the program started itself.
        None => unsafe { libc_pthread_exit(value) },
    }
}

/// `thrd_exit` (C11 §7.26.5.5). As a pointer, because that is what `pthread_join` and `thrd_join` get of it.
extern "C" fn thrd_exit(result: c_int) -> ! {
    pthread_exit(result as usize as *mut c_void)
}

/// `exit` as a system call: it ends the calling thread without handlers.
pub fn exit_thread(record: &'static Record, code: c_int) -> ! {
    await_threads(record);
    exit::leave_now(record, code)
}

/// `pthread_cancel`: the thread that all ranks run on cannot be cancelled.
///
/// # Safety
/// C's contract (`contract.rs`).
unsafe extern "C" fn pthread_cancel(thread: libc::pthread_t) -> c_int {
    if running::is_host_thread(thread) {
        const WHAT: &str = "pthread_cancel() of the thread that runs main()";
        match state::current() {
            Some(_) => crash::die_of(WHAT),
            None => crash::die_of_thread(WHAT, ", which is that of all ranks"),
        }
    }
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe { libc::pthread_cancel(thread) }
}

type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> i32;

/// glibc's own function; `None` when the C library has none.
fn real_create() -> Option<Create> {
    static REAL: OnceLock<Option<Create>> = OnceLock::new();
    *REAL.get_or_init(|| {
        // SAFETY: looks up a name in the libraries after this one; the function of this name has this type.
        unsafe {
            let address = libc::dlsym(libc::RTLD_NEXT, c"pthread_create".as_ptr());
            (!address.is_null()).then(|| std::mem::transmute::<*mut c_void, Create>(address))
        }
    })
}

/// Initial values of the thread-local variables of the program that a rank runs, or of the first one.
fn initial_tls(owner: Option<&Record>) -> Vec<u8> {
    let Some(host) = state::host() else { return Vec::new() };
    let app = owner.or_else(|| host.records.get(0)).map(|record| record.app);
    app.map_or(Vec::new(), |app| app.tls_initial.clone())
}

/// `pthread_create`, which gives the new thread the program's thread-local variables with their initial values.
///
/// # Safety
/// C's contract (`contract.rs`).
pub unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> i32 {
    refuse_in_verification("pthread_create() starts a thread");
    let Some(create) = real_create() else { return libc::EAGAIN };
    let owner = state::current().or_else(keys::owner);
    let tls = initial_tls(owner);
    let time = thread_time::announce(works_for(start, owner));
    if tls.is_empty() && owner.is_none() && time.is_none() {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { create(thread, attributes, start, argument) };
    }
    let living = owner.map(|owner| Living::new(owner.rank));
    let launcher = Box::into_raw(Box::new(Launch { start, argument, tls, owner, living, time }));
    // SAFETY: by C's contract a place for the thread, and attributes or null; `launch` takes the box.
    let result = unsafe { create(thread, attributes, launch, launcher.cast()) };
    if result != 0 {
        // SAFETY: no thread was made, so the box is still ours.
        let launch = unsafe { Box::from_raw(launcher) };
        launch.time.iter().for_each(|time| thread_time::withdraw(time));
    }
    result
}

/// The rank that a new thread works for; `None` when that is whichever runs, because its code is of a library that
/// ranks share.
fn works_for(start: Start, owner: Option<&Record>) -> Option<WorldRank> {
    /// Libraries whose threads run a function of their caller: `std::thread`.
    const CARRIERS: [&str; 2] = ["libstdc++.", "libc++."];
    let owner = owner?.rank;
    let address = start as usize;
    if unwind::find(address).is_some_and(|found| found.in_image) {
        return Some(owner);
    }
    // SAFETY: fills a structure of plain data; the name is a string as long as the library is loaded, which is about to
    // run.
    let path = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let is_known = libc::dladdr(address as *const c_void, &mut info) != 0 && !info.dli_fname.is_null();
        if is_known { CStr::from_ptr(info.dli_fname).to_string_lossy() } else { Default::default() }
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    CARRIERS.iter().any(|carrier| name.starts_with(carrier)).then_some(owner)
}

/// `thrd_create` of C11 (§7.26.5.1), which inside libc would not come to [`pthread_create`].
unsafe extern "C" fn thrd_create(thread: *mut libc::pthread_t, start: Start, argument: *mut c_void) -> c_int {
    const SUCCESS: c_int = 0;
    const ERROR: c_int = 2;
    const NO_MEMORY: c_int = 3;
    // SAFETY: by C's contract a place for the thread, and a function for the argument. Its result is an `int`, and
    // `thrd_join` looks at no more of it.
    match unsafe { pthread_create(thread, ptr::null(), start, argument) } {
        0 => SUCCESS,
        libc::ENOMEM => NO_MEMORY,
        _ => ERROR,
    }
}

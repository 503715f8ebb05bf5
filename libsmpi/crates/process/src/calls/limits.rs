//! Limits, priority, processors and the name of a process: each rank is told what it has set itself.
//!
//! All ranks are one process, so nothing of it is enforced: a limit of one rank would end all of them, and simulated
//! time knows no priorities. Only the number of open files is raised in earnest, and a rank that is alone has its limit
//! of the size of files from the kernel. In children of `fork` everything is
//! the kernel's. Source: POSIX.1-2017 getrlimit, getpriority, nice; prlimit(2), prctl(2), sched_setaffinity(2).

use crate::contract::{Table, elements, errno, put, refuse, room};
use crate::descriptors;
use crate::record::{Limits, RESOURCES, Record};
use crate::state::{self, caller};
use crate::verification;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, c_ulong, c_void};
use std::mem::zeroed;
use std::sync::OnceLock;

/// The functions about what a process may use.
pub const REPLACED: Table = &[
    ("getrlimit", getrlimit as *const ()),
    ("getrlimit64", getrlimit as *const ()),
    ("setrlimit", setrlimit as *const ()),
    ("setrlimit64", setrlimit as *const ()),
    ("prlimit", prlimit as *const ()),
    ("prlimit64", prlimit as *const ()),
    ("getpriority", getpriority as *const ()),
    ("setpriority", setpriority as *const ()),
    ("nice", nice as *const ()),
    ("prctl", prctl as *const ()),
    ("pthread_setname_np", set_thread_name as *const ()),
    ("pthread_getname_np", thread_name as *const ()),
    ("sched_setaffinity", sched_setaffinity as *const ()),
    ("sched_getaffinity", sched_getaffinity as *const ()),
];

type Limit = libc::rlimit64;

fn own(record: &Record) -> &RefCell<Limits> {
    &record.own.limits
}

/// Whether a number means the process that calls.
fn is_self(process: libc::pid_t) -> bool {
    // SAFETY: asks for a number.
    process == 0 || process == unsafe { libc::getpid() }
}

/// The limits of the process, which a rank has that set none.
///
/// # Errors
/// The kernel's.
pub fn of_process(resource: usize) -> Result<(u64, u64), c_int> {
    // SAFETY: a place of this function for the answer.
    unsafe {
        let mut limit: Limit = zeroed();
        match libc::prlimit64(0, resource as _, std::ptr::null(), &mut limit) {
            0 => Ok((limit.rlim_cur, limit.rlim_max)),
            _ => Err(errno()),
        }
    }
}

/// Reads and sets a rank's limits.
fn limit(record: &Record, resource: usize, new: Option<Limit>) -> Result<(u64, u64), c_int> {
    if resource >= RESOURCES {
        return Err(libc::EINVAL);
    }
    let set = own(record).borrow().limits[resource];
    let old = set.map_or_else(|| of_process(resource), Ok)?;
    if let Some(new) = new {
        if new.rlim_cur > new.rlim_max {
            return Err(libc::EINVAL);
        }
        // SAFETY: asks for a number.
        if new.rlim_max > old.1 && unsafe { libc::geteuid() } != 0 {
            return Err(libc::EPERM);
        }
        own(record).borrow_mut().limits[resource] = Some((new.rlim_cur, new.rlim_max));
        if resource == libc::RLIMIT_NOFILE as usize {
            descriptors::allow(new.rlim_cur);
        }
        let is_alone = state::host().is_some_and(|host| host.records.only().is_some());
        if resource == libc::RLIMIT_FSIZE as usize && is_alone && !verification::is_on() {
            limit_files(new.rlim_cur);
        }
    }
    Ok(old)
}

/// The largest file that this process may write, before a rank changed that.
static LARGEST_FILE: OnceLock<u64> = OnceLock::new();

/// Sets the size of the largest file that this process may write. The hard limit stays, so that it can be set back.
fn limit_files(bytes: u64) {
    if let Ok((now, most)) = of_process(libc::RLIMIT_FSIZE as usize) {
        LARGEST_FILE.get_or_init(|| now);
        let limit = Limit { rlim_cur: bytes.min(most), rlim_max: most };
        // SAFETY: a limit of this function. No other rank writes files.
        unsafe { libc::setrlimit64(libc::RLIMIT_FSIZE, &limit) };
    }
}

/// Does something that writes files of the hosting process: for these a rank's limit does not hold.
pub fn without_limits<R>(action: impl FnOnce() -> R) -> R {
    let own = LARGEST_FILE.get().zip(of_process(libc::RLIMIT_FSIZE as usize).ok());
    if let Some((largest, _)) = own {
        limit_files(*largest);
    }
    let result = action();
    if let Some((_, (of_rank, _))) = own {
        limit_files(of_rank);
    }
    result
}

unsafe extern "C" fn getrlimit(resource: c_int, result: *mut Limit) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of `prlimit` for them.
    unsafe { prlimit(0, resource, std::ptr::null(), result) }
}

unsafe extern "C" fn setrlimit(resource: c_int, new: *const Limit) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of `prlimit` for them.
    unsafe { prlimit(0, resource, new, std::ptr::null_mut()) }
}

unsafe extern "C" fn prlimit(process: libc::pid_t, resource: c_int, new: *const Limit, old: *mut Limit) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function: null, or a valid limit, and null
    // or a place for one.
    unsafe {
        let Some(record) = caller().filter(|_| is_self(process)) else {
            return libc::prlimit64(process, resource as _, new, old);
        };
        match limit(record, resource as usize, new.as_ref().copied()) {
            Ok((soft, hard)) => {
                put(old, Limit { rlim_cur: soft, rlim_max: hard });
                0
            }
            Err(error) => refuse(error),
        }
    }
}

/// A rank's nice value.
fn priority_of(record: &Record) -> c_int {
    // SAFETY: asks for a number of this process.
    own(record).borrow().priority.unwrap_or_else(|| unsafe { libc::getpriority(libc::PRIO_PROCESS, 0) })
}

/// Sets a rank's nice value, as far as it may.
fn set_priority(record: &Record, value: c_int) -> Result<(), c_int> {
    let value = value.clamp(-20, 19);
    // SAFETY: asks for a number.
    if value < priority_of(record) && unsafe { libc::geteuid() } != 0 {
        return Err(libc::EACCES);
    }
    own(record).borrow_mut().priority = Some(value);
    Ok(())
}

fn is_of_self(which: c_int, who: libc::id_t) -> bool {
    which == libc::PRIO_PROCESS as c_int && is_self(who as libc::pid_t)
}

unsafe extern "C" fn getpriority(which: c_int, who: libc::id_t) -> c_int {
    match caller().filter(|_| is_of_self(which, who)) {
        Some(record) => priority_of(record),
        // SAFETY: takes numbers, and any.
        None => unsafe { libc::getpriority(which as _, who) },
    }
}

unsafe extern "C" fn setpriority(which: c_int, who: libc::id_t, value: c_int) -> c_int {
    match caller().filter(|_| is_of_self(which, who)) {
        Some(record) => set_priority(record, value).map_or_else(refuse, |()| 0),
        // SAFETY: takes numbers, and any.
        None => unsafe { libc::setpriority(which as _, who, value) },
    }
}

unsafe extern "C" fn nice(step: c_int) -> c_int {
    let Some(record) = caller() else {
        // SAFETY: takes a number, and any.
        return unsafe { libc::nice(step) };
    };
    match set_priority(record, priority_of(record).saturating_add(step)) {
        Ok(()) => priority_of(record),
        Err(_) => refuse(libc::EPERM),
    }
}

/// Takes a name: up to 15 bytes and a zero.
///
/// # Safety
/// By C's contract `text` is a string.
unsafe fn set_name(record: &Record, text: *const c_char) {
    let mut name = [0_u8; 16];
    // SAFETY: the caller's string.
    let text = unsafe { std::ffi::CStr::from_ptr(text) }.to_bytes();
    let len = text.len().min(15);
    name[..len].copy_from_slice(&text[..len]);
    own(record).borrow_mut().name = Some(name);
}

/// `prctl`, whose options take up to four words.
unsafe extern "C" fn prctl(option: c_int, a: c_ulong, b: c_ulong, c: c_ulong, d: c_ulong) -> c_int {
    // SAFETY: by C's contract what the option wants: a string, or room for 16 bytes.
    unsafe {
        match (caller(), option) {
            (Some(record), libc::PR_SET_NAME) => {
                set_name(record, std::ptr::with_exposed_provenance(a as usize));
                0
            }
            (Some(record), libc::PR_GET_NAME) if own(record).borrow().name.is_some() => {
                let name = own(record).borrow().name.unwrap_or_default();
                std::ptr::with_exposed_provenance_mut::<[u8; 16]>(a as usize).write(name);
                0
            }
            _ => libc::prctl(option, a, b, c, d),
        }
    }
}

/// The rank that calls, when it is itself the thread that is meant.
fn own_thread(thread: libc::pthread_t) -> Option<&'static Record> {
    // SAFETY: asks for the calling thread.
    caller().filter(|_| thread == unsafe { libc::pthread_self() })
}

unsafe extern "C" fn set_thread_name(thread: libc::pthread_t, name: *const c_char) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function.
    unsafe {
        let Some(record) = own_thread(thread) else { return libc::pthread_setname_np(thread, name) };
        if libc::strlen(name) > 15 {
            return libc::ERANGE;
        }
        set_name(record, name);
        0
    }
}

unsafe extern "C" fn thread_name(thread: libc::pthread_t, name: *mut c_char, len: usize) -> c_int {
    let set = own_thread(thread).and_then(|record| own(record).borrow().name);
    // SAFETY: by C's contract there is room for `len` bytes.
    unsafe {
        let Some(set) = set else { return libc::pthread_getname_np(thread, name, len) };
        let used = set.iter().position(|&byte| byte == 0).map_or(set.len(), |end| end + 1);
        if len < used {
            return libc::ERANGE;
        }
        std::ptr::copy_nonoverlapping(set.as_ptr().cast(), name, used);
        0
    }
}

unsafe extern "C" fn sched_setaffinity(process: libc::pid_t, len: usize, mask: *const c_void) -> c_int {
    let Some(record) = caller().filter(|_| is_self(process)) else {
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        return unsafe { libc::sched_setaffinity(process, len, mask.cast()) };
    };
    // SAFETY: by C's contract there are `len` bytes.
    let mask = unsafe { elements(mask.cast::<u8>(), len) };
    let usable = usable_processors();
    let both: Vec<u8> = mask.iter().zip(&usable).map(|(wanted, usable)| wanted & usable).collect();
    if both.iter().all(|byte| *byte == 0) {
        return refuse(libc::EINVAL);
    }
    own(record).borrow_mut().processors = Some(both);
    0
}

/// The processors that the process may use.
fn usable_processors() -> Vec<u8> {
    let mut mask = vec![0_u8; size_of::<libc::cpu_set_t>()];
    // SAFETY: room of this length.
    unsafe { libc::sched_getaffinity(0, mask.len(), mask.as_mut_ptr().cast()) };
    mask
}

unsafe extern "C" fn sched_getaffinity(process: libc::pid_t, len: usize, mask: *mut c_void) -> c_int {
    // SAFETY: the arguments of the caller, whose contract is that of libc's function: room for `len` bytes.
    unsafe {
        let result = libc::sched_getaffinity(process, len, mask.cast());
        if result == 0
            && let Some(record) = caller().filter(|_| is_self(process))
            && let Some(own) = &own(record).borrow().processors
        {
            let room = room(mask.cast(), len);
            room.iter_mut().enumerate().for_each(|(index, byte)| *byte = own.get(index).copied().unwrap_or(0));
        }
        result
    }
}

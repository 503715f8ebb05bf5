//! Thread-specific data (`pthread_key_create` and relatives) of ranks, which share one thread.
//!
//! Each rank numbers its keys for itself; the n-th key of all ranks is one key of libc, so that thousands of ranks do
//! not exhaust libc's 1,024. On the rank's own thread the values are the rank's; on threads that it started libc has
//! them, and the destructors run there as POSIX.1-2017 (pthread_key_create) says, the rank's own ones.

use crate::contract::{Table, or_libc};
use crate::record::{Destructor, Record};
use crate::state;
use smpi_base::WorldRank;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Most keys of a process (glibc's `PTHREAD_KEYS_MAX`), and so of a rank.
const MOST: usize = 1024;
/// In [`NUMBERS`]: a key of libc that is none of ours.
const NONE: u16 = u16::MAX;

/// The functions about keys.
pub const REPLACED: Table = &[
    ("pthread_key_create", create as *const ()),
    ("__pthread_key_create", create as *const ()),
    ("pthread_key_delete", delete as *const ()),
    ("pthread_getspecific", get as *const ()),
    ("__pthread_getspecific", get as *const ()),
    ("pthread_setspecific", set as *const ()),
    ("__pthread_setspecific", set as *const ()),
];

/// Keys of libc by number.
static REAL: Mutex<Vec<libc::pthread_key_t>> = Mutex::new(Vec::new());

/// Numbers by key of libc.
static NUMBERS: [AtomicU16; MOST] = [const { AtomicU16::new(NONE) }; MOST];

/// Number of a key of libc, if it is one of ours.
fn number_of(key: libc::pthread_key_t) -> Option<usize> {
    let number = NUMBERS.get(key as usize)?.load(Ordering::Relaxed);
    (number != NONE).then_some(usize::from(number))
}

/// The key of libc with this number, made when it is new.
fn real_key(number: usize) -> Result<libc::pthread_key_t, c_int> {
    let mut real = REAL.lock().unwrap_or_else(PoisonError::into_inner);
    let owner = owner_key();
    while real.len() <= number {
        let mut key = 0;
        // SAFETY: a valid place for the key.
        let error = unsafe { libc::pthread_key_create(&mut key, None) };
        if error != 0 {
            return Err(error);
        }
        // At the end of a thread libc clears the values in the order of the keys: those below the owner's would be gone
        // when it calls our destructor.
        if owner.is_some_and(|owner| key < owner) {
            continue;
        }
        NUMBERS[key as usize].store(real.len() as u16, Ordering::Relaxed);
        real.push(key);
    }
    Ok(real[number])
}

unsafe extern "C" fn create(key: *mut libc::pthread_key_t, destructor: Option<Destructor>) -> c_int {
    let record = or_libc!(state::current(), libc::pthread_key_create(key, destructor));
    match record.keys.add(destructor, real_key) {
        Ok(real) => {
            // SAFETY: by C's contract a place for the key.
            unsafe { key.write(real) };
            0
        }
        Err(error) => error,
    }
}

unsafe extern "C" fn delete(key: libc::pthread_key_t) -> c_int {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) if record.keys.remove(number) => 0,
        (Some(_), Some(_)) => libc::EINVAL,
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        (_, None) => unsafe { libc::pthread_key_delete(key) },
        // A thread deletes a key that other ranks use, too: libc keeps it.
        (None, Some(_)) => 0,
    }
}

unsafe extern "C" fn get(key: libc::pthread_key_t) -> *mut c_void {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) => record.keys.value(number),
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        _ => unsafe { libc::pthread_getspecific(key) },
    }
}

unsafe extern "C" fn set(key: libc::pthread_key_t, value: *const c_void) -> c_int {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) => {
            record.keys.set_value(number, value.cast_mut());
            0
        }
        // SAFETY: the arguments of the caller, whose contract is that of libc's function.
        _ => unsafe { libc::pthread_setspecific(key, value) },
    }
}

/// The key under which threads have the rank that started them; `None` when libc has no more.
fn owner_key() -> Option<libc::pthread_key_t> {
    static OWNER: OnceLock<Option<libc::pthread_key_t>> = OnceLock::new();
    *OWNER.get_or_init(|| {
        let mut key = 0;
        // SAFETY: a valid place for the key; the destructor gets what `belongs_to` sets.
        (unsafe { libc::pthread_key_create(&mut key, Some(destroy)) } == 0).then_some(key)
    })
}

/// The calling thread was started by a rank: at its end the destructors of that rank's keys run.
pub fn belongs_to(record: &'static Record) {
    if let Some(key) = owner_key() {
        // SAFETY: a key of ours; records live for ever.
        unsafe { libc::pthread_setspecific(key, ptr::from_ref(record).cast()) };
    }
}

/// The rank that started the calling thread, itself or by a thread of its own; `None` on a rank's own thread.
pub fn owner() -> Option<&'static Record> {
    // SAFETY: a key of ours.
    let record = unsafe { libc::pthread_getspecific(owner_key()?) }.cast::<Record>();
    // SAFETY: null, or what `belongs_to` set: a record, which lives for ever.
    unsafe { record.as_ref() }
}

/// The number of the rank that started the calling thread, itself or by a thread of its own; `None` on a rank's own
/// thread.
pub fn thread_owner() -> Option<WorldRank> {
    owner().map(|record| record.rank)
}

/// The end of a thread of a rank.
unsafe extern "C" fn destroy(record: *mut c_void) {
    // SAFETY: `belongs_to` set it to a record, which lives for ever.
    let record = unsafe { &*record.cast::<Record>() };
    for (number, destructor) in record.keys.destructors() {
        let Ok(real) = real_key(number) else { continue };
        // SAFETY: libc's functions on a valid key; the destructor is the program's for this value.
        unsafe {
            let value = libc::pthread_getspecific(real);
            if !value.is_null() {
                libc::pthread_setspecific(real, ptr::null());
                destructor(value);
            }
        }
    }
}

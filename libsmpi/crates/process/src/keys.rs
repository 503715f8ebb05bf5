//! Thread-specific data (`pthread_key_create` and relatives) of ranks, which share one thread.
//!
//! Each rank numbers its keys for itself; the n-th key of all ranks is one key of libc, so that thousands of ranks do
//! not exhaust libc's 1,024. On the rank's own thread the values are the rank's; on threads that it started libc has
//! them, and the destructors run there as POSIX.1-2017 (pthread_key_create) says, the rank's own ones.

use super::state::{self, Record};
use smpi_base::WorldRank;
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Most keys of a process (glibc's `PTHREAD_KEYS_MAX`), and so of a rank.
const MOST: usize = 1024;
/// In [`NUMBERS`]: a key of libc that is none of ours.
const NONE: u16 = u16::MAX;

type Destructor = unsafe extern "C" fn(*mut c_void);

/// Values of the keys on a rank's own thread, by number.
pub type Values = Vec<*mut c_void>;

/// A key of a rank that exists.
#[derive(Clone, Copy)]
struct Key {
    destructor: Option<Destructor>,
}

/// The keys of one rank.
#[derive(Default)]
pub struct Keys {
    /// By number; also read by threads that the rank started.
    keys: Mutex<Vec<Option<Key>>>,
    values: UnsafeCell<Values>,
}

// SAFETY: only the hosting thread touches `values`; `keys` is locked.
unsafe impl Sync for Keys {}

/// Keys of libc by number.
static REAL: Mutex<Vec<libc::pthread_key_t>> = Mutex::new(Vec::new());

/// Numbers by key of libc.
static NUMBERS: [AtomicU16; MOST] = [const { AtomicU16::new(NONE) }; MOST];

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Keys {
    /// The values now, for a snapshot. Keys themselves are not part of it: a key too many does no harm.
    pub fn values(&self) -> Values {
        // SAFETY: on the hosting thread, with no other borrow.
        unsafe { (*self.values.get()).clone() }
    }

    /// Puts back the values of a snapshot.
    pub fn set_values(&self, values: &Values) {
        // SAFETY: as in `values`.
        unsafe { (*self.values.get()).clone_from(values) };
    }

    fn value(&self, number: usize) -> *mut c_void {
        // SAFETY: as in `values`.
        let values = unsafe { &*self.values.get() };
        values.get(number).copied().unwrap_or(ptr::null_mut())
    }

    fn set_value(&self, number: usize, value: *mut c_void) {
        // SAFETY: as in `values`.
        let values = unsafe { &mut *self.values.get() };
        if values.len() <= number {
            values.resize(number + 1, ptr::null_mut());
        }
        values[number] = value;
    }
}

/// Number of a key of libc, if it is one of ours.
fn number_of(key: libc::pthread_key_t) -> Option<usize> {
    let number = NUMBERS.get(key as usize)?.load(Ordering::Relaxed);
    (number != NONE).then_some(usize::from(number))
}

/// The key of libc with this number, made when it is new.
fn real_key(number: usize) -> Result<libc::pthread_key_t, c_int> {
    let mut real = locked(&REAL);
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

pub unsafe extern "C" fn create(key: *mut libc::pthread_key_t, destructor: Option<Destructor>) -> c_int {
    let Some(record) = state::current() else {
        // SAFETY: as in C.
        return unsafe { libc::pthread_key_create(key, destructor) };
    };
    let mut keys = locked(&record.keys.keys);
    let number = keys.iter().position(Option::is_none).unwrap_or(keys.len());
    match real_key(number) {
        Ok(real) => {
            if number == keys.len() {
                keys.push(None);
            }
            keys[number] = Some(Key { destructor });
            record.keys.set_value(number, ptr::null_mut());
            // SAFETY: as in C.
            unsafe { key.write(real) };
            0
        }
        Err(error) => error,
    }
}

pub unsafe extern "C" fn delete(key: libc::pthread_key_t) -> c_int {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) => {
            let mut keys = locked(&record.keys.keys);
            match keys.get_mut(number).and_then(Option::take) {
                Some(_) => 0,
                None => libc::EINVAL,
            }
        }
        // SAFETY: as in C.
        (_, None) => unsafe { libc::pthread_key_delete(key) },
        // A thread deletes a key that other ranks use, too: libc keeps it.
        (None, Some(_)) => 0,
    }
}

pub unsafe extern "C" fn get(key: libc::pthread_key_t) -> *mut c_void {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) => record.keys.value(number),
        // SAFETY: as in C.
        _ => unsafe { libc::pthread_getspecific(key) },
    }
}

pub unsafe extern "C" fn set(key: libc::pthread_key_t, value: *const c_void) -> c_int {
    match (state::current(), number_of(key)) {
        (Some(record), Some(number)) => {
            record.keys.set_value(number, value.cast_mut());
            0
        }
        // SAFETY: as in C.
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

/// As [`owner`], but its number.
pub fn thread_owner() -> Option<WorldRank> {
    owner().map(|record| record.rank)
}

/// The end of a thread of a rank.
unsafe extern "C" fn destroy(record: *mut c_void) {
    // SAFETY: `belongs_to` set it to a record, which lives for ever.
    let record = unsafe { &*record.cast::<Record>() };
    let keys = locked(&record.keys.keys).clone();
    for (number, key) in keys.iter().enumerate() {
        let Some(destructor) = key.and_then(|key| key.destructor) else { continue };
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

//! A rank's keys of thread-specific data, and their values on its own thread.

use crate::host_cell::HostCell;
use std::cell::UnsafeCell;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What becomes of a key's value at the end of a thread.
pub type Destructor = unsafe extern "C" fn(*mut c_void);

/// Values of the keys on a rank's own thread, by number.
pub type Values = Vec<*mut c_void>;

/// A key of a rank that exists.
#[derive(Clone, Copy)]
struct Key {
    destructor: Option<Destructor>,
}

/// The keys of one rank.
pub struct Keys {
    /// By number; also read by threads that the rank started.
    keys: Mutex<Vec<Option<Key>>>,
    values: HostCell<UnsafeCell<Values>>,
}

impl Default for Keys {
    fn default() -> Keys {
        // SAFETY: the functions below that use the values say that they are for the hosting thread.
        let values = unsafe { HostCell::new(UnsafeCell::default()) };
        Keys { keys: Mutex::default(), values }
    }
}

impl Keys {
    fn keys(&self) -> MutexGuard<'_, Vec<Option<Key>>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a key with the lowest number that is free, and the value null. `with_number` may refuse the number.
    pub fn add<R>(
        &self,
        destructor: Option<Destructor>,
        with_number: impl FnOnce(usize) -> Result<R, c_int>,
    ) -> Result<R, c_int> {
        let mut keys = self.keys();
        let number = keys.iter().position(Option::is_none).unwrap_or(keys.len());
        let made = with_number(number)?;
        if number == keys.len() {
            keys.push(None);
        }
        keys[number] = Some(Key { destructor });
        self.set_value(number, ptr::null_mut());
        Ok(made)
    }

    /// Removes a key. False when there is none of this number.
    pub fn remove(&self, number: usize) -> bool {
        self.keys().get_mut(number).and_then(Option::take).is_some()
    }

    /// The destructors of the keys that have one, by number.
    pub fn destructors(&self) -> Vec<(usize, Destructor)> {
        let keys = self.keys();
        let with_one = |(number, key): (usize, &Option<Key>)| Some((number, key.as_ref()?.destructor?));
        keys.iter().enumerate().filter_map(with_one).collect()
    }

    /// The values now, for a snapshot. Keys themselves are not part of it: a key too many does no harm.
    pub fn values(&self) -> Values {
        // SAFETY: on the hosting thread, with no other borrow.
        unsafe { (*self.values.get()).clone() }
    }

    /// Puts back the values of a snapshot.
    pub fn set_values(&self, values: &Values) {
        // SAFETY: on the hosting thread, with no other borrow.
        unsafe { (*self.values.get()).clone_from(values) };
    }

    /// The value of a key; null when it never got one.
    pub fn value(&self, number: usize) -> *mut c_void {
        // SAFETY: on the hosting thread, with no other borrow.
        let values = unsafe { &*self.values.get() };
        values.get(number).copied().unwrap_or(ptr::null_mut())
    }

    /// Gives a key a value.
    pub fn set_value(&self, number: usize, value: *mut c_void) {
        // SAFETY: on the hosting thread, with no other borrow.
        let values = unsafe { &mut *self.values.get() };
        if values.len() <= number {
            values.resize(number + 1, ptr::null_mut());
        }
        values[number] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn destroy(_: *mut c_void) {}

    fn number(keys: &Keys, destructor: Option<Destructor>) -> usize {
        keys.add(destructor, Ok).expect("no number is refused")
    }

    #[test]
    fn numbers_are_used_again_with_null_values() {
        let keys = Keys::default();
        assert_eq!([number(&keys, None), number(&keys, None), number(&keys, None)], [0, 1, 2]);
        keys.set_value(1, ptr::without_provenance_mut(8));
        assert!(keys.remove(1) && !keys.remove(1) && !keys.remove(9));
        assert_eq!(number(&keys, None), 1);
        assert!(keys.value(1).is_null() && keys.value(77).is_null());
    }

    #[test]
    fn a_refused_number_leaves_no_key() {
        let keys = Keys::default();
        assert_eq!(keys.add(Some(destroy), |_| Err::<(), _>(libc::EAGAIN)), Err(libc::EAGAIN));
        assert!(keys.destructors().is_empty() && !keys.remove(0));
    }

    #[test]
    fn destructors_come_with_their_numbers() {
        let keys = Keys::default();
        number(&keys, None);
        number(&keys, Some(destroy));
        assert_eq!(keys.destructors().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn values_can_be_put_back() {
        let keys = Keys::default();
        keys.set_value(number(&keys, None), ptr::without_provenance_mut(1));
        let then = keys.values();
        keys.set_value(number(&keys, None), ptr::without_provenance_mut(2));
        keys.set_values(&then);
        assert_eq!((keys.value(0).addr(), keys.value(1).addr()), (1, 0));
    }
}

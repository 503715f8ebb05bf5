//! What `MPI_X` and `MPI_X_c` differ in, so that one implementation serves both (MPI 5.0 §2.5.8, §20).
//!
//! Input numbers are widened by the wrappers; the types here stand for input arrays, for numbers that the function
//! writes, and for the two callbacks that have a large-count form.
#![allow(dead_code, reason = "which accessors are used depends on the functions implemented so far")]

use super::constants::MPI_UNDEFINED;
use super::types::{
    MPI_Aint, MPI_Count, MPI_Datarep_conversion_function, MPI_Datarep_conversion_function_c, MPI_User_function,
    MPI_User_function_c,
};
use crate::own_memory;
use smpi_mpi::error::Result;
use smpi_watch::access::results;
use std::ffi::c_int;

// `MPI_Aint` is as wide as `MPI_Count` on every supported machine: conversions below never lose bits.
const _: () = assert!(size_of::<MPI_Aint>() == size_of::<MPI_Count>());

/// An input array of counts or displacements, of any of the three element types.
#[derive(Clone, Copy, Debug)]
pub enum Counts {
    /// Elements of the `int` form.
    Int(*const c_int),
    /// Displacements in bytes, or of a large-count form.
    Aint(*const MPI_Aint),
    /// Elements of the large-count form.
    Count(*const MPI_Count),
}

/// An array that the call reads.
fn to_read<T>(first: *const T, len: usize, name: &str) -> Result<()> {
    results::looked(first, len);
    own_memory::needed(first, len, name)
}

impl Counts {
    /// Whether the program passed a null pointer.
    pub fn is_null(self) -> bool {
        match self {
            Counts::Int(p) => p.is_null(),
            Counts::Aint(p) => p.is_null(),
            Counts::Count(p) => p.is_null(),
        }
    }

    /// Checks that there are `len` elements, which the call named `name` needs.
    ///
    /// # Errors
    /// `MPI_ERR_ARG` for a null pointer, and for memory that is not the caller's.
    pub fn check(self, len: usize, name: &str) -> Result<()> {
        match self {
            Counts::Int(first) => to_read(first, len, name),
            Counts::Aint(first) => to_read(first, len, name),
            Counts::Count(first) => to_read(first, len, name),
        }
    }

    /// Element `index`.
    ///
    /// # Safety
    /// The array has more than `index` elements.
    pub unsafe fn get(self, index: usize) -> MPI_Count {
        // SAFETY: by MPI's contract this is an array of more than `index`, aligned for its elements.
        unsafe {
            match self {
                Counts::Int(p) => MPI_Count::from(*p.add(index)),
                Counts::Aint(p) => *p.add(index) as MPI_Count,
                Counts::Count(p) => *p.add(index),
            }
        }
    }

    /// The first `len` elements. A null pointer gives none.
    ///
    /// # Safety
    /// The array is null or has at least `len` elements.
    pub unsafe fn to_vec(self, len: usize) -> Vec<MPI_Count> {
        let len = if self.is_null() { 0 } else { len };
        // SAFETY: by MPI's contract this is an array of `len`, if it is not null.
        (0..len).map(|index| unsafe { self.get(index) }).collect()
    }
}

/// Where the function writes a number, of any of the three types.
#[derive(Clone, Copy, Debug)]
pub enum CountOut {
    /// The `int` form; numbers that do not fit are written as `MPI_UNDEFINED`.
    Int(*mut c_int),
    /// An address-sized number.
    Aint(*mut MPI_Aint),
    /// The large-count form.
    Count(*mut MPI_Count),
    /// The form called has no such argument (`MPI_Type_get_envelope` has no `num_large_counts`).
    Absent,
}

impl CountOut {
    /// Whether the program passed a null pointer. An absent argument is not null.
    pub fn is_null(self) -> bool {
        match self {
            CountOut::Int(p) => p.is_null(),
            CountOut::Aint(p) => p.is_null(),
            CountOut::Count(p) => p.is_null(),
            CountOut::Absent => false,
        }
    }

    /// Whether the form of the function that was called has no such argument.
    pub fn is_absent(self) -> bool {
        matches!(self, CountOut::Absent)
    }

    /// Whether `value` can be written without loss.
    pub fn fits(self, value: MPI_Count) -> bool {
        !matches!(self, CountOut::Int(_)) || c_int::try_from(value).is_ok()
    }

    /// Writes `value`; the `int` form gets `MPI_UNDEFINED` if `value` does not fit (MPI 5.0 §3.2.5, §5.1.5).
    ///
    /// # Safety
    /// The pointer is valid for a write.
    pub unsafe fn set(self, value: MPI_Count) {
        // SAFETY: by MPI's contract this is a place, and the caller has refused null.
        unsafe {
            match self {
                CountOut::Int(p) => *p = c_int::try_from(value).unwrap_or(MPI_UNDEFINED),
                CountOut::Aint(p) => *p = value as MPI_Aint,
                CountOut::Count(p) => *p = value,
                CountOut::Absent => {}
            }
        }
    }

    /// Reads an argument that is both read and written, such as the position of `MPI_Pack`; 0 if absent.
    ///
    /// # Safety
    /// The pointer is valid for a read, and the program has initialised what it points to.
    pub unsafe fn get(self) -> MPI_Count {
        // SAFETY: by MPI's contract this is a place, and the caller has refused null.
        unsafe {
            match self {
                CountOut::Int(p) => MPI_Count::from(*p),
                CountOut::Aint(p) => *p as MPI_Count,
                CountOut::Count(p) => *p,
                CountOut::Absent => 0,
            }
        }
    }
}

/// The reduction function of `MPI_Op_create` or `MPI_Op_create_c`.
#[derive(Clone, Copy, Debug)]
pub enum UserFunction {
    /// Takes its length as `int *`.
    Int(Option<MPI_User_function>),
    /// Takes its length as `MPI_Count *`.
    Count(Option<MPI_User_function_c>),
}

/// A conversion function of `MPI_Register_datarep` or `MPI_Register_datarep_c`.
#[derive(Clone, Copy, Debug)]
pub enum ConversionFunction {
    /// Takes its count as `int`.
    Int(Option<MPI_Datarep_conversion_function>),
    /// Takes its count as `MPI_Count`.
    Count(Option<MPI_Datarep_conversion_function_c>),
}

/// The handle that an argument such as `MPI_Comm_free`'s points to, null if the pointer is null: used to find the error
/// handler before the function itself has checked its arguments.
///
/// # Safety
/// By MPI's contract `pointer` is a place.
pub unsafe fn read_handle<T>(pointer: *mut *mut T) -> *mut T {
    if pointer.is_null() || !own_memory::is_place(pointer) {
        return std::ptr::null_mut();
    }
    // SAFETY: not null, so by MPI's contract `pointer` may be read.
    unsafe { *pointer }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn arrays_are_read_in_the_width_of_their_form() {
        let (ints, wide): ([c_int; 3], [MPI_Count; 3]) = ([1, -2, c_int::MIN], [1, -2, 1 << 40]);
        // SAFETY: arrays of three elements.
        unsafe {
            assert_eq!(Counts::Int(ints.as_ptr()).to_vec(3), [1, -2, MPI_Count::from(c_int::MIN)]);
            assert_eq!(Counts::Count(wide.as_ptr()).to_vec(3), wide);
            assert_eq!(Counts::Aint(wide.as_ptr().cast()).to_vec(2), wide[..2]);
            // A null pointer stands for no elements, however many the call announces.
            assert!(Counts::Int(ptr::null()).to_vec(3).is_empty());
        }
    }

    /// MPI 5.0 §5.1.5: a number that the `int` form cannot hold is told as undefined, not cut.
    #[test]
    fn numbers_that_do_not_fit_are_undefined() {
        let (mut int, mut wide): (c_int, MPI_Count) = (5, 5);
        for value in [0, -1, MPI_Count::from(c_int::MAX), MPI_Count::from(c_int::MAX) + 1, 1 << 32, MPI_Count::MIN] {
            let (small, large) = (CountOut::Int(&raw mut int), CountOut::Count(&raw mut wide));
            // SAFETY: variables of this test.
            let read = unsafe {
                small.set(value);
                large.set(value);
                CountOut::Absent.set(value);
                (small.get(), large.get(), CountOut::Absent.get())
            };
            let expected = if small.fits(value) { value } else { MPI_Count::from(MPI_UNDEFINED) };
            assert_eq!(read, (expected, value, 0));
            assert_eq!(small.fits(value), c_int::try_from(value).is_ok());
            assert!(large.fits(value) && CountOut::Absent.fits(value));
        }
    }

    /// An argument that a form does not have is not one that the program forgot.
    #[test]
    fn absent_is_not_null() {
        assert!(CountOut::Int(ptr::null_mut()).is_null() && !CountOut::Int(ptr::null_mut()).is_absent());
        assert!(CountOut::Absent.is_absent() && !CountOut::Absent.is_null());
    }
}

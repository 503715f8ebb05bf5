//! From Fortran's arguments to C's and back: handles, arrays of handles, strings, indices, error codes.
//!
//! Memory for the C form lies on the rank's stack when it is small and in the rank's heap otherwise, so that it is lost
//! with the rank where a call never returns.

use std::ffi::{CStr, c_char, c_int, c_void};

use super::Fint;
use super::sentinels::choice;
use crate::abi::*;
use smpi_api::convert::find_comm;
use smpi_process as process;
use smpi_runtime::with_objects;

/// Handles of an array that lie on the stack in C's form.
const SMALL_ARRAY: usize = 64;
/// Characters of a string that lie on the stack in C's form, with the terminating zero.
const SMALL_TEXT: usize = 256;

/// The C handle of a number.
#[inline]
pub fn handle<T>(number: Fint) -> *mut T {
    std::ptr::without_provenance_mut(number as u32 as usize)
}

/// The number of a C handle.
#[inline]
pub fn number<T>(handle: *mut T) -> Fint {
    handle.addr() as Fint
}

/// What it means when there is no place for an error code: without an interface (`mpif.h`) compilers do not notice.
const MISSING: &str = "through the argument ierror, which this call of Fortran must have: was it left out?";

/// Hands over the error code; `ierror` is null where an OPTIONAL argument is absent.
///
/// # Safety
/// By Fortran's contract `ierror` is a variable.
#[inline]
pub unsafe fn done(ierror: *mut Fint, code: c_int) {
    if !ierror.is_null() {
        process::faults_mean(Some(MISSING));
        // SAFETY: not null, so by Fortran's contract `ierror` is a variable.
        unsafe { ierror.write(code) };
        process::faults_mean(None);
    }
}

/// Memory of the calling rank for `len` bytes, and whether it has to be given back: that of `small` if it fits.
fn borrow(small: &mut [usize], len: usize) -> (*mut c_void, bool) {
    if len <= size_of_val(small) {
        return (small.as_mut_ptr().cast(), false);
    }
    (process::own_allocate(len).cast(), true)
}

/// Calls with the C form of an array of handles that the call only reads.
///
/// # Safety
/// By Fortran's contract `array` is an array of `len`.
pub unsafe fn with_handles<T>(array: *const Fint, len: i64, mut call: impl FnMut(*const *mut T) -> c_int) -> c_int {
    // SAFETY: by Fortran's contract `array` is an array of `len`; nothing is written back.
    unsafe { with_copies(array.cast_mut(), len, false, &mut |copies| call(copies.cast())) }
}

/// Calls with the C form of an array of handles, and brings the changes back.
///
/// # Safety
/// By Fortran's contract `array` is an array of `len`.
pub unsafe fn with_changed_handles<T>(array: *mut Fint, len: i64, mut call: impl FnMut(*mut *mut T) -> c_int) -> c_int {
    // SAFETY: by Fortran's contract `array` is an array of `len`.
    unsafe { with_copies(array, len, true, &mut |copies| call(copies.cast())) }
}

unsafe fn with_copies(
    array: *mut Fint,
    len: i64,
    back: bool,
    call: &mut dyn FnMut(*mut *mut c_void) -> c_int,
) -> c_int {
    let len = usize::try_from(len).unwrap_or(0);
    let mut small = [0_usize; SMALL_ARRAY];
    let (copies, borrowed) = borrow(&mut small, len * size_of::<usize>());
    let copies: *mut *mut c_void = copies.cast();
    // SAFETY: both arrays have `len` elements; the program does not change its own meanwhile.
    unsafe {
        for index in 0..len {
            copies.add(index).write(handle(array.add(index).read()));
        }
        let code = call(copies);
        for index in 0..if back { len } else { 0 } {
            array.add(index).write(number(copies.add(index).read()));
        }
        if borrowed {
            process::own_free(copies.cast());
        }
        code
    }
}

/// Ranks in the group that collective operations on a communicator exchange data with; 0 for no communicator, which the
/// call itself refuses.
pub fn peers(comm: MPI_Comm) -> i64 {
    with_objects(|objects| find_comm(objects, comm as u64).map_or(0, |comm| i64::from(comm.core.peers().size())))
}

/// Neighbors that a rank sends to.
pub fn outdegree(comm: MPI_Comm) -> i64 {
    neighbors(comm).1
}

/// Neighbors that a rank receives from.
pub fn indegree(comm: MPI_Comm) -> i64 {
    neighbors(comm).0
}

fn neighbors(comm: MPI_Comm) -> (i64, i64) {
    with_objects(|objects| {
        let found = find_comm(objects, comm as u64);
        let counts = found.and_then(|comm| {
            let topology = comm.topology.as_deref()?;
            let around = topology.neighbours(comm.core.rank);
            Some((around.sources.len() as i64, around.destinations.len() as i64))
        });
        counts.unwrap_or((0, 0))
    })
}

/// No elements where the send buffer is `MPI_IN_PLACE`: the array is not significant then.
pub fn unless_in_place(sendbuf: *const c_void, len: i64) -> i64 {
    if choice(sendbuf) == MPI_IN_PLACE { 0 } else { len }
}

/// Calls with a string in C's form: without the blanks at its end (and, if `trimmed`, at its beginning), ended by zero.
///
/// # Safety
/// By Fortran's contract `text` is a string of `len` characters.
pub unsafe fn with_text(
    text: *const c_char,
    len: usize,
    trimmed: bool,
    call: impl FnOnce(*const c_char) -> c_int,
) -> c_int {
    // SAFETY: by Fortran's contract `text` is a string of `len` characters.
    let all = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    let text = if trimmed { all.trim_ascii() } else { all.trim_ascii_end() };
    let mut small = [0_usize; SMALL_TEXT / size_of::<usize>()];
    let (copy, borrowed) = borrow(&mut small, text.len() + 1);
    let copy: *mut c_char = copy.cast();
    // SAFETY: there is room for the characters and the zero.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr().cast(), copy, text.len());
        copy.add(text.len()).write(0);
        let code = call(copy);
        if borrowed {
            process::own_free(copy.cast());
        }
        code
    }
}

/// Fills the program's string with a C string and blanks, if the call went well.
///
/// # Safety
/// By Fortran's contract `text` is a string of `len` characters.
pub unsafe fn fill(text: *mut c_char, len: usize, from: &[u8], code: c_int) {
    if code != MPI_SUCCESS {
        return;
    }
    let from = CStr::from_bytes_until_nul(from).unwrap_or_default().to_bytes();
    let used = from.len().min(len);
    // SAFETY: by Fortran's contract `text` is a string of `len` characters, and `used` is no more.
    unsafe {
        std::ptr::copy_nonoverlapping(from.as_ptr().cast(), text, used);
        std::ptr::write_bytes(text.add(used), b' ', len - used);
    }
}

/// Makes `count` indices that begin with 0 begin with 1; `MPI_UNDEFINED` stays, as a number and as a count.
///
/// # Safety
/// By Fortran's contract `indices` is an array of `count`.
pub unsafe fn from_one(indices: *mut c_int, count: c_int) {
    for place in 0..usize::try_from(count).unwrap_or(0) {
        // SAFETY: by Fortran's contract `indices` is an array of `count`.
        let index = unsafe { &mut *indices.add(place) };
        if *index != MPI_UNDEFINED {
            *index += 1;
        }
    }
}

//! Calls from the library into Fortran functions of the program: attributes, generalized requests and data
//! representations.
//!
//! All arguments go by reference. Reduction functions and error handlers need nothing here: C passes theirs by
//! reference too, and a handle's first word is its number.

use std::ffi::{c_int, c_void};

use crate::abi::MPI_Fint as Fint;
use crate::abi::{MPI_Aint, MPI_Count, MPI_Datatype, MPI_Offset, MPI_Status};
use smpi_runtime::objects::Language;

type Copy = unsafe extern "C" fn(*mut Fint, *mut c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int, *mut Fint);
type Delete = unsafe extern "C" fn(*mut Fint, *mut c_int, *mut c_void, *mut c_void, *mut Fint);
type Query = unsafe extern "C" fn(*mut MPI_Aint, *mut MPI_Status, *mut Fint);
type Free = unsafe extern "C" fn(*mut MPI_Aint, *mut Fint);
type Cancel = unsafe extern "C" fn(*mut MPI_Aint, *mut c_int, *mut Fint);
type Convert =
    unsafe extern "C" fn(*mut c_void, *mut Fint, *mut c_void, *mut c_void, *mut MPI_Offset, *mut MPI_Aint, *mut Fint);
type Extent = unsafe extern "C" fn(*mut Fint, *mut MPI_Aint, *mut MPI_Aint, *mut Fint);

/// What a callback left in a variable that is an INTEGER for old functions and as wide as an address for others. Both
/// begin at the same byte on this machine.
fn read(language: Language, place: MPI_Aint) -> MPI_Aint {
    if language == Language::OldFortran { place as c_int as MPI_Aint } else { place }
}

/// Calls a copy function: its error code, and the new value if there is to be one.
pub fn copy_attribute(
    language: Language,
    function: usize,
    handle: u64,
    keyval: c_int,
    extra_state: usize,
    value: isize,
) -> (c_int, Option<isize>) {
    let (mut handle, mut keyval, mut extra_state) = (handle as Fint, keyval, extra_state as MPI_Aint);
    let (mut value, mut copied, mut flag, mut code) = (value, 0 as MPI_Aint, 0, 0);
    // SAFETY: the address was given to an MPI_*_create_keyval as a Fortran function of this form. An INTEGER is the
    // first half of the places of address-sized integers.
    unsafe {
        std::mem::transmute::<usize, Copy>(function)(
            &raw mut handle,
            &raw mut keyval,
            (&raw mut extra_state).cast(),
            (&raw mut value).cast(),
            (&raw mut copied).cast(),
            &raw mut flag,
            &raw mut code,
        );
    }
    (code, (flag != 0).then_some(read(language, copied)))
}

/// Calls a delete function and returns its error code.
pub fn delete_attribute(function: usize, handle: u64, keyval: c_int, value: isize, extra_state: usize) -> c_int {
    let (mut handle, mut keyval, mut extra_state) = (handle as Fint, keyval, extra_state as MPI_Aint);
    let (mut value, mut code) = (value, 0);
    // SAFETY: the address was given to an MPI_*_create_keyval as a Fortran function of this form.
    unsafe {
        std::mem::transmute::<usize, Delete>(function)(
            &raw mut handle,
            &raw mut keyval,
            (&raw mut value).cast(),
            (&raw mut extra_state).cast(),
            &raw mut code,
        );
    }
    code
}

/// Runs the query function of a generalized request and returns its error code; an address of 0 is none.
pub fn query(function: usize, extra_state: usize, status: &mut MPI_Status) -> c_int {
    let (mut extra_state, mut code) = (extra_state as MPI_Aint, 0);
    if function != 0 {
        // SAFETY: the address was given to MPI_Grequest_start as a Fortran function of this form.
        unsafe { std::mem::transmute::<usize, Query>(function)(&raw mut extra_state, status, &raw mut code) };
    }
    code
}

/// Runs the free function of a generalized request and returns its error code; an address of 0 is none.
pub fn free(function: usize, extra_state: usize) -> c_int {
    let (mut extra_state, mut code) = (extra_state as MPI_Aint, 0);
    if function != 0 {
        // SAFETY: the address was given to MPI_Grequest_start as a Fortran function of this form.
        unsafe { std::mem::transmute::<usize, Free>(function)(&raw mut extra_state, &raw mut code) };
    }
    code
}

/// Runs the cancel function of a generalized request and returns its error code.
pub fn cancel(function: usize, extra_state: usize, complete: c_int) -> c_int {
    let (mut extra_state, mut complete, mut code) = (extra_state as MPI_Aint, complete, 0);
    // SAFETY: the address was given to MPI_Grequest_start as a Fortran function of this form.
    unsafe {
        std::mem::transmute::<usize, Cancel>(function)(&raw mut extra_state, &raw mut complete, &raw mut code);
    }
    code
}

/// Lets a function of a data representation convert data between memory and file, and returns its error code. The
/// count must fit an INTEGER, unless the function is one of `MPI_Register_datarep_c`.
pub fn convert_data(
    function: usize,
    memory: *mut c_void,
    datatype: MPI_Datatype,
    count: MPI_Count,
    file: *mut c_void,
    extra_state: usize,
) -> c_int {
    let (mut datatype, mut count) = (datatype.addr() as Fint, count);
    let (mut position, mut extra_state, mut code) = (0, extra_state as MPI_Aint, 0);
    // SAFETY: the address was given to MPI_Register_datarep as a Fortran function of this form. An INTEGER is the first
    // half of the place of a count. The buffers are arrays, or pointers to C, which are passed alike.
    unsafe {
        std::mem::transmute::<usize, Convert>(function)(
            memory,
            &raw mut datatype,
            (&raw mut count).cast(),
            file,
            &raw mut position,
            &raw mut extra_state,
            &raw mut code,
        );
    }
    code
}

/// Asks a function of a data representation how long a type is in the file, and returns its error code.
pub fn extent_in_file(function: usize, datatype: MPI_Datatype, extent: &mut MPI_Aint, extra_state: usize) -> c_int {
    let (mut datatype, mut extra_state, mut code) = (datatype.addr() as Fint, extra_state as MPI_Aint, 0);
    // SAFETY: the address was given to MPI_Register_datarep as a Fortran function of this form.
    unsafe {
        std::mem::transmute::<usize, Extent>(function)(&raw mut datatype, extent, &raw mut extra_state, &raw mut code);
    }
    code
}

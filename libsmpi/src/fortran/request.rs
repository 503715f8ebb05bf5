//! Generalized requests and data representations: their functions take everything by reference (MPI 5.0 §13.2,
//! §14.5.3).

use std::ffi::{c_char, c_int, c_void};

use super::arguments::{done, handle, number, with_text};
use super::{Fint, entries};
use crate::abi::*;
use smpi_abi::Function;
use smpi_api::boundary::{self, Target};
use smpi_api::functions as api;
use smpi_runtime::objects::{Callbacks, Language, UserRepresentation};

entries! {
    fn mpi_grequest_start_, pmpi_grequest_start_(
        query_fn: *const c_void, free_fn: *const c_void, cancel_fn: *const c_void, extra_state: *const MPI_Aint,
        request: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `extra_state`, `request` and `ierror` are variables, and `query_fn`, `free_fn`
        // and `cancel_fn` are procedures of the declared interface.
        unsafe {
            let callbacks = Callbacks {
                query: query_fn.expose_provenance(),
                free: free_fn.expose_provenance(),
                cancel: cancel_fn.expose_provenance(),
                extra_state: *extra_state as usize,
                language: Language::Fortran,
            };
            let mut request_c = handle(*request);
            let place = &raw mut request_c;
            let code = boundary::call(Function::Grequest_start, Target::None, || api::start_generalized(callbacks, place));
            *request = number(request_c);
            done(ierror, code)
        }
    }
    fn mpi_register_datarep_, pmpi_register_datarep_(
        datarep: *const c_char, read_fn: *const c_void, write_fn: *const c_void, extent_fn: *const c_void,
        extra_state: *const MPI_Aint, ierror: *mut Fint, datarep_len: usize,
    ) {
        // SAFETY: by Fortran's contract `extra_state` and `ierror` are variables, `datarep` is a string of its length,
        // and `read_fn`, `write_fn` and `extent_fn` are procedures of the declared interface.
        unsafe {
            let user = representation([read_fn, write_fn, extent_fn], false, *extra_state);
            done(ierror, with_text(datarep, datarep_len, false, |datarep| register(datarep, user)))
        }
    }
    fn mpi_register_datarep_c_, pmpi_register_datarep_c_(
        datarep: *const c_char, read_fn: *const c_void, write_fn: *const c_void, extent_fn: *const c_void,
        extra_state: *const MPI_Aint, ierror: *mut Fint, datarep_len: usize,
    ) {
        // SAFETY: by Fortran's contract `extra_state` and `ierror` are variables, `datarep` is a string of its length,
        // and `read_fn`, `write_fn` and `extent_fn` are procedures of the declared interface.
        unsafe {
            let user = representation([read_fn, write_fn, extent_fn], true, *extra_state);
            done(ierror, with_text(datarep, datarep_len, false, |datarep| register(datarep, user)))
        }
    }
}

/// A representation of which Fortran has given the functions that read, write, and say how long a type is.
fn representation(functions: [*const c_void; 3], large_count: bool, extra_state: MPI_Aint) -> UserRepresentation {
    let nulls = [mpi_conversion_fn_null_ as *const () as usize, mpi_conversion_fn_null_c_ as *const () as usize];
    let [read, write, extent] =
        functions.map(|function| if nulls.contains(&function.addr()) { 0 } else { function.expose_provenance() });
    let (extra_state, language) = (extra_state as usize, Language::Fortran);
    UserRepresentation { name: "".into(), read, write, large_count, extent, extra_state, language }
}

/// Registers it.
///
/// # Safety
/// `datarep` must be a text, and the functions of `user` procedures of the declared interfaces.
unsafe fn register(datarep: *const c_char, user: UserRepresentation) -> c_int {
    let function = if user.large_count { Function::Register_datarep_c } else { Function::Register_datarep };
    boundary::call(function, Target::File(MPI_FILE_NULL), || {
        // SAFETY: by the condition of this function.
        unsafe { api::register_representation(datarep, user) }
    })
}

/// Defines `MPI_CONVERSION_FN_NULL`, which is only recognised, never called.
macro_rules! conversion_null {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {}
    )*};
}

conversion_null! { mpi_conversion_fn_null_ mpi_conversion_fn_null_c_ }

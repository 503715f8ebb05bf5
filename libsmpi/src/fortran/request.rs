//! Generalized requests and data representations: their functions take everything by reference (MPI 5.0 §13.2,
//! §14.5.3).

use std::ffi::{c_char, c_void};

use super::arguments::{done, handle, number, with_text};
use super::{Fint, c, entries};
use crate::abi::generated::io_view::*;
use crate::abi::*;
use smpi_abi::Function;
use smpi_api::boundary::{self, Target};
use smpi_api::functions as api;
use smpi_runtime::objects::Callbacks;
use smpi_runtime::objects::Language;

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
        datarep: *const c_char, read_fn: Option<MPI_Datarep_conversion_function>,
        write_fn: Option<MPI_Datarep_conversion_function>, extent_fn: Option<MPI_Datarep_extent_function>,
        extra_state: *const MPI_Aint, ierror: *mut Fint, datarep_len: usize,
    ) {
        // SAFETY: by Fortran's contract `extra_state` and `ierror` are variables, `datarep` is a string of its length,
        // and `read_fn`, `write_fn` and `extent_fn` are procedures of the declared interface.
        unsafe {
            let state = std::ptr::without_provenance_mut(*extra_state as usize);
            let code = with_text(datarep, datarep_len, false, |datarep| {
                c!(Register_datarep, PMPI_Register_datarep, _, _, _, _, _)(datarep, read_fn, write_fn, extent_fn, state)
            });
            done(ierror, code)
        }
    }
    fn mpi_register_datarep_c_, pmpi_register_datarep_c_(
        datarep: *const c_char, read_fn: Option<MPI_Datarep_conversion_function_c>,
        write_fn: Option<MPI_Datarep_conversion_function_c>, extent_fn: Option<MPI_Datarep_extent_function>,
        extra_state: *const MPI_Aint, ierror: *mut Fint, datarep_len: usize,
    ) {
        // SAFETY: by Fortran's contract `extra_state` and `ierror` are variables, `datarep` is a string of its length,
        // and `read_fn`, `write_fn` and `extent_fn` are procedures of the declared interface.
        unsafe {
            let state = std::ptr::without_provenance_mut(*extra_state as usize);
            let code = with_text(datarep, datarep_len, false, |datarep| {
                let register_datarep_c = c!(Register_datarep_c, PMPI_Register_datarep_c, _, _, _, _, _);
                register_datarep_c(datarep, read_fn, write_fn, extent_fn, state)
            });
            done(ierror, code)
        }
    }
}

/// Defines `MPI_CONVERSION_FN_NULL`, which is only recognised, never called.
macro_rules! conversion_null {
    ($($name:ident)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() {}
    )*};
}

conversion_null! { mpi_conversion_fn_null_ mpi_conversion_fn_null_c_ }

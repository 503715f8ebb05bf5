//! What MPI-1 had and C's MPI-3 lost (MPI 5.0 §17.1): old Fortran programs call it, with INTEGER for addresses.

use std::ffi::{c_int, c_void};

use super::arguments::{done, handle, number, with_handles};
use super::sentinels::choice;
use super::{Fint, c, entries};
use crate::abi::generated::datatype::*;
use crate::abi::generated::datatype_create::*;
use crate::abi::generated::error::*;
use crate::abi::*;
use smpi_process as process;

/// Calls with an array of INTEGER displacements in today's form.
unsafe fn with_displacements(array: *const c_int, len: c_int, call: impl FnOnce(*const MPI_Aint) -> c_int) -> c_int {
    let len = usize::try_from(len).unwrap_or(0);
    let wide: *mut MPI_Aint = process::own_allocate(len * size_of::<MPI_Aint>()).cast();
    // SAFETY: both arrays have `len` elements.
    unsafe {
        for index in 0..len {
            wide.add(index).write(array.add(index).read() as MPI_Aint);
        }
        let code = call(wide);
        process::own_free(wide.cast());
        code
    }
}

/// An address-sized number as INTEGER; `MPI_UNDEFINED` where it is too large.
fn narrow(value: MPI_Aint) -> c_int {
    c_int::try_from(value).unwrap_or(MPI_UNDEFINED)
}

entries! {
    fn mpi_address_, pmpi_address_(location: *const c_void, address: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `address` and `ierror` are variables.
        unsafe {
            let mut wide: MPI_Aint = 0;
            let code = c!(Get_address, PMPI_Get_address, _, _)(choice(location), &raw mut wide);
            // Programs take differences of addresses, which survive the loss of the upper half.
            *address = wide as c_int;
            done(ierror, code)
        }
    }
    fn mpi_errhandler_create_, pmpi_errhandler_create_(
        handler_fn: Option<MPI_Comm_errhandler_function>, errhandler: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `errhandler` and `ierror` are variables, and `handler_fn` is a procedure of the
        // declared interface.
        unsafe {
            let mut errhandler_c = handle(*errhandler);
            let code = c!(Comm_create_errhandler, PMPI_Comm_create_errhandler, _, _)(handler_fn, &raw mut errhandler_c);
            *errhandler = number(errhandler_c);
            done(ierror, code)
        }
    }
    fn mpi_errhandler_get_, pmpi_errhandler_get_(comm: *const Fint, errhandler: *mut Fint, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `comm`, `errhandler` and `ierror` are variables.
        unsafe {
            let mut errhandler_c = handle(*errhandler);
            let code = c!(Comm_get_errhandler, PMPI_Comm_get_errhandler, _, _)(handle(*comm), &raw mut errhandler_c);
            *errhandler = number(errhandler_c);
            done(ierror, code)
        }
    }
    fn mpi_errhandler_set_, pmpi_errhandler_set_(comm: *const Fint, errhandler: *const Fint, ierror: *mut Fint) {
        let comm_set_errhandler = c!(Comm_set_errhandler, PMPI_Comm_set_errhandler, _, _);
        // SAFETY: by Fortran's contract `comm`, `errhandler` and `ierror` are variables.
        unsafe { done(ierror, comm_set_errhandler(handle(*comm), handle(*errhandler))) }
    }
    fn mpi_type_extent_, pmpi_type_extent_(datatype: *const Fint, extent: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `datatype`, `extent` and `ierror` are variables.
        unsafe {
            let (mut lb, mut wide): (MPI_Aint, MPI_Aint) = (0, 0);
            let type_get_extent = c!(Type_get_extent, PMPI_Type_get_extent, _, _, _);
            let code = type_get_extent(handle(*datatype), &raw mut lb, &raw mut wide);
            *extent = narrow(wide);
            done(ierror, code)
        }
    }
    fn mpi_type_lb_, pmpi_type_lb_(datatype: *const Fint, displacement: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `datatype`, `displacement` and `ierror` are variables.
        unsafe {
            let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
            let type_get_extent = c!(Type_get_extent, PMPI_Type_get_extent, _, _, _);
            let code = type_get_extent(handle(*datatype), &raw mut lb, &raw mut extent);
            *displacement = narrow(lb);
            done(ierror, code)
        }
    }
    fn mpi_type_ub_, pmpi_type_ub_(datatype: *const Fint, displacement: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `datatype`, `displacement` and `ierror` are variables.
        unsafe {
            let (mut lb, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
            let type_get_extent = c!(Type_get_extent, PMPI_Type_get_extent, _, _, _);
            let code = type_get_extent(handle(*datatype), &raw mut lb, &raw mut extent);
            *displacement = narrow(lb + extent);
            done(ierror, code)
        }
    }
    fn mpi_type_hvector_, pmpi_type_hvector_(
        count: *const c_int, blocklength: *const c_int, stride: *const c_int, oldtype: *const Fint,
        newtype: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `count`, `blocklength`, `stride`, `oldtype`, `newtype` and `ierror` are
        // variables.
        unsafe {
            let mut newtype_c = handle(*newtype);
            let stride = *stride as MPI_Aint;
            let type_create_hvector = c!(Type_create_hvector, PMPI_Type_create_hvector, _, _, _, _, _);
            let code = type_create_hvector(*count, *blocklength, stride, handle(*oldtype), &raw mut newtype_c);
            *newtype = number(newtype_c);
            done(ierror, code)
        }
    }
    fn mpi_type_hindexed_, pmpi_type_hindexed_(
        count: *const c_int, lengths: *const c_int, displacements: *const c_int, oldtype: *const Fint,
        newtype: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `count`, `oldtype`, `newtype` and `ierror` are variables, and `lengths` and
        // `displacements` are arrays of `count`.
        unsafe {
            let mut newtype_c = handle(*newtype);
            let code = with_displacements(displacements, *count, |displacements| {
                let type_create_hindexed = c!(Type_create_hindexed, PMPI_Type_create_hindexed, _, _, _, _, _);
                type_create_hindexed(*count, lengths, displacements, handle(*oldtype), &raw mut newtype_c)
            });
            *newtype = number(newtype_c);
            done(ierror, code)
        }
    }
    fn mpi_type_struct_, pmpi_type_struct_(
        count: *const c_int, lengths: *const c_int, displacements: *const c_int, types: *const Fint,
        newtype: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `count`, `newtype` and `ierror` are variables, and `lengths`, `displacements`
        // and `types` are arrays of `count`.
        unsafe {
            let mut newtype_c = handle(*newtype);
            let code = with_displacements(displacements, *count, |displacements| {
                with_handles(types, (*count).into(), |types| {
                    let type_create_struct = c!(Type_create_struct, PMPI_Type_create_struct, _, _, _, _, _);
                    type_create_struct(*count, lengths, displacements, types, &raw mut newtype_c)
                })
            });
            *newtype = number(newtype_c);
            done(ierror, code)
        }
    }
}

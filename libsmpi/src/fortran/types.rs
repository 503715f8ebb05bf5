//! Statuses and Fortran variables: conversions between the forms of a status, `MPI_Sizeof`, `MPI_F_sync_reg` (MPI 5.0
//! §19.1.8, §19.1.9, §19.3.5).

use std::ffi::{c_int, c_void};

use super::arguments::done;
use super::descriptor::Descriptor;
use super::{Fint, entries};
use crate::abi::generated::handles::*;
use crate::abi::*;

entries! {
    fn mpi_status_f2f08_, pmpi_status_f2f08_(
        f_status: *const Fint, f08_status: *mut MPI_F08_status, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `f_status`, `f08_status` and `ierror` are variables.
        unsafe { done(ierror, PMPI_Status_f2f08(f_status, f08_status)) }
    }
    fn mpi_status_f082f_, pmpi_status_f082f_(
        f08_status: *const MPI_F08_status, f_status: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: by Fortran's contract `f08_status`, `f_status` and `ierror` are variables.
        unsafe { done(ierror, PMPI_Status_f082f(f08_status, f_status)) }
    }
    // Nothing happens in these calls: that the compiler knows nothing of them is what they are for.
    fn mpi_f_sync_reg_, pmpi_f_sync_reg_(_buf: *const c_void) {}
    fn mpi_f_sync_reg_f08ts_, pmpi_f_sync_reg_f08ts_(_buf: *const Descriptor) {}
    fn mpi_sizeof_f08ts_, pmpi_sizeof_f08ts_(x: *const Descriptor, size: *mut c_int, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `size` and `ierror` are variables, and `x` is a descriptor.
        unsafe {
            // Of an array of CLASS(*) the compiler tells only how far its elements are apart.
            let array = (*x).array();
            let apart = array.dimensions.first().map_or(0, |dimension| dimension.stride.unsigned_abs());
            *size = if array.elem_len == 0 { apart } else { array.elem_len } as c_int;
            done(ierror, MPI_SUCCESS)
        }
    }
}

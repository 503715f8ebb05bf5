//! Statuses and sizes of Fortran variables: conversions between the forms of a status, `MPI_Sizeof` (MPI 5.0 §19.1.9, §19.3.5).

use std::ffi::c_int;

use super::arguments::done;
use super::section::Descriptor;
use super::{Fint, entries};
use crate::abi::generated::handles::*;
use crate::abi::*;

entries! {
    fn mpi_status_f2f08_, pmpi_status_f2f08_(
        f_status: *const Fint, f08_status: *mut MPI_F08_status, ierror: *mut Fint,
    ) {
        // SAFETY: the contract of this module's parent, in the whole file.
        unsafe { done(ierror, PMPI_Status_f2f08(f_status, f08_status)) }
    }
    fn mpi_status_f082f_, pmpi_status_f082f_(
        f08_status: *const MPI_F08_status, f_status: *mut Fint, ierror: *mut Fint,
    ) {
        // SAFETY: as above.
        unsafe { done(ierror, PMPI_Status_f082f(f08_status, f_status)) }
    }
    fn mpi_sizeof_f08ts_, pmpi_sizeof_f08ts_(x: *const Descriptor, size: *mut c_int, ierror: *mut Fint) {
        // SAFETY: as above.
        unsafe {
            *size = (*x).element_size() as c_int;
            done(ierror, MPI_SUCCESS)
        }
    }
}

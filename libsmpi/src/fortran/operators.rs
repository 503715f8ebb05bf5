//! `==` and `/=` of `mpi_f08`'s handles: external functions, so that the module needs no object.

use super::Fint;
use std::ffi::c_int;

/// Defines the two functions of each type of handle.
macro_rules! comparisons {
    ($($same:ident $differ:ident),* $(,)?) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $same(left: *const Fint, right: *const Fint) -> c_int {
            // SAFETY: by Fortran's contract `left` and `right` are variables that hold handles.
            unsafe { c_int::from(*left == *right) }
        }
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $differ(left: *const Fint, right: *const Fint) -> c_int {
            // SAFETY: by Fortran's contract `left` and `right` are variables that hold handles.
            unsafe { c_int::from(*left != *right) }
        }
    )*};
}

comparisons! {
    smpi_same_comm_ smpi_differ_comm_,
    smpi_same_datatype_ smpi_differ_datatype_,
    smpi_same_errhandler_ smpi_differ_errhandler_,
    smpi_same_file_ smpi_differ_file_,
    smpi_same_group_ smpi_differ_group_,
    smpi_same_info_ smpi_differ_info_,
    smpi_same_message_ smpi_differ_message_,
    smpi_same_op_ smpi_differ_op_,
    smpi_same_request_ smpi_differ_request_,
    smpi_same_session_ smpi_differ_session_,
    smpi_same_win_ smpi_differ_win_,
}

//! Info objects: values as Fortran strings, whose length is that of the variable (MPI 5.0 §10).

use std::ffi::{c_char, c_int};

use super::Fint;
use super::arguments::{done, fill, handle, number, with_text};
use super::{c, entries};
use crate::abi::generated::info::*;
use crate::abi::*;

/// Room for any value and its zero.
const ROOM: usize = MPI_MAX_INFO_VAL as usize + 1;

entries! {
    fn mpi_info_get_, pmpi_info_get_(
        info: *const Fint, key: *const c_char, valuelen: *const c_int, value: *mut c_char, flag: *mut c_int,
        ierror: *mut Fint, key_len: usize, value_len: usize,
    ) {
        // SAFETY: by Fortran's contract `info`, `valuelen`, `flag` and `ierror` are variables, and `key` and `value`
        // are strings of their lengths. `text` has room for all values.
        unsafe {
            let mut text = [0_u8; ROOM];
            let room = (*valuelen).min(ROOM as c_int - 1);
            let code = with_text(key, key_len, true, |key| {
                c!(Info_get, PMPI_Info_get, _, _, _, _, _)(handle(*info), key, room, text.as_mut_ptr().cast(), flag)
            });
            if code == MPI_SUCCESS && *flag != 0 {
                fill(value, value_len, &text, code);
            }
            done(ierror, code)
        }
    }
    fn mpi_info_get_string_, pmpi_info_get_string_(
        info: *const Fint, key: *const c_char, buflen: *mut c_int, value: *mut c_char, flag: *mut c_int,
        ierror: *mut Fint, key_len: usize, value_len: usize,
    ) {
        // SAFETY: by Fortran's contract `info`, `buflen`, `flag` and `ierror` are variables, and `key` and `value` are
        // strings of their lengths.
        unsafe {
            let mut text = [0_u8; ROOM];
            let wanted = *buflen;
            // C counts the zero.
            let mut room = if wanted > 0 { wanted.saturating_add(1).min(ROOM as c_int) } else { wanted };
            let code = with_text(key, key_len, true, |key| {
                let info_get_string = c!(Info_get_string, PMPI_Info_get_string, _, _, _, _, _);
                info_get_string(handle(*info), key, &raw mut room, text.as_mut_ptr().cast(), flag)
            });
            if code == MPI_SUCCESS && *flag != 0 {
                *buflen = room - 1;
                if wanted > 0 {
                    fill(value, value_len, &text, code);
                }
            }
            done(ierror, code)
        }
    }
    fn mpi_info_create_env_, pmpi_info_create_env_(info: *mut Fint, ierror: *mut Fint) {
        // SAFETY: by Fortran's contract `info` and `ierror` are variables. C reads no arguments, as it is told that
        // there are none.
        unsafe {
            let mut info_c = handle(*info);
            let code = c!(Info_create_env, PMPI_Info_create_env, _, _, _)(0, std::ptr::null_mut(), &raw mut info_c);
            *info = number(info_c);
            done(ierror, code)
        }
    }
}

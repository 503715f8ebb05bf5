//! What `smpi/smpi.h` says for verification, as Fortran programs call it. No module declares it: these are external
//! procedures, the same whichever interface of MPI is used.

use std::ffi::{c_char, c_int, c_void};

use super::Fint;
use super::arguments::with_text;
use smpi_api::functions::smpi_ext::{
    MC_assert, MC_ignore, MC_is_active, MC_proposition, MC_proposition_function, MC_random,
};

/// `call MC_proposition(name, variable)`: a LOGICAL is an `int` here.
///
/// # Safety
/// By Fortran's contract `name` is a string; `variable` is a variable that lives until the rank ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mc_proposition_(name: *const c_char, variable: *const Fint, name_len: usize) {
    // SAFETY: by Fortran's contract `name` is a string of its length, and `variable` is a variable.
    unsafe {
        with_text(name, name_len, true, |name| {
            MC_proposition(name, variable);
            0
        });
    }
}

/// `call MC_proposition_function(name, function)`: the function has no arguments and a LOGICAL result.
///
/// # Safety
/// By Fortran's contract `name` is a string, and `function` a procedure, which lives until the rank ends.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mc_proposition_function_(
    name: *const c_char,
    function: Option<extern "C" fn() -> c_int>,
    name_len: usize,
) {
    // SAFETY: by Fortran's contract `name` is a string of its length, and `function` is a procedure.
    unsafe {
        with_text(name, name_len, true, |name| {
            MC_proposition_function(name, function);
            0
        });
    }
}

/// `call MC_ignore(variable, bytes)`: the second is an INTEGER; what is negative is no bytes.
///
/// # Safety
/// By Fortran's contract `memory` and `bytes` are variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mc_ignore_(memory: *mut c_void, bytes: *const Fint) {
    // SAFETY: by Fortran's contract `bytes` is a variable.
    unsafe { MC_ignore(memory, usize::try_from(*bytes).unwrap_or(0)) };
}

/// `call MC_assert(logical)`.
///
/// # Safety
/// By Fortran's contract `prop` is a variable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mc_assert_(prop: *const Fint) {
    // SAFETY: by Fortran's contract `prop` is a variable.
    MC_assert(unsafe { *prop });
}

/// `integer function MC_random(min, max)`.
///
/// # Safety
/// By Fortran's contract `min` and `max` are variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mc_random_(min: *const Fint, max: *const Fint) -> Fint {
    // SAFETY: by Fortran's contract `min` and `max` are variables.
    unsafe { MC_random(*min, *max) }
}

/// `logical function MC_is_active()`.
#[unsafe(no_mangle)]
pub extern "C" fn mc_is_active_() -> Fint {
    MC_is_active()
}

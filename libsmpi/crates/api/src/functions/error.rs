//! Error codes and classes, predefined and of the program (MPI 5.0 §9.4, §9.5).

use std::ffi::{c_char, c_int};

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::attribute::last_used_code_changed;
use crate::abi::constants::*;
use crate::convert;
use smpi_runtime::objects::UserErrors;
use smpi_runtime::with_objects;

use crate::errors;

/// The error for a number that is no error code here.
fn bad_code(name: &str, code: c_int, allowed: &str) -> MpiError {
    MpiError::parameter(ErrorClass::ARG, name, code, allowed)
}

/// Runs the action on the program's own codes.
fn with_user<R>(action: impl FnOnce(&mut UserErrors) -> R) -> R {
    with_objects(|objects| action(&mut objects.user_errors))
}

/// The class of any code.
fn class_of(code: c_int, name: &str) -> Result<c_int> {
    if errors::is_predefined(code) {
        return Ok(code);
    }
    with_user(|user| user.class_of(code)).ok_or_else(|| bad_code(name, code, "an error code"))
}

/// `MPI_Error_class`.
pub fn error_class(errorcode: c_int) -> Result<c_int> {
    class_of(errorcode, "errorcode")
}

/// `MPI_Error_string`.
///
/// # Safety
/// `string` must be null or have `MPI_MAX_ERROR_STRING` bytes; `resultlen` must be null or valid for writing.
pub unsafe fn error_string(errorcode: c_int, string: *mut c_char) -> Result<c_int> {
    class_of(errorcode, "errorcode")?;
    if string.is_null() {
        return Err(convert::null("string"));
    }
    let text = errors::text_of(errorcode).unwrap_or_default();
    // SAFETY: by MPI's contract `string` has room for `MPI_MAX_ERROR_STRING` bytes.
    unsafe {
        let len = convert::put_string(&text, string, MPI_MAX_ERROR_STRING as usize);
        Ok(len)
    }
}

/// `MPI_Add_error_class`.
pub fn add_error_class() -> Result<c_int> {
    let class = with_user(UserErrors::add_class);
    last_used_code_changed();
    Ok(class)
}

/// `MPI_Add_error_code`.
pub fn add_error_code(errorclass: c_int) -> Result<c_int> {
    if class_of(errorclass, "errorclass")? != errorclass {
        return Err(bad_code("errorclass", errorclass, "an error class"));
    }
    let code = with_user(|user| user.add_code(errorclass));
    last_used_code_changed();
    Ok(code)
}

/// A code that the program may change: one that it added.
fn own_code(code: c_int, name: &str) -> Result<c_int> {
    let allowed = format!("a value above MPI_ERR_LASTCODE ({MPI_ERR_LASTCODE}) that the program added");
    with_user(|user| user.class_of(code)).ok_or_else(|| bad_code(name, code, &allowed))
}

/// `MPI_Add_error_string`.
///
/// # Safety
/// `string` must be a string.
pub unsafe fn add_error_string(errorcode: c_int, string: *const c_char) -> Result<()> {
    own_code(errorcode, "errorcode")?;
    // SAFETY: by MPI's contract `string` is a text.
    let text = unsafe { convert::string(string, "string") }?;
    let length = smpi_mpi::text::len(&text);
    if length >= MPI_MAX_ERROR_STRING as usize {
        let found = format!("{length} bytes");
        let allowed = format!("at most {} bytes", MPI_MAX_ERROR_STRING - 1);
        return Err(MpiError::parameter(ErrorClass::ARG, "string", found, &allowed));
    }
    with_user(|user| user.set_text(errorcode, text));
    Ok(())
}

/// What is removed must have no text any more.
fn without_text(name: &str, code: c_int) -> Result<()> {
    let has_text = with_user(|user| user.text(code).is_some());
    let allowed = "a value whose error string has been removed (MPI_Remove_error_string)";
    if has_text { Err(bad_code(name, code, allowed)) } else { Ok(()) }
}

/// `MPI_Remove_error_class`: the codes of the class and its text must have been removed before.
pub fn remove_error_class(errorclass: c_int) -> Result<()> {
    if own_code(errorclass, "errorclass")? != errorclass {
        return Err(bad_code("errorclass", errorclass, "an error class, not a code of one"));
    }
    if with_user(|user| user.has_codes(errorclass)) {
        return Err(bad_code("errorclass", errorclass, "a class whose error codes have all been removed"));
    }
    without_text("errorclass", errorclass)?;
    with_user(|user| user.remove(errorclass));
    Ok(())
}

/// `MPI_Remove_error_code`: its text must have been removed before.
pub fn remove_error_code(errorcode: c_int) -> Result<()> {
    if own_code(errorcode, "errorcode")? == errorcode {
        return Err(bad_code("errorcode", errorcode, "an error code, not a class"));
    }
    without_text("errorcode", errorcode)?;
    with_user(|user| user.remove(errorcode));
    Ok(())
}

/// `MPI_Remove_error_string`.
pub fn remove_error_string(errorcode: c_int) -> Result<()> {
    own_code(errorcode, "errorcode")?;
    if with_user(|user| user.remove_text(errorcode)) {
        return Ok(());
    }
    Err(bad_code("errorcode", errorcode, "a code or class with an error string"))
}

//! What a program may ask about the binary interface (MPI 5.0 §20.6).
//!
//! Fortran's part of it is known from the start, because `smpif90` calls gfortran: sizes, kinds, and the values of
//! LOGICAL constants. So nothing is left for a program to set.

use std::ffi::{c_int, c_void};

use smpi_abi::c::MPI_ABI_SUBVERSION;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::Info;

use super::info::{give_info, look};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// Kinds of gfortran that MPI has optional datatypes for, with the size of one in bytes (MPI 5.0 §3.2.2).
const OPTIONAL: [(&str, &[usize]); 4] = [
    ("logical", &[1, 2, 4, 8, 16]),
    ("integer", &[1, 2, 4, 8, 16]),
    ("real", &[2, 4, 8, 16]),
    ("complex", &[4, 8, 16, 32]),
];

/// Bytes of a LOGICAL of the default kind.
const LOGICAL_SIZE: usize = 4;

/// `MPI_Abi_get_version`.
///
/// # Safety
/// Both pointers must be null or valid for writing.
pub unsafe fn abi_get_version(abi_major: *mut c_int) -> Result<c_int> {
    // SAFETY: by MPI's contract both are places.
    unsafe {
        convert::put(abi_major, MPI_ABI_VERSION, "abi_major")?;
        Ok(MPI_ABI_SUBVERSION)
    }
}

fn sizes(entries: &[(&str, usize)]) -> Result<Info> {
    let mut info = Info::new();
    for (name, size) in entries {
        info.set(&format!("mpi_{name}_size"), &size.to_string())?;
    }
    Ok(info)
}

/// `MPI_Abi_get_info`.
pub fn abi_get_info() -> Result<MPI_Info> {
    let known =
        [("aint", size_of::<MPI_Aint>()), ("count", size_of::<MPI_Count>()), ("offset", size_of::<MPI_Offset>())];
    give_info(sizes(&known)?)
}

/// `MPI_Abi_get_fortran_info`.
pub fn abi_get_fortran_info() -> Result<MPI_Info> {
    let mut known = sizes(&[("logical", LOGICAL_SIZE), ("integer", 4), ("real", 4), ("double_precision", 8)])?;
    for (kind, lens) in OPTIONAL {
        for len in lens {
            known.set(&format!("mpi_{kind}{len}_supported"), "true")?;
        }
    }
    known.set("mpi_double_complex_supported", "true")?;
    give_info(known)
}

fn already_set() -> MpiError {
    let text = "what is known of Fortran is that of gfortran, which smpif90 calls, and cannot be set again";
    MpiError::new(ErrorClass::ABI, text)
}

/// `MPI_Abi_set_fortran_info`: always refused.
pub fn abi_set_fortran_info(info: MPI_Info) -> Result<()> {
    look(info, |_| Err(already_set()))
}

/// Checks the size of a LOGICAL that the caller assumes.
fn check_logical(size: c_int) -> Result<()> {
    let wrong = || MpiError::parameter(ErrorClass::ABI, "logical_size", size.to_string(), "4, the size of gfortran's");
    if size == LOGICAL_SIZE as c_int { Ok(()) } else { Err(wrong()) }
}

/// `MPI_Abi_set_fortran_booleans`: always refused.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn abi_set_fortran_booleans(
    logical_size: c_int,
    _logical_true: *mut c_void,
    _logical_false: *mut c_void,
) -> Result<()> {
    check_logical(logical_size)?;
    Err(already_set())
}

/// `MPI_Abi_get_fortran_booleans`: the bytes of `.TRUE.` and `.FALSE.`.
///
/// # Safety
/// Pointers must be null or valid for writing: two of them `logical_size` bytes.
pub unsafe fn abi_get_fortran_booleans(
    logical_size: c_int,
    logical_true: *mut c_void,
    logical_false: *mut c_void,
) -> Result<c_int> {
    check_logical(logical_size)?;
    for (place, value, name) in [(logical_true, 1_i32, "logical_true"), (logical_false, 0, "logical_false")] {
        // SAFETY: by MPI's contract there is room for `logical_size` bytes, which are 4.
        unsafe { convert::put(place.cast(), value, name) }?;
    }
    Ok(1)
}

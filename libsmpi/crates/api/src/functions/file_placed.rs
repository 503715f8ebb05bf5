//! Accesses at explicit offsets and at individual file pointers, and where these pointers are (MPI 5.0 §14.4.2,
//! §14.4.3).

use std::ffi::{c_int, c_void};

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::file::{Here, current_size, offset_of};
use super::file_access::{Pointer, reading, writing};
use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// `MPI_File_read_at`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::At(offset), buf, count, datatype).now(status)
}

/// `MPI_File_read_at_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::At(offset), buf, count, datatype).with_all(Function::File_read_at_all, status)
}

/// `MPI_File_iread_at`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iread_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    reading(fh, Pointer::At(offset), buf, count, datatype).later(request)
}

/// `MPI_File_iread_at_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iread_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    reading(fh, Pointer::At(offset), buf, count, datatype).with_all_later(Function::File_iread_at_all, request)
}

/// `MPI_File_write_at`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::At(offset), buf, count, datatype).now(status)
}

/// `MPI_File_write_at_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::At(offset), buf, count, datatype).with_all(Function::File_write_at_all, status)
}

/// `MPI_File_iwrite_at`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iwrite_at(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    writing(fh, Pointer::At(offset), buf, count, datatype).later(request)
}

/// `MPI_File_iwrite_at_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iwrite_at_all(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    writing(fh, Pointer::At(offset), buf, count, datatype).with_all_later(Function::File_iwrite_at_all, request)
}

/// `MPI_File_read`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::Own, buf, count, datatype).now(status)
}

/// `MPI_File_read_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_all(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::Own, buf, count, datatype).with_all(Function::File_read_all, status)
}

/// `MPI_File_iread`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iread(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    reading(fh, Pointer::Own, buf, count, datatype).later(request)
}

/// `MPI_File_iread_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iread_all(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    reading(fh, Pointer::Own, buf, count, datatype).with_all_later(Function::File_iread_all, request)
}

/// `MPI_File_write`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::Own, buf, count, datatype).now(status)
}

/// `MPI_File_write_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_all(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::Own, buf, count, datatype).with_all(Function::File_write_all, status)
}

/// `MPI_File_iwrite`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iwrite(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    writing(fh, Pointer::Own, buf, count, datatype).later(request)
}

/// `MPI_File_iwrite_all`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iwrite_all(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    writing(fh, Pointer::Own, buf, count, datatype).with_all_later(Function::File_iwrite_all, request)
}

/// Where a file pointer goes that is moved from `now`, in etypes.
///
/// # Errors
/// `MPI_ERR_ARG` for places before the view, and for unknown ways of counting.
pub(super) fn target_of(here: Here, offset: MPI_Offset, whence: c_int, now: u64) -> Result<u64> {
    let view = convert::with_file(here.handle, "fh", |file| Ok(std::rc::Rc::clone(&file.view)))?;
    let base = match whence {
        MPI_SEEK_SET => 0,
        MPI_SEEK_CUR => now,
        MPI_SEEK_END => view.end(current_size(here)?),
        _ => {
            let allowed = "MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END";
            return Err(MpiError::parameter(ErrorClass::ARG, "whence", whence, allowed));
        }
    };
    let place = base.checked_add_signed(offset).and_then(|place| MPI_Offset::try_from(place).ok());
    let wrong = || {
        let allowed = format!("{} or more, so that the pointer stays in the view", -(base as i128));
        MpiError::parameter(ErrorClass::ARG, "offset", offset, &allowed)
    };
    offset_of(place.ok_or_else(wrong)?, &view)
}

/// `MPI_File_seek`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_seek(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let now = convert::with_file(fh, "fh", |file| Ok(file.position))?;
    let place = target_of(here, offset, whence, now)?;
    convert::with_file(fh, "fh", |file| {
        file.position = place;
        Ok(())
    })
}

/// `MPI_File_get_position`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_get_position(fh: MPI_File, offset: *mut MPI_Offset) -> Result<()> {
    Here::of(fh)?.amode.check_placed()?;
    let now = convert::with_file(fh, "fh", |file| Ok(file.position))?;
    // SAFETY: by MPI's contract `offset` is a place.
    unsafe { convert::put(offset, now as MPI_Offset, "offset") }
}

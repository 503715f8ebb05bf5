//! Accesses at shared file pointers, in any order or in that of ranks (MPI 5.0 §14.4.4).

use std::ffi::{c_int, c_void};

use smpi_abi::Function;
use smpi_mpi::error::Result;
use smpi_runtime::files::Act;

use super::file::{Here, shared_position};
use super::file_access::{Pointer, reading, writing};
use super::file_placed::target_of;
use crate::abi::types::*;
use crate::convert;

/// `MPI_File_read_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_shared(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::Shared, buf, count, datatype).now(status)
}

/// `MPI_File_iread_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iread_shared(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    reading(fh, Pointer::Shared, buf, count, datatype).later(request)
}

/// `MPI_File_read_ordered`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_ordered(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    reading(fh, Pointer::Ordered, buf, count, datatype).with_all(Function::File_read_ordered, status)
}

/// `MPI_File_write_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_shared(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::Shared, buf, count, datatype).now(status)
}

/// `MPI_File_iwrite_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_iwrite_shared(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    request: *mut MPI_Request,
) -> Result<()> {
    writing(fh, Pointer::Shared, buf, count, datatype).later(request)
}

/// `MPI_File_write_ordered`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_ordered(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
    status: *mut MPI_Status,
) -> Result<()> {
    writing(fh, Pointer::Ordered, buf, count, datatype).with_all(Function::File_write_ordered, status)
}

/// `MPI_File_seek_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_seek_shared(fh: MPI_File, offset: MPI_Offset, whence: c_int) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let place = target_of(here, offset, whence, shared_position(here)?)?;
    here.together(Function::File_seek_shared, Act::Seek(place))
}

/// `MPI_File_get_position_shared`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_get_position_shared(fh: MPI_File, offset: *mut MPI_Offset) -> Result<()> {
    let here = Here::of(fh)?;
    here.amode.check_placed()?;
    let now = shared_position(here)?;
    // SAFETY: by MPI's contract `offset` is a place.
    unsafe { convert::put(offset, now as MPI_Offset, "offset") }
}

//! Split collective accesses (MPI 5.0 §14.4.5): the first half moves the data, the second one says what came of it.

use std::ffi::c_void;

use smpi_abi::Function;
use smpi_mpi::error::Result;

use super::file_access::{Pointer, end, reading, writing};
use crate::abi::types::*;

/// `MPI_File_read_at_all_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_at_all_begin(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    reading(fh, Pointer::At(offset), buf, count, datatype)
        .begin(Function::File_read_at_all_begin, Function::File_read_at_all_end)
}

/// `MPI_File_read_at_all_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_at_all_end(fh: MPI_File, _buf: *mut c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_read_at_all_end, fh, status)
}

/// `MPI_File_read_all_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_all_begin(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    reading(fh, Pointer::Own, buf, count, datatype).begin(Function::File_read_all_begin, Function::File_read_all_end)
}

/// `MPI_File_read_all_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_all_end(fh: MPI_File, _buf: *mut c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_read_all_end, fh, status)
}

/// `MPI_File_read_ordered_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_ordered_begin(
    fh: MPI_File,
    buf: *mut c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    reading(fh, Pointer::Ordered, buf, count, datatype)
        .begin(Function::File_read_ordered_begin, Function::File_read_ordered_end)
}

/// `MPI_File_read_ordered_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_read_ordered_end(fh: MPI_File, _buf: *mut c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_read_ordered_end, fh, status)
}

/// `MPI_File_write_at_all_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_at_all_begin(
    fh: MPI_File,
    offset: MPI_Offset,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    writing(fh, Pointer::At(offset), buf, count, datatype)
        .begin(Function::File_write_at_all_begin, Function::File_write_at_all_end)
}

/// `MPI_File_write_at_all_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_at_all_end(fh: MPI_File, _buf: *const c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_write_at_all_end, fh, status)
}

/// `MPI_File_write_all_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_all_begin(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    writing(fh, Pointer::Own, buf, count, datatype).begin(Function::File_write_all_begin, Function::File_write_all_end)
}

/// `MPI_File_write_all_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_all_end(fh: MPI_File, _buf: *const c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_write_all_end, fh, status)
}

/// `MPI_File_write_ordered_begin`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_ordered_begin(
    fh: MPI_File,
    buf: *const c_void,
    count: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    writing(fh, Pointer::Ordered, buf, count, datatype)
        .begin(Function::File_write_ordered_begin, Function::File_write_ordered_end)
}

/// `MPI_File_write_ordered_end`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn file_write_ordered_end(fh: MPI_File, _buf: *const c_void, status: *mut MPI_Status) -> Result<()> {
    end(Function::File_write_ordered_end, fh, status)
}

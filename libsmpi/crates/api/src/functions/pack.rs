//! Packing and unpacking by the program itself (MPI 5.0 §5.2, §5.3).
//!
//! Packed data is what a message carries: the data in type map order, without gaps. All work happens in the calling
//! rank's memory.

use std::ffi::{c_char, c_void};

use smpi_mpi::collective::Part;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use super::datatype::put_count;
use crate::abi::*;
use crate::convert;
use smpi_runtime::current_rank;
use smpi_runtime::memory::ProcessMemory;
use smpi_watch::access;

/// The program's buffer of packed data: `len` bytes from `position` on, of which `need` are used.
struct Window {
    position: i64,
    need: i64,
}

/// Checks the position in a packed buffer and that `need` bytes follow it.
///
/// # Safety
/// `position` must be null or valid for reading.
unsafe fn window(size: (i64, usize, &str), position: (CountOut, usize), need: u64) -> Result<Window> {
    let (size, size_at, size_name) = size;
    let size = convert::count(size, size_at, size_name)?;
    if position.0.is_null() {
        return Err(convert::null(position.1, "position"));
    }
    // SAFETY: not null, and then valid by the caller's promise.
    let start = unsafe { position.0.get() };
    if start < 0 || start > size {
        let allowed = format!("0 to {size}");
        return Err(MpiError::parameter(ErrorClass::ARG, position.1, "position", start, &allowed));
    }
    // Sizes of data were checked to fit 63 bits.
    let need = need as i64;
    if need > size - start {
        let allowed = format!("at least {need} bytes after position {start}");
        return Err(MpiError::parameter(ErrorClass::TRUNCATE, size_at, size_name, size, &allowed));
    }
    if !position.0.fits(start + need) {
        let allowed = format!("a position of at most {} after the call; the _c form has no such limit", i32::MAX);
        return Err(MpiError::parameter(ErrorClass::VALUE_TOO_LARGE, position.1, "position", start + need, &allowed));
    }
    Ok(Window { position: start, need })
}

impl Window {
    /// The used bytes, for writing.
    ///
    /// # Safety
    /// `buffer` must be valid for writing them.
    unsafe fn output<'a>(&self, buffer: *mut c_void, position: usize, name: &str) -> Result<&'a mut [u8]> {
        match (self.need, buffer.is_null()) {
            (0, _) => Ok(&mut []),
            (_, true) => Err(buffer_missing(position, name)),
            // SAFETY: not null, and then valid by the caller's promise.
            (need, false) => Ok(unsafe {
                std::slice::from_raw_parts_mut(buffer.cast::<u8>().offset(self.position as isize), need as usize)
            }),
        }
    }

    /// The used bytes, for reading.
    ///
    /// # Safety
    /// `buffer` must be valid for reading them.
    unsafe fn input<'a>(&self, buffer: *const c_void, position: usize, name: &str) -> Result<&'a [u8]> {
        match (self.need, buffer.is_null()) {
            (0, _) => Ok(&[]),
            (_, true) => Err(buffer_missing(position, name)),
            // SAFETY: not null, and then valid by the caller's promise.
            (need, false) => Ok(unsafe {
                std::slice::from_raw_parts(buffer.cast::<u8>().offset(self.position as isize), need as usize)
            }),
        }
    }

    fn end(&self) -> i64 {
        self.position + self.need
    }
}

fn buffer_missing(position: usize, name: &str) -> MpiError {
    MpiError::parameter(ErrorClass::BUFFER, position, name, "a null pointer", "a buffer")
}

/// `count` elements of a committed type, in the program's memory. The numbers are positions in the prototype.
fn data(
    buffer: (*const c_void, usize, &str),
    count: (MPI_Count, usize, &str),
    datatype: (MPI_Datatype, usize),
) -> Result<Part> {
    let count = convert::count(count.0, count.1, count.2)?;
    let datatype = convert::datatype(datatype.0, datatype.1, "datatype")?;
    convert::part(buffer.0, count, datatype, buffer.1, buffer.2)
}

/// `MPI_Pack`.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn pack(
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
    comm: MPI_Comm,
) -> Result<()> {
    convert::comm(comm, 7, "comm")?;
    let part = data((inbuf, 1, "inbuf"), (incount, 2, "incount"), (datatype, 3))?;
    access::uses(&part, false);
    let (memory, count) = (ProcessMemory::new(0, None), part.count as u64);
    let size = part.datatype.packed_size(count)?;
    // SAFETY: the caller's promise.
    unsafe {
        let window = window((outsize, 5, "outsize"), (position, 6), size)?;
        let out = window.output(outbuf, 4, "outbuf")?;
        part.datatype.pack_range(&memory, current_rank(), part.at, count, 0..size, out);
        put_count(position, window.end(), 6, "position")
    }
}

/// `MPI_Unpack`.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn unpack(
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    convert::comm(comm, 7, "comm")?;
    let part = data((outbuf, 4, "outbuf"), (outcount, 5, "outcount"), (datatype, 6))?;
    access::uses(&part, true);
    let (mut memory, count) = (ProcessMemory::new(0, None), part.count as u64);
    let size = part.datatype.packed_size(count)?;
    // SAFETY: the caller's promise.
    unsafe {
        let window = window((insize, 2, "insize"), (position, 3), size)?;
        let input = window.input(inbuf, 1, "inbuf")?;
        part.datatype.unpack(&mut memory, current_rank(), part.at, count, input);
        put_count(position, window.end(), 3, "position")
    }
}

/// `MPI_Pack_size`: exact, as packed data has no header.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn pack_size(incount: MPI_Count, datatype: MPI_Datatype, comm: MPI_Comm, size: CountOut) -> Result<()> {
    convert::comm(comm, 3, "comm")?;
    let count = convert::count(incount, 1, "incount")? as u64;
    let bytes = convert::datatype(datatype, 2, "datatype")?.packed_size(count)?;
    // SAFETY: the caller's promise.
    unsafe { put_count(size, bytes as i64, 4, "size") }
}

/// Checks the name of the data representation: only external32 exists for packing.
///
/// # Safety
/// `datarep` must be null or a terminated string.
unsafe fn check_representation(datarep: *const c_char) -> Result<()> {
    // SAFETY: the caller's promise.
    let name = unsafe { convert::string(datarep, 1, "datarep") }?;
    if name != "external32" {
        let (value, allowed) = (format!("\"{name}\""), "\"external32\"");
        return Err(MpiError::parameter(ErrorClass::UNSUPPORTED_DATAREP, 1, "datarep", value, allowed));
    }
    Ok(())
}

/// `MPI_Pack_external`.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn pack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        check_representation(datarep)?;
        let part = data((inbuf, 2, "inbuf"), (incount, 3, "incount"), (datatype, 4))?;
        access::uses(&part, false);
        let (memory, count) = (ProcessMemory::new(0, None), part.count as u64);
        let window = window((outsize, 6, "outsize"), (position, 7), part.datatype.external32_size(count)?)?;
        let mut packed = Vec::new();
        part.datatype.pack_external32(&memory, current_rank(), part.at, count, &mut packed)?;
        window.output(outbuf, 5, "outbuf")?.copy_from_slice(&packed);
        put_count(position, window.end(), 7, "position")
    }
}

/// `MPI_Unpack_external`.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn unpack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        check_representation(datarep)?;
        let part = data((outbuf, 5, "outbuf"), (outcount, 6, "outcount"), (datatype, 7))?;
        access::uses(&part, true);
        let (mut memory, count) = (ProcessMemory::new(0, None), part.count as u64);
        let window = window((insize, 3, "insize"), (position, 4), part.datatype.external32_size(count)?)?;
        let input = window.input(inbuf, 2, "inbuf")?;
        part.datatype.unpack_external32(&mut memory, current_rank(), part.at, count, input);
        put_count(position, window.end(), 4, "position")
    }
}

/// `MPI_Pack_external_size`.
///
/// # Safety
/// See `crate::abi`.
pub unsafe fn pack_external_size(
    datarep: *const c_char,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    size: CountOut,
) -> Result<()> {
    // SAFETY: the caller's promise.
    unsafe {
        check_representation(datarep)?;
        let count = convert::count(incount, 2, "incount")? as u64;
        let bytes = convert::datatype(datatype, 3, "datatype")?.external32_size(count)?;
        put_count(size, bytes as i64, 4, "size")
    }
}

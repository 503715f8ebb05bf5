//! Packing and unpacking by the program itself (MPI 5.0 §5.2, §5.3).
//!
//! Packed data is what a message carries: the data in type map order, without gaps. All work happens in the calling
//! rank's memory.

use std::ffi::{c_char, c_void};

use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Datatype, copy_typed};
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::memory::{Addr, Memory};

use crate::abi::*;
use crate::{convert, own_memory};
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
unsafe fn window(size: (i64, &str), position: CountOut, need: u64) -> Result<Window> {
    let (size, size_name) = size;
    let size = convert::count(size, size_name)?;
    if position.is_null() {
        return Err(convert::null("position"));
    }
    // SAFETY: by MPI's contract `position` may be read, as it is not null.
    let start = unsafe { position.get() };
    if start < 0 || start > size {
        let allowed = format!("0 to {size}");
        return Err(MpiError::parameter(ErrorClass::ARG, "position", start, &allowed));
    }
    // Sizes of data were checked to fit 63 bits.
    let need = need as i64;
    if need > size - start {
        let allowed = format!("at least {need} bytes after position {start}");
        return Err(MpiError::parameter(ErrorClass::TRUNCATE, size_name, size, &allowed));
    }
    if !position.fits(start + need) {
        let allowed = format!("a position of at most {} after the call; the _c form has no such limit", i32::MAX);
        return Err(MpiError::parameter(ErrorClass::VALUE_TOO_LARGE, "position", start + need, &allowed));
    }
    Ok(Window { position: start, need })
}

impl Window {
    /// The used bytes of a buffer, which are read or written.
    fn bytes(&self, buffer: *const c_void, writes: bool, name: &str) -> Result<Part> {
        if self.need > 0 && buffer.is_null() {
            let found = "a null pointer";
            return Err(MpiError::parameter(ErrorClass::BUFFER, name, found, "a buffer"));
        }
        let at = Addr(buffer as u64).offset(self.position);
        let part = Part { at, count: self.need, datatype: Datatype::basic(Basic::Byte) };
        own_memory::part(&part, writes, name)?;
        Ok(part)
    }

    fn end(&self) -> i64 {
        self.position + self.need
    }
}

/// `count` elements of a committed type, in the program's memory.
fn data(buffer: (*const c_void, &str), count: (MPI_Count, &str), datatype: MPI_Datatype) -> Result<Part> {
    let count = convert::count(count.0, count.1)?;
    let datatype = convert::datatype_of(count, datatype, "datatype")?;
    convert::part(buffer.0, count, datatype, buffer.1)
}

/// `MPI_Pack`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn pack(
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
    comm: MPI_Comm,
) -> Result<()> {
    convert::comm(comm, "comm")?;
    let part = data((inbuf, "inbuf"), (incount, "incount"), datatype)?;
    access::uses(&part, false);
    let size = part.datatype.packed_size(part.count as u64)?;
    // SAFETY: by MPI's contract `position` is a place, and `inbuf` and `outbuf` are buffers, used during this call.
    unsafe {
        let window = window((outsize, "outsize"), position, size)?;
        let (rank, out) = (current_rank(), window.bytes(outbuf, true, "outbuf")?);
        copy_typed(&mut ProcessMemory::new(0, None), part.place(rank), out.place(rank));
        convert::put_count(position, window.end(), "position")
    }
}

/// `MPI_Unpack`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn unpack(
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> Result<()> {
    convert::comm(comm, "comm")?;
    let part = data((outbuf, "outbuf"), (outcount, "outcount"), datatype)?;
    own_memory::part(&part, true, "outbuf")?;
    access::uses(&part, true);
    let size = part.datatype.packed_size(part.count as u64)?;
    // SAFETY: by MPI's contract `position` is a place, and `inbuf` and `outbuf` are buffers, used during this call.
    unsafe {
        let window = window((insize, "insize"), position, size)?;
        let (rank, input) = (current_rank(), window.bytes(inbuf, false, "inbuf")?);
        copy_typed(&mut ProcessMemory::new(0, None), input.place(rank), part.place(rank));
        convert::put_count(position, window.end(), "position")
    }
}

/// `MPI_Pack_size`: exact, as packed data has no header.
pub fn pack_size(incount: MPI_Count, datatype: MPI_Datatype, comm: MPI_Comm) -> Result<i64> {
    convert::comm(comm, "comm")?;
    let count = convert::count(incount, "incount")? as u64;
    let bytes = convert::datatype(datatype, "datatype")?.packed_size(count)?;
    Ok(bytes as i64)
}

/// Checks the name of the data representation: only external32 exists for packing.
///
/// # Safety
/// `datarep` must be null or a terminated string.
unsafe fn check_representation(datarep: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `datarep` is a text.
    let name = unsafe { convert::string(datarep, "datarep") }?;
    if name != "external32" {
        let (value, allowed) = (format!("\"{name}\""), "\"external32\"");
        return Err(MpiError::parameter(ErrorClass::UNSUPPORTED_DATAREP, "datarep", value, allowed));
    }
    Ok(())
}

/// `MPI_Pack_external`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn pack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    outbuf: *mut c_void,
    outsize: MPI_Count,
    position: CountOut,
) -> Result<()> {
    // SAFETY: by MPI's contract `datarep` is a text, `position` a place, and `inbuf` and `outbuf` are buffers, used
    // during this call.
    unsafe {
        check_representation(datarep)?;
        let part = data((inbuf, "inbuf"), (incount, "incount"), datatype)?;
        access::uses(&part, false);
        let (rank, mut memory, count) = (current_rank(), ProcessMemory::new(0, None), part.count as u64);
        let window = window((outsize, "outsize"), position, part.datatype.external32_size(count)?)?;
        let mut packed = Vec::new();
        part.datatype.pack_external32(&memory, rank, part.at, count, &mut packed)?;
        let out = window.bytes(outbuf, true, "outbuf")?;
        if out.count > 0 {
            memory.write(rank, out.at, &packed);
        }
        convert::put_count(position, window.end(), "position")
    }
}

/// `MPI_Unpack_external`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn unpack_external(
    datarep: *const c_char,
    inbuf: *const c_void,
    insize: MPI_Count,
    position: CountOut,
    outbuf: *mut c_void,
    outcount: MPI_Count,
    datatype: MPI_Datatype,
) -> Result<()> {
    // SAFETY: by MPI's contract `datarep` is a text, `position` a place, and `inbuf` and `outbuf` are buffers, used
    // during this call.
    unsafe {
        check_representation(datarep)?;
        let part = data((outbuf, "outbuf"), (outcount, "outcount"), datatype)?;
        own_memory::part(&part, true, "outbuf")?;
        access::uses(&part, true);
        let (rank, mut memory, count) = (current_rank(), ProcessMemory::new(0, None), part.count as u64);
        let window = window((insize, "insize"), position, part.datatype.external32_size(count)?)?;
        let input = window.bytes(inbuf, false, "inbuf")?;
        let mut packed = Vec::new();
        input.datatype.pack(&memory, rank, input.at, input.count as u64, &mut packed);
        part.datatype.unpack_external32(&mut memory, rank, part.at, count, &packed);
        convert::put_count(position, window.end(), "position")
    }
}

/// `MPI_Pack_external_size`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn pack_external_size(
    datarep: *const c_char,
    incount: MPI_Count,
    datatype: MPI_Datatype,
    size: CountOut,
) -> Result<()> {
    // SAFETY: by MPI's contract `datarep` is a text and `size` a place.
    unsafe {
        check_representation(datarep)?;
        let count = convert::count(incount, "incount")? as u64;
        let bytes = convert::datatype(datatype, "datatype")?.external32_size(count)?;
        convert::put_count(size, bytes as i64, "size")
    }
}

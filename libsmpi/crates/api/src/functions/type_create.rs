//! The constructors of datatypes (MPI 5.0 §5.1.2 to §5.1.4, §5.1.7, §19.1.9).

use std::ffi::c_int;

use smpi_mpi::datatype::{DarrayArguments, Datatype, check_ndims};
use smpi_mpi::error::Result;

use super::datatype::{handle_of, is_large};
use crate::abi::*;
use crate::{convert, own_memory};
use smpi_runtime::objects::handles::{Kind, encode};
use smpi_runtime::with_objects;

/// The handle, for the program, of a type that a constructor made.
fn give(datatype: Datatype) -> Result<MPI_Datatype> {
    let datatype = if is_large() { datatype.with_large_counts() } else { datatype };
    handle_of(datatype, false)
}

/// An input array of `len` numbers.
///
/// # Safety
/// The array must be null or have `len` elements.
unsafe fn list(array: Counts, len: usize, name: &str) -> Result<Vec<i64>> {
    array.check(len, name)?;
    // SAFETY: by MPI's contract `array` is an array of `len`.
    Ok(unsafe { array.to_vec(len) })
}

/// An input array of `len` values.
///
/// # Safety
/// The array must be null or have `len` elements that stay as they are during the call.
unsafe fn slice<'a, T>(array: *const T, len: usize, name: &str) -> Result<&'a [T]> {
    if len == 0 {
        return Ok(&[]);
    }
    own_memory::needed(array, len, name)?;
    // SAFETY: by MPI's contract `array`, which is not null, is an array of `len`, and nobody changes it during the
    // call.
    Ok(unsafe { std::slice::from_raw_parts(array, len) })
}

/// `MPI_Type_contiguous`.
pub fn type_contiguous(count: MPI_Count, oldtype: MPI_Datatype) -> Result<MPI_Datatype> {
    let old = convert::any_datatype(oldtype, "oldtype")?;
    give(Datatype::contiguous(count, &old)?)
}

/// `MPI_Type_vector`.
pub fn type_vector(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let old = convert::any_datatype(oldtype, "oldtype")?;
    give(Datatype::vector(count, blocklength, stride, &old)?)
}

/// `MPI_Type_create_hvector`.
pub fn type_create_hvector(
    count: MPI_Count,
    blocklength: MPI_Count,
    stride: MPI_Count,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let old = convert::any_datatype(oldtype, "oldtype")?;
    give(Datatype::hvector(count, blocklength, stride, &old)?)
}

/// `MPI_Type_indexed`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_indexed(
    count: MPI_Count,
    array_of_blocklengths: Counts,
    array_of_displacements: Counts,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = convert::count(count, "count")? as usize;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_blocklengths` and `array_of_displacements` are
    // arrays of `len`.
    unsafe {
        let blocks = list(array_of_blocklengths, len, "array_of_blocklengths")?;
        let displacements = list(array_of_displacements, len, "array_of_displacements")?;
        give(Datatype::indexed(&blocks, &displacements, &old)?)
    }
}

/// `MPI_Type_create_hindexed`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_hindexed(
    count: MPI_Count,
    array_of_blocklengths: Counts,
    array_of_displacements: Counts,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = convert::count(count, "count")? as usize;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_blocklengths` and `array_of_displacements` are
    // arrays of `len`.
    unsafe {
        let blocks = list(array_of_blocklengths, len, "array_of_blocklengths")?;
        let displacements = list(array_of_displacements, len, "array_of_displacements")?;
        give(Datatype::hindexed(&blocks, &displacements, &old)?)
    }
}

/// `MPI_Type_create_indexed_block`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_indexed_block(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: Counts,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = convert::count(count, "count")? as usize;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_displacements` is an array of `len`.
    unsafe {
        let displacements = list(array_of_displacements, len, "array_of_displacements")?;
        give(Datatype::indexed_block(blocklength, &displacements, &old)?)
    }
}

/// `MPI_Type_create_hindexed_block`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_hindexed_block(
    count: MPI_Count,
    blocklength: MPI_Count,
    array_of_displacements: Counts,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = convert::count(count, "count")? as usize;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_displacements` is an array of `len`.
    unsafe {
        let displacements = list(array_of_displacements, len, "array_of_displacements")?;
        give(Datatype::hindexed_block(blocklength, &displacements, &old)?)
    }
}

/// `MPI_Type_create_struct`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_struct(
    count: MPI_Count,
    array_of_blocklengths: Counts,
    array_of_displacements: Counts,
    array_of_types: *const MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = convert::count(count, "count")? as usize;
    // SAFETY: by MPI's contract `array_of_blocklengths`, `array_of_displacements` and
    // `array_of_types` are arrays of `len`.
    unsafe {
        let blocks = list(array_of_blocklengths, len, "array_of_blocklengths")?;
        let displacements = list(array_of_displacements, len, "array_of_displacements")?;
        let handles = slice(array_of_types, len, "array_of_types")?;
        let types = handles.iter().map(|&handle| convert::any_datatype(handle, "array_of_types"));
        let types = types.collect::<Result<Vec<_>>>()?;
        give(Datatype::structure(&blocks, &displacements, &types)?)
    }
}

/// `MPI_Type_create_subarray`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_subarray(
    ndims: c_int,
    array_of_sizes: Counts,
    array_of_subsizes: Counts,
    array_of_starts: Counts,
    order: c_int,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = check_ndims(ndims)?;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_sizes`, `array_of_subsizes` and `array_of_starts`
    // are arrays of `len`.
    unsafe {
        let sizes = list(array_of_sizes, len, "array_of_sizes")?;
        let subsizes = list(array_of_subsizes, len, "array_of_subsizes")?;
        let starts = list(array_of_starts, len, "array_of_starts")?;
        give(Datatype::subarray(&sizes, &subsizes, &starts, order, &old)?)
    }
}

/// `MPI_Type_create_darray`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_create_darray(
    size: c_int,
    rank: c_int,
    ndims: c_int,
    array_of_gsizes: Counts,
    array_of_distribs: *const c_int,
    array_of_dargs: *const c_int,
    array_of_psizes: *const c_int,
    order: c_int,
    oldtype: MPI_Datatype,
) -> Result<MPI_Datatype> {
    let len = check_ndims(ndims)?;
    let old = convert::any_datatype(oldtype, "oldtype")?;
    // SAFETY: by MPI's contract `array_of_gsizes`, `array_of_distribs`, `array_of_dargs` and
    // `array_of_psizes` are arrays of `len`.
    unsafe {
        let global_sizes = &list(array_of_gsizes, len, "array_of_gsizes")?;
        let distributions = slice(array_of_distribs, len, "array_of_distribs")?;
        let arguments = slice(array_of_dargs, len, "array_of_dargs")?;
        let process_sizes = slice(array_of_psizes, len, "array_of_psizes")?;
        let array = DarrayArguments { size, rank, global_sizes, distributions, arguments, process_sizes, order };
        give(Datatype::darray(array, &old)?)
    }
}

/// `MPI_Type_create_resized`.
pub fn type_create_resized(oldtype: MPI_Datatype, lb: MPI_Count, extent: MPI_Count) -> Result<MPI_Datatype> {
    let old = convert::any_datatype(oldtype, "oldtype")?;
    give(old.resized(lb, extent)?)
}

/// The one handle that all calls with the same arguments share (MPI 5.0 §19.1.9).
fn give_parameterised(datatype: Datatype) -> Result<MPI_Datatype> {
    let found = with_objects(|objects| {
        let same = |known: &Datatype| {
            known.combiner() == datatype.combiner() && known.envelope().integers == datatype.envelope().integers
        };
        let mut entries = objects.types.iter().filter(|(_, entry)| entry.datatype.is_predefined());
        entries.find(|(_, entry)| same(&entry.datatype)).map(|(key, _)| key)
    });
    match found {
        Some(key) => Ok(std::ptr::without_provenance_mut(encode(Kind::Datatype, key) as usize)),
        None => handle_of(datatype, true),
    }
}

/// `MPI_Type_create_f90_real`.
pub fn type_create_f90_real(p: c_int, r: c_int) -> Result<MPI_Datatype> {
    give_parameterised(Datatype::f90_real(p, r)?)
}

/// `MPI_Type_create_f90_complex`.
pub fn type_create_f90_complex(p: c_int, r: c_int) -> Result<MPI_Datatype> {
    give_parameterised(Datatype::f90_complex(p, r)?)
}

/// `MPI_Type_create_f90_integer`.
pub fn type_create_f90_integer(r: c_int) -> Result<MPI_Datatype> {
    give_parameterised(Datatype::f90_integer(r)?)
}

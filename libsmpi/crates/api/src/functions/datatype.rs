//! Datatypes once they are made: commit, duplicate and free, extents, names, contents, and counting received data
//! (MPI 5.0 §5.1, §3.2.5). The constructors are in `type_create`.

use std::ffi::{c_char, c_int, c_void};

use smpi_abi::Function;
use smpi_mpi::datatype::{Combiner, Datatype};
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::*;
use crate::attributes;
use crate::convert::{self, with_type};
use crate::own_memory;
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::objects::{Attributes, KeyvalKind, TypeEntry};
use smpi_runtime::with_objects;
use smpi_runtime::{current_rank, with};

/// True inside the large-count form of a function, whose types report large counts (MPI 5.0 §5.1.13).
pub(super) fn is_large() -> bool {
    let rank = current_rank();
    with(|runtime| runtime.run(rank).call.function().is_some_and(Function::is_large_count))
}

/// Stores a type and gives its handle: the ABI's for predefined ones.
pub(super) fn handle_of(datatype: Datatype, committed: bool) -> Result<MPI_Datatype> {
    if let Some(basic) = datatype.as_basic() {
        return Ok(std::ptr::without_provenance_mut(basic.handle() as usize));
    }
    let entry = TypeEntry { datatype, committed, name: String::new(), attributes: Attributes::default() };
    let full = || MpiError::new(ErrorClass::NO_MEM, "1048576 datatypes exist at once: the limit of this library");
    let key = with_objects(|objects| objects.types.insert(entry)).ok_or_else(full)?;
    Ok(std::ptr::without_provenance_mut(smpi_watch::checks::made(Kind::Datatype, key) as usize))
}

/// `MPI_Type_match_size`.
pub fn type_match_size(typeclass: c_int, size: c_int) -> Result<MPI_Datatype> {
    handle_of(Datatype::match_size(typeclass, size)?, true)
}

/// `MPI_Type_get_value_index`: `MPI_DATATYPE_NULL` for combinations without a predefined pair.
pub fn type_get_value_index(value_type: MPI_Datatype, index_type: MPI_Datatype) -> Result<MPI_Datatype> {
    let value = convert::any_datatype(value_type, "value_type")?;
    let index = convert::any_datatype(index_type, "index_type")?;
    let handle = match Datatype::value_index(&value, &index) {
        Some(pair) => handle_of(pair, true)?,
        None => MPI_DATATYPE_NULL,
    };
    Ok(handle)
}

/// `MPI_Type_dup`: with the attributes that their copy functions keep, and committed if the original is.
pub fn type_dup(oldtype: MPI_Datatype) -> Result<MPI_Datatype> {
    let (old, committed) = with_type(oldtype, "oldtype", |entry| Ok((entry.datatype.clone(), entry.committed)))?;
    let handle = handle_of(old.dup()?, committed)?;
    // The program's functions may wait, with nothing at hand that needs dropping.
    drop(old);
    attributes::copy_all(KeyvalKind::Datatype, oldtype as u64, handle as u64).inspect_err(|_| discard(handle))?;
    Ok(handle)
}

/// `MPI_Type_commit`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_commit(datatype: *mut MPI_Datatype) -> Result<()> {
    // SAFETY: by MPI's contract `datatype` is a place.
    let handle = unsafe { convert::read(datatype, "datatype") }?;
    with_type(handle, "datatype", |entry| {
        entry.committed = true;
        Ok(())
    })
}

/// Forgets a derived type.
fn discard(handle: MPI_Datatype) {
    if let Decoded::Ours(key) = decode(Kind::Datatype, handle as u64) {
        with_objects(|objects| objects.types.remove(key));
    }
}

/// `MPI_Type_free`: communication that uses the type goes on, as do types made from it.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_free(datatype: *mut MPI_Datatype) -> Result<()> {
    // SAFETY: by MPI's contract `datatype` is a place.
    let handle = unsafe { convert::read(datatype, "datatype") }?;
    if convert::any_datatype(handle, "datatype")?.is_predefined() {
        let allowed = "a datatype that a constructor made";
        return Err(MpiError::parameter(ErrorClass::TYPE, "datatype", "a predefined datatype", allowed));
    }
    attributes::delete_all_of(KeyvalKind::Datatype, handle as u64)?;
    discard(handle);
    // SAFETY: by MPI's contract `datatype` is a place.
    unsafe { convert::put(datatype, MPI_DATATYPE_NULL, "datatype") }
}

/// `MPI_Type_size`; `MPI_UNDEFINED` where it does not fit.
pub fn type_size(datatype: MPI_Datatype) -> Result<i64> {
    let datatype = convert::any_datatype(datatype, "datatype")?;
    Ok(datatype.size() as i64)
}

/// `MPI_Type_get_extent`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_get_extent(datatype: MPI_Datatype, lb: CountOut, extent: CountOut) -> Result<()> {
    let datatype = convert::any_datatype(datatype, "datatype")?;
    // SAFETY: by MPI's contract `lb` and `extent` are places.
    unsafe {
        convert::put_count(lb, datatype.lb(), "lb")?;
        convert::put_count(extent, datatype.extent(), "extent")
    }
}

/// `MPI_Type_get_true_extent`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_get_true_extent(datatype: MPI_Datatype, true_lb: CountOut, true_extent: CountOut) -> Result<()> {
    let datatype = convert::any_datatype(datatype, "datatype")?;
    // SAFETY: by MPI's contract `true_lb` and `true_extent` are places.
    unsafe {
        convert::put_count(true_lb, datatype.true_lb(), "true_lb")?;
        convert::put_count(true_extent, datatype.true_extent(), "true_extent")
    }
}

/// The refusal of the `int` form for a type whose arguments only the large-count form can tell.
fn needs_large_form() -> MpiError {
    let allowed = "a datatype made with int counts (the _c form of this function takes this one)";
    MpiError::parameter(ErrorClass::TYPE, "datatype", "a datatype made with large counts", allowed)
}

/// `MPI_Type_get_envelope`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_get_envelope(
    datatype: MPI_Datatype,
    num_integers: CountOut,
    num_addresses: CountOut,
    num_large_counts: CountOut,
    num_datatypes: CountOut,
    combiner: *mut c_int,
) -> Result<()> {
    let datatype = convert::any_datatype(datatype, "datatype")?;
    let (contents, Combiner(number)) = (datatype.envelope(), datatype.combiner());
    if num_large_counts.is_absent() && !contents.counts.is_empty() {
        return Err(needs_large_form());
    }
    // SAFETY: by MPI's contract `num_integers`, `num_addresses`, `num_large_counts`, `num_datatypes` and `combiner` are
    // places.
    unsafe {
        convert::put_count(num_integers, contents.integers.len() as i64, "num_integers")?;
        convert::put_count(num_addresses, contents.addresses.len() as i64, "num_addresses")?;
        convert::put_count(num_large_counts, contents.counts.len() as i64, "num_large_counts")?;
        convert::put_count(num_datatypes, contents.types.len() as i64, "num_datatypes")?;
        convert::put(combiner, number, "combiner")
    }
}

/// Writes one list of contents.
///
/// # Safety
/// `array` must be null or have room for `room` values.
unsafe fn put_list<T: Copy>(values: &[T], array: *mut T, room: i64, name: &str) -> Result<()> {
    if (values.len() as i64) > room {
        let allowed = format!("at least {}", values.len());
        return Err(MpiError::parameter(ErrorClass::ARG, name, room, &allowed));
    }
    own_memory::needed(array, values.len(), name)?;
    // SAFETY: by MPI's contract `array` is an array of `room`, which are enough, and it is null only if nothing is
    // copied.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), array, values.len()) };
    Ok(())
}

/// `MPI_Type_get_contents`: derived types come as new handles that the program frees.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_get_contents(
    datatype: MPI_Datatype,
    max_integers: MPI_Count,
    max_addresses: MPI_Count,
    max_large_counts: MPI_Count,
    max_datatypes: MPI_Count,
    array_of_integers: *mut c_int,
    array_of_addresses: *mut MPI_Aint,
    array_of_large_counts: *mut MPI_Count,
    array_of_datatypes: *mut MPI_Datatype,
) -> Result<()> {
    let contents = convert::any_datatype(datatype, "datatype")?.contents()?;
    if !contents.counts.is_empty() && !is_large() {
        return Err(needs_large_form());
    }
    let addresses: Vec<MPI_Aint> = contents.addresses.iter().map(|&address| address as MPI_Aint).collect();
    // SAFETY: by MPI's contract each `array_of_x` is an array of `max_x`; handles are written to no more elements than
    // `put_list` has checked.
    unsafe {
        put_list(&contents.integers, array_of_integers, max_integers, "max_integers")?;
        put_list(&addresses, array_of_addresses, max_addresses, "max_addresses")?;
        put_list(&contents.counts, array_of_large_counts, max_large_counts, "max_large_counts")?;
        put_list(&vec![MPI_DATATYPE_NULL; contents.types.len()], array_of_datatypes, max_datatypes, "max_datatypes")?;
        for (index, datatype) in contents.types.into_iter().enumerate() {
            let committed = datatype.is_predefined();
            array_of_datatypes.add(index).write(handle_of(datatype, committed)?);
        }
    }
    Ok(())
}

/// `MPI_Type_set_name`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_set_name(datatype: MPI_Datatype, type_name: *const c_char) -> Result<()> {
    // SAFETY: by MPI's contract `type_name` is a text.
    let text = unsafe { convert::string(type_name, "type_name") }?;
    with_type(datatype, "datatype", |entry| {
        entry.name = text;
        Ok(())
    })
}

/// `MPI_Type_get_name`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn type_get_name(datatype: MPI_Datatype, type_name: *mut c_char) -> Result<c_int> {
    let name = if datatype == MPI_DATATYPE_NULL {
        "MPI_DATATYPE_NULL".to_string()
    } else {
        with_type(datatype, "datatype", |entry| Ok(entry.name.clone()))?
    };
    if type_name.is_null() {
        return Err(convert::null("type_name"));
    }
    // SAFETY: by MPI's contract `type_name` has room for `MPI_MAX_OBJECT_NAME` bytes.
    unsafe {
        let len = convert::put_string(&name, type_name, MPI_MAX_OBJECT_NAME as usize);
        Ok(len)
    }
}

/// `MPI_Get_address`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn get_address(location: *const c_void) -> Result<MPI_Aint> {
    Ok(location.expose_provenance() as MPI_Aint)
}

/// The bytes that a status reports.
///
/// # Safety
/// `status` must be null or valid for reading.
unsafe fn received(status: *const MPI_Status) -> Result<u64> {
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status` may be read, as it is not null.
    Ok(convert::bytes_of(unsafe { &*status }))
}

/// `MPI_Get_count`: `MPI_UNDEFINED` unless whole elements arrived.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn get_count(status: *const MPI_Status, datatype: MPI_Datatype) -> Result<i64> {
    // SAFETY: by MPI's contract `status` is a place.
    let bytes = unsafe { received(status) }?;
    let size = convert::any_datatype(datatype, "datatype")?.size();
    let elements = match bytes.checked_rem(size) {
        Some(0) => (bytes / size) as i64,
        None if bytes == 0 => 0,
        _ => i64::from(MPI_UNDEFINED),
    };
    Ok(elements)
}

/// `MPI_Get_elements`: the basic elements that arrived; `MPI_UNDEFINED` when the last one is incomplete.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn get_elements(status: *const MPI_Status, datatype: MPI_Datatype) -> Result<i64> {
    // SAFETY: by MPI's contract `status` is a place.
    let bytes = unsafe { received(status) }?;
    let datatype = convert::any_datatype(datatype, "datatype")?;
    let elements = match datatype.signature().elements_in(bytes) {
        (elements, 0) => elements as i64,
        _ => i64::from(MPI_UNDEFINED),
    };
    Ok(elements)
}

/// `MPI_Status_set_elements`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn status_set_elements(status: *mut MPI_Status, datatype: MPI_Datatype, count: MPI_Count) -> Result<()> {
    let datatype = convert::any_datatype(datatype, "datatype")?;
    let elements = convert::count(count, "count")? as u64;
    if status.is_null() {
        return Err(convert::null("status"));
    }
    // SAFETY: by MPI's contract `status` is the program's, as it is not null, and nobody else uses it during the call.
    convert::set_bytes(unsafe { &mut *status }, datatype.signature().bytes_of(elements));
    Ok(())
}

//! The tool information interface: its start and end, and enumerations (MPI 5.0 §15.3.4, §15.3.5).
//!
//! It may be used before `MPI_Init` and after `MPI_Finalize`.

use std::ffi::{c_char, c_int};

use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::tool;
use crate::user_threads::MOST_THREADS;
use smpi_runtime::tool::Tool;
use smpi_runtime::{current_rank, with, with_objects};

/// `MPI_T_init_thread`: may be called several times.
///
/// # Safety
/// `provided` must be null or valid for writing.
pub unsafe fn t_init_thread(required: c_int, provided: *mut c_int) -> Result<()> {
    // SAFETY: by MPI's contract `provided` is a place.
    unsafe { tool::put(provided, required.clamp(MPI_THREAD_SINGLE, MOST_THREADS), "provided") }?;
    with_objects(|objects| objects.tool.get_or_insert_default().started += 1);
    Ok(())
}

/// `MPI_T_finalize`: as often as it was initialised. What was set stays.
pub fn t_finalize() -> Result<()> {
    let is_last = tool::with_tool(|tool| {
        tool.started -= 1;
        if tool.started > 0 {
            return Ok(false);
        }
        *tool = Tool { own: tool.own, told_before: tool.told_before, ..Tool::default() };
        Ok(true)
    })?;
    if is_last {
        let rank = current_rank();
        with(|runtime| {
            runtime.world.forget_tally(rank);
            runtime.run(rank).is_observed = false;
        });
    }
    Ok(())
}

/// `MPI_T_enum_get_info`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_enum_get_info(
    enumtype: MPI_T_enum,
    num: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let enumeration = tool::enumeration_of(enumtype)?;
    // SAFETY: by MPI's contract `num` and `name_len` are places, and `name` has so much room.
    unsafe {
        tool::tell(num, enumeration.items().len() as c_int);
        tool::tell_text(&enumeration.name(), name, name_len);
    }
    Ok(())
}

/// `MPI_T_enum_get_item`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_enum_get_item(
    enumtype: MPI_T_enum,
    indx: c_int,
    value: *mut c_int,
    name: *mut c_char,
    name_len: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let items = tool::enumeration_of(enumtype)?.items();
    let item = usize::try_from(indx).ok().and_then(|place| items.get(place)).ok_or_else(|| {
        let allowed = format!("0 to {}", items.len() - 1);
        MpiError::parameter(ErrorClass::T_INVALID_ITEM, "indx", indx, &allowed)
    })?;
    // SAFETY: by MPI's contract `value` and `name_len` are places, and `name` has so much room.
    unsafe {
        tool::tell(value, indx);
        tool::tell_text(item, name, name_len);
    }
    Ok(())
}

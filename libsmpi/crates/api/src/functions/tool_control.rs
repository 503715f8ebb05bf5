//! Control variables (MPI 5.0 §15.3.6).

use std::ffi::{c_char, c_int, c_void};

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, recording, tool};
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::tool::control::{self, Chosen, Control, Refused, Scope, What};
use smpi_runtime::tool::{ControlHandle, Type, Value};
use smpi_runtime::{current_rank, tooling, with};

fn scope(of: Scope) -> c_int {
    match of {
        Scope::Constant => MPI_T_SCOPE_CONSTANT,
        Scope::Local => MPI_T_SCOPE_LOCAL,
        Scope::GroupAlike => MPI_T_SCOPE_GROUP_EQ,
        Scope::AllAlike => MPI_T_SCOPE_ALL_EQ,
    }
}

fn refused(why: Refused, control: &Control) -> MpiError {
    match why {
        Refused::Never => {
            MpiError::new(ErrorClass::T_CVAR_SET_NEVER, format!("{} cannot be set by a tool", control.name))
        }
        Refused::NotNow => MpiError::new(ErrorClass::T_CVAR_SET_NOT_NOW, format!("{}: it is too late", control.name)),
        Refused::Value => tool::invalid("buf", "a value", "one of the variable's enumeration"),
    }
}

fn with_handle(handle: MPI_T_cvar_handle) -> Result<ControlHandle> {
    let class = ErrorClass::T_INVALID_HANDLE;
    tool::with_tool(|tool| {
        let key = tool::key(Kind::ControlHandle, class, handle, "handle")?;
        let gone = || tool::stale(Kind::ControlHandle, class, handle, "handle");
        tool.controls.get(key).copied().ok_or_else(gone)
    })
}

/// The algorithms that were chosen on the communicator that a handle is bound to.
fn with_chosen<R>(handle: ControlHandle, action: impl FnOnce(&mut Chosen) -> Result<R>) -> Result<R> {
    let comm = std::ptr::without_provenance_mut(handle.comm as usize);
    let gone = tool::of_interface(ErrorClass::T_INVALID_HANDLE);
    let mut outcome = None;
    convert::with_comm(comm, "handle", |comm| {
        outcome = Some(action(&mut comm.chosen));
        Ok(())
    })
    .map_err(gone)?;
    outcome.unwrap_or_else(|| Err(tool::invalid("handle", "a handle", "one of a communicator")))
}

fn value_of(handle: ControlHandle) -> Result<Value> {
    let control = &control::all()[handle.index];
    let chosen = match control.what {
        What::Algorithm(_) => with_chosen(handle, |chosen| Ok(chosen.clone()))?,
        _ => Chosen::new(),
    };
    Ok(with(|runtime| tooling::read_control(runtime, current_rank(), control, &chosen)))
}

/// `MPI_T_cvar_get_num`.
pub fn t_cvar_get_num() -> Result<c_int> {
    tool::check_started()?;
    Ok(control::all().len() as c_int)
}

/// `MPI_T_cvar_get_info`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_cvar_get_info(
    cvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    scope_place: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let control = &control::all()[tool::index(cvar_index, control::all().len(), "cvar_index")?];
    // SAFETY: by MPI's contract these are places or null, and the texts have as much room as said.
    unsafe {
        tool::tell_text(&control.name, name, name_len);
        tool::tell(verbosity, tool::verbosity(control.verbosity));
        tool::tell(datatype, tool::datatype(control.value_type));
        tool::tell(enumtype, tool::enumeration(control.enumeration));
        tool::tell_text(&control.description, desc, desc_len);
        tool::tell(bind, tool::bind(control.bind));
        tool::tell(scope_place, scope(control.scope));
    }
    Ok(())
}

/// `MPI_T_cvar_get_index`.
///
/// # Safety
/// `name` must be a string; `cvar_index` must be null or valid for writing.
pub unsafe fn t_cvar_get_index(name: *const c_char) -> Result<c_int> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `name` is a text.
    unsafe {
        let place = tool::find(name, control::all().iter().map(|control| control.name.as_str()))?;
        Ok(place)
    }
}

/// `MPI_T_cvar_handle_alloc`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_cvar_handle_alloc(
    cvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut MPI_T_cvar_handle,
    count: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let index = tool::index(cvar_index, control::all().len(), "cvar_index")?;
    if handle.is_null() {
        return Err(tool::invalid("handle", "a null pointer", "a place"));
    }
    // SAFETY: by MPI's contract `obj_handle` is the address of what the variable is bound to.
    let bound = unsafe { tool::bound(control::all()[index].bind, obj_handle) }?;
    let new = ControlHandle { index, comm: bound.map_or(0, |bound| bound.handle) };
    let elements = match value_of(new)? {
        Value::Text(text) => text.len() as c_int + 1,
        _ => 1,
    };
    let full = || MpiError::new(ErrorClass::T_OUT_OF_HANDLES, "1048576 handles of control variables exist at once");
    let key = tool::with_tool(|tool| tool.controls.insert(new).ok_or_else(full))?;
    // SAFETY: by MPI's contract `handle` and `count` are places.
    unsafe {
        tool::tell(count, elements);
        tool::put(handle, tool::handle(Kind::ControlHandle, key), "handle")
    }
}

/// `MPI_T_cvar_handle_free`.
///
/// # Safety
/// `handle` must be null or point to a handle.
pub unsafe fn t_cvar_handle_free(handle: *mut MPI_T_cvar_handle) -> Result<()> {
    let class = ErrorClass::T_INVALID_HANDLE;
    tool::check_started()?;
    // SAFETY: by MPI's contract `handle` is a place.
    let old = unsafe { convert::read(handle, "handle") }.map_err(tool::of_interface(class))?;
    tool::with_tool(|tool| {
        let key = tool::key(Kind::ControlHandle, class, old, "handle")?;
        let gone = || tool::stale(Kind::ControlHandle, class, old, "handle");
        tool.controls.remove(key).map(|_| ()).ok_or_else(gone)
    })?;
    // SAFETY: the handle was read from this place.
    unsafe { *handle = MPI_T_CVAR_HANDLE_NULL };
    Ok(())
}

/// `MPI_T_cvar_read`.
///
/// # Safety
/// `buf` must be null or have room for the variable's elements.
pub unsafe fn t_cvar_read(handle: MPI_T_cvar_handle, buf: *mut c_void) -> Result<()> {
    let value = value_of(with_handle(handle)?)?;
    // SAFETY: by MPI's contract `buf` has room for the variable's elements.
    unsafe { tool::put_value(&value, buf, "buf") }
}

/// `MPI_T_cvar_write`.
///
/// # Safety
/// `buf` must be null or have the variable's elements.
pub unsafe fn t_cvar_write(handle: MPI_T_cvar_handle, buf: *const c_void) -> Result<()> {
    let handle = with_handle(handle)?;
    let control = &control::all()[handle.index];
    if control.scope == Scope::Constant || control.value_type == Type::Text {
        return Err(refused(Refused::Never, control));
    }
    // SAFETY: by MPI's contract `buf` has a value of the variable's type.
    let value = unsafe { tool::read_value(control.value_type, buf) }?;
    match (control.what, &value) {
        (What::Algorithm(kind), &Value::Int(value)) => {
            with_chosen(handle, |chosen| control::choose(chosen, kind, value).map_err(|why| refused(why, control)))
        }
        _ => with(|runtime| tooling::write_control(runtime, current_rank(), control, &value))
            .map_err(|why| refused(why, control)),
    }?;
    recording::not_held(Function::T_cvar_write);
    Ok(())
}

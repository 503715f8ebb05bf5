//! Performance variables (MPI 5.0 §15.3.7).

use std::ffi::{c_char, c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::{convert, tool};
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::state::Runtime;
use smpi_runtime::tool::Value;
use smpi_runtime::tool::performance::{ALL, Class, Handle};
use smpi_runtime::{current_rank, with};

fn class_number(of: Class) -> c_int {
    match of {
        Class::State => MPI_T_PVAR_CLASS_STATE,
        Class::Level => MPI_T_PVAR_CLASS_LEVEL,
        Class::Size => MPI_T_PVAR_CLASS_SIZE,
        Class::Percentage => MPI_T_PVAR_CLASS_PERCENTAGE,
        Class::Highest => MPI_T_PVAR_CLASS_HIGHWATERMARK,
        Class::Lowest => MPI_T_PVAR_CLASS_LOWWATERMARK,
        Class::Counter => MPI_T_PVAR_CLASS_COUNTER,
        Class::Aggregate => MPI_T_PVAR_CLASS_AGGREGATE,
        Class::Timer => MPI_T_PVAR_CLASS_TIMER,
        Class::Generic => MPI_T_PVAR_CLASS_GENERIC,
    }
}

/// The key of a session that there is.
fn session_key(session: MPI_T_pvar_session) -> Result<Key> {
    let class = ErrorClass::T_INVALID_SESSION;
    tool::with_tool(|tool| {
        let key = tool::key(Kind::PerformanceSession, class, session, "session")?;
        let gone = || tool::stale(Kind::PerformanceSession, class, session, "session");
        if tool.sessions.contains(key) { Ok(key) } else { Err(gone()) }
    })
}

/// The key of a handle of a session, and the handle.
fn handle_in(session: Key, handle: MPI_T_pvar_handle) -> Result<(Key, Handle)> {
    let class = ErrorClass::T_INVALID_HANDLE;
    tool::with_tool(|tool| {
        let key = tool::key(Kind::PerformanceHandle, class, handle, "handle")?;
        let gone = || tool::stale(Kind::PerformanceHandle, class, handle, "handle");
        let found = tool.performance.get(key).filter(|found| found.session == session);
        found.map(|found| (key, *found)).ok_or_else(gone)
    })
}

/// Changes handles of the calling rank by what is known of the run.
fn change(keys: &[Key], mut action: impl FnMut(&mut Runtime, &mut Handle)) {
    with(|runtime| {
        let rank = current_rank().index();
        for key in keys {
            let known = |runtime: &Runtime| runtime.objects[rank].tool.as_ref()?.performance.get(*key).copied();
            let Some(mut handle) = known(runtime) else { continue };
            action(runtime, &mut handle);
            if let Some(tool) = &mut runtime.objects[rank].tool
                && let Some(place) = tool.performance.get_mut(*key)
            {
                *place = handle;
            }
        }
    });
}

/// The handles that a call is about: one, which must fit, or those of the session that do.
fn chosen(
    session: MPI_T_pvar_session,
    handle: MPI_T_pvar_handle,
    check: impl Fn(&Handle) -> Result<()>,
) -> Result<Vec<Key>> {
    let session = session_key(session)?;
    if handle != MPI_T_PVAR_ALL_HANDLES {
        let (key, found) = handle_in(session, handle)?;
        return check(&found).map(|()| vec![key]);
    }
    tool::with_tool(|tool| {
        let mut keys = tool.handles_of(session);
        keys.retain(|key| tool.performance.get(*key).is_some_and(|handle| check(handle).is_ok()));
        Ok(keys)
    })
}

fn check_start(handle: &Handle) -> Result<()> {
    let variable = handle.variable();
    if variable.class.is_started() {
        return Ok(());
    }
    let text = format!("{} is continuous", variable.name);
    Err(MpiError::new(ErrorClass::T_PVAR_NO_STARTSTOP, text))
}

fn check_write(handle: &Handle) -> Result<()> {
    let variable = handle.variable();
    if variable.class.is_started() {
        return Ok(());
    }
    Err(MpiError::new(ErrorClass::T_PVAR_NO_WRITE, format!("{} is only read", variable.name)))
}

/// Starts or stops variables.
pub fn run_variable(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle, is_running: bool) -> Result<()> {
    let keys = chosen(session, handle, check_start)?;
    let rank = current_rank();
    change(&keys, |runtime, handle| {
        if handle.is_running != is_running {
            handle.run(runtime, rank, is_running);
        }
    });
    Ok(())
}

/// The value of one handle.
fn value_of(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result<(Key, Value)> {
    let (key, found) = handle_in(session_key(session)?, handle)?;
    if !found.variable().what.is_own() {
        tool::depends_on_timing();
    }
    Ok((key, with(|runtime| found.read(runtime, current_rank()))))
}

/// `MPI_T_pvar_get_num`.
pub fn t_pvar_get_num() -> Result<c_int> {
    tool::check_started()?;
    Ok(ALL.len() as c_int)
}

/// `MPI_T_pvar_get_info`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_pvar_get_info(
    pvar_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    var_class: *mut c_int,
    datatype: *mut MPI_Datatype,
    enumtype: *mut MPI_T_enum,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
    readonly: *mut c_int,
    continuous: *mut c_int,
    atomic: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let variable = ALL[tool::index(pvar_index, ALL.len(), "pvar_index")?];
    let is_started = variable.class.is_started();
    // SAFETY: by MPI's contract these are places or null, and the texts have as much room as said.
    unsafe {
        tool::tell_text(variable.name, name, name_len);
        tool::tell(verbosity, tool::verbosity(variable.verbosity));
        tool::tell(var_class, class_number(variable.class));
        tool::tell(datatype, tool::datatype(variable.value_type));
        tool::tell(enumtype, tool::enumeration(variable.enumeration()));
        tool::tell_text(variable.description, desc, desc_len);
        tool::tell(bind, tool::bind(variable.bind));
        tool::tell(readonly, c_int::from(!is_started));
        tool::tell(continuous, c_int::from(!is_started));
        tool::tell(atomic, c_int::from(is_started));
    }
    Ok(())
}

/// `MPI_T_pvar_get_index`.
///
/// # Safety
/// `name` must be a string; `pvar_index` must be null or valid for writing.
pub unsafe fn t_pvar_get_index(name: *const c_char, var_class: c_int) -> Result<c_int> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `name` is a text.
    unsafe {
        let place = tool::find(name, ALL.iter().map(|variable| variable.name))?;
        if class_number(ALL[place as usize].class) != var_class {
            let text = format!("no variable of class {var_class} has this name");
            return Err(MpiError::new(ErrorClass::T_INVALID_NAME, text));
        }
        Ok(place)
    }
}

/// `MPI_T_pvar_session_create`.
///
/// # Safety
/// `session` must be null or valid for writing.
pub unsafe fn t_pvar_session_create(session: *mut MPI_T_pvar_session) -> Result<()> {
    tool::check_started()?;
    if session.is_null() {
        return Err(tool::invalid("session", "a null pointer", "a place"));
    }
    let full = || MpiError::new(ErrorClass::T_OUT_OF_SESSIONS, "1048576 sessions exist at once");
    let key = tool::with_tool(|tool| tool.sessions.insert(()).ok_or_else(full))?;
    // SAFETY: by MPI's contract `session` is a place.
    unsafe { tool::put(session, tool::handle(Kind::PerformanceSession, key), "session") }
}

/// `MPI_T_pvar_session_free`: with all its handles.
///
/// # Safety
/// `session` must be null or point to a session.
pub unsafe fn t_pvar_session_free(session: *mut MPI_T_pvar_session) -> Result<()> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `session` is a place.
    let old =
        unsafe { convert::read(session, "session") }.map_err(tool::of_interface(ErrorClass::T_INVALID_SESSION))?;
    let key = session_key(old)?;
    let handles = tool::with_tool(|tool| {
        tool.sessions.remove(key);
        Ok(tool.handles_of(key))
    })?;
    for handle in handles {
        free(handle)?;
    }
    // SAFETY: the session was read from this place.
    unsafe { *session = MPI_T_PVAR_SESSION_NULL };
    Ok(())
}

fn free(key: Key) -> Result<()> {
    if let Some(handle) = tool::with_tool(|tool| Ok(tool.performance.remove(key)))? {
        with(|runtime| handle.free(runtime, current_rank()));
    }
    Ok(())
}

/// `MPI_T_pvar_handle_alloc`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_pvar_handle_alloc(
    session: MPI_T_pvar_session,
    pvar_index: c_int,
    obj_handle: *mut c_void,
    handle: *mut MPI_T_pvar_handle,
    count: *mut c_int,
) -> Result<()> {
    let session = session_key(session)?;
    let index = tool::index(pvar_index, ALL.len(), "pvar_index")?;
    if handle.is_null() {
        return Err(tool::invalid("handle", "a null pointer", "a place"));
    }
    // SAFETY: by MPI's contract `obj_handle` is the address of what the variable is bound to.
    let bound = unsafe { tool::bound(ALL[index].bind, obj_handle) }?;
    let full = || MpiError::new(ErrorClass::T_OUT_OF_HANDLES, "1048576 handles of performance variables exist at once");
    let new = with(|runtime| Handle::new(runtime, current_rank(), session, index, bound)).ok_or_else(full)?;
    let key = tool::with_tool(|tool| tool.performance.insert(new).ok_or_else(full))?;
    // SAFETY: by MPI's contract `handle` and `count` are places.
    unsafe {
        tool::tell(count, 1);
        tool::put(handle, tool::handle(Kind::PerformanceHandle, key), "handle")
    }
}

/// `MPI_T_pvar_handle_free`.
///
/// # Safety
/// `handle` must be null or point to a handle.
pub unsafe fn t_pvar_handle_free(session: MPI_T_pvar_session, handle: *mut MPI_T_pvar_handle) -> Result<()> {
    let session = session_key(session)?;
    // SAFETY: by MPI's contract `handle` is a place.
    let old = unsafe { convert::read(handle, "handle") }.map_err(tool::of_interface(ErrorClass::T_INVALID_HANDLE))?;
    free(handle_in(session, old)?.0)?;
    // SAFETY: the handle was read from this place.
    unsafe { *handle = MPI_T_PVAR_HANDLE_NULL };
    Ok(())
}

/// `MPI_T_pvar_read`.
///
/// # Safety
/// `buf` must be null or have room for the variable's elements.
pub unsafe fn t_pvar_read(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle, buf: *mut c_void) -> Result<()> {
    let (_, value) = value_of(session, handle)?;
    // SAFETY: by MPI's contract `buf` has room for the variable's elements.
    unsafe { tool::put_value(&value, buf, "buf") }
}

/// `MPI_T_pvar_write`.
///
/// # Safety
/// `buf` must be null or have the variable's elements.
pub unsafe fn t_pvar_write(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle, buf: *const c_void) -> Result<()> {
    let (key, found) = handle_in(session_key(session)?, handle)?;
    check_write(&found)?;
    // SAFETY: by MPI's contract `buf` has a value of the variable's type.
    let value = unsafe { tool::read_value(found.variable().value_type, buf) }?;
    change(&[key], |runtime, handle| handle.write(runtime, current_rank(), &value));
    Ok(())
}

/// `MPI_T_pvar_reset`.
pub fn t_pvar_reset(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle) -> Result<()> {
    let keys = chosen(session, handle, check_write)?;
    change(&keys, |runtime, handle| handle.reset(runtime, current_rank()));
    Ok(())
}

/// `MPI_T_pvar_readreset`.
///
/// # Safety
/// `buf` must be null or have room for the variable's elements.
pub unsafe fn t_pvar_readreset(session: MPI_T_pvar_session, handle: MPI_T_pvar_handle, buf: *mut c_void) -> Result<()> {
    let (key, value) = value_of(session, handle)?;
    let (_, found) = handle_in(session_key(session)?, handle)?;
    if !found.variable().class.is_started() {
        let text = format!("{} cannot be reset", found.variable().name);
        return Err(MpiError::new(ErrorClass::T_PVAR_NO_ATOMIC, text));
    }
    // SAFETY: by MPI's contract `buf` has room for the variable's elements.
    unsafe { tool::put_value(&value, buf, "buf") }?;
    change(&[key], |runtime, handle| handle.reset(runtime, current_rank()));
    Ok(())
}

//! Events and their sources (MPI 5.0 §15.3.8). [`crate::tool::tell_events`] calls the callbacks.

use std::ffi::{c_char, c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::info::Info;
use smpi_mpi::world::Clock;

use super::info as infos;
use crate::abi::types::*;
use crate::{convert, passage, tool};
use smpi_runtime::objects::handles::Kind;
use smpi_runtime::tool::Told;
use smpi_runtime::tool::event::{self, ALL, Callback, EventType, Registration, source};
use smpi_runtime::{callbacks, current_rank, tooling, with};

/// There is one source.
const SOURCES: usize = 1;

fn stale(registration: MPI_T_event_registration) -> MpiError {
    tool::stale(Kind::Registration, ErrorClass::T_INVALID_HANDLE, registration, "event_registration")
}

fn key_of(registration: MPI_T_event_registration) -> Result<Key> {
    tool::key(Kind::Registration, ErrorClass::T_INVALID_HANDLE, registration, "event_registration")
}

/// Runs the action on a registration.
fn with_registration<R>(
    registration: MPI_T_event_registration,
    action: impl FnOnce(&mut Registration) -> Result<R>,
) -> Result<R> {
    tool::with_tool(|tool| {
        let found = tool.registrations.get_mut(key_of(registration)?);
        action(found.ok_or_else(|| stale(registration))?)
    })
}

/// The index of a level of safety.
fn level(cb_safety: MPI_T_cb_safety) -> Result<usize> {
    let place = tool::SAFETY.iter().position(|level| *level == cb_safety);
    place.ok_or_else(|| tool::invalid("cb_safety", cb_safety, "one of MPI_T_CB_REQUIRE_..."))
}

/// The hints of an info object that may be `MPI_INFO_NULL`.
fn hints(info: MPI_Info) -> Result<Info> {
    convert::info(info, "info").map_err(tool::of_interface(ErrorClass::T_INVALID))
}

/// The event that a callback is told of.
fn told(instance: MPI_T_event_instance) -> Result<Told> {
    let allowed = "the event that the running callback was given";
    let wrong =
        || MpiError::parameter(ErrorClass::T_INVALID_HANDLE, "event_instance", format!("{instance:?}"), allowed);
    tool::with_tool(|tool| tool.told.filter(|told| told.number == instance.addr() as u64).ok_or_else(wrong))
}

fn ticks(time: smpi_base::SimTime) -> MPI_Count {
    (time.secs() * source::TICKS_PER_SECOND as f64).round() as MPI_Count
}

/// Gives hints as a new info object.
unsafe fn give(info: Info, place: *mut MPI_Info, name: &str) -> Result<()> {
    // SAFETY: by MPI's contract `place` is a place.
    unsafe { tool::put(place, infos::give_info(info)?, name) }
}

/// `MPI_T_source_get_num`.
pub fn t_source_get_num() -> Result<c_int> {
    tool::check_started()?;
    Ok(SOURCES as c_int)
}

/// `MPI_T_source_get_info`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_source_get_info(
    source_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    desc: *mut c_char,
    desc_len: *mut c_int,
    ordering: *mut MPI_T_source_order,
    ticks_per_second: *mut MPI_Count,
    max_ticks: *mut MPI_Count,
    info: *mut MPI_Info,
) -> Result<()> {
    tool::check_started()?;
    tool::index(source_index, SOURCES, "source_index")?;
    // SAFETY: by MPI's contract these are places or null, and the texts have as much room as said.
    unsafe {
        tool::tell_text(source::NAME, name, name_len);
        tool::tell_text(source::DESCRIPTION, desc, desc_len);
        tool::tell(ordering, MPI_T_SOURCE_ORDERED);
        tool::tell(ticks_per_second, source::TICKS_PER_SECOND);
        tool::tell(max_ticks, MPI_Count::MAX);
        if !info.is_null() {
            give(Info::new(), info, "info")?;
        }
    }
    Ok(())
}

/// `MPI_T_source_get_timestamp`.
pub fn t_source_get_timestamp(source_index: c_int) -> Result<MPI_Count> {
    tool::check_started()?;
    tool::index(source_index, SOURCES, "source_index")?;
    tool::depends_on_timing();
    let now = with(|runtime| runtime.driver.now());
    Ok(ticks(now))
}

/// `MPI_T_event_get_num`.
pub fn t_event_get_num() -> Result<c_int> {
    tool::check_started()?;
    Ok(ALL.len() as c_int)
}

/// `MPI_T_event_get_info`: types and places of as many elements as there is room for.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_event_get_info(
    event_index: c_int,
    name: *mut c_char,
    name_len: *mut c_int,
    verbosity: *mut c_int,
    array_of_datatypes: *mut MPI_Datatype,
    array_of_displacements: *mut MPI_Aint,
    num_elements: *mut c_int,
    enumtype: *mut MPI_T_enum,
    info: *mut MPI_Info,
    desc: *mut c_char,
    desc_len: *mut c_int,
    bind: *mut c_int,
) -> Result<()> {
    tool::check_started()?;
    let event = &ALL[tool::index(event_index, ALL.len(), "event_index")?];
    // SAFETY: by MPI's contract these are places or null, the texts have as much room as said, and so have the arrays.
    unsafe {
        tool::tell_text(event.name, name, name_len);
        tool::tell(verbosity, tool::verbosity(event.verbosity));
        let room = if num_elements.is_null() { 0 } else { usize::try_from(*num_elements).unwrap_or(0) };
        for (place, (of, at)) in event.elements().iter().take(room).enumerate() {
            if !array_of_datatypes.is_null() {
                array_of_datatypes.add(place).write(tool::datatype(*of));
            }
            if !array_of_displacements.is_null() {
                array_of_displacements.add(place).write(*at as MPI_Aint);
            }
        }
        tool::tell(num_elements, event.elements().len() as c_int);
        tool::tell(enumtype, tool::enumeration(Some(event.enumeration())));
        tool::tell_text(event.description, desc, desc_len);
        tool::tell(bind, tool::bind(event.bind));
        if !info.is_null() {
            give(Info::new(), info, "info")?;
        }
    }
    Ok(())
}

/// `MPI_T_event_get_index`.
///
/// # Safety
/// `name` must be a string; `event_index` must be null or valid for writing.
pub unsafe fn t_event_get_index(name: *const c_char) -> Result<c_int> {
    tool::check_started()?;
    // SAFETY: by MPI's contract `name` is a text.
    unsafe { tool::find(name, ALL.iter().map(|event| event.name)) }
}

/// `MPI_T_event_handle_alloc`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_event_handle_alloc(
    event_index: c_int,
    obj_handle: *mut c_void,
    info: MPI_Info,
    event_registration: *mut MPI_T_event_registration,
) -> Result<()> {
    tool::check_started()?;
    let index = tool::index(event_index, ALL.len(), "event_index")?;
    if event_registration.is_null() {
        return Err(tool::invalid("event_registration", "a null pointer", "a place"));
    }
    // SAFETY: by MPI's contract `obj_handle` is the address of what the event is bound to.
    let bound = unsafe { tool::bound(ALL[index].bind, obj_handle) }?;
    let new = Registration::new(index, bound, hints(info)?);
    let full = || MpiError::new(ErrorClass::T_OUT_OF_HANDLES, "1048576 registrations for events exist at once");
    let key = tool::with_tool(|tool| tool.registrations.insert(new).ok_or_else(full))?;
    // SAFETY: by MPI's contract `event_registration` is a place.
    unsafe { tool::put(event_registration, tool::handle(Kind::Registration, key), "event_registration") }
}

/// `MPI_T_event_handle_set_info`.
pub fn t_event_handle_set_info(event_registration: MPI_T_event_registration, info: MPI_Info) -> Result<()> {
    tool::check_started()?;
    let info = hints(info)?;
    with_registration(event_registration, |registration| {
        registration.info = info;
        Ok(())
    })
}

/// `MPI_T_event_handle_get_info`.
///
/// # Safety
/// `info_used` must be null or valid for writing.
pub unsafe fn t_event_handle_get_info(
    event_registration: MPI_T_event_registration,
    info_used: *mut MPI_Info,
) -> Result<()> {
    let info = with_registration(event_registration, |registration| Ok(registration.info.clone()))?;
    // SAFETY: by MPI's contract `info_used` is a place.
    unsafe { give(info, info_used, "info_used") }
}

/// `MPI_T_event_register_callback`: no function takes back the one that there is for this level of safety.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_event_register_callback(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
    user_data: *mut c_void,
    event_cb_function: Option<MPI_T_event_cb_function>,
) -> Result<()> {
    tool::check_started()?;
    let (level, info) = (level(cb_safety)?, hints(info)?);
    let user_data = user_data.expose_provenance();
    let callback = event_cb_function.map(|function| Callback { function: function as usize, user_data });
    let changed = with_registration(event_registration, |registration| {
        registration.callbacks[level] = callback;
        registration.infos[level] = info;
        Ok(registration.clone())
    })?;
    if callback.is_some() && !ALL[changed.index].is_own() {
        tool::depends_on_timing();
    }
    let key = key_of(event_registration)?;
    with(|runtime| tooling::listen(runtime, current_rank(), key, Some(&changed)));
    Ok(())
}

/// `MPI_T_event_callback_set_info`.
pub fn t_event_callback_set_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info: MPI_Info,
) -> Result<()> {
    tool::check_started()?;
    let (level, info) = (level(cb_safety)?, hints(info)?);
    with_registration(event_registration, |registration| {
        registration.infos[level] = info;
        Ok(())
    })
}

/// `MPI_T_event_callback_get_info`.
///
/// # Safety
/// `info_used` must be null or valid for writing.
pub unsafe fn t_event_callback_get_info(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    info_used: *mut MPI_Info,
) -> Result<()> {
    tool::check_started()?;
    let level = level(cb_safety)?;
    let info = with_registration(event_registration, |registration| Ok(registration.infos[level].clone()))?;
    // SAFETY: by MPI's contract `info_used` is a place.
    unsafe { give(info, info_used, "info_used") }
}

/// `MPI_T_event_handle_free`: no callback is told of anything any more when the function is called.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_event_handle_free(
    event_registration: MPI_T_event_registration,
    user_data: *mut c_void,
    free_cb_function: Option<MPI_T_event_free_cb_function>,
) -> Result<()> {
    let key = tool::with_tool(|tool| {
        let key = key_of(event_registration)?;
        tool.registrations.remove(key).map(|_| key).ok_or_else(|| stale(event_registration))
    })?;
    with(|runtime| tooling::listen(runtime, current_rank(), key, None));
    if let Some(function) = free_cb_function {
        let (handle, data) = (event_registration.addr() as u64, user_data.expose_provenance());
        passage::outside(|| callbacks::registration_freed(function as usize, handle, MPI_T_CB_REQUIRE_NONE, data));
    }
    Ok(())
}

/// `MPI_T_event_set_dropped_handler`.
///
/// # Safety
/// [MPI's contract](crate::contract) for this function's arguments.
pub unsafe fn t_event_set_dropped_handler(
    event_registration: MPI_T_event_registration,
    dropped_cb_function: Option<MPI_T_event_dropped_cb_function>,
) -> Result<()> {
    with_registration(event_registration, |registration| {
        registration.dropped = dropped_cb_function.map_or(0, |function| function as usize);
        Ok(())
    })
}

/// `MPI_T_event_read`.
///
/// # Safety
/// `buffer` must be null or have room for the element.
pub unsafe fn t_event_read(
    event_instance: MPI_T_event_instance,
    element_index: c_int,
    buffer: *mut c_void,
) -> Result<()> {
    let values = event::values(told(event_instance)?.event.facts);
    let place = tool::index(element_index, values.len(), "element_index")?;
    // SAFETY: by MPI's contract `buffer` has room for the element.
    unsafe { tool::put_value(&values[place], buffer, "buffer") }
}

/// `MPI_T_event_copy`: every element where `MPI_T_event_get_info` says.
///
/// # Safety
/// `buffer` must be null or have room for all elements.
pub unsafe fn t_event_copy(event_instance: MPI_T_event_instance, buffer: *mut c_void) -> Result<()> {
    let event = told(event_instance)?.event;
    if buffer.is_null() {
        return Err(tool::invalid("buffer", "a null pointer", "a place"));
    }
    for (value, (_, at)) in event::values(event.facts).iter().zip(EventType::of(event.kind).elements()) {
        // SAFETY: by MPI's contract `buffer` has room for all elements, of which this is one.
        unsafe { tool::put_value(value, buffer.byte_add(*at), "buffer") }?;
    }
    Ok(())
}

/// `MPI_T_event_get_timestamp`.
pub fn t_event_get_timestamp(event_instance: MPI_T_event_instance) -> Result<MPI_Count> {
    let time = told(event_instance)?.event.time;
    tool::depends_on_timing();
    Ok(ticks(time))
}

/// `MPI_T_event_get_source`.
pub fn t_event_get_source(event_instance: MPI_T_event_instance) -> Result<c_int> {
    told(event_instance)?;
    Ok(0)
}

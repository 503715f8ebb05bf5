//! What the functions of the tool information interface share (MPI 5.0 §15.3): its errors, texts and values as C has
//! them, and the time at which callbacks are told of events.
//!
//! Errors are codes of the interface and go to no error handler. What is given out by pointer may be null in functions
//! that say what there is (§15.3.3), and is wrong in others.

use std::ffi::{CStr, c_char, c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::world::Chooser;
use smpi_runtime::objects::handles::{Kind, encode};
use smpi_runtime::tool::event::Callback;
use smpi_runtime::tool::{Bind, Bound, Enumeration, Told, Tool, Type, Value, Verbosity};
use smpi_runtime::{callbacks, current_rank, with, with_objects};

use crate::abi::constants::*;
use crate::abi::types::*;
use crate::convert;

/// Levels of safety for callbacks, from the least on.
pub const SAFETY: [MPI_T_cb_safety; 4] = [
    MPI_T_CB_REQUIRE_NONE,
    MPI_T_CB_REQUIRE_MPI_RESTRICTED,
    MPI_T_CB_REQUIRE_THREAD_SAFE,
    MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
];

/// Why an exploration in which a tool asks what happens around its rank is not complete.
const TIMING: &str = "a tool asks for times, for the state of queues, for messages of collective operations or for messages that \
                      nobody has received yet, which depends on how soon others go on; not all of that is tried";

/// Runs the action on the record of the calling rank.
///
/// # Errors
/// `MPI_T_ERR_NOT_INITIALIZED`.
pub fn with_tool<R>(action: impl FnOnce(&mut Tool) -> Result<R>) -> Result<R> {
    with_objects(|objects| match &mut objects.tool {
        Some(tool) if tool.started > 0 => action(tool),
        _ => Err(MpiError::new(ErrorClass::T_NOT_INITIALIZED, "MPI_T_init_thread was not called, or undone")),
    })
}

/// # Errors
/// `MPI_T_ERR_NOT_INITIALIZED`.
pub fn check_started() -> Result<()> {
    with_tool(|_| Ok(()))
}

/// What is read now is not the same in all executions, though it is not explored in all ways.
pub fn depends_on_timing() {
    with(|runtime| {
        if runtime.driver.explores() {
            runtime.world.observers.unexplored.get_or_insert(TIMING);
        }
    });
}

/// An argument that is wrong.
pub fn invalid(name: &str, value: impl std::fmt::Display, allowed: &str) -> MpiError {
    MpiError::parameter(ErrorClass::T_INVALID, name, value, allowed)
}

/// The same error as one of this interface.
pub fn of_interface(class: ErrorClass) -> impl Fn(MpiError) -> MpiError {
    move |error| MpiError { class, ..error }
}

/// An index of one of `count` things.
///
/// # Errors
/// `MPI_T_ERR_INVALID_INDEX`.
pub fn index(index: c_int, count: usize, name: &str) -> Result<usize> {
    usize::try_from(index).ok().filter(|index| *index < count).ok_or_else(|| {
        let allowed = format!("0 to {}", count - 1);
        MpiError::parameter(ErrorClass::T_INVALID_INDEX, name, index, &allowed)
    })
}

/// The place of the first of the names that are the same as the program's text.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for null, `MPI_T_ERR_INVALID_NAME` when there is none.
///
/// # Safety
/// By MPI's contract `name` is a text.
pub unsafe fn find<'a>(name: *const c_char, mut names: impl Iterator<Item = &'a str>) -> Result<c_int> {
    if name.is_null() {
        return Err(invalid("name", "a null pointer", "a text"));
    }
    // SAFETY: not null, so by MPI's contract `name` ends with a zero.
    let wanted = unsafe { CStr::from_ptr(name) }.to_bytes();
    let place = names.position(|name| name.as_bytes() == wanted).map(|place| place as c_int);
    place.ok_or_else(|| MpiError::new(ErrorClass::T_INVALID_NAME, "nothing has this name"))
}

/// Gives something that the program need not ask for.
///
/// # Safety
/// By MPI's contract `place` is a place, or null.
pub unsafe fn tell<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: not null, so by MPI's contract `place` may be written.
        unsafe { place.write(value) };
    }
}

/// Gives something that the program has to ask for.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for null.
///
/// # Safety
/// By MPI's contract `place` is a place.
pub unsafe fn put<T>(place: *mut T, value: T, name: &str) -> Result<()> {
    // SAFETY: as the caller says.
    unsafe { convert::put(place, value, name) }.map_err(of_interface(ErrorClass::T_INVALID))
}

/// Gives a text as far as there is room, and the room that it needs with its zero. With no place for the length there
/// is none for the text; with none for the text, or no room, only the length is given (§15.3.3).
///
/// # Safety
/// By MPI's contract `length` is a place or null, and `place` has so many bytes or is null.
pub unsafe fn tell_text(text: &str, place: *mut c_char, length: *mut c_int) {
    if length.is_null() {
        return;
    }
    // SAFETY: not null, so by MPI's contract `length` may be read and written, and `place`, if not null, has as many
    // bytes as it says.
    unsafe {
        let room = *length;
        if room > 0 {
            convert::put_string(text, place, room as usize);
        }
        *length = text.len() as c_int + 1;
    }
}

/// Gives a list as far as there is room.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for a negative length, or no place.
///
/// # Safety
/// By MPI's contract `indices` has room for `len` numbers.
pub unsafe fn tell_list(list: &[usize], len: c_int, indices: *mut c_int) -> Result<()> {
    let room = usize::try_from(len).map_err(|_| invalid("len", len, "0 or more"))?;
    if room > 0 && indices.is_null() {
        return Err(invalid("indices", "a null pointer", "an array"));
    }
    for (place, value) in list.iter().take(room).enumerate() {
        // SAFETY: by MPI's contract `indices`, which is not null, has room for more than `place` numbers.
        unsafe { indices.add(place).write(*value as c_int) };
    }
    Ok(())
}

/// Writes a value where the program wants it; of a text with its zero.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for null.
///
/// # Safety
/// By MPI's contract `place` has room for a value of this type.
pub unsafe fn put_value(value: &Value, place: *mut c_void, name: &str) -> Result<()> {
    if place.is_null() {
        return Err(invalid(name, "a null pointer", "a place"));
    }
    // SAFETY: by MPI's contract there is room at `place` for a value of this type, which need not be aligned.
    unsafe {
        match value {
            Value::Int(value) => place.cast::<c_int>().write_unaligned(*value),
            Value::Unsigned(value) => place.cast::<u64>().write_unaligned(*value),
            Value::Real(value) => place.cast::<f64>().write_unaligned(*value),
            Value::Text(text) => _ = convert::put_string(text, place.cast(), text.len() + 1),
        }
    }
    Ok(())
}

/// Reads a value of the program's that is no text.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for null.
///
/// # Safety
/// By MPI's contract `place` has a value of this type.
pub unsafe fn read_value(of: Type, place: *const c_void) -> Result<Value> {
    if place.is_null() {
        return Err(invalid("buf", "a null pointer", "a value"));
    }
    // SAFETY: by MPI's contract there is a value of this type at `place`, which need not be aligned.
    Ok(unsafe {
        match of {
            Type::Int => Value::Int(place.cast::<c_int>().read_unaligned()),
            Type::Unsigned => Value::Unsigned(place.cast::<u64>().read_unaligned()),
            Type::Real => Value::Real(place.cast::<f64>().read_unaligned()),
            Type::Text => Value::Text(String::new()),
        }
    })
}

/// The datatype of a value.
pub fn datatype(of: Type) -> MPI_Datatype {
    match of {
        Type::Int => MPI_INT,
        Type::Unsigned => MPI_UNSIGNED_LONG_LONG,
        Type::Real => MPI_DOUBLE,
        Type::Text => MPI_CHAR,
    }
}

/// The number of a verbosity.
pub fn verbosity(of: Verbosity) -> c_int {
    match of {
        Verbosity::User => MPI_T_VERBOSITY_USER_BASIC,
        Verbosity::Tuner => MPI_T_VERBOSITY_TUNER_BASIC,
        Verbosity::Developer => MPI_T_VERBOSITY_MPIDEV_BASIC,
    }
}

/// The number of a binding.
pub fn bind(of: Bind) -> c_int {
    match of {
        Bind::None => MPI_T_BIND_NO_OBJECT,
        Bind::Comm => MPI_T_BIND_MPI_COMM,
    }
}

/// The handle of an enumeration: one more than its number, as none of the predefined ones is that small.
pub fn enumeration(of: Option<Enumeration>) -> MPI_T_enum {
    of.map_or(MPI_T_ENUM_NULL, |of| std::ptr::without_provenance_mut(of.number() + 1))
}

/// The enumeration of a handle.
///
/// # Errors
/// `MPI_T_ERR_INVALID_HANDLE`.
pub fn enumeration_of(handle: MPI_T_enum) -> Result<Enumeration> {
    let number = handle.addr().checked_sub(1);
    let wrong =
        || MpiError::parameter(ErrorClass::T_INVALID_HANDLE, "enumtype", format!("{handle:?}"), "an enumeration");
    number.and_then(Enumeration::of_number).ok_or_else(wrong)
}

/// The handle of one of the interface's objects.
pub fn handle<T>(kind: Kind, key: Key) -> *mut T {
    std::ptr::without_provenance_mut(encode(kind, key) as usize)
}

/// The key of a handle.
///
/// # Errors
/// The given class, when it is none of this kind; it may still be stale.
pub fn key<T>(kind: Kind, class: ErrorClass, handle: *mut T, name: &str) -> Result<Key> {
    convert::key(kind, class, handle.addr() as u64, name)
}

/// The error for a handle whose object is gone.
pub fn stale<T>(kind: Kind, class: ErrorClass, handle: *mut T, name: &str) -> MpiError {
    convert::stale(kind, class, handle.addr() as u64, name)
}

/// What something is bound to: the communicator at `obj_handle` if it is to be one.
///
/// # Errors
/// `MPI_T_ERR_INVALID` for null, `MPI_T_ERR_INVALID_HANDLE` for what is no communicator.
///
/// # Safety
/// By MPI's contract `obj_handle` points to a handle of the kind that the variable or event is bound to.
pub unsafe fn bound(to: Bind, obj_handle: *mut c_void) -> Result<Option<Bound>> {
    if to == Bind::None {
        return Ok(None);
    }
    // SAFETY: by MPI's contract `obj_handle` is the address of a communicator.
    let comm = unsafe { convert::read(obj_handle.cast::<MPI_Comm>(), "obj_handle") }
        .map_err(of_interface(ErrorClass::T_INVALID))?;
    let core = convert::comm(comm, "obj_handle").map_err(of_interface(ErrorClass::T_INVALID_HANDLE))?;
    Ok(Some(Bound { handle: comm.addr() as u64, context: core.context }))
}

/// Tells callbacks of the events that have happened. Nothing that needs dropping lives while one runs.
#[cold]
pub fn tell_events() {
    if !start_telling() {
        return;
    }
    while let Some(next) = next_call() {
        match next {
            Call::Dropped { function, count, registration, safety, user_data } => {
                callbacks::events_dropped(function, count, registration, safety, user_data);
            }
            Call::Event { callback, instance, registration, safety } => {
                callbacks::event(callback.function, instance, registration, safety, callback.user_data);
            }
        }
        with_objects(|objects| objects.tool.iter_mut().for_each(|tool| tool.told = None));
    }
    with_objects(|objects| objects.tool.iter_mut().for_each(|tool| tool.is_telling = false));
}

/// False when no event waits, or a callback runs already.
fn start_telling() -> bool {
    let rank = current_rank();
    with(|runtime| {
        let Some(tally) = runtime.world.known_tally(rank) else { return false };
        if tally.waiting.is_empty() {
            return false;
        }
        match &mut runtime.objects[rank.index()].tool {
            Some(tool) => !std::mem::replace(&mut tool.is_telling, true),
            None => false,
        }
    })
}

/// A function of the tool's that is due.
#[derive(Clone, Copy)]
enum Call {
    Dropped { function: usize, count: u64, registration: u64, safety: c_int, user_data: usize },
    Event { callback: Callback, instance: u64, registration: u64, safety: c_int },
}

fn next_call() -> Option<Call> {
    let rank = current_rank();
    with(|runtime| {
        let tool = runtime.objects[rank.index()].tool.as_deref_mut()?;
        let tally = runtime.world.known_tally(rank)?;
        for listener in tally.listeners.iter_mut().filter(|listener| listener.dropped > 0) {
            let known = tool.registrations.get(listener.registration);
            if let Some((function, (level, callback))) =
                known.and_then(|known| Some((known.dropped, known.callback()?))).filter(|due| due.0 != 0)
            {
                let count = std::mem::take(&mut listener.dropped);
                let registration = encode(Kind::Registration, listener.registration);
                let (safety, user_data) = (SAFETY[level], callback.user_data);
                return Some(Call::Dropped { function, count, registration, safety, user_data });
            }
        }
        while let Some(event) = tally.waiting.pop_front() {
            let known = tool.registrations.get(event.registration).and_then(|known| known.callback());
            if let Some((level, callback)) = known {
                tool.told_before += 1;
                tool.told = Some(Told { event, number: tool.told_before });
                let registration = encode(Kind::Registration, event.registration);
                let instance = tool.told_before;
                return Some(Call::Event { callback, instance, registration, safety: SAFETY[level] });
            }
        }
        None
    })
}

//! Calls from the library back into the program: reduction functions, error handlers, and callbacks of tools.
//!
//! They run on the rank's stack, outside of [`crate::with`], and may call MPI where the standard allows it.

use std::ffi::{c_int, c_void};

use smpi_base::table::Key;
use smpi_mpi::datatype::Datatype;
use smpi_mpi::world::UserReduction;

use smpi_abi::c::{MPI_Count, MPI_Datatype};

use crate::global::with_objects;
use crate::objects::handles::{Decoded, Kind, decode, encode};
use crate::objects::{Attributes, TypeEntry};

/// `MPI_User_function` (MPI 5.0 §6.9.5).
type UserFunction = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_int, *mut MPI_Datatype);
/// `MPI_User_function_c`.
type UserFunctionLarge = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut MPI_Count, *mut MPI_Datatype);
/// `MPI_Comm_errhandler_function` and its kin: pointer to the handle, pointer to the code, and more that we do not
/// pass.
type ErrhandlerFunction = unsafe extern "C" fn(*mut u64, *mut c_int, ...);

/// Marks the identity of a function whose length argument is an `MPI_Count`.
const LARGE: u64 = 1 << 63;

/// The identity under which schedules know a reduction function.
pub fn function_id(function: usize, large_count: bool) -> u64 {
    function as u64 | if large_count { LARGE } else { 0 }
}

/// Applies a program's reduction function. Returns the slot of the request that it was due for.
pub fn reduce(work: UserReduction) -> u32 {
    let UserReduction { slot, id, input, inout, count, datatype_handle, datatype } = work;
    let lent = lend(datatype_handle, datatype);
    apply(id, input.0, inout.0, count, lent.map_or(datatype_handle, |key| encode(Kind::Datatype, key)));
    if let Some(key) = lent {
        with_objects(|objects| objects.types.remove(key));
    }
    slot
}

/// Gives a datatype a handle for the time of a call, if the program has freed the one that it had: a type may be freed
/// while an operation uses it (MPI 5.0 §5.1.9), and the function still asks it for its extent.
fn lend(handle: u64, datatype: Datatype) -> Option<Key> {
    let Decoded::Ours(key) = decode(Kind::Datatype, handle) else { return None };
    with_objects(|objects| {
        if objects.types.get(key).is_some() {
            return None;
        }
        let (name, attributes) = (String::new(), Attributes::default());
        objects.types.insert(TypeEntry { datatype, committed: true, name, attributes })
    })
}

/// Applies the function `id` to `count` elements.
pub fn apply(id: u64, input: u64, inout: u64, count: i64, datatype_handle: u64) {
    let address = (id & !LARGE) as usize;
    let mut datatype = datatype_handle as usize as MPI_Datatype;
    let (input, inout) = (input as *mut c_void, inout as *mut c_void);
    // SAFETY: the address was given to MPI_Op_create(_c) as a function of this type, and the rank's image that
    // contains it lives as long as the rank; the buffers hold `count` elements of the datatype.
    unsafe {
        if id & LARGE != 0 {
            let mut count = count;
            std::mem::transmute::<usize, UserFunctionLarge>(address)(input, inout, &raw mut count, &raw mut datatype);
        } else {
            let mut count = count as c_int;
            std::mem::transmute::<usize, UserFunction>(address)(input, inout, &raw mut count, &raw mut datatype);
        }
    }
}

/// Calls a program's error handler with a handle value and an error code; gives the code that the failing function is
/// to return, which the handler may change (MPI 5.0 §9.3.1).
pub fn error_handler(function: usize, handle: u64, code: c_int) -> c_int {
    let (mut handle, mut code) = (handle, code);
    // SAFETY: the address was given to an MPI_*_create_errhandler as a function of this type; handles are
    // pointer-sized in C.
    unsafe { std::mem::transmute::<usize, ErrhandlerFunction>(function)(&raw mut handle, &raw mut code) };
    code
}

/// `MPI_T_event_cb_function` and its kin (MPI 5.0 §15.3.8). Handles are plain numbers in C.
type EventFunction = unsafe extern "C" fn(u64, u64, c_int, *mut c_void);
type FreeFunction = unsafe extern "C" fn(u64, c_int, *mut c_void);
type DroppedFunction = unsafe extern "C" fn(MPI_Count, u64, c_int, c_int, *mut c_void);

/// Tells a tool's function of an event.
pub fn event(function: usize, instance: u64, registration: u64, safety: c_int, user_data: usize) {
    let user_data = std::ptr::with_exposed_provenance_mut(user_data);
    // SAFETY: the address was given to MPI_T_event_register_callback as a function of this type, and the rank's image
    // that contains it lives as long as the rank; handles are pointer-sized in C.
    unsafe { std::mem::transmute::<usize, EventFunction>(function)(instance, registration, safety, user_data) };
}

/// Tells a tool's function that a registration is gone.
pub fn registration_freed(function: usize, registration: u64, safety: c_int, user_data: usize) {
    let user_data = std::ptr::with_exposed_provenance_mut(user_data);
    // SAFETY: as in `event`, given to MPI_T_event_handle_free.
    unsafe { std::mem::transmute::<usize, FreeFunction>(function)(registration, safety, user_data) };
}

/// Tells a tool's function that events of the only source were dropped.
pub fn events_dropped(function: usize, count: u64, registration: u64, safety: c_int, user_data: usize) {
    let user_data = std::ptr::with_exposed_provenance_mut(user_data);
    // SAFETY: as in `event`, given to MPI_T_event_set_dropped_handler.
    unsafe {
        std::mem::transmute::<usize, DroppedFunction>(function)(count as MPI_Count, registration, 0, safety, user_data)
    };
}

//! C types of the standard ABI (MPI 5.0 §20, `libsmpi/abi/types.csv`). cbindgen turns them into `include/mpi.h`.
//!
//! Handles are pointers to structures that nobody ever defines: values below 0x1000 are the predefined objects, the
//! library's own encode kind, generation and slot. They are never dereferenced.
#![allow(dead_code, reason = "the header needs all of them, the library only some")]

use std::ffi::{c_int, c_void};

/// An integer as wide as an address.
pub type MPI_Aint = isize;
/// A size of, or a place in, a file.
pub type MPI_Offset = i64;
/// A number of elements.
pub type MPI_Count = i64;
/// Fortran's default `INTEGER`.
pub type MPI_Fint = c_int;

/// Where a message came from and what became of it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MPI_Status {
    /// Rank of the sender in the communicator of the receive.
    pub MPI_SOURCE: c_int,
    /// Tag of the message.
    pub MPI_TAG: c_int,
    /// Error code of this operation, set by the functions that complete several.
    pub MPI_ERROR: c_int,
    /// For the library only.
    pub MPI_internal: [c_int; 5],
}
/// A status in the form that the `mpi_f08` module uses; its layout is that of `MPI_Status`.
pub type MPI_F08_status = MPI_Status;

pub struct MPI_ABI_Op {
    _opaque: [u8; 0],
}
/// A reduction operation.
pub type MPI_Op = *mut MPI_ABI_Op;

pub struct MPI_ABI_Comm {
    _opaque: [u8; 0],
}
/// A communicator.
pub type MPI_Comm = *mut MPI_ABI_Comm;

pub struct MPI_ABI_Group {
    _opaque: [u8; 0],
}
/// An ordered set of processes.
pub type MPI_Group = *mut MPI_ABI_Group;

pub struct MPI_ABI_Win {
    _opaque: [u8; 0],
}
/// A window for one-sided communication.
pub type MPI_Win = *mut MPI_ABI_Win;

pub struct MPI_ABI_File {
    _opaque: [u8; 0],
}
/// An open file.
pub type MPI_File = *mut MPI_ABI_File;

pub struct MPI_ABI_Session {
    _opaque: [u8; 0],
}
/// A session.
pub type MPI_Session = *mut MPI_ABI_Session;

pub struct MPI_ABI_Message {
    _opaque: [u8; 0],
}
/// A matched message.
pub type MPI_Message = *mut MPI_ABI_Message;

pub struct MPI_ABI_Info {
    _opaque: [u8; 0],
}
/// A set of key-value pairs.
pub type MPI_Info = *mut MPI_ABI_Info;

pub struct MPI_ABI_Errhandler {
    _opaque: [u8; 0],
}
/// An error handler.
pub type MPI_Errhandler = *mut MPI_ABI_Errhandler;

pub struct MPI_ABI_Request {
    _opaque: [u8; 0],
}
/// An operation in progress, or one that can be started.
pub type MPI_Request = *mut MPI_ABI_Request;

pub struct MPI_ABI_Datatype {
    _opaque: [u8; 0],
}
/// A datatype.
pub type MPI_Datatype = *mut MPI_ABI_Datatype;

pub struct MPI_ABI_T_enum {
    _opaque: [u8; 0],
}
/// An enumeration of the tool interface.
pub type MPI_T_enum = *mut MPI_ABI_T_enum;

pub struct MPI_ABI_T_cvar_handle {
    _opaque: [u8; 0],
}
/// A handle to a control variable.
pub type MPI_T_cvar_handle = *mut MPI_ABI_T_cvar_handle;

pub struct MPI_ABI_T_pvar_handle {
    _opaque: [u8; 0],
}
/// A handle to a performance variable.
pub type MPI_T_pvar_handle = *mut MPI_ABI_T_pvar_handle;

pub struct MPI_ABI_T_pvar_session {
    _opaque: [u8; 0],
}
/// A session of performance variables.
pub type MPI_T_pvar_session = *mut MPI_ABI_T_pvar_session;

pub struct MPI_ABI_T_event_registration {
    _opaque: [u8; 0],
}
/// A registration for events.
pub type MPI_T_event_registration = *mut MPI_ABI_T_event_registration;

pub struct MPI_ABI_T_event_instance {
    _opaque: [u8; 0],
}
/// One event, valid during its callback.
pub type MPI_T_event_instance = *mut MPI_ABI_T_event_instance;

/// What a callback of the tool interface may do; the values are `MPI_T_CB_REQUIRE_...`.
pub type MPI_T_cb_safety = c_int;
/// Any function may be called.
pub const MPI_T_CB_REQUIRE_NONE: MPI_T_cb_safety = 0x00;
/// Only a few MPI functions may be called.
pub const MPI_T_CB_REQUIRE_MPI_RESTRICTED: MPI_T_cb_safety = 0x03;
/// Only thread-safe code.
pub const MPI_T_CB_REQUIRE_THREAD_SAFE: MPI_T_cb_safety = 0x0f;
/// Only what a signal handler may do.
pub const MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE: MPI_T_cb_safety = 0x3f;
/// Whether the events of a source come in order of time.
pub type MPI_T_source_order = c_int;
/// They do.
pub const MPI_T_SOURCE_ORDERED: MPI_T_source_order = 1;
/// They may not.
pub const MPI_T_SOURCE_UNORDERED: MPI_T_source_order = 2;
/// A reduction function.
pub type MPI_User_function =
    unsafe extern "C" fn(invec: *mut c_void, inoutvec: *mut c_void, len: *mut c_int, datatype: *mut MPI_Datatype);
/// A reduction function with a large count.
pub type MPI_User_function_c =
    unsafe extern "C" fn(invec: *mut c_void, inoutvec: *mut c_void, len: *mut MPI_Count, datatype: *mut MPI_Datatype);
/// Fills the status of a generalized request.
pub type MPI_Grequest_query_function = unsafe extern "C" fn(extra_state: *mut c_void, status: *mut MPI_Status) -> c_int;
/// Frees what a generalized request holds.
pub type MPI_Grequest_free_function = unsafe extern "C" fn(extra_state: *mut c_void) -> c_int;
/// Cancels a generalized request.
pub type MPI_Grequest_cancel_function = unsafe extern "C" fn(extra_state: *mut c_void, complete: c_int) -> c_int;
/// Copies an attribute when its object is duplicated.
pub type MPI_Copy_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
/// Called when an attribute, or the object that has it, goes away.
pub type MPI_Delete_function =
    unsafe extern "C" fn(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void, extra_state: *mut c_void) -> c_int;
/// Copies an attribute when its object is duplicated.
pub type MPI_Comm_copy_attr_function = unsafe extern "C" fn(
    comm: MPI_Comm,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
/// Called when an attribute, or the object that has it, goes away.
pub type MPI_Comm_delete_attr_function =
    unsafe extern "C" fn(comm: MPI_Comm, keyval: c_int, attribute_val: *mut c_void, extra_state: *mut c_void) -> c_int;
/// Copies an attribute when its object is duplicated.
pub type MPI_Type_copy_attr_function = unsafe extern "C" fn(
    datatype: MPI_Datatype,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
/// Called when an attribute, or the object that has it, goes away.
pub type MPI_Type_delete_attr_function = unsafe extern "C" fn(
    datatype: MPI_Datatype,
    keyval: c_int,
    attribute_val: *mut c_void,
    extra_state: *mut c_void,
) -> c_int;
/// Copies an attribute when its object is duplicated.
pub type MPI_Win_copy_attr_function = unsafe extern "C" fn(
    win: MPI_Win,
    keyval: c_int,
    extra_state: *mut c_void,
    attribute_val_in: *mut c_void,
    attribute_val_out: *mut c_void,
    flag: *mut c_int,
) -> c_int;
/// Called when an attribute, or the object that has it, goes away.
pub type MPI_Win_delete_attr_function =
    unsafe extern "C" fn(win: MPI_Win, keyval: c_int, attribute_val: *mut c_void, extra_state: *mut c_void) -> c_int;
/// Extent of a datatype in a data representation.
pub type MPI_Datarep_extent_function =
    unsafe extern "C" fn(datatype: MPI_Datatype, extent: *mut MPI_Aint, extra_state: *mut c_void) -> c_int;
/// Converts between memory and a data representation.
pub type MPI_Datarep_conversion_function = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: MPI_Datatype,
    count: c_int,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;
/// Converts between memory and a data representation, with a large count.
pub type MPI_Datarep_conversion_function_c = unsafe extern "C" fn(
    userbuf: *mut c_void,
    datatype: MPI_Datatype,
    count: MPI_Count,
    filebuf: *mut c_void,
    position: MPI_Offset,
    extra_state: *mut c_void,
) -> c_int;
/// An error handler; what follows the error code is for the library.
pub type MPI_Comm_errhandler_function = unsafe extern "C" fn(comm: *mut MPI_Comm, error_code: *mut c_int, ...);
/// An error handler; what follows the error code is for the library.
pub type MPI_File_errhandler_function = unsafe extern "C" fn(file: *mut MPI_File, error_code: *mut c_int, ...);
/// An error handler; what follows the error code is for the library.
pub type MPI_Win_errhandler_function = unsafe extern "C" fn(win: *mut MPI_Win, error_code: *mut c_int, ...);
/// An error handler; what follows the error code is for the library.
pub type MPI_Session_errhandler_function = unsafe extern "C" fn(session: *mut MPI_Session, error_code: *mut c_int, ...);
/// Called when an event occurs.
pub type MPI_T_event_cb_function = unsafe extern "C" fn(
    event_instance: MPI_T_event_instance,
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
/// Called when a registration is freed.
pub type MPI_T_event_free_cb_function = unsafe extern "C" fn(
    event_registration: MPI_T_event_registration,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
/// Called when events were lost.
pub type MPI_T_event_dropped_cb_function = unsafe extern "C" fn(
    count: MPI_Count,
    event_registration: MPI_T_event_registration,
    source_index: c_int,
    cb_safety: MPI_T_cb_safety,
    user_data: *mut c_void,
);
/// Older name of `MPI_Comm_errhandler_function`.
pub type MPI_Comm_errhandler_fn = MPI_Comm_errhandler_function;
/// Older name of `MPI_File_errhandler_function`.
pub type MPI_File_errhandler_fn = MPI_File_errhandler_function;
/// Older name of `MPI_Win_errhandler_function`.
pub type MPI_Win_errhandler_fn = MPI_Win_errhandler_function;
/// Older name of `MPI_Session_errhandler_function`.
pub type MPI_Session_errhandler_fn = MPI_Session_errhandler_function;

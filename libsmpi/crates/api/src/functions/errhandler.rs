//! Error handlers of communicators, windows, files and sessions (MPI 5.0 §9.3, §14.7). What happens when one is due
//! is in `crate::errors`.

use std::cell::Cell;
use std::ffi::c_int;
use std::rc::Rc;

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::usage::Origin;

use crate::abi::constants::{MPI_ERRHANDLER_NULL, MPI_FILE_NULL};
use crate::abi::types::*;
use crate::convert;
use crate::errors;
use smpi_abi::c::handles::{ERRORS_ABORT, ERRORS_ARE_FATAL, ERRORS_RETURN};
use smpi_runtime::objects::handles::{Decoded, Kind, decode, encode};
use smpi_runtime::objects::{Errhandler, RankObjects, UserErrhandler};
use smpi_runtime::with_objects;

/// The error for a handle that is no error handler.
fn wrong(handle: MPI_Errhandler, name: &str) -> MpiError {
    if handle == MPI_ERRHANDLER_NULL {
        let allowed = "a valid error handler";
        return MpiError::parameter(ErrorClass::ERRHANDLER, name, "MPI_ERRHANDLER_NULL", allowed);
    }
    convert::stale(Kind::Errhandler, ErrorClass::ERRHANDLER, handle as u64, name)
}

/// The error handler of a handle.
pub(super) fn errhandler_of(handle: MPI_Errhandler, name: &str) -> Result<Errhandler> {
    with_objects(|objects| convert::find_errhandler(objects, handle)).ok_or_else(|| wrong(handle, name))
}

/// A handle for the program, which counts as one reference; a handler whose handles were all freed gets a new one.
fn handle_of(objects: &mut RankObjects, errhandler: &Errhandler, origin: Origin) -> Result<usize> {
    let user = match errhandler {
        Errhandler::Fatal => return Ok(ERRORS_ARE_FATAL as usize),
        Errhandler::Abort => return Ok(ERRORS_ABORT as usize),
        Errhandler::Return => return Ok(ERRORS_RETURN as usize),
        Errhandler::User(user) => user,
    };
    if user.references.get() == 0 {
        let full =
            || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 error handlers, the most that handles can name");
        let key = objects.errhandlers.insert(Rc::clone(user)).ok_or_else(full)?;
        objects.sites.note(Kind::Errhandler, key, origin);
        user.handle.set(encode(Kind::Errhandler, key));
    }
    user.references.set(user.references.get() + 1);
    Ok(user.handle.get() as usize)
}

/// `MPI_Comm_create_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn comm_create_errhandler(
    comm_errhandler_fn: Option<MPI_Comm_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    let function = comm_errhandler_fn.map(|function| function as usize);
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { create(function, "comm_errhandler_fn", errhandler) }
}

/// Makes an error handler of a function of the program and gives it a handle.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
unsafe fn create(function: Option<usize>, name: &str, errhandler: *mut MPI_Errhandler) -> Result<()> {
    if errhandler.is_null() {
        return Err(convert::null("errhandler"));
    }
    let function = function.ok_or_else(|| convert::null(name))?;
    let user = UserErrhandler { function, handle: Cell::new(0), references: Cell::new(0) };
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { give(&Errhandler::User(Rc::new(user)), errhandler) }
}

/// Gives the program a handle of an error handler.
///
/// # Safety
/// `place` must be null or valid for writing.
unsafe fn give(errhandler: &Errhandler, place: *mut MPI_Errhandler) -> Result<()> {
    let origin = smpi_watch::checks::origin();
    let handle = with_objects(|objects| handle_of(objects, errhandler, origin))?;
    // SAFETY: by MPI's contract `place` is one.
    unsafe { convert::put(place, std::ptr::without_provenance_mut(handle), "errhandler") }
}

/// `MPI_Comm_set_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn comm_set_errhandler(comm: MPI_Comm, errhandler: MPI_Errhandler) -> Result<()> {
    convert::with_comm(comm, "comm", |_| Ok(()))?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    convert::with_comm(comm, "comm", |comm| {
        comm.errhandler = errhandler;
        Ok(())
    })
}

/// `MPI_Comm_get_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn comm_get_errhandler(comm: MPI_Comm, errhandler: *mut MPI_Errhandler) -> Result<()> {
    if errhandler.is_null() {
        return Err(convert::null("errhandler"));
    }
    let found = convert::with_comm(comm, "comm", |comm| Ok(comm.errhandler.clone()))?;
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { give(&found, errhandler) }
}

/// `MPI_Comm_call_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn comm_call_errhandler(comm: MPI_Comm, errorcode: c_int) -> Result<()> {
    let due = convert::with_comm(comm, "comm", |comm| Ok(errors::Due::from(&comm.errhandler)))?;
    invoke(Function::Comm_call_errhandler, due, comm as u64, errorcode);
    Ok(())
}

fn invoke(function: Function, due: errors::Due, handle: u64, errorcode: c_int) {
    errors::invoke(due, handle, errorcode, || {
        let text = errors::text_of(errorcode).unwrap_or_default();
        format!("{function}: error code {errorcode} {text}")
    });
}

/// `MPI_Win_create_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn win_create_errhandler(
    win_errhandler_fn: Option<MPI_Win_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    let function = win_errhandler_fn.map(|function| function as usize);
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { create(function, "win_errhandler_fn", errhandler) }
}

/// `MPI_Win_set_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn win_set_errhandler(win: MPI_Win, errhandler: MPI_Errhandler) -> Result<()> {
    convert::with_win(win, "win", |_| Ok(()))?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    convert::with_win(win, "win", |win| {
        win.errhandler = errhandler;
        Ok(())
    })
}

/// `MPI_Win_get_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn win_get_errhandler(win: MPI_Win, errhandler: *mut MPI_Errhandler) -> Result<()> {
    if errhandler.is_null() {
        return Err(convert::null("errhandler"));
    }
    let found = convert::with_win(win, "win", |win| Ok(win.errhandler.clone()))?;
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { give(&found, errhandler) }
}

/// `MPI_Win_call_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn win_call_errhandler(win: MPI_Win, errorcode: c_int) -> Result<()> {
    let due = convert::with_win(win, "win", |win| Ok(errors::Due::from(&win.errhandler)))?;
    invoke(Function::Win_call_errhandler, due, win as u64, errorcode);
    Ok(())
}

/// `MPI_File_create_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn file_create_errhandler(
    file_errhandler_fn: Option<MPI_File_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    let function = file_errhandler_fn.map(|function| function as usize);
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { create(function, "file_errhandler_fn", errhandler) }
}

/// Runs the action on the error handler of a file. `MPI_FILE_NULL` has that of all files that will be opened (MPI 5.0
/// §14.7).
fn of_file<R>(file: MPI_File, name: &str, action: impl FnOnce(&mut Errhandler) -> R) -> Result<R> {
    if file == MPI_FILE_NULL {
        return Ok(with_objects(|objects| action(&mut objects.file_errhandler.0)));
    }
    convert::with_file(file, name, |file| Ok(action(&mut file.errhandler)))
}

/// `MPI_File_set_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn file_set_errhandler(file: MPI_File, errhandler: MPI_Errhandler) -> Result<()> {
    of_file(file, "file", |_| ())?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    of_file(file, "file", |place| *place = errhandler)
}

/// `MPI_File_get_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn file_get_errhandler(file: MPI_File, errhandler: *mut MPI_Errhandler) -> Result<()> {
    let found = of_file(file, "file", |place| place.clone())?;
    if errhandler.is_null() {
        return Err(convert::null("errhandler"));
    }
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { give(&found, errhandler) }
}

/// `MPI_File_call_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn file_call_errhandler(fh: MPI_File, errorcode: c_int) -> Result<()> {
    let due = of_file(fh, "fh", |place| errors::Due::from(&*place))?;
    invoke(Function::File_call_errhandler, due, fh as u64, errorcode);
    Ok(())
}

/// `MPI_Session_create_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn session_create_errhandler(
    session_errhandler_fn: Option<MPI_Session_errhandler_function>,
    errhandler: *mut MPI_Errhandler,
) -> Result<()> {
    let function = session_errhandler_fn.map(|function| function as usize);
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { create(function, "session_errhandler_fn", errhandler) }
}

/// `MPI_Session_set_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn session_set_errhandler(session: MPI_Session, errhandler: MPI_Errhandler) -> Result<()> {
    convert::with_session(session, "session", |_, _| ())?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    convert::with_session(session, "session", |_, session| session.errhandler = errhandler)
}

/// `MPI_Session_get_errhandler`.
///
/// # Safety
/// `errhandler` must be null or valid for writing.
pub unsafe fn session_get_errhandler(session: MPI_Session, errhandler: *mut MPI_Errhandler) -> Result<()> {
    if errhandler.is_null() {
        return Err(convert::null("errhandler"));
    }
    let found = convert::with_session(session, "session", |_, session| session.errhandler.clone())?;
    // SAFETY: by MPI's contract `errhandler` is a place.
    unsafe { give(&found, errhandler) }
}

/// `MPI_Session_call_errhandler`.
///
/// # Safety
/// None is needed; all API functions are `unsafe` alike.
pub unsafe fn session_call_errhandler(session: MPI_Session, errorcode: c_int) -> Result<()> {
    let due = convert::with_session(session, "session", |_, session| errors::Due::from(&session.errhandler))?;
    invoke(Function::Session_call_errhandler, due, session as u64, errorcode);
    Ok(())
}

/// `MPI_Errhandler_free`: the handler lives on where it is set.
///
/// # Safety
/// `errhandler` must be null or point to a handle.
pub unsafe fn errhandler_free(errhandler: *mut MPI_Errhandler) -> Result<()> {
    // SAFETY: by MPI's contract `errhandler` is a place.
    let handle = unsafe { convert::read(errhandler, "errhandler") }?;
    if let Errhandler::User(user) = errhandler_of(handle, "errhandler")? {
        user.references.set(user.references.get() - 1);
        if user.references.get() == 0
            && let Decoded::Ours(key) = decode(Kind::Errhandler, handle as u64)
        {
            with_objects(|objects| objects.errhandlers.remove(key));
        }
    }
    // SAFETY: the handle was read from this place.
    unsafe { *errhandler = MPI_ERRHANDLER_NULL };
    Ok(())
}

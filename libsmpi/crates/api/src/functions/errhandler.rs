//! Error handlers of communicators, windows, files and sessions (MPI 5.0 §9.3, §14.7). What happens when one is due
//! is in `crate::errors`.

use std::ffi::c_int;
use std::rc::Rc;

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError, Result};
use smpi_mpi::usage::Origin;

use crate::abi::constants::{MPI_ERRHANDLER_NULL, MPI_FILE_NULL};
use crate::abi::types::*;
use crate::convert;
use crate::errors;
use crate::target::Target;
use smpi_abi::c::handles;
use smpi_runtime::objects::handles::{Decoded, Kind, decode, encode};
use smpi_runtime::objects::{Errhandler, HeldErrhandler, RankObjects, UserErrhandler};
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
    let handler = match errhandler {
        Errhandler::Fatal => return Ok(handles::MPI_ERRORS_ARE_FATAL as usize),
        Errhandler::Abort => return Ok(handles::MPI_ERRORS_ABORT as usize),
        Errhandler::Return => return Ok(handles::MPI_ERRORS_RETURN as usize),
        Errhandler::User(handler) => handler,
    };
    let Some(key) = objects.key_of_errhandler(handler) else { return hold(objects, Rc::clone(handler), origin) };
    if let Some(held) = objects.errhandlers.get_mut(key) {
        held.references += 1;
    }
    Ok(encode(Kind::Errhandler, key) as usize)
}

/// The first handle of an error handler.
fn hold(objects: &mut RankObjects, handler: Rc<UserErrhandler>, origin: Origin) -> Result<usize> {
    let full =
        || MpiError::new(ErrorClass::OTHER, "this rank has 1048576 error handlers, the most that handles can name");
    let key = objects.errhandlers.insert(HeldErrhandler { handler, references: 1 }).ok_or_else(full)?;
    objects.sites.note(Kind::Errhandler, key, origin);
    Ok(encode(Kind::Errhandler, key) as usize)
}

/// Makes an error handler of a function of the program: its handle.
pub fn create_errhandler(function: Option<usize>, name: &str) -> Result<MPI_Errhandler> {
    let function = function.ok_or_else(|| convert::null(name))?;
    let origin = smpi_watch::checks::origin();
    let handler = Rc::new(UserErrhandler { function });
    with_objects(|objects| hold(objects, handler, origin)).map(std::ptr::without_provenance_mut)
}

/// A handle of an error handler for the program.
fn give(errhandler: &Errhandler) -> Result<MPI_Errhandler> {
    let origin = smpi_watch::checks::origin();
    with_objects(|objects| handle_of(objects, errhandler, origin)).map(std::ptr::without_provenance_mut)
}

/// Runs the action on the error handler of an object, which is the argument of this name. `MPI_FILE_NULL` has that of
/// all files that will be opened (MPI 5.0 §14.7).
fn handler_of<R>(target: Target, name: &str, action: impl FnOnce(&mut Errhandler) -> R) -> Result<R> {
    match target {
        Target::Comm(comm) => convert::with_comm(comm, name, |comm| Ok(action(&mut comm.errhandler))),
        Target::Win(win) => convert::with_win(win, name, |win| Ok(action(&mut win.errhandler))),
        Target::File(MPI_FILE_NULL) => Ok(with_objects(|objects| action(&mut objects.file_errhandler.0))),
        Target::File(file) => convert::with_file(file, name, |file| Ok(action(&mut file.errhandler))),
        Target::Session(session) => convert::with_session(session, name, |_, session| action(&mut session.errhandler)),
        Target::Handler(_) | Target::None | Target::Tool => unreachable!("no object with an error handler"),
    }
}

/// Gives an object, which is the argument of this name, another error handler.
pub fn set_errhandler(target: Target, name: &str, errhandler: MPI_Errhandler) -> Result<()> {
    handler_of(target, name, |_| ())?;
    let errhandler = errhandler_of(errhandler, "errhandler")?;
    handler_of(target, name, |place| *place = errhandler)
}

/// A handle of an object's error handler.
pub fn get_errhandler(target: Target, name: &str) -> Result<MPI_Errhandler> {
    give(&handler_of(target, name, |place| place.clone())?)
}

/// Calls the error handler of an object, as this function.
pub fn call_errhandler(function: Function, target: Target, name: &str, errorcode: c_int) -> Result<()> {
    let due = handler_of(target, name, |place| errors::Due::from(&*place))?;
    errors::invoke(due, target.handle(), errorcode, || {
        let text = errors::text_of(errorcode).unwrap_or_default();
        format!("{function}: error code {errorcode} {text}")
    });
    Ok(())
}

/// `MPI_Errhandler_free`: the handler lives on where it is set.
///
/// # Safety
/// `errhandler` must be null or point to a handle.
pub unsafe fn errhandler_free(errhandler: *mut MPI_Errhandler) -> Result<()> {
    // SAFETY: by MPI's contract `errhandler` is a place.
    let handle = unsafe { convert::read(errhandler, "errhandler") }?;
    errhandler_of(handle, "errhandler")?;
    if let Decoded::Ours(key) = decode(Kind::Errhandler, handle as u64) {
        with_objects(|objects| {
            let Some(held) = objects.errhandlers.get_mut(key) else { return };
            held.references -= 1;
            if held.references == 0 {
                objects.errhandlers.remove(key);
            }
        });
    }
    // SAFETY: the handle was read from this place.
    unsafe { *errhandler = MPI_ERRHANDLER_NULL };
    Ok(())
}

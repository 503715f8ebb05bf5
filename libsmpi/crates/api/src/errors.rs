//! What happens when an MPI call fails: the error handler of the object it was called on (MPI 5.0 §9.3).

use std::ffi::c_int;

use smpi_abi::c::handles;
use smpi_abi::{Callee, Function};
use smpi_base::exit;
use smpi_mpi::error::{ErrorClass, MpiError};
use smpi_mpi::usage::Origin;
use smpi_runtime::failure::Cause;
use smpi_runtime::objects::Errhandler;
use smpi_runtime::objects::handles::{Decoded, Kind, decode};
use smpi_runtime::state::{RankRun, Returned, Standing};
use smpi_runtime::{current_rank, is_running, with, with_objects};

use crate::convert::{find_comm, find_errhandler, find_file, find_session, find_win};
use crate::ending::abort_because;
use crate::passage;
use crate::target::Target;

/// True for the classes of the standard, which are also codes.
pub fn is_predefined(code: c_int) -> bool {
    ErrorClass(code).text().is_some()
}

/// What `MPI_Error_string` says about a code: name and text of a class of the standard, or the program's text.
pub fn text_of(code: c_int) -> Option<String> {
    let class = ErrorClass(code);
    match class.text() {
        Some(text) => Some(format!("{}: {text}", class.name())),
        None if is_running() => with_objects(|objects| objects.user_errors.text(code).map(str::to_string)),
        None => None,
    }
}

/// The error handler that is due: plain values, as its call may not come back.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// Ends the run.
    Fatal,
    /// Nothing happens.
    Return,
    /// The program's function at this address.
    User(usize),
}

impl From<&Errhandler> for Due {
    fn from(handler: &Errhandler) -> Due {
        match handler {
            Errhandler::Fatal | Errhandler::Abort => Due::Fatal,
            Errhandler::Return => Due::Return,
            Errhandler::User(user) => Due::User(user.function),
        }
    }
}

/// Calls the error handler that is due and returns the code for the program. Errors of operations that the call
/// completes are due on their communicators (MPI 5.0 §9.3).
pub fn raise(function: Function, target: Target, error: MpiError) -> c_int {
    // It may not have come so far as to take it.
    smpi_process::take_caller();
    let object = error.comm_handle;
    let (due, handle) = due_on(match decode(Kind::File, object) {
        _ if object == 0 => target,
        Decoded::Ours(_) => Target::File(std::ptr::without_provenance_mut(object as usize)),
        _ => Target::Comm(std::ptr::without_provenance_mut(object as usize)),
    });
    let class = error.class;
    if matches!(due, Due::Return) && !matches!(target, Target::Tool) {
        note_returned(function, &error);
    }
    if matches!(due, Due::User(_)) {
        // The handler may wait, or never come back: nothing that needs dropping may be left.
        drop(error);
        return invoke(due, handle, class.0, String::new);
    }
    invoke(due, handle, class.0, || {
        let started = started_elsewhere(function, &error);
        if is_predefined(class.0) {
            format!("{function}: {} [{}]{started}", error.text(function), class.name())
        } else {
            format!("{function}: {} [error code {}]{started}", error.text(function), class.0)
        }
    })
}

/// The call that has started the operation of which an error is, if it is not the one that fails.
fn started_elsewhere(function: Function, error: &MpiError) -> String {
    let Some(&(site, call)) = error.started.as_deref() else { return String::new() };
    if call == Callee::Function(function) || site == 0 {
        return String::new();
    }
    let place = smpi_process::place_of_site(current_rank(), site);
    let line = place.and_then(|place| Some(format!(" at {}:{}", place.file?, place.line?))).unwrap_or_default();
    format!(", of the {call}{line}")
}

/// A call returns an error: whether or not the program looks at it, it is remembered.
#[cold]
fn note_returned(function: Function, error: &MpiError) {
    if !is_running() {
        return;
    }
    let class = error.class;
    let origin = Origin { site: smpi_process::own_site(), call: Callee::Function(function) };
    with(|runtime| {
        let returned = &mut runtime.run(current_rank()).returned;
        match returned.iter_mut().find(|known| (known.origin, known.class) == (origin, class.0)) {
            Some(known) => known.count += 1,
            None => {
                // What the system says of a file names it, and its name may be another one in each run.
                let why = error.argument.as_ref().map(|_| error.text(function));
                returned.push(Returned { origin, class: class.0, why, count: 1 });
            }
        }
    });
}

/// Runs an error handler on a code. `describe` makes the text that a fatal one prints.
pub fn invoke(due: Due, handle: u64, code: c_int, describe: impl FnOnce() -> String) -> c_int {
    match due {
        Due::Return => code,
        Due::User(function) => passage::outside(|| smpi_runtime::callbacks::error_handler(function, handle, code)),
        Due::Fatal => abort_because(Cause::Error(code), code_of_end(code), &describe()),
    }
}

/// The exit code of a run that a fatal error ends. Who misses a rank whose host has failed ends as that rank did.
fn code_of_end(class: c_int) -> c_int {
    let has_fallen = |run: &RankRun| matches!(run.standing, Standing::Over { exit: exit::HOST_FAILED, .. });
    let misses_rank = class == ErrorClass::PROC_ABORTED.0 && is_running();
    let is_of_host =
        misses_rank && with(|runtime| runtime.driver.simulation().is_some() && runtime.ranks.iter().any(has_fallen));
    if is_of_host { exit::HOST_FAILED } else { 1 }
}

/// The handler for errors on an object. Errors without a valid object go to `MPI_COMM_SELF`'s (MPI 5.0 §9.3), or to
/// `MPI_COMM_WORLD`'s where the program only changed that one, as programs of older standards do.
fn due_on(target: Target) -> (Due, u64) {
    if matches!(target, Target::Tool) {
        return (Due::Return, 0);
    }
    if !is_running() {
        return (Due::Fatal, 0);
    }
    with_objects(|objects| {
        // An error about a handler that is none is one without any object.
        if let Target::Handler(handler) = target
            && let Some(handler) = find_errhandler(objects, handler)
        {
            return (Due::from(&handler), 0);
        }
        if let Target::File(file) = target {
            let own = find_file(objects, file as u64).map(|file| Due::from(&file.errhandler));
            return (own.unwrap_or_else(|| Due::from(&objects.file_errhandler.0)), target.handle());
        }
        if let Target::Session(session) = target
            && let Some((_, session)) = find_session(objects, session as u64)
        {
            return (Due::from(&session.errhandler), target.handle());
        }
        if let Target::Win(win) = target
            && let Some(win) = find_win(objects, win as u64)
        {
            return (Due::from(&win.errhandler), target.handle());
        }
        if let Target::Comm(comm) = target
            && let Some(comm) = find_comm(objects, comm as u64)
        {
            return (Due::from(&comm.errhandler), target.handle());
        }
        for (comm, handle) in [(&objects.self_comm, handles::MPI_COMM_SELF), (&objects.world, handles::MPI_COMM_WORLD)]
        {
            if let Some(comm) = comm
                && !matches!(comm.errhandler, Errhandler::Fatal)
            {
                return (Due::from(&comm.errhandler), handle.into());
            }
        }
        (Due::Fatal, 0)
    })
}

#[cfg(test)]
mod tests {
    use smpi_abi::c::MPI_ERR_LASTCODE;

    use super::*;

    /// Codes of the program have their texts in the run's state, and there is no run here.
    #[test]
    fn classes_of_the_standard_have_texts_that_name_them() {
        assert!(is_predefined(ErrorClass::TRUNCATE.0) && !is_predefined(MPI_ERR_LASTCODE + 1) && !is_predefined(-1));
        assert!(text_of(ErrorClass::TRUNCATE.0).unwrap().starts_with("MPI_ERR_TRUNCATE: "));
        assert_eq!(text_of(MPI_ERR_LASTCODE + 1), None);
        let texts: Vec<String> = (0..=MPI_ERR_LASTCODE).filter_map(text_of).collect();
        let mut different = texts.clone();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), texts.len());
    }
}

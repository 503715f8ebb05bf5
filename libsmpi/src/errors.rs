//! What happens when an MPI call fails: the error handler of the object it was called on (MPI 5.0 §9.3).

use std::ffi::c_int;

use smpi_abi::Function;
use smpi_mpi::error::{ErrorClass, MpiError};
use smpi_mpi::world::Driver;

use crate::abi::constants::MPI_ERR_LASTCODE;
use crate::boundary::{self, Target};
use crate::convert::{find_comm, with_objects};
use crate::objects::Errhandler;
use crate::runtime::{MpiPhase, current_rank, is_running, with};

/// Error classes, codes and texts that a program added (MPI 5.0 §9.5).
#[derive(Clone, Debug, Default)]
pub struct UserErrors {
    /// Class of every code beyond the predefined ones; a class is its own code. `None` where it was removed.
    classes: Vec<Option<i32>>,
    /// Texts by code, in the order in which they were first set.
    texts: Vec<(i32, String)>,
}

impl UserErrors {
    /// The first code after the predefined ones.
    const FIRST: i32 = MPI_ERR_LASTCODE + 1;

    fn index(code: i32) -> Option<usize> {
        usize::try_from(code.checked_sub(Self::FIRST)?).ok()
    }

    /// The class of an added code.
    pub fn class_of(&self, code: i32) -> Option<i32> {
        self.classes.get(Self::index(code)?).copied().flatten()
    }

    /// The largest code in use or removed: what the attribute `MPI_LASTUSEDCODE` says.
    pub fn last_used(&self) -> i32 {
        MPI_ERR_LASTCODE + self.classes.len() as i32
    }

    /// Adds a class.
    pub fn add_class(&mut self) -> i32 {
        let class = self.last_used() + 1;
        self.add_code(class)
    }

    /// Adds a code to a class.
    pub fn add_code(&mut self, class: i32) -> i32 {
        self.classes.push(Some(class));
        self.last_used()
    }

    /// True when a class has codes other than itself.
    pub fn has_codes(&self, class: i32) -> bool {
        let members = self.classes.iter().filter(|&&member| member == Some(class));
        members.count() > 1
    }

    /// Removes a class or code and its text. Its number is not used again.
    pub fn remove(&mut self, code: i32) {
        if let Some(entry) = Self::index(code).and_then(|index| self.classes.get_mut(index)) {
            *entry = None;
        }
        self.remove_text(code);
    }

    /// The text of an added code.
    fn text(&self, code: i32) -> Option<&str> {
        self.texts.iter().find(|entry| entry.0 == code).map(|entry| entry.1.as_str())
    }

    /// Sets or replaces a text.
    pub fn set_text(&mut self, code: i32, text: String) {
        match self.texts.iter_mut().find(|entry| entry.0 == code) {
            Some(entry) => entry.1 = text,
            None => self.texts.push((code, text)),
        }
    }

    /// Removes a text; true when there was one.
    pub fn remove_text(&mut self, code: i32) -> bool {
        let before = self.texts.len();
        self.texts.retain(|entry| entry.0 != code);
        self.texts.len() < before
    }
}

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
    let comm = std::ptr::without_provenance_mut(error.comm_handle as usize);
    let (due, handle) = due_on(if error.comm_handle == 0 { target } else { Target::Comm(comm) });
    let class = error.class;
    if matches!(due, Due::User(_)) {
        // The handler may wait, or never come back: nothing that needs dropping may be left.
        drop(error);
        return invoke(due, handle, class.0, String::new);
    }
    invoke(due, handle, class.0, || {
        if is_predefined(class.0) {
            format!("{function}: {} [{}]", error.message, class.name())
        } else {
            format!("{function}: {} [error code {}]", error.message, class.0)
        }
    })
}

/// Runs an error handler on a code. `describe` makes the text that a fatal one prints.
pub fn invoke(due: Due, handle: u64, code: c_int, describe: impl FnOnce() -> String) -> c_int {
    match due {
        Due::Return => {}
        Due::User(function) => boundary::outside(|| crate::callbacks::error_handler(function, handle, code)),
        Due::Fatal => abort_because(Cause::Error(code), 1, &describe()),
    }
    code
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
        if let Target::Comm(comm) = target
            && let Some(comm) = find_comm(objects, comm as u64)
        {
            return (Due::from(&comm.errhandler), target.handle());
        }
        for (comm, handle) in [(&objects.self_comm, 0x102), (&objects.world, 0x101)] {
            if let Some(comm) = comm
                && !matches!(comm.errhandler, Errhandler::Fatal)
            {
                return (Due::from(&comm.errhandler), handle);
            }
        }
        (Due::Fatal, 0)
    })
}

/// Ends the whole run with this code, after saying why.
pub fn abort(code: c_int, message: &str) -> ! {
    abort_because(Cause::Abort, code, message)
}

/// Why a rank ends the whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// It asked for that.
    Abort,
    /// An MPI error of this class, whose handler ends the run.
    Error(c_int),
    /// It called a function too early or too late.
    Misplaced(MpiPhase),
}

/// As [`abort`], for any cause.
pub fn abort_because(cause: Cause, code: c_int, message: &str) -> ! {
    let rank = current_rank();
    if is_running() && with(|runtime| runtime.driver.explores()) {
        crate::verify::note_failure(rank, cause, message);
        crate::process::exit_now(code)
    }
    crate::process::print_error(&format!("smpirun: rank {rank}: {message}\n"));
    if is_running() {
        with(|runtime| {
            runtime.run(rank).phase = MpiPhase::After;
            if runtime.aborted.is_none_or(|(first, _)| rank < first) {
                runtime.aborted = Some((rank, code));
            }
        });
    }
    crate::process::exit_now(code)
}

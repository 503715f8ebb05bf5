//! What happens when an MPI call fails: the error handler of the object it was called on (MPI 5.0 §9.3).

use std::ffi::c_int;

use smpi_mpi::error::{ErrorClass, MpiError};

use crate::boundary::Target;
use crate::convert::{find_comm, with_objects};
use crate::objects::Errhandler;
use crate::runtime::{MpiPhase, current_rank, is_running, with};

/// Error classes, codes and texts that a program added (MPI 5.0 §9.5).
#[derive(Debug, Default)]
pub struct UserErrors {
    /// Class of every code beyond the predefined ones; a class is its own code. `None` where it was removed.
    pub classes: Vec<Option<i32>>,
    /// Texts by code, in the order in which they were set.
    pub texts: Vec<(i32, String)>,
}

impl UserErrors {
    /// The first code after the predefined ones.
    pub const FIRST: i32 = crate::abi::constants::MPI_ERR_LASTCODE + 1;

    /// The class of an added code.
    pub fn class_of(&self, code: i32) -> Option<i32> {
        let index = usize::try_from(code.checked_sub(Self::FIRST)?).ok()?;
        self.classes.get(index).copied().flatten()
    }
}

/// Calls the error handler that is due and returns the code for the program.
pub fn raise(function: &str, target: Target, error: &MpiError) -> c_int {
    let (handler, handle) = handler_of(target);
    invoke(&handler, handle, error.class.0, || format!("{function}: {}", error.message))
}

/// Runs an error handler on a code. `describe` makes the text that a fatal one prints.
pub fn invoke(handler: &Errhandler, handle: u64, code: c_int, describe: impl FnOnce() -> String) -> c_int {
    match handler {
        Errhandler::Return => {}
        Errhandler::User(user) => crate::callbacks::error_handler(user.function, handle, code),
        Errhandler::Fatal | Errhandler::Abort => {
            let class = ErrorClass(code);
            let message = format!("{} [{}]", describe(), class.name());
            abort(1, &message);
        }
    }
    code
}

/// The handler for errors on an object. Errors without a valid object go to `MPI_COMM_SELF`'s (MPI 5.0 §9.3), or to
/// `MPI_COMM_WORLD`'s where the program only changed that one, as programs of older standards do.
fn handler_of(target: Target) -> (Errhandler, u64) {
    if matches!(target, Target::Tool) {
        return (Errhandler::Return, 0);
    }
    if !is_running() {
        return (Errhandler::Fatal, 0);
    }
    with_objects(|objects| {
        if let Target::Comm(comm) = target
            && let Some(comm) = find_comm(objects, comm as u64)
        {
            return (comm.errhandler.clone(), target.handle());
        }
        for (comm, handle) in [(&objects.self_comm, 0x102), (&objects.world, 0x101)] {
            if let Some(comm) = comm
                && !matches!(comm.errhandler, Errhandler::Fatal)
            {
                return (comm.errhandler.clone(), handle);
            }
        }
        (Errhandler::Fatal, 0)
    })
}

/// Ends the whole run with this code, after saying why.
pub fn abort(code: c_int, message: &str) -> ! {
    let rank = current_rank();
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

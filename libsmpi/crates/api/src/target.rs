//! The object that a call is about.

use crate::abi::types::{MPI_Comm, MPI_Errhandler, MPI_File, MPI_Session, MPI_Win};

/// The object whose error handler is due when a call fails.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The call's communicator.
    Comm(MPI_Comm),
    /// The call's window.
    Win(MPI_Win),
    /// The call's file; `MPI_FILE_NULL`, whose handler is that of every new file, where there is none yet.
    File(MPI_File),
    /// The call's session.
    Session(MPI_Session),
    /// The call gets its error handler as an argument: `MPI_Session_init`, `MPI_Comm_create_from_group`.
    Handler(MPI_Errhandler),
    /// None: `MPI_COMM_SELF`'s handler.
    None,
    /// The tool interface: the code is returned and no handler is called (MPI 5.0 §15.3.10).
    Tool,
}

impl Target {
    /// The handle value that a user's error handler is given.
    pub fn handle(self) -> u64 {
        match self {
            Target::Comm(comm) => comm as u64,
            Target::Win(win) => win as u64,
            Target::File(file) => file as u64,
            Target::Session(session) => session as u64,
            Target::Handler(_) | Target::None | Target::Tool => 0,
        }
    }
}

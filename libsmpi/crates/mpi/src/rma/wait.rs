//! What ranks wait for at windows.

use super::{Lock, WindowId};

/// What must have happened to accesses before a rank goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Until {
    /// The origin's memory is the program's again (`MPI_Win_flush_local`).
    Local,
    /// They have taken place; the target will hear of it (`MPI_Win_fence`, `MPI_Win_complete`).
    Arrived,
    /// They have taken place, and the origin knows (`MPI_Win_flush`, `MPI_Win_unlock`).
    Acknowledged,
}

/// A request by which a rank waits at a window.
#[derive(Clone, Debug)]
pub struct Wait {
    /// The window.
    pub window: WindowId,
    /// The rank's number in it.
    pub member: u32,
    /// The target; `None` for all.
    pub target: Option<u32>,
    /// What for.
    pub awaited: Awaited,
}

/// What a rank waits for.
#[derive(Clone, Debug)]
pub enum Awaited {
    /// A lock of the target.
    Lock(Lock),
    /// Its accesses to the target.
    Accesses {
        /// What must have happened to them.
        until: Until,
        /// Answers of targets that are on their way.
        answers: u32,
    },
}

//! Newtypes for the numbers that must not be mixed up.

use std::fmt;

/// Number of a rank in the whole run: its place in `MPI_COMM_WORLD` of a single-program run.
///
/// With several programs (`smpirun -np 2 ./a : -np 4 ./b`) ranks are numbered in the order of the command line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WorldRank(pub u32);

/// Index of a host of the platform, in the order of its description.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HostId(pub u32);

impl WorldRank {
    /// The rank as an index into per-rank tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl HostId {
    /// The host as an index into per-host tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for WorldRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

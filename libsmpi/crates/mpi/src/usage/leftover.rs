//! Kinds of communication that can be left when the ranks have ended.

use smpi_base::WorldRank;

use super::observation::Origin;

/// What is left over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Left {
    /// A message that was sent and not received; by a request that the program may still have.
    Message,
    /// A receive that was posted, given up by the program and never matched.
    Receive,
    /// A persistent request that was never started.
    NeverStarted,
    /// A request that was started, and whose completion the program never asked for.
    NeverCompleted,
    /// A persistent request that was never freed.
    Persistent,
}

/// Something left over of a rank.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// Whose.
    pub rank: WorldRank,
    /// What.
    pub left: Left,
    /// Where it was made.
    pub origin: Origin,
    /// In words: `sends 8 bytes to rank 2 with tag 5`.
    pub what: String,
}

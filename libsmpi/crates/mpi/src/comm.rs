//! Communicators as one rank sees them (MPI 5.0 §7).
//!
//! A communicator has five contexts, so that its kinds of traffic never meet: point-to-point, collectives, collectives
//! inside one side of an intercommunicator, the traffic of creating other communicators, and partitioned operations.

use smpi_base::WorldRank;
use smpi_mailbox::Context;

use crate::group::Group;

/// Kinds of traffic of a communicator, added to its base context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TrafficKind {
    /// The program's own messages.
    PointToPoint = 0,
    /// Messages of collective operations.
    Collective = 1,
    /// Messages between ranks of one side of an intercommunicator, within a collective operation.
    LocalCollective = 2,
    /// Messages between the two leaders of `MPI_Intercomm_create`.
    Creation = 3,
    /// Messages of partitioned operations.
    Partitioned = 4,
}

impl TrafficKind {
    /// Whether messages of this context belong to collective operations: no receive from any source takes them.
    pub fn is_collective(context: Context) -> bool {
        let kind = context % CONTEXTS_PER_COMM;
        kind == TrafficKind::Collective as u32 || kind == TrafficKind::LocalCollective as u32
    }

    /// The base context of a communicator from that of its messages, if these are the program's own: point-to-point, or
    /// partitions.
    pub fn base_of_programs(context: Context) -> Option<Context> {
        let kind = context % CONTEXTS_PER_COMM;
        let is_programs = kind == TrafficKind::PointToPoint as u32 || kind == TrafficKind::Partitioned as u32;
        is_programs.then_some(context - kind)
    }
}

/// Contexts reserved for each communicator.
pub(crate) const CONTEXTS_PER_COMM: u32 = 5;
/// Base context of `MPI_COMM_SELF`; one for all ranks, as each only ever sends to itself there.
pub const SELF_CONTEXT: Context = 0;
/// Base context of `MPI_COMM_WORLD`.
pub const WORLD_CONTEXT: Context = CONTEXTS_PER_COMM;

/// What all operations on a communicator need to know; one copy a rank, cheap to clone.
#[derive(Clone, Hash, Debug)]
pub struct CommCore {
    /// Base context.
    pub context: Context,
    /// The group (of the own side).
    pub group: Group,
    /// The other side of an intercommunicator.
    pub remote: Option<Group>,
    /// The own rank in `group`.
    pub rank: u32,
}

impl CommCore {
    /// The context of one kind of traffic.
    pub fn context_of(&self, traffic: TrafficKind) -> Context {
        self.context + traffic as u32
    }

    /// The group that ranks in point-to-point calls refer to: the remote one of an intercommunicator.
    pub fn peers(&self) -> &Group {
        self.remote.as_ref().unwrap_or(&self.group)
    }

    /// World rank of a peer.
    pub fn peer(&self, rank: u32) -> Option<WorldRank> {
        self.peers().world(rank)
    }
}

/// Where ranks leave something for others in a creating call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Base context of the parent.
    pub parent: Context,
    /// Number of the creating call, as in [`crate::agreements::Birth`].
    pub number: u32,
    /// World rank of the first member of the side that leaves it: tells apart the sides of an intercommunicator, and
    /// the communicators `MPI_COMM_SELF` of all ranks, which share a context.
    pub side: u32,
}

//! What a driver is told, and has no say in.

use smpi_abi::Function;
use smpi_base::WorldRank;
use smpi_mailbox::{CommId, Context};

use super::{Ended, ServerName};
use crate::p2p::request::RequestKey;
use crate::world::Post;

/// Something has happened that a driver may want to know. Drivers match it without a wildcard, so that whoever adds
/// one has to say what it means for each of them.
#[expect(missing_docs, reason = "fields have the names of their types, and each notice says what they are")]
#[derive(Clone, Copy, Debug)]
pub enum Notice<'a> {
    // A rank and its calls. They come while the rank runs, in whatever order ranks run.
    /// A rank calls a function of MPI, from its program and not from another call.
    Entered { rank: WorldRank, function: Function },
    /// A poll has found something, or not.
    Polled { rank: WorldRank, found: bool },
    /// A rank posts something, which is committed later, in the order in which the rank posted.
    Posting { rank: WorldRank, post: &'a Post },
    /// The rank takes the completion of a finished request, or is told of it without taking it (`shown`).
    Taken { rank: WorldRank, key: RequestKey, shown: bool },
    /// A rank is through: it posts nothing any more.
    RankEnded(WorldRank),
    /// `rank` is there from now on: `parent` has spawned it. Ranks that are spawned are through until then.
    RankBegins { rank: WorldRank, parent: WorldRank },

    // Commits: what ranks have posted takes place, in the order of ranks.
    /// A post of a rank is committed now.
    Committing { rank: WorldRank, post: &'a Post },
    /// What ranks do with files and the like is done now, for this rank.
    ActingFor(WorldRank),
    /// What [`super::Clock::advance`] has told is dealt with now, in the same order.
    Ending(Ended),
    /// All that concerns an instant so far is done, and the ranks that were woken are about to be taken.
    InstantOver,
    /// A message or receive was taken out of its mailbox.
    TakenBack(CommId),
    /// An operation is over; its rank was not told yet.
    Completed { rank: WorldRank, slot: u32 },

    // Partitioned communication: the whole and its partitions have requests in slots of their own.
    /// A partition of a receive waits for its data since the whole was started.
    BegunWithin { rank: WorldRank, whole: u32, part: u32 },
    /// A message has arrived that is a step of a partitioned receive and belongs to this partition.
    PieceArrived { rank: WorldRank, whole: u32, step: u32, part: u32 },
    /// A partition is over.
    PartitionOver { rank: WorldRank, whole: u32, part: u32 },

    // Windows.
    /// There are servers up to this number of ranks in all.
    Grow(u32),
    /// The order that was taken not to matter does. A lock that was asked for is not given; an access takes place as it
    /// arrives.
    OrderMatters(ServerName),
    /// An access of a rank has changed memory at its target.
    Changed { rank: WorldRank },
    /// A server has done what a rank asked for: an access to this target of a window, or what the request in a slot
    /// waits for.
    Answered { server: WorldRank, rank: WorldRank, about: (Context, u32), slot: Option<u32> },
    /// A server has given a rank its turn for what the request in a slot waits for.
    Served { server: WorldRank, rank: WorldRank, slot: u32 },
    /// A rank learns that its accesses to this target of a window are over.
    Heard { rank: WorldRank, about: (Context, u32) },

    // Collective operations.
    /// All messages of a collective request so far are over, and it goes on behind a fence.
    FencePassed { rank: WorldRank, slot: u32 },
    /// The message that a step of a collective request posted is over, and it goes on behind a step that waited for
    /// that.
    MessageAwaited { rank: WorldRank, slot: u32, step: u32 },
    /// The ranks of a collective operation that has a gate are all there; these requests go on.
    GateOpens(&'a [(WorldRank, u32)]),
}

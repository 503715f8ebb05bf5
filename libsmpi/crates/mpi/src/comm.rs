//! Communicators as one rank sees them, and how ranks agree on new ones (MPI 5.0 §7.4, §7.6).
//!
//! A communicator has four contexts, so that its kinds of traffic never meet: point-to-point, collectives, collectives
//! inside one side of an intercommunicator, and the traffic of creating other communicators.
//! Members agree on a new context without sending anything: the first to arrive at "child number n of context c, colour k"
//! allocates it, the others find it. Numbers of contexts only serve to be different; they never reach a program.

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::Context;

use crate::group::Group;

/// Kinds of traffic of a communicator, added to its base context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// The program's own messages.
    PointToPoint = 0,
    /// Messages of collective operations.
    Collective = 1,
    /// Messages between ranks of one side of an intercommunicator, within a collective operation.
    LocalCollective = 2,
}

/// Contexts reserved for each communicator.
const CONTEXTS_PER_COMM: u32 = 4;
/// Base context of `MPI_COMM_SELF`; one for all ranks, as each only ever sends to itself there.
pub const SELF_CONTEXT: Context = 0;
/// Base context of `MPI_COMM_WORLD`.
pub const WORLD_CONTEXT: Context = CONTEXTS_PER_COMM;

/// What all operations on a communicator need to know; one copy a rank, cheap to clone.
#[derive(Clone, Debug)]
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
    pub fn context_of(&self, traffic: Traffic) -> Context {
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

/// Identity of a communicator under construction: parent context, number of the creating call, colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Birth {
    /// Base context of the parent.
    pub parent: Context,
    /// How many communicators the parent had created before on this rank.
    pub number: u32,
    /// Tells apart the communicators that one call creates (split colour, group's first rank, tag).
    pub colour: u64,
}

/// What ranks told each other in an unfinished `MPI_Comm_split`.
#[derive(Debug, Default)]
struct Split {
    /// (colour, key, world rank) of those that arrived; sorted once all are there.
    entries: Vec<(i32, i32, u32)>,
    /// Resulting groups by colour, filled by the first rank that asks.
    groups: Map<i32, Group>,
    /// Ranks that have taken their result.
    taken: u32,
}

/// The agreements in progress.
#[derive(Debug)]
pub struct Agreements {
    next_context: Context,
    /// Context and number of members that have not asked yet.
    births: Map<Birth, (Context, u32)>,
    splits: Map<(Context, u32), Split>,
}

impl Default for Agreements {
    fn default() -> Self {
        Agreements { next_context: 2 * CONTEXTS_PER_COMM, births: Map::default(), splits: Map::default() }
    }
}

impl Agreements {
    /// A context that nobody else has or will have.
    pub fn fresh_context(&mut self) -> Context {
        let context = self.next_context;
        self.next_context += CONTEXTS_PER_COMM;
        context
    }

    /// The base context of the communicator `birth`; each of its `members` asks exactly once.
    pub fn context(&mut self, birth: Birth, members: u32) -> Context {
        if let Some((context, missing)) = self.births.get_mut(&birth) {
            let context = *context;
            *missing -= 1;
            if *missing == 0 {
                self.births.remove(&birth);
            }
            return context;
        }
        let context = self.fresh_context();
        if members > 1 {
            self.births.insert(birth, (context, members - 1));
        }
        context
    }

    /// Tells the others this rank's colour and key. `colour < 0` (MPI_UNDEFINED): wants no communicator.
    pub fn split_deposit(&mut self, parent: Context, number: u32, rank: WorldRank, colour: i32, key: i32) {
        self.splits.entry((parent, number)).or_default().entries.push((colour, key, rank.0));
    }

    /// The group of `colour`, ordered by key and then by rank in the parent (`place`). To be called when all
    /// `members` of the parent have deposited (after a synchronising collective), once a rank.
    pub fn split_group(
        &mut self,
        parent: Context,
        number: u32,
        colour: i32,
        members: u32,
        place: impl Fn(WorldRank) -> u32,
    ) -> Option<Group> {
        let split = self.splits.get_mut(&(parent, number))?;
        if split.taken == 0 {
            split.entries.sort_by_key(|&(colour, key, rank)| (colour, key, place(WorldRank(rank))));
            for part in split.entries.chunk_by(|a, b| a.0 == b.0).filter(|part| part[0].0 >= 0) {
                split.groups.insert(part[0].0, Group::list(part.iter().map(|entry| entry.2).collect()));
            }
        }
        let group = split.groups.get(&colour).cloned();
        split.taken += 1;
        if split.taken == members {
            self.splits.remove(&(parent, number));
        }
        group
    }
}

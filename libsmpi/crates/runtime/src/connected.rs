//! Which ranks are connected (MPI 5.0 §11.10.4): an abort ends those, and no others.
//!
//! Two ranks are connected that both have the same communicator, whatever it was made by; who frees one instead of
//! disconnecting it stays connected with its first members. Connections of connections are some, too.

use smpi_abi::{Callee, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_mailbox::Context;
use smpi_mpi::comm::CommCore;

use crate::state::Runtime;

/// Ranks by what they are connected with: the lowest number in a tree of them is its root.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, rank: u32) -> u32 {
        let mut at = rank;
        while self.0[at as usize] != at {
            let above = self.0[self.0[at as usize] as usize];
            self.0[at as usize] = above;
            at = above;
        }
        at
    }

    fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other) as usize] = one.min(other);
    }
}

impl Runtime {
    /// All ranks that are connected with this one, itself among them.
    pub fn connected_with(&self, rank: WorldRank) -> Vec<WorldRank> {
        let mut sets = Sets((0..self.ranks.len() as u32).collect());
        // Who has a communicator still, by its context.
        let mut first: Map<Context, WorldRank> = Map::default();
        for one in self.born() {
            let objects = &self.objects[one.index()];
            let job = self.ranks[one.index()].job.as_ref();
            let of_parents = job.filter(|_| objects.world.is_none()).map(|job| job.parents.0);
            let own = objects.comms.iter().map(|(_, comm)| comm.core.context);
            for context in own.chain(of_parents).chain([self.world_of(one).0]) {
                let other = *first.entry(context).or_insert(one);
                sets.join(one.0, other.0);
            }
        }
        for job in self.born().filter_map(|rank| self.ranks[rank.index()].job.as_ref()) {
            // Those that are still spawning them have no handle yet.
            let waiting = job.parents.1.worlds().filter(|parent| self.is_spawning(*parent));
            let child = first.get(&job.parents.0).copied();
            waiting.zip(child.into_iter().cycle()).for_each(|(parent, child)| sets.join(parent.0, child.0));
        }
        self.asked.links.iter().for_each(|(one, other)| sets.join(one.0, other.0));
        let root = sets.root(rank.0);
        self.born().filter(|other| sets.root(other.0) == root).collect()
    }

    fn is_spawning(&self, rank: WorldRank) -> bool {
        let run = &self.ranks[rank.index()];
        let spawning = [Function::Comm_spawn, Function::Comm_spawn_multiple];
        run.doing.is_call()
            && !run.standing.is_over()
            && spawning.iter().any(|function| run.call == Callee::Function(*function))
    }

    /// Whether there are ranks that were spawned.
    pub fn has_spawned(&self) -> bool {
        self.layout.highest > self.layout.first_ranks
    }

    /// A rank frees a communicator without disconnecting it.
    pub fn note_freed(&mut self, rank: WorldRank, core: &CommCore) {
        let (_, own) = self.world_of(rank);
        let groups = [Some(&core.group), core.remote.as_ref()];
        let others = groups.into_iter().flatten().filter_map(|group| group.world(0));
        let links = others.filter(|other| own.rank_of(*other).is_none()).map(|other| (rank, other));
        self.asked.links.extend(links.collect::<Vec<_>>());
    }
}

//! Process groups: ordered sets of world ranks (MPI 5.0 §7.2.1).
//!
//! The world's group is a range and costs the same for any number of ranks. Groups of a few runs (every second rank,
//! all but one, the rows of a grid) are stored as runs. So if every rank makes such a group for itself, memory does not
//! grow with the square of the ranks. Any other group is a list with an index from rank to position; [`Shared`] stores
//! equal lists once.
//!
//! The form depends on the members alone, not on how the group was made: equal groups have equal forms.

pub mod run;
mod sets;
mod shared;

use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use smpi_base::WorldRank;
use smpi_base::map::Map;

use run::{Run, Runs};

pub use sets::Places;
pub use shared::Shared;

/// The most runs that a group is kept as; to find a member looks at all of them.
const MOST_RUNS: usize = 32;
/// Runs have as many members at least, on the average: a run takes as much memory as some members of a list.
const LEAST_MEMBERS: usize = 4;

/// An ordered set of world ranks, cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group(Members);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Members {
    /// `first, first + 1, …`
    Range {
        first: u32,
        size: u32,
    },
    Runs(Arc<[PlacedRun]>),
    List(Arc<List>),
}

/// Some members at consecutive places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PlacedRun {
    /// The place of the first one.
    place: u32,
    run: Run,
}

#[derive(Debug)]
struct List {
    ranks: Vec<u32>,
    /// World rank → rank in the group, made when it is asked for.
    places: OnceLock<Map<u32, u32>>,
}

impl PartialEq for List {
    fn eq(&self, other: &List) -> bool {
        std::ptr::eq(self, other) || self.ranks == other.ranks
    }
}

impl Eq for List {}

impl Hash for List {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ranks.hash(state);
    }
}

impl List {
    fn place_of(&self, world: WorldRank) -> Option<u32> {
        let of_all = || self.ranks.iter().enumerate().map(|(place, &rank)| (rank, place as u32)).collect();
        self.places.get_or_init(of_all).get(&world.0).copied()
    }
}

impl Group {
    /// The group of the consecutive world ranks `first .. first + size`.
    pub fn range(first: u32, size: u32) -> Group {
        Group(Members::Range { first: if size == 0 { 0 } else { first }, size })
    }

    /// The group of `ranks` in that order. The ranks must be distinct.
    pub fn list(ranks: Vec<u32>) -> Group {
        Group::of_runs(ranks.into_iter().map(|rank| Run::consecutive(rank, 1)))
    }

    /// The group of all these ranks in that order. They must be distinct.
    fn of_runs(parts: impl IntoIterator<Item = Run>) -> Group {
        let mut runs = Runs::default();
        parts.into_iter().for_each(|run| runs.push(run));
        let runs = runs.finish();
        match runs[..] {
            [] => return Group::range(0, 0),
            [Run { first, stride: 1, len }] => return Group::range(first, len),
            _ => {}
        }
        let size: usize = runs.iter().map(|run| run.len as usize).sum();
        if runs.len() <= MOST_RUNS && runs.len() * LEAST_MEMBERS <= size {
            let mut place = 0;
            let placed = runs.into_iter().map(|run| {
                let at = place;
                place += run.len;
                PlacedRun { place: at, run }
            });
            return Group(Members::Runs(placed.collect()));
        }
        let ranks = runs.into_iter().flat_map(Run::numbers).collect();
        Group(Members::List(Arc::new(List { ranks, places: OnceLock::new() })))
    }

    /// Number of members.
    #[inline]
    pub fn size(&self) -> u32 {
        match &self.0 {
            Members::Range { size, .. } => *size,
            Members::Runs(runs) => runs.last().map_or(0, |last| last.place + last.run.len),
            Members::List(list) => list.ranks.len() as u32,
        }
    }

    /// The world rank of member `rank`; `None` when the group is smaller.
    #[inline]
    pub fn world(&self, rank: u32) -> Option<WorldRank> {
        match &self.0 {
            Members::Range { first, size } => (rank < *size).then(|| WorldRank(first + rank)),
            Members::Runs(runs) => {
                let found = run_at(runs, rank);
                (rank - found.place < found.run.len).then(|| WorldRank(found.run.get(rank - found.place)))
            }
            Members::List(list) => list.ranks.get(rank as usize).copied().map(WorldRank),
        }
    }

    /// The place of a world rank in this group; `None` when it is no member.
    pub fn rank_of(&self, world: WorldRank) -> Option<u32> {
        match &self.0 {
            Members::Range { first, size } => world.0.checked_sub(*first).filter(|rank| rank < size),
            Members::Runs(runs) => runs.iter().find_map(|placed| Some(placed.place + placed.run.index_of(world.0)?)),
            Members::List(list) => list.place_of(world),
        }
    }

    /// The members in group order.
    pub fn worlds(&self) -> impl Iterator<Item = WorldRank> + '_ {
        (0..self.size()).filter_map(|rank| self.world(rank))
    }
}

/// The run that the member at a place is in, or the last one.
fn run_at(runs: &[PlacedRun], place: u32) -> PlacedRun {
    // The first run begins at place 0.
    runs[runs.partition_point(|run| run.place <= place) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_translate_both_ways() {
        let group = Group::list(vec![4, 2, 9]);
        assert_eq!(group.size(), 3);
        assert_eq!(group.world(2), Some(WorldRank(9)));
        assert_eq!(group.rank_of(WorldRank(2)), Some(1));
        assert_eq!(group.rank_of(WorldRank(3)), None);
        assert_eq!(Group::list(vec![3, 4, 5]), Group::range(3, 3));
        assert_eq!(Group::list(Vec::new()), Group::range(7, 0));
    }

    #[test]
    fn few_runs_are_kept_as_such_and_translate_both_ways() {
        // Descending by two, then all up to one before the last.
        let ranks: Vec<u32> = (0..50).map(|index| 99 - 2 * index).chain(200..230).chain([231]).collect();
        let group = Group::list(ranks.clone());
        assert!(matches!(&group.0, Members::Runs(runs) if runs.len() == 3));
        assert_eq!(group.size(), 81);
        for (place, &rank) in ranks.iter().enumerate() {
            assert_eq!(group.world(place as u32), Some(WorldRank(rank)));
            assert_eq!(group.rank_of(WorldRank(rank)), Some(place as u32));
        }
        assert_eq!((group.world(81), group.world(u32::MAX)), (None, None));
        for stranger in [0, 2, 98, 100, 101, 199, 230, 232, u32::MAX] {
            assert_eq!(group.rank_of(WorldRank(stranger)), None);
        }
        assert!(matches!(Group::list((0..40).map(|rank| rank * rank).collect()).0, Members::List(_)));
    }
}

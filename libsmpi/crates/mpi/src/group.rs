//! Process groups: ordered sets of world ranks (MPI 5.0 §7.2.1).
//!
//! The world's group is a range and costs nothing, however many ranks there are; any other group is a list with an
//! index for the way back. Set operations are in the C layer's
//! `api/group.rs`, next to the calls that need them.

use std::sync::Arc;

use smpi_base::WorldRank;
use smpi_base::map::Map;

/// An ordered set of world ranks, cheap to clone.
#[derive(Clone, Debug)]
pub struct Group(Members);

#[derive(Clone, Debug)]
enum Members {
    /// `first, first + 1, …`
    Range {
        first: u32,
        size: u32,
    },
    List(Arc<List>),
}

#[derive(Debug)]
struct List {
    ranks: Vec<u32>,
    /// World rank → rank in the group.
    places: Map<u32, u32>,
}

impl Group {
    /// The group of the consecutive world ranks `first .. first + size`.
    pub fn range(first: u32, size: u32) -> Group {
        Group(Members::Range { first, size })
    }

    /// The group of `ranks` in that order. The ranks must be distinct.
    pub fn list(ranks: Vec<u32>) -> Group {
        let consecutive = ranks.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
        if consecutive {
            return Group::range(ranks.first().copied().unwrap_or(0), ranks.len() as u32);
        }
        let places = ranks.iter().enumerate().map(|(place, &rank)| (rank, place as u32)).collect();
        Group(Members::List(Arc::new(List { ranks, places })))
    }

    /// Number of members.
    #[inline]
    pub fn size(&self) -> u32 {
        match &self.0 {
            Members::Range { size, .. } => *size,
            Members::List(list) => list.ranks.len() as u32,
        }
    }

    /// The world rank of member `rank`; `None` when the group is smaller.
    #[inline]
    pub fn world(&self, rank: u32) -> Option<WorldRank> {
        match &self.0 {
            Members::Range { first, size } => (rank < *size).then(|| WorldRank(first + rank)),
            Members::List(list) => list.ranks.get(rank as usize).copied().map(WorldRank),
        }
    }

    /// The place of a world rank in this group; `None` when it is no member.
    pub fn rank_of(&self, world: WorldRank) -> Option<u32> {
        match &self.0 {
            Members::Range { first, size } => world.0.checked_sub(*first).filter(|rank| rank < size),
            Members::List(list) => list.places.get(&world.0).copied(),
        }
    }

    /// The members in group order.
    pub fn worlds(&self) -> impl Iterator<Item = WorldRank> + '_ {
        (0..self.size()).filter_map(|rank| self.world(rank))
    }
}

impl PartialEq for Group {
    fn eq(&self, other: &Group) -> bool {
        let shared = match (&self.0, &other.0) {
            (Members::List(one), Members::List(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        shared || (self.size() == other.size() && self.worlds().eq(other.worlds()))
    }
}

impl Eq for Group {}

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
    }
}

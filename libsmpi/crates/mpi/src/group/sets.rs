//! Parts of groups and set operations (MPI 5.0 §7.3.2). For groups stored as runs, the cost follows the number of runs.

use smpi_base::WorldRank;

use super::run::Run;
use super::{Group, Members, run_at};

/// Places of members, as ascending intervals of (first, length) that do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places(Vec<(u32, u32)>);

impl Places {
    /// The places in these runs, each once.
    pub fn of(runs: impl IntoIterator<Item = Run>) -> Places {
        let mut intervals = Vec::new();
        for run in runs {
            match run.stride {
                1 => intervals.push((run.first, run.len)),
                -1 => intervals.push((run.get(run.len - 1), run.len)),
                _ => intervals.extend(run.numbers().map(|place| (place, 1))),
            }
        }
        intervals.sort_unstable();
        let mut places = Places::default();
        intervals.into_iter().for_each(|interval| places.push(interval));
        places
    }

    /// Appends an interval that does not begin before the last one.
    fn push(&mut self, (first, len): (u32, u32)) {
        match self.0.last_mut() {
            Some(last) if first <= last.0 + last.1 => last.1 = last.1.max(first + len - last.0),
            _ => self.0.push((first, len)),
        }
    }

    /// The other places below `size`.
    fn others(&self, size: u32) -> Places {
        let mut others = Places::default();
        let mut next = 0;
        for &(first, len) in self.0.iter().chain([&(size, 0)]) {
            if first > next {
                others.0.push((next, first - next));
            }
            next = first + len;
        }
        others
    }

    /// The first place below `size` that is not among these.
    fn first_missing(&self, size: u32) -> Option<u32> {
        let missing = self.0.first().filter(|interval| interval.0 == 0).map_or(0, |interval| interval.1);
        (missing < size).then_some(missing)
    }

    fn runs(&self) -> impl Iterator<Item = Run> {
        self.0.iter().map(|&(first, len)| Run::consecutive(first, len))
    }
}

impl Group {
    /// The group of the members at these places, in the order of the runs. They must be distinct places of members.
    pub fn part(&self, places: impl IntoIterator<Item = Run>) -> Group {
        let mut parts = Vec::new();
        places.into_iter().for_each(|run| self.push_part(run, &mut parts));
        Group::of_runs(parts)
    }

    /// The group without the members at these places.
    pub fn without(&self, places: &Places) -> Group {
        self.part(places.others(self.size()).runs())
    }

    /// Members of this group that are in the other one, too, in the order of this one.
    pub fn intersection(&self, other: &Group) -> Group {
        self.part(self.common(other).runs())
    }

    /// Members of this group that are not in the other one.
    pub fn difference(&self, other: &Group) -> Group {
        self.without(&self.common(other))
    }

    /// The members of this group, and then those of the other one that are not in this one.
    pub fn union(&self, other: &Group) -> Group {
        let mut parts = self.parts();
        let more = other.common(self).others(other.size());
        more.runs().for_each(|run| other.push_part(run, &mut parts));
        Group::of_runs(parts)
    }

    /// Whether both groups have the same members, in whatever order.
    pub fn is_similar(&self, other: &Group) -> bool {
        self.size() == other.size() && self.stranger_to(other).is_none()
    }

    /// The first member that is not in the other group.
    pub fn stranger_to(&self, other: &Group) -> Option<WorldRank> {
        self.common(other).first_missing(self.size()).and_then(|place| self.world(place))
    }

    /// All members as runs of world ranks.
    fn parts(&self) -> Vec<Run> {
        match &self.0 {
            Members::Range { size: 0, .. } => Vec::new(),
            Members::Range { first, size } => vec![Run::consecutive(*first, *size)],
            Members::Runs(runs) => runs.iter().map(|placed| placed.run).collect(),
            Members::List(list) => list.ranks.iter().map(|&rank| Run::consecutive(rank, 1)).collect(),
        }
    }

    /// Appends the world ranks of the members at these places.
    fn push_part(&self, places: Run, parts: &mut Vec<Run>) {
        let runs = match &self.0 {
            Members::Range { first, .. } => return parts.push(Run { first: first + places.first, ..places }),
            Members::List(list) => {
                return parts.extend(places.numbers().map(|place| Run::consecutive(list.ranks[place as usize], 1)));
            }
            Members::Runs(runs) => runs,
        };
        let mut done = 0;
        while done < places.len {
            let place = places.get(done);
            let from = run_at(runs, place);
            let index = place - from.place;
            // How many more steps lead to members of the same run.
            let steps = if places.stride > 0 {
                i64::from(from.run.len - 1 - index) / places.stride
            } else {
                i64::from(index) / -places.stride
            };
            let len = (steps as u32).saturating_add(1).min(places.len - done);
            let stride = if len == 1 { 1 } else { from.run.stride * places.stride };
            parts.push(Run { first: from.run.get(index), stride, len });
            done += len;
        }
    }

    /// The places of members that are in the other group, too.
    fn common(&self, other: &Group) -> Places {
        if self == other {
            return Places::of([Run::consecutive(0, self.size())].into_iter().filter(|run| run.len > 0));
        }
        let single = |place| Run::consecutive(place, 1);
        match (&self.0, &other.0) {
            // To ask for each member of the smaller group is cheaper.
            (_, Members::List(list)) if list.ranks.len() < self.size() as usize => {
                Places::of(list.ranks.iter().filter_map(|&rank| self.rank_of(WorldRank(rank))).map(single))
            }
            (Members::List(_), _) | (_, Members::List(_)) => {
                let places = (0..self.size()).zip(self.worlds());
                Places::of(places.filter(|(_, world)| other.rank_of(*world).is_some()).map(|(place, _)| single(place)))
            }
            _ => {
                let (mine, theirs) = (self.parts(), other.parts());
                let mut place = 0;
                Places::of(mine.iter().flat_map(|run| {
                    let start = place;
                    place += run.len;
                    let found = theirs.iter().filter_map(|other| run.common(*other));
                    found.map(move |places| Run { first: places.first + start, ..places }).collect::<Vec<_>>()
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn members(group: &Group) -> Vec<u32> {
        group.worlds().map(|world| world.0).collect()
    }

    /// Groups of all forms: runs one after the other without what was there before, or shuffled numbers.
    fn group() -> impl Strategy<Value = Vec<u32>> {
        let run =
            (0..90_u32, prop_oneof![Just(1), Just(2), Just(-1), Just(5)], 0..40_i64).prop_map(|(first, by, len)| {
                (0..len).filter_map(|index| u32::try_from(i64::from(first) + by * index).ok()).collect::<Vec<u32>>()
            });
        let runs = proptest::collection::vec(run, 0..4).prop_map(|runs| {
            let mut ranks = Vec::new();
            runs.concat().into_iter().for_each(|rank| {
                if !ranks.contains(&rank) {
                    ranks.push(rank);
                }
            });
            ranks
        });
        prop_oneof![runs, Just((0..50_u32).collect::<Vec<_>>()).prop_shuffle()]
    }

    proptest! {
        #[test]
        fn operations_are_those_of_lists(one in group(), other in group()) {
            let (first, second) = (Group::list(one.clone()), Group::list(other.clone()));
            prop_assert_eq!(&members(&first), &one);
            let inside = |wanted| one.iter().copied().filter(|rank| other.contains(rank) == wanted).collect::<Vec<_>>();
            prop_assert_eq!(members(&first.intersection(&second)), inside(true));
            prop_assert_eq!(members(&first.difference(&second)), inside(false));
            let more = other.iter().copied().filter(|rank| !one.contains(rank));
            let union: Vec<u32> = one.iter().copied().chain(more).collect();
            prop_assert_eq!(&members(&first.union(&second)), &union);
            // One form for one list of members, whatever it was made of.
            prop_assert_eq!(first.union(&second), Group::list(union));
            prop_assert_eq!(first.intersection(&second), Group::list(inside(true)));
            prop_assert_eq!(first.stranger_to(&second).map(|world| world.0), inside(false).first().copied());
            prop_assert_eq!(first.is_similar(&second), one.len() == other.len() && inside(false).is_empty());
            for rank in 0..200 {
                let place = one.iter().position(|other| *other == rank).map(|place| place as u32);
                prop_assert_eq!(first.rank_of(WorldRank(rank)), place);
            }
        }

        #[test]
        fn parts_are_what_is_at_the_places(ranks in group(), by in prop_oneof![1..5_i64, -4..0_i64]) {
            let group = Group::list(ranks.clone());
            let size = ranks.len() as i64;
            let len = (size + by.abs() - 1) / by.abs();
            if len > 0 {
                let first = if by > 0 { 0 } else { size - 1 } as u32;
                let run = Run { first, stride: if len == 1 { 1 } else { by }, len: len as u32 };
                let expected: Vec<u32> = run.numbers().map(|place| ranks[place as usize]).collect();
                prop_assert_eq!(group.part([run]), Group::list(expected));
                let others = (0..).zip(&ranks).filter(|(place, _)| run.index_of(*place).is_none()).map(|(_, &rank)| rank);
                prop_assert_eq!(group.without(&Places::of([run])), Group::list(others.collect()));
            }
        }
    }

    #[test]
    fn places_are_counted_once() {
        let places = Places::of([Run::consecutive(4, 3), Run { first: 9, stride: -2, len: 3 }, Run::consecutive(1, 1)]);
        assert_eq!(places, Places(vec![(1, 1), (4, 4), (9, 1)]));
        assert_eq!(places.others(11), Places(vec![(0, 1), (2, 2), (8, 1), (10, 1)]));
    }
}

//! Equal lists of members, made by several ranks, are stored once.

use std::hash::BuildHasher;
use std::sync::{Arc, Weak};

use smpi_base::map::{FxBuildHasher, Map};

use super::{Group, List, Members};

/// Fewer lists are not worth looking for those that nobody has any more.
const FEW: usize = 64;

/// The lists that groups have, by the hash of their members.
#[derive(Debug, Default)]
pub struct Shared {
    lists: Map<u64, Weak<List>>,
    /// Lists at which those are looked for that nobody has any more.
    full: usize,
}

impl Shared {
    /// The same group, with the list of another group that has the same members in the same order, if there is one.
    pub fn share(&mut self, group: Group) -> Group {
        let Members::List(list) = &group.0 else { return group };
        let hash = FxBuildHasher.hash_one(list);
        if let Some(found) = self.lists.get(&hash).and_then(Weak::upgrade) {
            // Two lists with one hash are rare: the second one stays its own.
            return if found == *list { Group(Members::List(found)) } else { group };
        }
        if self.lists.len() >= self.full.max(FEW) {
            self.lists.retain(|_, list| list.strong_count() > 0);
            self.full = 2 * self.lists.len();
        }
        self.lists.insert(hash, Arc::downgrade(list));
        group
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(by: u32) -> Group {
        Group::list((1..40).map(|rank| rank * rank * by).collect())
    }

    fn are_one(one: &Group, other: &Group) -> bool {
        matches!((&one.0, &other.0), (Members::List(one), Members::List(other)) if Arc::ptr_eq(one, other))
    }

    #[test]
    fn equal_lists_are_kept_once_as_long_as_somebody_has_them() {
        let mut shared = Shared::default();
        let first = shared.share(list(1));
        assert!(are_one(&first, &shared.share(list(1))));
        assert!(!are_one(&first, &shared.share(list(2))));
        assert_eq!(shared.share(Group::range(0, 9)), Group::range(0, 9));
        for by in 3..1_000 {
            shared.share(list(by));
        }
        // All are gone but the first.
        assert!(shared.lists.len() <= FEW + 1, "{}", shared.lists.len());
        assert!(are_one(&first, &shared.share(list(1))));
    }
}

//! What a rank has not looked at of what Waitany returned.

use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;

/// What a rank has not looked at.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Where results lie, from and up to.
    pub places: Vec<(u64, u64)>,
    /// The requests from which some were taken.
    pub group: Option<Group>,
}

/// Requests of which some were taken.
#[derive(Clone, Debug)]
pub struct Group {
    /// The array of handles, from and up to.
    pub array: (u64, u64),
    /// Those that were not taken, in the order of the array.
    pub open: Vec<RequestKey>,
    /// Buffers of the others, with a hash of what they held then.
    pub taken: Vec<(Owned, u64)>,
}

/// What an access means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Nothing here.
    Nothing,
    /// The program sees a difference.
    Seen,
    /// It overwrites results.
    Overwritten,
}

/// Whether a place meets the bytes from `low` up to `high` (not included).
pub fn meets(place: (u64, u64), low: u64, high: u64) -> bool {
    low < place.1 && place.0 < high
}

impl Group {
    fn is_touched(&self, low: u64, high: u64, write: bool) -> bool {
        let is_buffer = |owned: &Owned| (write || owned.receives) && owned.meets(low, high);
        meets(self.array, low, high) || self.taken.iter().any(|(owned, _)| is_buffer(owned))
    }
}

impl Results {
    /// What an access to the bytes from `low` up to `high` means.
    pub fn meaning(&self, low: u64, high: u64, write: bool) -> Meaning {
        let is_result = self.places.iter().any(|&place| meets(place, low, high));
        match &self.group {
            Some(group) if group.is_touched(low, high, write) => Meaning::Seen,
            _ if is_result && write => Meaning::Overwritten,
            _ if is_result => Meaning::Seen,
            _ => Meaning::Nothing,
        }
    }

    /// Forgets results that lie there.
    pub fn overwrite(&mut self, low: u64, high: u64) {
        for (from, to) in std::mem::take(&mut self.places) {
            let kept = [(from, to.min(low)), (from.max(high), to)];
            self.places.extend(kept.into_iter().filter(|(from, to)| from < to));
        }
    }

    /// Whether requests of a group are still to be taken.
    pub fn has_group(&self) -> bool {
        self.group.is_some()
    }

    /// The memory of interest, from and up to.
    pub fn span(&self) -> Option<(u64, u64)> {
        let group = self.group.iter().flat_map(|group| {
            let taken = group.taken.iter().map(|(owned, _)| (owned.low, owned.high));
            taken.chain([group.array])
        });
        self.places.iter().copied().chain(group).reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.group.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_seen_when_read_and_forgotten_when_overwritten() {
        let mut results = Results { places: vec![(100, 104), (200, 232)], group: None };
        assert_eq!(results.meaning(96, 100, false), Meaning::Nothing);
        assert_eq!(results.meaning(103, 104, false), Meaning::Seen);
        assert_eq!(results.meaning(100, 104, true), Meaning::Overwritten);
        results.overwrite(100, 104);
        results.overwrite(204, 208);
        assert_eq!(results.places, [(200, 204), (208, 232)]);
        assert_eq!(results.span(), Some((200, 232)));
        results.group = Some(Group { array: (300, 316), open: Vec::new(), taken: Vec::new() });
        assert_eq!(results.meaning(308, 316, true), Meaning::Seen);
        assert_eq!(results.span(), Some((200, 316)));
    }
}

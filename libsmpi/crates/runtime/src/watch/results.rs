//! What a rank has not looked at of what Waitany returned, and of what polls have told it.

use smpi_mpi::buffers::Owned;
use smpi_mpi::p2p::request::RequestKey;

/// What a rank has not looked at.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Where results lie, from and up to.
    pub places: Vec<(u64, u64)>,
    /// The requests from which some were taken.
    pub group: Option<Group>,
    /// Polls that found nothing, by which something else might lie there now.
    pub polls: Vec<Unheard>,
}

/// A poll that was told "not yet" in the place of all answers.
#[derive(Clone, Debug)]
pub struct Unheard {
    /// The number of its choice.
    pub number: u32,
    /// Where its flag and its status lie, from and up to.
    pub places: Vec<(u64, u64)>,
    /// The handle of the request that it tested, from and up to, and the request, until that is taken.
    pub request: Option<((u64, u64), RequestKey)>,
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

/// What a poll has left: where its flag and its status lie, and where the handle.
type Left<'a> = (&'a [(u64, u64)], Option<(u64, u64)>);

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

/// Takes the bytes from `low` up to `high` out of places.
fn cut(places: &mut Vec<(u64, u64)>, low: u64, high: u64) {
    if places.iter().any(|&place| meets(place, low, high)) {
        for (from, to) in std::mem::take(places) {
            let kept = [(from, to.min(low)), (from.max(high), to)];
            places.extend(kept.into_iter().filter(|(from, to)| from < to));
        }
    }
}

impl Unheard {
    fn spans(&self) -> impl Iterator<Item = (u64, u64)> {
        self.places.iter().copied().chain(self.request.map(|(handle, _)| handle))
    }

    fn is_over(&self) -> bool {
        self.places.is_empty() && self.request.is_none()
    }

    /// Whether an access to the bytes from `low` up to `high` depends on what it was told.
    fn is_heard(&self, low: u64, high: u64, write: bool) -> bool {
        self.request.is_some_and(|(handle, _)| meets(handle, low, high))
            || !write && self.places.iter().any(|&place| meets(place, low, high))
    }
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
        cut(&mut self.places, low, high);
        self.polls.iter_mut().for_each(|poll| cut(&mut poll.places, low, high));
        self.polls.retain(|poll| !poll.is_over());
    }

    /// Whether a poll's places or request lie there.
    pub fn meets_poll(&self, low: u64, high: u64) -> bool {
        self.polls.iter().any(|poll| poll.spans().any(|place| meets(place, low, high)))
    }

    /// The numbers of polls of which an access to the bytes from `low` up to `high` shows what they were told. They are
    /// not among these results any more.
    pub fn hear(&mut self, low: u64, high: u64, write: bool) -> Vec<u32> {
        let heard = self.polls.extract_if(.., |poll| poll.is_heard(low, high, write));
        heard.map(|poll| poll.number).collect()
    }

    /// The poll of a request that is not taken, if it was told "not yet" in the place of all answers: its number. There
    /// may be several.
    pub fn polls_of(&self, key: RequestKey) -> impl Iterator<Item = u32> {
        let asked = self.polls.iter().filter(move |poll| poll.request.is_some_and(|(_, request)| request == key));
        asked.map(|poll| poll.number)
    }

    /// A request is taken: its handle is what it would be if a poll had found it over.
    pub fn taken(&mut self, key: RequestKey) {
        self.polls.iter_mut().for_each(|poll| _ = poll.request.take_if(|(_, request)| *request == key));
        self.polls.retain(|poll| !poll.is_over());
    }

    /// Whether requests that polls have asked about are still to be taken.
    pub fn has_polled_requests(&self) -> bool {
        self.polls.iter().any(|poll| poll.request.is_some())
    }

    /// What polls have left, without their numbers; `None` if there are results of other calls.
    pub fn name(&self) -> Option<Vec<Left<'_>>> {
        let is_all = self.places.is_empty() && self.group.is_none();
        let parts = self.polls.iter().map(|poll| (&poll.places[..], poll.request.map(|(handle, _)| handle)));
        is_all.then(|| parts.collect())
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
        let polls = self.polls.iter().flat_map(Unheard::spans);
        self.places
            .iter()
            .copied()
            .chain(group)
            .chain(polls)
            .reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.group.is_none() && self.polls.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_seen_when_read_and_forgotten_when_overwritten() {
        let mut results = Results { places: vec![(100, 104), (200, 232)], group: None, polls: Vec::new() };
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

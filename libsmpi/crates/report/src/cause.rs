//! What two findings have in common that show the same thing at the same place.

use crate::finding::{Finding, Location, RankState};
use crate::key::FindingKey;

impl Finding {
    /// Whether a deadlock with zero buffering is one with infinite buffering: the ranks of that one wait at some of its
    /// places. Beside them it blocks senders that go on when sends buffer.
    pub fn shows(&self, other: &Finding) -> bool {
        if other.key != FindingKey::Deadlock {
            return false;
        }
        let places = self.cause().places;
        other.cause().places.iter().all(|place| places.contains(place))
    }

    /// What two findings have in common that are the same bug: the kind and the places in the source, whichever ranks
    /// were there and however they were reached. A deadlock without locations is known by its blocked calls. Without
    /// any source line, the message counts, its numbers left out.
    pub fn cause(&self) -> Cause {
        let is_deadlock = matches!(self.key, FindingKey::Deadlock | FindingKey::DeadlockBuffering);
        let mut places: Vec<String> = if self.locations.is_empty() && is_deadlock {
            let blocked = self.last_calls.iter().filter(|row| row.state == RankState::Blocked);
            blocked.map(|row| place_without_rank(&row.place)).collect()
        } else {
            self.locations.iter().map(place_without_rank).collect()
        };
        places.sort_unstable();
        places.dedup();
        if places.iter().all(|place| place.ends_with('@')) {
            places.push(without_numbers(&self.message));
        }
        Cause { key: self.key, places }
    }
}

/// What makes two findings the same; see [`Finding::cause`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cause {
    key: FindingKey,
    places: Vec<String>,
}

/// A place, whichever rank is there.
pub(crate) fn place_without_rank(place: &Location) -> String {
    format!("{}@{}", place.call, place.source())
}

/// The text with every number replaced by `#`.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        if !c.is_ascii_digit() {
            result.push(c);
        } else if !result.ends_with('#') {
            result.push('#');
        }
    }
    result
}

//! States that are met again: do they behave as they did before?
//!
//! An exploration by states relies on their names: whatever can happen in one of two states of the same name must be
//! possible in the other ([`crate::System::fingerprint`]). Here that is looked at. Each arrival at a state must show
//! the same choices as the first one did, and each of them must lead to a state of the same name as before. A state is
//! explored from its first few arrivals and not from the first alone, so that a difference is found that shows some
//! steps later.

use smpi_base::digest::Digest;
use smpi_base::map::Map;

use crate::choice::{Choices, Event};
use crate::configuration::Configuration;
use crate::system::Settled;
use crate::verdict::Difference;

/// What was seen of each state.
pub(crate) struct Again {
    /// Arrivals after the first from which a state is explored again.
    times: u32,
    states: Map<Configuration, Seen>,
    /// The first one found.
    pub difference: Option<Difference>,
}

struct Seen {
    arrivals: u32,
    view: u128,
    way: Box<[Event]>,
    /// Where its branches led, in the order of its choices.
    next: Vec<Option<Configuration>>,
}

/// What is seen of a state before a choice is made.
#[derive(Clone, Copy)]
pub(crate) struct View {
    /// How it came to rest.
    pub settled: Settled,
    /// Something has failed.
    pub failed: bool,
}

impl View {
    /// A name of the view. Numbers of choices tell how long ago the program began, so only their order counts.
    fn digest(self, choices: &Choices) -> u128 {
        let mut digest = Digest::new();
        digest.add((format!("{:?}", self.settled), self.failed));
        for choice in choices.all() {
            digest.add((choice.id.rank(), choice.kind, choices.candidates(choice)));
        }
        digest.bits()
    }
}

impl Again {
    pub fn new(times: u32) -> Again {
        Again { times, states: Map::default(), difference: None }
    }

    /// A path has come to a state that has a name; true when it is to be explored from here, if it was before.
    pub fn arrive(&mut self, key: Configuration, view: View, choices: &Choices, way: &[Event]) -> bool {
        let view = view.digest(choices);
        let new = || Seen { arrivals: 0, view, way: way.into(), next: Vec::new() };
        let seen = self.states.entry(key).or_insert_with(new);
        seen.arrivals = seen.arrivals.saturating_add(1);
        let (is_same, wanted) = (seen.view == view, seen.arrivals <= self.times.saturating_add(1));
        if !is_same {
            self.differs(key, way);
        }
        wanted
    }

    /// A branch of a state that has a name has led to another one; `way` is that to the state before.
    pub fn step(&mut self, from: Configuration, branch: usize, to: Configuration, way: &[Event]) {
        let Some(seen) = self.states.get_mut(&from) else { return };
        if seen.next.len() <= branch {
            seen.next.resize(branch + 1, None);
        }
        if *seen.next[branch].get_or_insert(to) != to {
            self.differs(from, way);
        }
    }

    fn differs(&mut self, key: Configuration, way: &[Event]) {
        let first = self.states[&key].way.to_vec();
        self.difference.get_or_insert(Difference { first, second: way.to_vec() });
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;

    use super::*;
    use crate::choice::{ChoiceId, ChoiceKind};

    const KEY: Configuration = Configuration(7);
    const VIEW: View = View { settled: Settled::Choices, failed: false };

    fn event(number: u32) -> Event {
        Event { choice: ChoiceId::of(WorldRank(0), number), candidate: 0 }
    }

    fn choices(number: u32, candidates: &[u64]) -> Choices {
        let mut choices = Choices::new();
        choices.open(event(number).choice, ChoiceKind::Receive, false);
        candidates.iter().for_each(|&candidate| choices.candidate(candidate));
        choices
    }

    #[test]
    fn a_state_is_explored_from_its_first_arrivals() {
        let mut again = Again::new(2);
        let wanted: Vec<bool> =
            (0..5).map(|number| again.arrive(KEY, VIEW, &choices(number, &[1, 2]), &[event(number)])).collect();
        assert_eq!(wanted, [true, true, true, false, false]);
        assert_eq!(again.difference, None);
    }

    #[test]
    fn other_candidates_another_end_and_another_next_state_are_differences() {
        let differs = |second: &dyn Fn(&mut Again)| {
            let mut again = Again::new(1);
            again.arrive(KEY, VIEW, &choices(0, &[1, 2]), &[event(0)]);
            again.step(KEY, 1, Configuration(8), &[event(0)]);
            second(&mut again);
            again.difference.map(|difference| (difference.first, difference.second))
        };
        let found = Some((vec![event(0)], vec![event(3)]));
        let way = [event(3)];
        assert_eq!(differs(&|again| assert!(again.arrive(KEY, VIEW, &choices(3, &[1]), &way))), found);
        let failed = View { failed: true, ..VIEW };
        assert_eq!(differs(&|again| assert!(again.arrive(KEY, failed, &choices(3, &[1, 2]), &way))), found);
        assert_eq!(differs(&|again| again.step(KEY, 1, Configuration(9), &way)), found);
        assert_eq!(differs(&|again| again.step(KEY, 1, Configuration(8), &way)), None);
        assert_eq!(differs(&|again| again.step(KEY, 0, Configuration(9), &way)), None);
    }
}

//! What the checker keeps beside the world: receives that wait for a choice, choices made, and causality.
//!
//! Under the checker a receive from `MPI_ANY_SOURCE` is *held*: it is not given to the mailbox before somebody chooses
//! its sender. Later receives of the same rank that could take the same messages are held behind it, so that messages
//! keep their order (MPI 5.0 §3.5). Everything else matches by itself, since it has one possible partner.
//!
//! **Causality.** A [`Clock`] is the set of choices (as positions on the path explored now) that an event depends on. A
//! rank learns a message's clock when it takes the completion of its request, not when the message matches: until then
//! nothing that it does depends on it. A message that could have satisfied a choice made earlier and does not depend on it
//! is a *late arrival*: the choice could have waited for it, and the explorer must be told ([`Choosing::late`]).

use std::sync::Arc;

use smpi_base::WorldRank;
use smpi_mailbox::{Envelope, Pattern};

use crate::request::Owner;

/// A set of positions on the path of choices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Option<Arc<Vec<u64>>>);

impl Clock {
    /// Whether the event depends on the choice at `position`.
    pub fn has(&self, position: usize) -> bool {
        self.0.as_ref().is_some_and(|words| words.get(position / 64).is_some_and(|word| word >> (position % 64) & 1 != 0))
    }

    /// Adds a choice.
    pub fn add(&mut self, position: usize) {
        let words = Arc::make_mut(self.0.get_or_insert_with(Default::default));
        if words.len() <= position / 64 {
            words.resize(position / 64 + 1, 0);
        }
        words[position / 64] |= 1 << (position % 64);
    }

    /// Adds all choices of another clock.
    pub fn merge(&mut self, other: &Clock) {
        let Some(theirs) = &other.0 else { return };
        let Some(ours) = &mut self.0 else {
            self.0 = Some(theirs.clone());
            return;
        };
        if Arc::ptr_eq(ours, theirs) {
            return;
        }
        let words = Arc::make_mut(ours);
        if words.len() < theirs.len() {
            words.resize(theirs.len(), 0);
        }
        for (word, their) in words.iter_mut().zip(theirs.iter()) {
            *word |= their;
        }
    }
}

/// Identity of a choice: the rank that makes it, and how many choice points that rank had reached before. It does not
/// depend on the order in which other ranks' choices are made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ChoicePoint {
    /// The rank.
    pub rank: WorldRank,
    /// Choice points it had reached before.
    pub number: u32,
}

/// A receive that waits for a choice, or behind one.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub pattern: Pattern,
    pub token: u64,
    /// Number of the choice point; `None` for a receive with a named source that is held behind another.
    pub number: Option<u32>,
}

/// What a rank is blocked in that needs a choice.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// A blocking probe from any source; `take` for matched probes.
    Probe {
        /// What is looked for.
        pattern: Pattern,
        /// Whether the message is taken out of matching.
        take: bool,
    },
    /// A probe without waiting, from any source or a named one.
    Iprobe {
        /// What is looked for.
        pattern: Pattern,
        /// Whether the message is taken out of matching.
        take: bool,
        /// Failed polls in a row before this one.
        polls: u32,
    },
    /// Waitany or Waitsome over the requests in these slots.
    WaitAny {
        /// Slots of the active requests, in the order of the array.
        slots: Vec<u32>,
        /// Several may be returned at once.
        some: bool,
    },
    /// A test of the requests in these slots.
    Test {
        /// Slots of the active requests, in the order of the array.
        slots: Vec<u32>,
        /// All must be over (Testall), else any one.
        all: bool,
        /// Several may be returned at once.
        some: bool,
        /// Failed polls in a row before this one.
        polls: u32,
    },
    /// `MC_random`.
    Random {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
}

/// A question of a rank that is blocked until somebody answers.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub number: u32,
    pub asked: Asked,
}

/// Why something that happens later could have been chosen before.
#[derive(Clone, Debug)]
enum Interest {
    /// A message that matches, except from the sender that was chosen.
    Message { pattern: Pattern, taken_from: Option<WorldRank> },
    /// The end of one of these requests.
    Requests(Vec<u32>),
}

/// A choice on the path explored now.
#[derive(Clone, Debug)]
struct Made {
    point: ChoicePoint,
    interest: Option<Interest>,
}

/// The state of choosing: part of the world, so that snapshots contain it.
#[derive(Clone, Debug, Default)]
pub struct Choosing {
    pub(crate) held: Vec<Vec<Held>>,
    pub(crate) questions: Vec<Option<Question>>,
    pub(crate) answers: Vec<Option<i64>>,
    /// Choice points that each rank has reached.
    reached: Vec<u32>,
    /// What each rank knows.
    pub(crate) clocks: Vec<Clock>,
    /// Sends that each rank has posted: identity of its next one.
    pub(crate) sends: Vec<u32>,
    path: Vec<Made>,
    /// Positions on the path of each rank's choices.
    by_rank: Vec<Vec<u32>>,
    late: Vec<ChoicePoint>,
}

impl Choosing {
    /// The state before the first choice.
    pub fn new(ranks: u32) -> Choosing {
        let ranks = ranks as usize;
        Choosing {
            held: vec![Vec::new(); ranks],
            questions: vec![None; ranks],
            answers: vec![None; ranks],
            reached: vec![0; ranks],
            clocks: vec![Clock::default(); ranks],
            sends: vec![0; ranks],
            path: Vec::new(),
            by_rank: vec![Vec::new(); ranks],
            late: Vec::new(),
        }
    }

    /// A new choice point of a rank.
    pub(crate) fn reach(&mut self, rank: WorldRank) -> u32 {
        let number = self.reached[rank.index()];
        self.reached[rank.index()] += 1;
        number
    }

    /// Whether a receive must be held behind (or as) a choice.
    pub(crate) fn must_hold(&self, rank: WorldRank, pattern: &Pattern) -> bool {
        pattern.source.is_none() || self.held[rank.index()].iter().any(|held| held.pattern.overlaps(pattern))
    }

    /// Puts a question of a rank that is (or will be) suspended.
    pub(crate) fn ask(&mut self, rank: WorldRank, asked: Asked) {
        let number = self.reach(rank);
        self.questions[rank.index()] = Some(Question { number, asked });
    }

    /// Takes a held receive back (it was cancelled); false when it is not held any more.
    pub(crate) fn withdraw(&mut self, rank: WorldRank, slot: u32) -> bool {
        let held = &mut self.held[rank.index()];
        let before = held.len();
        held.retain(|held| Owner::of(held.token).slot != slot);
        held.len() < before
    }

    fn record(&mut self, point: ChoicePoint, interest: Option<Interest>) -> usize {
        let position = self.path.len();
        self.by_rank[point.rank.index()].push(position as u32);
        self.path.push(Made { point, interest });
        position
    }

    /// A receive or probe took a message of this rank (`None`: an answer without a message); returns the position.
    pub(crate) fn record_message(&mut self, point: ChoicePoint, pattern: Pattern, from: Option<WorldRank>) -> usize {
        self.record(point, Some(Interest::Message { pattern, taken_from: from }))
    }

    /// A wait or test was answered while the requests in `open` were not over.
    pub(crate) fn record_requests(&mut self, point: ChoicePoint, open: Vec<u32>) -> usize {
        self.record(point, (!open.is_empty()).then_some(Interest::Requests(open)))
    }

    /// A choice that nothing later can affect.
    pub(crate) fn record_free(&mut self, point: ChoicePoint) -> usize {
        self.record(point, None)
    }

    /// A message was posted to `to`: notes the choices for which it comes late.
    pub(crate) fn message_posted(&mut self, to: WorldRank, from: WorldRank, envelope: &Envelope, clock: &Clock) {
        for &position in &self.by_rank[to.index()] {
            let made = &self.path[position as usize];
            if let Some(Interest::Message { pattern, taken_from }) = &made.interest
                && pattern.matches(envelope)
                && *taken_from != Some(from)
                && !clock.has(position as usize)
            {
                self.late.push(made.point);
            }
        }
    }

    /// A request of `rank` is over: notes the choices for which that comes late.
    pub(crate) fn request_over(&mut self, rank: WorldRank, slot: u32, clock: &Clock) {
        for &position in &self.by_rank[rank.index()] {
            let made = &self.path[position as usize];
            if let Some(Interest::Requests(open)) = &made.interest
                && open.contains(&slot)
                && !clock.has(position as usize)
            {
                self.late.push(made.point);
            }
        }
    }

    /// Hands over the choices for which something came late.
    pub fn take_late(&mut self, into: &mut Vec<ChoicePoint>) {
        into.append(&mut self.late);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_sets() {
        let (mut a, mut b) = (Clock::default(), Clock::default());
        a.add(3);
        b.add(130);
        a.merge(&b);
        assert!(a.has(3) && a.has(130) && !a.has(4) && !b.has(3));
    }
}

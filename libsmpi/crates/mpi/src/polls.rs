//! How often ranks have polled in vain: what decides whether a poll may be answered "not yet" once more, and whose turn
//! it is.
//!
//! Where nothing but polls that find nothing is left, ranks get "not yet" in turn: the one that has got it least often
//! for what it asks. A rank that polls for several things in a loop reaches each of them, and no rank spins while
//! another one would do something next. Who has polled too often is judged by what has passed since anything happened
//! anywhere.

use smpi_base::WorldRank;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{Choices, Event};

use crate::choosing::{Asked, Question};
use crate::world::World;

/// Failed polls of one rank for the same thing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Polls {
    /// In a row: since the rank found something, or called anything else.
    pub in_row: u32,
    /// Of these, as many as came after the last change anywhere.
    in_vain: u32,
    /// [`World::changes`] when this was counted.
    changes: u32,
}

impl Polls {
    /// Before the first poll.
    pub fn none(changes: u32) -> Polls {
        Polls { in_row: 0, in_vain: 0, changes }
    }

    /// With the poll that is asked for now, if it fails.
    pub fn again(self, changes: u32) -> Polls {
        Polls { in_row: self.in_row + 1, in_vain: self.in_vain(changes) + 1, changes }
    }

    /// Failed polls since something has happened.
    pub fn in_vain(&self, changes: u32) -> u32 {
        if self.changes == changes { self.in_vain } else { 0 }
    }
}

impl Asked {
    /// The failed polls before this one, if it is a poll.
    pub(crate) fn polls(&self) -> Option<Polls> {
        match self {
            Asked::Iprobe { polls, .. } | Asked::Test { polls, .. } => Some(*polls),
            _ => None,
        }
    }

    /// Whether it is a poll that has found nothing before.
    pub(crate) fn is_repeated(&self) -> bool {
        self.polls().is_some_and(|polls| polls.in_row > 0)
    }
}

impl World {
    /// Grows when an operation starts and when a choice is made by which somebody gets something: what a poll that
    /// finds nothing may wait for.
    pub fn changes(&self) -> u32 {
        self.choosing.as_ref().map_or(0, |choosing| choosing.changes)
    }

    /// Lists the poll whose turn it is, of those that find nothing and that have not failed more than `max_futile`
    /// times since something has happened.
    pub(crate) fn next_forced(&mut self, max_futile: u32, out: &mut Choices) {
        let Some(choosing) = &self.choosing else { return };
        let in_vain = |question: &Question| Some(question.asked.polls()?.in_vain(choosing.changes));
        let waiting = choosing.questions.iter().zip((0..).map(WorldRank));
        let turn = waiting.filter_map(|(question, rank)| Some((in_vain(question.as_ref()?)?, rank))).min();
        if let Some((_, rank)) = turn {
            self.open_choices_of(rank, Some(max_futile), out);
        }
    }

    /// A choice is made: does anybody get something by it? "Not yet" is nothing, and neither is what a rank does by
    /// itself.
    pub(crate) fn note_change(&mut self, event: Event) {
        let Some(choosing) = &mut self.choosing else { return };
        let question = choosing.questions[event.choice.rank.index()].as_ref();
        let is_nothing = match question.filter(|question| question.number == event.choice.number) {
            Some(question) => {
                event.candidate == NOT_YET || matches!(question.asked, Asked::Time | Asked::Random { .. })
            }
            None => false,
        };
        choosing.changes += u32::from(!is_nothing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_happened_since_counts() {
        let polls = Polls::none(3).again(3).again(3);
        assert_eq!((polls.in_row, polls.in_vain(3), polls.in_vain(4)), (2, 2, 0));
        let polls = polls.again(4).again(4);
        assert_eq!((polls.in_row, polls.in_vain(4)), (4, 2));
    }
}

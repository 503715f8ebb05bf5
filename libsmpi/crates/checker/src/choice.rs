//! Choices: what is left open when all ranks have run until nothing moves by itself.
//!
//! A choice is named by the agent (a thread of a rank) that it belongs to and by its number among that agent's choices;
//! a candidate by a key that the system makes up. Neither depends on the order in which *other* agents' choices were
//! made. So a set of (choice, candidate) pairs means the same however it was reached. The crate's documentation says
//! why this matters.

use std::fmt;

use serde::{Deserialize, Serialize};
use smpi_base::{Agent, WorldRank};

/// Names a choice: the `number`-th of `agent`, in program order of the calls that opened them.
///
/// Receives held by one mailbox must have ascending numbers in posting order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct ChoiceId {
    /// Whose call it is.
    pub agent: Agent,
    /// Its number among that agent's choices, from 0.
    pub number: u32,
}

impl ChoiceId {
    /// A choice of a rank's first thread.
    #[inline]
    pub fn of(rank: WorldRank, number: u32) -> ChoiceId {
        ChoiceId { agent: rank.into(), number }
    }

    /// The rank whose call it is.
    #[inline]
    pub fn rank(self) -> WorldRank {
        self.agent.rank()
    }
}

impl fmt::Display for ChoiceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.agent, self.number)
    }
}

/// A choice and what was chosen: one event of an execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Event {
    /// The choice that was made.
    pub choice: ChoiceId,
    /// The candidate that was chosen: a key of [`Choices::candidates`].
    pub candidate: u64,
}

/// The candidate of a *reluctant* choice: a call stops waiting although what it waits for has not come, because the
/// standard allows the library not to make it wait (a standard-mode send is buffered after all).
pub const GO_ON: u64 = u64::MAX - 8;

impl Event {
    /// True when a call stops waiting that could have waited longer, see [`GO_ON`].
    pub fn goes_on(&self) -> bool {
        self.candidate == GO_ON
    }
}

/// What is chosen. The exploration treats all kinds alike; reports do not.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ChoiceKind {
    /// The message that a wildcard receive (or matched probe) takes.
    Receive,
    /// The message that a wildcard probe sees.
    Probe,
    /// The completed request, or set of them, that Waitany or Waitsome returns.
    WaitAny,
    /// Whether Test, Testany, Testsome or Iprobe answers no, or with what.
    Test,
    /// The value of `MC_random`.
    Random,
    /// Whether a deadline has passed.
    Time,
    /// When others see what has changed in a rank. Always one candidate.
    Visible,
    /// Whether a send that the program cancels delivers its message.
    Delivery,
    /// Who gets a lock, or whose conflicting access comes first.
    Lock,
    /// Whether a send that waits for its receive is buffered after all. Always reluctant.
    Buffering,
    /// Whether a rank leaves a collective operation before the others have called it. Always reluctant.
    Leaving,
}

/// Which candidates of a choice are tried. The others are left out until it turns out that they make a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tried {
    /// All of them.
    All,
    /// The first one: as far as the system knows, all are *alike*, and lead to the same.
    First,
    /// All but the last one, which is *needless*: as far as the system knows, it brings nothing.
    AllButLast,
    /// The last one: as far as the system knows, which one was taken is *unheard* of by anybody.
    Last,
}

/// An enabled choice. Its candidates are in the [`Choices`] that it came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its name.
    pub id: ChoiceId,
    /// What is chosen.
    pub kind: ChoiceKind,
    /// No further candidate can appear for it but those that depend on it, *whatever else is chosen*. Closed choices
    /// cost nothing but their branches, so a system should say of a choice that it is closed where it knows.
    pub closed: bool,
    /// Which of its candidates are tried until [`crate::System::seen`] names it.
    pub tried: Tried,
    /// Its candidates in [`Choices::keys`]. Invariant: a range of that list, not empty if the choice is enabled.
    first: u32,
    len: u32,
}

impl Choice {
    /// How many of its candidates are tried whatever is seen.
    pub fn how_many_tried(&self) -> usize {
        let tried = match self.tried {
            Tried::All => self.len,
            Tried::First | Tried::Last => self.len.min(1),
            Tried::AllButLast => self.len - 1,
        };
        tried as usize
    }

    /// Whether one candidate stands for all, as far as the system knows: what comes late for it counts only where its
    /// choice was seen.
    pub(crate) fn is_one_for_all(&self) -> bool {
        matches!(self.tried, Tried::First | Tried::Last)
    }
}

/// The enabled choices of a state with their candidates, in flat lists that are reused from state to state.
///
/// *Reluctant* ones are what happens when nothing else does: they are kept apart, and branched on where no other is
/// enabled.
#[derive(Clone, Default, Debug)]
pub struct Choices {
    /// Invariant: ascending by id.
    choices: Vec<Choice>,
    reluctant: Vec<Choice>,
    /// The candidates of all choices, those of one choice together.
    keys: Vec<u64>,
}

impl Choices {
    /// No choice.
    pub fn new() -> Choices {
        Choices::default()
    }

    /// Removes all choices; keeps the memory.
    pub fn clear(&mut self) {
        self.choices.clear();
        self.reluctant.clear();
        self.keys.clear();
    }

    /// Opens the next choice; its candidates follow by [`Choices::candidate`]. Ascending ids are expected.
    pub fn open(&mut self, id: ChoiceId, kind: ChoiceKind, closed: bool) {
        debug_assert!(self.choices.last().is_none_or(|last| last.id < id), "choices come in the order of their ids");
        let first = self.keys.len() as u32;
        self.choices.push(Choice { id, kind, closed, tried: Tried::All, first, len: 0 });
    }

    /// Adds a reluctant choice with its only candidate. Of these, any order will do.
    pub fn reluctant(&mut self, id: ChoiceId, kind: ChoiceKind, key: u64) {
        let first = self.keys.len() as u32;
        self.keys.push(key);
        self.reluctant.push(Choice { id, kind, closed: false, tried: Tried::All, first, len: 1 });
    }

    /// Adds a candidate to the choice opened last, which is not a reluctant one.
    ///
    /// # Panics
    /// When no choice was opened.
    pub fn candidate(&mut self, key: u64) {
        self.keys.push(key);
        self.choices.last_mut().expect("a choice was opened").len += 1;
    }

    /// Keeps the candidates for which `is_kept` says so, asked in their order. Of each choice that is not reluctant at
    /// least one is expected to stay.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&Choice, u64) -> bool) {
        let keys = std::mem::take(&mut self.keys);
        for choice in self.choices.iter_mut().chain(&mut self.reluctant) {
            let first = self.keys.len();
            let candidates = &keys[choice.first as usize..(choice.first + choice.len) as usize];
            self.keys.extend(candidates.iter().copied().filter(|&key| is_kept(choice, key)));
            (choice.first, choice.len) = (first as u32, (self.keys.len() - first) as u32);
            let has_last = choice.len > 0 && self.keys.last() == candidates.last();
            // Where it is the only one left, it is tried.
            let stays = match choice.tried {
                Tried::All | Tried::First => true,
                Tried::AllButLast => choice.len > 1 && has_last,
                Tried::Last => has_last,
            };
            if !stays {
                choice.tried = Tried::All;
            }
        }
    }

    /// Keeps the candidates for which `is_kept` says so, and the choices that have one then.
    pub fn restrict(&mut self, is_kept: impl FnMut(&Choice, u64) -> bool) {
        self.retain(is_kept);
        self.choices.retain(|choice| choice.len > 0);
        self.reluctant.retain(|choice| choice.len > 0);
    }

    /// Declares which candidates of the choice opened last are tried, once it has them. One that is needless is not the
    /// only one.
    ///
    /// # Panics
    /// When no choice was opened.
    pub fn try_only(&mut self, tried: Tried) {
        let last = self.choices.last_mut().expect("a choice was opened");
        debug_assert!(last.tried == Tried::All, "it is said once what is tried");
        debug_assert!(tried != Tried::AllButLast || last.len > 1, "of two candidates one is needless");
        last.tried = tried;
    }

    /// Removes the choice opened last if it got no candidate: it is not enabled.
    pub fn drop_if_empty(&mut self) {
        if self.choices.last().is_some_and(|last| last.len == 0) {
            self.choices.pop();
        }
    }

    /// The choices that are not reluctant, ascending by id.
    pub fn iter(&self) -> std::slice::Iter<'_, Choice> {
        self.choices.iter()
    }

    /// All choices, the reluctant ones last.
    pub fn all(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().chain(&self.reluctant)
    }

    /// True when nothing is enabled.
    pub fn is_empty(&self) -> bool {
        self.choices.is_empty() && self.reluctant.is_empty()
    }

    /// True when a reluctant choice is enabled.
    pub fn has_reluctant(&self) -> bool {
        !self.reluctant.is_empty()
    }

    /// True when reluctant choices are enabled and nothing else.
    pub fn are_reluctant(&self) -> bool {
        self.choices.is_empty() && !self.reluctant.is_empty()
    }

    /// Candidates of one of these choices, in the system's order.
    pub fn candidates(&self, choice: &Choice) -> &[u64] {
        &self.keys[choice.first as usize..(choice.first + choice.len) as usize]
    }

    /// All events of these choices, in order: those of one choice together.
    pub fn events(&self) -> impl Iterator<Item = Event> {
        self.all()
            .flat_map(|choice| self.candidates(choice).iter().map(|&candidate| Event { choice: choice.id, candidate }))
    }

    /// A choice's branches: the candidates that are tried, and those that are not as long as nothing is seen.
    pub fn branches(&self, choice: &Choice) -> [impl Iterator<Item = Event>; 2] {
        let (id, candidates) = (choice.id, self.candidates(choice));
        let parts: [&[u64]; 2] = match choice.tried {
            Tried::Last => {
                let (others, last) = candidates.split_at(candidates.len().saturating_sub(1));
                [last, others]
            }
            _ => candidates.split_at(choice.how_many_tried()).into(),
        };
        parts.map(|keys| keys.iter().map(move |&candidate| Event { choice: id, candidate }))
    }

    /// The enabled choice with this id.
    pub fn find(&self, id: ChoiceId) -> Option<&Choice> {
        let found = self.choices.binary_search_by_key(&id, |choice| choice.id).ok().map(|at| &self.choices[at]);
        found.or_else(|| self.reluctant.iter().find(|choice| choice.id == id))
    }

    /// The choice that an exploration branches on: the first closed one, else the first; `None` when there are only
    /// reluctant ones, on all of which it branches.
    ///
    /// Any rule that depends on the state alone would do, provided that an open receive comes after all enabled
    /// receives that its rank posted earlier (ascending numbers see to that).
    pub fn first(&self) -> Option<&Choice> {
        self.choices.iter().find(|choice| choice.closed).or(self.choices.first())
    }

    /// The event that an exploration tries first; `None` when nothing is enabled.
    pub fn default_event(&self) -> Option<Event> {
        let choice = self.first().or(self.reluctant.first())?;
        self.candidates(choice).first().map(|&candidate| Event { choice: choice.id, candidate })
    }
}

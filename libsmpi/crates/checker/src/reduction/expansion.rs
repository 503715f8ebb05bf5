//! The expansion rule: which branches of a state are explored at once, and when further ones must be.
//!
//! The branches of a state come in three groups:
//!
//! 1. at once, all candidates of one choice, the *first* ([`Choices::first`]), but only one of candidates that are
//!    alike, or of which nobody learns which was taken. If all choices are reluctant, the candidates of all choices;
//! 2. the *withheld* candidates of a choice with alike or needless candidates, when an execution below has shown a
//!    difference, or, of needless ones, when a failure may have hidden it;
//! 3. the candidates of all other choices, when a candidate has arrived late for the first choice below, or a failure
//!    may have hidden a late arrival. Then the state is *expanded*. A closed choice has no late arrivals, so its state
//!    is never expanded.
//!
//! Where states are recognised whatever led to them ([`crate::System::fingerprint`]), an execution may come back to a
//! state of its own path. Then the last state before that is expanded, even if its choice is closed.
//!
//! Only the results below a state decide. Therefore one process and several workers explore the same states:
//! [`crate::reduction::matches`] applies the rule to the states on its path, [`crate::jobs`] to those where it cuts a
//! program into parts. Why the rule is enough is proved in the crate's documentation.

use serde::{Deserialize, Serialize};

use crate::choice::{Choice, ChoiceId, Choices, Event, Tried};

/// What executions have shown of choices that were made before: whether those need more branches.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// Choices for which a candidate arrived late. Invariant: ascending, without repetition.
    pub late: Vec<ChoiceId>,
    /// Choices with candidates that were said to be alike, unheard or needless, and that made a difference. Invariant:
    /// as for `late`.
    pub seen: Vec<ChoiceId>,
    /// Late arrivals may be hidden: an execution ended by [`crate::Settled::Failed`], or came to a state that was
    /// explored with another history.
    pub cut: bool,
}

impl Evidence {
    /// Adds what was found elsewhere.
    #[inline]
    pub fn join(&mut self, other: &Evidence) {
        self.add(&other.late, &other.seen, other.cut);
    }

    /// Adds late arrivals and choices that made a difference.
    #[inline]
    pub(crate) fn add(&mut self, late: &[ChoiceId], seen: &[ChoiceId], cut: bool) {
        unite(&mut self.late, late);
        unite(&mut self.seen, seen);
        self.cut |= cut;
    }
}

/// Adds to an ascending list without repetition.
#[inline]
fn unite(into: &mut Vec<ChoiceId>, more: &[ChoiceId]) {
    for &id in more {
        if let Err(at) = into.binary_search(&id) {
            into.insert(at, id);
        }
    }
}

/// Branches that a state needs beyond those that it has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Missing {
    /// Withheld candidates of choices that make a difference, or may: [`Branching::release`].
    Withheld,
    /// The candidates of all other choices: [`Branching::expand`].
    Others,
}

/// A candidate that is left out as long as nobody has seen that its choice makes a difference.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Withheld {
    event: Event,
    /// It is needless, and not one of those that are alike: whoever sees less than all may have missed the difference.
    is_needless: bool,
}

impl Withheld {
    fn is_wanted(&self, found: &Evidence) -> bool {
        found.seen.binary_search(&self.event.choice).is_ok() || self.is_needless && found.cut
    }
}

/// Which branches of a state are explored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Branching {
    /// The choice whose candidates were the first branches; `None` where all are reluctant, or none comes first.
    first: Option<ChoiceId>,
    /// Further candidates may come for the first choice.
    is_open: bool,
    /// One candidate of the first choice stands for all, as far as was known.
    is_alike: bool,
    /// All enabled choices are branched on. Invariant: true where there is no first one.
    has_all: bool,
    withheld: Vec<Withheld>,
}

impl Branching {
    /// The rule for a state with these choices; appends its first branches.
    pub fn new(choices: &Choices, branches: &mut Vec<Event>) -> Branching {
        let first = choices.first();
        let mut branching = Branching {
            first: first.map(|first| first.id),
            is_open: first.is_none_or(|first| !first.closed),
            is_alike: first.is_some_and(Choice::is_one_for_all),
            has_all: first.is_none(),
            withheld: Vec::new(),
        };
        match first {
            Some(first) => branching.add(choices, first, branches),
            None => choices.all().for_each(|choice| branching.add(choices, choice, branches)),
        }
        branching
    }

    /// Adds the branches of a choice.
    fn add(&mut self, choices: &Choices, choice: &Choice, branches: &mut Vec<Event>) {
        let [tried, withheld] = choices.branches(choice);
        branches.extend(tried);
        self.withheld.extend(withheld.map(|event| Withheld { event, is_needless: choice.tried == Tried::AllButLast }));
    }

    /// No rule: all candidates of all choices, alike or not; appends these branches.
    pub fn everything(choices: &Choices, branches: &mut Vec<Event>) -> Branching {
        branches.extend(choices.events());
        Branching { first: None, is_open: true, is_alike: false, has_all: true, withheld: Vec::new() }
    }

    /// The choice branched on first; `None` where all choices are reluctant.
    pub fn first(&self) -> Option<ChoiceId> {
        self.first
    }

    /// True when paths through different branches may meet again, so that states below must be recognised.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// True when the state may still be expanded.
    pub fn may_expand(&self) -> bool {
        self.is_open && !self.has_all
    }

    /// The state's branches lead back to it or above it: it will be expanded.
    pub fn reopen(&mut self, found: &mut Evidence) {
        self.is_open = true;
        found.cut = true;
    }

    /// True when the state was expanded.
    pub fn is_expanded(&self) -> bool {
        self.has_all && self.first.is_some()
    }

    /// What the state still needs when all its branches so far are explored, and `found` is what they have shown.
    pub fn missing(&self, found: &Evidence) -> Option<Missing> {
        if self.withheld.iter().any(|withheld| withheld.is_wanted(found)) {
            return Some(Missing::Withheld);
        }
        let first = self.first?;
        let counts = !self.is_alike || found.seen.binary_search(&first).is_ok();
        let is_late = counts && found.late.binary_search(&first).is_ok();
        (self.may_expand() && (found.cut || is_late)).then_some(Missing::Others)
    }

    /// Appends the withheld candidates of choices that make a difference, or may.
    pub fn release(&mut self, found: &Evidence, branches: &mut Vec<Event>) {
        let released = self.withheld.extract_if(.., |withheld| withheld.is_wanted(found));
        branches.extend(released.map(|withheld| withheld.event));
    }

    /// Appends the branches of all choices but the first; `choices` are those of the state.
    pub fn expand(&mut self, choices: &Choices, branches: &mut Vec<Event>) {
        self.has_all = true;
        let first = self.first;
        for choice in choices.all().filter(|choice| Some(choice.id) != first) {
            self.add(choices, choice, branches);
        }
    }

    /// Leaves of what was found below a state what concerns choices made before it.
    pub fn pass_on(&self, found: &mut Evidence) {
        found.late.retain(|&id| Some(id) != self.first);
        found.seen.retain(|&id| Some(id) != self.first);
    }
}

#[cfg(test)]
mod tests {
    use smpi_base::WorldRank;

    use super::*;
    use crate::choice::ChoiceKind;

    fn id(rank: u32) -> ChoiceId {
        ChoiceId::of(WorldRank(rank), 0)
    }

    /// One choice for each rank, with two candidates.
    fn choices(closed: bool, alike: bool) -> Choices {
        let mut choices = Choices::new();
        for rank in 0..2 {
            choices.open(id(rank), ChoiceKind::WaitAny, closed);
            choices.candidate(0);
            choices.candidate(1);
            if alike {
                choices.try_only(Tried::First);
            }
        }
        choices
    }

    fn found(late: &[u32], seen: &[u32], cut: bool) -> Evidence {
        let ids = |ranks: &[u32]| ranks.iter().map(|&rank| id(rank)).collect();
        Evidence { late: ids(late), seen: ids(seen), cut }
    }

    fn names(branches: &[Event]) -> Vec<(u32, u64)> {
        branches.iter().map(|event| (event.choice.rank().0, event.candidate)).collect()
    }

    #[test]
    fn a_late_arrival_for_the_first_choice_expands_its_state_once() {
        let (choices, mut branches) = (choices(false, false), Vec::new());
        let mut branching = Branching::new(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 0), (0, 1)]);
        assert_eq!(branching.missing(&found(&[1], &[0], false)), None);
        assert_eq!(branching.missing(&found(&[], &[], true)), Some(Missing::Others));
        assert_eq!(branching.missing(&found(&[0], &[], false)), Some(Missing::Others));
        branching.expand(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert!(branching.is_expanded() && branching.missing(&found(&[0], &[], true)).is_none());
        let mut below = found(&[0, 1], &[0], true);
        branching.pass_on(&mut below);
        assert_eq!(below, found(&[1], &[], true));
    }

    #[test]
    fn a_closed_choice_is_never_expanded() {
        let branching = Branching::new(&choices(true, false), &mut Vec::new());
        assert_eq!(branching.missing(&found(&[0], &[], true)), None);
    }

    #[test]
    fn what_is_alike_is_released_when_a_difference_is_seen_and_expanded_after_that() {
        let (choices, mut branches) = (choices(false, true), Vec::new());
        let mut branching = Branching::new(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 0)]);
        assert_eq!(branching.missing(&found(&[0], &[1], false)), None);
        let seen = found(&[0], &[0], false);
        assert_eq!(branching.missing(&seen), Some(Missing::Withheld));
        branching.release(&seen, &mut branches);
        assert_eq!(branching.missing(&seen), Some(Missing::Others));
        branching.expand(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 0), (0, 1), (1, 0)]);
        assert_eq!(branching.missing(&seen), None);
        assert_eq!(branching.missing(&found(&[], &[1], false)), Some(Missing::Withheld));
    }

    #[test]
    fn the_last_stands_for_those_that_nobody_hears_of() {
        let mut choices = Choices::new();
        choices.open(id(0), ChoiceKind::Test, false);
        [3, 5, 9].into_iter().for_each(|key| choices.candidate(key));
        choices.try_only(Tried::Last);
        choices.open(id(1), ChoiceKind::Test, false);
        choices.candidate(9);
        choices.try_only(Tried::Last);
        let mut branches = Vec::new();
        let mut branching = Branching::new(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 9)]);
        // Neither what comes late nor a failure makes a difference that nobody hears of.
        assert_eq!(branching.missing(&found(&[0], &[1], false)), None);
        let seen = found(&[0], &[0], false);
        assert_eq!(branching.missing(&seen), Some(Missing::Withheld));
        branching.release(&seen, &mut branches);
        assert_eq!(names(&branches), [(0, 9), (0, 3), (0, 5)]);
        assert_eq!(branching.missing(&seen), Some(Missing::Others));
        branching.expand(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 9), (0, 3), (0, 5), (1, 9)]);
        // Where the last one is dropped, the others are tried.
        choices.retain(|choice, key| choice.id == id(1) || key != 9);
        assert_eq!(choices.branches(choices.find(id(0)).unwrap()).map(|events| events.count()), [2, 0]);
        assert_eq!(choices.branches(choices.find(id(1)).unwrap()).map(|events| events.count()), [1, 0]);
    }

    #[test]
    fn what_is_needless_is_released_when_it_was_missed_or_may_have_been() {
        let mut choices = Choices::new();
        choices.open(id(0), ChoiceKind::Test, false);
        [3, 5, 9].into_iter().for_each(|key| choices.candidate(key));
        choices.try_only(Tried::AllButLast);
        let mut branches = Vec::new();
        let mut branching = Branching::new(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 3), (0, 5)]);
        // What comes late counts whatever was seen.
        assert_eq!(branching.missing(&found(&[0], &[], false)), Some(Missing::Others));
        assert_eq!(branching.missing(&found(&[], &[1], false)), None);
        assert_eq!(branching.missing(&found(&[], &[0], false)), Some(Missing::Withheld));
        let cut = found(&[], &[], true);
        assert_eq!(branching.missing(&cut), Some(Missing::Withheld));
        branching.release(&cut, &mut branches);
        assert_eq!(names(&branches), [(0, 3), (0, 5), (0, 9)]);
        // Where candidates are dropped, the others stay what they are, and the last one is not left out.
        choices.retain(|_, key| key != 3);
        assert_eq!(choices.branches(choices.find(id(0)).unwrap()).map(|events| events.count()), [1, 1]);
        choices.retain(|_, key| key == 9);
        assert_eq!(choices.branches(choices.find(id(0)).unwrap()).map(|events| events.count()), [1, 0]);
    }

    #[test]
    fn everything_is_all_candidates_of_all_choices_alike_or_not() {
        let (mut choices, mut branches) = (choices(true, true), Vec::new());
        choices.reluctant(id(2), ChoiceKind::Buffering, 7);
        let mut branching = Branching::everything(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 7)]);
        let mut below = found(&[0, 1], &[0], true);
        branching.reopen(&mut below);
        assert!(branching.is_open() && branching.missing(&below).is_none());
        branching.pass_on(&mut below);
        assert_eq!(below, found(&[0, 1], &[0], true));
    }

    #[test]
    fn reluctant_choices_alone_are_all_branched_on() {
        let (mut choices, mut branches) = (Choices::new(), Vec::new());
        choices.reluctant(id(0), ChoiceKind::Buffering, 7);
        choices.reluctant(id(1), ChoiceKind::Buffering, 7);
        let branching = Branching::new(&choices, &mut branches);
        assert_eq!(names(&branches), [(0, 7), (1, 7)]);
        assert!(branching.first().is_none() && branching.is_open() && !branching.is_expanded());
        assert_eq!(branching.missing(&found(&[0], &[], true)), None);
    }
}

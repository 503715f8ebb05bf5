//! What a condition says, as a restriction of a system ([`smpi_checker::restricted`]): it is forced, or forbidden.
//!
//! A forced choice waits until it has its candidate, so it is not enabled before. An execution in which it never has
//! is none. Forced and forbidden choices keep what the checker asks of a system, but for two things, and where one of
//! them happens an exploration does not count as complete ([`Ruled::is_doubtful`]):
//!
//! - receives of one rank are chosen in the order in which they were posted, because an older one may hide a message
//!   from a younger one; one that waits here is overtaken;
//! - a poll finds nothing a second time only where nothing else can happen, and a choice that waits here can.

use smpi_checker::restricted::Restriction;
use smpi_checker::{Choice, ChoiceId, ChoiceKind, Choices, Event, Settled};

/// What is decided.
#[derive(Clone, Copy, Default, Debug)]
pub struct Rule<'a> {
    /// These events are in every execution.
    pub forced: &'a [Event],
    /// This one is in none.
    pub forbidden: Option<Event>,
}

impl Rule<'_> {
    fn allows(&self, choice: ChoiceId, candidate: u64) -> bool {
        let is_forbidden = self.forbidden.is_some_and(|event| event == Event { choice, candidate });
        let forced = self.forced.iter().find(|event| event.choice == choice);
        !is_forbidden && forced.is_none_or(|event| event.candidate == candidate)
    }

    /// Whether an execution that was made under this rule is one that the rule asks for.
    pub fn is_kept(&self, path: &[Event]) -> bool {
        self.forced.iter().all(|event| path.contains(event))
    }
}

/// A rule as a restriction of a system.
pub struct Ruled<'a> {
    rule: Rule<'a>,
    has_polls: bool,
    was_stuck: bool,
    was_overtaken: bool,
}

impl<'a> Ruled<'a> {
    /// By this rule.
    pub fn new(rule: Rule<'a>) -> Ruled<'a> {
        Ruled { rule, has_polls: false, was_stuck: false, was_overtaken: false }
    }

    /// Something has happened so far by which executions may have been left out.
    pub fn is_doubtful(&self) -> bool {
        self.was_overtaken || self.has_polls && self.was_stuck
    }
}

impl Restriction for Ruled<'_> {
    /// Keeps what the rule allows.
    fn restrict(&mut self, choices: &mut Choices) {
        let rule = self.rule;
        self.has_polls |= choices.all().any(|choice| choice.kind == ChoiceKind::Test);
        let is_waiting =
            |choice: &&Choice| choices.candidates(choice).iter().all(|&candidate| !rule.allows(choice.id, candidate));
        let waiting: Vec<ChoiceId> = choices.all().filter(is_waiting).map(|choice| choice.id).collect();
        let is_behind = |id: &ChoiceId, other: ChoiceId| other.rank() == id.rank() && other > *id;
        self.was_overtaken |=
            waiting.iter().any(|id| choices.all().any(|other| is_behind(id, other.id) && !waiting.contains(&other.id)));
        choices.restrict(|choice, candidate| rule.allows(choice.id, candidate));
    }

    fn may_be_stuck(&self, settled: Settled) -> bool {
        !settled.is_end()
    }

    /// That nothing but reluctant choices is left is no deadlock where a choice waits.
    fn is_stuck(&self, settled: Settled, left: &Choices) -> bool {
        left.is_empty() || left.are_reluctant() && settled == Settled::Choices
    }

    fn stuck(&mut self, _: &Choices) {
        self.was_stuck = true;
    }

    fn is_free(&self, _: ChoiceId) -> bool {
        true
    }

    fn allows(&self, event: Event) -> bool {
        self.rule.allows(event.choice, event.candidate)
    }
}

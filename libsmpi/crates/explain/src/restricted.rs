//! A system some of whose choices are decided from outside: what a condition says is forced, or forbidden.
//!
//! A forced choice waits until it has its candidate, so it is not enabled before. An execution in which it never has
//! is none. Forced and forbidden choices keep what the checker asks of a system, but for two things, and where one of
//! them happens an exploration does not count as complete ([`Restricted::is_doubtful`]):
//!
//! - receives of one rank are chosen in the order in which they were posted, because an older one may hide a message
//!   from a younger one; one that waits here is overtaken;
//! - a poll finds nothing a second time only where nothing else can happen, and a choice that waits here can.

use smpi_checker::below::{Arrival, Coming};
use smpi_checker::{
    Caller, Choice, ChoiceId, ChoiceKind, Choices, Configuration, Event, Influence, Prospect, Settled, System,
};

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

/// A system under a rule.
pub struct Restricted<'a, S> {
    system: &'a mut S,
    rule: Rule<'a>,
    choices: Choices,
    has_polls: bool,
    was_stuck: bool,
    was_overtaken: bool,
}

impl<'a, S: System> Restricted<'a, S> {
    /// The system under this rule.
    pub fn new(system: &'a mut S, rule: Rule<'a>) -> Restricted<'a, S> {
        Restricted { system, rule, choices: Choices::new(), has_polls: false, was_stuck: false, was_overtaken: false }
    }

    /// The system itself.
    pub fn system(&mut self) -> &mut S {
        self.system
    }

    /// Something has happened so far by which executions may have been left out.
    pub fn is_doubtful(&self) -> bool {
        self.was_overtaken || self.has_polls && self.was_stuck
    }

    /// Keeps what the rule allows.
    fn restrict(&mut self, out: &mut Choices) {
        let rule = self.rule;
        self.has_polls |= out.all().any(|choice| choice.kind == ChoiceKind::Test);
        let is_waiting =
            |choice: &&Choice| out.candidates(choice).iter().all(|&candidate| !rule.allows(choice.id, candidate));
        let waiting: Vec<ChoiceId> = out.all().filter(is_waiting).map(|choice| choice.id).collect();
        let is_behind = |id: &ChoiceId, other: ChoiceId| other.rank() == id.rank() && other > *id;
        self.was_overtaken |=
            waiting.iter().any(|id| out.all().any(|other| is_behind(id, other.id) && !waiting.contains(&other.id)));
        out.restrict(|choice, candidate| rule.allows(choice.id, candidate));
    }
}

impl<S: System> System for Restricted<'_, S> {
    type Snapshot = S::Snapshot;

    fn reset(&mut self) {
        self.system.reset();
    }

    fn settle(&mut self) -> Settled {
        let settled = self.system.settle();
        if settled.is_end() {
            return settled;
        }
        let mut choices = std::mem::take(&mut self.choices);
        choices.clear();
        self.choices(&mut choices);
        let (is_stuck, are_reluctant) = (choices.is_empty(), choices.are_reluctant());
        self.choices = choices;
        match is_stuck {
            true => {
                self.was_stuck = true;
                Settled::Void
            }
            // That nothing but reluctant choices is left is no deadlock where a choice waits.
            false if are_reluctant && settled == Settled::Choices => {
                self.was_stuck = true;
                Settled::Void
            }
            false => settled,
        }
    }

    fn choices(&mut self, out: &mut Choices) {
        self.system.choices(out);
        self.restrict(out);
    }

    fn take(&mut self, event: Event) {
        self.system.take(event);
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        self.system.late(out);
    }

    fn seen(&mut self, out: &mut Vec<ChoiceId>) {
        self.system.seen(out);
    }

    fn tick(&self) -> Option<u32> {
        self.system.tick()
    }

    fn arrived(&mut self, out: &mut Vec<Arrival>) {
        self.system.arrived(out);
    }

    fn recall(&mut self, below: &mut dyn Iterator<Item = &Coming>, out: &mut Vec<Arrival>) {
        self.system.recall(below, out);
    }

    fn may_take(&mut self, event: Event) -> bool {
        self.rule.allows(event.choice, event.candidate) && self.system.may_take(event)
    }

    fn marks(&mut self, out: &mut Vec<Event>) {
        self.system.marks(out);
    }

    /// States are told apart by their history: what the rule still asks for depends on it.
    fn fingerprint(&mut self) -> Option<Configuration> {
        None
    }

    fn given(&mut self) -> Option<u128> {
        None
    }

    fn prospect(&self, choices: &Choices) -> Prospect {
        self.system.prospect(choices)
    }

    fn caller(&mut self, event: Event) -> Caller {
        self.system.caller(event)
    }

    fn influence(&self) -> Option<Influence> {
        self.system.influence()
    }

    fn snapshot(&mut self) -> Option<S::Snapshot> {
        self.system.snapshot()
    }

    fn restore(&mut self, snapshot: &S::Snapshot) {
        self.system.restore(snapshot);
    }

    fn failed(&self) -> bool {
        self.system.failed()
    }

    fn left_out(&self) -> bool {
        self.system.left_out()
    }
}

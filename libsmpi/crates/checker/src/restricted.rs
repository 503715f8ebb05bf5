//! A system some of whose choices are decided from outside.
//!
//! What is decided is a [`Restriction`]. An execution in which it leaves nothing to choose, though something could
//! happen, is none ([`Settled::Void`]). States are told apart by their history: what the restriction still asks for
//! depends on it, so nobody asks for their names, or what comes below them.

use crate::below::{Arrival, Arriving, Causes};
use crate::choice::{ChoiceId, Choices, Event};
use crate::configuration::Configuration;
use crate::history::PassedOn;
use crate::influence::Influence;
use crate::system::{Prospect, Settled, System};
use crate::told::Told;
use crate::tolls::Caller;

/// What is decided from outside.
pub trait Restriction {
    /// Leaves of the choices of a settled state what may be chosen.
    fn restrict(&mut self, choices: &mut Choices);

    /// Whether nothing may be left to choose in a state that has settled like this.
    fn may_be_stuck(&self, settled: Settled) -> bool;

    /// Whether the execution ends there because of what is decided; `left` may still be chosen.
    fn is_stuck(&self, settled: Settled, left: &Choices) -> bool;

    /// It does; these are the choices that there are.
    fn stuck(&mut self, all: &Choices);

    /// Whether what comes late for a choice, or turns out to matter for it, is of any use.
    fn is_free(&self, choice: ChoiceId) -> bool;

    /// Whether a schedule may make a choice that is not listed.
    fn allows(&self, event: Event) -> bool;
}

/// A system under a restriction.
pub struct Restricted<'a, S, R> {
    /// The system itself.
    pub system: &'a mut S,
    /// What is decided.
    pub restriction: R,
    scratch: Choices,
}

impl<'a, S: System, R: Restriction> Restricted<'a, S, R> {
    /// The system under this restriction.
    pub fn new(system: &'a mut S, restriction: R) -> Restricted<'a, S, R> {
        Restricted { system, restriction, scratch: Choices::new() }
    }
}

impl<S: System, R: Restriction> System for Restricted<'_, S, R> {
    type Snapshot = S::Snapshot;

    fn reset(&mut self) {
        self.system.reset();
    }

    fn settle(&mut self) -> Settled {
        let settled = self.system.settle();
        if !self.restriction.may_be_stuck(settled) {
            return settled;
        }
        self.scratch.clear();
        self.system.choices(&mut self.scratch);
        self.restriction.restrict(&mut self.scratch);
        if !self.restriction.is_stuck(settled, &self.scratch) {
            return settled;
        }
        self.scratch.clear();
        self.system.choices(&mut self.scratch);
        self.restriction.stuck(&self.scratch);
        Settled::Void
    }

    fn choices(&mut self, out: &mut Choices) {
        self.system.choices(out);
        self.restriction.restrict(out);
    }

    fn take(&mut self, event: Event) {
        self.system.take(event);
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        self.system.late(out);
        out.retain(|&id| self.restriction.is_free(id));
    }

    fn seen(&mut self, out: &mut Vec<ChoiceId>) {
        self.system.seen(out);
        out.retain(|&id| self.restriction.is_free(id));
    }

    fn unheard(&mut self, out: &mut Vec<ChoiceId>) {
        self.system.unheard(out);
    }

    fn may_take(&mut self, event: Event) -> bool {
        self.restriction.allows(event) && self.system.may_take(event)
    }

    fn marks(&mut self, out: &mut Vec<Event>) {
        self.system.marks(out);
    }

    fn tick(&self) -> Option<u32> {
        None
    }

    fn arrived(&mut self, _: &mut Vec<Arrival>) {}

    fn recall(&mut self, _: &mut PassedOn, _: &Causes, _: &mut dyn Iterator<Item = Arriving>, _: &mut Vec<Arrival>) {}

    fn fingerprint(&mut self) -> Option<Configuration> {
        None
    }

    /// It is asked of states that have names.
    fn given(&mut self) -> Option<u128> {
        None
    }

    fn prospect(&self, choices: &Choices) -> Prospect {
        self.system.prospect(choices)
    }

    fn has_met(&self) -> bool {
        self.system.has_met()
    }

    fn caller(&mut self, event: Event) -> Caller {
        self.system.caller(event)
    }

    fn influence(&self) -> Option<Influence> {
        self.system.influence()
    }

    fn told(&self) -> Option<Told> {
        self.system.told()
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

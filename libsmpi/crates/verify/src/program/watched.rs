//! A program whose choices somebody watches while it is explored or walked through.

use smpi_checker::below::{Arrival, Arriving, Causes};
use smpi_checker::history::PassedOn;
use smpi_checker::{Caller, ChoiceId, Choices, Configuration, Event, Influence, Prospect, Settled, System, Told};

use crate::program::Program;

/// Watches the choices of a program.
pub trait Watcher {
    /// The program stands in a state, by these choices, and this one is about to be made.
    fn takes(&mut self, program: &mut Program, path: &[Event], event: Event, choices: &Choices);

    /// The program has come to rest after these choices.
    fn settled(&mut self, program: &mut Program, path: &[Event], settled: Settled);
}

/// A program that is watched.
pub struct Watched<'a, W> {
    /// The program.
    pub program: &'a mut Program,
    /// Who watches.
    pub watcher: W,
    path: Vec<Event>,
    choices: Choices,
}

impl<'a, W: Watcher> Watched<'a, W> {
    /// A program with somebody who watches it.
    pub fn new(program: &'a mut Program, watcher: W) -> Watched<'a, W> {
        Watched { program, watcher, path: Vec::new(), choices: Choices::new() }
    }
}

impl<W: Watcher> System for Watched<'_, W> {
    type Snapshot = (<Program as System>::Snapshot, Vec<Event>);

    fn reset(&mut self) {
        self.path.clear();
        self.program.reset();
    }

    fn settle(&mut self) -> Settled {
        let settled = self.program.settle();
        self.watcher.settled(self.program, &self.path, settled);
        settled
    }

    fn choices(&mut self, out: &mut Choices) {
        self.program.choices(out);
    }

    fn take(&mut self, event: Event) {
        self.choices.clear();
        self.program.choices(&mut self.choices);
        self.watcher.takes(self.program, &self.path, event, &self.choices);
        self.path.push(event);
        self.program.take(event);
    }

    fn tick(&self) -> Option<u32> {
        self.program.tick()
    }

    fn arrived(&mut self, out: &mut Vec<Arrival>) {
        self.program.arrived(out);
    }

    fn recall(
        &mut self,
        known: &mut PassedOn,
        causes: &Causes,
        below: &mut dyn Iterator<Item = Arriving>,
        out: &mut Vec<Arrival>,
    ) {
        self.program.recall(known, causes, below, out);
    }

    fn late(&mut self, out: &mut Vec<ChoiceId>) {
        self.program.late(out);
    }

    fn seen(&mut self, out: &mut Vec<ChoiceId>) {
        self.program.seen(out);
    }

    fn unheard(&mut self, out: &mut Vec<ChoiceId>) {
        self.program.unheard(out);
    }

    fn may_take(&mut self, event: Event) -> bool {
        self.program.may_take(event)
    }

    fn marks(&mut self, out: &mut Vec<Event>) {
        self.program.marks(out);
    }

    fn fingerprint(&mut self) -> Option<Configuration> {
        self.program.fingerprint()
    }

    fn given(&mut self) -> Option<u128> {
        self.program.given()
    }

    fn prospect(&self, choices: &Choices) -> Prospect {
        self.program.prospect(choices)
    }

    fn has_met(&self) -> bool {
        self.program.has_met()
    }

    fn caller(&mut self, event: Event) -> Caller {
        self.program.caller(event)
    }

    fn influence(&self) -> Option<Influence> {
        self.program.influence()
    }

    fn told(&self) -> Option<Told> {
        self.program.told()
    }

    fn snapshot(&mut self) -> Option<Self::Snapshot> {
        let path = self.path.clone();
        self.program.snapshot().map(|snapshot| (snapshot, path))
    }

    fn restore(&mut self, (snapshot, path): &Self::Snapshot) {
        self.path.clone_from(path);
        self.program.restore(snapshot);
    }

    fn failed(&self) -> bool {
        self.program.failed()
    }

    fn left_out(&self) -> bool {
        self.program.left_out()
    }
}

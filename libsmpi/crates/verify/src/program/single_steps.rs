//! The hosted ranks step by step, for the reductions `none` and `dpor`: the same program as in [`crate::program`], at
//! the granularity of [`smpi_choices`].
//!
//! Agents `0..ranks` are the ranks, those from `ranks` on the network in front of their mailboxes and of those of
//! servers. When only futile polls are left, the first of them is answered "no".

use smpi_base::WorldRank;
use smpi_checker::dpor::Dependence;
use smpi_checker::interleaving::{Interleaving, Step};
use smpi_checker::{ChoiceKind, Choices, Event, Settled, System};
use smpi_choices::{NextOperation, Verification};

use crate::program::{MAX_FUTILE_POLLS, Program, Snapshot, driven};

/// The alternative that commits a rank's oldest post; the others are numbers of choices, from 1.
const COMMIT: u64 = 0;

impl Program {
    /// The choices that are open now, in the order of their alternatives, with the agents that make them.
    fn open_events(&mut self) -> Vec<(u32, Event)> {
        let mut choices = Choices::new();
        driven(|driver, world| driver.open_choices(world, MAX_FUTILE_POLLS, &mut choices));
        let count = self.count();
        let agent = |kind: ChoiceKind, rank: WorldRank| match kind {
            ChoiceKind::Receive | ChoiceKind::Delivery | ChoiceKind::Lock => count + rank.0,
            _ => rank.0,
        };
        let events = choices.all().flat_map(|choice| {
            let agent = agent(choice.kind, choice.id.rank());
            choices.candidates(choice).iter().map(move |&candidate| (agent, Event { choice: choice.id, candidate }))
        });
        events.collect()
    }

    fn is_forced(&self) -> bool {
        driven(|driver, _| driver.is_forced())
    }
}

impl Interleaving for Program {
    type Snapshot = Snapshot;

    fn reset(&mut self) {
        System::reset(self);
        self.run_step();
    }

    fn enabled(&mut self, out: &mut Vec<Step>) {
        self.look_at_retries();
        let posting = driven(|_, world| Verification::posting(world));
        let mut steps: Vec<Step> = posting.iter().map(|rank| Step { agent: rank.0, alternative: COMMIT }).collect();
        let events = self.open_events();
        // What a rank has posted comes before what it asks.
        let is_behind = |agent: u32| posting.binary_search(&WorldRank(agent)).is_ok();
        let open = events.iter().zip(1..).filter(|((agent, _), _)| !is_behind(*agent));
        steps.extend(open.map(|((agent, _), alternative)| Step { agent: *agent, alternative }));
        let is_offered = events.iter().any(|(_, event)| event.goes_on());
        if posting.is_empty() && self.is_forced() && !is_offered {
            steps.truncate(1);
        }
        steps.sort_unstable();
        out.append(&mut steps);
    }

    fn step(&mut self, step: Step) {
        match Interleaving::event(self, step) {
            Some(event) => self.choose(event),
            None => driven(|driver, world| driver.commit_first(world, WorldRank(step.agent))),
        }
        self.run_step();
    }

    fn event(&mut self, step: Step) -> Option<Event> {
        let index = (step.alternative as usize).checked_sub(1)?;
        self.open_events().get(index).map(|open| open.1)
    }

    fn failed(&self) -> bool {
        System::failed(self)
    }

    fn left_out(&self) -> bool {
        System::left_out(self)
    }

    fn is_reluctant(&mut self) -> bool {
        let posting = driven(|_, world| Verification::posting(world));
        posting.is_empty()
            && !driven(|driver, world| driver.is_forced() || driver.is_void(world))
            && self.open_events().iter().all(|(_, event)| event.goes_on())
    }

    fn ended(&mut self) -> Settled {
        self.ending()
    }

    /// States are not recognised.
    fn key(&mut self) -> Option<u128> {
        None
    }

    fn snapshot(&mut self) -> Snapshot {
        self.copy()
    }

    fn restore(&mut self, snapshot: &Snapshot) {
        self.put_back(snapshot);
    }
}

impl Dependence for Program {
    type Operation = NextOperation;

    fn agents(&self) -> u32 {
        self.count() + driven(|_, world| world.everybody().count() as u32)
    }

    fn next(&mut self, agent: u32) -> Option<NextOperation> {
        let count = self.count();
        driven(|driver, world| match agent.checked_sub(count) {
            Some(rank) => driver.next_of_network(world, WorldRank(rank)),
            None => driver.next_of_rank(world, WorldRank(agent)),
        })
    }

    fn dependent(a: &NextOperation, b: &NextOperation) -> bool {
        a.races_with(b) || b.races_with(a)
    }

    fn races(earlier: &NextOperation, later: &NextOperation) -> bool {
        earlier.races_with(later)
    }

    fn disables(operation: &NextOperation) -> bool {
        operation.disables()
    }

    fn past(&mut self, agent: u32, out: &mut Vec<usize>) -> bool {
        let count = self.count();
        driven(|driver, world| match agent.checked_sub(count) {
            Some(rank) => driver.past_of_network(world, WorldRank(rank), out),
            None => driver.past_of_rank(WorldRank(agent), out),
        });
        true
    }
}

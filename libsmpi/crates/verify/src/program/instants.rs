//! The hosted ranks instant by instant, for who goes through an execution step by step: between two choices there are
//! instants, in each of which all ranks that can run do, and then what they posted takes place.
//!
//! Between two instants a state can be copied and put back as where a choice is made. Within an instant a rank can stop
//! at the beginning of a call ([`smpi_mpi::usage::Steps`]): it is looked at there, and the instant is executed again
//! from its beginning to go on.

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_base::plan::VerifyPlan;
use smpi_checker::{Choices, Event, Settled, System};
use smpi_process as process;
use smpi_runtime::event_loop::next_batch;
use smpi_runtime::with;

use crate::program::states::Rounds;
use crate::program::{Program, Snapshot};

/// What an instant has come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Came {
    /// There is another one.
    Further,
    /// Nothing moves without a choice, or any more.
    ToRest(Settled),
    /// A rank has stopped at the beginning of a call.
    ToCall,
}

/// A state between two instants, or before a choice, to come back to.
pub(crate) struct Instant {
    snapshot: Snapshot,
    rounds: Rounds,
}

/// Whether a rank has stopped at the beginning of a call.
pub(super) fn has_stopped() -> bool {
    with(|runtime| runtime.world.steps().is_some_and(|steps| steps.paused.is_some()))
}

impl Program {
    /// Begins the program anew, before its first instant.
    pub(crate) fn begin_instants(&mut self) -> Rounds {
        self.may_stop = true;
        self.reset();
        Rounds::default()
    }

    /// Executes an instant.
    pub(crate) fn instant(&mut self, rounds: &mut Rounds) -> Came {
        self.run_batch();
        if has_stopped() {
            return Came::ToCall;
        }
        let mut done = Vec::new();
        match self.finish_batch(rounds, |batch, woken| next_batch(batch, &mut done, woken)) {
            None => Came::Further,
            Some(comes_to_rest) => {
                self.is_endless = !comes_to_rest;
                Came::ToRest(self.at_rest())
            }
        }
    }

    /// Makes a choice where the ranks have come to rest: an instant follows.
    pub(crate) fn make_choice(&mut self, event: Event) -> Rounds {
        // What is open is asked for first, as in an exploration.
        self.choices(&mut Choices::new());
        self.take(event);
        Rounds::default()
    }

    /// Copies the present state, which is between two instants.
    pub(crate) fn copy_instant(&mut self, rounds: &Rounds) -> Instant {
        Instant { snapshot: self.copy(), rounds: rounds.clone() }
    }

    /// Comes back to a state.
    pub(crate) fn put_instant_back(&mut self, instant: &Instant) -> Rounds {
        // Where a rank has stopped, what its instant has noticed and asked for so far is of no use.
        with(|runtime| {
            runtime.world.take_observations();
            runtime.asked.forget_instant();
        });
        self.put_back(&instant.snapshot);
        instant.rounds.clone()
    }

    /// Lets somebody explore the program as where no schedule is given: no rank stops within an instant, and states
    /// have no names.
    pub(crate) fn without_instants<R>(&mut self, options: &VerifyPlan, look: impl FnOnce(&mut Program) -> R) -> R {
        with(|runtime| runtime.world.take_steps());
        self.may_stop = false;
        let naming = if options.is_by_states() { self.naming } else { None };
        let before = std::mem::replace(&mut self.naming, naming);
        process::tell_states_apart(self.has_polled || self.naming.is_some());
        let found = look(self);
        self.naming = before;
        self.may_stop = true;
        process::tell_states_apart(self.has_polled || self.naming.is_some());
        found
    }

    /// The memory of all ranks in 128 bits: equal where all of it is. It is named as in a state, without frames of
    /// libsmpi, which hold addresses of our own heap; where a rank has no name, all of its raw memory counts.
    pub(crate) fn memory_state(&self) -> u128 {
        let mut all = Digest::new();
        for rank in (0..self.count()).map(WorldRank) {
            let standing = with(|runtime| runtime.run(rank).standing);
            let mut name = Digest::new();
            if standing.is_over() {
                all.add(standing.exit());
            } else if self.name_memory(rank, &[], &mut name).is_ok() {
                all.add(name.bits());
            } else {
                all.add(self.ranks.fingerprint(rank).digest());
            }
        }
        all.bits()
    }
}

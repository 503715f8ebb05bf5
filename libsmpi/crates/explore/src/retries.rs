//! Whether it makes a difference how often a rank polls in vain.
//!
//! A poll that is repeated is told "not yet" again only where nothing else can happen: else every loop that polls would
//! have executions without end (`smpi_verification`, `open.rs`). Nothing is lost by that if the rank comes back to
//! where it was: what it does next follows from its memory and its registers, and another "not yet" would change
//! neither. That is looked at wherever what it polls for has come, and "not yet" is left out: the rank gets it, and goes
//! on, until it polls for the same again. If it is not the same then (it counts its polls, say) or does something else
//! (it gives up), the exploration is not complete. Clocks stand still meanwhile: that a deadline passes is a choice of
//! its own.

use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_base::map::Set;
use smpi_checker::alternatives::NOT_YET;
use smpi_checker::{ChoiceId, Event};
use smpi_process::{note_uncontrolled, tell_states_apart};
use smpi_verification::Verification;

use super::system::{Program, driven};

/// What is not explored.
const COUNTED: &str = "a rank that polls in vain is not the same when it polls again: it may count its polls, and do \
                       something else after more of them than were tried";

/// Polls after which a rank must be as it was: as many as a loop may have.
const MOST_POLLS: usize = 64;

/// What is known of repeated polls.
#[derive(Default)]
pub(super) struct Retries {
    /// Ranks that come back to where they were, by the names of their states.
    same: Set<u128>,
    /// Some do not: no more needs to be known.
    pub counted: bool,
    /// Some rank has polled: calls leave nothing on the stack that would tell states apart.
    pub polled: bool,
}

impl Program {
    /// Looks at the ranks that are about to poll once more, and will not be told "not yet". The program is as it was
    /// afterwards.
    pub(super) fn look_at_retries(&mut self) {
        if self.retries.counted || !driven(|driver, _| driver.is_polling()) {
            return;
        }
        if !self.retries.polled {
            self.retries.polled = true;
            tell_states_apart(true);
        }
        for rank in driven(|driver, world| driver.left_without_no(world)) {
            let Some(name) = self.name_of_poll(rank) else {
                return self.note_counted();
            };
            if self.retries.same.contains(&name) {
                continue;
            }
            let here = self.copy();
            driven(|driver, _| driver.hold_clocks(true));
            let comes_back = self.comes_back(rank, name);
            driven(|driver, _| driver.hold_clocks(false));
            self.put_back(&here);
            if !comes_back {
                return self.note_counted();
            }
            self.retries.same.insert(name);
        }
    }

    fn note_counted(&mut self) {
        self.retries.counted = true;
        note_uncontrolled(COUNTED);
    }

    /// Whether a rank that finds nothing, however often it polls, is at some time as it is now.
    fn comes_back(&mut self, rank: WorldRank, name: u128) -> bool {
        for _ in 0..MOST_POLLS {
            let Some(number) = driven(|driver, _| driver.asked_in_vain(rank)) else { return false };
            let event = Event { choice: ChoiceId { rank, number }, candidate: NOT_YET };
            driven(|driver, world| driver.choose(world, event));
            if !self.go_on_alone(rank) || self.failed() {
                return false;
            }
            if self.name_of_poll(rank) == Some(name) {
                return true;
            }
        }
        false
    }

    /// Lets a rank go on that was answered, up to its next question.
    fn go_on_alone(&mut self, rank: WorldRank) -> bool {
        if !driven(|driver, _| driver.is_stepping()) {
            return self.run_answered();
        }
        self.run_step();
        while driven(|_, world| Verification::posting(world)).contains(&rank) {
            driven(|driver, world| driver.commit_first(world, rank));
            self.run_step();
        }
        true
    }

    /// What a rank will do that polls.
    fn name_of_poll(&self, rank: WorldRank) -> Option<u128> {
        let mut digest = Digest::new();
        digest.add(rank);
        driven(|driver, _| driver.name_poll(rank, &mut digest));
        self.ranks.name(rank, &mut digest).ok()?;
        Some(digest.bits())
    }
}

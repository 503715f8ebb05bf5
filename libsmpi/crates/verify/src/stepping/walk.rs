//! Going to any moment of an execution, forwards and backwards.
//!
//! A *tick* is a state between two instants, or before a choice; tick 0 is the beginning. Copies of some ticks are
//! kept, all of them where there are few: a moment is reached from the last copy before it.

use std::collections::BTreeMap;
use std::rc::Rc;

use smpi_checker::{Event, Settled};
use smpi_mpi::usage::Steps;
use smpi_runtime::with;

use crate::program::Program;
use crate::program::instants::{Came, Instant};
use crate::program::states::Rounds;

/// Copies that are kept at most. With more ticks than that, those of every second one are, of every fourth and so on.
const MOST_COPIES: usize = 128;

/// A moment of an execution: a tick, or behind it the beginning of a call, by the number of calls before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    pub tick: usize,
    pub call: Option<usize>,
}

/// What is known of a tick.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tick {
    /// Calls that ranks have made before it.
    pub calls: usize,
    /// The ranks are at rest there, and how.
    pub settled: Option<Settled>,
    /// Choices that were made before it.
    pub choices: usize,
}

/// An execution that one can go through.
pub(super) struct Walk {
    /// Its choices.
    pub path: Vec<Event>,
    /// Its ticks, as far as they were met.
    pub ticks: Vec<Tick>,
    copies: BTreeMap<usize, Rc<Instant>>,
    /// Ticks between two that are kept.
    stride: usize,
    /// The tick at which the program stands, if it does at one and has not been looked at.
    at: Option<(usize, Rounds)>,
    /// Instants and choices that were executed to come to moments.
    pub executed: u64,
}

impl Walk {
    /// The beginning of an execution.
    pub fn begin(program: &mut Program, path: Vec<Event>) -> Walk {
        with(|runtime| runtime.world.start_steps(Steps::default()));
        let rounds = program.begin_instants();
        let first = Tick { calls: 0, settled: None, choices: 0 };
        let mut walk =
            Walk { path, ticks: vec![first], copies: BTreeMap::new(), stride: 1, at: Some((0, rounds)), executed: 0 };
        walk.keep(program);
        walk
    }

    /// The last tick that was met.
    pub fn last(&self) -> usize {
        self.ticks.len() - 1
    }

    /// The tick at which the program stands.
    fn tick(&self) -> Option<usize> {
        self.at.as_ref().map(|(tick, _)| *tick)
    }

    /// Goes on from the last tick to the next one, where the ranks are not at rest, or a choice is left to make. False:
    /// there is none.
    pub fn meet_next(&mut self, program: &mut Program) -> bool {
        let before = self.ticks[self.last()];
        let is_end = before.settled.is_some() && before.choices >= self.path.len();
        if is_end || self.tick() != Some(self.last()) {
            return false;
        }
        let settled = self.advance(program);
        let calls = with(|runtime| runtime.world.steps().map_or(0, |steps| steps.made));
        let choices = before.choices + usize::from(before.settled.is_some());
        self.ticks.push(Tick { calls, settled, choices });
        self.keep(program);
        true
    }

    /// Executes what leads from the present tick to the next one; how the ranks are at rest there, if they are.
    fn advance(&mut self, program: &mut Program) -> Option<Settled> {
        let (tick, mut rounds) = self.at.take()?;
        self.executed += 1;
        let here = self.ticks[tick];
        let mut settled = None;
        if here.settled.is_some() {
            rounds = program.make_choice(self.path[here.choices]);
        } else if let Came::ToRest(how) = program.instant(&mut rounds) {
            settled = Some(how);
        }
        self.at = Some((tick + 1, rounds));
        settled
    }

    /// Keeps a copy of the present tick, if it is one of those that are kept.
    fn keep(&mut self, program: &mut Program) {
        let Some((tick, rounds)) = &self.at else { return };
        if !tick.is_multiple_of(self.stride) || self.copies.contains_key(tick) {
            return;
        }
        self.copies.insert(*tick, Rc::new(program.copy_instant(rounds)));
        if self.copies.len() > MOST_COPIES {
            self.stride *= 2;
            let stride = self.stride;
            self.copies.retain(|tick, _| tick.is_multiple_of(stride));
        }
    }

    /// Brings the program to a moment that was met. False: the program does not repeat itself.
    pub fn go(&mut self, program: &mut Program, to: Moment) -> bool {
        if !self.go_to_tick(program, to.tick) {
            return false;
        }
        let Some(call) = to.call else { return true };
        let Some((_, mut rounds)) = self.at.take() else { return false };
        self.follow_calls(to.tick, Some(call));
        self.executed += 1;
        program.instant(&mut rounds) == Came::ToCall
    }

    fn go_to_tick(&mut self, program: &mut Program, to: usize) -> bool {
        let Some((&copied, copy)) = self.copies.range(..=to).next_back() else { return false };
        let is_behind = self.tick().is_some_and(|tick| (copied..=to).contains(&tick));
        if !is_behind {
            let rounds = program.put_instant_back(&Rc::clone(copy));
            self.at = Some((copied, rounds));
        }
        let from = self.tick().unwrap_or(copied);
        self.follow_calls(from, None);
        for tick in from..to {
            if self.advance(program) != self.ticks[tick + 1].settled {
                self.at = None;
                return false;
            }
            self.keep(program);
        }
        true
    }

    /// Counts calls from a tick on, and stops at one of them.
    fn follow_calls(&self, tick: usize, pause_at: Option<usize>) {
        let mut steps = Steps::default();
        (steps.made, steps.pause_at) = (self.ticks[tick].calls, pause_at);
        with(|runtime| runtime.world.start_steps(steps));
    }

    /// Whether the program stands where its ranks are at rest.
    pub fn is_at_rest(&self) -> bool {
        self.tick().is_some_and(|tick| self.ticks[tick].settled.is_some())
    }

    /// The program was looked at in a way that may have left traces: it is put back before it goes on.
    pub fn was_looked_at(&mut self) {
        self.at = None;
    }
}

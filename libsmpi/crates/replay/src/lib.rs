//! Replays time-independent traces: a simulation without programs.
//!
//! The world, the driver and the event loop are those of every simulation. In the place of a rank's stack there is a
//! [`player::Player`], which has a place in the trace and the steps of its present action; buffers have sizes and no
//! bytes ([`smpi_runtime::memory::NoMemory`]). So a rank costs some kilobytes.
//!
//! | where | what |
//! |---|---|
//! | [`player`] | a rank, from actions to steps, and how it waits |
//! | [`convert`] | what the world is asked for |
//! | `lib.rs` | from the plan to the exit code; deadlocks |
//!
//! *Invariant: no ranks' memory, no host clock. A wrong trace is refused with its line; it is never waited for.*
#![forbid(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod convert;
pub mod player;

use smpi_base::plan::{Compute, ReplayPlan, RunPlan};
use smpi_base::{WorldRank, eprint, eprintln, exit};
use smpi_runtime::event_loop::{self, next_batch};
use smpi_runtime::live::Live;
use smpi_runtime::summary::{self, Wall};
use smpi_runtime::waiting::waits_of;
use smpi_runtime::{install, profile, setup, with};
use smpi_trace::Action;
use smpi_trace::source::{Source, in_words};

use convert::Types;
use player::{Player, Turn};

/// Replays the trace of a plan; returns the exit code of the run.
pub fn run(plan: &RunPlan) -> i32 {
    let wall = Wall::start();
    let written = replay(plan).and_then(|code| {
        summary::write(plan, |_| 0, wall, code)?;
        profile::write(plan, |_| 0)?;
        Ok(code)
    });
    written.unwrap_or_else(|message| refuse(&message))
}

fn refuse(message: &str) -> i32 {
    eprintln!("smpirun: error: {message}");
    exit::REFUSED
}

fn replay(plan: &RunPlan) -> Result<i32, String> {
    let Some(ReplayPlan { file, ranks }) = &plan.replay_trace else { return Err("there is no trace".to_string()) };
    let source = Source::open(file, *ranks)?;
    let count = source.ranks();
    // What was computed is in the trace.
    let plan = RunPlan { compute: Compute::Off, ..plan.clone() };
    install(setup::build(&plan, count, vec![0, count], false)?);
    Replay::new(source, count).run()
}

/// All ranks of a replay.
struct Replay {
    source: Source,
    players: Vec<Player>,
    types: Types,
    /// Ranks whose traces are over.
    is_over: Vec<bool>,
    /// How far ranks are.
    stages: Vec<Stage>,
}

/// Where a rank's trace is, as far as that says whether all of it is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Before its `init`.
    Before,
    /// Behind it.
    Begun,
    /// Behind its `finalize`.
    Finalized,
}

impl Replay {
    fn new(source: Source, ranks: u32) -> Replay {
        let players = (0..ranks).map(|rank| Player::new(WorldRank(rank), ranks)).collect();
        let (is_over, stages) = (vec![false; ranks as usize], vec![Stage::Before; ranks as usize]);
        Replay { source, players, types: Types::default(), is_over, stages }
    }

    fn run(mut self) -> Result<i32, String> {
        let mut batch = event_loop::begin();
        let (mut done, mut woken) = (Vec::new(), Vec::new());
        let mut live = Live::begin();
        loop {
            batch.sort_unstable();
            for &rank in &batch {
                if self.resume(rank)? {
                    event_loop::note_exit(rank, 0);
                }
            }
            batch.clear();
            if !next_batch(&mut batch, &mut done, &mut woken) {
                break;
            }
            live.look(|rank| Some(format!(", {}", self.source.place(rank.index()))));
        }
        drop(live);
        let stuck = summary::stuck();
        if stuck.is_empty() {
            self.warn_of_cut();
            return Ok(0);
        }
        eprint!("{}", self.deadlock(&stuck));
        Ok(summary::stuck_code())
    }

    /// Lets a rank go on until it waits; true when its trace is over.
    fn resume(&mut self, rank: WorldRank) -> Result<bool, String> {
        let index = rank.index();
        with(|runtime| self.players[index].resume(runtime));
        loop {
            let player = &mut self.players[index];
            if let Turn::Blocked = with(|runtime| player.turn(runtime)) {
                return Ok(false);
            }
            let reader = player.reader();
            let action = match self.source.next(index)?.map(|text| reader.action(text)) {
                Some(action) => action,
                None if !self.source.is_whole(index) => return Err(self.cut(index)),
                None if self.is_over[index] || self.source.is_own() => return Ok(true),
                None => {
                    // SMPI waits for what is open at the end.
                    self.is_over[index] = true;
                    Ok(Action::WaitOpen)
                }
            };
            match &action {
                Ok(Action::Init(_)) => self.stages[index] = Stage::Begun,
                Ok(Action::Finalize) => self.stages[index] = Stage::Finalized,
                _ => {}
            }
            let player = &mut self.players[index];
            let types = &mut self.types;
            let begun = action.and_then(|action| with(|runtime| player.begin(runtime, types, action)));
            begun.map_err(|problem| in_words(&self.source.place(index), &problem))?;
        }
    }

    /// The refusal of a trace that ends too early. Those that are written here say where they end.
    fn cut(&self, index: usize) -> String {
        format!(
            "{}: the trace of rank {index} breaks off, expected more lines: it was cut, or its recording was ended before \
             its time; record it again",
            self.source.place(index)
        )
    }

    /// A warning where nobody's trace is whole, as SMPI's are.
    fn warn_of_cut(&self) {
        if !self.source.is_own() && self.stages.contains(&Stage::Begun) && !self.stages.contains(&Stage::Finalized) {
            eprintln!(
                "smpirun: warning: no rank's trace comes to finalize: it may have been cut, and the time is that of what \
                 there is"
            );
        }
    }

    /// Which ranks wait for what, and where in their traces.
    fn deadlock(&self, stuck: &[WorldRank]) -> String {
        summary::deadlock_of(stuck, &summary::told_of(stuck), |runtime, missing, _, rank| {
            format!("{} waits for {}", self.source.place(rank.index()), waits_of(runtime, missing, rank))
        })
    }
}

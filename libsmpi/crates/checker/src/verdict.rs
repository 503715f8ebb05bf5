//! Limits given to an exploration, counts kept by it, and what it says at the end.

use std::fs::File;
use std::io;

use serde::{Deserialize, Serialize};

use crate::choice::Event;
use crate::configuration::Configuration;
use crate::system::Settled;
use crate::tolls::{Toll, Tolls};

/// Bounds of an exploration. A bound that was reached makes the verdict incomplete, never silently.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Executions after which to stop.
    pub executions: u64,
    /// Choices in one execution.
    pub depth: usize,
    /// Go on after the first error.
    pub keep_going: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { executions: u64::MAX, depth: 1_000_000, keep_going: false }
    }
}

/// What an exploration counts. All but the last three follow from the program alone: they are the same for every number
/// of workers. So is the depth where no choice is reluctant.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Stats {
    /// Different executions that were seen to their end.
    pub executions: u64,
    /// Different states at rest (sets of choices made) that were visited, ends of executions included.
    pub configurations: u64,
    /// Branches out of them that were taken.
    pub transitions: u64,
    /// States whose other choices were explored too because of a late arrival.
    pub expansions: u64,
    /// Branches that led to a state already visited.
    pub revisits: u64,
    /// Longest execution, in choices.
    pub depth: u64,
    /// States restored from snapshots.
    pub restores: u64,
    /// Choices made again to come back to a state without a snapshot.
    pub replayed: u64,
}

/// Why an exploration ended before everything was seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Stop {
    /// The first error, without [`Limits::keep_going`].
    Error,
    /// [`Limits::executions`].
    Executions,
    /// The observer asked for it: the time is up, or the user interrupts.
    Asked,
}

/// The end of an execution that is an error, and how to get there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Counterexample {
    /// How it ended; [`Settled::Choices`] when a rank failed while others could still go on.
    pub settled: Settled,
    /// The choices, in the order in which they were made.
    pub path: Vec<Event>,
}

/// Two ways to one state after which it is not the same.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Difference {
    /// The first way there.
    pub first: Vec<Event>,
    /// Another one.
    pub second: Vec<Event>,
}

/// A state to which executions come that have given different things, and from which executions can end.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ambiguous {
    /// The state's name.
    pub state: Configuration,
    /// Not the first way there, and something else was given than on that.
    pub way: Vec<Event>,
}

/// States that were moved out of memory.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Moved {
    /// How many.
    pub states: u64,
    /// What went wrong with the files, in words. Nothing is moved then or, where states cannot be read again, the
    /// exploration ends.
    pub trouble: Option<String>,
}

/// What is to be done about keeping an exploration ([`crate::explore_kept`]) where it is between two choices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// Nothing.
    Later,
    /// It is kept as it is.
    Now,
    /// It is kept, and ends here.
    AndStop,
}

/// Makes an empty file that can be read and written, and that nobody else uses.
pub type NewFile = fn() -> io::Result<File>;

/// The result of an exploration.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Verdict {
    /// Every relevant execution was seen.
    pub complete: bool,
    /// What ended it early.
    pub stopped: Option<Stop>,
    /// An execution was cut at [`Limits::depth`] or by a bound of the system.
    pub bounded: bool,
    /// The system left out alternatives of a choice ([`crate::System::left_out`]).
    pub left_out: bool,
    /// Counts.
    pub stats: Stats,
    /// The first error in the order of exploration.
    pub first: Option<Counterexample>,
    /// Executions that ended in an error.
    pub errors: u64,
    /// The choices that lead to a state from which no execution ends, while others do end. Only where states have
    /// names.
    pub lost: Option<Vec<Event>>,
    /// Two states have one name and are not the same, which is an error of the system: the exploration is not complete.
    pub difference: Option<Difference>,
    /// What the program gives depends on choices, though that is forgotten ([`crate::System::given`]). Only where
    /// states have names.
    pub ambiguous: Option<Box<Ambiguous>>,
    /// What left memory, where that was wanted ([`Observer::wants_room`]).
    pub moved: Moved,
    /// What the choices of calls have cost; of whole programs only where they were not explored to the end.
    pub tolls: Tolls,
    /// Natural logarithm of the explored part as [`Outlook::ln_explored`] has it; 0 where all of it was.
    pub ln_explored: f64,
}

impl Verdict {
    /// A limit has ended the exploration, or the user.
    pub fn is_cut_short(&self) -> bool {
        matches!(self.stopped, Some(Stop::Executions | Stop::Asked))
    }

    /// Nothing more comes: decides whether the exploration is complete. `left_out` says that the system left out
    /// alternatives.
    pub(crate) fn conclude(&mut self, left_out: bool) {
        self.left_out |= left_out;
        self.complete = self.stopped.is_none() && !self.bounded && !self.left_out && self.difference.is_none();
    }
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here: the verdict will be incomplete.
    Stop,
}

/// Watches an exploration. (One trait instead of two closures, because both calls share state.)
pub trait Observer<S> {
    /// An execution ended (each different one is reported once), or failed on the way. The system is in that state.
    fn execution(&mut self, _system: &mut S, _settled: Settled, _path: &[Event]) -> Flow {
        Flow::Continue
    }

    /// Called once, when an exploration has seen so many executions that one asks how many there are. The observer may
    /// execute the system as it likes: the exploration brings it back to where it was.
    fn many(&mut self, _system: &mut S) {}

    /// Called at states visited, where up to so many explored ones may leave memory: how files for them are made, if
    /// they should leave.
    fn wants_room(&mut self, _movable: usize) -> Option<NewFile> {
        None
    }

    /// Called where an exploration is to go on that was kept, which has come so far. `None`: that cannot be, and it
    /// begins again.
    fn goes_on(&mut self, _stats: Option<&Stats>) {}

    /// Called between two choices of an exploration that can be kept.
    fn keeps(&mut self) -> Keep {
        Keep::Later
    }

    /// What has changed since the exploration was kept last. True if it is kept now; otherwise it is
    /// part of the next change as well.
    fn keep(&mut self, _system: &mut S, _change: Vec<u8>) -> bool {
        false
    }

    /// Called where an exploration by groups of ranks ([`crate::reduction::histories`]) finds that all are one group.
    fn are_one_group(&mut self) -> Flow {
        Flow::Continue
    }

    /// Called at every state visited, before it is explored: for progress, time limits and interruptions.
    /// `outlook` estimates on demand how far the exploration is; `None` where there is no estimate.
    fn visit(&mut self, _stats: &Stats, _outlook: &dyn Fn() -> Option<Outlook>) -> Flow {
        Flow::Continue
    }
}

/// How far an exploration is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlook {
    /// Natural logarithm of the explored part, if all subtrees of a state are equally large: 0 is all, −∞ nothing.
    pub ln_explored: f64,
    /// Branches that are known and not yet taken.
    pub left: u64,
    /// The call whose choices have cost most.
    pub dearest: Option<Toll>,
}

/// Watches nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unobserved;

impl<S> Observer<S> for Unobserved {}

//! Single executions where the whole tree is out of reach: random ones, and those near the *natural* one.
//!
//! The natural execution takes at every state the first choice that an exploration would take, and of the messages
//! that it could take, that of the lowest sender ([`natural`]). A [`Search`] says which other executions are walked, as
//! a list of [`Task`]s that do not depend on each other; [`run`] does one of them. A search puts the results together
//! in the order of the tasks. So what it says does not depend on who did which task, nor on when.
//!
//! | | walks | source |
//! |---|---|---|
//! | [`Policy::Uniform`] | at every state any choice and any candidate, with equal probability | |
//! | [`Policy::Pct`] | by random priorities that change a few times | Burckhardt et al., ASPLOS 2010 |
//! | [`Goal::Deviations`] | all executions with up to K events that are not natural | Harvey, Ginsberg, IJCAI 1995 |
//!
//! **Which events a state has.** If its first choice is *closed* ([`Choice::closed`]), the candidates of this choice;
//! otherwise those of all choices. No execution is left out by that, and none becomes more expensive. Let c be a closed
//! choice that is first at state C, and s a sequence of events from C in which (c, k) is the j-th. As c is closed, k is
//! a candidate at C, and (c, k) commutes with the events before it: s′, which makes (c, k) first, leads to the same
//! state. Each of the earlier events deviates in s, unless its choice was first before c; then it is still first in
//! s′. (c, k) deviates in s′ only if k is not the first candidate; then it deviates in s, too. So s′ has no more
//! deviations than s.
//!
//! Hence [`Goal::Deviations`] visits every configuration within K deviations of the beginning, each from a sequence
//! with the fewest of them, and shows every execution that has a sequence with at most K deviations. If no state had an
//! event left that would have been one deviation too many, every open state was expanded: this is what
//! [`mod@crate::reduction::matches`] does at most, and the exploration is complete by the same proof.
//!
//! **Priorities.** An *agent* is a candidate's key: the sender of a message, the index of a request, a poll's "not
//! yet". Each walk draws a random order of agents, and takes the event of the first agent in this order (of several,
//! the one that comes first at the state). At d − 1 random steps among the first k, the agent that would be next is put
//! behind all others. A bug has *depth* d if there are an agent and d − 1 steps, such that the bug shows whenever this
//! agent is the first of all, or whenever it is the last of all, and the order changes at these steps. With n agents,
//! a walk shows such a bug with a probability of at least 1/(n·k^(d−1)), the bound of the paper: the agent is drawn for
//! its place with probability 1/n, each step with 1/k. Values of `MC_random` are drawn uniformly, and are not covered
//! by the bound.
//!
//! **The size of the tree** is estimated by Knuth's method, see [`estimate`].
//!
//! Candidates that the system says are alike ([`Tried::First`]) are all different here, except in uniform walks: these
//! take the first.

mod branches;
pub mod estimate;
mod random;
mod search;
mod walker;

use std::ops::Range;

use smpi_base::map::Set;

use crate::choice::{ChoiceKind, Choices, Event};
use crate::configuration::Configuration;
use crate::system::System;
use crate::verdict::{Limits, Observer, Verdict};

pub use search::{Covered, Goal, Search};

#[cfg(doc)]
use crate::choice::Choice;

/// How a random walk goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// Every choice and every candidate with the same probability.
    Uniform,
    /// By priorities, with `depth` − 1 changes among the first `steps` events.
    Pct {
        /// The depth of the bugs that are looked for, from 1.
        depth: u32,
        /// Events of an execution, from 1.
        steps: u32,
    },
}

/// Walks that are done together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// The natural execution.
    Natural,
    /// Random walks with these numbers; each has a seed of its own.
    Random {
        /// How they go on.
        policy: Policy,
        /// Of the whole search.
        seed: u64,
        /// Their numbers.
        walks: Range<u64>,
    },
    /// All walks that leave an execution at one of these positions, and are natural from there.
    Branches {
        /// Where the execution is not the natural one: positions, ascending, and events.
        deviations: Vec<(u32, Event)>,
        /// Events before the state that is left. Invariant: behind the last deviation.
        positions: Range<u32>,
    },
}

/// The end of an execution on a walk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Events before it.
    pub position: u32,
    /// The execution's name.
    pub key: Configuration,
    /// It is an error.
    pub error: bool,
}

/// What one walk has met. A state's position is the number of events before it.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Walked {
    /// Where it left the execution of its task, and how.
    pub deviation: Option<(u32, Event)>,
    /// Its own states begin here, and end before `until`.
    pub from: u32,
    /// The position of its last state.
    pub until: u32,
    /// Its worker knew this state from a walk before.
    pub is_cut: bool,
    /// Ends that were shown to the observer, in this order.
    pub ends: Vec<End>,
    /// States that other walks may meet, too.
    pub met: Vec<(u32, Configuration)>,
    /// States with more than one event, and how many more.
    pub branches: Vec<(u32, u32)>,
    /// Natural logarithm of the executions that this walk stands for; −∞: none.
    pub ln_executions: f64,
    /// Some candidates are not counted in this.
    pub is_least: bool,
}

/// What became of a task.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct TaskResult {
    /// Counts of this task, and what ended it.
    pub verdict: Verdict,
    /// Its walks, in their order.
    pub walks: Vec<Walked>,
    /// Agents, ascending: of random walks by priorities.
    pub agents: Vec<u64>,
}

/// States that one worker has met in a search: walks of later tasks need not go on from there.
#[derive(Default, Debug)]
pub struct Memory(Set<Configuration>);

/// Does a task.
pub fn run<S: System>(
    system: &mut S,
    task: &Task,
    memory: &mut Memory,
    limits: &Limits,
    observer: &mut dyn Observer<S>,
) -> TaskResult {
    let walker = walker::Walker::new(system, limits, observer);
    match task {
        Task::Natural => walker.natural(memory),
        Task::Random { policy, seed, walks } => random::run(walker, *policy, *seed, walks.clone()),
        Task::Branches { deviations, positions } => branches::run(walker, deviations, positions.clone(), memory),
    }
}

/// The natural event of a state; `None` where nothing is enabled.
///
/// It depends on the state alone. The order in which a system lists senders, or reluctant choices, may depend on how it
/// came to the state.
pub fn natural(choices: &Choices) -> Option<Event> {
    let choice = choices.first().or_else(|| choices.all().min_by_key(|choice| choice.id))?;
    let candidates = choices.candidates(choice);
    let is_sender = matches!(choice.kind, ChoiceKind::Receive | ChoiceKind::Probe | ChoiceKind::Lock);
    let candidate = if is_sender { candidates.iter().min() } else { candidates.first() };
    candidate.map(|&candidate| Event { choice: choice.id, candidate })
}

/// The events of a state, the natural one first. Empty where nothing is enabled.
pub fn events(choices: &Choices, out: &mut Vec<Event>) {
    out.clear();
    let Some(natural) = natural(choices) else { return };
    out.push(natural);
    let closed = choices.first().filter(|first| first.closed);
    let others = choices.all().filter(|choice| closed.is_none_or(|closed| closed.id == choice.id));
    out.extend(
        others
            .flat_map(|choice| {
                choices.candidates(choice).iter().map(|&candidate| Event { choice: choice.id, candidate })
            })
            .filter(|&event| event != natural),
    );
}

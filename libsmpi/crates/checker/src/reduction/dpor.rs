//! The reduction `dpor`: the stateless dynamic partial-order reduction of the papers, for comparison.
//!
//! Source: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software" (POPL 2005), which
//! algorithm 1 of "A Simple Model of Communication APIs" simplifies. The system says which operations are dependent.
//! For the papers' counts, two sends, or two receives, at one mailbox are.
//!
//! At every state, and for every agent's next operation there, it looks for the last step of the present execution that
//! the operation depends on and that did not happen before it: these two race. The agent is then also tried at the
//! state before this step. If the agent was not enabled there, all agents are tried.

use crate::interleaving::{Interleaving, Step};
use crate::reduction::Strategy;
use crate::reduction::none::Walk;
use crate::verdict::{Limits, Observer, Verdict};

/// What the reduction needs to know beyond [`Interleaving`].
pub trait Dependence: Interleaving {
    /// What an agent does, as far as dependence is concerned.
    type Operation: Clone;

    /// Number of agents.
    fn agents(&self) -> u32;

    /// What an agent does next, enabled or not; `None` when it is through.
    fn next(&mut self, agent: u32) -> Option<Self::Operation>;

    /// True unless the operations, of different agents, commute in every state.
    fn dependent(a: &Self::Operation, b: &Self::Operation) -> bool;

    /// True when an earlier operation must also be tried behind this later one.
    fn races(earlier: &Self::Operation, later: &Self::Operation) -> bool {
        Self::dependent(earlier, later)
    }

    /// True when the operation may disable other agents' steps: all of these are tried where it is enabled.
    fn disables(_operation: &Self::Operation) -> bool {
        false
    }

    /// Appends the steps of the present execution, by their index, without which the agent would not do that next, as
    /// far as they can be part of a race. False when the system does not know: then it is the agent's own steps, those
    /// that depend on its operation, and what happened before these.
    fn past(&mut self, _agent: u32, _out: &mut Vec<usize>) -> bool {
        false
    }
}

/// A set of agents.
type Agents = u128;

struct Frame<T, O> {
    snapshot: T,
    /// Choices made on the way here.
    made: usize,
    enabled: Vec<Step>,
    /// Agents to explore from here, and those that were.
    backtrack: Agents,
    done: Agents,
    /// Steps of the present agent that are left.
    alternatives: Vec<Step>,
    /// The step taken from here: by whom, what, and which earlier steps (by index) happened before it.
    taken: Option<(u32, O, Vec<bool>)>,
}

/// The reduction as a [`Strategy`].
pub struct Dpor;

impl<S: Dependence> Strategy<S> for Dpor {
    /// # Panics
    /// When there are more than 128 agents.
    fn explore(&self, system: &mut S, limits: &Limits, observer: &mut dyn Observer<S>) -> Verdict {
        assert!(system.agents() <= Agents::BITS, "this reduction is for comparison and handles 128 agents");
        let mut frames: Vec<Frame<S::Snapshot, S::Operation>> = Vec::new();
        let mut walk = Walk::new(system, limits, observer);
        let mut arrived = true;
        loop {
            if arrived {
                arrived = false;
                find_races(walk.system, &mut frames);
                let Some(enabled) = walk.visit(frames.len()) else { break };
                let backtrack = first_agents(walk.system, &enabled);
                let (snapshot, made) = (walk.system.snapshot(), walk.made.len());
                frames.push(Frame {
                    snapshot,
                    made,
                    enabled,
                    backtrack,
                    done: 0,
                    alternatives: Vec::new(),
                    taken: None,
                });
            }
            let Some(depth) = frames.len().checked_sub(1) else { break };
            let frame = &mut frames[depth];
            if frame.alternatives.is_empty() {
                let open = frame.backtrack & !frame.done;
                if open == 0 {
                    frames.pop();
                    continue;
                }
                let agent = open.trailing_zeros();
                frame.done |= 1 << agent;
                frame.alternatives = frame.enabled.iter().rev().filter(|step| step.agent == agent).copied().collect();
            }
            let Some(step) = frame.alternatives.pop() else { continue };
            walk.system.restore(&frame.snapshot);
            walk.made.truncate(frame.made);
            let operation = walk.system.next(step.agent).expect("an enabled agent has a next operation");
            let before = happened_before(walk.system, &frames, step.agent, &operation);
            frames[depth].taken = Some((step.agent, operation, before));
            walk.take(step);
            arrived = true;
        }
        walk.finish()
    }
}

/// The agents to explore first: one, unless its operation takes steps of others away.
fn first_agents<S: Dependence>(system: &mut S, enabled: &[Step]) -> Agents {
    let Some(first) = enabled.first() else { return 0 };
    if system.next(first.agent).is_some_and(|operation| S::disables(&operation)) {
        return enabled.iter().fold(0, |agents, step| agents | 1 << step.agent);
    }
    1 << first.agent
}

/// Which steps of the execution happened before an operation that comes at its end.
fn happened_before<S: Dependence>(
    system: &mut S,
    frames: &[Frame<S::Snapshot, S::Operation>],
    agent: u32,
    operation: &S::Operation,
) -> Vec<bool> {
    // The last frame is where the operation is taken: its own step is not there yet.
    let steps = frames.len() - 1;
    past::<S>(system, &frames[..steps], agent, |earlier| S::dependent(earlier, operation))
}

/// Which of these steps happened before an agent's next operation: its own, those that `dependent` tells, and what
/// happened before these; or what the system knows.
fn past<S: Dependence>(
    system: &mut S,
    frames: &[Frame<S::Snapshot, S::Operation>],
    agent: u32,
    dependent: impl Fn(&S::Operation) -> bool,
) -> Vec<bool> {
    let mut known = Vec::new();
    let mut before = vec![false; frames.len()];
    if system.past(agent, &mut known) {
        known.into_iter().for_each(|at| before.get_mut(at).into_iter().for_each(|known| *known = true));
        return before;
    }
    for at in (0..frames.len()).rev() {
        let Some((other, earlier, past)) = &frames[at].taken else { continue };
        if !before[at] && (*other == agent || dependent(earlier)) {
            before[at] = true;
            past.iter().enumerate().filter(|(_, past)| **past).for_each(|(earlier, _)| before[earlier] = true);
        }
    }
    before
}

/// Adds what must also be tried to the states of the execution, for the next operation of every agent.
fn find_races<S: Dependence>(system: &mut S, frames: &mut [Frame<S::Snapshot, S::Operation>]) {
    for agent in 0..system.agents() {
        let Some(operation) = system.next(agent) else { continue };
        // What it depends on only by this operation is what it may race with.
        let past = past::<S>(system, frames, agent, |_| false);
        for at in (0..frames.len()).rev().filter(|&at| !past[at]) {
            let frame = &mut frames[at];
            let is_race =
                |(other, earlier, _): &(u32, S::Operation, Vec<bool>)| *other != agent && S::races(earlier, &operation);
            if !frame.taken.as_ref().is_some_and(is_race) {
                continue;
            }
            if frame.enabled.iter().any(|step| step.agent == agent) {
                // In the executions that begin with it, what it races with further back is the last one.
                frame.backtrack |= 1 << agent;
                break;
            }
            // The step may have enabled it without being in its past: an older receive that hid the message. Then
            // nothing exchanges the two, and the race behind it would never be the last one.
            frame.enabled.iter().for_each(|step| frame.backtrack |= 1 << step.agent);
        }
    }
}

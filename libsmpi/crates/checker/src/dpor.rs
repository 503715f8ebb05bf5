//! The reduction `dpor`: the stateless dynamic partial-order reduction of the papers, for comparison.
//!
//! Source: Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software" (POPL 2005), which algorithm 1
//! of "A Simple Model of Communication APIs" simplifies. What is dependent is the system's to say; for the papers' counts it is
//! that two sends, or two receives, at one mailbox are.
//!
//! For every state of the current execution and every agent's next operation, the last dependent step that did not
//! happen before that operation is looked for; the agent (or all, if it was not enabled there) is then also tried in front of it.

use crate::interleaving::{Interleaving, Step};
use crate::system::Settled;
use crate::verdict::Flow;

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
}

/// What the reduction saw.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Dpor {
    /// Everything was explored.
    pub complete: bool,
    /// Executions: traces, in the papers' words.
    pub executions: u64,
    /// Steps taken: states, in the papers' words, but for the initial one.
    pub transitions: u64,
}

/// A set of agents.
type Agents = u128;

struct Frame<T, O> {
    snapshot: T,
    enabled: Vec<Step>,
    /// Agents to explore from here, and those that were.
    backtrack: Agents,
    done: Agents,
    /// Steps of the present agent that are left.
    alternatives: Vec<Step>,
    /// The step taken from here: by whom, what, and which earlier steps (by index) happened before it.
    taken: Option<(u32, O, Vec<bool>)>,
}

/// Explores up to `executions` executions and shows the end of each to `end`, which may stop.
///
/// # Panics
/// When there are more than 128 agents.
pub fn explore<S: Dependence>(system: &mut S, executions: u64, end: &mut dyn FnMut(&mut S, Settled) -> Flow) -> Dpor {
    assert!(system.agents() <= Agents::BITS, "this reduction is for comparison and handles 128 agents");
    let mut result = Dpor::default();
    let mut frames: Vec<Frame<S::Snapshot, S::Operation>> = Vec::new();
    system.reset();
    let mut arrived = true;
    loop {
        if arrived {
            arrived = false;
            find_races(system, &mut frames);
            let mut enabled = Vec::new();
            system.enabled(&mut enabled);
            if enabled.is_empty() {
                result.executions += 1;
                let settled = system.ended();
                if end(system, settled) == Flow::Stop || result.executions == executions {
                    return result;
                }
            }
            let backtrack = enabled.first().map_or(0, |step| 1 << step.agent);
            let snapshot = system.snapshot();
            frames.push(Frame { snapshot, enabled, backtrack, done: 0, alternatives: Vec::new(), taken: None });
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
        system.restore(&frame.snapshot);
        let operation = system.next(step.agent).expect("an enabled agent has a next operation");
        let before = happened_before::<S>(&frames, step.agent, &operation);
        frames[depth].taken = Some((step.agent, operation, before));
        system.step(step);
        result.transitions += 1;
        arrived = true;
    }
    result.complete = true;
    result
}

/// Which steps of the execution happened before an operation that comes at its end.
fn happened_before<S: Dependence>(
    frames: &[Frame<S::Snapshot, S::Operation>],
    agent: u32,
    operation: &S::Operation,
) -> Vec<bool> {
    // The last frame is where the operation is taken: its own step is not there yet.
    let steps = frames.len() - 1;
    let mut before = vec![false; steps];
    for at in (0..steps).rev() {
        let Some((other, other_operation, past)) = &frames[at].taken else { continue };
        if !before[at] && (*other == agent || S::dependent(other_operation, operation)) {
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
        // What happened before the agent's last step happened before its next one.
        let own = frames.iter().rposition(|frame| frame.taken.as_ref().is_some_and(|taken| taken.0 == agent));
        let past: Vec<bool> = match own {
            Some(own) => {
                let mut past = frames[own].taken.as_ref().map(|taken| taken.2.clone()).unwrap_or_default();
                past.resize(own, false);
                past.push(true);
                past
            }
            None => Vec::new(),
        };
        let race = (0..frames.len()).rev().find(|&at| {
            frames[at].taken.as_ref().is_some_and(|(other, earlier, _)| {
                *other != agent && S::dependent(earlier, &operation) && !past.get(at).copied().unwrap_or(false)
            })
        });
        if let Some(at) = race {
            let frame = &mut frames[at];
            if frame.enabled.iter().any(|step| step.agent == agent) {
                frame.backtrack |= 1 << agent;
            } else {
                frame.enabled.iter().for_each(|step| frame.backtrack |= 1 << step.agent);
            }
        }
    }
}

//! The reduction `none`: every step of every agent in every order. The oracle that all others are compared with.
//!
//! States with equal keys are explored once, if the system has keys: that leaves out repeated work, not states.

use smpi_base::map::Set;

use crate::interleaving::{Interleaving, Step};
use crate::system::Settled;
use crate::verdict::Flow;

/// What brute force saw.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Brute {
    /// Everything was explored.
    pub complete: bool,
    /// States (with keys: different ones).
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Ends reached (with keys: different ones).
    pub executions: u64,
}

struct Frame<T> {
    snapshot: T,
    next: usize,
    start: usize,
}

/// Explores everything, up to `states` states, and shows each end to `end`, which may stop.
pub fn explore<S: Interleaving>(
    system: &mut S,
    states: u64,
    end: &mut dyn FnMut(&mut S, Settled, &[Step]) -> Flow,
) -> Brute {
    let mut result = Brute::default();
    let mut seen: Set<u128> = Set::default();
    let mut frames: Vec<Frame<S::Snapshot>> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    let mut path: Vec<Step> = Vec::new();
    let mut enabled = Vec::new();
    system.reset();
    let mut arrived = true;
    loop {
        if arrived {
            arrived = false;
            let fresh = system.key().is_none_or(|key| seen.insert(key));
            if fresh {
                if result.states == states {
                    return result;
                }
                result.states += 1;
                enabled.clear();
                system.enabled(&mut enabled);
                if enabled.is_empty() {
                    result.executions += 1;
                    let settled = system.ended();
                    if end(system, settled, &path) == Flow::Stop {
                        return result;
                    }
                }
                frames.push(Frame { snapshot: system.snapshot(), next: steps.len(), start: steps.len() });
                steps.append(&mut enabled);
            } else {
                path.pop();
            }
        }
        let Some(frame) = frames.last_mut() else { break };
        if frame.next == steps.len() {
            steps.truncate(frame.start);
            frames.pop();
            path.pop();
            continue;
        }
        let step = steps[frame.next];
        frame.next += 1;
        system.restore(&frame.snapshot);
        system.step(step);
        path.push(step);
        result.transitions += 1;
        arrived = true;
    }
    result.complete = true;
    result
}

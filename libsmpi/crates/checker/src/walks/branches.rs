//! All walks that leave one execution.

use std::ops::Range;

use super::walker::Walker;
use super::{Memory, TaskResult};
use crate::choice::Event;
use crate::system::System;
use crate::verdict::Flow;

/// Follows the execution that deviates in these places from the natural one, and leaves it at each state of
/// `positions` by each event that is not its next one.
pub fn run<S: System>(
    mut walker: Walker<'_, S>,
    deviations: &[(u32, Event)],
    positions: Range<u32>,
    memory: &mut Memory,
) -> TaskResult {
    walker.set_once(true);
    walker.begin();
    let mut deviations = deviations.iter().copied();
    let mut next = deviations.next();
    for position in 0..positions.end {
        let events = walker.events();
        if position >= positions.start && leave(&mut walker, position, &events, memory) == Flow::Stop {
            break;
        }
        let deviating = next.take_if(|(at, _)| *at == position).map(|(_, event)| event);
        if deviating.is_some() {
            next = deviations.next();
        }
        // The last state has no next one: its execution may end there.
        let Some(event) = deviating.or(events.first().copied()).filter(|_| position + 1 < positions.end) else { break };
        walker.take(event);
    }
    walker.finish(Vec::new())
}

/// Takes each event of the present state but the natural one, and walks on from there.
fn leave<S: System>(walker: &mut Walker<'_, S>, position: u32, events: &[Event], memory: &mut Memory) -> Flow {
    let Some((_, others)) = events.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Flow::Continue;
    };
    let mark = walker.mark();
    for &event in others {
        walker.take(event);
        if walker.go_on_naturally(Some((position, event)), memory) == Flow::Stop {
            return Flow::Stop;
        }
        walker.go_back(&mark);
    }
    Flow::Continue
}

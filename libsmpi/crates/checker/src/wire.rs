//! Parts and their results as bytes, for workers in other processes.
//!
//! Little-endian numbers, lists with their length in front, as well as verdicts, which are as postcard has them. Both
//! ends are the same program, so there is no version.

use std::ops::Range;

use smpi_base::Agent;

use crate::choice::{ChoiceId, Event};
use crate::configuration::Configuration;
use crate::reduction::expansion::Evidence;
use crate::reduction::matches::{PartResult, Visited};
use crate::verdict::Verdict;
use crate::walks::{End, Policy, Task, TaskResult, Walked};

/// A prefix, and whether the part is shared, as bytes.
pub fn write_part(prefix: &[Event], shared: bool) -> Vec<u8> {
    let mut out = vec![u8::from(shared)];
    put_events(&mut out, prefix);
    out
}

/// The opposite of [`write_part`]; `None` when the bytes are something else.
pub fn read_part(bytes: &[u8]) -> Option<(Vec<Event>, bool)> {
    let mut input = Input(bytes);
    let shared = input.flag()?;
    let events = input.events()?;
    input.0.is_empty().then_some((events, shared))
}

/// A verdict as bytes.
pub fn write_verdict(verdict: &Verdict) -> Vec<u8> {
    let mut out = Vec::new();
    put_verdict(&mut out, verdict);
    out
}

/// The opposite of [`write_verdict`]; `None` when the bytes are something else.
pub fn read_verdict(bytes: &[u8]) -> Option<Verdict> {
    let mut input = Input(bytes);
    let verdict = input.verdict()?;
    input.0.is_empty().then_some(verdict)
}

/// A result as bytes.
pub fn write_result(result: &PartResult) -> Vec<u8> {
    let PartResult { verdict, found: Evidence { late, seen, cut }, visited } = result;
    let mut out = Vec::with_capacity(160 + late.len() * 8 + visited.len() * 21);
    put_verdict(&mut out, verdict);
    out.push(u8::from(*cut));
    for ids in [late, seen] {
        put(&mut out, ids.len() as u64);
        ids.iter().for_each(|&id| put_id(&mut out, id));
    }
    put(&mut out, visited.len() as u64);
    for visited in visited {
        out.extend(visited.key.0.to_le_bytes());
        out.extend(visited.branches.to_le_bytes());
        out.push(u8::from(visited.end) | u8::from(visited.error) << 1 | u8::from(visited.expanded) << 2);
    }
    out
}

/// The opposite of [`write_result`]; `None` when the bytes are something else.
pub fn read_result(bytes: &[u8]) -> Option<PartResult> {
    let mut input = Input(bytes);
    let verdict = input.verdict()?;
    let cut = input.flag()?;
    let late = input.list(8, Input::id)?;
    let seen = input.list(8, Input::id)?;
    let visited = input.list(21, Input::visited)?;
    input.0.is_empty().then_some(PartResult { verdict, found: Evidence { late, seen, cut }, visited })
}

/// A task as bytes.
pub fn write_task(task: &Task) -> Vec<u8> {
    let mut out = Vec::new();
    match task {
        Task::Natural => out.push(0),
        Task::Random { policy, seed, walks } => {
            let (depth, steps) = match *policy {
                Policy::Uniform => (0, 0),
                Policy::Pct { depth, steps } => (depth, steps),
            };
            out.push(1);
            [u64::from(depth), u64::from(steps), *seed, walks.start, walks.end]
                .into_iter()
                .for_each(|number| put(&mut out, number));
        }
        Task::Branches { deviations, positions } => {
            out.push(2);
            put(&mut out, u64::from(positions.start));
            put(&mut out, u64::from(positions.end));
            put(&mut out, deviations.len() as u64);
            deviations.iter().for_each(|deviation| put_deviation(&mut out, deviation));
        }
    }
    out
}

/// The opposite of [`write_task`]; `None` when the bytes are something else.
pub fn read_task(bytes: &[u8]) -> Option<Task> {
    let mut input = Input(bytes);
    let task = match input.byte()? {
        0 => Task::Natural,
        1 => {
            let (depth, steps) = (input.narrow()?, input.narrow()?);
            let policy = if depth == 0 { Policy::Uniform } else { Policy::Pct { depth, steps } };
            Task::Random {
                policy,
                seed: input.number()?,
                walks: Range { start: input.number()?, end: input.number()? },
            }
        }
        2 => {
            let positions = Range { start: input.narrow()?, end: input.narrow()? };
            Task::Branches { positions, deviations: input.list(20, Input::deviation)? }
        }
        _ => return None,
    };
    input.0.is_empty().then_some(task)
}

/// What became of a task, as bytes.
pub fn write_walks(result: &TaskResult) -> Vec<u8> {
    let mut out = Vec::new();
    put_verdict(&mut out, &result.verdict);
    put(&mut out, result.agents.len() as u64);
    result.agents.iter().for_each(|&agent| put(&mut out, agent));
    put(&mut out, result.walks.len() as u64);
    for walked in &result.walks {
        let Walked { deviation, from, until, is_cut, ends, met, branches, ln_executions, is_least } = walked;
        put(&mut out, u64::from(deviation.is_some()));
        deviation.iter().for_each(|deviation| put_deviation(&mut out, deviation));
        [from, until].into_iter().for_each(|position| out.extend(position.to_le_bytes()));
        put(&mut out, ends.len() as u64);
        for end in ends {
            out.extend(end.position.to_le_bytes());
            out.extend(end.key.0.to_le_bytes());
            out.push(u8::from(end.error));
        }
        put(&mut out, met.len() as u64);
        for (position, key) in met {
            out.extend(position.to_le_bytes());
            out.extend(key.0.to_le_bytes());
        }
        put(&mut out, branches.len() as u64);
        for (position, more) in branches {
            out.extend(position.to_le_bytes());
            out.extend(more.to_le_bytes());
        }
        put(&mut out, ln_executions.to_bits());
        out.extend([*is_cut, *is_least].map(u8::from));
    }
    out
}

/// The opposite of [`write_walks`]; `None` when the bytes are something else.
pub fn read_walks(bytes: &[u8]) -> Option<TaskResult> {
    let mut input = Input(bytes);
    let verdict = input.verdict()?;
    let agents = input.list(8, Input::number)?;
    let walks = input.list(50, Input::walked)?;
    input.0.is_empty().then_some(TaskResult { verdict, walks, agents })
}

fn put_verdict(out: &mut Vec<u8>, verdict: &Verdict) {
    // A vector takes all that is written to it.
    let bytes = postcard::to_allocvec(verdict).unwrap_or_default();
    put(out, bytes.len() as u64);
    out.extend(bytes);
}

fn put_deviation(out: &mut Vec<u8>, (position, event): &(u32, Event)) {
    out.extend(position.to_le_bytes());
    put_id(out, event.choice);
    put(out, event.candidate);
}

fn put(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_id(out: &mut Vec<u8>, id: ChoiceId) {
    out.extend(id.agent.to_bits().to_le_bytes());
    out.extend(id.number.to_le_bytes());
}

fn put_events(out: &mut Vec<u8>, events: &[Event]) {
    put(out, events.len() as u64);
    for event in events {
        put_id(out, event.choice);
        put(out, event.candidate);
    }
}

/// What is left to read.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk::<N>()?;
        self.0 = tail;
        Some(*head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take().map(|[byte]| byte)
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().filter(|&byte| byte <= 1).map(|byte| byte == 1)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn short(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// A number that was written with 64 bits, and has no more than 32.
    fn narrow(&mut self) -> Option<u32> {
        self.number().and_then(|number| u32::try_from(number).ok())
    }

    fn id(&mut self) -> Option<ChoiceId> {
        Some(ChoiceId { agent: Agent::from_bits(self.short()?), number: self.short()? })
    }

    fn event(&mut self) -> Option<Event> {
        Some(Event { choice: self.id()?, candidate: self.number()? })
    }

    fn events(&mut self) -> Option<Vec<Event>> {
        self.list(16, Input::event)
    }

    fn verdict(&mut self) -> Option<Verdict> {
        let len = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        let (verdict, unread) = postcard::take_from_bytes(bytes).ok()?;
        unread.is_empty().then_some(verdict)
    }

    fn key(&mut self) -> Option<Configuration> {
        self.take().map(u128::from_le_bytes).map(Configuration)
    }

    fn deviation(&mut self) -> Option<(u32, Event)> {
        Some((self.short()?, self.event()?))
    }

    fn end(&mut self) -> Option<End> {
        Some(End { position: self.short()?, key: self.key()?, error: self.flag()? })
    }

    fn walked(&mut self) -> Option<Walked> {
        let deviation = match self.number()? {
            0 => None,
            1 => Some(self.deviation()?),
            _ => return None,
        };
        Some(Walked {
            deviation,
            from: self.short()?,
            until: self.short()?,
            ends: self.list(21, Input::end)?,
            met: self.list(20, |input| Some((input.short()?, input.key()?)))?,
            branches: self.list(8, |input| Some((input.short()?, input.short()?)))?,
            ln_executions: f64::from_bits(self.number()?),
            is_cut: self.flag()?,
            is_least: self.flag()?,
        })
    }

    fn visited(&mut self) -> Option<Visited> {
        let key = self.key()?;
        let branches = self.short()?;
        let flags = self.byte().filter(|&flags| flags < 8)?;
        let flag = |bit: u8| flags >> bit & 1 == 1;
        Some(Visited { key, branches, end: flag(0), error: flag(1), expanded: flag(2) })
    }

    /// A list of entries of `size` bytes each. A length for which there are not enough bytes is refused before memory
    /// is allocated for it.
    fn list<T>(&mut self, size: usize, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok().filter(|&count| count <= self.0.len() / size)?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Settled;
    use crate::verdict::{Counterexample, Difference, Moved, Stop};

    #[test]
    fn every_way_to_end_comes_through() {
        for settled in [Settled::Deadlock, Settled::Reluctant, Settled::Failed, Settled::Endless] {
            let path = vec![Event { choice: ChoiceId::of(smpi_base::WorldRank(3), 1), candidate: 7 }];
            for stopped in [Some(Stop::Error), Some(Stop::Executions), Some(Stop::Asked), None] {
                let first = Some(Counterexample { settled, path: path.clone() });
                let verdict = Verdict { first, stopped, errors: 2, ..Verdict::default() };
                let bytes = write_result(&PartResult { verdict: verdict.clone(), ..PartResult::default() });
                assert_eq!(read_result(&bytes).map(|result| result.verdict), Some(verdict), "{settled:?}, {stopped:?}");
            }
        }
    }

    #[test]
    fn ways_to_states_come_through() {
        let way = |candidate| vec![Event { choice: ChoiceId::of(smpi_base::WorldRank(1), 2), candidate }];
        let difference = Difference { first: way(1), second: Vec::new() };
        for (lost, difference) in [(None, None), (Some(way(3)), None), (None, Some(difference)), (Some(vec![]), None)] {
            let moved = Moved { states: 7, trouble: difference.as_ref().map(|_| "no room".to_string()) };
            let verdict = Verdict { lost, difference, moved, ..Verdict::default() };
            assert_eq!(read_verdict(&write_verdict(&verdict)), Some(verdict));
        }
        assert_eq!(read_verdict(&[1, 2, 3]), None);
    }
}

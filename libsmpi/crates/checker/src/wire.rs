//! Parts and their results as bytes, for workers in other processes.
//!
//! Little-endian numbers, lists with their length in front. Both ends are the same program, so there is no version.

use smpi_base::WorldRank;

use crate::choice::{ChoiceId, Event};
use crate::configuration::Configuration;
use crate::reduction::expansion::Evidence;
use crate::reduction::matches::{PartResult, Visited};
use crate::system::Settled;
use crate::verdict::{Counterexample, Stats, Stop, Verdict};

/// The ways to come to rest in the order of their declaration: a result has their numbers.
const SETTLED: [Settled; 7] = [
    Settled::Choices,
    Settled::Finished,
    Settled::Deadlock,
    Settled::Reluctant,
    Settled::Failed,
    Settled::Void,
    Settled::Bounded,
];

/// The reasons to stop in the order of their declaration.
const STOPS: [Stop; 3] = [Stop::Error, Stop::Executions, Stop::Asked];

const _: () = assert!(SETTLED.len() == Settled::Bounded as usize + 1 && STOPS.len() == Stop::Asked as usize + 1);

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

/// A result as bytes.
pub fn write_result(result: &PartResult) -> Vec<u8> {
    let PartResult { verdict, found: Evidence { late, seen, cut }, visited } = result;
    let mut out = Vec::with_capacity(160 + late.len() * 8 + visited.len() * 21);
    out.extend([verdict.complete, verdict.bounded, verdict.left_out, *cut].map(u8::from));
    out.push(verdict.stopped.map_or(0, |stop| 1 + stop as u8));
    for number in numbers(&verdict.stats).into_iter().chain([verdict.errors]) {
        put(&mut out, number);
    }
    match &verdict.first {
        Some(first) => {
            out.push(1 + first.settled as u8);
            put_events(&mut out, &first.path);
        }
        None => out.push(0),
    }
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
    let (complete, bounded, left_out, cut) = (input.flag()?, input.flag()?, input.flag()?, input.flag()?);
    let stopped = match input.byte()? {
        0 => None,
        stop => Some(*STOPS.get(usize::from(stop) - 1)?),
    };
    let mut stats = [0; 8];
    for number in &mut stats {
        *number = input.number()?;
    }
    let [executions, configurations, transitions, expansions, revisits, depth, restores, replayed] = stats;
    let stats = Stats { executions, configurations, transitions, expansions, revisits, depth, restores, replayed };
    let errors = input.number()?;
    let first = match input.byte()? {
        0 => None,
        settled => {
            let settled = *SETTLED.get(usize::from(settled) - 1)?;
            Some(Counterexample { settled, path: input.events()? })
        }
    };
    let late = input.list(8, Input::id)?;
    let seen = input.list(8, Input::id)?;
    let visited = input.list(21, Input::visited)?;
    let verdict = Verdict { complete, stopped, bounded, left_out, stats, first, errors };
    input.0.is_empty().then_some(PartResult { verdict, found: Evidence { late, seen, cut }, visited })
}

fn numbers(stats: &Stats) -> [u64; 8] {
    let &Stats { executions, configurations, transitions, expansions, revisits, depth, restores, replayed } = stats;
    [executions, configurations, transitions, expansions, revisits, depth, restores, replayed]
}

fn put(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

fn put_id(out: &mut Vec<u8>, id: ChoiceId) {
    out.extend(id.rank.0.to_le_bytes());
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

    fn id(&mut self) -> Option<ChoiceId> {
        Some(ChoiceId { rank: WorldRank(self.short()?), number: self.short()? })
    }

    fn event(&mut self) -> Option<Event> {
        Some(Event { choice: self.id()?, candidate: self.number()? })
    }

    fn events(&mut self) -> Option<Vec<Event>> {
        self.list(16, Input::event)
    }

    fn visited(&mut self) -> Option<Visited> {
        let key = Configuration(self.take().map(u128::from_le_bytes)?);
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

    #[test]
    fn every_way_to_end_comes_through() {
        for settled in SETTLED {
            let path = vec![Event { choice: ChoiceId { rank: WorldRank(3), number: 1 }, candidate: 7 }];
            for stopped in STOPS.map(Some).into_iter().chain([None]) {
                let first = Some(Counterexample { settled, path: path.clone() });
                let verdict = Verdict { first, stopped, errors: 2, ..Verdict::default() };
                let bytes = write_result(&PartResult { verdict: verdict.clone(), ..PartResult::default() });
                assert_eq!(read_result(&bytes).map(|result| result.verdict), Some(verdict), "{settled:?}, {stopped:?}");
            }
        }
    }
}

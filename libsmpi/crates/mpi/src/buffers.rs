//! Which memory belongs to MPI while an operation is under way: the bytes of its buffers, gaps of datatypes left out.
//!
//! Source: MPI 5.0 §3.7.2 (until a nonblocking operation is complete, a send buffer must not be changed and a receive buffer
//! not be accessed), §6.12 for collective operations. What a collective operation touches on a rank is in its schedule, so
//! the buffers are those of its steps that are no scratch memory. Nothing here looks at memory.

use crate::collective::{Part, Schedule, Step};
use crate::memory::Addr;
use crate::request::{Body, Request, Status};

/// A piece of memory that belongs to MPI.
#[derive(Clone, Debug)]
pub struct Owned {
    /// First byte.
    pub low: u64,
    /// One past the last byte.
    pub high: u64,
    /// MPI writes to it, so it must not even be read; else it may be read.
    pub receives: bool,
    /// The data in between, when there are gaps.
    gaps: Option<Part>,
}

impl Owned {
    /// The memory of a part; `None` when it has no data.
    fn of(part: &Part, receives: bool) -> Option<Owned> {
        let count = u64::try_from(part.count).ok().filter(|_| part.size() > 0)?;
        let (low, high) = part.datatype.span(count)?;
        let gaps = (!part.datatype.is_contiguous(count)).then(|| part.clone());
        Some(Owned { low: part.at.offset(low).0, high: part.at.offset(high).0, receives, gaps })
    }

    /// True when some byte from `low` up to `high` (which is not included) is data.
    pub fn meets(&self, low: u64, high: u64) -> bool {
        if high <= self.low || low >= self.high {
            return false;
        }
        let Some(part) = &self.gaps else { return true };
        let mut met = false;
        part.datatype.for_each_block(part.count as u64, &mut |blocks| {
            met = met || block_meets(part.at, &blocks, low, high);
        });
        met
    }

    /// The same memory, however it is described.
    fn is_same(&self, other: &Owned) -> bool {
        let same_gaps = match (&self.gaps, &other.gaps) {
            (None, None) => true,
            (Some(own), Some(others)) => {
                own.at == others.at && own.count == others.count && own.datatype.is_same(&others.datatype)
            }
            _ => false,
        };
        (self.low, self.high, self.receives) == (other.low, other.high, other.receives) && same_gaps
    }
}

/// Whether one of several blocks has a byte from `low` up to `high`.
fn block_meets(base: Addr, blocks: &crate::datatype::Blocks, low: u64, high: u64) -> bool {
    let at = |index: u64| i128::from(base.offset(blocks.at).0) + i128::from(blocks.stride) * i128::from(index);
    let (low, high, len) = (i128::from(low), i128::from(high), i128::from(blocks.len));
    let meets = |index: u64| at(index) < high && at(index) + len > low;
    if blocks.count == 1 || blocks.stride == 0 {
        return meets(0);
    }
    // Blocks of one list do not overlap, so the one that meets is next to where `low` or `high` falls.
    let nearest = |place: i128| (place - at(0)).div_euclid(i128::from(blocks.stride));
    let last = i128::from(blocks.count - 1);
    let (first, end) = (nearest(low).min(nearest(high)) - 1, nearest(low).max(nearest(high)) + 1);
    let clamp = |index: i128| index.clamp(0, last) as u64;
    (clamp(first)..=clamp(end)).any(meets)
}

/// The memory that belongs to MPI while a request is active.
pub fn owned(request: &Request) -> Vec<Owned> {
    let mut found = Vec::new();
    match &request.body {
        Body::Send(send) if send.to.is_some() => found.extend(Owned::of(&send.part, false)),
        Body::Recv(recv) if recv.source != Status::PROC_NULL.source => found.extend(Owned::of(&recv.part, true)),
        Body::MatchedRecv(part, _) => found.extend(Owned::of(part, true)),
        Body::SendRecv(both) => {
            found.extend(sent_part(request).and_then(|part| Owned::of(part, false)));
            if both.recv.source != Status::PROC_NULL.source {
                found.extend(Owned::of(&both.recv.part, true));
            }
        }
        Body::Collective(collective) => found = of_schedule(&collective.schedule),
        _ => {}
    }
    found
}

/// The send buffer of a combined send and receive, if it is the program's.
pub(crate) fn sent_part(request: &Request) -> Option<&Part> {
    match &request.body {
        Body::SendRecv(both) if !both.replaces && both.send.to.is_some() => Some(&both.send.part),
        _ => None,
    }
}

/// The memory that the steps of a schedule read and write.
fn of_schedule(schedule: &Schedule) -> Vec<Owned> {
    let mut found: Vec<Owned> = Vec::new();
    for (part, receives) in schedule.steps.iter().flat_map(parts_of) {
        if let Some(owned) = Owned::of(part, receives).filter(|owned| !is_scratch(schedule, owned)) {
            found.push(owned);
        }
    }
    found.sort_by_key(|owned| (owned.receives, owned.low, owned.high));
    found.dedup_by(|next, before| {
        if before.receives == next.receives && before.gaps.is_none() && next.gaps.is_none() && next.low <= before.high {
            before.high = before.high.max(next.high);
            return true;
        }
        next.is_same(before)
    });
    found
}

/// The parts that a collective operation reads and never writes: nobody may change them while it lasts.
pub(crate) fn read_only_parts(schedule: &Schedule) -> Vec<Part> {
    let written: Vec<Owned> = of_schedule(schedule).into_iter().filter(|owned| owned.receives).collect();
    let mut found: Vec<(Owned, Part)> = Vec::new();
    for (part, receives) in schedule.steps.iter().flat_map(parts_of) {
        let Some(owned) = Owned::of(part, receives).filter(|owned| !owned.receives && !is_scratch(schedule, owned))
        else {
            continue;
        };
        let is_written = written.iter().any(|other| owned.low < other.high && other.low < owned.high);
        if !is_written && !found.iter().any(|(known, _)| known.is_same(&owned)) {
            found.push((owned, part.clone()));
        }
    }
    found.into_iter().map(|(_, part)| part).collect()
}

fn is_scratch(schedule: &Schedule, owned: &Owned) -> bool {
    schedule.scratch.iter().any(|block| block.at.0 <= owned.low && owned.high <= block.at.0 + block.len as u64)
}

/// What a step reads and (`true`) writes.
fn parts_of(step: &Step) -> impl Iterator<Item = (&Part, bool)> {
    let both = match step {
        Step::Send(_, part) => [Some((part, false)), None],
        Step::Recv(_, part) => [Some((part, true)), None],
        Step::Copy { from, to } => [Some((from, false)), Some((to, true))],
        Step::Reduce { input, inout } => [Some((input, false)), Some((inout, true))],
        Step::Fence => [None, None],
    };
    both.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};

    /// Every byte, one by one: the slow twin of [`Owned::meets`].
    fn bytes(part: &Part) -> Vec<u64> {
        let mut bytes = Vec::new();
        part.datatype.for_each_block(part.count as u64, &mut |blocks| {
            for index in 0..blocks.count {
                let start = part.at.offset(blocks.at + blocks.stride * index as i64).0;
                bytes.extend(start..start + blocks.len);
            }
        });
        bytes
    }

    #[test]
    fn only_the_bytes_of_the_type_map_are_owned() {
        let int = Datatype::basic(Basic::Int);
        let types = [
            int.clone(),
            Datatype::vector(3, 1, 2, &int).unwrap(),
            Datatype::vector(4, 2, -3, &int).unwrap(),
            Datatype::indexed(&[1, 3, 2], &[0, 5, 12], &int).unwrap(),
            Datatype::contiguous(2, &Datatype::vector(2, 1, 3, &int).unwrap()).unwrap(),
        ];
        for datatype in types {
            for count in [1, 2, 5] {
                let part = Part { at: Addr(1000), count, datatype: datatype.clone() };
                let owned = Owned::of(&part, false).unwrap();
                let all = bytes(&part);
                for low in 700..1400 {
                    for len in [1, 4, 16, 40] {
                        let expected = all.iter().any(|&byte| (low..low + len).contains(&byte));
                        assert_eq!(owned.meets(low, low + len), expected, "{low} {len} of {part:?}");
                    }
                }
            }
        }
    }
}

//! Which memory belongs to MPI while an operation is under way: the bytes of its buffers, gaps of datatypes left out.
//!
//! Source: MPI 5.0 §3.7.2 (until a nonblocking operation is complete, a send buffer must not be changed and a receive
//! buffer not be accessed), §6.12 for collective operations. The schedule of a collective operation says what it
//! touches on a rank, so its buffers are those of its steps, except scratch memory. Nothing here reads memory.
//!
//! Also: which buffers of one call overlap. No byte may be received twice (§4.1.11), or both sent and received (§3.10,
//! §2.3).

use smpi_base::WorldRank;

use crate::collective::{Part, Schedule, Step};
use crate::datatype::Blocks;
use crate::memory::{Addr, Memory};
use crate::p2p::partitioned::Partitioned;
use crate::p2p::request::{Body, FileBuffer, Request, Status};

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
    pub fn of(part: &Part, receives: bool) -> Option<Owned> {
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

    /// True when there are no gaps.
    pub fn is_dense(&self) -> bool {
        self.gaps.is_none()
    }

    /// The data as runs of bytes, from and up to; `None` when there are more than `most`.
    pub fn runs(&self, most: usize) -> Option<Vec<(u64, u64)>> {
        let Some(part) = &self.gaps else { return Some(vec![(self.low, self.high)]) };
        let mut groups = Vec::new();
        part.datatype.for_each_block(part.count as u64, &mut |blocks| groups.push(blocks));
        let count: u64 = groups.iter().map(|blocks| blocks.count).sum();
        (count <= most as u64).then(|| groups.iter().flat_map(|blocks| blocks.runs(part.at)).collect())
    }

    /// The data, where there are gaps and all of it is blocks at one distance.
    fn comb(&self) -> Option<(i128, Blocks)> {
        let part = self.gaps.as_ref()?;
        let mut groups = Vec::new();
        part.datatype.for_each_block(part.count as u64, &mut |blocks| groups.push(blocks));
        let [only] = groups[..] else { return None };
        Some((i128::from(part.at.offset(only.at).0), only))
    }

    /// True when some byte is data of both.
    pub fn overlaps(&self, other: &Owned) -> bool {
        if other.high <= self.low || other.low >= self.high {
            return false;
        }
        let (Some(part), Some(_)) = (&self.gaps, &other.gaps) else {
            let (whole, cut) = if self.gaps.is_none() { (self, other) } else { (other, self) };
            return cut.meets(whole.low, whole.high);
        };
        if let (Some((at, own)), Some((other_at, others))) = (self.comb(), other.comb())
            && own.stride == others.stride
            && own.stride > 0
        {
            // Block i of these starts at `at + i * stride`: is there an i - j so that it meets block j of the others?
            let stride = i128::from(own.stride);
            let above = other_at - at - i128::from(own.len);
            let below = other_at - at + i128::from(others.len);
            let (least, most) = (1 - i128::from(others.count), i128::from(own.count) - 1);
            let first = (above.div_euclid(stride) + 1).max(least);
            return first <= most && first * stride < below;
        }
        let mut met = false;
        part.datatype.for_each_block(part.count as u64, &mut |blocks| {
            met = met || blocks.runs(part.at).any(|(low, high)| other.meets(low, high));
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

/// How the buffers of one call overlap that must not: `Some(true)` when it receives some byte twice, `Some(false)` when
/// it receives where it sends from. What is sent may be sent twice.
pub fn overlap(sent: &[Part], received: &[Part]) -> Option<bool> {
    // Most receives have one dense buffer and nothing to send.
    if let ([], [part]) = (sent, received)
        && part.datatype.is_contiguous(part.count as u64)
    {
        return None;
    }
    let (received, twice) = Part::runs_of_all(received);
    if twice {
        return Some(true);
    }
    let (Some(first), Some(last)) = (received.first(), received.last()) else { return None };
    let meets = |&(low, high): &(u64, u64)| {
        // They do not overlap among themselves: the last that starts before `high` also ends last.
        let before = received.partition_point(|run| run.0 < high);
        before > 0 && received[before - 1].1 > low
    };
    let near = |part: &&Part| {
        let owned = Owned::of(part, false);
        owned.is_some_and(|owned| owned.low < last.1 && first.0 < owned.high)
    };
    let sent: Vec<Part> = sent.iter().filter(near).cloned().collect();
    Part::runs_of_all(&sent).0.iter().any(meets).then_some(false)
}

/// Whether one of several blocks has a byte from `low` up to `high`.
fn block_meets(base: Addr, blocks: &Blocks, low: u64, high: u64) -> bool {
    let at = |index: u64| i128::from(base.offset(blocks.at).0) + i128::from(blocks.stride) * i128::from(index);
    let (low, high, len) = (i128::from(low), i128::from(high), i128::from(blocks.len));
    let meets = |index: u64| at(index) < high && at(index) + len > low;
    if blocks.count == 1 || blocks.stride == 0 {
        return meets(0);
    }
    if i128::from(blocks.stride).abs() <= len {
        // No gaps between them.
        let (one, other) = (at(0), at(blocks.count - 1));
        return one.min(other) < high && one.max(other) + len > low;
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
        Body::File(FileBuffer { part: Some(part), receives }) => found.extend(Owned::of(part, *receives)),
        Body::Collective(collective) => found = of_schedule(&collective.schedule),
        Body::Partitioned(partitioned) => found = of_partitioned(partitioned),
        _ => {}
    }
    found
}

/// The scratch memory of a request, from and up to: the library's own, of a rank's heap.
pub fn scratch(request: &Request) -> impl Iterator<Item = (u64, u64)> {
    let blocks = match &request.body {
        Body::Collective(collective) => &collective.schedule.scratch[..],
        _ => &[],
    };
    blocks.iter().map(|block| (block.at.0, block.at.0 + block.len as u64))
}

/// The memory of a partitioned send as a whole, which belongs to MPI piece by piece.
pub fn described(request: &Request) -> Option<Owned> {
    match &request.body {
        Body::Partitioned(all) if all.peer.is_some() => Owned::of(&all.part, !all.sends),
        _ => None,
    }
}

/// The partitions of a receive that the program has not been told of. (Those of a send belong to their own requests.)
fn of_partitioned(partitioned: &Partitioned) -> Vec<Owned> {
    if partitioned.sends || partitioned.peer.is_none() {
        return Vec::new();
    }
    let is_told = |partition: u32| partitioned.marked.get(partition as usize).is_some_and(|told| *told);
    let mut open = (0..partitioned.partitions).filter(|&partition| !is_told(partition)).peekable();
    let mut found = Vec::new();
    while let Some(first) = open.next() {
        let mut end = first + 1;
        while open.next_if_eq(&end).is_some() {
            end += 1;
        }
        found.extend(Owned::of(&partitioned.part_of(first..end), true));
    }
    found
}

/// Whether this is true of some memory that an operation uses: the program's, or scratch memory.
pub(crate) fn any_part(request: &Request, is_meant: impl Fn(&Part) -> bool) -> bool {
    let of_step = |step: &Step| match step {
        Step::Send(_, part) | Step::Recv(_, part) => is_meant(part),
        Step::Copy(both) | Step::Reduce(both) => both.iter().any(&is_meant),
        Step::Fence | Step::Await(_) => false,
    };
    match &request.body {
        Body::Send(send) => is_meant(&send.part),
        Body::Recv(recv) => is_meant(&recv.part),
        Body::MatchedRecv(part, _) => is_meant(part),
        Body::SendRecv(both) => is_meant(&both.send.part) || is_meant(&both.recv.part),
        Body::File(FileBuffer { part: Some(part), .. }) => is_meant(part),
        Body::Collective(collective) => collective.schedule.steps.iter().any(of_step),
        Body::Partitioned(partitioned) => is_meant(&partitioned.part),
        _ => false,
    }
}

/// The send buffer of a combined send and receive, if it is the program's.
pub fn sent_part(request: &Request) -> Option<&Part> {
    match &request.body {
        Body::SendRecv(both) if !both.replaces && both.send.to.is_some() => Some(&both.send.part),
        _ => None,
    }
}

/// The data that the program gives with a request when it starts it: what is sent or reduced. Of a collective operation
/// that is what its steps read before any of them writes there.
pub fn given(request: &Request) -> Vec<Part> {
    match &request.body {
        Body::Send(send) if send.to.is_some() => vec![send.part.clone()],
        // What is replaced lies where is received.
        Body::SendRecv(both) if both.send.to.is_some() && both.replaces => vec![both.recv.part.clone()],
        Body::SendRecv(both) if both.send.to.is_some() => vec![both.send.part.clone()],
        Body::Collective(collective) => read_first(&collective.schedule),
        _ => Vec::new(),
    }
}

/// The parts of the program that the steps of a schedule read, where no earlier one writes.
fn read_first(schedule: &Schedule) -> Vec<Part> {
    let (mut written, mut found): (Vec<Owned>, Vec<(Owned, Part)>) = (Vec::new(), Vec::new());
    for step in &schedule.steps {
        // A step reads both operands of a reduction.
        let reads = match step {
            Step::Send(_, part) => [Some(part), None],
            Step::Copy(both) => [Some(&both[0]), None],
            Step::Reduce(both) => [Some(&both[0]), Some(&both[1])],
            Step::Recv(..) | Step::Fence | Step::Await(_) => [None, None],
        };
        for part in reads.into_iter().flatten() {
            let Some(owned) = Owned::of(part, false).filter(|owned| !is_scratch(schedule, owned)) else { continue };
            let is_result = written.iter().any(|other| owned.low < other.high && other.low < owned.high);
            if !is_result && !found.iter().any(|(known, _)| known.is_same(&owned)) {
                found.push((owned, part.clone()));
            }
        }
        written.extend(parts_of(step).filter(|(_, writes)| *writes).filter_map(|(part, _)| Owned::of(part, true)));
    }
    found.into_iter().map(|(_, part)| part).collect()
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

/// Whether steps of a schedule of this rank read or write memory whose contents do not matter.
pub(crate) fn uses_void(schedule: &Schedule, rank: WorldRank, memory: &dyn Memory) -> bool {
    memory.has_void() && schedule.steps.iter().flat_map(parts_of).any(|(part, _)| part.place(rank).is_void(memory))
}

fn is_scratch(schedule: &Schedule, owned: &Owned) -> bool {
    schedule.scratch.iter().any(|block| block.at.0 <= owned.low && owned.high <= block.at.0 + block.len as u64)
}

/// What a step reads and (`true`) writes.
fn parts_of(step: &Step) -> impl Iterator<Item = (&Part, bool)> {
    let both = match step {
        Step::Send(_, part) => [Some((part, false)), None],
        Step::Recv(_, part) => [Some((part, true)), None],
        Step::Copy(both) | Step::Reduce(both) => [Some((&both[0], false)), Some((&both[1], true))],
        Step::Fence | Step::Await(_) => [None, None],
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

    fn types() -> Vec<Datatype> {
        let int = Datatype::basic(Basic::Int);
        vec![
            int.clone(),
            Datatype::vector(3, 1, 2, &int).unwrap(),
            Datatype::vector(5, 2, 4, &int).unwrap(),
            Datatype::vector(4, 2, -3, &int).unwrap(),
            Datatype::vector(3, 2, 1, &int).unwrap(),
            Datatype::indexed(&[1, 3, 2], &[0, 5, 12], &int).unwrap(),
            Datatype::indexed(&[2, 2], &[0, 1], &int).unwrap(),
            Datatype::contiguous(2, &Datatype::vector(2, 1, 3, &int).unwrap()).unwrap(),
        ]
    }

    #[test]
    fn overlaps_are_those_of_the_bytes() {
        let parts: Vec<Part> = types()
            .iter()
            .flat_map(|datatype| {
                [(1000, 1), (1004, 2), (1010, 1), (1080, 2), (980, 3)].map(|(at, count)| Part {
                    at: Addr(at),
                    count,
                    datatype: datatype.clone(),
                })
            })
            .collect();
        for one in &parts {
            let own = bytes(one);
            let mut once = own.clone();
            once.sort_unstable();
            once.dedup();
            let twice = once.len() < own.len();
            assert_eq!(overlap(&[], std::slice::from_ref(one)), twice.then_some(true), "{one:?}");
            for other in &parts {
                let meets = bytes(other).iter().any(|byte| own.contains(byte));
                let owned = [one, other].map(|part| Owned::of(part, true).unwrap());
                assert_eq!(owned[0].overlaps(&owned[1]), meets, "{one:?} {other:?}");
                if !twice {
                    let found = overlap(std::slice::from_ref(other), std::slice::from_ref(one));
                    assert_eq!(found, meets.then_some(false), "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn only_the_bytes_of_the_type_map_are_owned() {
        for datatype in types() {
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

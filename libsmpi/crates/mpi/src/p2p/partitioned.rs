//! Partitioned point-to-point operations (MPI 5.0 §4.2): who sends to whom, and which parts of the data depend on
//! which.
//!
//! Sender and receiver cut the same data into partitions, each in its own way. What travels are the sender's
//! partitions, one message each: the *pieces*. A partition of the receiver is there when all pieces are that overlap
//! it.
//!
//! ```text
//! sender    |   0   |   1   |   2   |      a piece is sent when its partition is ready
//! receiver  |     0     |     1     |      partition 0 needs the pieces 0 and 1, partition 1 the pieces 1 and 2
//! ```
//!
//! Initialisations match in the order of the calls, for each communicator, tag, sender and receiver: the two ends of a
//! [`Lane`]. They never match ordinary messages, and there are no wildcards. So who belongs to whom is no choice and no
//! message: [`Lanes`] knows both ends, and pieces have tags that nothing else has between two ranks.
//!
//! The operations themselves are in `world/partitioned.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mailbox::Context;

use crate::collective::Part;
use crate::usage::Items;

/// How the data is cut that a sender gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pieces {
    /// How many.
    pub count: u32,
    /// Bytes in each.
    pub bytes: u64,
    /// Tag of the first; those of the others follow.
    pub tag: i32,
}

impl Pieces {
    /// Bytes of all.
    pub fn total(&self) -> u64 {
        self.bytes * u64::from(self.count)
    }

    /// The bytes of one among all.
    pub fn range(&self, piece: u32) -> Range<u64> {
        let start = self.bytes * u64::from(piece);
        start..start + self.bytes
    }
}

/// A partitioned operation of one rank.
#[derive(Clone, Hash, Debug)]
pub struct Partitioned {
    /// All its data.
    pub part: Part,
    /// Partitions of the own side, at least 1.
    pub partitions: u32,
    /// It sends.
    pub sends: bool,
    /// The other side; `None` is `MPI_PROC_NULL`.
    pub peer: Option<WorldRank>,
    /// The rank of the other side in the communicator, −3 for `MPI_PROC_NULL`.
    pub peer_rank: i32,
    /// The sender, as the receiver names it.
    pub source: u32,
    /// The program's tag.
    pub tag: i32,
    /// Context of the communicator for this traffic.
    pub context: Context,
    /// One request for each partition. Of a sender they send; of a receiver they only say whether the partition is
    /// there.
    pub members: Vec<Key>,
    /// Partitions that are not over in this round.
    pub open: u32,
    /// What the sender sends, once both ends are known.
    pub pieces: Option<Pieces>,
    /// Of a receiver: the pieces that each partition still needs. Empty while its receives are not posted.
    pub missing: Vec<u32>,
    /// The partitions that the program has marked as ready in this round; of a receiver, of which it was told that they
    /// are there.
    pub marked: Vec<bool>,
    /// Of a receiver: of how many partitions it was told.
    pub told: u32,
}

impl Partitioned {
    /// Bytes in each partition.
    pub fn bytes(&self) -> u64 {
        self.part.size() / u64::from(self.partitions)
    }

    /// The data of some partitions that follow each other.
    pub fn part_of(&self, partitions: Range<u32>) -> Part {
        let each = self.part.count / i64::from(self.partitions);
        let offset = each * i64::from(partitions.start) * self.part.datatype.extent();
        let count = each * i64::from(partitions.end - partitions.start);
        Part { at: self.part.at.offset(offset), count, datatype: self.part.datatype.clone() }
    }

    /// The own partitions that a piece overlaps; all of them if there is no data.
    pub fn overlapping(&self, pieces: &Pieces, piece: u32) -> Range<u32> {
        let bytes = self.bytes();
        let range = pieces.range(piece);
        if bytes == 0 || range.is_empty() {
            return 0..self.partitions;
        }
        // What does not fit counts as the last partition's, so that every piece is waited for.
        let first = (range.start / bytes).min(u64::from(self.partitions) - 1);
        first as u32..range.end.div_ceil(bytes).clamp(first + 1, u64::from(self.partitions)) as u32
    }

    /// Those of the own partitions for which this is true, in words: at most a few of them.
    pub fn list(&self, is_meant: impl Fn(usize) -> bool) -> String {
        const MOST: usize = 8;
        let found: Vec<usize> = (0..self.partitions as usize).filter(|&partition| is_meant(partition)).collect();
        let words: Vec<String> = found.iter().take(MOST).map(usize::to_string).collect();
        let more = found.len().saturating_sub(MOST);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let noun = if found.len() == 1 { "partition" } else { "partitions" };
        format!("{noun} {}{rest} of {}", words.join(", "), self.partitions)
    }

    /// Posts nothing yet: as many pieces are missing from each partition as overlap it.
    pub fn await_all(&mut self, pieces: &Pieces) {
        self.missing = vec![0; self.partitions as usize];
        for piece in 0..pieces.count {
            self.overlapping(pieces, piece).for_each(|partition| self.missing[partition as usize] += 1);
        }
    }

    /// Where initialisations match that concern the same messages as this one, of `rank`.
    pub fn lane(&self, rank: WorldRank) -> Option<Lane> {
        let peer = self.peer?;
        let (from, to) = if self.sends { (rank, peer) } else { (peer, rank) };
        Some(Lane { context: self.context, from, to, tag: self.tag })
    }
}

/// What tells partitioned operations apart for matching.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lane {
    /// Context of the communicator for this traffic.
    pub context: Context,
    /// The sender.
    pub from: WorldRank,
    /// The receiver.
    pub to: WorldRank,
    /// The program's tag.
    pub tag: i32,
}

/// What is known of a sender's end. It stays when the sender has freed its request, until the receiver has, too.
#[derive(Clone, Hash, Debug)]
struct Offer {
    pieces: Pieces,
    sent: Items,
    slot: Option<u32>,
}

/// The ends of one lane, in the order of the calls. Those at the same place match.
#[derive(Clone, Hash, Default, Debug)]
struct Ends {
    senders: VecDeque<Offer>,
    /// The slots of the receivers' requests; `None` where it was freed.
    receivers: VecDeque<Option<u32>>,
}

impl Ends {
    /// Forgets pairs of which both sides have freed their request.
    fn tidy(&mut self) {
        while self.senders.front().is_some_and(|sender| sender.slot.is_none()) && self.receivers.front() == Some(&None)
        {
            self.senders.pop_front();
            self.receivers.pop_front();
        }
    }

    fn is_empty(&self) -> bool {
        self.senders.is_empty() && self.receivers.is_empty()
    }
}

/// Two ends that belong together.
#[derive(Clone, Debug)]
pub struct Pair {
    /// What the sender sends.
    pub pieces: Pieces,
    /// Its elements.
    pub sent: Items,
    /// The slot of the receiver's request.
    pub receiver: u32,
    /// The slot of the sender's, if that is not freed.
    pub sender: Option<u32>,
}

/// Who belongs to whom.
#[derive(Clone, Hash, Default, Debug)]
pub struct Lanes(BTreeMap<Lane, Ends>);

impl Lanes {
    /// A sender has initialised an operation with the request in this slot; returns the tag of its first piece. `None`:
    /// there are so many pieces between the two ranks that no tags are left.
    pub fn send(&mut self, lane: Lane, slot: u32, (count, bytes): (u32, u64), sent: Items) -> Option<i32> {
        let tag = self.free_tags(lane, count)?;
        let pieces = Pieces { count, bytes, tag };
        self.0.entry(lane).or_default().senders.push_back(Offer { pieces, sent, slot: Some(slot) });
        Some(tag)
    }

    /// A receiver has.
    pub fn receive(&mut self, lane: Lane, slot: u32) {
        self.0.entry(lane).or_default().receivers.push_back(Some(slot));
    }

    /// The first of `count` tags that no other piece between the two ranks has.
    fn free_tags(&self, lane: Lane, count: u32) -> Option<i32> {
        let between = Lane { tag: i32::MIN, ..lane }..=Lane { tag: i32::MAX, ..lane };
        let offers = self.0.range(between).flat_map(|(_, ends)| ends.senders.iter());
        let mut taken: Vec<(i64, i64)> = offers
            .map(|offer| (i64::from(offer.pieces.tag), i64::from(offer.pieces.tag) + i64::from(offer.pieces.count)))
            .collect();
        taken.sort_unstable();
        let mut first = 0;
        for (start, end) in taken {
            if first + i64::from(count) <= start {
                break;
            }
            first = first.max(end);
        }
        i32::try_from(first + i64::from(count)).is_ok().then_some(first as i32)
    }

    /// The ends of a lane that belong together, where the receiver's request is not freed.
    pub fn pairs(&self, lane: Lane) -> impl Iterator<Item = Pair> {
        let pairs = self.0.get(&lane).into_iter().flat_map(|ends| ends.senders.iter().zip(&ends.receivers));
        pairs.filter_map(|(offer, receiver)| {
            Some(Pair { pieces: offer.pieces, sent: offer.sent.clone(), receiver: (*receiver)?, sender: offer.slot })
        })
    }

    /// The request in a slot is freed.
    pub fn leave(&mut self, lane: Lane, sends: bool, slot: u32) {
        let Some(ends) = self.0.get_mut(&lane) else { return };
        if sends {
            let mut offers = ends.senders.iter_mut();
            offers.find(|sender| sender.slot == Some(slot)).into_iter().for_each(|sender| sender.slot = None);
        } else {
            let mut receivers = ends.receivers.iter_mut();
            receivers.find(|receiver| **receiver == Some(slot)).into_iter().for_each(|receiver| *receiver = None);
        }
        ends.tidy();
        if ends.is_empty() {
            self.0.remove(&lane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datatype::{Basic, Datatype};
    use crate::memory::Addr;

    const LANE: Lane = Lane { context: 5, from: WorldRank(0), to: WorldRank(1), tag: 3 };

    fn items() -> Items {
        Items { count: 4, datatype: Datatype::basic(Basic::Int32) }
    }

    fn receiver(partitions: u32, count: i64) -> Partitioned {
        let datatype = Datatype::basic(Basic::Int32);
        Partitioned {
            part: Part { at: Addr(1000), count: count * i64::from(partitions), datatype },
            partitions,
            sends: false,
            peer: Some(WorldRank(0)),
            peer_rank: 0,
            source: 0,
            tag: 3,
            context: 5,
            members: Vec::new(),
            open: 0,
            pieces: None,
            missing: Vec::new(),
            marked: Vec::new(),
            told: 0,
        }
    }

    #[test]
    fn initialisations_match_in_order() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.send(LANE, 10, (4, 8), items()), Some(0));
        lanes.receive(LANE, 20);
        lanes.receive(LANE, 21);
        let pairs = |lanes: &Lanes| -> Vec<_> { lanes.pairs(LANE).map(|pair| (pair.sender, pair.receiver)).collect() };
        assert_eq!(pairs(&lanes), [(Some(10), 20)]);
        assert_eq!(lanes.send(LANE, 11, (2, 16), items()), Some(4));
        assert_eq!(pairs(&lanes), [(Some(10), 20), (Some(11), 21)]);
    }

    #[test]
    fn ends_stay_until_both_are_freed_and_tags_are_used_again() {
        let mut lanes = Lanes::default();
        let other = Lane { tag: 7, ..LANE };
        lanes.send(LANE, 10, (4, 8), items());
        assert_eq!(lanes.send(other, 12, (3, 8), items()), Some(4));
        lanes.leave(LANE, true, 10);
        lanes.receive(LANE, 20);
        let pairs: Vec<_> = lanes.pairs(LANE).map(|pair| (pair.pieces.tag, pair.sender)).collect();
        assert_eq!(pairs, [(0, None)]);
        lanes.leave(LANE, false, 20);
        assert_eq!(lanes.send(LANE, 13, (5, 8), items()), Some(7));
        assert_eq!(lanes.send(LANE, 14, (4, 8), items()), Some(0));
    }

    #[test]
    fn no_tags_are_left_beyond_those_of_an_int() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.send(LANE, 10, (i32::MAX as u32, 1), items()), Some(0));
        assert_eq!(lanes.send(LANE, 11, (1, 1), items()), None);
    }

    #[test]
    fn partitions_need_the_pieces_that_overlap_them() {
        let mut three = receiver(2, 6);
        let pieces = Pieces { count: 3, bytes: 16, tag: 0 };
        three.await_all(&pieces);
        assert_eq!(three.missing, [2, 2]);
        assert_eq!([0, 1, 2].map(|piece| three.overlapping(&pieces, piece)), [0..1, 0..2, 1..2]);
        let mut empty = receiver(3, 0);
        empty.await_all(&Pieces { count: 2, bytes: 0, tag: 0 });
        assert_eq!(empty.missing, [2, 2, 2]);
        assert_eq!(three.part_of(1..2).at, Addr(1024));
    }
}

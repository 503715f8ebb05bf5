//! How collective calls name their data: blocks of one rank each, roots, and cuts of a vector.
//!
//! `MPI_IN_PLACE` is an absent [`Part`] here; every operation's `build` resolves it before an algorithm runs.

use crate::collective::{Builder, Part};
use crate::datatype::{Basic, Datatype};
use crate::memory::Addr;

/// The root argument of a rooted collective (MPI 5.0 §6.2.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// A rank: of the group, or of the remote group of an intercommunicator.
    Rank(u32),
    /// `MPI_ROOT`: this rank is the root of an intercommunicator's operation.
    Here,
    /// `MPI_PROC_NULL`: another rank of this side is the root.
    Elsewhere,
}

/// One block for each rank of a group.
#[derive(Clone, Debug)]
pub enum Parts {
    /// Blocks of `count` elements one after the other; the part is that of rank 0.
    Even(Part),
    /// The `v` operations: counts, and displacements in elements of the type.
    Varying {
        /// The buffer.
        at: Addr,
        /// Elements for each rank.
        counts: Vec<i64>,
        /// First element of each rank.
        displs: Vec<i64>,
        /// Type of all elements.
        datatype: Datatype,
    },
    /// `MPI_Alltoallw`: own type for each rank, displacements in bytes.
    Typed {
        /// The buffer.
        at: Addr,
        /// Elements for each rank.
        counts: Vec<i64>,
        /// Address of each rank's block, in bytes from the buffer.
        displs: Vec<i64>,
        /// Type of each rank's elements.
        datatypes: Vec<Datatype>,
    },
}

impl Parts {
    /// The block of a rank.
    pub fn part(&self, rank: u32) -> Part {
        let index = rank as usize;
        match self {
            Parts::Even(first) => first.slice(i64::from(rank) * first.count, first.count),
            Parts::Varying { at, counts, displs, datatype } => {
                let at = at.offset(displs[index] * datatype.extent());
                Part { at, count: counts[index], datatype: datatype.clone() }
            }
            Parts::Typed { at, counts, displs, datatypes } => {
                Part { at: at.offset(displs[index]), count: counts[index], datatype: datatypes[index].clone() }
            }
        }
    }

    /// Bytes of all blocks of `ranks` ranks.
    pub fn bytes(&self, ranks: u32) -> u64 {
        match self {
            Parts::Even(first) => first.size() * u64::from(ranks),
            _ => (0..ranks).map(|rank| self.part(rank).size()).sum(),
        }
    }

    /// The blocks of `counts` elements that lie one after the other from `vector` on.
    pub fn consecutive(vector: &Part, counts: &[i64]) -> Parts {
        let mut next = 0;
        let displs = counts.iter().map(|count| {
            next += count;
            next - count
        });
        let displs = displs.collect();
        Parts::Varying { at: vector.at, counts: counts.to_vec(), displs, datatype: vector.datatype.clone() }
    }

    /// A copy of all blocks, taken when the schedule gets here: what an in-place exchange sends while it overwrites
    /// them.
    pub(super) fn snapshot(&self, b: &mut Builder, ranks: u32) -> Parts {
        if let Parts::Even(first) = self {
            let whole = first.slice(0, first.count * i64::from(ranks));
            let copy = b.scratch(whole.count, &whole.datatype);
            b.copy(&whole, &copy);
            return Parts::Even(copy.slice(0, first.count));
        }
        let (mut counts, mut displs, mut datatypes) = (Vec::new(), Vec::new(), Vec::new());
        for rank in 0..ranks {
            let part = self.part(rank);
            let copy = b.scratch(part.count, &part.datatype);
            b.copy(&part, &copy);
            counts.push(part.count);
            displs.push(copy.at.0 as i64);
            datatypes.push(part.datatype);
        }
        Parts::Typed { at: Addr::BOTTOM, counts, displs, datatypes }
    }
}

/// The packed form of a vector, for algorithms that divide it: ranks may describe the same vector with different counts
/// and types, so that only its bytes are cut in the same places everywhere.
pub(super) struct Bytes {
    /// The bytes: those of the vector itself where they lie in one run, else scratch memory.
    pub(super) bytes: Part,
    packed: bool,
}

impl Bytes {
    /// The bytes of a vector. They are its data if this rank `has_data`, else they are to be filled.
    pub(super) fn new(b: &mut Builder, vector: &Part, has_data: bool) -> Bytes {
        let byte = Datatype::basic(Basic::Byte);
        let size = vector.size() as i64;
        if let Some(offset) = vector.datatype.contiguous_offset(vector.count as u64) {
            let bytes = Part { at: vector.at.offset(offset), count: size, datatype: byte };
            return Bytes { bytes, packed: false };
        }
        let bytes = b.scratch(size, &byte);
        if has_data {
            b.copy(vector, &bytes);
        }
        Bytes { bytes, packed: true }
    }

    /// Brings what was received to its place.
    pub(super) fn unpack(&self, b: &mut Builder, vector: &Part) {
        if self.packed {
            b.copy(&self.bytes, vector);
        }
    }
}

/// A vector cut into consecutive pieces, one for each of `pieces` ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) count: i64,
    pub(super) pieces: u32,
    pub(super) rest: Rest,
}

/// Which pieces are longer than others, or shorter, where a vector cannot be divided evenly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rest {
    /// Some are one element longer.
    Spread,
    /// The first one is longer by all that is left.
    First,
    /// The last one is.
    Last,
    /// All are as long as the longest must be, until nothing is left: the last ones are shorter or empty.
    Missing,
}

impl Cut {
    /// First element of a piece; for `piece == pieces` the end of the vector.
    fn first(self, piece: u32) -> i64 {
        let (count, pieces) = (i128::from(self.count), i128::from(self.pieces));
        let (piece, each) = (i128::from(piece), count / pieces);
        let first = match self.rest {
            Rest::Spread => count * piece / pieces,
            Rest::First if piece > 0 => count - each * (pieces - piece),
            Rest::Last if piece == pieces => count,
            Rest::First | Rest::Last => each * piece,
            Rest::Missing => (piece * ((count + pieces - 1) / pieces)).min(count),
        };
        first as i64
    }

    /// The pieces `from..to` of the vector.
    pub(super) fn range(self, vector: &Part, from: u32, to: u32) -> Part {
        vector.slice(self.first(from), self.first(to) - self.first(from))
    }

    /// What of the same pieces is among the first `data` elements.
    pub(super) fn data(self, vector: &Part, (from, to): (u32, u32), data: i64) -> Part {
        let (first, end) = (self.first(from).min(data), self.first(to).min(data));
        vector.slice(first, end - first)
    }
}

impl Builder<'_> {
    /// Receives from one rank while sending to another, and waits for both.
    pub(super) fn exchange(&mut self, to: u32, send: &Part, from: u32, recv: &Part) {
        self.recv(from, recv);
        self.send(to, send);
        self.fence();
    }

    /// Like [`Builder::exchange`], for blocks whose size both sides know: empty ones do not travel.
    pub(super) fn exchange_known(&mut self, to: u32, send: &Part, from: u32, recv: &Part) {
        if recv.size() > 0 {
            self.recv(from, recv);
        }
        if send.size() > 0 {
            self.send(to, send);
        }
        self.fence();
    }

    /// Sends and waits until the sender is released, as a blocking send does.
    pub(super) fn send_wait(&mut self, to: u32, part: &Part) {
        self.send(to, part);
        self.fence();
    }

    /// Sends and waits until the sender is released, whatever else is under way.
    pub(super) fn send_in_turn(&mut self, to: u32, part: &Part) {
        let sent = self.begin_send(to, part);
        self.wait_for(sent);
    }

    /// Receives and waits for the message.
    pub(super) fn recv_wait(&mut self, from: u32, part: &Part) {
        self.recv(from, part);
        self.fence();
    }

    /// The rank `distance` places further, going round.
    pub(super) fn after(&self, distance: u32) -> u32 {
        ((u64::from(self.rank) + u64::from(distance)) % u64::from(self.size)) as u32
    }

    /// The rank `distance` places back, going round.
    pub(super) fn before(&self, distance: u32) -> u32 {
        self.after(self.size - distance % self.size)
    }
}

/// Largest power of two that is not above `n`, for `n ≥ 1`.
pub(super) fn power_below(n: u32) -> u32 {
    1 << n.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_goes_where_it_is_said() {
        let lengths = |count, rest| {
            let cut = Cut { count, pieces: 4, rest };
            (0..4).map(|piece| cut.first(piece + 1) - cut.first(piece)).collect::<Vec<i64>>()
        };
        assert_eq!(lengths(11, Rest::Spread), [2, 3, 3, 3]);
        assert_eq!(lengths(11, Rest::First), [5, 2, 2, 2]);
        assert_eq!(lengths(11, Rest::Last), [2, 2, 2, 5]);
        assert_eq!(lengths(9, Rest::Missing), [3, 3, 3, 0]);
        for rest in [Rest::Spread, Rest::First, Rest::Last, Rest::Missing] {
            assert_eq!(lengths(8, rest), [2; 4]);
            assert_eq!(lengths(3, rest).iter().sum::<i64>(), 3);
        }
    }
}

//! Rings of n − 1 rounds, in each of which a rank sends and receives one block.
//!
//! `neighbours`: every rank passes on to its right neighbour what it got from its left one. `distances`: in round i a
//! rank sends its own block i places further (SMPI's `ring`). `pieces`: as `neighbours`, in the pieces of SMPI's
//! `mpich_ring`, which follows MPICH 3.3: as long as the smallest block, and at least 256 KiB, of which each rank sends
//! and receives one in a round.

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts};

/// The shortest piece.
const PIECE_BYTES: i64 = 256 << 10;

pub(super) fn neighbours(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let (left, right) = (b.before(1), b.after(1));
    for round in 1..b.size {
        let (send, recv) = (blocks.part(b.before(round - 1)), blocks.part(b.before(round)));
        b.exchange_known(right, &send, left, &recv);
    }
}

pub(in crate::collective) fn distances(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let own = blocks.part(b.rank);
    for round in 1..b.size {
        let (to, from) = (b.after(round), b.before(round));
        b.exchange_known(to, &own, from, &blocks.part(from));
    }
}

pub(super) fn pieces(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let (left, right, ranks) = (b.before(1), b.after(1), b.size);
    let smallest = (0..ranks).map(|rank| blocks.part(rank).count).min().unwrap_or(0);
    let extent = blocks.part(0).datatype.extent().max(1);
    let length = smallest.max(PIECE_BYTES / extent).max(1);
    // All pieces of all blocks but one, in the order in which they pass.
    let passing = |first: u32| {
        let sources = (0..ranks - 1).map(move |back| (first + ranks - back) % ranks);
        sources.flat_map(move |source| cut(&blocks.part(source), length))
    };
    let (mut sends, mut recvs) = (passing(b.rank), passing(left));
    loop {
        let (send, recv) = (sends.next(), recvs.next());
        if send.is_none() && recv.is_none() {
            break;
        }
        if let Some(recv) = recv.filter(|part| part.size() > 0) {
            b.recv(left, &recv);
        }
        if let Some(send) = send.filter(|part| part.size() > 0) {
            b.send(right, &send);
        }
        b.fence();
    }
}

/// A block in pieces of at most `length` elements. An empty block takes a round, too: else the
/// block behind it would be passed on in the round in which it arrives.
fn cut(block: &Part, length: i64) -> Vec<Part> {
    let pieces = ((block.count + length - 1) / length).max(1);
    (0..pieces).map(|piece| block.slice(piece * length, length.min(block.count - piece * length))).collect()
}

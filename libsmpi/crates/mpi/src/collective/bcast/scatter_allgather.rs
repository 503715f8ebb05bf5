//! Long vectors: the root scatters the vector down a binomial tree, then all gather the pieces from each other.
//!
//! Moves twice the vector per rank instead of log₂ n times. The gathering is recursive doubling
//! (`scatter_rdb_allgather`, for powers of two) or a ring (`scatter_LR_allgather`). Empty pieces of short vectors are
//! left out when the vector is scattered, and travel when it is gathered, as in MPICH. Source: Barnett, Gupta, Payne,
//! Shuler, van de Geijn, Watts, "Interprocessor collective communication library", 1994; Thakur, Rabenseifner, Gropp
//! 2005.

use crate::collective::args::{Bytes, Cut, Rest};
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

pub(super) fn doubling(b: &mut Builder, data: &Part, root: u32) {
    divided(b, data, root, |b, vector, cut| {
        let relative = Node::new(b.rank, root, b.size).relative();
        let mut mask = 1;
        while mask < b.size {
            let partner = relative ^ mask;
            // Both hold `mask` pieces, from their number without its lower bits on.
            let (mine, theirs) = (relative & !(mask - 1), partner & !(mask - 1));
            let peer = absolute(partner, root, b.size);
            let (send, recv) = (cut.range(vector, mine, mine + mask), cut.range(vector, theirs, theirs + mask));
            b.exchange(peer, &send, peer, &recv);
            mask *= 2;
        }
    });
}

pub(in crate::collective) fn ring(b: &mut Builder, data: &Part, root: u32) {
    divided(b, data, root, |b, vector, cut| {
        let relative = Node::new(b.rank, root, b.size).relative();
        let (left, right) = (b.before(1), b.after(1));
        let mut piece = relative;
        for _ in 1..b.size {
            let next = if piece == 0 { b.size - 1 } else { piece - 1 };
            b.exchange(right, &cut.range(vector, piece, piece + 1), left, &cut.range(vector, next, next + 1));
            piece = next;
        }
    });
}

/// Scatters the vector's bytes and leaves the gathering to `gather`.
fn divided(b: &mut Builder, data: &Part, root: u32, gather: impl Fn(&mut Builder, &Part, Cut)) {
    let vector = Bytes::new(b, data, b.rank == root);
    let cut = Cut { count: vector.bytes.count, pieces: b.size, rest: Rest::Missing };
    scatter(b, &vector.bytes, cut, root);
    gather(b, &vector.bytes, cut);
    if b.rank != root {
        vector.unpack(b, data);
    }
}

/// Gives the rank with relative number i the piece i, and every inner rank the pieces of the ranks below it.
fn scatter(b: &mut Builder, vector: &Part, cut: Cut, root: u32) {
    let node = Node::new(b.rank, root, b.size);
    if let Some(parent) = node.parent() {
        let mine = cut.range(vector, node.relative(), node.relative() + node.below());
        if mine.size() > 0 {
            b.recv_wait(absolute(parent, root, b.size), &mine);
        }
    }
    for (child, below) in node.children().rev() {
        let theirs = cut.range(vector, child, child + below);
        if theirs.size() > 0 {
            b.send_wait(absolute(child, root, b.size), &theirs);
        }
    }
}

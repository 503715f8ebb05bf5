//! Neighbour exchange: each rank talks to its two neighbours in turn, and passes on the two blocks it got last.
//!
//! n / 2 rounds, the first of one block. For even n; with others it is the ring. Source: J. Chen, Y. Zhang, L. Zhang,
//! W. Yuan, "Performance evaluation of Allgather algorithms on terascale Linux cluster with fast Ethernet", HPC-Asia
//! 2005.

use crate::collective::allgather::{Packed, ring};
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, selection: &Selection, blocks: &Parts) {
    if !b.size.is_multiple_of(2) {
        return ring::neighbours(b, selection, blocks);
    }
    let packed = Packed::new(b, blocks, b.size);
    packed.pack(b, blocks);
    let is_even = b.rank.is_multiple_of(2);
    let partners = if is_even { [b.after(1), b.before(1)] } else { [b.before(1), b.after(1)] };
    let (mine, first) = (packed.range(b.rank, b.rank + 1), packed.range(partners[0], partners[0] + 1));
    b.exchange_known(partners[0], &mine, partners[0], &first);
    // First block of the pair to pass on, and of the pairs that came from either side.
    let pair = b.rank / 2 * 2;
    let (mut passed, mut came) = (pair, [pair; 2]);
    for round in 1..b.size / 2 {
        let side = round as usize % 2;
        let up = (side == 0) == is_even;
        came[side] = (came[side] + if up { 2 } else { b.size - 2 }) % b.size;
        let (send, recv) = (packed.range(passed, passed + 2), packed.range(came[side], came[side] + 2));
        b.exchange_known(partners[side], &send, partners[side], &recv);
        passed = came[side];
    }
    let rank = b.rank;
    packed.unpack(b, blocks, (0..b.size).filter(|&other| other != rank));
}

//! Recursive doubling: in each round, pairs exchange all they have. log₂ n rounds; for powers of two.

use crate::collective::allgather::Packed;
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

pub(in crate::collective) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let packed = Packed::new(b, blocks, b.size);
    packed.pack(b, blocks);
    let mut mask = 1;
    while mask < b.size {
        let partner = b.rank ^ mask;
        let (mine, theirs) = (b.rank & !(mask - 1), partner & !(mask - 1));
        let (send, recv) = (packed.range(mine, mine + mask), packed.range(theirs, theirs + mask));
        b.exchange_known(partner, &send, partner, &recv);
        mask *= 2;
    }
    let rank = b.rank;
    packed.unpack(b, blocks, (0..b.size).filter(|&other| other != rank));
}

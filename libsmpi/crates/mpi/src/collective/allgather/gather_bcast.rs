//! Rank 0 gathers all blocks, then broadcasts them down a binomial tree.

use crate::collective::allgather::Packed;
use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, bcast};

pub(super) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let packed = Packed::new(b, blocks, b.size);
    packed.pack(b, blocks);
    if b.rank == 0 {
        for rank in 1..b.size {
            let part = packed.range(rank, rank + 1);
            if part.size() > 0 {
                b.recv(rank, &part);
            }
        }
    } else if packed.range(b.rank, b.rank + 1).size() > 0 {
        b.send(0, &packed.range(b.rank, b.rank + 1));
    }
    b.fence();
    bcast::binomial(b, &packed.range(0, b.size), 0);
    let rank = b.rank;
    packed.unpack(b, blocks, (0..b.size).filter(|&other| other != rank));
}

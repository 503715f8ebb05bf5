//! Bruck's algorithm: in round k, each rank sends all it has to the rank 2ᵏ back and gets as much from the one 2ᵏ
//! further.
//!
//! ⌈log₂ n⌉ rounds for any n. Blocks are collected in the order rank, rank + 1, …, going round, and brought to their
//! places at the end. Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997.

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    if b.size == 1 {
        return;
    }
    // First element of the i-th collected block, which is that of rank + i.
    let mut starts = vec![0];
    for distance in 0..b.size {
        starts.push(starts[distance as usize] + blocks.part(b.after(distance)).count);
    }
    let own = blocks.part(b.rank);
    let all = b.scratch(starts[b.size as usize], &own.datatype);
    let range = |from: u32, to: u32| -> Part {
        let (first, end) = (starts[from as usize], starts[to as usize]);
        all.slice(first, end - first)
    };
    b.copy(&own, &range(0, 1));
    let mut have = 1;
    while have < b.size {
        let more = have.min(b.size - have);
        b.exchange_known(b.before(have), &range(0, more), b.after(have), &range(have, have + more));
        have += more;
    }
    if let Parts::Even(first) = blocks {
        // The blocks up to the last rank's are consecutive, and so are the others.
        let until_end = b.size - b.rank;
        let ranks = |count: u32| first.count * i64::from(count);
        b.copy(&range(1, until_end), &first.slice(ranks(b.rank + 1), ranks(until_end - 1)));
        b.copy(&range(until_end, b.size), &first.slice(0, ranks(b.rank)));
    } else {
        for distance in 1..b.size {
            b.copy(&range(distance, distance + 1), &blocks.part(b.after(distance)));
        }
    }
}

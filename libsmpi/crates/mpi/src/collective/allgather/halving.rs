//! The rounds of a recursive halving backwards: ranks that are far apart begin, so that what a rank has is always one
//! run of blocks.
//!
//! A rank first takes the block of the rank whose number is its own with the bits reversed, because that is where its
//! run begins. 1 + log₂ n rounds; for powers of two. SMPI's `rhv`.

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, _: &Selection, blocks: &Parts) {
    if b.size == 1 {
        return;
    }
    let range = |first: u32, number: u32| -> Part {
        let block = blocks.part(first);
        block.slice(0, i64::from(number) * block.count)
    };
    let mut first = b.rank.reverse_bits() >> (u32::BITS - b.size.ilog2());
    if first != b.rank {
        b.exchange_known(first, &range(b.rank, 1), first, &range(first, 1));
    }
    let (mut mask, mut have) = (b.size / 2, 1);
    while mask > 0 {
        let partner = b.rank ^ mask;
        let mine = range(first, have);
        let theirs = if b.rank & mask != 0 { first - have } else { first + have };
        b.exchange_known(partner, &mine, partner, &range(theirs, have));
        first = first.min(theirs);
        mask /= 2;
        have *= 2;
    }
}

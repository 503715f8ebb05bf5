//! Bruck's algorithm for short blocks: ⌈log₂ n⌉ rounds in which blocks hop towards their destination.
//!
//! ```text
//! 1. turn:     tmp[i] = block for rank + i
//! 2. round k:  all tmp[i] with bit k of i set go to rank + 2ᵏ, in one message
//! 3. turn back: tmp[i] is now the block from rank − i
//! ```
//!
//! The rounds and turns are described by vector types, so that a schedule has O(log n) steps.
//! Source: Bruck, Ho, Kipnis, Upfal, Weathersby, IEEE TPDS 8(11), 1997.

use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts};
use crate::datatype::Datatype;

/// A type over blocks of a buffer that exists: its bounds fit.
const FITS: &str = "the blocks lie in one buffer";

pub(super) fn build(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    let (size, rank) = (i64::from(b.size), i64::from(b.rank));
    let block = recv.part(0);
    if block.size() == 0 {
        return;
    }
    let blocks = |part: &Part, first: i64, number: i64| part.slice(first * part.count, number * part.count);
    let tmp = b.scratch(size * block.count, &block.datatype).slice(0, block.count);
    let source = send.part(0);
    b.copy(&blocks(&source, rank, size - rank), &blocks(&tmp, 0, size - rank));
    b.copy(&blocks(&source, 0, rank), &blocks(&tmp, size - rank, rank));
    let arriving = b.scratch(size / 2 * block.count, &block.datatype).slice(0, block.count);
    let mut hop = 1;
    while hop < b.size {
        let moving = with_bit(&tmp, size, i64::from(hop));
        let number = moving.size() / block.size();
        let arrived = blocks(&arriving, 0, number as i64);
        b.exchange(b.after(hop), &moving, b.before(hop), &arrived);
        b.copy(&arrived, &moving);
        hop *= 2;
    }
    b.copy(&blocks(&tmp, 0, rank + 1), &backwards(&block, rank, rank + 1));
    b.copy(&blocks(&tmp, rank + 1, size - 1 - rank), &backwards(&block, size - 1, size - 1 - rank));
}

/// The blocks i of `size` that have the bit `hop` set in i: runs of `hop` blocks, the last one maybe shorter.
fn with_bit(first: &Part, size: i64, hop: i64) -> Part {
    let Part { count, datatype, .. } = first;
    let (runs, left) = (size / (2 * hop), (size % (2 * hop) - hop).max(0));
    let regular = Datatype::vector(runs, hop * count, 2 * hop * count, datatype).expect(FITS);
    let all = if left > 0 {
        let last = runs * 2 * hop * count * datatype.extent();
        Datatype::structure(&[1, left * count], &[0, last], &[regular, datatype.clone()]).expect(FITS)
    } else {
        regular
    };
    Part { at: first.slice(hop * count, 0).at, count: 1, datatype: all }
}

/// `number` blocks from block `last` on, in falling order.
fn backwards(first: &Part, last: i64, number: i64) -> Part {
    let Part { count, datatype, .. } = first;
    let falling = Datatype::vector(number, *count, -count, datatype).expect(FITS);
    Part { at: first.slice(last * count, 0).at, count: 1, datatype: falling }
}

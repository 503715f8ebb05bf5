//! The ring in phases: no message of its first half is longer than 1 MiB. Shorter vectors take the ring as it is, with
//! equal pieces.
//!
//! Open MPI 4.1's `ring_segmented` with the segment size and the ring that SMPI gives it.

use crate::collective::allreduce::ring;
use crate::collective::args::{Cut, Rest};
use crate::collective::select::Selection;
use crate::collective::{Builder, Part};

const SEGMENT_BYTES: u64 = 1 << 20;

pub(super) fn build(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let size = i64::from(b.size);
    let segment = ((SEGMENT_BYTES / own.datatype.size().max(1)) as i64).clamp(1, own.count.max(1));
    let round = size * segment;
    if own.count < round {
        return ring::equal(b, selection, own, result);
    }
    let left = own.count % round;
    let phases = own.count / round + i64::from(left >= size && left > round / 2);
    let cut = Cut { count: own.count, pieces: b.size, rest: Rest::Spread };
    b.copy(own, result);
    for phase in 0..phases as u32 {
        ring::combine(b, result, |number| {
            let block = cut.range(result, number, number + 1);
            Cut { count: block.count, pieces: phases as u32, rest: Rest::Spread }.range(&block, phase, phase + 1)
        });
    }
    ring::spread(b, |number| cut.range(result, number, number + 1));
}

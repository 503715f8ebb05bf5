//! A chain of ranks that pass on segment after segment, so that all links of the chain are busy for long messages.
//!
//! n − 2 + s rounds of one of s segments. Open MPI's segment sizes depend on a fitted formula; here segments have 128 KiB.

use crate::collective::{Builder, Part};

const SEGMENT_BYTES: u64 = 128 << 10;

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    let segment = (SEGMENT_BYTES / data.datatype.size().max(1)).max(1) as i64;
    let is_first = b.rank == root;
    let (left, right) = (b.before(1), b.after(1));
    let mut first = 0;
    // An empty broadcast is one empty segment: it still synchronises.
    while first < data.count.max(1) {
        let part = data.slice(first, segment.min(data.count - first));
        if !is_first {
            b.recv_wait(left, &part);
        }
        if right != root {
            b.send(right, &part);
        }
        first += segment;
    }
    b.fence();
}

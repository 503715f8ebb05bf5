//! A chain of ranks that pass on segment after segment, so that all links of the chain are busy for long messages.
//!
//! n − 2 + s rounds of one of s segments. Open MPI's segment sizes depend on a fitted formula; here segments have 128
//! KiB.

use crate::collective::args::Bytes;
use crate::collective::{Builder, Part};

const SEGMENT_BYTES: i64 = 128 << 10;

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    let is_root = b.rank == root;
    let vector = Bytes::new(b, data, is_root);
    let (left, right) = (b.before(1), b.after(1));
    let mut first = 0;
    // An empty broadcast is one empty segment, as a message of a tree would be.
    while first < vector.bytes.count.max(1) {
        let segment = vector.bytes.slice(first, SEGMENT_BYTES.min(vector.bytes.count - first));
        if !is_root {
            b.recv_wait(left, &segment);
        }
        if right != root {
            b.send(right, &segment);
        }
        first += SEGMENT_BYTES;
    }
    b.fence();
    if !is_root {
        vector.unpack(b, data);
    }
}

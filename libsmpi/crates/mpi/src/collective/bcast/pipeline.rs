//! A chain of ranks that pass on segment after segment, so that all links of the chain are busy for long messages.
//!
//! n − 2 + s rounds of one of s segments. A rank receives a segment while it sends the one before. How long segments
//! are is Open MPI 4.1's fitted formula of the number of ranks and the size (`coll_tuned`; facts of its source).

use crate::collective::args::Bytes;
use crate::collective::segments::Segments;
use crate::collective::{Builder, Part};

/// Segments of these lengths in KiB where there are fewer ranks than a factor times the bytes, plus a summand.
const LENGTHS: [(u64, f64, f64); 3] = [(128, 1.6134e-6, 2.1102), (64, 2.3679e-6, 1.1787), (16, 3.2118e-6, 8.7936)];

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    let is_root = b.rank == root;
    let vector = Bytes::new(b, data, is_root);
    let (left, right) = (b.before(1), b.after(1));
    let (ranks, bytes) = (f64::from(b.size), data.size() as f64);
    let kib = LENGTHS.iter().find(|(_, factor, summand)| ranks < factor * bytes + summand).map_or(128, |row| row.0);
    let segments = Segments::of_bytes(&vector.bytes, kib << 10);
    let pass_on = |b: &mut Builder, segment: &Part| {
        if right != root {
            b.send_in_turn(right, segment);
        }
    };
    if is_root {
        segments.iter().for_each(|segment| pass_on(b, &segment));
    } else {
        b.recv_each(left, &segments, pass_on);
    }
    b.fence();
    if !is_root {
        vector.unpack(b, data);
    }
}

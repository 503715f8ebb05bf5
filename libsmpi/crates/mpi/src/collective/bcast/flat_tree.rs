//! The root sends to everybody: the whole vector at once, or segments of 8 KiB to one rank after the other.

use crate::collective::args::Bytes;
use crate::collective::segments::Segments;
use crate::collective::{Builder, Part};

const SEGMENT_BYTES: u64 = 8 << 10;

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    if b.rank != root {
        b.recv_wait(root, data);
        return;
    }
    for rank in (0..b.size).filter(|&rank| rank != root) {
        b.send(rank, data);
    }
    b.fence();
}

/// SMPI forgets what is left after the last whole segment.
pub(super) fn pipeline(b: &mut Builder, data: &Part, root: u32) {
    if data.size() < SEGMENT_BYTES {
        return build(b, data, root);
    }
    let vector = Bytes::new(b, data, b.rank == root);
    let segments = Segments::of_bytes(&vector.bytes, SEGMENT_BYTES);
    if b.rank != root {
        segments.iter().for_each(|segment| b.recv(root, &segment));
        b.fence();
        return vector.unpack(b, data);
    }
    for rank in (0..b.size).filter(|&rank| rank != root) {
        segments.iter().for_each(|segment| b.send_wait(rank, &segment));
    }
}

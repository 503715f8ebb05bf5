//! The root asks one rank after the other: it waits for a first segment of a rank's block before it asks the next rank.
//!
//! So the root's link is not flooded. Open MPI 4.1's `linear_sync`, whose first segment has 1 KiB, or 32 KiB where
//! blocks have more than 90 KiB. What is left of the blocks may arrive at any time after that. With blocks of different
//! sizes it is a gatherv, in which empty ones are not asked for.

use crate::collective::args::Bytes;
use crate::collective::{Builder, Part, Parts};

/// Blocks above this have long first segments.
const LONG_BYTES: i64 = 92_160;

pub(super) fn build(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    let empty = Part::nothing();
    if b.rank != root {
        let Some(own) = send else { return };
        let block = Bytes::new(b, own, true).bytes;
        let (first, rest) = halves(&block);
        b.recv_wait(root, &empty);
        b.send_wait(root, &first);
        return b.send_wait(root, &rest);
    }
    let Some(blocks) = recv else { return };
    let others: Vec<u32> = (0..b.size).filter(|&rank| rank != root).collect();
    let mut parts = Vec::new();
    for &rank in &others {
        let block = Bytes::new(b, &blocks.part(rank), false);
        let (first, rest) = halves(&block.bytes);
        let arrival = b.begin_recv(rank, &first);
        b.send_in_turn(rank, &empty);
        b.recv(rank, &rest);
        b.wait_for(arrival);
        parts.push(block);
    }
    if let Some(own) = send {
        b.copy(own, &blocks.part(root));
    }
    b.fence();
    for (&rank, block) in others.iter().zip(&parts) {
        block.unpack(b, &blocks.part(rank));
    }
}

fn halves(block: &Part) -> (Part, Part) {
    let segment = if block.count > LONG_BYTES { 32 << 10 } else { 1 << 10 };
    let first = segment.min(block.count);
    (block.slice(0, first), block.slice(first, block.count - first))
}

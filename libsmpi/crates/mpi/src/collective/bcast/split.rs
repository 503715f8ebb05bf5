//! Split binary tree: one half of the vector goes in segments down the left half of a binary tree, the other half down
//! the right one; then each rank exchanges halves with its counterpart in the other half of the tree.
//!
//! Open MPI 4.1's `split_bintree`, with its segments of 1 KiB, or 8 KiB above 370,728 bytes. Vectors too short for a
//! segment on each side go down a chain of hosts, as in SMPI. Source: J. Pješivac-Grbović, T. Angskun, G. Bosilca, G.
//! Fagg, E. Gabriel, J. Dongarra, "Performance analysis of MPI collective operations", Cluster Computing 10, 2007.

use crate::collective::args::Bytes;
use crate::collective::bcast::pipelines;
use crate::collective::segments::Segments;
use crate::collective::shapes;
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

const INTERMEDIATE_BYTES: u64 = 370_728;

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    let segment_bytes = if data.size() < INTERMEDIATE_BYTES { 1 << 10 } else { 8 << 10 };
    if b.size == 1 || data.size() / 2 < segment_bytes {
        b.begin_with_hosts();
        return pipelines::chain_of_hosts(b, data, root);
    }
    let size = b.size;
    let number = Node::new(b.rank, root, size).relative();
    let rank = |number: u32| absolute(number, root, size);
    let vector = Bytes::new(b, data, number == 0);
    let first = (vector.bytes.count + 1) / 2;
    let halves = [vector.bytes.slice(0, first), vector.bytes.slice(first, vector.bytes.count - first)];
    let segments = halves.each_ref().map(|half| Segments::of_bytes(half, segment_bytes));
    let place = shapes::binary(number, size);
    // The odd numbers are the left half of the tree.
    let side = usize::from(number.is_multiple_of(2));
    if let Some(parent) = place.parent {
        if place.children.is_empty() {
            segments[side].iter().for_each(|segment| b.recv_wait(rank(parent), &segment));
        } else {
            b.recv_each(rank(parent), &segments[side], |b, segment| {
                place.children.iter().for_each(|&child| b.send_in_turn(rank(child), segment));
            });
        }
    } else {
        for index in 0..segments[0].number() {
            for (&child, segments) in place.children.iter().zip(&segments) {
                if index < segments.number() {
                    b.send_wait(rank(child), &segments.get(index));
                }
            }
        }
    }
    b.fence();
    let counterpart = if side == 0 { number + 1 } else { number.wrapping_sub(1) };
    match (number, size.is_multiple_of(2)) {
        (0, true) => b.send_wait(rank(size - 1), &halves[1]),
        (0, false) => {}
        (number, true) if number == size - 1 => b.recv_wait(root, &halves[1]),
        _ => b.exchange(rank(counterpart), &halves[side], rank(counterpart), &halves[1 - side]),
    }
    if number != 0 {
        vector.unpack(b, data);
    }
}

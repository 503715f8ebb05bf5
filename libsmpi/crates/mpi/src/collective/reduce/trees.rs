//! Vectors in segments that go up a tree: a rank combines each segment of its children with its own and passes it on.
//!
//! The trees are chains, one or many below the root, binary ones and the binomial one, with the segment sizes of Open
//! MPI 4.1 (`coll_tuned`; its fitted formulas are facts of its source). SMPI's `NTSL` is one chain with segments of 8
//! KiB. A rank receives from two children at a time. All but the in-order tree need an operation that commutes. Source:
//! Pješivac-Grbović et al., Cluster Computing 10, 2007.

use crate::collective::segments::Segments;
use crate::collective::shapes::{self, Place};
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

/// One segment.
const WHOLE: u64 = u64::MAX;
const KIB: u64 = 1 << 10;

pub(super) fn ring(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    from_root(b, own, result, root, 8 * KIB, |number, size| shapes::chains(number, size, 1));
}

pub(super) fn pipeline(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (ranks, bytes) = (f64::from(b.size), own.size() as f64);
    let segment = if ranks > 0.0410 / 1024.0 * bytes + 9.7128 {
        KIB
    } else if ranks > 0.0033 / 1024.0 * bytes + 1.6761 {
        32 * KIB
    } else {
        64 * KIB
    };
    from_root(b, own, result, root, segment, |number, size| shapes::chains(number, size, 1));
}

pub(super) fn chains(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    from_root(b, own, result, root, 64 * KIB, |number, size| shapes::chains(number, size, size / 2));
}

pub(super) fn binary(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    from_root(b, own, result, root, 32 * KIB, shapes::binary);
}

pub(super) fn binomial(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let bytes = own.size();
    let short = (b.size < 8 && bytes < 20 * KIB) || bytes < 2 * KIB || own.count <= 1;
    let many = f64::from(b.size) > 0.6016 / 1024.0 * bytes as f64 + 1.3496;
    from_root(b, own, result, root, if many && !short { KIB } else { WHOLE }, |number, size| {
        let node = Node::new(number, 0, size);
        Place { parent: node.parent(), children: node.children().map(|(child, _)| child).collect() }
    });
}

/// A tree in which subtrees are runs of ranks. The last rank is its root, and sends the result to the root of the call.
pub(super) fn in_order(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (last, this) = (b.size - 1, b.rank);
    let elsewhere = (this == last && root != last).then(|| b.scratch(own.count, &own.datatype));
    let place = shapes::in_order(this, b.size);
    let target = if root == last { result } else { elsewhere.as_ref() };
    // A root elsewhere in the tree still needs its own operand until the result comes.
    up(b, own, target, WHOLE, &place);
    if root != last && this == last {
        b.send_wait(root, elsewhere.as_ref().unwrap_or(own));
    }
    if let (Some(result), true) = (result, root != last) {
        b.recv_wait(last, result);
    }
}

type Shape = fn(u32, u32) -> Place;

fn from_root(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32, segment_bytes: u64, shape: Shape) {
    let size = b.size;
    let place = shape(Node::new(b.rank, root, size).relative(), size);
    up(b, own, result, segment_bytes, &place.map(|number| absolute(number, root, size)));
}

/// Combines the segments of the children with the own ones, and passes them on or leaves them in the result.
fn up(b: &mut Builder, own: &Part, result: Option<&Part>, segment_bytes: u64, place: &Place) {
    let value = match result {
        Some(result) => result.clone(),
        None if place.children.is_empty() => own.clone(),
        None => b.scratch(own.count, &own.datatype),
    };
    if !(result.is_none() && place.children.is_empty()) {
        b.copy(own, &value);
    }
    let segments = Segments::of_bytes(&value, segment_bytes);
    let longest = segments.get(0).count;
    let rooms: Vec<Part> = place.children.iter().take(2).map(|_| b.scratch(longest, &own.datatype)).collect();
    for segment in segments.iter() {
        for children in place.children.chunks(2) {
            let operands: Vec<Part> = rooms.iter().map(|room| room.slice(0, segment.count)).collect();
            children.iter().zip(&operands).for_each(|(&child, operand)| b.recv(child, operand));
            b.fence();
            operands.iter().take(children.len()).for_each(|operand| b.reduce(operand, &segment));
        }
        if let Some(parent) = place.parent {
            b.send(parent, &segment);
        }
    }
    b.fence();
}

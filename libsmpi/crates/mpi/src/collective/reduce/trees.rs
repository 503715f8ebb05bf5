//! Vectors in segments that go up a tree: a rank combines each segment of its children with its own and passes it on.
//!
//! The trees are chains, one or many below the root, binary ones and the binomial one, with the segment sizes of Open
//! MPI 4.1 (`coll_tuned`; its fitted formulas are facts of its source). SMPI's `NTSL` is one chain with segments of 8
//! KiB. A rank receives from one child while it combines what came from the one before. All but the in-order tree need
//! an operation that commutes. Source: Pješivac-Grbović et al., Cluster Computing 10, 2007.

use crate::collective::reduce::linear;
use crate::collective::schedule::Posted;
use crate::collective::segments::Segments;
use crate::collective::shapes::{self, Place};
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

/// One segment.
const WHOLE: u64 = u64::MAX;
const KIB: u64 = 1 << 10;

/// Whole segments go round; what is left after the last one goes to the root at once.
pub(super) fn ring(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let whole = Segments::of_bytes(own, 8 * KIB).elements_of_whole();
    let part = |vector: &Part, from: i64, to: i64| vector.slice(from, to - from);
    round(b, &part(own, 0, whole), result.map(|result| part(result, 0, whole)).as_ref(), root);
    if whole < own.count {
        let rest = result.map(|result| part(result, whole, own.count));
        linear::build(b, &part(own, whole, own.count), rest.as_ref(), root);
    }
}

fn round(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (from, to) = (b.after(1), b.before(1));
    let is_last = from == root;
    let value = value(b, own, result, is_last);
    let segments = Segments::of_bytes(&value, 8 * KIB);
    let room = b.scratch(if is_last { 0 } else { value.count }, &own.datatype);
    let arriving = Segments::like(&segments, &room);
    let arrivals = if is_last { Vec::new() } else { b.begin_recvs(from, &arriving) };
    for (index, segment) in segments.iter().enumerate() {
        if let Some(&arrival) = arrivals.get(index) {
            b.wait_for(arrival);
            b.reduce(&arriving.get(index as i64), &segment);
        }
        if result.is_none() {
            b.send(to, &segment);
        }
    }
    b.fence();
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
    let value = value(b, own, result, place.children.is_empty());
    let segments = Segments::of_bytes(&value, segment_bytes);
    let pass_on = |b: &mut Builder, segment: &Part| {
        if let Some(parent) = place.parent {
            b.send_in_turn(parent, segment);
        }
    };
    let Some(&last) = place.children.last() else {
        segments.iter().for_each(|segment| pass_on(b, &segment));
        return b.fence();
    };
    let longest = segments.get(0).count;
    let rooms = if segments.number() == 1 && place.children.len() == 1 { 1 } else { 2 };
    let rooms: Vec<Part> = (0..rooms).map(|_| b.scratch(longest, &own.datatype)).collect();
    let mut rooms = rooms.iter().cycle();
    let mut before: Option<Arrival> = None;
    for segment in segments.iter() {
        for &child in &place.children {
            let Some(room) = rooms.next() else { continue };
            let operand = room.slice(0, segment.count);
            let message = b.begin_recv(child, &operand);
            let next = Arrival { message, operand, segment: segment.clone(), is_last: child == last };
            if let Some(arrival) = before.replace(next) {
                arrival.combine(b, pass_on);
            }
        }
    }
    before.into_iter().for_each(|arrival| arrival.combine(b, pass_on));
    b.fence();
}

/// Where a rank combines: in the result, if it has that, and a leaf has nothing to combine.
fn value(b: &mut Builder, own: &Part, result: Option<&Part>, is_leaf: bool) -> Part {
    let value = match result {
        Some(result) => result.clone(),
        None if is_leaf => return own.clone(),
        None => b.scratch(own.count, &own.datatype),
    };
    b.copy(own, &value);
    value
}

/// A segment of a child that is under way.
struct Arrival {
    message: Posted,
    operand: Part,
    /// The own segment.
    segment: Part,
    /// Whether it is the last one that belongs to the own segment.
    is_last: bool,
}

impl Arrival {
    fn combine(&self, b: &mut Builder, pass_on: impl Fn(&mut Builder, &Part)) {
        b.wait_for(self.message);
        b.reduce(&self.operand, &self.segment);
        if self.is_last {
            pass_on(b, &self.segment);
        }
    }
}

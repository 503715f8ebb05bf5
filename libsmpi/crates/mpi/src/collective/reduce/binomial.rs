//! Binomial tree: values of neighbouring ranks are combined upwards. ⌈log₂ n⌉ rounds of the whole vector.
//!
//! The tree starts at the root if the operation commutes. If not, it starts at rank 0, so that values are combined in
//! rank order, and rank 0 sends the result to the root.

use crate::collective::fold::Fold;
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

pub(in crate::collective) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let top = if b.commutes() { root } else { 0 };
    let node = Node::new(b.rank, top, b.size);
    let mut value = Fold::reading(own);
    for (child, _) in node.children() {
        let operand = value.room(b);
        b.recv_wait(absolute(child, top, b.size), &operand);
        value.append(b, operand);
    }
    if let Some(parent) = node.parent() {
        b.send_wait(absolute(parent, top, b.size), value.value());
    } else if b.rank != root {
        b.send_wait(root, value.value());
    }
    if let Some(result) = result {
        if top == b.rank {
            b.copy(value.value(), result);
        } else {
            b.recv_wait(top, result);
        }
    }
}

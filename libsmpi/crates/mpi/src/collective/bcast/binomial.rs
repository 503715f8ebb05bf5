//! Binomial tree: a rank with the data sends it to the rank farthest away, then half as far, and so on. ⌈log₂ n⌉ rounds
//! of the whole vector.

use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

pub(in crate::collective) fn build(b: &mut Builder, data: &Part, root: u32) {
    let node = Node::new(b.rank, root, b.size);
    if let Some(parent) = node.parent() {
        b.recv_wait(absolute(parent, root, b.size), data);
    }
    for (child, _) in node.children().rev() {
        b.send_wait(absolute(child, root, b.size), data);
    }
}

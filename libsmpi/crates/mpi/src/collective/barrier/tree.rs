//! Reports go up a binomial tree and the release comes down it. 2 ⌈log₂ n⌉ rounds, 2 (n − 1) messages.

use crate::collective::Builder;
use crate::collective::Part;
use crate::collective::tree::Node;

pub(super) fn build(b: &mut Builder) {
    let empty = Part::nothing();
    let node = Node::new(b.rank, 0, b.size);
    for (child, _) in node.children() {
        b.recv_wait(child, &empty);
    }
    if let Some(parent) = node.parent() {
        b.exchange(parent, &empty, parent, &empty);
    }
    for (child, _) in node.children().rev() {
        b.send(child, &empty);
    }
    b.fence();
}

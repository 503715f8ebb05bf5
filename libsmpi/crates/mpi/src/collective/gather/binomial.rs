//! Binomial tree: inner ranks collect the blocks of the ranks below them and pass them on in one message.
//! ⌈log₂ n⌉ rounds; the root receives each block once.

use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    let node = Node::new(b.rank, root, b.size);
    match (node.parent(), send, recv) {
        (Some(parent), Some(own), _) => pass_on(b, node, own, absolute(parent, root, b.size), root),
        (None, _, Some(blocks)) => collect(b, node, send, blocks, root),
        _ => {}
    }
}

/// On a rank below the root. Its own type describes everybody's block: the type signatures are equal.
fn pass_on(b: &mut Builder, node: Node, own: &Part, parent: u32, root: u32) {
    if node.below() == 1 {
        return b.send_wait(parent, own);
    }
    let all = b.scratch(own.count * i64::from(node.below()), &own.datatype);
    b.copy(own, &all.slice(0, own.count));
    for (child, below) in node.children() {
        let place = all.slice(own.count * i64::from(child - node.relative()), own.count * i64::from(below));
        b.recv_wait(absolute(child, root, b.size), &place);
    }
    b.send_wait(parent, &all);
}

/// On the root: blocks go where they belong, through scratch memory when their ranks go round the end of the group.
fn collect(b: &mut Builder, node: Node, own: Option<&Part>, blocks: &Parts, root: u32) {
    if let Some(own) = own {
        b.copy(own, &blocks.part(root));
    }
    for (child, below) in node.children() {
        let first = absolute(child, root, b.size);
        let block = blocks.part(first);
        let whole = |ranks: u32| block.count * i64::from(ranks);
        let until_end = b.size - first;
        if below <= until_end {
            b.recv_wait(first, &block.slice(0, whole(below)));
        } else {
            let all = b.scratch(whole(below), &block.datatype);
            b.recv_wait(first, &all);
            b.copy(&all.slice(0, whole(until_end)), &block.slice(0, whole(until_end)));
            let rest = whole(below - until_end);
            b.copy(&all.slice(whole(until_end), rest), &blocks.part(0).slice(0, rest));
        }
    }
}

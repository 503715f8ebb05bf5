//! Binomial tree: the root sends each child the blocks of all ranks below it in one message, and so on downwards.
//! ⌈log₂ n⌉ rounds; the root sends each block once. MPICH serves the largest subtree first; Open MPI 4.1, and SMPI
//! under any table, the smallest.

use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    go(b, send, recv, root, |node| node.children().rev().collect());
}

pub(super) fn smallest_first(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    go(b, send, recv, root, |node| node.children().collect());
}

/// Children of a node and the sizes of their subtrees, in the order in which they are served.
type Order = fn(Node) -> Vec<(u32, u32)>;

fn go(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32, order: Order) {
    let node = Node::new(b.rank, root, b.size);
    match (node.parent(), send, recv) {
        (Some(parent), _, Some(own)) => pass_on(b, (node, order), own, absolute(parent, root, b.size), root),
        (None, Some(blocks), _) => hand_out(b, order(node), blocks, recv, root),
        _ => {}
    }
}

/// On a rank below the root. Its own type describes everybody's block: the type signatures are equal.
fn pass_on(b: &mut Builder, (node, order): (Node, Order), own: &Part, parent: u32, root: u32) {
    if node.below() == 1 {
        return b.recv_wait(parent, own);
    }
    let all = b.scratch(own.count * i64::from(node.below()), &own.datatype);
    b.recv_wait(parent, &all);
    for (child, below) in order(node) {
        let part = all.slice(own.count * i64::from(child - node.relative()), own.count * i64::from(below));
        b.send_wait(absolute(child, root, b.size), &part);
    }
    b.copy(&all.slice(0, own.count), own);
}

/// On the root: blocks of ranks that go round the end of the group are first brought together.
fn hand_out(b: &mut Builder, children: Vec<(u32, u32)>, blocks: &Parts, own: Option<&Part>, root: u32) {
    for (child, below) in children {
        let first = absolute(child, root, b.size);
        let block = blocks.part(first);
        let whole = |ranks: u32| block.count * i64::from(ranks);
        let until_end = b.size - first;
        if below <= until_end {
            b.send_wait(first, &block.slice(0, whole(below)));
        } else {
            let all = b.scratch(whole(below), &block.datatype);
            b.copy(&block.slice(0, whole(until_end)), &all.slice(0, whole(until_end)));
            let rest = whole(below - until_end);
            b.copy(&blocks.part(0).slice(0, rest), &all.slice(whole(until_end), rest));
            b.send_wait(first, &all);
        }
    }
    if let Some(own) = own {
        b.copy(&blocks.part(root), own);
    }
}

//! A 4-nomial tree: a rank receives from all its children at once. ⌈log₄ n⌉ rounds; for operations that commute.
//! MVAPICH2 1.9's reduction on a host.

use crate::collective::shapes::knomial;
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

const DEGREE: u32 = 4;

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (parent, rounds) = knomial(Node::new(b.rank, root, b.size).relative(), b.size, DEGREE);
    let children: Vec<u32> = rounds.concat().into_iter().rev().map(|child| absolute(child, root, b.size)).collect();
    let value = match result {
        Some(result) => result.clone(),
        None if children.is_empty() => own.clone(),
        None => b.scratch(own.count, &own.datatype),
    };
    b.copy(own, &value);
    let operands: Vec<Part> = children.iter().map(|_| b.scratch(own.count, &own.datatype)).collect();
    children.iter().zip(&operands).for_each(|(&child, operand)| b.recv(child, operand));
    b.fence();
    operands.iter().for_each(|operand| b.reduce(operand, &value));
    if let Some(parent) = parent {
        b.send_wait(absolute(parent, root, b.size), &value);
    }
}

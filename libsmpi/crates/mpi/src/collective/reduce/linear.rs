//! Everybody sends its vector to the root at once; the root combines them in rank order.
//!
//! SMPI's default. The root needs memory for n − 1 vectors.

use crate::collective::fold::Fold;
use crate::collective::{Builder, Part};

pub(in crate::collective) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let Some(result) = result else { return b.send_wait(root, own) };
    let mut operands = Vec::new();
    for rank in 1..b.size {
        let operand = b.scratch(own.count, &own.datatype);
        if rank == root {
            b.copy(own, &operand);
        } else {
            b.recv(rank, &operand);
        }
        operands.push(operand);
    }
    let first = if root == 0 { own.clone() } else { b.scratch(own.count, &own.datatype) };
    if root != 0 {
        b.recv(0, &first);
    }
    b.fence();
    let mut value = Fold::reading(&first);
    for operand in operands {
        value.append(b, operand);
    }
    b.copy(value.value(), result);
}

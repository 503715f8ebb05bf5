//! The root takes the vectors one after the other, from the last rank's to the first's, and combines them as they come.

use crate::collective::fold::Fold;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let Some(result) = result else { return b.send_wait(root, own) };
    let last = b.size - 1;
    let mut value = if root == last {
        Fold::reading(own)
    } else {
        let first = b.scratch(own.count, &own.datatype);
        b.recv_wait(last, &first);
        Fold::reading(&first)
    };
    for rank in (0..last).rev() {
        let operand = value.room(b);
        if rank == root {
            b.copy(own, &operand);
        } else {
            b.recv_wait(rank, &operand);
        }
        value.prepend(b, operand);
    }
    b.copy(value.value(), result);
}

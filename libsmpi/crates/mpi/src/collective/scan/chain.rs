//! Chain: each rank gets the reduction of all ranks before it from the one before, adds its own operand and passes it
//! on. n − 1 rounds of the whole vector. Open MPI's linear scan and exscan.

use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: &Part, inclusive: bool) {
    let before = (b.rank > 0).then(|| b.scratch(own.count, &own.datatype));
    // The own operand joins on the right; it may lie in the result's place.
    let upto = b.scratch(own.count, &own.datatype);
    b.copy(own, &upto);
    if let Some(before) = &before {
        b.recv_wait(b.rank - 1, before);
        b.reduce(before, &upto);
    }
    if b.rank + 1 < b.size {
        b.send_wait(b.rank + 1, &upto);
    }
    match before {
        _ if inclusive => b.copy(&upto, result),
        Some(before) => b.copy(&before, result),
        None => {}
    }
}

//! Everybody reports to rank 0, which then releases everybody: SMPI's default. 2 (n − 1) messages, all through rank 0.

use crate::collective::Builder;
use crate::collective::Part;

pub(super) fn build(b: &mut Builder) {
    let empty = Part::nothing();
    if b.rank > 0 {
        b.send(0, &empty);
        b.recv_wait(0, &empty);
        return;
    }
    (1..b.size).for_each(|rank| b.recv(rank, &empty));
    b.fence();
    (1..b.size).for_each(|rank| b.send(rank, &empty));
    b.fence();
}

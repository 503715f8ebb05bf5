//! A signal travels twice round the ring of ranks: once to collect, once to release. 2 n steps, one message at a time.

use crate::collective::Builder;
use crate::collective::Part;

pub(super) fn build(b: &mut Builder) {
    let empty = Part::nothing();
    let (left, right) = (b.before(1), b.after(1));
    if b.size == 1 {
        return;
    }
    for _ in 0..2 {
        if b.rank > 0 {
            b.recv_wait(left, &empty);
        }
        b.send(right, &empty);
        if b.rank == 0 {
            b.recv_wait(left, &empty);
        }
    }
    b.fence();
}

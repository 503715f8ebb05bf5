//! The root sends to everybody at once.

use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    if b.rank != root {
        b.recv_wait(root, data);
        return;
    }
    for rank in (0..b.size).filter(|&rank| rank != root) {
        b.send(rank, data);
    }
    b.fence();
}

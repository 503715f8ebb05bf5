//! The root sends to everybody, one after the other.

use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    if b.rank != root {
        b.recv_wait(root, data);
        return;
    }
    for rank in (0..b.size).filter(|&rank| rank != root) {
        b.send_wait(rank, data);
    }
}

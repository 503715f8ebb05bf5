//! Everybody sends its block to the root, which receives all of them at once.

use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    gather(b, send, recv, root, true);
}

/// The same for blocks of any size: empty ones do not travel.
pub(super) fn varying(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    gather(b, send, recv, root, false);
}

fn gather(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32, empty_too: bool) {
    let travels = |part: &Part| empty_too || part.size() > 0;
    if b.rank != root {
        if let Some(part) = send.filter(|part| travels(part)) {
            b.send_wait(root, part);
        }
        return;
    }
    let Some(blocks) = recv else { return };
    for rank in (0..b.size).filter(|&rank| rank != root) {
        let part = blocks.part(rank);
        if travels(&part) {
            b.recv(rank, &part);
        }
    }
    if let Some(own) = send {
        b.copy(own, &blocks.part(root));
    }
    b.fence();
}

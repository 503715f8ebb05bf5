//! The root sends everybody its block: one after the other, or all at once.

use crate::collective::{Builder, Part, Parts};

/// Each send ends before the next one starts.
pub(super) fn one_by_one(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    scatter(b, send, recv, root, |b, rank, part| b.send_wait(rank, part));
}

/// All sends share the root's link.
pub(super) fn at_once(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    scatter(b, send, recv, root, |b, rank, part| b.send(rank, part));
}

/// All at once, for blocks of any size: empty ones do not travel.
pub(super) fn varying(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    unless_empty(b, send, recv, root, |b, rank, part| b.send(rank, part));
}

/// One after the other, for blocks of any size: empty ones do not travel.
pub(super) fn varying_one_by_one(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    unless_empty(b, send, recv, root, |b, rank, part| b.send_wait(rank, part));
}

fn unless_empty(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32, give: Give) {
    if b.rank != root && recv.is_some_and(|part| part.size() == 0) {
        return;
    }
    scatter(b, send, recv, root, |b, rank, part| {
        if part.size() > 0 {
            give(b, rank, part);
        }
    });
}

/// How the root sends a block.
type Give = fn(&mut Builder, u32, &Part);

fn scatter(
    b: &mut Builder,
    send: Option<&Parts>,
    recv: Option<&Part>,
    root: u32,
    mut give: impl FnMut(&mut Builder, u32, &Part),
) {
    if b.rank != root {
        if let Some(part) = recv {
            b.recv_wait(root, part);
        }
        return;
    }
    let Some(blocks) = send else { return };
    if let Some(own) = recv {
        b.copy(&blocks.part(root), own);
    }
    for rank in (0..b.size).filter(|&rank| rank != root) {
        give(b, rank, &blocks.part(rank));
    }
    b.fence();
}

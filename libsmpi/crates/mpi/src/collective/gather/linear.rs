//! Everybody sends its block to the root, which receives them one after the other, or all at once.

use crate::collective::{Builder, Part, Parts};

/// Each message is there before the root asks for the next one.
pub(super) fn one_by_one(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    gather(b, send, recv, root, |b, rank, part| b.recv_wait(rank, part));
}

/// All messages share the root's link. SMPI's default.
pub(super) fn at_once(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    gather(b, send, recv, root, |b, rank, part| b.recv(rank, part));
}

/// All at once, for blocks of any size: empty ones do not travel.
pub(super) fn varying(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    unless_empty(b, send, recv, root, |b, rank, part| b.recv(rank, part));
}

/// One after the other, for blocks of any size: empty ones do not travel.
pub(super) fn varying_one_by_one(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    unless_empty(b, send, recv, root, |b, rank, part| b.recv_wait(rank, part));
}

fn unless_empty(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32, take: Take) {
    if b.rank != root && send.is_some_and(|part| part.size() == 0) {
        return;
    }
    gather(b, send, recv, root, |b, rank, part| {
        if part.size() > 0 {
            take(b, rank, part);
        }
    });
}

/// How the root receives a block.
type Take = fn(&mut Builder, u32, &Part);

fn gather(
    b: &mut Builder,
    send: Option<&Part>,
    recv: Option<&Parts>,
    root: u32,
    mut take: impl FnMut(&mut Builder, u32, &Part),
) {
    if b.rank != root {
        if let Some(part) = send {
            b.send_wait(root, part);
        }
        return;
    }
    let Some(blocks) = recv else { return };
    for rank in (0..b.size).filter(|&rank| rank != root) {
        take(b, rank, &blocks.part(rank));
    }
    if let Some(own) = send {
        b.copy(own, &blocks.part(root));
    }
    b.fence();
}

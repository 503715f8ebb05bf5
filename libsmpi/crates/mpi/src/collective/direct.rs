//! Everybody sends its blocks to everybody at once: n (n − 1) messages in one round.

use crate::collective::fold::combine;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts};

/// How an alltoall goes: blocks to send, blocks to receive; they do not overlap.
pub(super) type Alltoall = fn(&mut Builder, &Selection, &Parts, &Parts);

/// Every rank's own block goes to everybody of its group.
pub(super) fn allgather(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let own = blocks.part(b.rank);
    for distance in 1..b.size {
        let from = b.before(distance);
        let part = blocks.part(from);
        if part.size() > 0 {
            b.recv(from, &part);
        }
    }
    for distance in (1..b.size).filter(|_| own.size() > 0) {
        b.send(b.after(distance), &own);
    }
    b.fence();
}

/// Within a group as `local` does it, between two groups directly. Without `send` (`MPI_IN_PLACE`), what is received is
/// sent.
pub(super) fn alltoall(b: &mut Builder, selection: &Selection, send: Option<&Parts>, recv: &Parts, local: Alltoall) {
    match send {
        Some(send) if b.remote_size > 0 => between(b, send, recv),
        Some(send) => local(b, selection, send, recv),
        None => {
            let send = recv.snapshot(b, b.size);
            local(b, selection, &send, recv);
        }
    }
}

/// The blocks of an alltoall. Each rank starts with its neighbours, so that not everybody first turns to rank 0.
pub(super) fn within(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    for distance in 1..b.size {
        let from = b.after(distance);
        let part = recv.part(from);
        if part.size() > 0 {
            b.recv(from, &part);
        }
    }
    for distance in 1..b.size {
        let to = b.before(distance);
        let part = send.part(to);
        if part.size() > 0 {
            b.send(to, &part);
        }
    }
    b.fence();
}

/// The same with all ranks of an intercommunicator's other side.
fn between(b: &mut Builder, send: &Parts, recv: &Parts) {
    for rank in 0..b.remote_size {
        let part = recv.part(rank);
        if part.size() > 0 {
            b.recv_remote(rank, &part);
        }
    }
    for step in 0..b.remote_size {
        let to = ((u64::from(b.rank) + u64::from(step)) % u64::from(b.remote_size)) as u32;
        let part = send.part(to);
        if part.size() > 0 {
            b.send_remote(to, &part);
        }
    }
    b.fence();
}

/// Every rank gets its block of every operand and combines them in rank order. `blocks` are those of the own operand;
/// empty ones do not travel.
pub(super) fn reduce_scatter(b: &mut Builder, blocks: &Parts, result: &Part) {
    let (size, this, own) = (b.size, b.rank, blocks.part(b.rank));
    let mut operands = Vec::new();
    for rank in (0..size).filter(|_| own.size() > 0) {
        let operand = b.scratch(own.count, &own.datatype);
        if rank == this {
            b.copy(&own, &operand)
        } else {
            b.recv(rank, &operand)
        }
        operands.push(operand);
    }
    for rank in (0..size).filter(|&rank| rank != this) {
        let block = blocks.part(rank);
        if block.size() > 0 {
            b.send(rank, &block);
        }
    }
    b.fence();
    combine(b, operands, result);
}

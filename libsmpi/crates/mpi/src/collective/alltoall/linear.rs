//! All messages at once. Each rank starts with its neighbours, so that not everybody first turns to rank 0.

use crate::collective::{Builder, Parts};

pub(super) fn build(b: &mut Builder, send: &Parts, recv: &Parts) {
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
pub(super) fn between(b: &mut Builder, send: &Parts, recv: &Parts) {
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

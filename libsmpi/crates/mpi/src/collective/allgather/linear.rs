//! Everybody sends its block to everybody at once: n (n − 1) messages in one round.

use crate::collective::{Builder, Parts};

pub(in crate::collective) fn build(b: &mut Builder, blocks: &Parts) {
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

//! A 4-nomial tree: a rank sends to the three ranks of a round at once. ⌈log₄ n⌉ rounds. MVAPICH2 1.9's broadcast on a
//! host.

use crate::collective::shapes::knomial;
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

const DEGREE: u32 = 4;

pub(super) fn build(b: &mut Builder, data: &Part, root: u32) {
    let (parent, rounds) = knomial(Node::new(b.rank, root, b.size).relative(), b.size, DEGREE);
    if let Some(parent) = parent {
        b.recv_wait(absolute(parent, root, b.size), data);
    }
    for round in rounds {
        round.into_iter().for_each(|child| b.send(absolute(child, root, b.size), data));
        b.fence();
    }
}

//! A barrier on each host, one among the hosts' leaders, and a byte from each leader to its neighbours.
//!
//! Both barriers are disseminations. Source: MPICH's barrier for hosts with shared memory (MPICH 3.3,
//! `barrier_intra_smp`).

use crate::collective::barrier::bruck;
use crate::collective::hosts::Hosts;
use crate::collective::{Builder, bcast};
use crate::datatype::{Basic, Datatype};

pub(super) fn build(b: &mut Builder) {
    let hosts = Hosts::new(b);
    let neighbours = hosts.neighbours(b.rank);
    b.among(neighbours, bruck::build);
    if hosts.leader(b.rank) == b.rank {
        b.among(hosts.leaders(), bruck::build);
    }
    let byte = b.scratch(1, &Datatype::basic(Basic::Byte));
    b.among(neighbours, |b| bcast::binomial(b, &byte, 0));
}

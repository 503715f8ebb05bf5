//! First among hosts, then on each host.
//!
//! `SMP_binomial` has binomial trees for both; it takes hosts for runs of consecutive ranks, and begins at rank 0, to
//! which another root first sends the vector. MVAPICH2's (1.9) begin at the leader of the root's host, and leaders do
//! what MPICH's table says, or another one of `mvapich2_inter_node`. That is a building block there, which leaves
//! other ranks alone; here they get the vector as leaders do.

use crate::collective::bcast::{binomial, by_mpich, knomial, part, scatter_allgather};
use crate::collective::hosts::Hosts;
use crate::collective::select::Target;
use crate::collective::{Builder, Part};

pub(super) fn trees(b: &mut Builder, data: &Part, root: u32) {
    let Some(each) = Hosts::new(b).alike() else { return by_mpich(b, data, root) };
    let store = hand_over(b, data, root, 0);
    let first = b.rank / each * each;
    if b.rank == first {
        let firsts: Vec<u32> = (0..b.size).step_by(each as usize).collect();
        b.among(&firsts, |b| binomial::build(b, &store, 0));
    }
    let group: Vec<u32> = (first..first + each).collect();
    b.among(&group, |b| binomial::build(b, &store, 0));
}

/// Limits of MVAPICH2: the group for which sizes decide, the sizes, and the longest vector for a binomial tree on a
/// host.
const SMALL_GROUP: u32 = 64;
const SHORT_BYTES: u64 = 16 << 10;
const LARGE_BYTES: u64 = 512 << 10;
const HOST_BYTES: u64 = 128 << 10;

pub(super) fn inter_node(b: &mut Builder, data: &Part, root: u32) {
    let stages = b.stages;
    two_level(b, data, root, stages.between, |b, data, root| part(b, data, root, stages.within));
}

pub(super) fn intra_node(b: &mut Builder, data: &Part, root: u32) {
    match (b.size <= SMALL_GROUP, data.size()) {
        (true, ..=SHORT_BYTES) => binomial::build(b, data, root),
        (true, LARGE_BYTES..) => scatter_allgather::ring(b, data, root),
        (_, ..=HOST_BYTES) => two_level(b, data, root, None, by_mpich),
        _ => two_level(b, data, root, None, knomial::build),
    }
}

fn two_level(
    b: &mut Builder,
    data: &Part,
    root: u32,
    between: Option<Target>,
    on_host: impl Fn(&mut Builder, &Part, u32),
) {
    let (hosts, this) = (Hosts::new(b), b.rank);
    let store = hand_over(b, data, root, hosts.leader(root));
    if hosts.leader(this) == this {
        b.among(hosts.leaders(), |b| part(b, &store, hosts.of(root), between));
    }
    b.among(hosts.neighbours(this), |b| on_host(b, &store, 0));
}

/// The root sends its vector to the rank that begins. Gives what a rank passes on or receives: the vector, or on a root
/// that does not begin, memory for what comes back.
fn hand_over(b: &mut Builder, data: &Part, root: u32, begins: u32) -> Part {
    if root == begins || (b.rank != root && b.rank != begins) {
        return data.clone();
    }
    if b.rank == begins {
        b.recv_wait(root, data);
        return data.clone();
    }
    b.send_wait(begins, data);
    b.scratch(data.count, &data.datatype)
}

//! Each host reduces to its leader, leaders reduce to the leader of the root's host, which sends the result to the root
//! if it is not the root itself.
//!
//! Both steps do what MPICH's table says, or the rule that chose this algorithm. With one host only: short vectors go
//! to the host's first rank one after the other, longer ones up a 4-nomial tree. For operations that commute. Source:
//! MVAPICH2 1.9, as in SMPI 3.32.

use crate::collective::hosts::Hosts;
use crate::collective::reduce::{flat_tree, knomial, part};
use crate::collective::{Builder, Part};

/// Longest vector that ranks of one host send to the first of them.
const SHORT_BYTES: u64 = 2 << 10;

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (hosts, this, stages) = (Hosts::new(b), b.rank, b.stages);
    let (leaders, speaker) = (hosts.leaders(), hosts.leader(root));
    if leaders.len() == 1 && own.size() > SHORT_BYTES {
        return knomial::build(b, own, result, root);
    }
    let leads = hosts.leader(this) == this;
    // The root's result may be its operand: a leader that is no root, or not yet done, works beside it.
    let of_host = leads.then(|| b.scratch(own.count, &own.datatype));
    b.among(hosts.neighbours(this), |b| {
        if leaders.len() == 1 {
            flat_tree::build(b, own, of_host.as_ref(), 0);
        } else {
            part(b, own, of_host.as_ref(), 0, stages.within);
        }
    });
    let Some(of_host) = of_host else {
        if let Some(result) = result.filter(|_| this == root) {
            b.recv_wait(speaker, result);
        }
        return;
    };
    if leaders.len() == 1 {
        return deliver(b, &of_host, result, root);
    }
    let all = (this == speaker).then(|| b.scratch(own.count, &own.datatype));
    b.fence();
    b.among(leaders, |b| part(b, &of_host, all.as_ref(), hosts.of(root), stages.between));
    if let Some(all) = all {
        b.fence();
        deliver(b, &all, result, root);
    }
}

/// On the rank that has the value.
fn deliver(b: &mut Builder, value: &Part, result: Option<&Part>, root: u32) {
    match result {
        Some(result) if b.rank == root => b.copy(value, result),
        _ => b.send_wait(root, value),
    }
}

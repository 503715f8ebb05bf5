//! The leader of the root's host gets all blocks from the root, if it is not the root itself; leaders get the blocks of
//! their hosts from it and hand them out.
//!
//! Among leaders a binomial tree or one message each, on a host a binomial tree or what the rule says that chose this.
//! With one host only, the root sends each rank its block. Source: MVAPICH2 1.9, as in SMPI 3.32.

use crate::collective::hosts::Hosts;
use crate::collective::scatter::{Build, binomial, linear, part};
use crate::collective::{Builder, Part, Parts};

pub(super) fn by_tree(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    scatter(b, send, recv, root, binomial::smallest_first);
}

pub(super) fn direct(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32) {
    scatter(b, send, recv, root, linear::one_by_one);
}

fn scatter(b: &mut Builder, send: Option<&Parts>, recv: Option<&Part>, root: u32, among_leaders: Build) {
    let (hosts, stages) = (Hosts::new(b), b.stages);
    let leaders = hosts.leaders();
    if leaders.len() == 1 {
        return linear::one_by_one(b, send, recv, root);
    }
    let in_place = || send.map(|blocks| blocks.part(root));
    let Some(own) = recv.cloned().or_else(in_place).filter(|own| own.size() > 0) else { return };
    let (this, speaker) = (b.rank, hosts.leader(root));
    let counts: Vec<i64> = hosts.sizes().into_iter().map(|ranks| i64::from(ranks) * own.count).collect();
    let of_host = (hosts.leader(this) == this).then(|| b.scratch(counts[hosts.of(this) as usize], &own.datatype));
    if let (Some(blocks), true) = (send.filter(|_| this == root), speaker != root) {
        let first = blocks.part(0);
        b.send_wait(speaker, &first.slice(0, i64::from(b.size) * first.count));
    }
    let by_host = (this == speaker).then(|| by_host(b, &hosts, send, &own, root));
    if let Some(of_host) = &of_host {
        b.among(leaders, |b| {
            if counts.iter().all(|&count| count == counts[0]) {
                let blocks = by_host.map(|all| Parts::Even(all.slice(0, counts[0])));
                among_leaders(b, blocks.as_ref(), Some(of_host), hosts.of(root));
            } else {
                let blocks = by_host.map(|all| Parts::consecutive(&all, &counts));
                linear::varying(b, blocks.as_ref(), Some(of_host), hosts.of(root));
            }
        });
    }
    // A root that keeps its block and does not lead gets it once more, to nowhere.
    let target = recv.cloned().unwrap_or_else(|| b.scratch(own.count, &own.datatype));
    let first = of_host.map(|blocks| Parts::Even(blocks.slice(0, own.count)));
    b.among(hosts.neighbours(this), |b| part(b, first.as_ref(), &target, stages.within));
}

/// On the leader of the root's host: all blocks, host by host.
fn by_host(b: &mut Builder, hosts: &Hosts, send: Option<&Parts>, own: &Part, root: u32) -> Part {
    let count = i64::from(b.size) * own.count;
    let source = match send.filter(|_| b.rank == root) {
        Some(blocks) => blocks.clone(),
        None => {
            let all = b.scratch(count, &own.datatype);
            b.recv_wait(root, &all);
            Parts::Even(all.slice(0, own.count))
        }
    };
    let ordered = b.scratch(count, &own.datatype);
    for (place, rank) in (0..).zip(hosts.order()) {
        b.copy(&source.part(rank), &ordered.slice(place * own.count, own.count));
    }
    ordered
}

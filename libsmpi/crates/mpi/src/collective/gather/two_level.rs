//! The ranks of a host gather at their leader, leaders at the leader of the root's host, which sends all to the root if
//! it is not the root itself.
//!
//! On a host a binomial tree or what the rule says that chose this algorithm, among leaders one message each. Source:
//! MVAPICH2 1.9, as in SMPI 3.32.

use crate::collective::gather::{linear, part};
use crate::collective::hosts::Hosts;
use crate::collective::{Builder, Part, Parts};

pub(super) fn build(b: &mut Builder, send: Option<&Part>, recv: Option<&Parts>, root: u32) {
    let in_place = || recv.map(|blocks| blocks.part(root));
    let Some(own) = send.cloned().or_else(in_place).filter(|own| own.size() > 0) else { return };
    let (hosts, this, stages) = (Hosts::new(b), b.rank, b.stages);
    let (neighbours, speaker) = (hosts.neighbours(this), hosts.leader(root));
    let counts: Vec<i64> = hosts.sizes().into_iter().map(|ranks| i64::from(ranks) * own.count).collect();
    let of_host = (hosts.leader(this) == this).then(|| b.scratch(counts[hosts.of(this) as usize], &own.datatype));
    let first = of_host.as_ref().map(|blocks| Parts::Even(blocks.slice(0, own.count)));
    b.among(neighbours, |b| part(b, &own, first.as_ref(), stages.within));
    let all = (speaker == this).then(|| b.scratch(i64::from(b.size) * own.count, &own.datatype));
    if let Some(of_host) = of_host {
        let by_host = all.as_ref().map(|all| Parts::consecutive(all, &counts));
        b.among(hosts.leaders(), |b| {
            let gather =
                if counts.iter().all(|&count| count == counts[0]) { linear::one_by_one } else { linear::varying };
            gather(b, Some(&of_host), by_host.as_ref(), hosts.of(root));
        });
    }
    let Some(all) = all else {
        if let Some(blocks) = recv.filter(|_| this == root) {
            let first = blocks.part(0);
            b.recv_wait(speaker, &first.slice(0, i64::from(b.size) * first.count));
        }
        return;
    };
    let ordered = if this == root { None } else { Some(b.scratch(all.count, &own.datatype)) };
    for (place, rank) in (0..).zip(hosts.order()) {
        let block = all.slice(place * own.count, own.count);
        match (&ordered, recv) {
            (Some(whole), _) => b.copy(&block, &whole.slice(i64::from(rank) * own.count, own.count)),
            (None, Some(blocks)) => b.copy(&block, &blocks.part(rank)),
            _ => {}
        }
    }
    if let Some(whole) = ordered {
        b.send_wait(root, &whole);
    }
}

//! The ranks of a host gather their blocks at their leader, leaders exchange the blocks of their hosts, and each leader
//! broadcasts everything on its host.
//!
//! Any number of ranks on any host. Source: MVAPICH2 1.9, as in SMPI 3.32; leaders do what SMPI's table
//! `mpich` says, the steps on a host what the present one says.

use crate::collective::hosts::Hosts;
use crate::collective::select::{Selection, Selector};
use crate::collective::{Builder, Parts, allgather, bcast, gather};

pub(super) fn build(b: &mut Builder, selection: &Selection, blocks: &Parts) {
    let own = blocks.part(b.rank);
    if own.size() == 0 {
        return;
    }
    let (hosts, this) = (Hosts::new(b), b.rank);
    let neighbours = hosts.neighbours(this);
    // Blocks host by host.
    let all = b.scratch(i64::from(b.size) * own.count, &own.datatype);
    let counts: Vec<i64> = hosts.sizes().into_iter().map(|ranks| i64::from(ranks) * own.count).collect();
    let by_host = Parts::consecutive(&all, &counts);
    let leads = hosts.leader(this) == this;
    let ours = Parts::Even(by_host.part(hosts.of(this)).slice(0, own.count));
    b.among(neighbours, |b| gather::local(b, selection, Some(&own), leads.then_some(&ours), 0));
    if leads {
        let alike = counts.iter().all(|&count| count == counts[0]);
        b.among(hosts.leaders(), |b| {
            if alike {
                allgather::local(b, &Selection::new(Selector::SmpiMpich), &Parts::Even(all.slice(0, counts[0])), false);
            } else {
                allgather::local(b, selection, &by_host, true);
            }
        });
    }
    b.fence();
    b.among(neighbours, |b| bcast::local(b, selection, &all, 0));
    for (place, rank) in (0..).zip(hosts.order()) {
        b.copy(&all.slice(place * own.count, own.count), &blocks.part(rank));
    }
}

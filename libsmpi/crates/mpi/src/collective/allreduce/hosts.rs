//! First ranks of hosts reduce for their hosts, agree among themselves, and broadcast on their hosts; on a host by
//! binomial trees.
//!
//! Hosts are taken for runs of consecutive ranks, as SMPI does: see [`Hosts::each`]. They differ in what happens among
//! hosts: a binomial tree up and down (`smp_binomial`), the same with all four steps in a pipeline of segments of 4,096
//! elements, recursive doubling (`smp_rdb`), a ring (`smp_rsag`, `smp_rsag_lr`), recursive halving and doubling
//! (`smp_rsag_rab`). Source: P. Patarasuk's algorithms in STAR-MPI (Faraj, Yuan, Lowenthal, ICS 2006).

use crate::collective::allreduce::{doubling, halving_doubling, mvapich, ring};
use crate::collective::hosts::Hosts;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part, bcast, reduce};

/// Elements of a segment of the pipeline.
const SEGMENT: i64 = 4096;

/// An allreduce in place among some ranks.
type Among = fn(&mut Builder, &Part);

pub(super) fn binomial(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    with(b, own, result, |b, value| {
        up(b, value);
        bcast::binomial(b, value, 0);
    });
}

pub(super) fn with_doubling(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    with(b, own, result, |b, value| doubling::build(b, &Selection::default(), value, value));
}

pub(super) fn with_ring(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    with(b, own, result, |b, value| ring::build(b, &Selection::default(), value, value));
}

pub(super) fn with_logical_ring(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    with(b, own, result, |b, value| ring::first_longer(b, value, value));
}

pub(super) fn with_halving(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    with(b, own, result, |b, value| halving_doubling::build(b, &Selection::default(), value, value));
}

/// The ranks of the own host, and the first ranks of all hosts.
fn groups(b: &Builder) -> (Vec<u32>, Vec<u32>) {
    let each = Hosts::new(b).each();
    let first = b.rank / each * each;
    ((first..first + each).collect(), (0..b.size).step_by(each as usize).collect())
}

fn with(b: &mut Builder, own: &Part, result: &Part, among_hosts: Among) {
    let (neighbours, firsts) = groups(b);
    b.copy(own, result);
    b.among(&neighbours, |b| up(b, result));
    b.among(&firsts, |b| among_hosts(b, result));
    b.among(&neighbours, |b| bcast::binomial(b, result, 0));
}

/// A reduction in place to the first rank, by a binomial tree. The vectors of others are used up.
fn up(b: &mut Builder, value: &Part) {
    let target = (b.rank == 0).then_some(value);
    reduce::binomial(b, value, target, 0);
}

pub(super) fn pipeline(b: &mut Builder, _: &Selection, own: &Part, result: &Part) {
    let (neighbours, firsts) = groups(b);
    b.copy(own, result);
    let number = ((own.count + SEGMENT - 1) / SEGMENT).max(1);
    let segment = |index: i64| {
        let first = index * SEGMENT;
        (0..number).contains(&index).then(|| result.slice(first, SEGMENT.min(own.count - first)))
    };
    for phase in 0..number + 3 {
        if let Some(part) = segment(phase) {
            b.among(&neighbours, |b| up(b, &part));
        }
        if let Some(part) = segment(phase - 1) {
            b.among(&firsts, |b| up(b, &part));
        }
        if let Some(part) = segment(phase - 2) {
            b.among(&firsts, |b| bcast::binomial(b, &part, 0));
        }
        if let Some(part) = segment(phase - 3) {
            b.among(&neighbours, |b| bcast::binomial(b, &part, 0));
        }
    }
}

/// MVAPICH2 1.9's two levels, with the hosts as they are: an allreduce by MPICH's table on each host (or the reduction
/// that the rule says), recursive doubling among leaders (or what the rule says), a broadcast by the present table on
/// each host.
pub(super) fn two_level(b: &mut Builder, selection: &Selection, own: &Part, result: &Part) {
    let (hosts, stages) = (Hosts::new(b), b.stages);
    let neighbours = hosts.neighbours(b.rank);
    b.among(neighbours, |b| match stages.within {
        None => mvapich::on_host(b, own, result),
        within => reduce::part(b, own, (b.rank == 0).then_some(result), 0, within),
    });
    b.fence();
    let leaders = hosts.leaders();
    if leaders.len() > 1 && hosts.leader(b.rank) == b.rank {
        b.among(leaders, |b| mvapich::between(b, result, stages.between));
    }
    b.fence();
    b.among(neighbours, |b| bcast::local(b, selection, result, 0));
}

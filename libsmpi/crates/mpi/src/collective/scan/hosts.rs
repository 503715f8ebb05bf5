//! A scan on each host; the last rank of each host tells its leader the reduction of the host, leaders scan these and
//! pass the result on to the next leader, which tells its host what all hosts before reduce to.
//!
//! For ranks that are consecutive on their hosts; others double recursively. Source: MPICH 4.3 (`scan_intra_smp.c`).

use crate::collective::hosts::Hosts;
use crate::collective::scan::doubling;
use crate::collective::{Builder, Part, bcast};

pub(super) fn build(b: &mut Builder, own: &Part, result: &Part, inclusive: bool) {
    let hosts = Hosts::new(b);
    if !hosts.are_blocks() || hosts.number() == 1 {
        return doubling::build(b, own, result, inclusive);
    }
    let room = |b: &mut Builder| b.scratch(own.count, &own.datatype);
    let (this, host, neighbours) = (b.rank, hosts.of(b.rank), hosts.neighbours(b.rank));
    let is_leader = neighbours[0] == this;
    // Up to this rank, and before it, on the host.
    let (upto, before) = (room(b), (!inclusive && !is_leader).then(|| room(b)));
    b.copy(own, &upto);
    b.among(neighbours, |b| {
        if let Some(before) = &before {
            doubling::build(b, own, before, false);
            b.reduce(before, &upto);
        } else {
            doubling::build(b, own, &upto, inclusive);
        }
    });
    let last = neighbours[neighbours.len() - 1];
    let of_host = if is_leader && last != this { room(b) } else { upto.clone() };
    if is_leader && last != this {
        b.recv_wait(last, &of_host);
    } else if this == last && !is_leader {
        b.send_wait(neighbours[0], &upto);
    }
    let hosts_before = (host > 0).then(|| room(b));
    if is_leader {
        let with_host = room(b);
        b.among(hosts.leaders(), |b| {
            doubling::build(b, &of_host, &with_host, true);
            if b.rank + 1 < b.size {
                b.send(b.rank + 1, &with_host);
            }
            if let Some(hosts_before) = &hosts_before {
                b.recv(b.rank - 1, hosts_before);
            }
            b.fence();
        });
    }
    if let Some(hosts_before) = &hosts_before {
        b.among(neighbours, |b| bcast::binomial(b, hosts_before, 0));
    }
    let on_host = if inclusive { Some(upto) } else { before };
    match (hosts_before, on_host) {
        (Some(hosts_before), Some(on_host)) => {
            b.reduce(&hosts_before, &on_host);
            b.copy(&on_host, result);
        }
        (Some(value), None) | (None, Some(value)) => b.copy(&value, result),
        (None, None) => {}
    }
}

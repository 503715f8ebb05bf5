//! First among the ranks of a host, then among hosts, where neighbouring numbers are taken for ranks of one host.
//!
//! If all hosts have c ranks, ranks 0 … c − 1 are one group, the next c ranks another; if not, each rank is a group of
//! its own. `simple` and `ring` let one rank of a group talk to other groups, `rings` has c rings of ranks with the
//! same place in their groups. Source: P. Patarasuk's algorithms for clusters of multi-core hosts in STAR-MPI (A.
//! Faraj, X. Yuan, D. Lowenthal, ICS 2006).

use crate::collective::hosts::Hosts;
use crate::collective::select::Selection;
use crate::collective::{Builder, Part, Parts, direct};

/// Groups of consecutive ranks, all of the same size.
struct Groups<'a> {
    blocks: &'a Parts,
    /// Ranks in a group.
    each: u32,
    number: u32,
    /// The own group, and the own place in it.
    group: u32,
    place: u32,
}

impl Groups<'_> {
    fn new<'a>(b: &Builder, blocks: &'a Parts) -> Groups<'a> {
        let each = Hosts::new(b).each();
        Groups { blocks, each, number: b.size / each, group: b.rank / each, place: b.rank % each }
    }

    /// The rank at a place of the own group.
    fn neighbour(&self, place: u32) -> u32 {
        self.group * self.each + place % self.each
    }

    /// The group `distance` before the own one.
    fn before(&self, distance: u32) -> u32 {
        (self.group + self.number - distance % self.number) % self.number
    }

    /// The blocks of a group.
    fn of(&self, group: u32) -> Part {
        let first = self.blocks.part(group * self.each);
        first.slice(0, i64::from(self.each) * first.count)
    }

    /// Each rank of the own group sends its block to all others of it, in rounds.
    fn spread(&self, b: &mut Builder) {
        let own = self.blocks.part(b.rank);
        for round in 1..self.each {
            let (to, from) = (self.neighbour(self.place + round), self.neighbour(self.place + self.each - round));
            b.exchange_known(to, &own, from, &self.blocks.part(from));
        }
    }
}

/// The first ranks of the groups exchange the blocks of their groups, all at once, and hand everything down.
pub(super) fn simple(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let groups = Groups::new(b, blocks);
    let first = blocks.part(0);
    if first.size() == 0 {
        return;
    }
    groups.spread(b);
    let whole = first.slice(0, i64::from(b.size) * first.count);
    if groups.place > 0 {
        return b.recv_wait(groups.neighbour(0), &whole);
    }
    for distance in 1..groups.number {
        let from = groups.before(distance);
        b.recv(from * groups.each, &groups.of(from));
    }
    for distance in 1..groups.number {
        b.send((groups.group + distance) % groups.number * groups.each, &groups.of(groups.group));
    }
    b.fence();
    for place in 1..groups.each {
        b.send_wait(groups.neighbour(place), &whole);
    }
}

/// The first ranks are a ring, and what goes round is passed down a chain in each group. A first rank waits for what
/// arrives and for what it passes down, not for what it sends to the next group; the others send before they receive
/// again.
pub(super) fn ring(b: &mut Builder, selection: &Selection, blocks: &Parts) {
    let groups = Groups::new(b, blocks);
    if blocks.part(0).size() == 0 {
        return;
    }
    if groups.number == 1 {
        return direct::allgather(b, selection, blocks);
    }
    groups.spread(b);
    let has_next = groups.place + 1 < groups.each;
    let arriving = |distance: u32| groups.of(groups.before(distance));
    if groups.place > 0 {
        for distance in 1..groups.number {
            b.recv_wait(b.rank - 1, &arriving(distance));
            if has_next {
                b.send_wait(b.rank + 1, &arriving(distance));
            }
        }
        return;
    }
    let (left, right) = (groups.before(1) * groups.each, (groups.group + 1) % groups.number * groups.each);
    let posted: Vec<_> = (1..groups.number).map(|distance| b.begin_recv(left, &arriving(distance))).collect();
    b.send(right, &arriving(0));
    for (distance, posted) in (1..).zip(posted) {
        b.wait_for(posted);
        if distance + 1 < groups.number {
            b.send(right, &arriving(distance));
        }
        if has_next {
            b.send_in_turn(b.rank + 1, &arriving(distance));
        }
    }
    b.fence();
}

/// Ranks with the same place are a ring; what a rank gets in one round it gives its neighbours in the next. A round
/// ends when the ring's message has come; the others may come later.
pub(super) fn rings(b: &mut Builder, _: &Selection, blocks: &Parts) {
    let groups = Groups::new(b, blocks);
    if blocks.part(0).size() == 0 {
        return;
    }
    let block = |group: u32, place: u32| blocks.part(group * groups.each + place);
    let (next, last) = (b.after(groups.each), b.before(groups.each));
    for round in 0..groups.number {
        let (own, arriving) = (groups.before(round), groups.before(round + 1));
        let mut of_ring = None;
        for place in 0..groups.each {
            let neighbour = groups.neighbour(place);
            if place != groups.place {
                b.recv(neighbour, &block(own, place));
                b.send(neighbour, &block(own, groups.place));
            } else if round + 1 < groups.number {
                of_ring = Some(b.begin_recv(last, &block(arriving, groups.place)));
                b.send(next, &block(own, groups.place));
            }
        }
        if let Some(arrival) = of_ring {
            b.wait_for(arrival);
        }
    }
    b.fence();
}

//! Vectors in segments of 8 KiB that pass down a tree: a rank passes on each segment when it has it.
//!
//! A rank is ready for all segments from the beginning. Chains and trees of ranks leave it to the network in which
//! order the segments go on; those of hosts, and vectors of one segment, release one send after the other, as SMPI's
//! do.
//!
//! The trees begin at rank 0, to which another root first sends the whole vector: a chain (`NTSL`), a binary tree
//! (`NTSB`), and trees of hosts whose first ranks begin a tree on their hosts: chains (`SMP_linear`) and binary trees
//! (`SMP_binary`). Hosts are taken for runs of consecutive ranks, as SMPI does; where they have different numbers of
//! ranks, MPICH's table chooses the algorithm. Source: P. Patarasuk, A. Faraj, X. Yuan, "Pipelined broadcast on
//! Ethernet switched clusters", JPDC 68(6), 2008.

use crate::collective::args::Bytes;
use crate::collective::bcast::{binomial, by_mpich};
use crate::collective::hosts::Hosts;
use crate::collective::schedule::Posted;
use crate::collective::segments::Segments;
use crate::collective::shapes::Place;
use crate::collective::{Builder, Part};

const SEGMENT_BYTES: u64 = 8 << 10;

pub(super) fn chain(b: &mut Builder, data: &Part, root: u32) {
    let rank = b.rank;
    let place = Place { parent: rank.checked_sub(1), children: below(b, [rank + 1]) };
    pass(b, data, root, &place, Sends::AtOnce);
}

pub(super) fn binary(b: &mut Builder, data: &Part, root: u32) {
    let place = binary_place(b.rank, b.size);
    pass(b, data, root, &place, Sends::AtOnce);
}

fn binary_place(number: u32, size: u32) -> Place {
    let children = [2 * number + 1, 2 * number + 2].into_iter().filter(|&child| child < size).collect();
    Place { parent: number.checked_sub(1).map(|before| before / 2), children }
}

pub(super) fn chain_of_hosts(b: &mut Builder, data: &Part, root: u32) {
    let Some(each) = Hosts::new(b).alike() else { return by_mpich(b, data, root) };
    if b.size <= each {
        return binomial::build(b, data, root);
    }
    let (rank, first) = (b.rank, b.rank.is_multiple_of(each));
    let mut children = if first { below(b, [rank + each]) } else { Vec::new() };
    if !(rank + 1).is_multiple_of(each) {
        children.push(rank + 1);
    }
    let parent = if first { rank.checked_sub(each) } else { Some(rank - 1) };
    pass(b, data, root, &Place { parent, children }, Sends::InTurn);
}

pub(super) fn binary_of_hosts(b: &mut Builder, data: &Part, root: u32) {
    let Some(each) = Hosts::new(b).alike() else { return by_mpich(b, data, root) };
    let (host, number) = (b.rank / each, b.rank % each);
    let mut place = binary_place(number, each).map(|number| host * each + number);
    if number == 0 {
        let between = binary_place(host, b.size / each).map(|host| host * each);
        place = Place { parent: between.parent, children: [between.children, place.children].concat() };
    }
    pass(b, data, root, &place, Sends::InTurn);
}

fn below<const N: usize>(b: &Builder, ranks: [u32; N]) -> Vec<u32> {
    ranks.into_iter().filter(|&rank| rank < b.size).collect()
}

/// When the next send begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sends {
    AtOnce,
    /// When the one before has released the sender.
    InTurn,
}

/// Passes the segments down a tree over ranks that begins at rank 0. What is left after the last whole segment is a
/// vector of its own, which follows; another root, which has sent the whole vector before, sends it once more.
fn pass(b: &mut Builder, data: &Part, root: u32, place: &Place, sends: Sends) {
    let vector = Bytes::new(b, data, b.rank == root);
    let bytes = &vector.bytes;
    let whole = Segments::of_bytes(bytes, SEGMENT_BYTES).elements_of_whole();
    pass_bytes(b, bytes, whole, root, place, sends);
    if whole < bytes.count {
        let rest = bytes.slice(whole, bytes.count - whole);
        pass_bytes(b, &rest, rest.count, root, place, sends);
    }
    if b.rank != root {
        vector.unpack(b, data);
    }
}

/// Passes on the first bytes of what the root has.
fn pass_bytes(b: &mut Builder, bytes: &Part, number: i64, root: u32, place: &Place, sends: Sends) {
    if root != 0 && b.rank == root {
        b.send_wait(0, bytes);
    }
    if root != 0 && b.rank == 0 {
        b.recv_wait(root, bytes);
    }
    let bytes = bytes.slice(0, number);
    // Another root gets its own vector back.
    let comes_back = b.rank == root && root != 0;
    let store = if comes_back { b.scratch(number, &bytes.datatype) } else { bytes };
    let segments = Segments::of_bytes(&store, SEGMENT_BYTES);
    let in_turn = sends == Sends::InTurn || segments.number() == 1;
    let arrivals: Vec<Posted> = place.parent.iter().flat_map(|&parent| b.begin_recvs(parent, &segments)).collect();
    for (index, segment) in segments.iter().enumerate() {
        if let Some(&arrival) = arrivals.get(index) {
            b.wait_for(arrival);
        }
        for &child in &place.children {
            let sent = b.begin_send(child, &segment);
            if in_turn {
                b.wait_for(sent);
            }
        }
    }
    b.fence();
}

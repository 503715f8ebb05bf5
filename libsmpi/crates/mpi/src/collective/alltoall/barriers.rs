//! Pairwise exchanges and rings whose rounds are kept apart: by barriers, by one at the beginning, or by a byte for the
//! next partner ("light").
//!
//! Without them, ranks that are ahead take bandwidth from those that are behind. Source: STAR-MPI (A. Faraj, X. Yuan,
//! D. Lowenthal, ICS 2006), as in SMPI 3.32. Pairs are made for powers of two; with other numbers they are rings, as in
//! [`pair`].
//!
//! [`pair`]: crate::collective::alltoall::pair

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, allgather, barrier};
use crate::datatype::{Basic, Datatype};

/// Whom a rank sends to and receives from in a round.
type Partners = fn(&Builder, u32) -> (u32, u32);

fn pairs(b: &Builder, round: u32) -> (u32, u32) {
    if b.size.is_power_of_two() { (b.rank ^ round, b.rank ^ round) } else { ring(b, round) }
}

fn ring(b: &Builder, round: u32) -> (u32, u32) {
    (b.after(round), b.before(round))
}

pub(super) fn pair_light(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    light(b, send, recv, pairs);
}

pub(super) fn ring_light(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    light(b, send, recv, ring);
}

pub(super) fn pair_each(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    each(b, selection, send, recv, pairs);
}

pub(super) fn ring_each(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    each(b, selection, send, recv, ring);
}

pub(super) fn pair_one(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    barrier::local(b, selection);
    rounds(b, send, recv, pairs, |_, _| {});
}

pub(super) fn ring_one(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    barrier::local(b, selection);
    rounds(b, send, recv, ring, |_, _| {});
}

/// As puts into a window between two fences, with the messages that SMPI has for them: the ranks tell each other
/// their windows, a fence is two barriers, and so is freeing the window. Puts are received as they come; nobody waits
/// for them before the second fence's first barrier.
pub(super) fn puts(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    let windows = b.scratch(i64::from(b.size), &Datatype::basic(Basic::Int64));
    allgather::local(b, selection, &Parts::Even(windows.slice(0, 1)), false);
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    let partners: Vec<(u32, u32)> = (1..b.size).map(|round| pairs(b, round)).collect();
    barrier::local(b, selection);
    // A rank that leaves this barrier finds the receives of all others.
    let receive = |b: &mut Builder| {
        for &(_, from) in partners.iter().filter(|(_, from)| recv.part(*from).size() > 0) {
            b.recv(from, &recv.part(from));
        }
    };
    b.aside(|b| barrier::local(b, selection), receive);
    for &(to, _) in partners.iter().filter(|(to, _)| send.part(*to).size() > 0) {
        b.send(to, &send.part(to));
    }
    b.aside(|b| barrier::local(b, selection), |_| {});
    b.fence();
    for _ in 0..3 {
        barrier::local(b, selection);
    }
}

/// A barrier before each round, also before that in which ranks keep their own block.
fn each(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts, partners: Partners) {
    barrier::local(b, selection);
    rounds(b, send, recv, partners, |b, _| barrier::local(b, selection));
}

/// Before a round, the receiver tells its sender that it is ready.
fn light(b: &mut Builder, send: &Parts, recv: &Parts, partners: Partners) {
    let byte = Datatype::basic(Basic::Byte);
    let (out, arriving) = (b.scratch(1, &byte), b.scratch(1, &byte));
    rounds(b, send, recv, partners, |b, round| {
        let (to, from) = partners(b, round);
        if round > 1 {
            b.exchange(from, &out, to, &arriving);
        }
    });
}

fn rounds(b: &mut Builder, send: &Parts, recv: &Parts, partners: Partners, mut before: impl FnMut(&mut Builder, u32)) {
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    for round in 1..b.size {
        before(b, round);
        let (to, from) = partners(b, round);
        b.exchange_known(to, &send.part(to), from, &recv.part(from));
    }
}

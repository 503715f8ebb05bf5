//! Pairwise exchanges and rings whose rounds are kept apart: by barriers, by one at the beginning, or by a byte for the
//! next partner ("light").
//!
//! Without them, ranks that are ahead take bandwidth from those that are behind. Source: STAR-MPI (A. Faraj, X. Yuan,
//! D. Lowenthal, ICS 2006), as in SMPI 3.32. Pairs are made for powers of two; with other numbers they are rings, as in
//! [`pair`].
//!
//! [`pair`]: crate::collective::alltoall::pair

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts, barrier, direct};
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

/// As puts into a window: everything at once between two barriers, which are the window's fences.
pub(super) fn puts(b: &mut Builder, selection: &Selection, send: &Parts, recv: &Parts) {
    barrier::local(b, selection);
    direct::within(b, selection, send, recv);
    barrier::local(b, selection);
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

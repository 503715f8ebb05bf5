//! Long vectors: Rabenseifner's reduce-scatter, then its rounds backwards towards the root (`rab`), or among all for an
//! allreduce of the same name.
//!
//! ```text
//! 5 ranks:  0 ⇄ 1       half a vector each: 0 has the sum of both, and takes part as participant 0 of 4
//!           0 2 3 4     reduce-scatter; for root 3 (participant 2), the last round backwards: 0 → 3, 2 → 4
//!                       and the first: 2 → 0, 4 → 3
//! ```
//!
//! In each round backwards, *all* participants on the other side than the root send what they kept in that round: also
//! those that have sent before, although nobody needs it. A root that is not among the participants takes the place of
//! participant 0, which gives it its piece. Halves are cut again and again, the second one longer if need be. Lower
//! ranks are left operands.
//!
//! Source: Rabenseifner, "Optimization of collective reduction operations", ICCS 2004, as in SMPI 3.32.

use crate::collective::reduce::participants::{Participants, bit};
use crate::collective::{Builder, Part};

/// For each round, the halves of what a participant has: first and number of elements. It keeps the half with the
/// number of its bit.
fn halves(all: &Participants, number: u32, count: i64) -> Vec<[(i64, i64); 2]> {
    let mut kept = (0, count);
    let halves = (0..all.number.ilog2()).map(|round| {
        let (start, count) = kept;
        let halves = [(start, count / 2), (start + count / 2, count - count / 2)];
        kept = halves[bit(number, round)];
        halves
    });
    halves.collect()
}

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let all = Participants::new(b.size);
    let vector = result.cloned().unwrap_or_else(|| b.scratch(own.count, &own.datatype));
    b.copy(own, &vector);
    let room = b.scratch(own.count - own.count / 2, &own.datatype);
    if b.rank < all.divided() {
        merge(b, &vector, &room);
    }
    if all.takes_part(b.rank) {
        scatter(b, &all, &vector, &room);
    }
    collect(b, &all, &vector, root);
}

/// The allreduce: in the rounds backwards, participants exchange what they have.
pub(in crate::collective) fn everywhere(b: &mut Builder, own: &Part, vector: &Part) {
    let all = Participants::new(b.size);
    b.copy(own, vector);
    let room = b.scratch(own.count - own.count / 2, &own.datatype);
    let is_divided = b.rank < all.divided();
    if is_divided {
        merge(b, vector, &room);
    }
    if !all.takes_part(b.rank) {
        return b.recv_wait(b.rank - 1, vector);
    }
    scatter(b, &all, vector, &room);
    let number = all.of_rank(b.rank);
    let rounds: Vec<_> = (0..).zip(halves(&all, number, vector.count)).collect();
    for (round, halves) in rounds.into_iter().rev() {
        let (upper, partner) = (bit(number, round), all.rank(number ^ 1 << round));
        let [kept, given] = [upper, 1 - upper].map(|half| vector.slice(halves[half].0, halves[half].1));
        b.exchange(partner, &kept, partner, &given);
    }
    if is_divided {
        b.send_wait(b.rank + 1, vector);
    }
}

/// Two neighbours: the even one has the sum of both vectors.
fn merge(b: &mut Builder, vector: &Part, room: &Part) {
    let (low, high) = (vector.slice(0, vector.count / 2), vector.slice(vector.count / 2, room.count));
    if b.rank.is_multiple_of(2) {
        let operand = room.slice(0, low.count);
        b.exchange(b.rank + 1, &high, b.rank + 1, &operand);
        b.reduce(&low, &operand);
        b.copy(&operand, &low);
        b.recv_wait(b.rank + 1, &high);
    } else {
        b.exchange(b.rank - 1, &low, b.rank - 1, room);
        b.reduce(room, &high);
        b.send_wait(b.rank - 1, &high);
    }
}

fn scatter(b: &mut Builder, all: &Participants, vector: &Part, room: &Part) {
    let number = all.of_rank(b.rank);
    for (round, halves) in (0..).zip(halves(all, number, vector.count)) {
        let upper = bit(number, round);
        let partner = all.rank(number ^ 1 << round);
        let [keep, give] = [upper, 1 - upper].map(|half| vector.slice(halves[half].0, halves[half].1));
        let operand = room.slice(0, keep.count);
        b.exchange(partner, &give, partner, &operand);
        if upper == 1 {
            b.reduce(&operand, &keep);
        } else {
            b.reduce(&keep, &operand);
            b.copy(&operand, &keep);
        }
    }
}

/// The rounds backwards.
fn collect(b: &mut Builder, all: &Participants, vector: &Part, root: u32) {
    if !all.takes_part(b.rank) && b.rank != root {
        return;
    }
    let aim = all.aim(root);
    let number = if b.rank == root { aim } else { all.of_rank(b.rank) };
    let rounds: Vec<_> = (0..).zip(halves(all, number, vector.count)).collect();
    if !all.takes_part(root) && number == 0 {
        // The first half each time.
        let (first, count) = rounds.last().map_or((0, vector.count), |(_, halves)| halves[0]);
        let piece = vector.slice(first, count);
        if b.rank == 0 {
            return b.send_wait(root, &piece);
        }
        b.recv_wait(0, &piece);
    }
    for (round, halves) in rounds.into_iter().rev() {
        let upper = bit(number, round);
        let partner = number ^ 1 << round;
        let partner = if partner == aim { root } else { all.rank(partner) };
        let [kept, given] = [upper, 1 - upper].map(|half| vector.slice(halves[half].0, halves[half].1));
        if upper == bit(aim, round) {
            b.recv_wait(partner, &given);
        } else {
            b.send_wait(partner, &kept);
        }
    }
}

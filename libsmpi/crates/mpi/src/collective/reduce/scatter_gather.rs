//! Long vectors: Rabenseifner's reduce-scatter, then the root collects the pieces.
//!
//! Moves about twice the vector per rank instead of log₂ n times. Of the ranks beyond a power of two, odd ones first
//! give their vector to their left neighbours; a root among them takes the place of participant 0 at the end. Needs a
//! commutative operation. A vector with fewer elements than participants is filled up to one for each, as in SMPI.
//! Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
//! MPICH", IJHPCA 2005, §4.4; MPICH 3.3.

use crate::collective::args::{Cut, Rest};
use crate::collective::reduce::halving;
use crate::collective::reduce::participants::{Participants, bit};
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let all = Participants::new(b.size);
    let takes_part = all.takes_part(b.rank);
    if !takes_part {
        b.send_wait(b.rank - 1, own);
        if b.rank != root {
            return;
        }
    }
    let count = if own.count == 0 { 0 } else { own.count.max(i64::from(all.number)) };
    let store = result.filter(|_| count == own.count).cloned();
    let vector = store.unwrap_or_else(|| b.scratch(count, &own.datatype));
    let cut = Cut { count, pieces: all.number, rest: Rest::Last };
    let number = if takes_part { all.of_rank(b.rank) } else { 0 };
    let rounds = halving::rounds(number, all.number);
    if takes_part {
        let value = vector.slice(0, own.count);
        b.copy(own, &value);
        if b.rank < all.divided() {
            let operand = b.scratch(own.count, &own.datatype);
            b.recv_wait(b.rank + 1, &operand);
            b.reduce(&operand, &value);
        }
        halving::scatter(b, &vector, (cut, own.count), &rounds, |number| all.rank(number));
    }
    let aim = all.aim(root);
    if !all.takes_part(root) && number == 0 {
        let piece = rounds.last().map_or(vector.clone(), |round| cut.range(&vector, round.keep.0, round.keep.1));
        if takes_part {
            return b.send_wait(root, &piece);
        }
        b.recv_wait(0, &piece);
    }
    // The rounds backwards: in each, the ranks on the other side than the root pass on what they have, and are through.
    for (index, round) in rounds.iter().enumerate().rev() {
        let other = if round.partner == aim { root } else { all.rank(round.partner) };
        if bit(number, index as u32) != bit(aim, index as u32) {
            return b.send_wait(other, &cut.range(&vector, round.keep.0, round.keep.1));
        }
        b.recv_wait(other, &cut.range(&vector, round.give.0, round.give.1));
    }
    if let Some(result) = result.filter(|_| count > own.count) {
        b.copy(&vector.slice(0, own.count), result);
    }
}

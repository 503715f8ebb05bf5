//! Long vectors: Rabenseifner's reduce-scatter, then the root collects the pieces.
//!
//! Moves about twice the vector per rank instead of log₂ n times. Of the ranks beyond a power of two, odd ones first
//! give their vector to their left neighbours; a root among them takes the place of participant 0 at the end. Needs a
//! commutative operation. Source: Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in
//! MPICH", IJHPCA 2005, §4.4; MPICH 3.3.

use crate::collective::args::Cut;
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
    let vector = result.cloned().unwrap_or_else(|| b.scratch(own.count, &own.datatype));
    let cut = Cut { count: own.count, pieces: all.number };
    let number = if takes_part { all.of_rank(b.rank) } else { 0 };
    let rounds = halving::rounds(number, all.number);
    if takes_part {
        b.copy(own, &vector);
        if b.rank < all.divided() {
            let operand = b.scratch(own.count, &own.datatype);
            b.recv_wait(b.rank + 1, &operand);
            b.reduce(&operand, &vector);
        }
        halving::scatter(b, &vector, cut, &rounds, |number| all.rank(number));
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
            let mine = cut.range(&vector, round.keep.0, round.keep.1);
            if mine.size() > 0 {
                b.send_wait(other, &mine);
            }
            return;
        }
        let theirs = cut.range(&vector, round.give.0, round.give.1);
        if theirs.size() > 0 {
            b.recv_wait(other, &theirs);
        }
    }
}

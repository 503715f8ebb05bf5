//! Long vectors: Rabenseifner's reduce-scatter, then the root collects the pieces.
//!
//! Moves about twice the vector per rank instead of log₂ n times. Ranks beyond a power of two first give their vector
//! to a neighbour. Ranks are counted from the root, which therefore always takes part; this needs a commutative
//! operation.

use crate::collective::args::{Cut, power_below};
use crate::collective::reduce::halving;
use crate::collective::tree::{Node, absolute};
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: Option<&Part>, root: u32) {
    let (size, participants) = (b.size, power_below(b.size));
    let extra = size - participants;
    let relative = Node::new(b.rank, root, size).relative();
    let peer = |relative: u32| absolute(relative, root, size);
    // Of the first 2·extra ranks, the odd ones hand over to their left neighbour.
    if relative < 2 * extra && relative % 2 == 1 {
        return b.send_wait(peer(relative - 1), own);
    }
    let vector = result.cloned().unwrap_or_else(|| b.scratch(own.count, &own.datatype));
    b.copy(own, &vector);
    let number = if relative < 2 * extra { relative / 2 } else { relative - extra };
    if relative < 2 * extra {
        let operand = b.scratch(own.count, &own.datatype);
        b.recv_wait(peer(relative + 1), &operand);
        b.reduce(&operand, &vector);
    }
    let member = |number: u32| peer(if number < extra { 2 * number } else { number + extra });
    let cut = Cut { count: own.count, pieces: participants };
    let rounds = halving::rounds(number, participants);
    halving::scatter(b, &vector, cut, &rounds, member);
    // The rounds backwards: in each, the ranks with the bit set pass on what they have, and are through.
    for round in rounds.iter().rev() {
        let other = member(round.partner);
        if number > round.partner {
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

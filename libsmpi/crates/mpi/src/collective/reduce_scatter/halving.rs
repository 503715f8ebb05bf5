//! Recursive halving: in each round, a rank gives the half of its blocks that belongs to the other half of the ranks.
//!
//! log₂ n rounds with n − 1 blocks in total per rank; for operations that commute. When n is no power of two, the first
//! ranks join in pairs: the even one hands its vector over before, and gets its block after.

use crate::collective::Builder;
use crate::collective::reduce_scatter::Call;
use crate::collective::reduce_scatter::pairs::Pairs;
use crate::collective::select::Selection;

pub(super) fn build(b: &mut Builder, _: &Selection, call: &Call) {
    let pairs = Pairs::of(b.size);
    let Some((number, value, room)) = pairs.join(b, call, |number| number, false) else { return };
    let (mut low, mut high) = (0, pairs.participants);
    let mut mask = pairs.participants / 2;
    while mask > 0 {
        let middle = low + mask;
        let upper = number >= middle;
        let other = pairs.member(number ^ mask);
        let (keep, give) = if upper { ((middle, high), (low, middle)) } else { ((low, middle), (middle, high)) };
        let part = |vector, (from, to): (u32, u32)| call.range(vector, pairs.first(from), pairs.first(to));
        let (kept, operand) = (part(&value, keep), part(&room, keep));
        b.exchange_known(other, &part(&value, give), other, &operand);
        b.reduce(&operand, &kept);
        (low, high) = keep;
        mask /= 2;
    }
    b.copy(&call.range(&value, b.rank, b.rank + 1), call.result);
    let partner = call.range(&value, pairs.first(number), pairs.first(number) + 1);
    if number < pairs.extra && partner.size() > 0 {
        b.send_wait(b.rank - 1, &partner);
    }
}

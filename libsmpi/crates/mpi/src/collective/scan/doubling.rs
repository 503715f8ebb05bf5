//! Recursive doubling: in each round, groups of ranks exchange their values; the upper one adds it to its members'
//! results.
//!
//! ⌈log₂ n⌉ rounds of the whole vector, for any n, always in rank order. Source: Hillis, Steele, CACM 29(12), 1986,
//! with the exchange pattern of recursive doubling.

use crate::collective::fold::Fold;
use crate::collective::{Builder, Part};

pub(super) fn build(b: &mut Builder, own: &Part, result: &Part, inclusive: bool) {
    // The value of the whole group so far, and that of its ranks up to (or before) this one.
    let mut group = Fold::reading(own);
    let mut before: Option<Part> = None;
    let mut mask = 1;
    while mask < b.size {
        let partner = b.rank ^ mask;
        if partner < b.size {
            let operand = group.room(b);
            b.exchange(partner, group.value(), partner, &operand);
            if partner < b.rank {
                match &before {
                    Some(value) => b.reduce(&operand, value),
                    None => {
                        let value = b.scratch(own.count, &own.datatype);
                        b.copy(&operand, &value);
                        before = Some(value);
                    }
                }
            }
            group.combine(b, operand, partner < b.rank);
        }
        mask *= 2;
    }
    match (before, inclusive) {
        (Some(value), true) => {
            // The own operand joins last, on the right; it may lie in the result's place.
            let last = b.scratch(own.count, &own.datatype);
            b.copy(own, &last);
            b.reduce(&value, &last);
            b.copy(&last, result);
        }
        (Some(value), false) => b.copy(&value, result),
        (None, true) => b.copy(own, result),
        (None, false) => {}
    }
}

//! Dissemination: in round k everybody signals the rank 2ᵏ further and waits for the one 2ᵏ back.
//!
//! ⌈log₂ n⌉ rounds for any n. Source: Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization", 1988.

use crate::collective::Builder;
use crate::collective::Part;

pub(super) fn build(b: &mut Builder) {
    let empty = Part::nothing();
    let mut distance = 1;
    while distance < b.size {
        b.exchange(b.after(distance), &empty, b.before(distance), &empty);
        distance *= 2;
    }
}

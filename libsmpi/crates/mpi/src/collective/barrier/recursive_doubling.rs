//! Recursive doubling: rounds of pairwise exchanges among the largest power of two of ranks; each rank beyond reports
//! to one of them first and is released by it last. log₂ n rounds, plus two when n is no power of two.

use crate::collective::Builder;
use crate::collective::Part;
use crate::collective::args::power_below;

pub(super) fn build(b: &mut Builder) {
    let empty = Part::nothing();
    let core = power_below(b.size);
    if b.rank >= core {
        b.exchange(b.rank - core, &empty, b.rank - core, &empty);
        return;
    }
    let extra = Some(b.rank + core).filter(|&extra| extra < b.size);
    if let Some(extra) = extra {
        b.recv_wait(extra, &empty);
    }
    let mut mask = 1;
    while mask < core {
        let partner = b.rank ^ mask;
        b.exchange(partner, &empty, partner, &empty);
        mask *= 2;
    }
    if let Some(extra) = extra {
        b.send_wait(extra, &empty);
    }
}

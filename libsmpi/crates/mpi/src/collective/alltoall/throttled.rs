//! All to all with at most four messages each way at a time. Each group of four ends before the next one begins.
//!
//! Source: MPICH 3's scattered alltoall with its throttle of T. Ladd, at the size that MVAPICH2 1.9 has. In an alltoall
//! a rank sends its own block to itself, with the first messages; in an alltoallv it copies it.

use crate::collective::select::Selection;
use crate::collective::{Builder, Parts};

/// Messages each way at a time.
const AT_ONCE: u32 = 4;

pub(super) fn even(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    groups(b, send, recv, 0);
}

pub(super) fn varying(b: &mut Builder, _: &Selection, send: &Parts, recv: &Parts) {
    b.copy(&send.part(b.rank), &recv.part(b.rank));
    groups(b, send, recv, 1);
}

/// Messages to ranks from a `nearest` distance on.
fn groups(b: &mut Builder, send: &Parts, recv: &Parts, nearest: u32) {
    for first in (0..b.size).step_by(AT_ONCE as usize) {
        let distances = first.max(nearest)..(first + AT_ONCE).min(b.size);
        for distance in distances.clone() {
            let from = b.after(distance);
            let part = recv.part(from);
            if part.size() > 0 {
                b.recv(from, &part);
            }
        }
        for distance in distances {
            let to = b.before(distance);
            let part = send.part(to);
            if part.size() > 0 {
                b.send(to, &part);
            }
        }
        b.fence();
    }
}

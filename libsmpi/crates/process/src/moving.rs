//! Data that libsmpi moves into another rank's buffer while a rank runs: when that buffer is bad, the rank that runs is
//! not to blame.

use crate::host_cell::HostCell;
use std::cell::Cell;
use std::ops::Range;

/// End of the addresses that a program can have (x86-64, four levels of page tables). The kernel does not tell the
/// address of an access beyond.
const END: usize = 1 << 47;

// SAFETY: ranks and the event loop move data, which are on the hosting thread, and its handler of crashes looks.
static TARGET: HostCell<Cell<(usize, usize)>> = unsafe { HostCell::new(Cell::new((0, 0))) };

/// Moves data to these addresses of another rank.
#[inline]
pub fn moving_to<R>(target: Range<usize>, call: impl FnOnce() -> R) -> R {
    TARGET.set((target.start, target.end));
    let result = call();
    TARGET.set((0, 0));
    result
}

/// Whether the access that failed at this address is that of [`moving_to`] to its target.
pub fn is_target(address: usize) -> bool {
    let (start, end) = TARGET.get();
    (start..end).contains(&address) || end > END
}

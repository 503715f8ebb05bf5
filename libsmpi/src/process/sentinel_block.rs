//! Where the calling rank has Fortran's common block of sentinels (`MPI_IN_PLACE` and others), which are known by their
//! address.

use std::sync::atomic::{AtomicUsize, Ordering};

use smpi_image::Image;

use super::state;
use crate::fortran::sentinels;

/// Address of the common block in a rank's image; that of this library for programs without one.
pub fn block_of(image: &Image) -> usize {
    let own = image.program().exported(None, sentinels::SYMBOL.to_str().unwrap_or_default());
    own.map_or_else(sentinels::own_block, |link_address| image.address(link_address))
}

/// Address of the common block of sentinels of the calling rank.
#[inline]
pub fn fortran_block() -> usize {
    match state::current() {
        Some(record) => record.fortran_block,
        None => block_of_process(),
    }
}

/// Address of the common block in a program that runs without `smpirun`.
fn block_of_process() -> usize {
    static BLOCK: AtomicUsize = AtomicUsize::new(0);
    let known = BLOCK.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    // SAFETY: looks up a name among all libraries, the program's first.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, sentinels::SYMBOL.as_ptr()) } as usize;
    let found = if found == 0 { sentinels::own_block() } else { found };
    BLOCK.store(found, Ordering::Relaxed);
    found
}

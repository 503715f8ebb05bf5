//! What Fortran's entry points ask about the calling rank: where its common block of sentinels is, and memory for the C
//! forms of arguments.

use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering};

use smpi_image::Image;

use super::snapshot::{rank_allocate, rank_free};
use super::state;
use crate::fortran::sentinels;

/// Address of the common block in a rank's image; that of this library for programs without one.
pub fn block_of(image: &Image) -> usize {
    let own = image.program().exported(None, sentinels::SYMBOL);
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
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"smpi_fortran_".as_ptr()) } as usize;
    let found = if found == 0 { sentinels::own_block() } else { found };
    BLOCK.store(found, Ordering::Relaxed);
    found
}

/// Memory in the heap of the calling rank, which is lost with it.
pub fn own_allocate(len: usize) -> *mut c_void {
    match super::current_rank() {
        Some(rank) => std::ptr::with_exposed_provenance_mut(rank_allocate(rank, len)),
        // SAFETY: no conditions; a program that runs alone ends when its memory does.
        None => unsafe { libc::malloc(len) },
    }
}

/// Gives back memory of [`own_allocate`].
///
/// # Safety
/// It came from there, and nobody uses it any more.
pub unsafe fn own_free(block: *mut c_void) {
    match super::current_rank() {
        Some(rank) => rank_free(rank, block.expose_provenance()),
        // SAFETY: the caller's promise.
        None => unsafe { libc::free(block) },
    }
}

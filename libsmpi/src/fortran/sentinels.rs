//! The variables that mean something by their address: `MPI_BOTTOM`, `MPI_IN_PLACE`, `MPI_STATUS_IGNORE` and the
//! others.
//!
//! They are the members of one common block, which `include/mpif.h` and the modules declare:
//!
//! ```text
//! /smpi_fortran/   0 BOTTOM · 4 IN_PLACE · 8 BUFFER_AUTOMATIC · 12 ERRCODES_IGNORE · 16 UNWEIGHTED · 20 WEIGHTS_EMPTY
//!                  24 STATUS_IGNORE (8 words) · 56 STATUSES_IGNORE (8 words) · 88 a gap · 124 ARGV_NULL
//!                  125 ARGVS_NULL
//! ```
//!
//! Each rank's image has its own copy of the block. Where it is was found when the rank was loaded or is found at the
//! first call, so that telling a sentinel from a buffer is one subtraction and one comparison.

use std::ffi::{CStr, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::abi::*;
use smpi_process as process;

const IN_PLACE: usize = 4;
const BUFFER_AUTOMATIC: usize = 8;
const ERRCODES_IGNORE: usize = 12;
const UNWEIGHTED: usize = 16;
const WEIGHTS_EMPTY: usize = 20;
const STATUS_IGNORE: usize = 24;
const STATUSES_IGNORE: usize = 56;
const ARGV_NULL: usize = 124;
const ARGVS_NULL: usize = 125;
/// A multiple of the alignment, so that linkers see one size.
const SIZE: usize = 128;

/// The common block as this library has it. gfortran aligns common blocks to 32 bytes, and to 64 for processors with
/// registers of that size.
#[repr(C, align(64))]
pub struct Block([u32; SIZE / 4]);

/// Linkers export the program's own common block, which is the one that counts, because a library has this name too.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the name that Fortran's linkers look for")]
pub static smpi_fortran_: Block = Block([0; SIZE / 4]);

/// Name of the block in symbol tables.
const SYMBOL: &CStr = c"smpi_fortran_";

/// Address of the block of this library.
fn own_block() -> usize {
    (&raw const smpi_fortran_).addr()
}

/// Address of the block in a rank's image, by what that exports; that of this library for programs without one.
pub fn block_of(exported: &process::Exported<'_>) -> usize {
    SYMBOL.to_str().ok().and_then(exported).unwrap_or_else(own_block)
}

/// Address of the block of the calling rank.
#[inline]
fn block() -> usize {
    process::landmark().unwrap_or_else(block_of_process)
}

/// Address of the block in a program that runs without `smpirun`.
fn block_of_process() -> usize {
    static BLOCK: AtomicUsize = AtomicUsize::new(0);
    let known = BLOCK.load(Ordering::Relaxed);
    if known != 0 {
        return known;
    }
    // SAFETY: a null-terminated name; it is looked for among all libraries, the program's first.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, SYMBOL.as_ptr()) } as usize;
    let found = if found == 0 { own_block() } else { found };
    BLOCK.store(found, Ordering::Relaxed);
    found
}

/// The place of an address in the common block of the calling rank; large numbers for addresses outside. Libraries that
/// all ranks share know the block of this library instead.
#[inline]
fn place(address: usize) -> usize {
    let place = address.wrapping_sub(block());
    if place < SIZE { place } else { address.wrapping_sub(own_block()) }
}

/// A choice buffer: C's value for `MPI_BOTTOM`, `MPI_IN_PLACE` and `MPI_BUFFER_AUTOMATIC`, else the address itself.
#[inline]
pub fn choice(address: *const c_void) -> *const c_void {
    match place(address.addr()) {
        SIZE.. => address,
        0 => MPI_BOTTOM,
        IN_PLACE => MPI_IN_PLACE,
        BUFFER_AUTOMATIC => MPI_BUFFER_AUTOMATIC,
        _ => address,
    }
}

/// A status or an array of statuses; null where the program ignores them.
#[inline]
pub fn status_of(address: *mut MPI_Status) -> *mut MPI_Status {
    match place(address.addr()) {
        STATUS_IGNORE => MPI_STATUS_IGNORE,
        STATUSES_IGNORE => MPI_STATUSES_IGNORE,
        _ => address,
    }
}

/// An array of weights.
pub fn weights_of(address: *const c_int) -> *const c_int {
    match place(address.addr()) {
        UNWEIGHTED => MPI_UNWEIGHTED,
        WEIGHTS_EMPTY => MPI_WEIGHTS_EMPTY,
        _ => address,
    }
}

/// The error codes of `MPI_Comm_spawn`; null where the program ignores them.
pub fn error_codes(address: *mut c_int) -> *mut c_int {
    if place(address.addr()) == ERRCODES_IGNORE { MPI_ERRCODES_IGNORE } else { address }
}

/// Whether these are no arguments for a new process: `MPI_ARGV_NULL` or `MPI_ARGVS_NULL`.
pub fn is_no_arguments(address: usize) -> bool {
    matches!(place(address), ARGV_NULL | ARGVS_NULL)
}

//! Where the processor has no [protection keys](crate::keys): while a rank runs, the memory of the other ranks is
//! closed for it by `mprotect(2)`.
//!
//! That takes some system calls per turn and rank, so it is done only at the beginning, for a number of calls
//! ([`MOST_CALLS`]): a program that follows a pointer of another rank mostly does so in its first execution, too.

use crate::layout::{Layout, PAGE};
use crate::mappings::{Mapping, mappings};
use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// System calls after which the walls are taken down: some 10 ms.
const MOST_CALLS: usize = 1 << 12;

/// The walls are used.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// They are up: a rank runs.
static UP: AtomicBool = AtomicBool::new(false);
/// Memory of ranks was mapped since the list was made.
static STALE: AtomicBool = AtomicBool::new(true);
static CALLS: AtomicUsize = AtomicUsize::new(0);
/// Bytes of a region behind which its program has no file, whatever the program.
static FILE_BYTES: AtomicUsize = AtomicUsize::new(0);

/// A piece of a region that programs reach.
struct Piece {
    at: Range<usize>,
    protection: i32,
    region: usize,
}

#[derive(Default)]
struct Walls {
    regions: Range<usize>,
    stride: usize,
    pieces: Vec<Piece>,
    /// Of the rank that runs.
    open: usize,
}

struct Shared(UnsafeCell<Option<Walls>>);

// SAFETY: only the thread that hosts ranks uses it, and handlers of signals on that thread: these look at a list that
// changes only while no rank runs.
unsafe impl Sync for Shared {}

static WALLS: Shared = Shared(UnsafeCell::new(None));

/// From now on ranks that run do not reach each other's memory.
pub fn build(layout: &Layout) {
    let (_, end) = layout.span();
    let walls = Walls { regions: layout.first()..end, stride: layout.stride(), ..Walls::default() };
    // SAFETY: on the hosting thread, while no rank runs.
    unsafe { *WALLS.0.get() = Some(walls) };
    IN_USE.store(true, Ordering::Relaxed);
}

/// From now on there are none: threads of a rank use its memory while others run.
pub fn tear_down() {
    IN_USE.store(false, Ordering::Relaxed);
    lower();
}

/// Memory of a rank was mapped or is about to be.
pub(crate) fn note_mapping() {
    STALE.store(true, Ordering::Relaxed);
}

/// A region was mapped over whose program's file has so many bytes. Behind them a mapping of the file is out of
/// everybody's reach.
pub fn note_file(bytes: usize) {
    FILE_BYTES.fetch_max(bytes, Ordering::Relaxed);
}

/// Looks what memory ranks have, if that has changed. To be called while libsmpi's calls of libc are its own.
#[inline]
pub fn look() {
    if IN_USE.load(Ordering::Relaxed) && STALE.swap(false, Ordering::Relaxed) {
        // SAFETY: on the hosting thread, while no rank runs.
        if let Some(walls) = unsafe { &mut *WALLS.0.get() } {
            walls.look();
        }
    }
}

/// A rank is about to run whose region holds `base`.
#[inline]
pub fn raise(base: usize) {
    if IN_USE.load(Ordering::Relaxed) {
        raise_around(base);
    }
}

#[cold]
fn raise_around(base: usize) {
    // SAFETY: on the hosting thread, while no rank runs.
    let Some(walls) = (unsafe { &mut *WALLS.0.get() }) else { return };
    walls.open = (base - walls.regions.start) / walls.stride;
    UP.store(true, Ordering::Relaxed);
    let calls = walls.set(|_| libc::PROT_NONE);
    if CALLS.fetch_add(2 * calls, Ordering::Relaxed) + 2 * calls > MOST_CALLS {
        IN_USE.store(false, Ordering::Relaxed);
    }
}

/// All memory is in reach again. True if it was not.
#[inline]
pub fn lower() -> bool {
    UP.load(Ordering::Relaxed) && lower_all()
}

#[cold]
fn lower_all() -> bool {
    // SAFETY: on the hosting thread; while walls are up nobody changes the list.
    if let Some(walls) = unsafe { &*WALLS.0.get() } {
        walls.set(|piece| piece.protection);
    }
    UP.swap(false, Ordering::Relaxed)
}

impl Walls {
    /// Looks which pieces there are. Code is no rank's own. The mapping of a program's file covers a whole region, of
    /// which the kernel would look at each table: only what the file has is a piece.
    ///
    /// What lies side by side becomes one mapping when it is closed and several when it is opened, which costs as much
    /// again; so neighbours are told apart by a mark.
    fn look(&mut self) {
        let regions = self.regions.clone();
        let is_meant = |mapping: &Mapping| {
            let is_inside = mapping.from >= regions.start && mapping.to <= regions.end;
            is_inside && mapping.protection != libc::PROT_NONE && mapping.protection & libc::PROT_EXEC == 0
        };
        let file_bytes = FILE_BYTES.load(Ordering::Relaxed);
        let piece = |mapping: Mapping| {
            let region = (mapping.from - self.regions.start) / self.stride;
            let behind = self.regions.start + region * self.stride + file_bytes;
            let end = if mapping.is_of_file { mapping.to.min(behind.next_multiple_of(PAGE)) } else { mapping.to };
            if end < mapping.to {
                mark(end.max(mapping.from)..mapping.to);
            }
            if mapping.protection & libc::PROT_WRITE == 0 {
                mark(mapping.from..end);
            }
            Piece { at: mapping.from..end, protection: mapping.protection, region }
        };
        let pieces = mappings().into_iter().filter(is_meant).map(piece);
        self.pieces = pieces.filter(|piece| !piece.at.is_empty()).collect();
    }

    /// Sets what may be done with the pieces of ranks that do not run; gives the number of system calls.
    fn set(&self, protection: impl Fn(&Piece) -> i32) -> usize {
        let others = self.pieces.iter().filter(|piece| piece.region != self.open);
        let set = |piece: &Piece| {
            let (start, len) = (std::ptr::with_exposed_provenance_mut(piece.at.start), piece.at.len());
            // SAFETY: no contents change. While these pages are closed their rank does not run, and libsmpi opens them
            // before it uses them.
            unsafe { libc::mprotect(start, len, protection(piece)) };
        };
        others.inspect(|piece| set(piece)).count()
    }
}

/// Marks memory as none for huge pages. The kernel then keeps it apart from neighbours that are not marked, and a
/// refusal only makes this slower.
fn mark(pages: Range<usize>) {
    let start = std::ptr::with_exposed_provenance_mut(pages.start);
    // SAFETY: neither contents nor protection change.
    unsafe { libc::madvise(start, pages.len(), libc::MADV_NOHUGEPAGE) };
}

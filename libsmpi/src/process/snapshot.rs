//! Snapshots of ranks: everything that a rank has, copied, to be put back in place later.
//!
//! ```text
//!   region:  │ … unused stack │ stack │ code, constants │ data, cells, TLS, heap in use │ … unused heap │
//!                             └ copy ─┘                 └─────────── copy ──────────────┘
//! ```
//!
//! Regions have fixed addresses, so pointers inside a snapshot stay right. What ranks share (files, the standard streams,
//! libraries' data) is not part of it.

use std::ptr;

use super::getopt::Position;
use super::keys::Values;
use super::output::Partial;
use super::random::Generators;
use super::state::Record;
use super::{Ranks, exit::Handlers};
use smpi_base::WorldRank;
use smpi_ranks::fiber::FiberState;
use smpi_ranks::thread_state::SavedState;
use std::ffi::c_char;

/// One rank at one moment.
pub struct RankSnapshot {
    fiber: FiberState,
    stack: Piece,
    /// Data of the image; the last piece goes on into the heap.
    data: Vec<Piece>,
    saved: SavedState,
    handlers: Handlers,
    partial: Partial,
    generators: Option<Piece>,
    strtok: *mut c_char,
    getopt: Position,
    stack_low: usize,
    keys: Values,
    settings: super::settings::Values,
    entropy: u64,
}

/// A copied range of memory.
struct Piece {
    at: usize,
    bytes: Box<[u8]>,
}

impl Piece {
    /// # Safety
    /// The range must be readable, and nobody may write to it meanwhile.
    unsafe fn copy(start: usize, end: usize) -> Piece {
        // SAFETY: the caller's promise.
        let bytes = unsafe { std::slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(start), end - start) };
        Piece { at: start, bytes: bytes.into() }
    }

    /// The bytes of a value.
    fn of(value: &Generators) -> Piece {
        let start = ptr::from_ref(value).expose_provenance();
        // SAFETY: a live value.
        unsafe { Piece::copy(start, start + size_of::<Generators>()) }
    }

    /// # Safety
    /// The range must be writable, and nothing may be using its present contents.
    unsafe fn restore(&self) {
        let target = ptr::with_exposed_provenance_mut::<u8>(self.at);
        // SAFETY: the caller's promise.
        unsafe { ptr::copy_nonoverlapping(self.bytes.as_ptr(), target, self.bytes.len()) };
    }

    fn end(&self) -> usize {
        self.at + self.bytes.len()
    }
}

/// First and last address of what the rank's stack uses.
fn stack_range(record: &Record) -> (usize, usize) {
    let base = record.image.region();
    (record.stack_low.get().max(base), base + record.image.program().region().stack_len)
}

/// One past the last byte of the rank's heap in use.
fn heap_end(record: &Record) -> usize {
    let (arena, used) = record.arena.used();
    arena + used
}

/// First and last address of the parts of the rank's image that may change; the last one goes on to the heap's end.
fn data_ranges(record: &Record) -> impl Iterator<Item = (usize, usize)> {
    let base = record.image.region();
    let parts = record.image.program().writable();
    parts.iter().enumerate().map(move |(index, part)| {
        let end = if index + 1 == parts.len() { heap_end(record) } else { base + part.end };
        (base + part.start, end)
    })
}

impl Ranks {
    /// Copies a suspended rank.
    pub fn capture(&self, rank: WorldRank) -> RankSnapshot {
        let record = &self.host.records[rank.index()];
        let stack = stack_range(record);
        // SAFETY: on the hosting thread, with no rank running: the thread-local variables and the regions are at rest, and
        // the ranges are mapped parts of the rank's region.
        unsafe {
            self.host.slots.park();
            RankSnapshot {
                fiber: self.fibers[rank.index()].state(),
                stack: Piece::copy(stack.0, stack.1),
                data: data_ranges(record).map(|(start, end)| Piece::copy(start, end)).collect(),
                saved: (*record.saved.get()).clone(),
                handlers: record.handlers.clone(),
                partial: (*record.partial.get()).clone(),
                generators: (*record.generators.get()).as_deref().map(Piece::of),
                strtok: record.strtok.get(),
                getopt: record.getopt.get(),
                stack_low: record.stack_low.get(),
                keys: record.keys.values(),
                settings: record.settings.values(),
                entropy: record.entropy.get(),
            }
        }
    }

    /// Puts a rank back to where it was.
    pub fn restore(&mut self, rank: WorldRank, snapshot: &RankSnapshot) {
        let record = &self.host.records[rank.index()];
        let heap_now = heap_end(record);
        // SAFETY: as in `capture`; the rank's present frames are given up, which is sound because they hold no value of
        // ours that needs dropping (design.md §4).
        unsafe {
            self.host.slots.park();
            self.fibers[rank.index()].set_state(&snapshot.fiber);
            snapshot.stack.restore();
            snapshot.data.iter().for_each(|piece| piece.restore());
            // The allocator relies on memory beyond the heap in use being zero.
            let heap_then = snapshot.data.last().map_or(heap_now, Piece::end);
            if heap_now > heap_then {
                let tail = ptr::with_exposed_provenance_mut::<u8>(heap_then);
                ptr::write_bytes(tail, 0, heap_now - heap_then);
            }
            *record.saved.get() = snapshot.saved.clone();
            *record.partial.get() = snapshot.partial.clone();
            // They hold pointers into themselves, so they are put back where they were, which is where they still are.
            match (&snapshot.generators, &mut *record.generators.get()) {
                (Some(bytes), _) => bytes.restore(),
                (None, Some(generators)) => generators.start(),
                (None, None) => {}
            }
        }
        record.handlers.set(&snapshot.handlers);
        record.strtok.set(snapshot.strtok);
        record.getopt.set(snapshot.getopt);
        record.stack_low.set(snapshot.stack_low);
        record.keys.set_values(&snapshot.keys);
        record.settings.set_values(snapshot.settings);
        record.entropy.set(snapshot.entropy);
    }
}

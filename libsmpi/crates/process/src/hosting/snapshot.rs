//! Snapshots of ranks: everything that a rank has, copied, to be put back in place later.
//!
//! ```text
//!   region:  │ … unused stack │ stack │ code, constants │ data, cells, TLS, heap in use │ … unused heap │
//!                             └ copy ─┘                 └─────────── copy ──────────────┘
//! ```
//!
//! Regions have fixed addresses, so pointers inside a snapshot stay right. What ranks share is not part of it: open
//! files are put back by [`super::files`], data of libraries is not put back. Of a large range, snapshots share the
//! pages that have not changed between them ([`super::kept`]). Where the kernel does not tell which those are, only the
//! pages that the rank has written to are copied, and the others are given back to the kernel when the rank is put
//! back: a program pays for what it touches.

use std::cell::Cell;

use super::kept::{Held, LARGE};
use super::mapped::{self, Mapped};
use super::piece::Piece;
use super::ranks::Ranks;
use crate::libc_words;
use crate::memory::{clear, data_ranges, untouch};
use crate::record::{
    CONVERSIONS, Handlers, Limits, Position, Printed, Record, Route, Settings, SignalState, Standing, Values,
};
use crate::running;
use crate::streams::input;
use smpi_base::WorldRank;
use smpi_image::entries::{self, Entry};
use smpi_ranks::fiber::FiberState;
use smpi_ranks::thread_state::SavedState;
use std::ffi::c_char;

/// One rank at one moment.
pub struct RankSnapshot {
    fiber: FiberState,
    stack: Piece,
    /// Data of the image; the last piece goes on into the heap.
    data: Vec<Data>,
    mapped: Mapped,
    saved: SavedState,
    handlers: Handlers,
    printed: Printed,
    generators: Option<Piece>,
    words: Vec<u32>,
    conversions: [Cell<u64>; CONVERSIONS],
    routes: [Route; 3],
    wide: (u8, Option<u32>),
    limits: Limits,
    strtok: *mut c_char,
    getopt: Position,
    stack_low: usize,
    keys: Values,
    settings: Settings,
    entropy: u64,
    entry: Entry,
    signals: SignalState,
    standing: Standing,
    /// How much of standard input was read, which only rank 0 does.
    input: usize,
}

/// A range of the rank's data.
enum Data {
    Copied(Piece),
    /// Its pages are shared with other snapshots.
    Held(Held),
}

/// First and last address of what the rank's stack uses.
pub(super) fn stack_range(record: &Record) -> (usize, usize) {
    let base = record.image.region();
    let end = base + record.image.program().region().stack_len;
    // In a handler with a stack of its own the rank does not know how far it used this one.
    let low = Some(record.own.stack_low.get()).filter(|low| (base..end).contains(low));
    (low.unwrap_or(base), end)
}

impl Ranks {
    /// # Safety
    /// The range must be part of a rank's data, and no rank may run.
    unsafe fn copy_data(&self, start: usize, end: usize) -> Data {
        // SAFETY: the caller says that the range is a rank's, so that its pages are readable, and at rest.
        unsafe {
            let held = if end - start < LARGE { None } else { self.kept.hold(start..end) };
            held.map_or_else(|| Data::Copied(Piece::copy_touched(start, end)), Data::Held)
        }
    }

    /// Copies a suspended rank.
    pub fn capture(&self, rank: WorldRank) -> RankSnapshot {
        let record = &self.host.records[rank.index()];
        let Some(fiber) = &self.fibers[rank.index()] else { panic!("rank {rank} was not spawned") };
        let stack = stack_range(record);
        // SAFETY: on the hosting thread, with no rank running: the thread-local variables and the regions are at rest,
        // and the ranges are mapped parts of the rank's region.
        unsafe {
            self.host.slots.park();
            libc_words::park();
            mapped::open_region(record);
            let snapshot = RankSnapshot {
                fiber: fiber.state(),
                mapped: self.capture_mapped(record),
                stack: Piece::copy_touched(stack.0, stack.1),
                data: data_ranges(record).map(|(start, end)| self.copy_data(start, end)).collect(),
                saved: (*record.own.saved.get()).clone(),
                handlers: record.own.handlers.clone(),
                printed: (*record.own.printed.get()).clone(),
                generators: (*record.own.generators.get()).as_deref().map(Piece::of),
                words: record.own.words.borrow().clone(),
                conversions: record.own.conversions.clone(),
                routes: record.routes.all(),
                wide: (record.own.wide.get(), record.own.unread.get()),
                limits: record.own.limits.borrow().clone(),
                strtok: record.own.strtok.get(),
                getopt: record.own.getopt.get(),
                stack_low: record.own.stack_low.get(),
                keys: record.keys.values(),
                settings: record.own.settings.get(),
                entropy: record.own.entropy.get(),
                entry: record.own.entry.get(),
                signals: record.own.signals.state(),
                standing: record.own.standing.get(),
                input: input::position(),
            };
            mapped::close_region(record);
            snapshot
        }
    }

    /// Puts a rank back to where it was.
    pub fn restore(&mut self, rank: WorldRank, snapshot: &RankSnapshot) {
        let record = &self.host.records[rank.index()];
        let Some(fiber) = &mut self.fibers[rank.index()] else { panic!("rank {rank} was not spawned") };
        // The rank is in another call from now on, or outside of any.
        running::note_step();
        let (arena, used_now) = record.own.arena.used();
        let heap_now = arena + used_now;
        // SAFETY: on the hosting thread, with no rank running: regions and thread-local variables are at rest, and the
        // snapshot's ranges are mapped parts of the rank's region, which `capture` has seen. The rank's present frames
        // are given up: they hold no value of ours that needs dropping (ARCHITECTURE.md, the invariant of
        // `libsmpi/src`).
        unsafe {
            self.host.slots.park();
            mapped::open_region(record);
            fiber.set_state(&snapshot.fiber);
            snapshot.stack.restore();
            // As behind calls: what is left there would tell states apart.
            if entries::clears() {
                let low = snapshot.stack.range.start;
                clear(record.image.region().max(low - entries::CLEARED)..low);
            }
            for (index, data) in snapshot.data.iter().enumerate() {
                match data {
                    Data::Copied(piece) => piece.restore(),
                    // Behind the last piece there is the heap, and behind others there are further libraries.
                    Data::Held(held) if index + 1 == snapshot.data.len() => self.kept.put_back(held, heap_now),
                    Data::Held(held) => self.kept.put_back(held, 0),
                }
            }
            // The allocator relies on memory beyond the heap in use being zero.
            if let Some(Data::Copied(last)) = snapshot.data.last() {
                let tail = last.end()..heap_now;
                if tail.len() >= LARGE { untouch(tail) } else { clear(tail) }
            }
            self.restore_mapped(record, &snapshot.mapped);
            record.own.arena.find_blocks(used_now);
            record.own.last_block.set(Default::default());
            *record.own.saved.get() = snapshot.saved.clone();
            *record.own.printed.get() = snapshot.printed.clone();
            // They hold pointers into themselves, so they are put back where they were, which is where they still are.
            match (&snapshot.generators, &mut *record.own.generators.get()) {
                (Some(bytes), _) => bytes.restore(),
                (None, Some(generators)) => generators.start(),
                (None, None) => {}
            }
        }
        record.own.handlers.set(&snapshot.handlers);
        libc_words::put_back(record, &snapshot.words);
        for (now, then) in record.own.conversions.iter().zip(&snapshot.conversions) {
            now.set(then.get());
        }
        record.routes.set(snapshot.routes);
        record.own.wide.set(snapshot.wide.0);
        record.own.unread.set(snapshot.wide.1);
        record.own.limits.borrow_mut().clone_from(&snapshot.limits);
        record.own.strtok.set(snapshot.strtok);
        record.own.getopt.set(snapshot.getopt);
        record.own.stack_low.set(snapshot.stack_low);
        record.keys.set_values(&snapshot.keys);
        record.set_settings(snapshot.settings);
        record.own.entropy.set(snapshot.entropy);
        record.own.entry.set(snapshot.entry);
        record.own.signals.set_state(&snapshot.signals);
        record.own.standing.set(snapshot.standing);
        if rank.0 == 0 {
            input::set_position(snapshot.input);
        }
    }
}

//! Several ranks' accesses to one file at once: what lies between one rank's pieces is mostly another's, so all of them
//! are put together in a buffer, and the file is read or written in few large pieces (two-phase access: del Rosario,
//! Bordawekar, Choudhary, "Improved Parallel I/O via a Two-phase Run-time Access Strategy", 1993).
//!
//! ```text
//! rank 0   ██......██......██......            window of the file        ██▒▒░░▓▓██▒▒░░▓▓…   one call of the system
//! rank 1   ..▒▒......▒▒......▒▒....     →
//! rank 2   ....░░......░░......░░..
//! ```
//!
//! The result is that of the accesses one after the other. Where a window cannot be moved as a whole, it is moved so.

use std::path::Path;

use smpi_mpi::error::MpiError;

use crate::store::{Number, Store};
use crate::transfer::{Moved, Target};
use crate::view::View;

/// Bytes of a window: with the list of its runs it fits into a cache of the second level.
pub const WINDOW: u64 = 256 << 10;
/// Runs of at least this length need no stage.
const LONG: usize = 1024;
/// Windows in which less than one byte in so many is meant are not moved as a whole.
const SPARSE: u64 = 32;

/// One access.
#[derive(Clone, Copy, Debug)]
pub struct Share<'a> {
    /// How its rank sees the file.
    pub view: &'a View,
    /// Where it begins in the view's stream, in bytes.
    pub start: u64,
    /// Bytes of the stream.
    pub len: u64,
}

/// A file in which several accesses take place.
pub struct Together<'a> {
    /// Keeps it.
    pub store: &'a mut dyn Store,
    /// Names it there.
    pub number: Number,
    /// For errors.
    pub path: &'a Path,
    /// Bytes of a window, at least 1.
    pub window: u64,
}

/// How far an access is.
struct Progress<'a> {
    share: Share<'a>,
    done: u64,
    error: Option<MpiError>,
    is_over: bool,
}

impl Progress<'_> {
    /// Where its next byte is in the file.
    fn next(&self) -> Option<u64> {
        let is_waiting = !self.is_over && self.done < self.share.len;
        is_waiting.then(|| self.share.view.place_of(self.share.start + self.done))
    }
}

/// A run of an access in the window: where in the file, how many bytes, and where in what is moved of the access.
#[derive(Clone, Copy)]
struct Run {
    at: u64,
    len: usize,
    staged: usize,
}

/// What is moved of one access in a window.
struct Turn {
    number: usize,
    /// Its bytes in the stream, from the beginning of the access.
    from: u64,
    len: usize,
    /// Its runs, among those of the window.
    runs: std::ops::Range<usize>,
}

impl Turn {
    /// Whether its runs are so long on average that each of them is moved by a call of its own, and needs no stage.
    fn is_long(&self) -> bool {
        self.len / LONG >= self.runs.len()
    }
}

/// What is moved in a window.
#[derive(Default)]
struct Plan {
    turns: Vec<Turn>,
    runs: Vec<Run>,
    low: u64,
    high: u64,
    /// Bytes of all runs.
    total: u64,
}

impl Plan {
    /// Everything that is next of the accesses and lies before `end`.
    fn make(&mut self, all: &[Progress], end: u64, window: u64) {
        self.turns.clear();
        self.runs.clear();
        (self.low, self.high, self.total) = (u64::MAX, 0, 0);
        for (number, progress) in all.iter().enumerate() {
            if progress.next().is_none_or(|next| next >= end) {
                continue;
            }
            let first = self.runs.len();
            let len = self.add(progress, end, window);
            self.turns.push(Turn { number, from: progress.done, len, runs: first..self.runs.len() });
        }
    }

    fn add(&mut self, progress: &Progress, end: u64, window: u64) -> usize {
        let Share { view, start, len } = progress.share;
        let (mut staged, mut from) = (0, progress.done);
        // The walk costs what is asked for, so not much more is asked for than the window may have.
        let step = view.stream_within(window);
        let mut is_inside = true;
        while is_inside && from < len {
            let part = start + from..start + (from + step).min(len);
            from = part.end - start;
            is_inside = view
                .each_run(part, &mut |at, run| {
                    let inside = run.min(end.saturating_sub(at));
                    if inside > 0 {
                        self.runs.push(Run { at, len: inside as usize, staged });
                        staged += inside as usize;
                        self.low = self.low.min(at);
                        self.high = self.high.max(at + inside);
                    }
                    if inside < run { Err(()) } else { Ok(()) }
                })
                .is_ok();
        }
        self.total += staged as u64;
        staged
    }

    fn span(&self) -> usize {
        (self.high - self.low) as usize
    }

    fn is_sparse(&self) -> bool {
        self.total.saturating_mul(SPARSE) < self.high - self.low
    }
}

/// Which bytes of a window are written.
#[derive(Default)]
struct Covered(Vec<u64>);

impl Covered {
    fn clear(&mut self, len: usize) {
        self.0.clear();
        self.0.resize(len.div_ceil(64), 0);
    }

    fn add(&mut self, mut from: usize, to: usize) {
        while from < to {
            let (word, bit) = (from / 64, from % 64);
            let count = (64 - bit).min(to - from);
            self.0[word] |= (u64::MAX >> (64 - count)) << bit;
            from += count;
        }
    }

    /// The first byte from one on that is written, or is not.
    fn find(&self, from: usize, len: usize, written: bool) -> usize {
        let mut at = from;
        while at < len {
            let word = if written { self.0[at / 64] } else { !self.0[at / 64] };
            let rest = word >> (at % 64);
            if rest != 0 {
                return (at + rest.trailing_zeros() as usize).min(len);
            }
            at = (at / 64 + 1) * 64;
        }
        len
    }
}

impl Together<'_> {
    /// Writes. `fill` gives the bytes of an access, from one of them on. Gives what was moved of each.
    pub fn write(&mut self, shares: &[Share], fill: &mut dyn FnMut(usize, u64, &mut [u8])) -> Vec<Moved> {
        let (mut window, mut staged, mut covered) = (Vec::new(), Vec::new(), Covered::default());
        self.walk(shares, &mut |this, plan, all| {
            let is_whole = !plan.is_sparse() && this.store.is_readable(this.number) && {
                window.resize(plan.span(), 0);
                covered.clear(plan.span());
                for turn in &plan.turns {
                    let runs = &plan.runs[turn.runs.clone()];
                    if turn.is_long() {
                        for run in runs {
                            let at = (run.at - plan.low) as usize;
                            fill(turn.number, turn.from + run.staged as u64, &mut window[at..at + run.len]);
                            covered.add(at, at + run.len);
                        }
                        continue;
                    }
                    staged.resize(turn.len.max(staged.len()), 0);
                    fill(turn.number, turn.from, &mut staged[..turn.len]);
                    for run in runs {
                        let at = (run.at - plan.low) as usize;
                        window[at..at + run.len].copy_from_slice(&staged[run.staged..run.staged + run.len]);
                        covered.add(at, at + run.len);
                    }
                }
                this.fill_holes(plan.low, &mut window[..plan.span()], &covered)
                    && this.store.write_at(this.number, plan.low, &window).is_ok_and(|done| done == plan.span())
            };
            for turn in &plan.turns {
                let progress = &mut all[turn.number];
                if is_whole {
                    progress.done += turn.len as u64;
                } else {
                    this.one_by_one(progress, turn, &mut |target, start| {
                        target.write(start, turn.len as u64, &mut |from, bytes| {
                            fill(turn.number, turn.from + from, bytes)
                        })
                    });
                }
            }
        })
    }

    /// Reads what is in the file between bytes that are written; false where that cannot be.
    fn fill_holes(&mut self, low: u64, window: &mut [u8], covered: &Covered) -> bool {
        let len = window.len();
        let mut hole = covered.find(0, len, false);
        if hole == len {
            return true;
        }
        let mut now = vec![0; len];
        if self.store.read_at(self.number, low, &mut now).is_err() {
            return false;
        }
        while hole < len {
            let end = covered.find(hole, len, true);
            window[hole..end].copy_from_slice(&now[hole..end]);
            hole = covered.find(end, len, false);
        }
        true
    }

    /// Reads as far as the file goes. `take` gets the bytes of an access, from one of them on. Gives what was moved of
    /// each.
    pub fn read(&mut self, shares: &[Share], take: &mut dyn FnMut(usize, u64, &[u8])) -> Vec<Moved> {
        let (mut window, mut staged) = (Vec::new(), Vec::new());
        self.walk(shares, &mut |this, plan, all| {
            let there = if plan.is_sparse() {
                None
            } else {
                window.resize(plan.span(), 0);
                this.store.read_at(this.number, plan.low, &mut window).ok()
            };
            for turn in &plan.turns {
                let progress = &mut all[turn.number];
                let Some(there) = there else {
                    this.one_by_one(progress, turn, &mut |target, start| {
                        target
                            .read(start, turn.len as u64, &mut |from, bytes| take(turn.number, turn.from + from, bytes))
                    });
                    continue;
                };
                staged.resize(turn.len.max(staged.len()), 0);
                let mut len = 0;
                for run in &plan.runs[turn.runs.clone()] {
                    let at = (run.at - plan.low) as usize;
                    let part = run.len.min(there.saturating_sub(at));
                    staged[run.staged..run.staged + part].copy_from_slice(&window[at..at + part]);
                    len = run.staged + part;
                    if part < run.len {
                        break;
                    }
                }
                take(turn.number, turn.from, &staged[..len]);
                progress.done += len as u64;
                progress.is_over = len < turn.len;
            }
        })
    }

    /// Moves what one access has in a window by itself.
    fn one_by_one(&mut self, progress: &mut Progress, turn: &Turn, action: &mut dyn FnMut(&mut Target, u64) -> Moved) {
        let Share { view, start, .. } = progress.share;
        let mut target = Target { store: &mut *self.store, number: self.number, path: self.path, view };
        let moved = action(&mut target, start + turn.from);
        progress.done += moved.bytes;
        progress.is_over = moved.error.is_some() || moved.bytes < turn.len as u64;
        progress.error = moved.error;
    }

    /// Goes through all windows that have something.
    fn walk(&mut self, shares: &[Share], action: &mut dyn FnMut(&mut Self, &Plan, &mut [Progress])) -> Vec<Moved> {
        let mut all: Vec<Progress> = shares
            .iter()
            .map(|share| Progress { share: *share, done: 0, error: None, is_over: share.len == 0 })
            .collect();
        let mut plan = Plan::default();
        while let Some(begin) = all.iter().filter_map(Progress::next).min() {
            plan.make(&all, begin.saturating_add(self.window), self.window);
            action(self, &plan, &mut all);
        }
        all.into_iter().map(|progress| Moved { bytes: progress.done, error: progress.error }).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use smpi_mpi::datatype::{Basic, Datatype};

    use super::*;
    use crate::transfer::tests::Small;
    use crate::view::Representation;

    fn view(displacement: u64, block: i64, gap: i64) -> View {
        let byte = Datatype::basic(Basic::Byte);
        let filetype = Datatype::contiguous(block, &byte).unwrap().resized(0, block + gap).unwrap();
        View::new(displacement, (byte, filetype), Representation::Native, true, &|datatype| Ok(datatype.clone()))
            .unwrap()
    }

    fn letter(number: usize, position: u64) -> u8 {
        (number as u64 * 50 + position % 47) as u8 + 1
    }

    #[test]
    fn long_runs_need_no_stage() {
        let (block, ranks, len) = (LONG as i64 + 7, 3, 5 * LONG as u64);
        let views: Vec<View> = (0..ranks).map(|rank| view(5 + rank * block as u64, block, 2 * block)).collect();
        let shares: Vec<Share> = views.iter().map(|view| Share { view, start: 3, len }).collect();
        let mut store = Small { bytes: Vec::new(), room: 1 << 20 };
        let mut both =
            Together { store: &mut store, number: Number(0), path: Path::new("/f"), window: 4 * LONG as u64 };
        let moved = both.write(&shares, &mut |index, from, bytes| {
            (from..).zip(bytes).for_each(|(position, byte)| *byte = letter(index, position));
        });
        assert!(moved.iter().all(|moved| *moved == Moved { bytes: len, error: None }));
        for (index, view) in views.iter().enumerate() {
            for position in 0..len {
                assert_eq!(store.bytes[view.place_of(3 + position) as usize], letter(index, position));
            }
        }
    }

    proptest! {
        /// Together they do what they do one after the other, on a device with little room, too.
        #[test]
        fn together_is_as_one_after_the_other(
            views in proptest::collection::vec((0u64..40, 1i64..7, 0i64..60, 0u64..9, 0u64..80), 1..5),
            window in 1u64..300, room in 0usize..500,
        ) {
            let shares: Vec<(View, u64, u64)> = views
                .iter()
                .map(|(place, block, gap, start, len)| (view(*place, *block, *gap), *start, *len))
                .collect();
            let shares: Vec<Share> =
                shares.iter().map(|(view, start, len)| Share { view, start: *start, len: *len }).collect();
            let mut wanted = Small { bytes: vec![9; room / 3], room };
            let mut store = Small { bytes: vec![9; room / 3], room };
            let path = Path::new("/f");
            let number = Number(0);
            let one: Vec<Moved> = (0..)
                .zip(&shares)
                .map(|(index, share)| {
                    Target { store: &mut wanted, number, path, view: share.view }.write(
                        share.start,
                        share.len,
                        &mut |from, bytes| {
                            (from..).zip(bytes).for_each(|(position, byte)| *byte = letter(index, position));
                        },
                    )
                })
                .collect();
            let mut both = Together { store: &mut store, number, path, window };
            let all = both.write(&shares, &mut |index, from, bytes| {
                (from..).zip(bytes).for_each(|(position, byte)| *byte = letter(index, position));
            });
            prop_assert_eq!(&all, &one);
            // On a full device some of what lies between pieces may be written, or not: zeros.
            let trim = |bytes: &mut Vec<u8>| bytes.truncate(bytes.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1));
            if all.iter().any(|moved| moved.error.is_some()) {
                trim(&mut store.bytes);
                trim(&mut wanted.bytes);
            }
            prop_assert_eq!(&store.bytes, &wanted.bytes);
            let mut read = vec![Vec::new(); shares.len()];
            let mut both = Together { store: &mut store, number, path, window };
            let all = both.read(&shares, &mut |index, from, bytes| {
                assert_eq!(read[index].len() as u64, from);
                read[index].extend_from_slice(bytes);
            });
            for ((index, share), moved) in (0..).zip(&shares).zip(&all) {
                let mut bytes = Vec::new();
                let one = Target { store: &mut wanted, number, path, view: share.view }.read(
                    share.start,
                    share.len,
                    &mut |_, more| bytes.extend_from_slice(more),
                );
                prop_assert_eq!(moved, &one);
                let index: usize = index;
                prop_assert_eq!(&read[index], &bytes);
            }
        }
    }
}

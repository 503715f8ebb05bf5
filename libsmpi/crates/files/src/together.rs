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
use crate::view::{Strip, View};

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

/// Runs of an access in the window: where in the file, and where in what is moved of the access.
#[derive(Clone, Copy)]
struct Runs {
    strip: Strip,
    staged: usize,
}

impl Runs {
    /// Bytes of one.
    fn len(&self) -> usize {
        self.strip.len as usize
    }

    /// Where each begins, in a window that begins at `low` and in the stage.
    fn places(self, low: u64) -> impl Iterator<Item = (usize, usize)> {
        let len = self.len();
        (0..self.strip.count)
            .map(move |index| ((self.strip.place(index) - low) as usize, self.staged + index as usize * len))
    }

    /// Copies all of them from the stage to the window.
    fn scatter(self, low: u64, staged: &[u8], window: &mut [u8]) {
        // A length that the compiler knows makes a copy a few instructions, and no call.
        match self.len() {
            4 => self.scatter_fixed::<4>(low, staged, window),
            8 => self.scatter_fixed::<8>(low, staged, window),
            16 => self.scatter_fixed::<16>(low, staged, window),
            32 => self.scatter_fixed::<32>(low, staged, window),
            64 => self.scatter_fixed::<64>(low, staged, window),
            len => self.places(low).for_each(|(at, from)| {
                window[at..at + len].copy_from_slice(&staged[from..from + len]);
            }),
        }
    }

    fn scatter_fixed<const LEN: usize>(self, low: u64, staged: &[u8], window: &mut [u8]) {
        for (at, from) in self.places(low) {
            window[at..at + LEN].copy_from_slice(&staged[from..from + LEN]);
        }
    }

    /// Copies all of them from the window to the stage.
    fn gather(self, low: u64, window: &[u8], staged: &mut [u8]) {
        match self.len() {
            4 => self.gather_fixed::<4>(low, window, staged),
            8 => self.gather_fixed::<8>(low, window, staged),
            16 => self.gather_fixed::<16>(low, window, staged),
            32 => self.gather_fixed::<32>(low, window, staged),
            64 => self.gather_fixed::<64>(low, window, staged),
            len => self.places(low).for_each(|(at, to)| {
                staged[to..to + len].copy_from_slice(&window[at..at + len]);
            }),
        }
    }

    fn gather_fixed<const LEN: usize>(self, low: u64, window: &[u8], staged: &mut [u8]) {
        for (at, to) in self.places(low) {
            staged[to..to + LEN].copy_from_slice(&window[at..at + LEN]);
        }
    }

    /// Bytes that come before the first one that is not among the first `there` of the window.
    fn there(self, low: u64, there: usize) -> usize {
        let len = self.len();
        let inside = self.places(low).map(|(at, _)| len.min(there.saturating_sub(at)));
        let mut all = 0;
        for part in inside {
            all += part;
            if part < len {
                break;
            }
        }
        all
    }
}

/// What is moved of one access in a window.
struct Turn {
    number: usize,
    /// Its bytes in the stream, from the beginning of the access.
    from: u64,
    len: usize,
    /// Its runs, among those of the window.
    runs: std::ops::Range<usize>,
    /// How many they are.
    count: usize,
}

impl Turn {
    /// Whether its runs are so long on average that each of them is moved by a call of its own, and needs no stage.
    fn is_long(&self) -> bool {
        self.len / LONG >= self.count
    }
}

/// What is moved in a window.
#[derive(Default)]
struct Plan {
    turns: Vec<Turn>,
    runs: Vec<Runs>,
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
            let runs = first..self.runs.len();
            let count = self.runs[runs.clone()].iter().map(|runs| runs.strip.count as usize).sum();
            self.turns.push(Turn { number, from: progress.done, len, runs, count });
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
            is_inside = view.each_strip(part, &mut |strip| self.add_strip(strip, end, &mut staged)).is_ok();
        }
        self.total += staged as u64;
        staged
    }

    /// Adds what lies before `end` of a strip; `Err` where that is not all of it.
    fn add_strip(&mut self, strip: Strip, end: u64, staged: &mut usize) -> Result<(), ()> {
        let Strip { at, len, count, stride } = strip;
        let whole = match end.checked_sub(at + len) {
            None => 0,
            Some(_) if stride == 0 => count,
            Some(room) => (room / stride + 1).min(count),
        };
        if whole > 0 {
            self.push(Strip { count: whole, ..strip }, staged);
        }
        if whole == count {
            return Ok(());
        }
        let at = strip.place(whole);
        if at < end {
            self.push(Strip { at, len: end - at, count: 1, stride: 0 }, staged);
        }
        Err(())
    }

    fn push(&mut self, strip: Strip, staged: &mut usize) {
        self.runs.push(Runs { strip, staged: *staged });
        *staged += (strip.len * strip.count) as usize;
        self.low = self.low.min(strip.at);
        self.high = self.high.max(strip.place(strip.count - 1) + strip.len);
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

    fn add_runs(&mut self, runs: Runs, low: u64) {
        let len = runs.len();
        for (at, _) in runs.places(low) {
            let bit = at % 64;
            if bit + len <= 64 {
                self.0[at / 64] |= (u64::MAX >> (64 - len)) << bit;
            } else {
                self.add(at, at + len);
            }
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
                    runs.iter().for_each(|runs| covered.add_runs(*runs, plan.low));
                    if turn.is_long() {
                        for runs in runs {
                            for (at, from) in runs.places(plan.low) {
                                fill(turn.number, turn.from + from as u64, &mut window[at..at + runs.len()]);
                            }
                        }
                        continue;
                    }
                    staged.resize(turn.len.max(staged.len()), 0);
                    fill(turn.number, turn.from, &mut staged[..turn.len]);
                    runs.iter().for_each(|runs| runs.scatter(plan.low, &staged, &mut window));
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
                // What lies behind the file's end is copied along, and given to nobody.
                for runs in &plan.runs[turn.runs.clone()] {
                    runs.gather(plan.low, &window, &mut staged);
                    let all = runs.len() * runs.strip.count as usize;
                    let part = if there < plan.span() { runs.there(plan.low, there) } else { all };
                    len = runs.staged + part;
                    if part < all {
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
            views in proptest::collection::vec(
                (0u64..40, prop_oneof![1i64..9, Just(16), Just(64)], 0i64..60, 0u64..9, 0u64..300), 1..5,
            ),
            window in 1u64..900, room in 0usize..1500,
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

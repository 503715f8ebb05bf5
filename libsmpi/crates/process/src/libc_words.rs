//! Words of libc that belong to a rank though libc has them once: the buffer of `localtime`, the table of `hcreate`,
//! where `getpwent` stands, what it remembers of the time zone.
//!
//! Nobody outside of libc knows where they lie. So they are found by what changes: a function of libc that keeps
//! something is called with [`within`], which compares libc's data, and the thread-local variables that it has for this
//! thread, before and after. A word that such a function has changed is the calling rank's from then on, and all other
//! ranks have what was there before. Words that are known are exchanged when another rank runs next ([`enter`]), and
//! snapshots have them. A run whose ranks call no such function pays the test of a flag.
//!
//! libc allocates what such functions keep in the heap of the rank, so the words point into it, and both are put back
//! together. What it had allocated before ranks ran all ranks still have: it is never freed ([`keeps_blocks`]).

use crate::host_cell::HostCell;
use crate::record::Record;
use crate::state;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// Words that differ are looked for in pieces of so many.
const PIECE: usize = 64;

/// Some rank has called a function that keeps something.
static IN_USE: AtomicBool = AtomicBool::new(false);
/// Such a function runs.
static WITHIN: AtomicBool = AtomicBool::new(false);

/// A range of libc's data.
struct Range {
    start: *mut u32,
    len: usize,
}

/// The words that are known, and where they may be.
struct Words {
    ranges: Vec<Range>,
    /// Words in these ranges that are looked after elsewhere.
    left_out: Vec<*mut u32>,
    /// The contents of the ranges before the call that is under way.
    before: Vec<u32>,
    /// The pieces that differ after it: their first words, where these are in `before`, and how many words they have;
    /// and their contents, one after the other.
    differing: Vec<(*mut u32, usize, usize)>,
    after: Vec<u32>,
    /// The words that are ranks', in the order in which they were found.
    known: Vec<*mut u32>,
    /// What a rank has there that never changed it.
    first: Vec<u32>,
}

impl Words {
    const EMPTY: Words = Words {
        ranges: Vec::new(),
        left_out: Vec::new(),
        before: Vec::new(),
        differing: Vec::new(),
        after: Vec::new(),
        known: Vec::new(),
        first: Vec::new(),
    };

    /// The contents of a range.
    fn contents(range: &Range) -> &[u32] {
        // SAFETY: libc's data, which stays mapped; this thread alone runs what changes it now, and a word that another
        // thread changes meanwhile is only compared.
        unsafe { std::slice::from_raw_parts(range.start, range.len) }
    }

    /// Copies the ranges; nothing is allocated from then on, since what `malloc` keeps lies in them.
    fn copy_before(&mut self) {
        let len: usize = self.ranges.iter().map(|range| range.len).sum();
        self.differing.clear();
        self.differing.reserve(len / PIECE + self.ranges.len());
        for copy in [&mut self.before, &mut self.after] {
            copy.clear();
            copy.reserve(len);
        }
        for range in &self.ranges {
            self.before.extend_from_slice(Words::contents(range));
        }
    }

    /// Takes in the words that have changed since [`Words::copy_before`].
    fn find(&mut self) {
        let mut at = 0;
        for range in &self.ranges {
            for (piece, new) in Words::contents(range).chunks(PIECE).enumerate() {
                if self.before[at..at + new.len()] != *new {
                    self.differing.push((range.start.wrapping_add(piece * PIECE), at, new.len()));
                    self.after.extend_from_slice(new);
                }
                at += new.len();
            }
        }
        // To take words in may allocate.
        let mut after = self.after.as_slice();
        for &(first, at, len) in &self.differing {
            let (new, rest) = after.split_at(len);
            after = rest;
            for (index, new) in new.iter().enumerate() {
                let (word, old) = (first.wrapping_add(index), self.before[at + index]);
                if old != *new && !self.known.contains(&word) && !self.left_out.contains(&word) {
                    self.known.push(word);
                    self.first.push(old);
                }
            }
        }
    }

    /// Puts back what [`Words::copy_before`] has copied.
    fn undo(&self) {
        let mut at = 0;
        for range in &self.ranges {
            for index in 0..range.len {
                let word = range.start.wrapping_add(index);
                let before = self.before[at + index];
                // SAFETY: words of the ranges; nobody uses them now.
                unsafe {
                    if word.read() != before && !self.left_out.contains(&word) {
                        word.write(before);
                    }
                }
            }
            at += range.len;
        }
    }

    /// The present contents.
    fn read(&self) -> Vec<u32> {
        // SAFETY: words of the ranges.
        self.known.iter().map(|word| unsafe { word.read() }).collect()
    }

    fn write(&self, values: &[u32]) {
        let values = values.iter().chain(self.first.get(values.len()..).unwrap_or_default());
        for (word, value) in self.known.iter().zip(values) {
            // SAFETY: words of the ranges, which get what libc had there when the rank that runs next ran last.
            unsafe { word.write(*value) };
        }
    }
}

/// The words of this process, and whose contents are in place.
struct Place {
    words: RefCell<Words>,
    owner: Cell<Option<&'static Record>>,
}

// SAFETY: this file uses it for the rank that runs, and for the event loop that is about to run one.
static PLACE: HostCell<Place> =
    unsafe { HostCell::new(Place { words: RefCell::new(Words::EMPTY), owner: Cell::new(None) }) };

/// A rank runs from now on: its words come into place.
#[inline]
pub fn enter(record: &'static Record) {
    if IN_USE.load(Ordering::Relaxed) {
        exchange(record);
    }
}

fn exchange(record: &'static Record) {
    if WITHIN.swap(false, Ordering::Relaxed) {
        // A call that never came back, because the rank ended in it: libc may hold a lock.
        PLACE.words.borrow().undo();
    }
    if !PLACE.owner.get().is_some_and(|owner| ptr::eq(owner, record)) {
        park();
        PLACE.words.borrow().write(&record.own.words.borrow());
        PLACE.owner.set(Some(record));
    }
}

/// Keeps the words that are in place for the rank that they belong to.
pub fn park() {
    if let Some(owner) = PLACE.owner.get() {
        *owner.own.words.borrow_mut() = PLACE.words.borrow().read();
    }
}

/// Makes a rank's words those of another moment. It must not be running.
pub fn put_back(record: &'static Record, values: &[u32]) {
    *record.own.words.borrow_mut() = values.to_vec();
    if PLACE.owner.get().is_some_and(|owner| ptr::eq(owner, record)) {
        PLACE.words.borrow().write(values);
    }
}

/// What a rank has where it has changed something, by address, after [`park`].
pub fn changes(record: &Record) -> Vec<(usize, u32)> {
    let words = PLACE.words.borrow();
    let values = record.own.words.borrow();
    let all = words.known.iter().zip(&words.first).zip(values.iter());
    let mut changes: Vec<(usize, u32)> =
        all.filter(|((_, first), value)| first != value).map(|((word, _), value)| (word.addr(), *value)).collect();
    changes.sort_unstable();
    changes
}

/// Whether blocks that were allocated before ranks ran must stay though they are freed: other ranks have them, too.
#[inline]
pub fn keeps_blocks() -> bool {
    WITHIN.load(Ordering::Relaxed)
}

/// Says where libc's words may be: its data, and its variables of this thread unless these are each rank's own already.
/// `left_out` are those that are looked after elsewhere.
pub fn prepare(ranges: Vec<(*mut u8, usize)>, left_out: &[(*mut u8, usize)]) {
    const LEN: usize = size_of::<u32>();
    let mut words = PLACE.words.borrow_mut();
    words.ranges = ranges
        .into_iter()
        .map(|(start, len)| {
            let skipped = start.align_offset(LEN);
            Range { start: start.wrapping_add(skipped).cast(), len: len.saturating_sub(skipped) / LEN }
        })
        .collect();
    words.left_out = left_out
        .iter()
        .flat_map(|&(start, len)| (0..len.div_ceil(LEN)).map(move |index| start.cast::<u32>().wrapping_add(index)))
        .collect();
    // Programs change this one themselves, when libc has told them where it is.
    // SAFETY: no conditions; libc answers the address of this thread's variable.
    let error_of_hosts = unsafe { __h_errno_location() }.cast::<u32>();
    if words.known.is_empty() {
        words.known.push(error_of_hosts);
        words.first.push(0);
    }
}

/// Has libc keep something before ranks run: it is not theirs, and each begins with what was there before.
pub fn note(call: impl FnOnce()) {
    let mut words = PLACE.words.borrow_mut();
    words.copy_before();
    call();
    words.find();
}

unsafe extern "C" {
    fn __h_errno_location() -> *mut std::ffi::c_int;
}

/// Calls a function of libc that keeps something, on the stack of a rank; whoever is none gets what the process has.
pub fn within<R>(call: impl FnOnce() -> R) -> R {
    let Some(record) = state::caller().filter(|_| !WITHIN.load(Ordering::Relaxed)) else { return call() };
    IN_USE.store(true, Ordering::Relaxed);
    exchange(record);
    PLACE.words.borrow_mut().copy_before();
    WITHIN.store(true, Ordering::Relaxed);
    let result = call();
    WITHIN.store(false, Ordering::Relaxed);
    PLACE.words.borrow_mut().find();
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_found_and_exchanged() {
        let memory: &'static mut [u32] = Box::leak(vec![7; 200].into_boxed_slice());
        let start = memory.as_mut_ptr();
        let place = |index: usize| start.wrapping_add(index);
        // SAFETY: the memory is leaked, and this test alone uses it.
        let write = |index: usize, value: u32| unsafe { place(index).write(value) };
        let mut words = Words::EMPTY;
        words.ranges = vec![Range { start, len: 100 }, Range { start: place(150), len: 50 }];
        words.left_out = vec![place(3)];
        words.copy_before();
        write(3, 1);
        write(99, 2);
        write(120, 3);
        write(199, 4);
        words.find();
        assert_eq!(words.known, [place(99), place(199)]);
        let one = words.read();
        words.write(&[]);
        assert_eq!(words.read(), [7, 7]);
        words.copy_before();
        write(0, 5);
        words.find();
        // A rank that was seen before a word was known has what was there first.
        words.write(&one);
        assert_eq!(words.read(), [2, 4, 7]);
    }
}

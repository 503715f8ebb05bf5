//! What large ranges of ranks' memory hold, page by page: snapshots share the pages that have not changed between them,
//! and so does the present state of a rank. A snapshot, a return to one, and the name of a state cost what has changed
//! since the last of them, and not what the program has.
//!
//! The kernel tells which pages were written to ([`Changes`]). Where it does not, nothing of this is used, and ranges
//! are copied ([`super::snapshot`]).

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use smpi_base::digest::Digest;
use smpi_base::map::Map;
use smpi_ranks::layout::PAGE;
use smpi_ranks::pages::{Changed, Changes};

use super::files;
use super::memory::{bytes_at, put, untouch};

/// From this length on a range is large: it takes some time to ask the kernel.
pub const LARGE: usize = 1 << 20;

/// Pages of a chunk. Chunks are shared as a whole as long as none of their pages changes.
const PAGES: usize = 64;
/// Bytes of a chunk.
const CHUNK: usize = PAGES * PAGE;

/// The contents of a page at some time.
struct Page {
    bytes: Box<[u8]>,
    digest: Cell<Option<u128>>,
}

/// What is known of a page.
#[derive(Clone)]
enum Slot {
    /// Nothing.
    Unknown,
    /// Its digest.
    Digest(u128),
    /// It is as it was before the program.
    Untouched,
    /// What it holds.
    Holds(Rc<Page>),
}

impl Slot {
    fn is_same(&self, other: &Slot) -> bool {
        match (self, other) {
            (Slot::Untouched, Slot::Untouched) => true,
            (Slot::Holds(one), Slot::Holds(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// Pages beside each other, the first one at a multiple of [`CHUNK`].
#[derive(Clone)]
struct Chunk {
    slots: [Slot; PAGES],
    digest: Cell<Option<u128>>,
}

impl Chunk {
    fn of(slot: &Slot) -> Rc<Chunk> {
        Rc::new(Chunk { slots: std::array::from_fn(|_| slot.clone()), digest: Cell::new(None) })
    }
}

/// A large range of a rank's memory, as far as is known what it holds now.
struct Kept {
    /// Where the first chunk begins.
    start: usize,
    /// The range that is watched, in whole pages.
    watched: Range<usize>,
    chunks: Vec<Rc<Chunk>>,
    /// Stands for all chunks of untouched pages only.
    untouched: Rc<Chunk>,
    /// Digests of untouched pages and chunks, which stay.
    digests: Map<Range<usize>, u128>,
}

/// All large ranges of ranks.
#[derive(Default)]
pub struct Ranges {
    /// By their beginnings.
    kept: RefCell<Map<usize, Kept>>,
    changes: RefCell<Asked>,
}

/// What the kernel answered when it was asked to watch pages.
#[derive(Default)]
enum Asked {
    #[default]
    NotYet,
    /// It does not.
    Refused,
    Watches(Changes),
}

impl Ranges {
    /// None yet; the kernel is asked what changes, or not.
    pub fn new(asks: bool) -> Ranges {
        let changes = RefCell::new(if asks { Asked::NotYet } else { Asked::Refused });
        Ranges { changes, ..Ranges::default() }
    }

    /// Calls `use_it` with the range that begins here, and with who tells of changes, if somebody does.
    fn with<R>(&self, start: usize, use_it: impl FnOnce(&mut Kept, Option<&Changes>) -> R) -> R {
        let mut asked = self.changes.borrow_mut();
        let is_stale = matches!(&*asked, Asked::Watches(changes) if !changes.is_of_this_process());
        if is_stale || matches!(*asked, Asked::NotYet) {
            *asked = Changes::new(files::hide).map_or(Asked::Refused, Asked::Watches);
        }
        let changes = if let Asked::Watches(changes) = &*asked { Some(changes) } else { None };
        use_it(self.kept.borrow_mut().entry(start).or_insert_with(|| Kept::new(start)), changes)
    }

    /// What a range holds now. `None` when the kernel does not tell what has changed.
    ///
    /// # Safety
    /// The pages of the range must be readable, and nobody may write to them meanwhile.
    pub unsafe fn hold(&self, range: Range<usize>) -> Option<Held> {
        // SAFETY: the caller says so.
        self.with(range.start, |kept, changes| unsafe { kept.hold(range, changes?) })
    }

    /// As [`Ranges::hold`], of all that is mapped there: what lies behind the range belongs to somebody else.
    ///
    /// # Safety
    /// As for [`Ranges::hold`].
    pub unsafe fn hold_all(&self, range: Range<usize>) -> Option<Held> {
        self.fit(&range);
        // SAFETY: the caller says so.
        unsafe { self.hold(range) }
    }

    /// As [`Ranges::put_back`], where nothing lies behind the range.
    ///
    /// # Safety
    /// As for [`Ranges::put_back`].
    pub unsafe fn put_all_back(&self, held: &Held) {
        self.fit(&held.range);
        // SAFETY: the caller says so.
        unsafe { self.put_back(held, 0) };
    }

    /// Adds all of a range to a name.
    ///
    /// # Safety
    /// As for [`Ranges::name`].
    pub unsafe fn name_all(&self, range: Range<usize>, into: &mut Digest) {
        self.fit(&range);
        // SAFETY: the caller says so.
        unsafe { self.name(range.clone(), |add| add(into, range)) };
    }

    /// Forgets what was known of a longer range that began here: less is mapped now.
    fn fit(&self, range: &Range<usize>) {
        let mut kept = self.kept.borrow_mut();
        if kept.get(&range.start).is_some_and(|kept| kept.watched.end > range.end) {
            kept.remove(&range.start);
        }
    }

    /// Forgets what ranges held that begin within this one: something else lies there now.
    pub fn forget_within(&self, range: &Range<usize>) {
        self.kept.borrow_mut().retain(|start, _| !range.contains(start));
    }

    /// Puts back what a range held. What lies behind it, up to `end` if that is more, is as it was before the program.
    ///
    /// # Safety
    /// The pages must be writable, and nothing may be using their present contents.
    pub unsafe fn put_back(&self, held: &Held, end: usize) {
        // SAFETY: the caller says so.
        self.with(held.range.start, |kept, changes| unsafe { kept.put_back(held, end, changes) });
    }

    /// Lets `name` add parts of a range to a name. What it adds is the same whether or not the kernel tells what has
    /// changed.
    ///
    /// # Safety
    /// The range must be readable, and nobody may write to it meanwhile.
    pub unsafe fn name(&self, range: Range<usize>, name: impl FnOnce(&mut dyn FnMut(&mut Digest, Range<usize>))) {
        // SAFETY: parts of the range, of which the caller says so.
        let mut plainly = |into: &mut Digest, part| unsafe { add(into, part, None) };
        if range.len() < LARGE {
            return name(&mut plainly);
        }
        self.with(range.start, |kept, changes| {
            if changes.and_then(|changes| kept.look(range.end, changes)).is_none() {
                return name(&mut plainly);
            }
            // SAFETY: as above.
            name(&mut |into, part| unsafe { add(into, part, Some(&mut *kept)) });
        });
    }
}

/// What a range held at some time.
pub struct Held {
    range: Range<usize>,
    chunks: Vec<Rc<Chunk>>,
}

impl Kept {
    /// Nothing is known of the range that begins here.
    fn new(start: usize) -> Kept {
        let page = start / PAGE * PAGE;
        let (untouched, digests) = (Chunk::of(&Slot::Untouched), Map::default());
        Kept { start: start / CHUNK * CHUNK, watched: page..page, chunks: Vec::new(), untouched, digests }
    }

    fn page_at(&self, address: usize) -> usize {
        (address - self.start) / PAGE
    }

    /// Notes what is known of pages.
    fn set(&mut self, pages: Range<usize>, slot: &Slot) {
        let mut page = pages.start;
        while page < pages.end {
            let (number, place) = (page / PAGES, page % PAGES);
            let next = ((number + 1) * PAGES).min(pages.end);
            let is_untouched = matches!(slot, Slot::Untouched);
            let is_whole = place == 0 && next == (number + 1) * PAGES;
            if is_untouched && (is_whole || Rc::ptr_eq(&self.chunks[number], &self.untouched)) {
                self.chunks[number] = Rc::clone(&self.untouched);
            } else {
                let chunk = Rc::make_mut(&mut self.chunks[number]);
                chunk.digest.set(None);
                chunk.slots[place..place + next - page].fill(slot.clone());
            }
            page = next;
        }
    }

    /// Nothing is known any more.
    fn forget(&mut self) {
        let unknown = Chunk::of(&Slot::Unknown);
        self.chunks.fill(unknown);
    }

    /// Notes what has changed, in a range that begins where this one does. `None` when the kernel does not tell.
    fn look(&mut self, end: usize, changes: &Changes) -> Option<()> {
        let end = end.next_multiple_of(PAGE);
        if self.start + self.chunks.len() * CHUNK < end {
            self.chunks.resize((end - self.start).div_ceil(CHUNK), Chunk::of(&Slot::Unknown));
        }
        if end > self.watched.end {
            changes.watch(self.watched.end..end).then_some(())?;
            self.watched.end = end;
        }
        let mut changed = changes.take(self.watched.clone());
        if changed.is_none() {
            // Mapped anew, or watched by the process that this one was forked from.
            changes.watch(self.watched.clone()).then_some(())?;
            self.forget();
            changed = changes.take(self.watched.clone());
        }
        let Changed { written, untouched, away, present } = changed?;
        let mut at = self.watched.start;
        for run in present.into_iter().chain(std::iter::once(self.watched.end..self.watched.end)) {
            self.set(self.page_at(at)..self.page_at(run.start), &Slot::Untouched);
            at = run.end;
        }
        for (runs, slot) in [(written, Slot::Unknown), (away, Slot::Unknown), (untouched, Slot::Untouched)] {
            runs.into_iter().for_each(|run| self.set(self.page_at(run.start)..self.page_at(run.end), &slot));
        }
        Some(())
    }

    /// What the range holds now. `None` when the kernel does not tell what has changed.
    ///
    /// # Safety
    /// The pages of the range must be readable, and nobody may write to them meanwhile.
    unsafe fn hold(&mut self, range: Range<usize>, changes: &Changes) -> Option<Held> {
        self.look(range.end, changes)?;
        let pages = self.page_at(range.start)..self.page_at(range.end.next_multiple_of(PAGE));
        for number in pages.start / PAGES..pages.end.div_ceil(PAGES) {
            if Rc::ptr_eq(&self.chunks[number], &self.untouched) {
                continue;
            }
            let is_new = |slot: &Slot| matches!(slot, Slot::Unknown | Slot::Digest(_));
            let places = (0..PAGES).filter(|place| pages.contains(&(number * PAGES + place)));
            let new: Vec<usize> = places.filter(|&place| is_new(&self.chunks[number].slots[place])).collect();
            if new.is_empty() {
                continue;
            }
            // What is known of a digest of all stays right.
            let chunk = Rc::make_mut(&mut self.chunks[number]);
            for place in new {
                let at = self.start + (number * PAGES + place) * PAGE;
                // SAFETY: the caller says that the page is readable and at rest.
                let bytes = unsafe { bytes_at(&(at..at + PAGE)) }.into();
                let slot = &mut chunk.slots[place];
                let digest = Cell::new(if let Slot::Digest(digest) = slot { Some(*digest) } else { None });
                *slot = Slot::Holds(Rc::new(Page { bytes, digest }));
            }
        }
        Some(Held { range, chunks: self.chunks[..pages.end.div_ceil(PAGES)].to_vec() })
    }

    /// Puts back what the range held. What lies behind it, up to `end`, is as it was before the program.
    ///
    /// # Safety
    /// The pages must be writable, and nothing may be using their present contents.
    unsafe fn put_back(&mut self, held: &Held, end: usize, changes: Option<&Changes>) {
        if changes.and_then(|changes| self.look(end.max(held.range.end), changes)).is_none() {
            self.forget();
        }
        let pages = self.page_at(held.range.start)..self.page_at(held.range.end.next_multiple_of(PAGE));
        // Pages that are to be as before the program.
        let mut given_back = 0..0;
        for (number, wanted) in held.chunks.iter().enumerate() {
            if Rc::ptr_eq(&self.chunks[number], wanted) {
                continue;
            }
            for (place, slot) in wanted.slots.iter().enumerate() {
                let page = number * PAGES + place;
                if !pages.contains(&page) || self.chunks[number].slots[place].is_same(slot) {
                    continue;
                }
                if let Slot::Holds(held) = slot {
                    // SAFETY: the caller says that the page is writable, and its contents are given up.
                    unsafe { put(self.start + page * PAGE, &held.bytes) };
                } else if given_back.end == page {
                    given_back.end += 1;
                } else {
                    // SAFETY: as above.
                    unsafe { self.give_back(given_back) };
                    given_back = page..page + 1;
                }
            }
            if (number + 1) * PAGES <= pages.end {
                self.chunks[number] = Rc::clone(wanted);
            } else {
                (number * PAGES..pages.end).for_each(|page| self.set(page..page + 1, &wanted.slots[page % PAGES]));
            }
        }
        let rest = pages.end..self.page_at(end.next_multiple_of(PAGE)).max(pages.end);
        // SAFETY: as above.
        unsafe {
            self.give_back(given_back);
            self.give_back(rest.clone());
        }
        // Where nobody tells of changes, less may be known than there is.
        self.set(rest.start..rest.end.min(self.chunks.len() * PAGES), &Slot::Untouched);
        // What was written just now is known.
        if changes.and_then(|changes| changes.take(self.watched.clone())).is_none() {
            self.forget();
        }
    }

    /// # Safety
    /// As for [`Kept::put_back`].
    unsafe fn give_back(&self, pages: Range<usize>) {
        // SAFETY: the caller says that the pages are writable, and their contents are given up.
        unsafe { untouch(self.start + pages.start * PAGE..self.start + pages.end * PAGE) };
    }

    /// The digest of a page, which is known from then on.
    fn digest_of_page(&mut self, page: usize) -> u128 {
        let at = self.start + page * PAGE;
        // SAFETY: the caller of `add` says that the page is readable and at rest.
        let digest_now = || unsafe { digest_at(at) };
        let slot = match &self.chunks[page / PAGES].slots[page % PAGES] {
            Slot::Digest(digest) => return *digest,
            Slot::Untouched => return *self.digests.entry(at..at + PAGE).or_insert_with(digest_now),
            Slot::Holds(page) => {
                let digest = page.digest.get().unwrap_or_else(digest_now);
                page.digest.set(Some(digest));
                return digest;
            }
            Slot::Unknown => Slot::Digest(digest_now()),
        };
        self.set(page..page + 1, &slot);
        self.digest_of_page(page)
    }

    /// The digest of a chunk, which is known from then on.
    fn digest_of_chunk(&mut self, number: usize) -> u128 {
        let pages = number * PAGES..(number + 1) * PAGES;
        let at = self.start + number * CHUNK..self.start + (number + 1) * CHUNK;
        if Rc::ptr_eq(&self.chunks[number], &self.untouched) {
            // SAFETY: the caller of `add` says that the pages are readable and at rest.
            let digest_now = || of_pages(at.clone().step_by(PAGE).map(|page| unsafe { digest_at(page) }));
            return *self.digests.entry(at.clone()).or_insert_with(digest_now);
        }
        if let Some(digest) = self.chunks[number].digest.get() {
            return digest;
        }
        let digest = of_pages(pages.map(|page| self.digest_of_page(page)));
        self.chunks[number].digest.set(Some(digest));
        digest
    }
}

fn of_pages(pages: impl Iterator<Item = u128>) -> u128 {
    let mut all = Digest::new();
    pages.for_each(|page| all.add(page));
    all.bits()
}

/// Adds memory to a name. That of much memory is the same whether or not something is `kept` of it, which knows what
/// has changed.
///
/// # Safety
/// The range must be readable, and nobody may write to it meanwhile.
unsafe fn add(into: &mut Digest, range: Range<usize>, mut kept: Option<&mut Kept>) {
    let mut at = range.start;
    let first = range.start.next_multiple_of(PAGE);
    if range.end.saturating_sub(first) < CHUNK {
        // SAFETY: the caller says that it is readable and at rest.
        return into.add(unsafe { bytes_at(&range) });
    }
    while at < range.end {
        let left = range.end - at;
        let kept = kept.as_deref_mut().filter(|kept| kept.watched.contains(&at));
        let next = if at.is_multiple_of(CHUNK) && left >= CHUNK {
            let digest = match kept {
                Some(kept) if kept.watched.end >= at + CHUNK => kept.digest_of_chunk((at - kept.start) / CHUNK),
                // SAFETY: as above.
                _ => of_pages((at..at + CHUNK).step_by(PAGE).map(|page| unsafe { digest_at(page) })),
            };
            into.add(digest);
            at + CHUNK
        } else if at.is_multiple_of(PAGE) && left >= PAGE {
            let digest = match kept {
                Some(kept) => kept.digest_of_page(kept.page_at(at)),
                // SAFETY: as above.
                None => unsafe { digest_at(at) },
            };
            into.add(digest);
            at + PAGE
        } else {
            let next = (at + 1).next_multiple_of(PAGE).min(range.end);
            // SAFETY: as above.
            into.add(unsafe { bytes_at(&(at..next)) });
            next
        };
        at = next;
    }
}

/// # Safety
/// The page must be readable, and nobody may write to it meanwhile.
unsafe fn digest_at(page: usize) -> u128 {
    // SAFETY: the caller says that it is readable and at rest.
    Digest::of(unsafe { bytes_at(&(page..page + PAGE)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;

    const LEN: usize = 4 << 20;

    /// Memory of the kernel's, like that of a region that nobody has touched.
    fn untouched() -> usize {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping, which stays.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), LEN, protection, flags, -1, 0) };
        assert_ne!(memory, libc::MAP_FAILED);
        memory.expose_provenance()
    }

    fn name(ranges: &Ranges, range: &Range<usize>) -> u128 {
        let mut digest = Digest::new();
        // SAFETY: the test's memory, which nobody else uses.
        unsafe { ranges.name(range.clone(), |add| add(&mut digest, range.clone())) };
        digest.bits()
    }

    /// The same without knowing anything.
    fn plain_name(range: &Range<usize>) -> u128 {
        let mut digest = Digest::new();
        // SAFETY: as above.
        unsafe { add(&mut digest, range.clone(), None) };
        digest.bits()
    }

    /// Writes, snapshots and returns to them in any order, with a heap whose end moves; against copies of everything.
    fn random_walk(seed: u64) {
        let mut rng = Rng::new(seed);
        let memory = untouched() + rng.below(3) * 1000;
        let ranges = Ranges::default();
        let mut end = memory + LARGE + rng.below(LARGE);
        let mut known: Vec<(Held, usize, Vec<u8>, u128)> = Vec::new();
        for _ in 0..200 {
            // SAFETY: the test's memory, which nobody else uses.
            unsafe {
                match rng.below(4) {
                    0 | 1 => {
                        // A few bytes, or many pages; sometimes what is there already.
                        let (at, len) = (rng.below(end - memory), [1, 9, 5000, 300_000][rng.below(4)]);
                        let value = rng.below(4) as u8;
                        let all = memory + at..(memory + at + len).min(end);
                        std::ptr::with_exposed_provenance_mut::<u8>(all.start).write_bytes(value, all.len());
                    }
                    2 if known.len() < 12 => {
                        end = (end + rng.below(3) * rng.below(LARGE)).min(memory + LEN - 3000);
                        let range = memory..end;
                        let Some(held) = ranges.hold(range.clone()) else {
                            assert!(Changes::new(files::hide).is_none());
                            return;
                        };
                        known.push((held, end, bytes_at(&range).to_vec(), plain_name(&range)));
                    }
                    _ if !known.is_empty() => {
                        let (held, then, bytes, its_name) = &known[rng.below(known.len())];
                        ranges.put_back(held, end);
                        assert!(bytes_at(&(memory..*then)) == bytes, "seed {seed}");
                        assert!(bytes_at(&(*then..end.max(*then))).iter().all(|&byte| byte == 0), "seed {seed}");
                        end = *then;
                        assert_eq!(name(&ranges, &(memory..end)), *its_name, "seed {seed}");
                    }
                    _ => {}
                }
            }
            assert_eq!(name(&ranges, &(memory..end)), plain_name(&(memory..end)), "seed {seed}");
        }
        // SAFETY: the test's memory.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(memory / PAGE * PAGE), LEN) };
    }

    #[test]
    fn ranges_are_put_back_and_named_as_if_they_were_copied() {
        (0..12).for_each(random_walk);
    }

    /// A process that was forked from one with snapshots.
    #[test]
    fn what_was_held_can_be_put_back_where_nobody_tells_of_changes() {
        let memory = untouched();
        let ranges = Ranges::default();
        let range = memory..memory + 2 * LARGE;
        // SAFETY: the test's memory, which nobody else uses.
        unsafe {
            std::ptr::with_exposed_provenance_mut::<u8>(memory).write_bytes(1, LARGE);
            let Some(held) = ranges.hold(range.clone()) else { return };
            std::ptr::with_exposed_provenance_mut::<u8>(memory).write_bytes(2, 3 * LARGE);
            *ranges.changes.borrow_mut() = Asked::Refused;
            let end = memory + 3 * LARGE;
            ranges.put_back(&held, end);
            let bytes = bytes_at(&(memory..end));
            assert!(bytes[..LARGE].iter().all(|&byte| byte == 1) && bytes[LARGE..].iter().all(|&byte| byte == 0));
            // Watched by somebody else now, as after a fork.
            *ranges.changes.borrow_mut() = Asked::NotYet;
            std::ptr::with_exposed_provenance_mut::<u8>(memory + 5).write(9);
            ranges.put_back(&held, range.end);
            assert_eq!(bytes_at(&range)[5], 1);
        }
    }
}

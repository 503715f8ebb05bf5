//! What is remembered of the accesses to one memory, so that later ones are compared with few of them.
//!
//! Accesses of one rank, line and kind are one entry, as long as they are over at the same time. Three facts spare
//! comparisons, and lose no pair of lines that race:
//!
//! - While an entry is open, whoever comes later is compared with its bytes, and nobody knows that they are over. So
//!   another access of its line to these bytes need not be compared again.
//! - An entry that is over is *opened again* when its line accesses the same bytes or more: who races with what was
//!   races with what is. Only entries that changed since it was closed are new to it.
//! - An entry that is over is left out when another rank that knows this accesses its bytes on the same line: who does
//!   not know of the first one's end knows nothing of the second one's.
//!
//! Entries are found by their bytes where there are many of them: those of about one length by their start.

use std::collections::BTreeSet;

use smpi_base::WorldRank;
use smpi_base::map::Map;

use super::{Access, Ranges, Seen, WindowId};
use crate::collective::Part;

/// More entries than this are found by their bytes.
const FEW: usize = 32;

/// Entries of these may be one.
type Maker = (WorldRank, u64, bool, Option<(WindowId, u32)>);

/// Number of a place for an entry.
pub(crate) type Slot = u32;

/// The power of two of its length, its start, its end, and its slot.
type Spot = (u8, u64, u64, Slot);

#[derive(Clone, Debug)]
struct Entry {
    seen: Seen,
    /// The number of the change by which it became what it is.
    changed: u64,
    /// The last change of which all that it was compared with is known: it is over, and was not opened again since.
    compared: u64,
    /// It was compared with itself.
    met_itself: bool,
}

/// The newest entry of a line.
#[derive(Clone, Copy, Debug)]
struct Newest {
    slot: Slot,
    /// The one before it.
    before: Slot,
    /// How many there are.
    count: u32,
}

/// Where a new access belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// To an open entry that has all its bytes.
    Within(Slot),
    /// To an entry that ends at the same time and gets more bytes.
    Beside(Slot),
    /// To an entry that is over, and goes on by it.
    Again(Slot),
    /// It is an entry of its own.
    New,
}

/// Remembered accesses to one memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shelf {
    entries: Vec<Option<Entry>>,
    free: Vec<Slot>,
    /// Where there are many, they are here by their bytes.
    spots: Option<BTreeSet<Spot>>,
    /// Powers of two that occur there.
    powers: u64,
    newest: Map<Maker, Newest>,
    /// How often an entry was made, opened again, or got more bytes.
    changes: u64,
    /// So many entries are too many to remember what everybody knows to be over.
    limit: usize,
}

fn maker(seen: &Seen) -> Maker {
    (seen.origin, seen.made.site, seen.is_own, seen.part_of)
}

fn spot(seen: &Seen, slot: Slot) -> Option<Spot> {
    let (start, end) = seen.bytes.span()?;
    Some(((end - start).ilog2() as u8, start, end, slot))
}

impl Shelf {
    fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Forgets entries that everybody knows to be over, when there are more than twice as many as after the last time.
    pub(crate) fn forget(&mut self, is_known: impl Fn(&Seen) -> bool) {
        if self.len() >= self.limit.max(2 * FEW) {
            self.retain(|seen| !is_known(seen));
            self.limit = 2 * self.len();
        }
    }

    /// An entry.
    pub(crate) fn get(&self, slot: Slot) -> Option<&Seen> {
        Some(&self.entry(slot)?.seen)
    }

    #[inline]
    fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.entries.get(slot as usize)?.as_ref()
    }

    #[inline]
    fn entry_mut(&mut self, slot: Slot) -> Option<&mut Entry> {
        self.entries.get_mut(slot as usize)?.as_mut()
    }

    /// Where a new access belongs.
    pub(crate) fn fit(&self, new: &Seen) -> Fit {
        // What has no place in the program is always news.
        let Some(newest) = self.newest.get(&maker(new)).filter(|_| new.made.site != 0) else { return Fit::New };
        let fit = self.fit_at(newest.slot, new);
        if fit != Fit::New || newest.count == 1 {
            return fit;
        }
        let (mut found, span) = (Fit::New, new.bytes.span().unwrap_or_default());
        self.each_near(span, |slot, _| {
            if found == Fit::New {
                found = self.fit_at(slot, new);
            }
        });
        found
    }

    fn fit_at(&self, slot: Slot, new: &Seen) -> Fit {
        let Some(Entry { seen, .. }) = self.entry(slot).filter(|entry| entry.seen.is_like(new)) else {
            return Fit::New;
        };
        if seen.over == new.over {
            let is_within = new.over.is_none() && seen.bytes.cover_all(&new.bytes);
            return if is_within { Fit::Within(slot) } else { Fit::Beside(slot) };
        }
        if seen.over.is_some() && new.bytes.cover_all(&seen.bytes) { Fit::Again(slot) } else { Fit::New }
    }

    /// Runs the action on all entries that may have bytes between these.
    fn each_near<'a>(&'a self, (low, high): (u64, u64), mut action: impl FnMut(Slot, &'a Entry)) {
        let Some(spots) = &self.spots else {
            for (slot, entry) in (0..).zip(&self.entries) {
                if let Some(entry) = entry
                    && entry.seen.bytes.span().is_some_and(|(start, end)| start < high && low < end)
                {
                    action(slot, entry);
                }
            }
            return;
        };
        for power in (0..64).filter(|power| self.powers >> power & 1 == 1) {
            // One of these is shorter than twice its power.
            let reach = 1u64.checked_shl(u32::from(power) + 1).filter(|reach| *reach > 0).unwrap_or(u64::MAX);
            let near = spots.range((power, low.saturating_sub(reach), 0, 0)..(power, high, 0, 0));
            for &(_, _, end, slot) in near {
                if let Some(entry) = self.entry(slot).filter(|_| low < end) {
                    action(slot, entry);
                }
            }
        }
    }

    /// Whether an access is one more of an entry like `last`, and nothing need be compared: `Some(true)` when the entry
    /// was over and is open again.
    pub(crate) fn repeat(&mut self, slot: Slot, origin: WorldRank, access: &Access, last: &Part) -> Option<bool> {
        let Entry { seen, met_itself, compared, .. } = self.entry(slot)?;
        let is_same_line = (seen.made, seen.origin, seen.window, seen.target)
            == (access.made, origin, access.window, access.target)
            && access.made.site != 0;
        let is_like = is_same_line && seen.action == access.action && !seen.is_own;
        if !is_like || seen.request.is_some() || access.request.is_some() {
            return None;
        }
        let there = &access.there;
        let is_same = || (there.at, there.count) == (last.at, last.count) && there.datatype.is_same(&last.datatype);
        // Those that are atomic differ by their elements, too.
        if access.action.is_atomic() && !is_same() && !Seen::of(access, origin).is_like(seen) {
            return None;
        }
        let (low, high) = there.as_run().filter(|run| run.0 < run.1)?;
        if seen.over.is_none() {
            if seen.bytes.covers(low, high) {
                return met_itself.then_some(false);
            }
            let mut is_news = true;
            self.each_near((low, high), |_, _| is_news = false);
            if is_news {
                self.change(slot, |entry| entry.seen.bytes.add(low, high));
            }
            return is_news.then_some(false);
        }
        if seen.bytes != Ranges::One((low, high)) || *compared != self.changes {
            return None;
        }
        self.changes += 1;
        let changed = self.changes;
        let entry = self.entry_mut(slot)?;
        (entry.seen.over, entry.changed, entry.met_itself) = (None, changed, false);
        Some(true)
    }

    /// Goes through the entries that have some of these bytes.
    pub(crate) fn each_at(&self, bytes: &Ranges, mut action: impl FnMut(&Seen)) {
        self.each_near(bytes.span().unwrap_or_default(), |_, Entry { seen, .. }| {
            if seen.bytes.common(bytes).is_some() {
                action(seen);
            }
        });
    }

    /// Those entries that a new access must be compared with, as far as their bytes may meet.
    pub(crate) fn list_for(&mut self, new: &Seen, fit: Fit, found: &mut Vec<Slot>) {
        found.clear();
        let since = match fit {
            Fit::Within(slot) => {
                let entry = self.entry_mut(slot).filter(|entry| !entry.met_itself);
                return entry.into_iter().for_each(|entry| {
                    entry.met_itself = true;
                    found.push(slot);
                });
            }
            Fit::Again(slot) => match self.entry(slot) {
                Some(entry) if entry.seen.bytes == new.bytes => entry.compared,
                _ => 0,
            },
            Fit::Beside(_) | Fit::New => 0,
        };
        if since < self.changes || since == 0 {
            self.each_near(new.bytes.span().unwrap_or_default(), |slot, entry| {
                if entry.changed > since {
                    found.push(slot);
                }
            });
        }
    }

    /// Remembers an access: where, and whether that was open before.
    pub(crate) fn keep(&mut self, new: Seen, fit: Fit) -> (Slot, bool) {
        match fit {
            Fit::Within(slot) => (slot, true),
            Fit::Beside(slot) => {
                self.change(slot, |entry| entry.seen.bytes.add_all(&new.bytes));
                (slot, true)
            }
            Fit::Again(slot) => {
                self.change(slot, |entry| (entry.seen, entry.met_itself) = (new, false));
                (slot, false)
            }
            Fit::New => (self.add(new), false),
        }
    }

    fn change(&mut self, slot: Slot, change: impl FnOnce(&mut Entry)) {
        self.changes += 1;
        let (changes, is_many) = (self.changes, self.spots.is_some());
        let Some(entry) = self.entry_mut(slot) else { return };
        let before = spot(&entry.seen, slot);
        change(entry);
        entry.changed = changes;
        if is_many {
            let after = spot(&entry.seen, slot);
            self.moved(before, after);
        }
    }

    fn add(&mut self, new: Seen) -> Slot {
        self.changes += 1;
        let maker = maker(&new);
        let entry = Entry { seen: new, changed: self.changes, compared: 0, met_itself: false };
        let slot = self.free.pop().unwrap_or(self.entries.len() as Slot);
        let after = spot(&entry.seen, slot);
        if slot as usize == self.entries.len() {
            self.entries.push(Some(entry));
        } else {
            self.entries[slot as usize] = Some(entry);
        }
        if self.spots.is_some() {
            self.moved(None, after);
        } else if self.len() > FEW {
            self.spots = Some(BTreeSet::new());
            for slot in 0..self.entries.len() as Slot {
                let place = self.get(slot).and_then(|seen| spot(seen, slot));
                self.moved(None, place);
            }
        }
        let newest = self.newest.entry(maker).or_insert(Newest { slot, before: slot, count: 0 });
        *newest = Newest { slot, before: newest.slot, count: newest.count + 1 };
        slot
    }

    /// An entry has other bytes now; where entries are found by these.
    fn moved(&mut self, before: Option<Spot>, after: Option<Spot>) {
        let Some(spots) = self.spots.as_mut().filter(|_| before != after) else { return };
        before.into_iter().for_each(|before| _ = spots.remove(&before));
        if let Some(after) = after {
            self.powers |= 1 << after.0;
            spots.insert(after);
        }
    }

    fn remove(&mut self, slot: Slot) {
        let Some(entry) = self.entries[slot as usize].take() else { return };
        self.moved(spot(&entry.seen, slot), None);
        self.free.push(slot);
        let maker = maker(&entry.seen);
        let Some(newest) = self.newest.get_mut(&maker) else { return };
        newest.count -= 1;
        if newest.slot == slot {
            newest.slot = newest.before;
        }
        if newest.count == 0 {
            self.newest.remove(&maker);
        }
    }

    /// Keeps only entries of which this is true.
    pub(crate) fn retain(&mut self, is_kept: impl Fn(&Seen) -> bool) {
        for slot in 0..self.entries.len() as Slot {
            if self.get(slot).is_some_and(|seen| !is_kept(seen)) {
                self.remove(slot);
            }
        }
    }

    /// Leaves those of some entries out of which this is true.
    pub(crate) fn leave_out(&mut self, slots: &[Slot], is_meant: impl Fn(&Seen) -> bool) {
        for &slot in slots {
            if self.get(slot).is_some_and(&is_meant) {
                self.remove(slot);
            }
        }
    }

    /// An open entry is over, which its origin knows at this count.
    pub(crate) fn close(&mut self, slot: Slot, count: u32) {
        let changes = self.changes;
        let Some(entry) = self.entry_mut(slot) else { return };
        (entry.seen.over, entry.seen.request, entry.compared) = (Some(count), None, changes);
        let maker = maker(&entry.seen);
        if self.len() > 1
            && let Some(newest) = self.newest.get(&maker).filter(|newest| newest.count > 1)
        {
            self.unite(slot, newest.before);
        }
    }

    /// Unites an entry that is over with others of its line: those that it outlives, and those that are over when it is
    /// itself.
    fn unite(&mut self, slot: Slot, before: Slot) {
        let Some(Entry { seen, .. }) = self.entry(slot) else { return };
        let (mut outlived, mut same) = (Vec::new(), None);
        let mut look = |other: Slot, old: &Entry| {
            if old.seen.is_outlived_by(seen) {
                outlived.push(other);
            } else if other != slot && same.is_none() && old.seen.goes_with(seen) {
                same = Some(other);
            }
        };
        self.each_near(seen.bytes.span().unwrap_or_default(), &mut look);
        // What is over at the same time may have other bytes: the newest one before it, as a rule.
        self.entry(before).into_iter().for_each(|old| look(before, old));
        outlived.sort_unstable();
        outlived.dedup();
        outlived.into_iter().for_each(|slot| self.remove(slot));
        if let Some(other) = same
            && let Some(Entry { seen, compared, .. }) = self.entries[slot as usize].clone()
        {
            self.remove(slot);
            self.keep(seen, Fit::Beside(other));
            self.entry_mut(other).into_iter().for_each(|entry| entry.compared = entry.compared.min(compared));
        }
    }
}

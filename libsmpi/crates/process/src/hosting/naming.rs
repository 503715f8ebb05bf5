//! Names of states: what may still become of a rank, apart from what the library above keeps for it.
//!
//! A rank that waits goes on with what its program had at the call: the registers, and the stack above
//! ([`smpi_image::entries`]). The frames of libraries below are no part of its state. They hold addresses and numbers
//! that tell how the state was reached, and nothing else that the rank's memory, the call and what it waits for do not
//! tell. (The library above says where that is not so.) Its memory is what its program can reach: the data of its
//! image, and blocks of its heap. What was freed, and the stack below, are none. What it has printed is not, either.

use std::cell::Cell;
use std::collections::hash_map::Entry as Place;
use std::ffi::CString;
use std::ops::Range;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::map::Map;
use smpi_image::{entries, exports};

use super::ranks::Ranks;
use crate::calls::clock;
use crate::hooks::hooks;
use crate::libc_words;
use crate::memory::{bytes_at, data_ranges, put};
use crate::record::Record;
use crate::streams::input;
use crate::thread_time;

/// Functions that note their calls, instead of those that a program would get.
#[derive(Default)]
pub(super) struct Noting(Map<String, Option<usize>>);

impl Noting {
    /// The address that the program gets for a name, when it would get `found` (`None`: that of the library above).
    pub fn instead(&mut self, name: &str, found: Option<usize>) -> Option<usize> {
        let Some(arguments) = (hooks().waits)(name) else {
            let showing = found.zip(clock::arguments(name));
            return showing.and_then(|(found, arguments)| entries::noting(found, arguments)).or(found);
        };
        match self.0.entry(name.to_owned()) {
            Place::Occupied(known) => *known.get(),
            Place::Vacant(place) => {
                if found.is_some() {
                    // A tool between the program and the library above has a state of its own, which nobody knows.
                    entries::give_up();
                    return found;
                }
                *place.insert(own(name).and_then(|own| entries::noting(own, arguments)))
            }
        }
    }
}

/// Functions that note where they were called from, instead of those of the library above.
#[derive(Default)]
pub(super) struct NotingCallers(Map<String, Option<usize>>);

impl NotingCallers {
    /// The address that the program gets for a name for which it would get `found`, as [`Noting::instead`] has it.
    pub fn instead(&mut self, name: &str, found: Option<usize>) -> Option<usize> {
        if found.is_some() || !(hooks().moves_message)(name) {
            return found;
        }
        *self.0.entry(name.to_owned()).or_insert_with(|| own(name).and_then(entries::noting_caller))
    }
}

/// The address of a function of the library above.
fn own(name: &str) -> Option<usize> {
    CString::new(name).ok().and_then(|name| exports::function(&name))
}

impl Ranks {
    /// Whether ranks can have names at all.
    ///
    /// # Errors
    /// Why they have none: threads have states of their own.
    pub fn have_names(&self) -> Named {
        if thread_time::started() > self.threads_before {
            return Err(Unnamed("a rank has started threads"));
        }
        Ok(())
    }

    /// The argument at this place, from 0, of the call that a rank waits in; what is there if there are fewer. Those
    /// that are not in registers lie behind the address at which its caller goes on.
    pub fn argument(&self, rank: WorldRank, place: usize) -> Option<usize> {
        let record = &self.host.records[rank.index()];
        let entry = record.own.entry.get();
        entry.argument(place).or_else(|| {
            let base = record.image.region();
            let at = entry.stack()? + size_of::<usize>() * (place + 1).checked_sub(entries::MOST_ARGUMENTS)?;
            let is_own = (base..base + record.image.program().region().stack_len).contains(&at);
            // SAFETY: on the hosting thread, with no rank running: the stack of the rank is at rest, and mapped above
            // the frame that waits.
            is_own.then(|| unsafe { std::ptr::read_unaligned(at as *const usize) })
        })
    }

    /// The frames of a rank that waits, from that of the call upwards: where they lie.
    pub fn frames(&self, rank: WorldRank) -> Option<Range<usize>> {
        let record = &self.host.records[rank.index()];
        let (base, end) = (record.image.region(), frames_end(record));
        let stack = record.own.entry.get().stack().filter(|stack| (base..end).contains(stack))?;
        Some(stack..end)
    }

    /// What lies there; `None` unless it is a part of these frames, or of the rank's data.
    pub fn bytes(&self, rank: WorldRank, at: Range<usize>) -> Option<Vec<u8>> {
        // SAFETY: on the hosting thread, with no rank running: what the rank may change is mapped, and at rest.
        self.has(rank, &at).then(|| unsafe { bytes_at(&at) }.to_vec())
    }

    /// Changes that.
    pub fn set_bytes(&mut self, rank: WorldRank, at: usize, bytes: &[u8]) {
        if self.has(rank, &(at..at.saturating_add(bytes.len()))) {
            // SAFETY: as above; the rank could have written this.
            unsafe { put(at, bytes) }
        }
    }

    fn has(&self, rank: WorldRank, at: &Range<usize>) -> bool {
        let data = data_ranges(&self.host.records[rank.index()]).map(|(start, end)| start..end);
        let mut parts = self.frames(rank).into_iter().chain(data);
        parts.any(|part| part.start <= at.start && at.start <= at.end && at.end <= part.end)
    }

    /// Adds what may still become of a rank, which is suspended or over, and not in a function that its program was
    /// called from.
    ///
    /// # Errors
    /// Why it has no name.
    pub fn name(&self, rank: WorldRank, into: &mut Digest) -> Named {
        self.name_without(rank, &[], into)
    }

    /// The same without what lies in these ranges of memory.
    ///
    /// # Errors
    /// As for [`Ranks::name`].
    pub fn name_without(&self, rank: WorldRank, hidden: &[Range<usize>], into: &mut Digest) -> Named {
        let hidden = &in_order(hidden)[..];
        let record = &self.host.records[rank.index()];
        let own = &record.own;
        let entry = own.entry.get();
        let frames = self.frames(rank);
        let frames = frames.ok_or(Unnamed("a rank waits elsewhere than in a call of MPI, or a tool stands between"))?;
        own.signals.name(into)?;
        into.add((entry, record.name()));
        // SAFETY: on the hosting thread, with no rank running: the regions are at rest, and these are mapped parts of
        // the rank's.
        unsafe {
            self.host.slots.park();
            libc_words::park();
            let (arena, _) = own.arena.used();
            pieces(frames, hidden).for_each(|piece| into.add(bytes_at(&piece)));
            for (start, end) in data_ranges(record) {
                self.kept.name(start..end, |add| {
                    let mut shown = |into: &mut Digest, part| pieces(part, hidden).for_each(|piece| add(into, piece));
                    shown(into, start..end.min(arena.max(start)));
                    if end > arena {
                        own.arena.name(into, &mut shown);
                    }
                });
            }
            into.add(&*own.saved.get());
            into.add((*own.generators.get()).as_deref().map(|generators| generators.bytes()));
        }
        if rank.0 == 0 {
            into.add(input::position());
        }
        self.name_mapped(record, into)
    }
}

/// Where the frames of a rank's program end.
fn frames_end(record: &Record) -> usize {
    let base = record.image.region();
    let end = base + record.image.program().region().stack_len;
    match record.own.frames_end.get() {
        0 => record.own.home.get().map_or(end, |home| home.stack_end().clamp(base, end)),
        found => found.clamp(base, end),
    }
}

/// Ranges in order, those that meet as one.
fn in_order(ranges: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable_by_key(|range| range.start);
    ranges.dedup_by(|next, before| {
        let meets = next.start <= before.end;
        if meets {
            before.end = before.end.max(next.end);
        }
        meets
    });
    ranges
}

/// What is left of a range without others, which do not overlap and are in order.
fn pieces(range: Range<usize>, hidden: &[Range<usize>]) -> impl Iterator<Item = Range<usize>> {
    let within = hidden.iter().filter(move |one| one.start < range.end && one.end > range.start);
    let starts = std::iter::once(range.start).chain(within.clone().map(|one| one.end));
    let ends = within.map(|one| one.start).chain(std::iter::once(range.end));
    starts.zip(ends).map(|(start, end)| start..end).filter(|piece| !piece.is_empty())
}

impl Record {
    /// What is kept for the rank beside its memory.
    pub(super) fn name(&self) -> impl std::hash::Hash {
        let own = &self.own;
        let position = own.getopt.get();
        let getopt = (position.next.addr(), position.first, position.last, position.started);
        let standing = own.standing.get();
        let settings = own.settings.get();
        (
            (
                libc_words::changes(self),
                own.conversions.each_ref().map(Cell::get),
                self.routes.all(),
                own.wide.get(),
                own.unread.get(),
                own.limits.borrow().clone(),
            ),
            (own.strtok.get().addr(), getopt, self.keys.values(), own.entropy.get()),
            (settings.exchanged, settings.cxx_locale, settings.c_locale, settings.c_name, settings.own_locale),
            (standing.directory, standing.mask, own.handlers.name()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_are_one() {
        assert_eq!(in_order(&[8..12, 0..4, 2..6, 4..5, 12..14, 20..20]), [0..6, 8..14, 20..20]);
    }

    #[test]
    fn what_is_hidden_is_cut_out() {
        let hidden = [0..4, 6..8, 8..9, 12..20];
        let left = |range: Range<usize>| pieces(range, &hidden).flatten().collect::<Vec<_>>();
        assert_eq!(left(2..14), [4, 5, 9, 10, 11]);
        assert_eq!(left(4..6), [4, 5]);
        assert!(left(13..15).is_empty());
        assert_eq!(left(20..22), [20, 21]);
    }
}

//! A check of ourselves: whether a rank that was put back is what it was. It takes all of its memory raw, without what
//! snapshots know of it: every page of its region that has memory, those of blocks that were freed or given back too,
//! every mapping, whatever may be done with it, and what is kept for it beside.
//!
//! Nothing of it is used unless it was asked for (`--cfg=smpi/self-check:yes`).

use std::fmt::Debug;
use std::fs;
use std::ops::Range;

use super::mapped;
use super::ranks::Ranks;
use super::snapshot::stack_range;
use crate::memory::{bytes_at, data_ranges};
use crate::record::{Record, Source};
use crate::state;
use crate::streams::input;
use smpi_base::WorldRank;
use smpi_base::digest::Digest;
use smpi_base::map::Map;
use smpi_ranks::layout::PAGE;
use smpi_ranks::pages;

/// All of a mapping, or of data, is read up to this length; of a longer one, pages with memory of their own.
const ALL: usize = 64 << 20;

/// What a rank has, to be compared.
pub struct Fingerprint {
    /// Digests of pages that are not all zeros, by address, where the rank may have written. What is below the stack
    /// is nobody's.
    pages: Map<usize, u128>,
    /// Which mappings there are, and what may be done with them.
    mappings: Vec<(Range<usize>, i32)>,
    /// What may be done with its region, as the kernel has it.
    permissions: Vec<(Range<usize>, String)>,
    /// What is kept beside, with what it is.
    beside: Vec<(&'static str, u128)>,
    /// Its random numbers, if it has asked for some.
    generators: Option<u128>,
}

impl Fingerprint {
    /// All of it in 128 bits: equal where the rank has the same memory, and the same beside.
    pub fn digest(&self) -> u128 {
        let mut pages: Vec<(&usize, &u128)> = self.pages.iter().collect();
        pages.sort_unstable();
        let mut digest = Digest::new();
        digest.add(pages);
        digest.add(&self.mappings);
        digest.add(&self.beside);
        digest.add(self.generators);
        digest.bits()
    }
}

impl Ranks {
    /// Looks at all that a rank has.
    pub fn fingerprint(&self, rank: WorldRank) -> Fingerprint {
        let record = &self.host.records[rank.index()];
        // SAFETY: on the hosting thread, with no rank running.
        unsafe { self.host.slots.park() };
        let permissions = permissions_of(record);
        mapped::open_region(record);
        let mut pages = Map::default();
        for range in memory_of(record) {
            take(range, &mut pages);
        }
        // What lies in a private mapping of a file may hold what the file does, and be no memory of its own.
        let in_file = record.image.region() + record.image.program().region().file_len;
        for (start, end) in data_ranges(record) {
            let part = start / PAGE * PAGE..end.min(in_file);
            // All of it has been looked at above as far as it has memory of its own.
            if part.len() <= ALL {
                add(part.step_by(PAGE), &mut pages);
            }
        }
        let mappings = record.own.mappings.borrow().clone();
        for mapping in mappings.all().iter().filter(|mapping| mapping.source != Source::Region) {
            mapped::while_readable(mapping, |shown| match shown.len() <= ALL {
                true => add(shown.step_by(PAGE), &mut pages),
                false => take(shown, &mut pages),
            });
        }
        mapped::close_region(record);
        let own = &record.own;
        // SAFETY: on the hosting thread, with no rank running.
        let (saved, printed, generators) = unsafe {
            let generators = (*own.generators.get()).as_deref().map(|generators| Digest::of(generators.bytes()));
            (Digest::of(&*own.saved.get()), told(&*own.printed.get()), generators)
        };
        let beside = vec![
            ("what libc has for it", Digest::of(&record.name())),
            ("what the thread has for it", saved),
            ("what it has printed", printed),
            ("its signals", told(&own.signals.state())),
            ("its call", Digest::of(&own.entry.get())),
            ("the sizes of its memory", Digest::of(&(mappings.data_end(), own.arena.used(), own.stack_low.get()))),
            ("its input", Digest::of(&(rank.0 == 0).then(input::position))),
        ];
        let mappings = mappings.all().iter().map(|mapping| (mapping.range.clone(), mapping.protection)).collect();
        Fingerprint { pages, mappings, permissions, beside, generators }
    }

    /// Compares a rank with what it was; says what is different.
    pub fn differences(&self, rank: WorldRank, then: &Fingerprint) -> Option<String> {
        let now = self.fingerprint(rank);
        if now.mappings != then.mappings {
            return Some(format!("it has mapped {:x?}, and had {:x?}", now.mappings, then.mappings));
        }
        if let Some((range, permissions)) = now.permissions.iter().find(|one| !then.permissions.contains(one)) {
            return Some(format!("it may do {permissions} with its memory at {range:x?}"));
        }
        let all = now.pages.keys().chain(then.pages.keys());
        let mut different: Vec<usize> =
            all.filter(|page| now.pages.get(page) != then.pages.get(page)).copied().collect();
        different.sort_unstable();
        different.dedup();
        let record = &self.host.records[rank.index()];
        match different.first() {
            Some(&first) => {
                Some(format!("{} pages hold something else, the first is {}", different.len(), whose(record, first)))
            }
            None if then.generators.is_some() && now.generators != then.generators => {
                Some("its random numbers are others".to_string())
            }
            None => {
                let mut beside = now.beside.iter().zip(&then.beside);
                beside.find(|(now, then)| now != then).map(|((what, _), _)| format!("{what} is something else"))
            }
        }
    }
}

/// A digest of all that a value says of itself.
fn told(value: &dyn Debug) -> u128 {
    let mut digest = Digest::new();
    digest.add_told(value);
    digest.bits()
}

/// Where a rank may have written: its stack from the end on that is in use, and all above up to what it may map.
fn memory_of(record: &Record) -> [Range<usize>; 2] {
    let base = record.image.region();
    let (low, stack_end) = stack_range(record);
    let end = base + state::host().map_or(0, |host| host.layout.stride());
    let room = record.own.mappings.borrow().room();
    let end = if room.is_empty() { end } else { room.start };
    // The page in which the stack ends belongs to it from there on only.
    [low.next_multiple_of(PAGE).min(stack_end)..stack_end, stack_end..end]
}

/// What may be done with a rank's stack, image and heap and with its mappings, as the kernel has it (proc_pid_maps(5)):
/// by piece, where the program has mapped or protected something. Ranges beside each other that are alike are one.
fn permissions_of(record: &Record) -> Vec<(Range<usize>, String)> {
    let mappings = record.own.mappings.borrow();
    let mut all: Vec<(Range<usize>, String)> = Vec::new();
    if mappings.all().is_empty() {
        return all;
    }
    let (arena, used) = record.own.arena.used();
    let own = record.image.region()..(arena + used) / PAGE * PAGE;
    let wanted: Vec<Range<usize>> =
        std::iter::once(own).chain(mappings.all().iter().map(|mapping| mapping.range.clone())).collect();
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(range), Some(permissions)) = (fields.next(), fields.next()) else { continue };
        let number = |text| usize::from_str_radix(text, 16).ok();
        let ends = range.split_once('-').and_then(|(start, end)| Some((number(start)?, number(end)?)));
        let Some((from, to)) = ends else { continue };
        for piece in wanted.iter().filter(|piece| from < piece.end && piece.start < to) {
            let (from, to, permissions) = (from.max(piece.start), to.min(piece.end), &permissions[..3]);
            match all.last_mut().filter(|last| last.0.end == from && last.1 == permissions) {
                Some(last) => last.0.end = to,
                None => all.push((from..to, permissions.to_string())),
            }
        }
    }
    all
}

/// What lies there, in words.
fn whose(record: &Record, page: usize) -> String {
    let (base, program) = (record.image.region(), record.image.program());
    let (arena, used) = record.own.arena.used();
    let what = match page {
        _ if record.own.mappings.borrow().at(page).is_some() => "a mapping",
        _ if page < base + program.region().stack_len => "its stack",
        _ if page < arena => "its image",
        _ if page < arena + used => "its heap",
        _ => "beyond its heap",
    };
    format!("{page:#x} in {what}")
}

/// Takes the pages of a range that the process has memory of its own for, and that are not zeros.
///
/// They are readable, and no rank runs.
fn take(range: Range<usize>, into: &mut Map<usize, u128>) {
    add(pages::written(range).into_iter().flatten().flat_map(|run| run.step_by(PAGE)), into);
}

fn add(pages: impl Iterator<Item = usize>, into: &mut Map<usize, u128>) {
    for page in pages {
        // SAFETY: a page with memory, in a range of a rank, none of which runs.
        let bytes = unsafe { bytes_at(&(page..page + PAGE)) };
        if bytes.iter().any(|&byte| byte != 0) {
            into.insert(page, Digest::of(bytes));
        }
    }
}

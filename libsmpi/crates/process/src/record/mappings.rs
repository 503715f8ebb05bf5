//! What a rank has mapped (POSIX.1-2017 mmap), under the checker: a table, so that a snapshot knows what to put back.
//! This is the table alone; [`crate::calls::mappings`] has the functions that fill it, and `hosting/mapped.rs` puts
//! mappings and their contents back.
//!
//! A rank's mappings lie at the end of its region, from the top down, so that their addresses follow from what the rank
//! has mapped before, as those of its heap do:
//!
//! ```text
//!   region:  │ stack │ image │ heap → …      │ break → …     … ← mappings │ guard │
//!                                            └──────── `room` ────────────┘
//! ```
//!
//! Mappings that the program wants elsewhere (`MAP_FIXED`) are in the table, too. So are parts of stack, image and heap
//! whose protection it has changed.

use std::ffi::c_int;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};
use std::rc::Rc;

/// What a mapping shows.
#[derive(Clone, Debug)]
pub enum Source {
    /// Zeros at first.
    Anonymous,
    /// A file from this offset on, which this descriptor of ours keeps open; changes are the mapping's, or the file's
    /// if it `is_shared`.
    File { file: Rc<OwnedFd>, offset: i64, is_shared: bool },
    /// It is no mapping: memory of the region with another protection than it had.
    Region,
}

impl PartialEq for Source {
    fn eq(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Anonymous, Source::Anonymous) | (Source::Region, Source::Region) => true,
            (
                Source::File { file, offset, is_shared },
                Source::File { file: its_file, offset: its_offset, is_shared: its_shared },
            ) => Rc::ptr_eq(file, its_file) && offset == its_offset && is_shared == its_shared,
            _ => false,
        }
    }
}

/// A range of whole pages that is mapped in one way.
#[derive(Clone, PartialEq, Debug)]
pub struct Mapping {
    pub range: Range<usize>,
    pub protection: c_int,
    pub source: Source,
    /// It may hold something else than its source: it is, or was once, writable.
    pub is_written: bool,
    /// Which call has mapped it ([`Mappings::number`]): parts of one mapping that are alike are one again.
    pub number: u32,
}

impl Mapping {
    /// The part of it that lies in a range.
    fn part(&self, range: Range<usize>) -> Mapping {
        let mut part = self.clone();
        if let Source::File { offset, .. } = &mut part.source {
            *offset += (range.start - self.range.start) as i64;
        }
        part.range = range;
        part
    }

    /// The descriptor and offset that `mmap` is to be given for it.
    pub fn file(&self) -> Option<(c_int, i64)> {
        match &self.source {
            Source::File { file, offset, .. } => Some((file.as_raw_fd(), *offset)),
            Source::Anonymous | Source::Region => None,
        }
    }

    /// What is written there is the file's.
    pub fn is_shared(&self) -> bool {
        matches!(self.source, Source::File { is_shared: true, .. })
    }
}

/// What a rank has mapped at some time.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Mappings {
    /// In ascending order, without overlaps.
    list: Rc<Vec<Mapping>>,
    /// Where the kernel would not choose: what is left between heap and guard. Empty where nobody puts mappings back.
    room: Range<usize>,
    /// The end of the data segment (brk(2)); 0 before the rank has asked for it.
    data_end: usize,
    /// Calls that have mapped something.
    calls: u32,
}

/// The number of the data segment, and of parts of the region.
pub const NO_CALL: u32 = 0;

/// Part of the room that is left to the data segment.
const DATA_SHARE: usize = 4;

impl Mappings {
    /// None yet, with room for them.
    pub fn within(room: Range<usize>) -> Mappings {
        Mappings { list: Rc::default(), room, data_end: 0, calls: 0 }
    }

    /// Whether mappings are noted.
    pub fn are_noted(&self) -> bool {
        !self.room.is_empty()
    }

    /// All of them, in ascending order.
    pub fn all(&self) -> &[Mapping] {
        &self.list
    }

    /// Where the kernel would not choose.
    pub fn room(&self) -> Range<usize> {
        self.room.clone()
    }

    /// Whether both have the same list, which was not copied in between.
    pub fn is_same(&self, other: &Mappings) -> bool {
        Rc::ptr_eq(&self.list, &other.list)
    }

    /// Whether a range touches what the rank's mappings may lie in.
    pub fn is_in_room(&self, range: &Range<usize>) -> bool {
        range.start < self.room.end && self.room.start < range.end
    }

    /// The mapping at an address.
    pub fn at(&self, address: usize) -> Option<&Mapping> {
        let next = self.list.partition_point(|mapping| mapping.range.end <= address);
        self.list.get(next).filter(|mapping| mapping.range.contains(&address))
    }

    /// Mappings, or parts of them, that lie in a range.
    pub fn within_range(&self, range: &Range<usize>) -> Vec<Mapping> {
        let overlapping =
            self.list.iter().filter(|mapping| mapping.range.start < range.end && range.start < mapping.range.end);
        overlapping
            .map(|mapping| mapping.part(mapping.range.start.max(range.start)..mapping.range.end.min(range.end)))
            .collect()
    }

    /// Whether nothing is mapped in a range of the room.
    pub fn is_free(&self, range: &Range<usize>) -> bool {
        let is_inside = range.start >= self.room.start && range.end <= self.room.end;
        is_inside && self.within_range(range).is_empty()
    }

    /// Where the next mapping of this length goes: the highest free place, above the data segment. `None` if there is
    /// none.
    pub fn place(&self, len: usize) -> Option<usize> {
        let lowest = self.data_room().end;
        let mut end = self.room.end;
        for mapping in self.list.iter().rev().filter(|mapping| mapping.range.start < self.room.end) {
            if end.saturating_sub(mapping.range.end.max(lowest)) >= len {
                break;
            }
            end = end.min(mapping.range.start);
        }
        end.checked_sub(len).filter(|&start| start >= lowest)
    }

    /// Nothing is mapped in a range any more.
    pub fn remove(&mut self, range: &Range<usize>) {
        let mut list = Vec::with_capacity(self.list.len() + 1);
        for mapping in self.list.iter() {
            let (below, above) = (mapping.range.start..range.start, range.end..mapping.range.end);
            if mapping.range.end <= range.start || range.end <= mapping.range.start {
                list.push(mapping.clone());
                continue;
            }
            list.extend((!below.is_empty()).then(|| mapping.part(below)));
            list.extend((!above.is_empty()).then(|| mapping.part(above)));
        }
        self.list = Rc::new(list);
    }

    /// Something is mapped, whatever was there before.
    pub fn insert(&mut self, mapping: Mapping) {
        self.remove(&mapping.range);
        let list = Rc::make_mut(&mut self.list);
        let place = list.partition_point(|other| other.range.end <= mapping.range.start);
        list.insert(place, mapping);
        self.join();
    }

    /// The number of the next mapping.
    pub fn number(&mut self) -> u32 {
        self.calls += 1;
        self.calls
    }

    /// Parts of one mapping beside each other that are alike are one in the table.
    fn join(&mut self) {
        let list = Rc::make_mut(&mut self.list);
        list.dedup_by(|next, mapping| {
            let is_one = mapping.range.end == next.range.start && *next == mapping.part(next.range.clone());
            if is_one {
                mapping.range.end = next.range.end;
            }
            is_one
        });
    }

    /// The protection of a range is another one; what is no mapping there is the region's.
    pub fn protect(&mut self, range: &Range<usize>, protection: c_int, of_region: c_int) {
        let known = self.within_range(range);
        let mut at = range.start;
        let mut parts = Vec::new();
        let region = |range: Range<usize>| Mapping {
            range,
            protection,
            source: Source::Region,
            is_written: true,
            number: NO_CALL,
        };
        for mut mapping in known {
            if at < mapping.range.start {
                parts.push(region(at..mapping.range.start));
            }
            at = mapping.range.end;
            mapping.protection = protection;
            mapping.is_written |= protection & libc::PROT_WRITE != 0;
            parts.push(mapping);
        }
        if at < range.end {
            parts.push(region(at..range.end));
        }
        self.remove(range);
        for part in parts.into_iter().filter(|part| part.source != Source::Region || part.protection != of_region) {
            self.insert(part);
        }
    }

    /// Where the data segment may lie.
    pub fn data_room(&self) -> Range<usize> {
        self.room.start..self.room.start + self.room.len() / DATA_SHARE
    }

    /// The end of the data segment.
    pub fn data_end(&self) -> usize {
        if self.data_end == 0 { self.room.start } else { self.data_end }
    }

    /// Moves the end of the data segment.
    pub fn set_data_end(&mut self, end: usize) {
        self.data_end = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smpi_base::rng::Rng;

    const PAGE: usize = 4096;
    const PAGES: usize = 256;

    fn anonymous(range: Range<usize>, protection: c_int, number: u32) -> Mapping {
        let is_written = protection & libc::PROT_WRITE != 0;
        Mapping { range, protection, source: Source::Anonymous, is_written, number }
    }

    /// What a page is in the model: nothing, memory of the region with a changed protection, or mapped.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Model {
        Nothing,
        Region(c_int),
        Mapped(c_int, bool),
    }

    /// The table says of every page what a list of all pages says, and its parts neither overlap nor could be joined.
    fn random_walk(seed: u64) {
        let mut rng = Rng::new(seed);
        let mut model = [Model::Nothing; PAGES];
        let mut mappings = Mappings::within(0x10000..0x10000 + PAGES * PAGE);
        let protections = [libc::PROT_NONE, libc::PROT_READ, libc::PROT_READ | libc::PROT_WRITE];
        for _ in 0..300 {
            let start = rng.below(PAGES);
            let pages = start..(start + 1 + rng.below(40)).min(PAGES);
            let range = 0x10000 + pages.start * PAGE..0x10000 + pages.end * PAGE;
            let protection = protections[rng.below(3)];
            let is_writable = protection & libc::PROT_WRITE != 0;
            match rng.below(4) {
                0 => {
                    let number = mappings.number();
                    mappings.insert(anonymous(range, protection, number));
                    model[pages].fill(Model::Mapped(protection, is_writable));
                }
                1 => {
                    mappings.remove(&range);
                    model[pages].fill(Model::Nothing);
                }
                2 => {
                    let free =
                        model.windows(pages.len()).rposition(|pages| pages.iter().all(|page| *page == Model::Nothing));
                    let above = free.filter(|&page| page >= PAGES / DATA_SHARE);
                    assert_eq!(mappings.place(range.len()), above.map(|page| 0x10000 + page * PAGE), "seed {seed}");
                }
                _ => {
                    mappings.protect(&range, protection, libc::PROT_READ | libc::PROT_WRITE);
                    for page in &mut model[pages] {
                        *page = match *page {
                            Model::Mapped(_, was) => Model::Mapped(protection, was || is_writable),
                            _ if protection == libc::PROT_READ | libc::PROT_WRITE => Model::Nothing,
                            _ => Model::Region(protection),
                        };
                    }
                }
            }
            for (page, expected) in model.iter().enumerate() {
                let found = match mappings.at(0x10000 + page * PAGE) {
                    None => Model::Nothing,
                    Some(mapping) if mapping.source == Source::Region => Model::Region(mapping.protection),
                    Some(mapping) => Model::Mapped(mapping.protection, mapping.is_written),
                };
                assert_eq!(found, *expected, "seed {seed}, page {page}");
            }
            let is_apart = |pair: &[Mapping]| {
                let like = |one: &Mapping| (one.protection, one.is_written, one.number);
                pair[0].range.end < pair[1].range.start
                    || pair[0].range.end == pair[1].range.start && like(&pair[0]) != like(&pair[1])
            };
            assert!(mappings.all().windows(2).all(is_apart), "seed {seed}: {:?}", mappings.all());
        }
    }

    #[test]
    fn the_table_says_what_a_list_of_pages_says() {
        (0..40).for_each(random_walk);
    }

    #[test]
    fn parts_of_a_file_keep_their_offsets() {
        let Ok(file) = std::fs::File::open("/dev/null") else { return };
        let source = Source::File { file: Rc::new(file.into()), offset: 4096, is_shared: false };
        let mut mappings = Mappings::within(0..1 << 30);
        let range = 1 << 20..(1 << 20) + 8 * PAGE;
        mappings.insert(Mapping {
            range: range.clone(),
            protection: libc::PROT_READ,
            source,
            is_written: false,
            number: 1,
        });
        mappings.remove(&(range.start + 2 * PAGE..range.start + 3 * PAGE));
        let offsets: Vec<i64> = mappings.all().iter().filter_map(|mapping| Some(mapping.file()?.1)).collect();
        assert_eq!(offsets, [4096, 4096 + 3 * PAGE as i64]);
    }
}

//! What ranks have mapped, as a part of their snapshots: which mappings there are, what may be done with them, and what
//! they hold. ([`crate::record::Mappings`] is the table.)
//!
//! Contents are copied like those of heaps: of a large mapping, snapshots share the pages that have not changed between
//! them. A shared mapping of a file is copied whole, because the file may have been changed otherwise. While they are
//! copied or put back, mappings are readable and writable, whatever the program said.

use std::ffi::c_int;
use std::ops::Range;

use super::files::bytes_of;
use super::kept::{Held, LARGE};
use super::piece::Piece;
use super::ranks::Ranks;
use crate::calls::mappings::MOST_SHARED;
use crate::descriptors::about;
use crate::memory::{bytes_at, untouch};
use crate::record::{Mapping, Mappings, Record, Source};
use crate::verification::note_uncontrolled;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_ranks::layout::PAGE;
use smpi_ranks::{pages, region};

/// What may be done with memory while it is copied or put back.
const OPEN: c_int = libc::PROT_READ | libc::PROT_WRITE;

/// What a rank has mapped at one moment.
pub(super) struct Mapped {
    mappings: Mappings,
    /// Of each mapping, in the table's order.
    contents: Vec<Contents>,
}

/// What a mapping holds.
enum Contents {
    /// What its source holds; that of a piece of the region is part of the region's.
    OfSource,
    Copied(Piece),
    Held(Held),
}

/// Lets a range be used so far as `protection` says.
fn protect(range: &Range<usize>, protection: c_int) {
    // SAFETY: a rank's mapping or a part of its region, while no rank runs.
    if let Err(error) = unsafe { region::protect(range, protection) } {
        panic!("memory of a rank cannot be opened or closed: {error}");
    }
}

/// Bytes of a file that a mapping of it can show: behind its end there is nothing to read.
fn shown(mapping: &Mapping) -> usize {
    let Some((descriptor, offset)) = mapping.file() else { return mapping.range.len() };
    let size = about(descriptor).map_or(0, |found| found.st_size);
    let rest = usize::try_from(size - offset).unwrap_or(0);
    rest.next_multiple_of(PAGE).min(mapping.range.len())
}

/// The pieces of a rank's region that its program has closed, or opened further.
fn pieces(mappings: &Mappings) -> impl Iterator<Item = &Mapping> {
    mappings.all().iter().filter(|mapping| mapping.source == Source::Region)
}

/// Opens what the program has closed of its region.
pub(super) fn open_region(record: &Record) {
    pieces(&record.own.mappings.borrow()).for_each(|piece| protect(&piece.range, OPEN));
}

/// Closes it again.
pub(super) fn close_region(record: &Record) {
    pieces(&record.own.mappings.borrow()).for_each(|piece| protect(&piece.range, piece.protection));
}

/// Calls `look` with the part of a mapping that can be read, which can be then.
pub(super) fn while_readable<R>(mapping: &Mapping, look: impl FnOnce(Range<usize>) -> R) -> R {
    let is_readable = mapping.protection & libc::PROT_READ != 0;
    if !is_readable {
        protect(&mapping.range, mapping.protection | libc::PROT_READ);
    }
    let result = look(mapping.range.start..mapping.range.start + shown(mapping));
    if !is_readable {
        protect(&mapping.range, mapping.protection);
    }
    result
}

impl Ranks {
    /// Copies what a rank has mapped.
    pub(super) fn capture_mapped(&self, record: &Record) -> Mapped {
        let mappings = record.own.mappings.borrow().clone();
        let contents = mappings.all().iter().map(|mapping| self.contents_of(mapping)).collect();
        Mapped { mappings, contents }
    }

    fn contents_of(&self, mapping: &Mapping) -> Contents {
        if mapping.source == Source::Region || !mapping.is_written {
            return Contents::OfSource;
        }
        while_readable(mapping, |shown| self.copied(mapping, shown))
    }

    fn copied(&self, mapping: &Mapping, shown: Range<usize>) -> Contents {
        let Range { start, end } = mapping.range;
        if mapping.is_shared() {
            if shown.len() > MOST_SHARED {
                return Contents::OfSource;
            }
            // SAFETY: a readable part of a mapping of a rank, none of which runs.
            return Contents::Copied(unsafe { Piece::copy(shown.start, shown.end) });
        }
        // SAFETY: a readable mapping of a rank, none of which runs; of a file, parts that are memory of its own.
        unsafe {
            if let Some(held) = if end - start < LARGE { None } else { self.kept.hold_all(start..end) } {
                return Contents::Held(held);
            }
            if mapping.source == Source::Anonymous {
                return Contents::Copied(Piece::copy_touched(start, end));
            }
            match pages::written(start..end) {
                Some(runs) => Contents::Copied(Piece::copy_runs(start..end, runs)),
                None => Contents::Copied(Piece::copy(shown.start, shown.end)),
            }
        }
    }

    /// Puts back what a rank had mapped, and what the program could do with its memory. Its region is open.
    pub(super) fn restore_mapped(&self, record: &Record, mapped: &Mapped) {
        let now = record.own.mappings.borrow().clone();
        if !now.is_same(&mapped.mappings) {
            rearrange(&now, &mapped.mappings);
        }
        for (wanted, contents) in mapped.mappings.all().iter().zip(&mapped.contents) {
            // What it may be used for now, if it is the same mapping.
            let same = now.at(wanted.range.start).filter(|mapping| is_same(mapping, wanted));
            let may_now = same.map_or(OPEN, |mapping| mapping.protection);
            // SAFETY: a mapping of a rank, none of which runs; its contents are given up.
            let put_back = |restore: &dyn Fn()| {
                if may_now & OPEN != OPEN {
                    protect(&wanted.range, OPEN);
                }
                restore();
                if wanted.protection != OPEN {
                    protect(&wanted.range, wanted.protection);
                }
            };
            match contents {
                Contents::OfSource if wanted.source == Source::Region => protect(&wanted.range, wanted.protection),
                Contents::OfSource if wanted.is_shared() => protect(&wanted.range, wanted.protection),
                Contents::OfSource if same.is_none_or(|mapping| mapping.is_written) => {
                    // SAFETY: as above: it holds what its source does.
                    put_back(&|| unsafe { untouch(wanted.range.clone()) });
                }
                Contents::OfSource => {
                    if may_now != wanted.protection {
                        protect(&wanted.range, wanted.protection);
                    }
                }
                // SAFETY: as above.
                Contents::Copied(piece) => put_back(&|| unsafe { piece.restore() }),
                // SAFETY: as above.
                Contents::Held(held) => put_back(&|| unsafe { self.kept.put_all_back(held) }),
            }
        }
        *record.own.mappings.borrow_mut() = mapped.mappings.clone();
    }

    /// Adds what a rank has mapped to a name.
    ///
    /// # Errors
    /// Memory of its heap and stack that the rank has closed is not read, nor what is mapped and no file, or too large.
    pub(super) fn name_mapped(&self, record: &Record, into: &mut Digest) -> Named {
        let mappings = record.own.mappings.borrow();
        into.add((mappings.all().len(), mappings.data_end()));
        for mapping in mappings.all() {
            let is_region = mapping.source == Source::Region;
            let is_closed = mapping.is_written && mapping.protection & libc::PROT_READ == 0;
            if is_closed && is_region {
                return Err(Unnamed("a rank has written to memory that it may not read now"));
            }
            into.add((mapping.range.clone(), mapping.protection, mapping.is_written, is_region));
            if is_closed {
                protect(&mapping.range, libc::PROT_READ);
            }
            let named = self.name_contents(mapping, into);
            if is_closed {
                protect(&mapping.range, mapping.protection);
            }
            named?;
        }
        Ok(())
    }

    /// Adds what a mapping holds that can be read.
    fn name_contents(&self, mapping: &Mapping, into: &mut Digest) -> Named {
        match mapping.file() {
            Some((descriptor, offset)) => return name_file(descriptor, offset, mapping, into),
            // SAFETY: a readable mapping of a rank, none of which runs.
            None if mapping.is_written && mapping.source != Source::Region => unsafe {
                self.kept.name_all(mapping.range.clone(), into);
            },
            None => {}
        }
        Ok(())
    }
}

/// Adds to a name which file a mapping is of, all that this holds (more of it may be mapped later), and what the
/// mapping shows instead.
///
/// # Errors
/// What is mapped is too large, or no file that can be read once more.
fn name_file(descriptor: c_int, offset: i64, mapping: &Mapping, into: &mut Digest) -> Named {
    const NO_FILE: Unnamed = Unnamed("a rank has mapped a device or a file that cannot be read");
    let is_file = |found: &libc::stat| found.st_mode & libc::S_IFMT == libc::S_IFREG;
    let found = about(descriptor).filter(is_file).ok_or(NO_FILE)?;
    if found.st_size > MOST_SHARED as i64 {
        return Err(Unnamed("a rank has mapped a file of more than 64 MiB"));
    }
    into.add((found.st_dev, found.st_ino, offset, mapping.is_shared()));
    into.add(bytes_of(descriptor, found.st_size).ok_or(NO_FILE)?);
    if mapping.is_written && !mapping.is_shared() {
        let shown = mapping.range.start..mapping.range.start + shown(mapping);
        // SAFETY: the part of a readable mapping of a rank that its file reaches; no rank runs.
        into.add(unsafe { bytes_at(&shown) });
    }
    Ok(())
}

/// Whether two entries of tables are one mapping, whatever may be done with it.
fn is_same(one: &Mapping, other: &Mapping) -> bool {
    one.range == other.range && one.source == other.source
}

/// Unmaps what is not wanted, and maps what is missing, so that it can be filled.
fn rearrange(now: &Mappings, wanted: &Mappings) {
    let has = |mappings: &Mappings, mapping: &Mapping| {
        mappings.at(mapping.range.start).is_some_and(|other| is_same(other, mapping))
    };
    for mapping in now.all().iter().filter(|mapping| !has(wanted, mapping) && mapping.source != Source::Region) {
        // SAFETY: a mapping of a rank, which goes back to a state in which it is not there.
        let gone = unsafe {
            if wanted.is_in_room(&mapping.range) {
                region::close(&mapping.range)
            } else {
                region::unmap(&mapping.range)
            }
        };
        assert!(gone.is_ok(), "what a rank has mapped cannot be given back");
    }
    for mapping in wanted.all().iter().filter(|mapping| !has(now, mapping) && mapping.source != Source::Region) {
        // A file that is open for reading only may be mapped for writing only if that is the mapping's own.
        let protection = if mapping.is_shared() && !mapping.is_written { libc::PROT_READ } else { OPEN };
        // SAFETY: in that state the rank had this mapping, and what lies there now is not wanted.
        if let Err(error) = unsafe { region::map(&mapping.range, protection, mapping.file(), mapping.is_shared()) } {
            note_uncontrolled("what a rank had mapped could not be mapped again");
            panic!("memory of a rank cannot be mapped again: {error}");
        }
    }
}

//! Whether memory that a rank gives to MPI is its own: in its region, or in a mapping that belongs to no other rank.
//!
//! A rank's stack, variables and heap lie side by side, so nearly every question is answered by two comparisons. What
//! lies elsewhere (libraries' variables, what `mmap` gave) is looked for in the list of the process's mappings, which
//! is read when an address is in none that are known. A mapping that was found is asked for again by msync(2), which
//! changes nothing: a program may have given it back meanwhile.

use crate::host_cell::HostCell;
use crate::record::Record;
use crate::state;
use smpi_base::WorldRank;
use smpi_ranks::layout::PAGE;
use smpi_ranks::mappings::{Mapping, mappings};
use std::cell::RefCell;
use std::ops::Range;
use std::ptr;

/// Why memory is not the calling rank's to use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotOwn {
    /// From this address on there is none.
    Nothing(usize),
    /// From this address on it cannot be written, or not even be read.
    Protected(usize),
    /// From this address on it is another rank's.
    Rank(usize, WorldRank),
}

/// Why these addresses are not the calling rank's to read, or to write. `None`: they are, or no rank calls.
#[inline]
pub fn not_own(range: &Range<usize>, writes: bool) -> Option<NotOwn> {
    let record = state::current()?;
    let image = record.image.range();
    let is_in_region = range.start >= record.image.region() && range.end <= record.own.arena.end();
    let is_in_image = range.end > image.start && range.start < image.end;
    if range.start <= range.end && is_in_region && (!(writes && is_in_image) || is_in_variables(record, range)) {
        return None;
    }
    look(record, range, writes)
}

/// Whether these bytes are of variables of the rank's program.
#[inline]
fn is_in_variables(record: &Record, range: &Range<usize>) -> bool {
    let region = record.image.region();
    let has_all = |part: &Range<usize>| region + part.start <= range.start && range.end <= region + part.end;
    record.image.program().writable().iter().any(has_all)
}

#[cold]
#[inline(never)]
fn look(record: &Record, range: &Range<usize>, writes: bool) -> Option<NotOwn> {
    if range.end < range.start {
        return Some(NotOwn::Nothing(range.start));
    }
    let region = record.image.region();
    let end = record.own.arena.end();
    let mut at = range.start;
    while at < range.end {
        if (region..end).contains(&at) {
            at = match written_to(record, at, writes) {
                Some(next) => next,
                None => return Some(NotOwn::Protected(at)),
            };
        } else if let Some(owner) = state::record_at(at) {
            // How far another rank's heap goes is not to be read while it is closed.
            if owner.rank != record.rank {
                return Some(NotOwn::Rank(at, owner.rank));
            }
            at = match mapped_behind(record, at, writes) {
                Ok(next) => next,
                Err(trouble) => return Some(trouble),
            };
        } else {
            at = match mapped(at, range.end, writes) {
                Ok(next) => next,
                Err(trouble) => return Some(trouble),
            };
        }
    }
    None
}

/// Up to where memory of the rank's region from an address on may be used; `None` if not even there.
fn written_to(record: &Record, at: usize, writes: bool) -> Option<usize> {
    let image = record.image.range();
    if !writes || at >= image.end {
        return Some(record.own.arena.end());
    }
    if at < image.start {
        return Some(image.start);
    }
    let region = record.image.region();
    let writable = record.image.program().writable();
    writable.iter().map(|part| region + part.start..region + part.end).find(|part| part.contains(&at)).map(|p| p.end)
}

/// Up to where there is memory from an address behind the rank's heap on: under the checker its mappings lie there.
fn mapped_behind(record: &Record, at: usize, writes: bool) -> Result<usize, NotOwn> {
    let needed = if writes { libc::PROT_WRITE } else { libc::PROT_READ };
    let mappings = record.own.mappings.borrow();
    match mappings.at(at) {
        Some(mapping) if mapping.protection & needed != 0 => Ok(mapping.range.end),
        Some(_) => Err(NotOwn::Protected(at)),
        None => Err(NotOwn::Nothing(at)),
    }
}

/// What was read of the process's mappings last.
// SAFETY: `mapped` alone uses it, which ranks call: the hosting thread.
static KNOWN: HostCell<RefCell<Vec<Mapping>>> = unsafe { HostCell::new(RefCell::new(Vec::new())) };

/// Up to where there is memory from an address outside of all regions on.
fn mapped(at: usize, end: usize, writes: bool) -> Result<usize, NotOwn> {
    let needed = if writes { libc::PROT_WRITE } else { libc::PROT_READ };
    let mut known = KNOWN.borrow_mut();
    if let Some(found) =
        find(&known, at).filter(|found| found.protection & needed != 0 && is_there(at, found.to.min(end)))
    {
        return Ok(found.to);
    }
    // Our own reading of a file is not the rank's.
    *known = state::outside_heaps(mappings);
    match find(&known, at) {
        Some(found) if found.protection & needed != 0 => Ok(found.to),
        // Reserved, and nothing yet.
        Some(found) if found.protection == libc::PROT_NONE => Err(NotOwn::Nothing(at)),
        Some(_) => Err(NotOwn::Protected(at)),
        None => Err(NotOwn::Nothing(at)),
    }
}

fn find(known: &[Mapping], at: usize) -> Option<&Mapping> {
    let index = known.partition_point(|mapping| mapping.from <= at).checked_sub(1)?;
    known.get(index).filter(|mapping| at < mapping.to)
}

/// Whether there still is memory at all of these addresses.
fn is_there(start: usize, end: usize) -> bool {
    let first = start / PAGE * PAGE;
    // SAFETY: asks the kernel to write back what it would anyway; memory without a shared file is left alone.
    unsafe { libc::msync(ptr::without_provenance_mut(first), end - first, libc::MS_ASYNC) == 0 }
}

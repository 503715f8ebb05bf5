//! How the pages of a region differ when the number of ranks allows several mappings: protections, and large
//! uninitialised data.

use crate::layout::{PAGE, Region, round_down, round_up};
use crate::parse::Parsed;
use crate::relocate::Relocations;
use object::elf;
use std::ffi::c_int;
use std::ops::Range;

/// Uninitialised data at least this large gets anonymous memory, where the number of mappings allows it: a page of the
/// memfd would be allocated once more for the file itself.
const LARGE_BSS: usize = 256 << 10;

/// Which parts of a region get another protection than read and write: offset, length, `PROT_*`; adjacent ones joined.
pub(crate) fn protections(parsed: &Parsed, region: &Region) -> Vec<(usize, usize, c_int)> {
    const DATA: c_int = libc::PROT_READ | libc::PROT_WRITE;
    let in_region = |address: u64| (address - parsed.first_address) as usize + region.image_offset;
    let segments: Vec<(usize, usize, c_int)> = parsed
        .segments
        .iter()
        .map(|segment| {
            let end = round_up(in_region(segment.address + segment.memory_size), PAGE);
            (round_down(in_region(segment.address), PAGE), end, protection_of(segment.flags))
        })
        .collect();
    // Like the dynamic linker: the last page of the read-only range may hold other data, and stays writable.
    let relro = parsed.relro.map(|(from, to)| (round_down(in_region(from), PAGE), round_down(in_region(to), PAGE)));
    let cells = round_down(region.cells_offset, PAGE);
    let mut borders: Vec<usize> = segments.iter().flat_map(|&(from, to, _)| [from, to]).collect();
    borders.extend(relro.iter().flat_map(|&(from, to)| [from, to]));
    borders.extend([region.image_offset, cells, region.arena_offset]);
    borders.sort_unstable();
    borders.dedup();

    let mut runs: Vec<(usize, usize, c_int)> = Vec::new();
    if parsed.executable_stack {
        runs.push((0, region.stack_len, DATA | libc::PROT_EXEC));
    }
    let mut previous = libc::PROT_READ;
    for pair in borders.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let covers = |range: &(usize, usize)| range.0 <= from && to <= range.1;
        let of_segments = segments.iter().filter(|(a, b, _)| covers(&(*a, *b))).fold(0, |all, (_, _, bits)| all | bits);
        // Gaps between segments follow what is before them, which saves mappings.
        let mut protection = if of_segments == 0 { previous } else { of_segments };
        if relro.as_ref().is_some_and(covers) {
            protection &= !libc::PROT_WRITE;
        }
        if from >= cells {
            protection |= DATA;
        }
        previous = protection;
        match runs.last_mut() {
            Some(last) if last.2 == protection && last.0 + last.1 == from => last.1 += to - from,
            _ if protection == DATA => {}
            _ => runs.push((from, to - from, protection)),
        }
    }
    runs
}

/// `PROT_*` of a segment's `PF_*` flags.
fn protection_of(flags: u32) -> c_int {
    [(elf::PF_R, libc::PROT_READ), (elf::PF_W, libc::PROT_WRITE), (elf::PF_X, libc::PROT_EXEC)]
        .iter()
        .filter(|(flag, _)| flags & flag != 0)
        .fold(0, |all, (_, bit)| all | bit)
}

/// The pages at the end of the last segment that neither the file nor a relocation gives contents to.
pub(crate) fn large_bss(parsed: &Parsed, region: &Region, relocations: &Relocations) -> Option<Range<usize>> {
    let last = parsed.segments.last()?;
    let mut start = last.address + last.file_size as u64;
    let written = relocations.copies.iter().map(|(address, bytes)| address + bytes.len() as u64);
    let written = written.chain(relocations.fixed.iter().map(|(address, _)| address + 8));
    let written = written.chain(relocations.words.iter().map(|address| address + 8));
    let end = last.address + last.memory_size;
    start = written.filter(|&at| at <= end).fold(start, u64::max);
    let in_region = |address: u64| (address - parsed.first_address) as usize + region.image_offset;
    let pages = round_up(in_region(start), PAGE)..round_down(in_region(end), PAGE);
    (pages.end.saturating_sub(pages.start) >= LARGE_BSS).then_some(pages)
}

//! How the pages of a region differ when the number of ranks allows several mappings: protections, and large
//! uninitialised data.

use crate::layout::{PAGE, Region, round_down, round_up};
use crate::members::{Member, Members};
use crate::relocate::Relocations;
use object::elf;
use std::ffi::c_int;
use std::ops::Range;

/// Uninitialised data of this size or more gets anonymous memory, where the number of mappings allows it: for a page of
/// the memfd, the kernel would allocate another one, for the file itself.
const LARGE_BSS: usize = 256 << 10;

/// Which parts of a region get another protection than read and write: offset, length, `PROT_*`; adjacent ones joined.
pub(crate) fn protections(members: &Members, region: &Region) -> Vec<(usize, usize, c_int)> {
    const DATA: c_int = libc::PROT_READ | libc::PROT_WRITE;
    let in_region = |address: u64| (address - members.first_address()) as usize + region.image_offset;
    let mut segments: Vec<(usize, usize, c_int)> = Vec::new();
    let mut relro: Vec<(usize, usize)> = Vec::new();
    for member in &members.list {
        segments.extend(member.file.segments.iter().map(|segment| {
            let from = in_region(member.at(segment.address));
            let to = round_up(from + segment.memory_size as usize, PAGE);
            (round_down(from, PAGE), to, protection_of(segment.flags))
        }));
        // Like the dynamic linker: the last page of the read-only range may hold other data, and stays writable.
        let read_only = member.file.relro.iter();
        relro.extend(read_only.map(|&(from, to)| {
            (round_down(in_region(member.at(from)), PAGE), round_down(in_region(member.at(to)), PAGE))
        }));
    }
    let cells = round_down(region.cells_offset, PAGE);
    let mut borders: Vec<usize> = segments.iter().flat_map(|&(from, to, _)| [from, to]).collect();
    borders.extend(relro.iter().flat_map(|&(from, to)| [from, to]));
    borders.extend([region.image_offset, cells, region.arena_offset]);
    borders.sort_unstable();
    borders.dedup();

    let mut runs: Vec<(usize, usize, c_int)> = Vec::new();
    if members.list.iter().any(|member| member.file.executable_stack) {
        runs.push((0, region.stack_len, DATA | libc::PROT_EXEC));
    }
    let mut previous = libc::PROT_READ;
    for pair in borders.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let covers = |range: &(usize, usize)| range.0 <= from && to <= range.1;
        let of_segments = segments.iter().filter(|(a, b, _)| covers(&(*a, *b))).fold(0, |all, (_, _, bits)| all | bits);
        // Gaps between segments follow what is before them, which saves mappings.
        let mut protection = if of_segments == 0 { previous } else { of_segments };
        if relro.iter().any(covers) {
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
pub(crate) fn protection_of(flags: u32) -> c_int {
    [(elf::PF_R, libc::PROT_READ), (elf::PF_W, libc::PROT_WRITE), (elf::PF_X, libc::PROT_EXEC)]
        .iter()
        .filter(|(flag, _)| flags & flag != 0)
        .fold(0, |all, (_, bit)| all | bit)
}

/// The pages at the end of each file's last segment that neither the file nor a relocation gives contents to, where
/// they are many.
pub(crate) fn large_bss(members: &Members, region: &Region, relocations: &Relocations) -> Vec<Range<usize>> {
    let of_last = |member: &Member| {
        let last = member.file.segments.last()?;
        let end = member.at(last.address + last.memory_size);
        let mut start = member.at(last.address + last.file_size as u64);
        let inside = start..end;
        let written = relocations.copies.iter().map(|(address, bytes)| (*address, bytes.len() as u64));
        let written = written.chain(relocations.fixed.iter().map(|(address, _)| (*address, 8)));
        let written = written.chain(relocations.words.iter().map(|address| (*address, 8)));
        let written = written.chain(relocations.duplicates.iter().map(|twice| (twice.to, twice.len as u64)));
        start = written.filter(|(at, _)| inside.contains(at)).map(|(at, len)| at + len).fold(start, u64::max);
        let in_region = |address: u64| (address - members.first_address()) as usize + region.image_offset;
        let pages = round_up(in_region(start), PAGE)..round_down(in_region(end), PAGE);
        (pages.end.saturating_sub(pages.start) >= LARGE_BSS).then_some(pages)
    };
    members.list.iter().filter_map(of_last).collect()
}

/// Parts of the image that may change while a rank runs, in order: what is between the parts that stay constant.
pub(crate) fn writable(region: &Region, protections: &[(usize, usize, c_int)]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut at = region.image_offset;
    for &(offset, len, protection) in protections {
        if offset < region.image_offset || protection & libc::PROT_WRITE != 0 {
            continue;
        }
        if at < offset {
            ranges.push(at..offset);
        }
        at = offset + len;
    }
    ranges.push(at..region.arena_offset);
    ranges
}

//! Moving data through datatypes: pack, unpack, and copies from one type to another.
//!
//! The packed form is the data of all elements in type map order, without gaps, in the machine's representation. All
//! functions work on any part of that stream, for truncation and segmentation. Source: MPI 5.0 §5.1 and §5.2.

use std::cell::Cell;
use std::ops::Range;
use std::slice::{Chunks, ChunksMut};

use smpi_base::WorldRank;

use super::layout::{Blocks, Chunk, Layout};
use super::{Basic, Datatype};
use crate::memory::{Addr, Memory, fetch, store};

/// Spans up to this many bytes are viewed as one slice, whatever their gaps.
const SMALL_SPAN: u64 = 64 << 10;
/// Larger spans are viewed as one slice when at most one byte in this many is data.
const SPARSE: u64 = 16;
/// Direct copies go through a buffer of this size when both sides have short runs.
const STAGE: u64 = 64 << 10;
/// Runs of at least this length are copied one by one instead.
const LONG_RUN: u64 = 512;

/// One side of a transfer: `count` elements of a type at an address of a rank.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Whose memory.
    pub rank: WorldRank,
    /// The buffer's address.
    pub base: Addr,
    /// Number of elements.
    pub count: u64,
    /// Their type.
    pub datatype: &'a Datatype,
}

impl Place<'_> {
    /// Whether nobody cares for what is there.
    pub fn is_void(&self, memory: &dyn Memory) -> bool {
        if !memory.has_void() {
            return false;
        }
        let span = self.datatype.span(self.count);
        span.is_some_and(|(low, high)| memory.is_void(self.base.offset(low), (high - low).max(0) as usize))
    }
}

impl Datatype {
    /// The layout of `count` elements.
    fn layout_of(&self, count: u64) -> Layout {
        self.map().layout.repeated(count, self.extent())
    }

    /// Appends the packed form of `count` elements at `base` to `out`.
    ///
    /// The caller has checked [`Datatype::packed_size`].
    pub fn pack(&self, memory: &dyn Memory, rank: WorldRank, base: Addr, count: u64, out: &mut Vec<u8>) {
        if !memory.has_bytes() {
            return;
        }
        let size = self.size() * count;
        if let (Some(offset), true) = (self.contiguous_offset(count), size > 0) {
            return memory.append(rank, base.offset(offset), size as usize, out);
        }
        let start = out.len();
        out.resize(start + size as usize, 0);
        self.pack_range(memory, rank, base, count, 0..size, &mut out[start..]);
    }

    /// Writes the bytes `range` of the packed form of `count` elements to `out`, which has that length.
    pub fn pack_range(
        &self,
        memory: &dyn Memory,
        rank: WorldRank,
        base: Addr,
        count: u64,
        range: Range<u64>,
        out: &mut [u8],
    ) {
        if range.is_empty() {
            return;
        }
        let layout = self.layout_of(count);
        match self.dense_span(count, &layout) {
            Some((low, length)) => {
                let span = memory.bytes(rank, base.offset(low), length);
                layout.walk_chunks(range.start, range.end, |chunk| gather(span, chunk.relative_to(low), out));
            }
            None => layout.walk_chunks(range.start, range.end, |chunk| {
                for (at, position) in chunk.each() {
                    let source = memory.bytes(rank, base.offset(at), chunk.length());
                    fetch(source, &mut out[position..position + chunk.length()]);
                }
            }),
        }
    }

    /// Stores packed bytes into up to `count` elements at `base`; gives the number of bytes taken from `input`.
    pub fn unpack(&self, memory: &mut dyn Memory, rank: WorldRank, base: Addr, count: u64, input: &[u8]) -> u64 {
        if !memory.has_bytes() {
            return 0;
        }
        let size = self.size().saturating_mul(count).min(input.len() as u64);
        if let (Some(offset), true) = (self.contiguous_offset(count), size > 0) {
            memory.write(rank, base.offset(offset), &input[..size as usize]);
            return size;
        }
        self.unpack_range(memory, rank, base, count, 0..size, &input[..size as usize]);
        size
    }

    /// Stores `input` as the bytes `range`, of the same length, of the packed form of `count` elements at `base`.
    pub fn unpack_range(
        &self,
        memory: &mut dyn Memory,
        rank: WorldRank,
        base: Addr,
        count: u64,
        range: Range<u64>,
        input: &[u8],
    ) {
        if range.is_empty() {
            return;
        }
        let layout = self.layout_of(count);
        match self.dense_span(count, &layout) {
            Some((low, length)) => {
                let span = memory.bytes_to_write(rank, base.offset(low), length);
                layout.walk_chunks(range.start, range.end, |chunk| scatter(input, chunk.relative_to(low), span));
            }
            None => layout.walk_chunks(range.start, range.end, |chunk| {
                for (at, position) in chunk.each() {
                    memory.write(rank, base.offset(at), &input[position..position + chunk.length()]);
                }
            }),
        }
    }

    /// Reports where the data of `count` elements is, in packed order: blocks at offsets from the buffer's address.
    pub fn for_each_block(&self, count: u64, report: &mut dyn FnMut(Blocks)) {
        let layout = self.layout_of(count);
        layout.walk(0, layout.size(), &mut |blocks| report(blocks));
    }

    /// Reports where the bytes `range` of the packed form of elements without end are, in that order: blocks at offsets
    /// from the address of the first element. The type must have data.
    pub fn for_each_block_in(&self, range: Range<u64>, report: &mut dyn FnMut(Blocks)) {
        let skipped = range.start / self.size();
        let (from, to) = (range.start - skipped * self.size(), range.end - skipped * self.size());
        let base = self.extent().wrapping_mul(skipped as i64);
        let layout = self.layout_of(to.div_ceil(self.size())).shifted(base);
        layout.walk(from, to, &mut |blocks| report(blocks));
    }

    /// Reports the basic elements of `count` elements in packed order, at most `most`: where each begins, from the
    /// buffer's address. The components of pairs are elements.
    pub fn for_each_basic(&self, count: u64, most: u64, report: &mut dyn FnMut(i64, Basic)) {
        let signature = self.signature();
        let mut left = most.min(signature.elements().saturating_mul(count));
        let mut runs = Vec::new();
        self.layout_of(count).walk(0, signature.bytes_of(left), &mut |blocks| runs.extend(blocks.runs(Addr(0))));
        let mut runs = runs.into_iter();
        let (mut at, mut end) = (0, 0);
        let mut goes_on = true;
        while goes_on {
            let walk = signature.for_each(&mut |basic, times| {
                for _ in 0..times {
                    if left == 0 {
                        return Err(());
                    }
                    if at == end {
                        (at, end) = runs.next().ok_or(())?;
                    }
                    report(at as i64, basic);
                    at = at.wrapping_add(u64::from(basic.size()));
                    left -= 1;
                }
                Ok(())
            });
            goes_on = walk.is_ok() && left > 0;
        }
    }

    /// First offset and length of the memory around the data, when it is reasonable to view it as one slice.
    fn dense_span(&self, count: u64, layout: &Layout) -> Option<(i64, usize)> {
        let (low, high) = self.span(count)?;
        let length = u64::try_from(high.checked_sub(low)?).ok()?;
        let dense = length <= SMALL_SPAN || length / SPARSE <= layout.size();
        dense.then_some((low, length as usize))
    }
}

/// Copies from `source` to `target`, as a send and a receive would, and gives the number of bytes: the shorter side's.
///
/// Where the two sides overlap, and are not the same bytes in the same order, it is left open what is there afterwards.
pub fn copy_typed(memory: &mut dyn Memory, source: Place, target: Place) -> u64 {
    let size = source.packed_size().min(target.packed_size());
    if size == 0 || !memory.has_bytes() {
        return 0;
    }
    if source.is_void(memory) || target.is_void(memory) {
        return size;
    }
    let (from, to) = (source.contiguous(), target.contiguous());
    if let (Some(from), Some(to)) = (from, to) {
        memory.copy(source.rank, from, target.rank, to, size as usize);
        return size;
    }
    let (source_layout, target_layout) =
        (source.datatype.layout_of(source.count), target.datatype.layout_of(target.count));
    let long_runs = |layout: &Layout| layout.size() / layout.runs() >= LONG_RUN;
    let mut done = 0;
    match (from, to) {
        (None, Some(to)) if long_runs(&source_layout) => source_layout.walk(0, size, &mut |blocks| {
            for (at, length) in blocks.each() {
                let (from, to) = (source.base.offset(at), to.offset(done));
                memory.copy(source.rank, from, target.rank, to, length as usize);
                done += length as i64;
            }
        }),
        (Some(from), None) if long_runs(&target_layout) => target_layout.walk(0, size, &mut |blocks| {
            for (at, length) in blocks.each() {
                let (from, to) = (from.offset(done), target.base.offset(at));
                memory.copy(source.rank, from, target.rank, to, length as usize);
                done += length as i64;
            }
        }),
        _ => copy_staged(memory, source, target, size),
    }
    size
}

fn copy_staged(memory: &mut dyn Memory, source: Place, target: Place, size: u64) {
    let mut stage = vec![0; size.min(STAGE) as usize];
    let mut start = 0;
    while start < size {
        let end = size.min(start + STAGE);
        let part = &mut stage[..(end - start) as usize];
        source.datatype.pack_range(memory, source.rank, source.base, source.count, start..end, part);
        target.datatype.unpack_range(memory, target.rank, target.base, target.count, start..end, part);
        start = end;
    }
}

impl Place<'_> {
    fn packed_size(&self) -> u64 {
        self.datatype.size().saturating_mul(self.count)
    }

    fn contiguous(&self) -> Option<Addr> {
        self.datatype.contiguous_offset(self.count).map(|offset| self.base.offset(offset))
    }
}

impl Blocks {
    /// Offset and length of every block.
    fn each(self) -> impl Iterator<Item = (i64, u64)> {
        (0..self.count as i64).map(move |index| (self.at.wrapping_add(index.wrapping_mul(self.stride)), self.len))
    }
}

impl Chunk {
    /// Bytes of a block.
    fn length(self) -> usize {
        self.blocks.len as usize
    }

    /// The same blocks with offsets from `low`, which none of them is below.
    fn relative_to(self, low: i64) -> Chunk {
        Chunk { blocks: Blocks { at: self.blocks.at - low, ..self.blocks }, ..self }
    }

    /// Offset in memory and position in the packed part of every block.
    fn each(self) -> impl Iterator<Item = (i64, usize)> {
        let position = move |index: usize| (self.position + index as u64 * self.step) as usize;
        self.blocks.each().enumerate().map(move |(index, (at, _))| (at, position(index)))
    }

    /// The packed bytes from the first to the last block.
    fn packed(self) -> Range<usize> {
        let start = self.position as usize;
        start..start + ((self.blocks.count - 1) * self.step) as usize + self.length()
    }

    /// True when the blocks follow each other upwards without overlap, as nearly always.
    fn ascends(self) -> bool {
        self.blocks.stride >= self.blocks.len as i64
    }
}

/// Calls the expression with `$n` bound to the block length as a constant, for common lengths.
macro_rules! with_constant_length {
    ($length:expr, $n:ident => $constant:expr, otherwise $general:expr) => {{
        macro_rules! case {
            ($value:literal) => {{
                const $n: usize = $value;
                $constant
            }};
        }
        match $length {
            1 => case!(1),
            2 => case!(2),
            4 => case!(4),
            8 => case!(8),
            12 => case!(12),
            16 => case!(16),
            24 => case!(24),
            32 => case!(32),
            64 => case!(64),
            _ => $general,
        }
    }};
}

/// The first `N` of some cells.
#[inline]
fn head<const N: usize>(cells: &[Cell<u8>]) -> &[Cell<u8>; N] {
    cells.first_chunk().expect("blocks lie within their span")
}

/// Reads the first `N` of some cells. A constant length makes few wide accesses of this.
#[inline]
fn fetch_block<const N: usize>(cells: &[Cell<u8>]) -> [u8; N] {
    let cells = head::<N>(cells);
    std::array::from_fn(|index| cells[index].get())
}

/// Writes the first `N` of some cells.
#[inline]
fn store_block<const N: usize>(cells: &[Cell<u8>], block: [u8; N]) {
    head::<N>(cells).iter().zip(block).for_each(|(cell, byte)| cell.set(byte));
}

/// Copies blocks of `span` (offsets from its start) to their places in `out`.
fn gather(span: &[Cell<u8>], chunk: Chunk, out: &mut [u8]) {
    let (start, len) = (chunk.blocks.at as usize, chunk.length());
    if chunk.blocks.count == 1 {
        fetch(&span[start..start + len], &mut out[chunk.packed()]);
    } else if !chunk.ascends() {
        for (at, position) in chunk.each() {
            fetch(&span[at as usize..at as usize + len], &mut out[position..position + len]);
        }
    } else {
        let sources = span[start..].chunks(chunk.blocks.stride as usize);
        let out = &mut out[chunk.packed()];
        if chunk.step == chunk.blocks.len {
            with_constant_length!(len, N => gather_close::<N>(sources, out), otherwise {
                out.chunks_exact_mut(len).zip(sources).for_each(|(to, from)| fetch(&from[..len], to));
            });
        } else {
            let targets = out.chunks_mut(chunk.step as usize);
            with_constant_length!(len, N => gather_blocks::<N>(sources, targets), otherwise {
                targets.zip(sources).for_each(|(to, from)| fetch(&from[..len], &mut to[..len]));
            });
        }
    }
}

fn gather_close<const N: usize>(sources: Chunks<Cell<u8>>, out: &mut [u8]) {
    for (target, source) in out.as_chunks_mut::<N>().0.iter_mut().zip(sources) {
        *target = fetch_block(source);
    }
}

/// Copies the first `N` bytes of each source to the start of each target.
fn gather_blocks<const N: usize>(sources: Chunks<Cell<u8>>, targets: ChunksMut<u8>) {
    for (target, source) in targets.zip(sources) {
        target[..N].copy_from_slice(&fetch_block::<N>(source));
    }
}

/// Copies blocks from their places in `input` to `span` (offsets from its start).
fn scatter(input: &[u8], chunk: Chunk, span: &[Cell<u8>]) {
    let (start, len) = (chunk.blocks.at as usize, chunk.length());
    if chunk.blocks.count == 1 {
        store(&span[start..start + len], &input[chunk.packed()]);
    } else if !chunk.ascends() {
        for (at, position) in chunk.each() {
            store(&span[at as usize..at as usize + len], &input[position..position + len]);
        }
    } else {
        let targets = span[start..].chunks(chunk.blocks.stride as usize);
        let input = &input[chunk.packed()];
        if chunk.step == chunk.blocks.len {
            with_constant_length!(len, N => scatter_close::<N>(input, targets), otherwise {
                input.chunks_exact(len).zip(targets).for_each(|(from, to)| store(&to[..len], from));
            });
        } else {
            let sources = input.chunks(chunk.step as usize);
            with_constant_length!(len, N => scatter_blocks::<N>(sources, targets), otherwise {
                targets.zip(sources).for_each(|(to, from)| store(&to[..len], &from[..len]));
            });
        }
    }
}

fn scatter_close<const N: usize>(input: &[u8], targets: Chunks<Cell<u8>>) {
    for (source, target) in input.as_chunks::<N>().0.iter().zip(targets) {
        store_block(target, *source);
    }
}

/// Copies the first `N` bytes of each source to the start of each target.
fn scatter_blocks<const N: usize>(sources: Chunks<u8>, targets: Chunks<Cell<u8>>) {
    for (target, source) in targets.zip(sources) {
        let block: &[u8; N] = source.first_chunk().expect("blocks lie within their span");
        store_block(target, *block);
    }
}

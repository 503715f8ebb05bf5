//! Where the bytes of a type are: a compressed list of runs in the order in which they are packed.
//!
//! Regular patterns cost constant memory however often they repeat, and every node knows its packed size, so that a
//! walk can start and end anywhere in the packed stream. Offsets are relative to the buffer's address.
//!
//! ```text
//! Run      ████                        size bytes at `at`
//! Strided  ██··██··██··                count blocks of len bytes, stride apart
//! Repeat   [body]·[body]·[body]        count bodies, stride apart
//! Sequence [piece][piece]…             anything else; piece knows where it starts in the packed stream
//! ```

use std::ops::Deref;
use std::sync::Arc;

use crate::memory::Addr;

/// A layout whose offsets are all shifted by `at`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    at: i64,
    size: u64,
    runs: u64,
    shape: Shape,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Shape {
    Run,
    Strided { len: u64, count: u64, stride: i64 },
    Repeat { body: Arc<Layout>, count: u64, stride: i64 },
    Sequence(Shared<Piece>),
}

/// Part of a sequence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Bytes of the packed stream before this piece.
    start: u64,
    layout: Layout,
}

/// Equal blocks at equal distance, as a walk reports them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// Offset of the first block from the buffer's address.
    pub at: i64,
    /// Bytes of a block; never 0.
    pub len: u64,
    /// Number of blocks; never 0.
    pub count: u64,
    /// Distance between the starts of blocks; without meaning when `count` is 1.
    pub stride: i64,
}

impl Blocks {
    /// The blocks as runs of bytes, from and up to, where `base` is the buffer's address.
    pub fn runs(self, base: Addr) -> impl Iterator<Item = (u64, u64)> {
        let Blocks { at, len, count, stride } = self;
        (0..count).map(move |index| {
            let start = base.offset(at.wrapping_add(stride.wrapping_mul(index as i64))).0;
            (start, start.wrapping_add(len))
        })
    }
}

impl Piece {
    /// A contiguous piece, for compiled-in sequences.
    pub(super) const fn run(start: u64, at: i64, len: u64) -> Piece {
        Piece { start, layout: Layout::run(at, len) }
    }
}

impl Layout {
    /// `len` contiguous bytes at `at`; the empty layout when `len` is 0.
    pub(super) const fn run(at: i64, len: u64) -> Layout {
        Layout { at, size: len, runs: 1, shape: Shape::Run }
    }

    /// Compiled-in pieces of `size` bytes together.
    pub(super) const fn pieces(pieces: &'static [Piece], size: u64) -> Layout {
        Layout { at: 0, size, runs: pieces.len() as u64, shape: Shape::Sequence(Shared::Static(pieces)) }
    }

    /// Packed bytes.
    pub(super) const fn size(&self) -> u64 {
        self.size
    }

    /// Number of contiguous runs (an upper bound: touching runs of different parts are not always merged).
    pub(super) fn runs(&self) -> u64 {
        self.runs
    }

    /// Offset of the bytes when they are all contiguous and packed in order.
    pub(super) fn as_run(&self) -> Option<i64> {
        matches!(self.shape, Shape::Run).then_some(self.at)
    }

    /// The same bytes `by` further.
    pub(super) fn shifted(mut self, by: i64) -> Layout {
        self.at = self.at.wrapping_add(by);
        self
    }

    /// `count` copies, `stride` bytes apart. The caller has checked that the size fits 63 bits.
    pub(super) fn repeated(&self, count: u64, stride: i64) -> Layout {
        if self.size == 0 || count == 0 {
            return Layout::run(0, 0);
        }
        if count == 1 {
            return self.clone();
        }
        let size = self.size * count;
        let follows = |inner_count: u64, inner_stride: i64| {
            i64::try_from(inner_count).ok().and_then(|n| n.checked_mul(inner_stride)) == Some(stride)
        };
        let (runs, shape) = match &self.shape {
            Shape::Run if stride >= 0 && stride as u64 == self.size => (1, Shape::Run),
            Shape::Run => (count, Shape::Strided { len: self.size, count, stride }),
            Shape::Strided { len, count: inner, stride: step } if follows(*inner, *step) => {
                (inner * count, Shape::Strided { len: *len, count: inner * count, stride: *step })
            }
            Shape::Repeat { body, count: inner, stride: step } if follows(*inner, *step) => {
                (self.runs * count, Shape::Repeat { body: body.clone(), count: inner * count, stride: *step })
            }
            _ => {
                let body = Arc::new(Layout { at: 0, ..self.clone() });
                (self.runs * count, Shape::Repeat { body, count, stride })
            }
        };
        Layout { at: self.at, size, runs, shape }
    }

    /// Reports the bytes `from..to` of the packed stream, in order.
    pub(super) fn walk<F: FnMut(Blocks)>(&self, from: u64, to: u64, report: &mut F) {
        let mut walk = Walk { in_order: true, report: |chunk: Chunk| report(chunk.blocks) };
        walk.layout(self, 0, from, to, 0);
    }

    /// Reports the bytes `from..to` of the packed stream in any order: few chunks of many blocks.
    pub(super) fn walk_chunks<F: FnMut(Chunk)>(&self, from: u64, to: u64, report: F) {
        Walk { in_order: false, report }.layout(self, 0, from, to, 0);
    }

    /// The pieces of a short sequence of runs whose repetitions with this stride do not overlap: their order among
    /// each other does not matter then.
    fn short_runs(&self, stride: i64) -> Option<&[Piece]> {
        let Shape::Sequence(pieces) = &self.shape else { return None };
        if pieces.len() > SHORT_SEQUENCE || !pieces.iter().all(|piece| matches!(piece.layout.shape, Shape::Run)) {
            return None;
        }
        let low = pieces.iter().map(|piece| piece.layout.at).min()?;
        let high = pieces.iter().map(|piece| piece.layout.at.wrapping_add_unsigned(piece.layout.size)).max()?;
        (high.wrapping_sub(low) as u64 <= stride.unsigned_abs()).then_some(pieces)
    }
}

/// Repeated sequences of at most this many runs (structures, mostly) are walked run by run instead of body by body.
const SHORT_SEQUENCE: usize = 16;
/// As many bodies at a time, so that all of their runs are still in the cache.
const BODIES: u64 = 128;

/// Blocks together with their place in the walked part of the packed stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) blocks: Blocks,
    /// Where the first block goes, bytes from the start of the walked part.
    pub(super) position: u64,
    /// Distance between blocks in the packed stream; their length unless chunks of a repeated sequence interleave.
    pub(super) step: u64,
}

/// A walk over a part of the packed stream.
struct Walk<F> {
    in_order: bool,
    report: F,
}

impl<F: FnMut(Chunk)> Walk<F> {
    /// Walks the bytes `from..to` of a layout placed at `base`; the first of them is at `position` in the stream.
    fn layout(&mut self, layout: &Layout, base: i64, from: u64, to: u64, position: u64) {
        if from >= to {
            return;
        }
        let base = base.wrapping_add(layout.at);
        match &layout.shape {
            Shape::Run => self.single(base.wrapping_add_unsigned(from), to - from, position),
            Shape::Strided { len, stride, .. } => self.strided(base, *len, *stride, from, to, position),
            Shape::Repeat { body, stride, .. } => self.repeat(base, body, *stride, from, to, position),
            Shape::Sequence(pieces) => {
                let first = pieces.partition_point(|piece| piece.start + piece.layout.size <= from);
                for piece in &pieces[first..] {
                    if piece.start >= to {
                        break;
                    }
                    let (skip, end) = (from.saturating_sub(piece.start), (to - piece.start).min(piece.layout.size));
                    self.layout(&piece.layout, base, skip, end, position + piece.start.saturating_sub(from));
                }
            }
        }
    }

    fn single(&mut self, at: i64, len: u64, position: u64) {
        (self.report)(Chunk { blocks: Blocks { at, len, count: 1, stride: 0 }, position, step: len });
    }

    fn strided(&mut self, base: i64, len: u64, stride: i64, from: u64, to: u64, position: u64) {
        let place = |index: u64| base.wrapping_add((index as i64).wrapping_mul(stride));
        let (mut index, mut position, skip) = (from / len, position, from % len);
        let mut left = to - from;
        if skip > 0 {
            let head = left.min(len - skip);
            self.single(place(index).wrapping_add_unsigned(skip), head, position);
            (index, left, position) = (index + 1, left - head, position + head);
        }
        let whole = left / len;
        if whole > 0 {
            let blocks = Blocks { at: place(index), len, count: whole, stride };
            (self.report)(Chunk { blocks, position, step: len });
        }
        let tail = left % len;
        if tail > 0 {
            self.single(place(index + whole), tail, position + whole * len);
        }
    }

    fn repeat(&mut self, base: i64, body: &Layout, stride: i64, from: u64, to: u64, position: u64) {
        let place = |index: u64| base.wrapping_add((index as i64).wrapping_mul(stride));
        let (mut index, mut at) = (from / body.size, from);
        let runs = if self.in_order { None } else { body.short_runs(stride) };
        while at < to {
            let start = index * body.size;
            let whole = if at == start { (to - at) / body.size } else { 0 };
            if let (true, Some(runs)) = (whole > 1, runs) {
                let bodies = whole.min(BODIES);
                for piece in runs {
                    let first = place(index).wrapping_add(body.at).wrapping_add(piece.layout.at);
                    let blocks = Blocks { at: first, len: piece.layout.size, count: bodies, stride };
                    (self.report)(Chunk { blocks, position: position + (at - from) + piece.start, step: body.size });
                }
                (index, at) = (index + bodies, at + bodies * body.size);
                continue;
            }
            let end = to.min(start + body.size);
            self.layout(body, place(index), at - start, end - start, position + (at - from));
            (index, at) = (index + 1, end);
        }
    }
}

/// An immutable list that is either compiled in (predefined types) or counted (derived types).
#[derive(Clone, Debug)]
enum Shared<T: 'static> {
    /// Part of the program.
    Static(&'static [T]),
    /// Freed with its last owner.
    Counted(Arc<[T]>),
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Shared::Static(items) => items,
            Shared::Counted(items) => items,
        }
    }
}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(items: Vec<T>) -> Shared<T> {
        Shared::Counted(items.into())
    }
}

impl<T: Eq> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        std::ptr::eq(&**self, &**other) || **self == **other
    }
}

impl<T: Eq> Eq for Shared<T> {}

/// Collects parts in pack order and merges what continues a run or a pattern.
#[derive(Default)]
pub(super) struct LayoutBuilder {
    parts: Vec<Layout>,
}

impl LayoutBuilder {
    /// Appends a part.
    pub(super) fn push(&mut self, part: Layout) {
        if part.size == 0 {
            return;
        }
        match self.parts.last_mut().and_then(|last| join(last, &part)) {
            Some(joined) => *self.parts.last_mut().expect("a part was joined") = joined,
            None => self.parts.push(part),
        }
    }

    /// The finished layout. The caller has checked that the size fits 63 bits.
    pub(super) fn finish(mut self) -> Layout {
        if self.parts.len() < 2 {
            return self.parts.pop().unwrap_or(Layout::run(0, 0));
        }
        let (mut start, mut runs) = (0, 0);
        let mut pieces = Vec::with_capacity(self.parts.len());
        for layout in self.parts {
            let piece = Piece { start, layout };
            start += piece.layout.size;
            runs += piece.layout.runs;
            pieces.push(piece);
        }
        Layout { at: 0, size: start, runs, shape: Shape::Sequence(pieces.into()) }
    }
}

/// One layout for `last` followed by `next`, when a simpler one than a sequence exists.
fn join(last: &Layout, next: &Layout) -> Option<Layout> {
    let distance = next.at.checked_sub(last.at)?;
    let expected = |count: u64, stride: i64| i64::try_from(count).ok()?.checked_mul(stride);
    match (&last.shape, &next.shape) {
        (Shape::Run, Shape::Run) if distance >= 0 && distance as u64 == last.size => {
            Some(Layout::run(last.at, last.size + next.size))
        }
        (Shape::Strided { len, count, stride }, Shape::Run) if *len == next.size => {
            let fits = expected(*count, *stride) == Some(distance);
            fits.then(|| Layout {
                at: last.at,
                size: last.size + len,
                runs: last.runs + 1,
                shape: Shape::Strided { len: *len, count: count + 1, stride: *stride },
            })
        }
        (Shape::Repeat { body, count, stride }, shape) if body.shape == *shape && body.size == next.size => {
            let fits = expected(*count, *stride) == Some(distance);
            fits.then(|| Layout {
                at: last.at,
                size: last.size + body.size,
                runs: last.runs + body.runs,
                shape: Shape::Repeat { body: body.clone(), count: count + 1, stride: *stride },
            })
        }
        (one, two) if one == two && last.size == next.size => Some(last.repeated(2, distance)),
        _ => None,
    }
}

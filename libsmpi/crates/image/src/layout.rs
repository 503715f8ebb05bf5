//! Where the parts of a rank's region lie: pure arithmetic, no system call.
//!
//! The drawing is in the crate's header. All offsets are relative to the region's base and equal to the offsets in the
//! program's memfd, because a region is one mapping of that file from its beginning.

/// Page size of the machine; the loader refuses nothing smaller or larger because x86-64 has only this one.
pub const PAGE: usize = 4096;

/// Smallest tail of a region: one page is a guard only against small frames, so there are sixteen.
const LEAST_TAIL: usize = 16 * PAGE;

/// What the owner of the ranks asks of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of a rank's stack; rounded up to pages.
    pub stack_bytes: usize,
    /// Bytes of the small heap arena behind the image; rounded up to pages, may be 0.
    pub arena_bytes: usize,
    /// Bytes directly below the thread pointer that belong to the program's own thread-local data.
    pub tls_limit: usize,
}

/// Offsets inside every region of one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Length of the stack; it begins at offset 0.
    pub stack_len: usize,
    /// Beginning of the image.
    pub image_offset: usize,
    /// Length of the image with cells and TLS block, a multiple of [`PAGE`].
    pub image_len: usize,
    /// Beginning of the cells: private copies of variables of libc.
    pub cells_offset: usize,
    /// Beginning of the thread-local block.
    pub tls_offset: usize,
    /// Beginning of the small arena.
    pub arena_offset: usize,
    /// Length of the small arena.
    pub arena_len: usize,
    /// Length of the memfd: accesses at or beyond it raise SIGBUS.
    pub file_len: usize,
    /// What a region's base must be a multiple of.
    pub align: usize,
}

/// What the files of an image need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// Bytes from the first to the last.
    pub len: usize,
    /// Largest alignment of a segment, at least a page.
    pub align: usize,
    /// Bytes of thread-local data.
    pub tls_size: usize,
    /// Their alignment.
    pub tls_align: usize,
}

impl Region {
    /// Lays out a region for an image.
    pub(crate) fn new(layout: &Layout, extent: &Extent, cells_len: usize) -> Region {
        let align = extent.align;
        let stack_len = round_up(layout.stack_bytes.max(1), PAGE);
        let image_offset = round_up(stack_len, align);
        let cells_offset = round_up(image_offset + extent.len, 16);
        let tls_offset = round_up(cells_offset + cells_len, extent.tls_align.max(16));
        let arena_offset = round_up(tls_offset + extent.tls_size, PAGE);
        let arena_len = round_up(layout.arena_bytes, PAGE);
        Region {
            stack_len,
            image_offset,
            image_len: arena_offset - image_offset,
            cells_offset,
            tls_offset,
            arena_offset,
            arena_len,
            file_len: arena_offset + arena_len,
            align,
        }
    }

    /// Smallest distance between two regions: the file, then a tail that guards the next region's stack.
    pub fn least_stride(&self) -> usize {
        round_up(self.file_len + LEAST_TAIL, self.align)
    }
}

/// Next multiple of `align` (a power of two).
pub(crate) fn round_up(value: usize, align: usize) -> usize {
    (value + align - 1) & !(align - 1)
}

/// Previous multiple of `align` (a power of two).
pub(crate) fn round_down(value: usize, align: usize) -> usize {
    value & !(align - 1)
}

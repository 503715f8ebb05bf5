//! The address plan: where the region of each rank lies. Pure arithmetic; `region` asks the kernel for the memory.
//!
//! The plan follows from the number of ranks and the sizes alone, so two runs place every rank at the same addresses.

use smpi_base::rng::Rng;
use std::fmt;
use std::ops::Range;

/// Lowest address of a region: above anything a non-PIE program or a small `mmap` would use.
const FIRST: usize = 0x0100_0000_0000;
/// End of the range for regions: PIE executables of the hosting process start at 0x5555_5555_4000.
const LAST: usize = 0x5400_0000_0000;
/// Largest distance between regions: arenas address 64 GiB.
const MAX_STRIDE: usize = 1 << 36;
/// The same where what a region covers costs memory, used or not.
const NARROW_STRIDE: usize = 1 << 31;
/// Bytes at the end of a region that never become heap, so that the next rank's stack overflow is caught.
const GUARD: usize = 16 << 20;
/// Part of a region that is for what ranks map, where heaps have no limit of their own.
const MAPPED_SHARE: usize = 4;
/// Reach of one page-table page. Stack top, image and first heap pages of a rank share one where they fit.
const TABLE_REACH: usize = 2 << 20;
/// Part of the heap that comes with the region when a larger heap can be mapped later. It belongs to the program's
/// file, so a rank that only reads fresh memory there takes pages for it, which it does not in what is mapped later.
const SMALL_ARENA: usize = 64 << 10;
/// Mappings that the process itself needs (libraries, files, host heap).
const HOST_MAPPINGS: usize = 2_000;
/// Mappings that a rank's heap may add to its region's.
const HEAP_MAPPINGS: usize = 2;
/// Size of a memory page.
pub const PAGE: usize = 4096;

/// What the plan has to satisfy.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of ranks.
    pub ranks: u32,
    /// Bytes from the start of a region to its heap, that is stack and image, of the program that needs most.
    pub arena_offset: usize,
    /// Offset of the image of that program: the end of the stack.
    pub image_offset: usize,
    /// What the base of a region must be a multiple of.
    pub align: usize,
    /// Mappings of a region whose image parts have their own protection.
    pub split_mappings: usize,
    /// Largest heap of a rank in bytes; 0 = what the address space gives.
    pub heap: usize,
    /// Regions are to have room for what ranks map, apart from their heaps.
    pub maps: bool,
    /// Regions are to be no wider than needed: valgrind keeps something for all addresses that they cover.
    pub narrow: bool,
    /// Seed that moves the regions and rotates the ranks through them, for tests: nothing may depend on addresses.
    pub shuffle: Option<u64>,
    /// The kernel's limit on mappings of a process (`vm.max_map_count`).
    pub max_mappings: usize,
}

/// Why no plan exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayoutError {
    /// Stack, image, heap and guard of this many ranks do not fit the address space.
    TooLarge {
        /// Bytes that one rank needs.
        wanted: usize,
        /// Bytes that one rank can have.
        available: usize,
    },
    /// The kernel allows fewer mappings than there are ranks.
    TooManyRanks {
        /// Ranks that fit the limit.
        most: usize,
    },
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LayoutError::TooLarge { wanted, available } => write!(
                f,
                "a rank needs {} MiB of address space (stack, program, heap) but {} MiB are available for each: \
                 use fewer ranks, a smaller --stack-size or a smaller --heap-size",
                wanted.div_ceil(1 << 20),
                available >> 20
            ),
            LayoutError::TooManyRanks { most } => write!(
                f,
                "the kernel allows at most {most} ranks in one process: raise it with `sysctl vm.max_map_count=…` or use fewer ranks"
            ),
        }
    }
}

/// The address plan of a run: regions at a constant distance, all equally large, whatever program they hold.
#[derive(Clone, Debug)]
pub struct Layout {
    /// First address of the first region.
    first: usize,
    /// Logarithm of the distance between regions: the region of an address follows by shifting.
    stride_shift: u32,
    /// Invariant: at least 1.
    ranks: u32,
    /// The place of rank 0; the others follow, wrapping round. Invariant: less than `ranks`.
    rotation: u32,
    /// Largest heap of a rank in bytes.
    heap: usize,
    /// Bytes before the guard for what a rank maps.
    mapped: usize,
    /// Bytes of heap in the file behind a region. Invariant: not more than `heap`.
    arena_bytes: usize,
    /// Parts of images may have their own protection.
    split: bool,
}

fn round_up(value: usize, unit: usize) -> usize {
    value.div_ceil(unit) * unit
}

impl Layout {
    /// Bytes of heap that every region has from the start when larger heaps can be mapped later; see
    /// [`Layout::arena_bytes`].
    pub const SMALL_ARENA: usize = SMALL_ARENA;

    /// Refuses more ranks than fit the kernel's limit on mappings; answers how many do.
    pub fn check_count(ranks: usize, max_mappings: usize) -> Result<usize, LayoutError> {
        let most = max_mappings.saturating_sub(HOST_MAPPINGS);
        if ranks > most { Err(LayoutError::TooManyRanks { most }) } else { Ok(most) }
    }

    /// Chooses the plan with the widest regions.
    pub fn plan(request: &Request) -> Result<Layout, LayoutError> {
        let ranks = request.ranks.max(1) as usize;
        let most = Layout::check_count(ranks, request.max_mappings)?;
        let heap = round_up(request.heap, PAGE);
        let wanted = [request.arena_offset, heap.max(SMALL_ARENA), GUARD];
        let wanted = wanted.iter().fold(0usize, |sum, part| sum.saturating_add(*part));
        let needed = wanted.checked_next_power_of_two().unwrap_or(MAX_STRIDE);
        let widest = if request.narrow { needed.clamp(NARROW_STRIDE, MAX_STRIDE) } else { MAX_STRIDE };
        let available = ((LAST - FIRST) / (ranks + 2)).min(widest);
        let stride_shift = available.ilog2();
        let stride = 1 << stride_shift;
        if wanted > stride {
            return Err(LayoutError::TooLarge { wanted, available: stride });
        }
        let split = ranks.saturating_mul(request.split_mappings + HEAP_MAPPINGS) <= most;
        let can_grow = ranks.saturating_mul(3) <= most;
        // All that there is where the heap has a limit, and a part where it has none.
        let mapped = if request.maps { (stride / MAPPED_SHARE).min(stride - wanted) / PAGE * PAGE } else { 0 };
        let rest = stride - GUARD - request.arena_offset - mapped;
        let heap = if request.heap == 0 { rest } else { heap };
        let arena_bytes = if can_grow { SMALL_ARENA.min(heap) } else { heap };
        let mut first = round_up(FIRST, stride.max(request.align));
        if request.align <= PAGE {
            // Puts the end of the stack into the middle of a page table's reach, with image and heap above it.
            first += (TABLE_REACH + TABLE_REACH / 2 - request.image_offset % TABLE_REACH) % TABLE_REACH;
        }
        let mut rotation = 0;
        if let Some(seed) = request.shuffle {
            let mut rng = Rng::new(seed);
            first += rng.below(64) * TABLE_REACH.max(request.align);
            rotation = rng.below(ranks) as u32;
        }
        Ok(Layout { first, stride_shift, ranks: ranks as u32, rotation, heap, mapped, arena_bytes, split })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The lowest address of a region.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Distance between regions.
    pub fn stride(&self) -> usize {
        1 << self.stride_shift
    }

    /// Bytes of heap that the file behind a region must have: a small arena that grows by mappings of its own, or,
    /// where the kernel's limit does not allow those, the whole heap.
    pub fn arena_bytes(&self) -> usize {
        self.arena_bytes
    }

    /// Bytes that the heap may have, for a region with this offset of the heap.
    pub fn heap_limit(&self, arena_offset: usize) -> usize {
        self.heap.min(self.stride() - GUARD - self.mapped - arena_offset)
    }

    /// Where a rank's mappings go; empty unless that was asked for.
    pub fn mapping_room(&self, rank: u32) -> Range<usize> {
        let end = self.base(rank) + self.stride() - GUARD;
        end - self.mapped..end
    }

    /// Whether a region has room for a program with this offset of the heap, which wants regions to be aligned to
    /// `align`.
    pub fn has_room(&self, arena_offset: usize, align: usize) -> bool {
        self.first.is_multiple_of(align)
            && self.stride().is_multiple_of(align)
            && arena_offset.saturating_add(self.arena_bytes + self.mapped + GUARD) <= self.stride()
    }

    /// True when the parts of an image may have their own protection: the kernel's limit allows that many mappings.
    pub fn split_images(&self) -> bool {
        self.split
    }

    /// Range of addresses that all regions cover, with a guard below the first stack.
    pub fn span(&self) -> (usize, usize) {
        (self.first - GUARD, self.first + ((self.ranks as usize) << self.stride_shift))
    }

    /// First address of a rank's region.
    pub fn base(&self, rank: u32) -> usize {
        let place = (u64::from(rank) + u64::from(self.rotation)) % u64::from(self.ranks);
        self.first + ((place as usize) << self.stride_shift)
    }

    /// The rank whose region holds an address.
    pub fn rank_at(&self, address: usize) -> Option<u32> {
        let place = address.checked_sub(self.first)? >> self.stride_shift;
        if place >= self.ranks as usize {
            return None;
        }
        let place = place as u32;
        Some(if place >= self.rotation { place - self.rotation } else { place + (self.ranks - self.rotation) })
    }

    /// Splits a range of ranks where the places wrap round: within each part, regions follow each other.
    pub fn runs(&self, ranks: Range<u32>) -> impl Iterator<Item = Range<u32>> {
        let wrap = (self.ranks - self.rotation).clamp(ranks.start, ranks.end);
        [ranks.start..wrap, wrap..ranks.end].into_iter().filter(|part| !part.is_empty())
    }

    /// True when `address` lies so little below the rank's stack that touching it is a stack overflow.
    pub fn is_stack_guard(&self, rank: u32, address: usize) -> bool {
        let base = self.base(rank);
        address < base && address >= base - GUARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ranks: u32) -> Request {
        Request {
            ranks,
            arena_offset: (8 << 20) + 40_960,
            image_offset: 8 << 20,
            align: PAGE,
            split_mappings: 5,
            heap: 0,
            maps: false,
            narrow: false,
            shuffle: None,
            max_mappings: 65_530,
        }
    }

    #[test]
    fn regions_do_not_overlap_and_are_found_by_address() {
        for ranks in [1, 2, 3, 64, 1_000, 10_000, 50_000, 63_000] {
            for shuffle in [None, Some(7)] {
                let layout = Layout::plan(&Request { shuffle, ..request(ranks) }).unwrap();
                let mut bases: Vec<usize> = (0..ranks).map(|r| layout.base(r)).collect();
                let runs: Vec<_> = layout.runs(0..ranks).collect();
                assert_eq!(runs.iter().map(ExactSizeIterator::len).sum::<usize>(), ranks as usize);
                for run in runs {
                    let run = &bases[run.start as usize..run.end as usize];
                    assert!(run.windows(2).all(|w| w[1] - w[0] == layout.stride()));
                }
                bases.sort_unstable();
                assert!(bases.windows(2).all(|w| w[1] - w[0] == layout.stride()));
                assert!(bases[0] >= FIRST && bases[ranks as usize - 1] + layout.stride() <= LAST);
                for rank in (0..ranks).step_by(97) {
                    let base = layout.base(rank);
                    assert_eq!(layout.rank_at(base), Some(rank));
                    assert_eq!(layout.rank_at(base + layout.stride() - 1), Some(rank));
                    assert!(layout.is_stack_guard(rank, base - 1));
                    assert!(!layout.is_stack_guard(rank, base));
                }
            }
        }
    }

    #[test]
    fn many_ranks_keep_one_mapping_each() {
        let many = Layout::plan(&request(50_000)).unwrap();
        assert!(!many.split_images());
        assert_eq!(many.arena_bytes(), many.heap_limit(request(0).arena_offset));
        let few = Layout::plan(&request(1_000)).unwrap();
        assert!(few.split_images());
        assert_eq!(few.arena_bytes(), Layout::SMALL_ARENA);
    }

    #[test]
    fn narrow_regions_have_room_for_what_is_asked_for() {
        let narrow = |heap| Layout::plan(&Request { narrow: true, heap, ..request(4) }).unwrap();
        assert_eq!(narrow(0).stride(), NARROW_STRIDE);
        let large = narrow(5 << 30);
        assert!(large.stride() < MAX_STRIDE && large.heap_limit(request(0).arena_offset) == 5 << 30);
    }

    #[test]
    fn mappings_lie_behind_the_heap_and_before_the_guard() {
        for heap in [0, 100 << 20, 5 << 30] {
            let layout = Layout::plan(&Request { maps: true, heap, ..request(4) }).unwrap();
            for rank in 0..4 {
                let (room, base) = (layout.mapping_room(rank), layout.base(rank));
                let arena = base + request(4).arena_offset;
                assert!(room.len() >= 1 << 30 && arena + layout.heap_limit(request(4).arena_offset) <= room.start);
                assert!(heap == 0 || layout.heap_limit(request(4).arena_offset) == heap);
                assert_eq!(room.end, base + layout.stride() - GUARD);
            }
            assert!(Layout::plan(&request(4)).unwrap().mapping_room(2).is_empty());
        }
    }

    #[test]
    fn impossible_requests_are_refused() {
        let large = Layout::plan(&Request { arena_offset: 4 << 30, ..request(50_000) }).unwrap_err();
        assert!(matches!(large, LayoutError::TooLarge { .. }));
        let many = Layout::plan(&request(64_000)).unwrap_err();
        assert_eq!(many, LayoutError::TooManyRanks { most: 63_530 });
        assert!(many.to_string().contains("vm.max_map_count"));
    }
}

//! The address plan: where the region of each rank lies. Pure arithmetic; `region` asks the kernel for the memory.
//!
//! The plan follows from the number of ranks and the sizes alone, so two runs place every rank at the same addresses.

use smpi_base::rng::Rng;
use std::fmt;

/// Lowest address of a region: above anything a non-PIE program or a small `mmap` would use.
const FIRST: usize = 0x0100_0000_0000;
/// End of the range for regions: PIE executables of the hosting process start at 0x5555_5555_4000.
const LAST: usize = 0x5400_0000_0000;
/// Largest distance between regions: arenas address 64 GiB.
const MAX_STRIDE: usize = 1 << 36;
/// Bytes at the end of a region that never become heap, so that the next rank's stack overflow is caught.
const GUARD: usize = 16 << 20;
/// Reach of one page-table page. Stack top, image and first heap pages of a rank share one where they fit.
const TABLE_REACH: usize = 2 << 20;
/// Part of the heap that comes with the region when a larger heap can be mapped later.
const SMALL_ARENA: usize = 512 << 10;
/// Mappings that the process itself needs (libraries, files, host heap).
const HOST_MAPPINGS: usize = 2_000;
/// Mappings of a rank whose image parts have their own protection.
const SPLIT_MAPPINGS: usize = 5;
/// Size of a memory page.
pub const PAGE: usize = 4096;

/// What the plan has to satisfy.
#[derive(Clone, Debug)]
pub struct Request {
    /// Number of ranks.
    pub ranks: u32,
    /// Bytes of stack per rank.
    pub stack: usize,
    /// Bytes of the largest program image.
    pub image: usize,
    /// Largest heap of a rank in bytes; 0 = what the address space gives.
    pub heap: usize,
    /// Seed that permutes the regions and moves them all: a testing aid, nothing may depend on addresses.
    pub shuffle: Option<u64>,
    /// The kernel's limit on mappings of a process (`vm.max_map_count`).
    pub max_mappings: usize,
}

/// Why no plan exists.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LayoutError {
    /// Stack, image, heap and guard of this many ranks do not fit the address space: bytes wanted and available per rank.
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

/// The address plan of a run. All regions have the same shape, whatever program they hold.
#[derive(Clone, Debug)]
pub struct Layout {
    first: usize,
    stride_shift: u32,
    ranks: u32,
    stack: usize,
    image: usize,
    file_len: usize,
    heap_end: usize,
    split: bool,
    /// Rank → place and place → rank, when the regions are permuted.
    places: Option<(Vec<u32>, Vec<u32>)>,
}

/// Addresses of one rank's region.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Lowest address; also the lowest address of the stack.
    pub base: usize,
    /// Highest address of the stack (exclusive) and start of the program image.
    pub image: usize,
    /// Start of the heap.
    pub arena: usize,
    /// End of the part of the heap that is mapped from the start.
    pub arena_end: usize,
    /// End of the largest heap.
    pub heap_end: usize,
    /// End of the region.
    pub end: usize,
}

fn round_up(value: usize, unit: usize) -> usize {
    value.div_ceil(unit) * unit
}

impl Layout {
    /// Chooses the plan with the widest regions.
    pub fn plan(request: &Request) -> Result<Layout, LayoutError> {
        let ranks = request.ranks.max(1) as usize;
        let most = request.max_mappings.saturating_sub(HOST_MAPPINGS);
        if ranks > most {
            return Err(LayoutError::TooManyRanks { most });
        }
        let stack = round_up(request.stack.max(4 * PAGE), PAGE);
        let image = round_up(request.image, PAGE);
        let available = ((LAST - FIRST) / (ranks + 2)).min(MAX_STRIDE);
        let stride_shift = available.ilog2();
        let stride = 1 << stride_shift;
        let heap = if request.heap == 0 { SMALL_ARENA } else { round_up(request.heap, PAGE) };
        let wanted = [stack, image, heap, GUARD].iter().fold(0usize, |sum, part| sum.saturating_add(*part));
        if wanted > stride {
            return Err(LayoutError::TooLarge { wanted, available: stride });
        }
        let split = ranks.saturating_mul(SPLIT_MAPPINGS + 2) <= most;
        let can_grow = ranks.saturating_mul(3) <= most;
        let arena = stack + image;
        let heap_end = if request.heap == 0 { stride - GUARD } else { arena + heap };
        let file_len = if can_grow { (arena + SMALL_ARENA).min(heap_end) } else { heap_end };
        // Puts the end of the stack into the middle of a page table's reach, with image and heap above it.
        let pad = (TABLE_REACH + TABLE_REACH / 2 - stack % TABLE_REACH) % TABLE_REACH;
        let mut first = round_up(FIRST, stride) + pad;
        let mut places = None;
        if let Some(seed) = request.shuffle {
            let mut rng = Rng::new(seed);
            first += rng.below(64) * TABLE_REACH;
            let mut place_of: Vec<u32> = (0..ranks as u32).collect();
            rng.shuffle(&mut place_of);
            let mut rank_of = vec![0; ranks];
            for (rank, place) in place_of.iter().enumerate() {
                rank_of[*place as usize] = rank as u32;
            }
            places = Some((place_of, rank_of));
        }
        Ok(Layout { first, stride_shift, ranks: ranks as u32, stack, image, file_len, heap_end, split, places })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Length of the file behind every region.
    pub fn file_len(&self) -> usize {
        self.file_len
    }

    /// Offset of the program image in the region and in its file.
    pub fn image_offset(&self) -> usize {
        self.stack
    }

    /// True when the parts of an image may have their own protection: the kernel's limit allows that many mappings.
    pub fn split_images(&self) -> bool {
        self.split
    }

    /// Range of addresses that all regions cover, with a guard below the first stack.
    pub fn span(&self) -> (usize, usize) {
        (self.first - GUARD, self.first + ((self.ranks as usize) << self.stride_shift))
    }

    /// The region of a rank.
    pub fn region(&self, rank: u32) -> Region {
        let place = self.places.as_ref().map_or(rank, |(place_of, _)| place_of[rank as usize]);
        let base = self.first + ((place as usize) << self.stride_shift);
        Region {
            base,
            image: base + self.stack,
            arena: base + self.stack + self.image,
            arena_end: base + self.file_len,
            heap_end: base + self.heap_end,
            end: base + (1 << self.stride_shift),
        }
    }

    /// The rank whose region holds an address.
    pub fn rank_at(&self, address: usize) -> Option<u32> {
        let place = address.checked_sub(self.first)? >> self.stride_shift;
        if place >= self.ranks as usize {
            return None;
        }
        Some(self.places.as_ref().map_or(place as u32, |(_, rank_of)| rank_of[place]))
    }

    /// True when `address` lies so little below the rank's stack that touching it is a stack overflow.
    pub fn is_stack_guard(&self, rank: u32, address: usize) -> bool {
        let base = self.region(rank).base;
        address < base && address >= base - GUARD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(ranks: u32) -> Request {
        Request { ranks, stack: 8 << 20, image: 40_000, heap: 0, shuffle: None, max_mappings: 65_530 }
    }

    #[test]
    fn regions_do_not_overlap_and_are_found_by_address() {
        for ranks in [1, 2, 3, 64, 1_000, 10_000, 50_000, 63_000] {
            for shuffle in [None, Some(7)] {
                let layout = Layout::plan(&Request { shuffle, ..request(ranks) }).unwrap();
                let mut bases: Vec<usize> = (0..ranks).map(|r| layout.region(r).base).collect();
                bases.sort_unstable();
                assert!(bases.windows(2).all(|w| w[1] - w[0] == 1 << layout.stride_shift));
                for rank in (0..ranks).step_by(97) {
                    let region = layout.region(rank);
                    assert_eq!(layout.rank_at(region.base), Some(rank));
                    assert_eq!(layout.rank_at(region.end - 1), Some(rank));
                    assert!(layout.is_stack_guard(rank, region.base - 1));
                    assert!(!layout.is_stack_guard(rank, region.base));
                    assert!(region.arena < region.arena_end && region.arena_end <= region.heap_end);
                    assert!(region.heap_end <= region.end - GUARD && region.end <= LAST);
                }
            }
        }
    }

    #[test]
    fn many_ranks_keep_one_mapping_each() {
        let layout = Layout::plan(&request(50_000)).unwrap();
        assert!(!layout.split_images());
        let region = layout.region(1);
        assert_eq!(region.arena_end, region.heap_end);
        assert!(Layout::plan(&request(1_000)).unwrap().split_images());
    }

    #[test]
    fn impossible_requests_are_refused() {
        let large = Layout::plan(&Request { stack: 4 << 30, ..request(50_000) }).unwrap_err();
        assert!(matches!(large, LayoutError::TooLarge { .. }));
        let many = Layout::plan(&request(64_000)).unwrap_err();
        assert_eq!(many, LayoutError::TooManyRanks { most: 63_530 });
        assert!(many.to_string().contains("vm.max_map_count"));
    }
}

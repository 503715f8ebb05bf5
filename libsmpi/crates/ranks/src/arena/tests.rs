//! Random use of an arena against a model that remembers what each block must hold.

use super::*;
use smpi_base::map::Map;
use smpi_base::rng::Rng;

const LIMIT: usize = 256 << 20;
const MAPPED: usize = 64 << 10;

/// A reserved range with an arena in it, given back at the end of a test.
struct Sandbox {
    base: usize,
    arena: Arena,
}

fn sandbox() -> Sandbox {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let base = unsafe { libc::mmap(ptr::null_mut(), LIMIT, libc::PROT_NONE, flags, -1, 0) } as usize;
    // SAFETY: the range was just reserved for this test.
    let arena = unsafe {
        assert!(region::map_fresh(base, MAPPED));
        Arena::create(base, MAPPED, LIMIT)
    };
    Sandbox { base, arena }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // SAFETY: nobody uses the arena any more.
        unsafe { libc::munmap(self.base as *mut _, LIMIT) };
    }
}

fn fill(block: usize, size: usize, seed: u8) {
    // SAFETY: the tests pass blocks of at least `size` bytes.
    unsafe { ptr::write_bytes(block as *mut u8, seed, size) };
}

fn holds(block: usize, size: usize, seed: u8) -> bool {
    // SAFETY: the tests pass blocks of at least `size` bytes that were written.
    unsafe { std::slice::from_raw_parts(block as *const u8, size) }.iter().all(|b| *b == seed)
}

/// Every chunk in order: sizes add up to the top, neighbours agree on who is in use, no two free chunks touch.
fn check_chain(arena: &Arena) {
    let (top, in_use) = (arena.control().top.get(), arena.control().in_use.get());
    let (mut chunk, mut used, mut previous_used) = (Arena::FIRST, 0, true);
    while chunk < top {
        let head = arena.read(chunk + 8);
        assert_eq!(head & PREV_USED != 0, previous_used, "at {chunk:#x}");
        if head & USED != 0 {
            used += head & SIZE;
        } else {
            assert!(previous_used, "two free chunks touch at {chunk:#x}");
            assert_eq!(arena.read(chunk + (head & SIZE)), head & SIZE);
        }
        previous_used = head & USED != 0;
        chunk += head & SIZE;
    }
    assert_eq!(chunk, top);
    assert!(previous_used);
    assert_eq!(used, in_use);
}

fn random_size(rng: &mut Rng) -> usize {
    match rng.below(20) {
        0 => rng.below(3 << 20),
        1..=4 => rng.below(20_000),
        _ => rng.below(300),
    }
}

/// Runs a random history and returns the addresses it was given.
fn history(seed: u64, steps: usize) -> Vec<usize> {
    let sandbox = sandbox();
    let arena = sandbox.arena;
    let mut rng = Rng::new(seed);
    let mut live: Vec<(usize, usize, u8)> = Vec::new();
    let mut given = Vec::new();
    for step in 0..steps {
        let mark = step as u8;
        // SAFETY: one thread; every block is used within its size and until it is freed.
        unsafe {
            match rng.below(10) {
                0..=3 => {
                    let size = random_size(&mut rng);
                    let block = arena.allocate(size) as usize;
                    fill(block, size, mark);
                    live.push((block, size, mark));
                }
                4 => {
                    let size = random_size(&mut rng);
                    let block = arena.allocate_zeroed(size) as usize;
                    assert!(holds(block, size, 0));
                    fill(block, size, mark);
                    live.push((block, size, mark));
                }
                5 => {
                    let (size, align) = (random_size(&mut rng), 1 << rng.below(14));
                    let block = arena.allocate_aligned(align, size) as usize;
                    assert_eq!(block % align, 0);
                    fill(block, size, mark);
                    live.push((block, size, mark));
                }
                6 if !live.is_empty() => {
                    let at = rng.below(live.len());
                    let (block, old, seed) = live[at];
                    let size = random_size(&mut rng);
                    let moved = arena.resize(block as *mut u8, size).unwrap() as usize;
                    assert!(holds(moved, old.min(size), seed));
                    fill(moved, size, mark);
                    live[at] = (moved, size, mark);
                }
                _ if !live.is_empty() => {
                    let (block, size, seed) = live.swap_remove(rng.below(live.len()));
                    assert!(holds(block, size, seed));
                    assert!(arena.usable_size(block as *mut u8).unwrap() >= size);
                    arena.free(block as *mut u8).unwrap();
                }
                _ => {}
            }
        }
        given.extend(live.last().map(|l| l.0 - sandbox.base));
        if step % 50 == 0 {
            check_chain(&arena);
        }
    }
    let blocks: Map<usize, usize> = live.iter().map(|l| (l.0, l.1)).collect();
    assert_eq!(blocks.len(), live.len());
    for (block, size, seed) in live {
        assert!(block % 16 == 0 && holds(block, size, seed));
        // SAFETY: allocated above and not freed yet.
        unsafe { arena.free(block as *mut u8).unwrap() };
    }
    check_chain(&arena);
    assert_eq!(arena.stats().in_use, 0);
    assert_eq!(arena.control().top.get(), Arena::FIRST);
    given
}

#[test]
fn random_histories_keep_their_contents_and_repeat() {
    for seed in 0..6 {
        assert_eq!(history(seed, 4_000), history(seed, 4_000));
    }
}

#[test]
fn growing_the_last_block_stays_in_place() {
    let sandbox = sandbox();
    // SAFETY: one thread, blocks used until freed.
    unsafe {
        let block = sandbox.arena.allocate(100);
        let grown = sandbox.arena.resize(block, 50 << 20).unwrap();
        assert_eq!(block, grown);
        assert_eq!(sandbox.arena.resize(grown, 10).unwrap(), block);
        assert_eq!(sandbox.arena.stats().in_use, 32);
        assert!(sandbox.arena.stats().peak > 50 << 20);
    }
}

#[test]
fn a_full_arena_answers_null_and_keeps_working() {
    let sandbox = sandbox();
    // SAFETY: one thread, blocks used until freed.
    unsafe {
        assert!(sandbox.arena.allocate(LIMIT).is_null());
        assert!(sandbox.arena.allocate(usize::MAX - 3).is_null());
        let block = sandbox.arena.allocate(LIMIT / 2);
        assert!(!block.is_null());
        assert!(sandbox.arena.resize(block, LIMIT).unwrap().is_null());
        sandbox.arena.free(block).unwrap();
        assert!(!sandbox.arena.allocate(LIMIT / 2).is_null());
    }
}

#[test]
fn wrong_pointers_are_recognised() {
    let sandbox = sandbox();
    // SAFETY: one thread; wrong pointers are refused without being followed.
    unsafe {
        let first = sandbox.arena.allocate(40);
        let second = sandbox.arena.allocate(40);
        sandbox.arena.allocate(40);
        assert_eq!(sandbox.arena.free(first.add(8)), Err(BadPointer));
        assert_eq!(sandbox.arena.free(ptr::null_mut()), Err(BadPointer));
        sandbox.arena.free(first).unwrap();
        assert_eq!(sandbox.arena.free(first), Err(BadPointer));
        sandbox.arena.free(second).unwrap();
        assert_eq!(sandbox.arena.free(second), Err(BadPointer));
        assert_eq!(sandbox.arena.resize(second, 10), Err(BadPointer));
    }
}

/// What a random history of blocks says of every kind of address, also after the blocks were found anew.
#[test]
fn every_address_leads_to_its_block() {
    let sandbox = sandbox();
    let arena = sandbox.arena;
    let mut rng = Rng::new(11);
    let mut live: Vec<(usize, usize)> = vec![(arena.allocate(100).addr(), 100)];
    assert_eq!(arena.place_at(live[0].0), None);
    arena.keep_blocks();
    // Of a block from before, nobody knows the bytes that were not asked for.
    assert_eq!(arena.place_at(live[0].0 + 7), Some(HeapPlace::Block(live[0].0, 104)));
    // SAFETY: blocks are not used after they are freed.
    unsafe { arena.free(live.remove(0).0 as *mut u8) }.unwrap();
    for step in 0..3000 {
        let size = random_size(&mut rng);
        match rng.below(8) {
            0..=2 => live.push((arena.allocate(size).addr(), size)),
            3 => live.push((arena.allocate_zeroed(size).addr(), size)),
            4 => live.push((arena.allocate_aligned(1 << rng.below(14), size).addr(), size)),
            _ if live.is_empty() => {}
            5 => {
                let index = rng.below(live.len());
                // SAFETY: the old address is given up.
                let moved = unsafe { arena.resize(live[index].0 as *mut u8, size) };
                live[index] = (moved.unwrap().addr(), size);
            }
            _ => {
                let (block, _) = live.swap_remove(rng.below(live.len()));
                // SAFETY: the block is given up.
                unsafe { arena.free(block as *mut u8) }.unwrap();
            }
        }
        if step % 500 == 499 {
            arena.find_blocks(LIMIT);
        }
        if let Some((block, size)) = (!live.is_empty()).then(|| live[rng.below(live.len())]) {
            let here = if size > 0 { HeapPlace::Block(block, size) } else { HeapPlace::Free };
            assert_eq!(arena.place_at(block + rng.below(size.max(1))), Some(here));
            assert_ne!(arena.place_at(block + size), Some(HeapPlace::Block(block, size)));
        }
    }
    let (block, size) = live.into_iter().find(|(_, size)| size % 16 == 1).unwrap();
    assert_eq!(arena.place_at(block + size), Some(HeapPlace::Free));
    assert!(arena.use_all(block as *mut u8).unwrap() > size);
    assert_eq!(arena.place_at(block + size), Some(HeapPlace::Block(block, size + 7)));
    assert_eq!(arena.place_at(sandbox.base), None);
    assert_eq!(arena.place_at(sandbox.base + LIMIT - 1), None);
}

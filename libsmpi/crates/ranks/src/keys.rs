//! Memory protection keys: while a rank runs, the regions of the other ranks are out of its reach.
//!
//! A stray pointer into another rank's memory would cause an invalid access if ranks were processes. Here it would go
//! unnoticed, and what it wrote would survive under the checker, which does not put ranks back that did not run.
//! Protection keys (pkeys(7)) make such an access the fault that it is, at the cost of two register writes per switch.
//! There are at most 15 keys, used in turn, so with more ranks some accesses are not noticed. Where processor or kernel
//! have no keys, [`protect`] says so, and the other functions do nothing.

use crate::layout::{Layout, PAGE};
use crate::mappings::{Mapping, mappings};
use crate::walls;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};

/// Keys of a process besides the default one.
const MAX_KEYS: usize = 15;
/// The key of all memory that got no other one.
const DEFAULT_KEY: u8 = 0;
/// Bits of a key that deny reading and writing.
const DENY: u32 = 3;

/// Regions have keys. Invariant: the statics below are set then, and do not change any more.
static ENABLED: AtomicBool = AtomicBool::new(false);
/// Number of keys, and which ones.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static KEYS: [AtomicU8; MAX_KEYS] = [const { AtomicU8::new(0) }; MAX_KEYS];
/// The register's value with all keys allowed, and with all of ours denied.
static OPEN: AtomicU32 = AtomicU32::new(0);
static CLOSED: AtomicU32 = AtomicU32::new(0);
/// First address of the first region, the end of the last one, and the logarithm of the distance between regions.
static FIRST: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
static SHIFT: AtomicU32 = AtomicU32::new(0);

/// Gives every region a key. False when that cannot be: the machine has no keys, or only one, which could not tell a
/// rank from another, or the kernel refuses.
pub fn protect(layout: &Layout) -> bool {
    let mut count = 0;
    while count < MAX_KEYS.min(layout.ranks() as usize) {
        let Some(key) = machine::allocate() else { break };
        KEYS[count].store(key, Ordering::Relaxed);
        count += 1;
    }
    if count < 2 {
        return false;
    }
    let denied = KEYS[..count].iter().fold(0, |bits, key| bits | DENY << (2 * key.load(Ordering::Relaxed)));
    let (start, end) = layout.span();
    FIRST.store(layout.first(), Ordering::Relaxed);
    END.store(end, Ordering::Relaxed);
    SHIFT.store(layout.stride().ilog2(), Ordering::Relaxed);
    COUNT.store(count, Ordering::Relaxed);
    let open = machine::read() & !denied;
    OPEN.store(open, Ordering::Relaxed);
    CLOSED.store(open | denied, Ordering::Relaxed);
    ENABLED.store(true, Ordering::Relaxed);
    for mapping in mappings().into_iter().filter(|mapping| mapping.from >= start && mapping.to <= end) {
        if mapping.from < layout.first() || mapping.protection == libc::PROT_NONE {
            continue;
        }
        if !tag(mapping.from, mapping.to - mapping.from, mapping.protection) {
            ENABLED.store(false, Ordering::Relaxed);
            return false;
        }
    }
    machine::write(open);
    true
}

/// Gives what is mapped in a region by now its key, where regions have keys.
pub fn protect_region(base: usize, stride: usize) {
    walls::note_mapping();
    if !ENABLED.load(Ordering::Relaxed) {
        return;
    }
    let inside = |mapping: &Mapping| mapping.from >= base && mapping.to <= base + stride;
    for mapping in mappings().into_iter().filter(inside).filter(|mapping| mapping.protection != libc::PROT_NONE) {
        tag(mapping.from, mapping.to - mapping.from, mapping.protection);
    }
}

/// The key of the region that holds an address.
fn key_at(address: usize) -> u8 {
    let place = address.wrapping_sub(FIRST.load(Ordering::Relaxed)) >> SHIFT.load(Ordering::Relaxed);
    KEYS[place % COUNT.load(Ordering::Relaxed).max(1)].load(Ordering::Relaxed)
}

/// Whether an address lies in the regions that have keys.
pub(crate) fn is_in_regions(address: usize) -> bool {
    ENABLED.load(Ordering::Relaxed) && (FIRST.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&address)
}

/// Gives memory that was mapped in a region the region's key.
pub(crate) fn tag(start: usize, len: usize, protection: i32) -> bool {
    !ENABLED.load(Ordering::Relaxed) || machine::tag(start, len, protection, key_at(start))
}

/// All ranks reach the pages of this memory of one of them from now on, and what else lies there.
pub fn share(start: usize, len: usize) {
    walls::tear_down();
    if ENABLED.load(Ordering::Relaxed) {
        let first = start / PAGE * PAGE;
        let pages = (start + len).next_multiple_of(PAGE) - first;
        machine::tag(first, pages, libc::PROT_READ | libc::PROT_WRITE, DEFAULT_KEY);
    }
}

/// The register's value while the rank runs whose region holds `base`.
pub fn value_of(base: usize) -> u32 {
    CLOSED.load(Ordering::Relaxed) & !(DENY << (2 * key_at(base)))
}

/// The register's value while all regions are in reach.
pub fn open_value() -> u32 {
    OPEN.load(Ordering::Relaxed)
}

/// From now on the calling thread reaches the region that holds `base`, and no other.
#[inline]
pub fn enter(base: usize) {
    if ENABLED.load(Ordering::Relaxed) {
        machine::write(value_of(base));
    }
}

/// From now on the calling thread reaches all regions.
#[inline]
pub fn leave() {
    if ENABLED.load(Ordering::Relaxed) {
        machine::write(open_value());
    }
}

/// True when regions have keys.
pub fn is_enabled() -> bool {
    ENABLED.load(Ordering::Relaxed)
}

#[cfg(target_arch = "x86_64")]
mod machine {
    use std::arch::asm;

    /// A new key; `None` when processor or kernel have no more, or none at all.
    pub fn allocate() -> Option<u8> {
        // SAFETY: the call takes numbers only.
        let key = unsafe { libc::syscall(libc::SYS_pkey_alloc, 0, 0) };
        u8::try_from(key).ok().filter(|key| (1..16).contains(key))
    }

    pub fn tag(start: usize, len: usize, protection: i32, key: u8) -> bool {
        // SAFETY: no contents change. `protection` is what the memory has: `protect` read it from the kernel, `tag` is
        // called by who has mapped it.
        unsafe { libc::syscall(libc::SYS_pkey_mprotect, start, len, protection, i32::from(key)) == 0 }
    }

    /// The register (Intel SDM volume 2, RDPKRU). Only after [`allocate`] has given a key.
    pub fn read() -> u32 {
        let value: u32;
        // SAFETY: reads a register, which exists since the kernel gave keys.
        unsafe { asm!("rdpkru", in("ecx") 0, out("eax") value, out("edx") _, options(nomem, nostack)) };
        value
    }

    /// Sets the register. Memory accesses do not move over it.
    #[inline]
    pub fn write(value: u32) {
        // SAFETY: sets a register, which exists since the kernel gave keys.
        unsafe { asm!("wrpkru", in("eax") value, in("ecx") 0, in("edx") 0, options(nostack)) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod machine {
    pub fn allocate() -> Option<u8> {
        None
    }

    pub fn tag(_start: usize, _len: usize, _protection: i32, _key: u8) -> bool {
        false
    }

    pub fn read() -> u32 {
        0
    }

    pub fn write(_value: u32) {}
}

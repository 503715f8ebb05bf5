//! Which pages of a rank's memory were written to. The others read as zeros, or as the file behind them, and take no
//! memory as long as nobody reads them; so a snapshot copies the former only.
//!
//! The kernel knows: `PAGEMAP_SCAN` of `/proc/self/pagemap` (Linux 6.7) passes over empty tables; on older kernels the
//! entry of each page is read (Linux Documentation/admin-guide/mm/pagemap.rst). Swapped pages count; pages of the file
//! and the kernel's page of zeros do not.

use crate::layout::PAGE;
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// Ranges of whole pages in ascending order.
pub type Runs = Vec<Range<usize>>;

/// The pages between two addresses, both multiples of the page size, that this process has written to, and perhaps some
/// more. `None` when the kernel does not tell. The file is opened each time: the program may close descriptors, and a
/// process that was forked would see the pages of its parent.
pub fn written(pages: Range<usize>) -> Option<Runs> {
    let map = File::open("/proc/self/pagemap").ok()?;
    scan(&map, pages.clone()).or_else(|| read_entries(&map, pages))
}

/// `struct pm_scan_arg` of linux/fs.h.
#[repr(C)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// `struct page_region` of linux/fs.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

/// `PAGEMAP_SCAN`: `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: libc::c_ulong = 0xC000_6610 | ((size_of::<ScanArgument>() as libc::c_ulong) << 16);
const IS_FILE: u64 = 1 << 2;
const IS_PRESENT: u64 = 1 << 3;
const IS_SWAPPED: u64 = 1 << 4;
const IS_ZERO: u64 = 1 << 5;
/// Ranges that one call gives.
const REGIONS: usize = 64;

fn scan(map: &File, pages: Range<usize>) -> Option<Runs> {
    let mut runs = Runs::new();
    let mut regions = [PageRegion::default(); REGIONS];
    let mut start = pages.start;
    while start < pages.end {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            flags: 0,
            start: start as u64,
            end: pages.end as u64,
            walk_end: 0,
            vec: regions.as_mut_ptr().expose_provenance() as u64,
            vec_len: REGIONS as u64,
            max_pages: 0,
            category_inverted: IS_FILE | IS_ZERO,
            category_mask: IS_FILE | IS_ZERO,
            category_anyof_mask: IS_PRESENT | IS_SWAPPED,
            return_mask: IS_PRESENT,
        };
        // SAFETY: `vec` and `vec_len` describe `regions`, which nobody else uses during the call; `size` is the size of
        // the argument itself.
        let count = unsafe { libc::ioctl(map.as_raw_fd(), PAGEMAP_SCAN, &raw mut argument) };
        let walked = argument.walk_end as usize;
        if count < 0 || walked <= start {
            return None;
        }
        for region in regions.iter().take(count as usize) {
            add(&mut runs, region.start as usize..region.end as usize);
        }
        start = walked;
    }
    Some(runs)
}

/// Bits of an entry: in memory, swapped out, a page of a file (or shared).
const PRESENT: u64 = 1 << 63;
const SWAPPED: u64 = 1 << 62;
const OF_FILE: u64 = 1 << 61;
/// Entries that are read at once.
const ENTRIES: usize = 8192;

fn read_entries(map: &File, pages: Range<usize>) -> Option<Runs> {
    let mut runs = Runs::new();
    let mut bytes = vec![0; ENTRIES * 8];
    let mut at = pages.start;
    while at < pages.end {
        let bytes = &mut bytes[..((pages.end - at) / PAGE).min(ENTRIES) * 8];
        map.read_exact_at(bytes, (at / PAGE * 8) as u64).ok()?;
        for entry in bytes.as_chunks::<8>().0 {
            let entry = u64::from_ne_bytes(*entry);
            if entry & (PRESENT | SWAPPED) != 0 && entry & OF_FILE == 0 {
                add(&mut runs, at..at + PAGE);
            }
            at += PAGE;
        }
    }
    Some(runs)
}

/// Adds a range behind the others.
fn add(runs: &mut Runs, run: Range<usize>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::c_void;
    use std::ptr;

    /// A mapping of the test, given back at its end.
    struct Mapping(usize, usize);

    impl Mapping {
        fn new(len: usize, file: Option<&File>) -> Mapping {
            let kind = if file.is_some() { 0 } else { libc::MAP_ANONYMOUS };
            let flags = libc::MAP_PRIVATE | libc::MAP_NORESERVE | kind;
            let descriptor = file.map_or(-1, AsRawFd::as_raw_fd);
            // SAFETY: a fresh mapping at an address of the kernel's choice.
            let at = unsafe {
                let at = libc::mmap(ptr::null_mut(), len, libc::PROT_READ | libc::PROT_WRITE, flags, descriptor, 0);
                libc::madvise(at, len, libc::MADV_NOHUGEPAGE);
                at
            };
            assert_ne!(at, libc::MAP_FAILED);
            Mapping(at as usize, len)
        }

        fn write(&self, page: usize) {
            // SAFETY: inside the mapping.
            unsafe { ((self.0 + page * PAGE) as *mut u8).write_volatile(1) };
        }

        fn read(&self, page: usize) -> u8 {
            // SAFETY: inside the mapping.
            unsafe { ((self.0 + page * PAGE) as *const u8).read_volatile() }
        }

        /// Numbers of the first and one past the last page of each range, in both ways to ask, which must agree.
        fn written(&self) -> Vec<(usize, usize)> {
            let map = File::open("/proc/self/pagemap").unwrap();
            let range = self.0..self.0 + self.1;
            let runs = read_entries(&map, range.clone()).unwrap();
            let scanned = scan(&map, range.clone());
            assert!(scanned.is_none_or(|scanned| scanned.iter().all(|run| inside(&runs, run))));
            let pages = |run: Range<usize>| ((run.start - self.0) / PAGE, (run.end - self.0) / PAGE);
            written(range).unwrap().into_iter().map(pages).collect()
        }
    }

    fn inside(runs: &Runs, run: &Range<usize>) -> bool {
        runs.iter().any(|known| known.start <= run.start && run.end <= known.end)
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: nobody uses the mapping any more.
            unsafe { libc::munmap(self.0 as *mut c_void, self.1) };
        }
    }

    #[test]
    fn written_pages_are_found() {
        let mapping = Mapping::new(1 << 30, None);
        assert_eq!(mapping.written(), []);
        for page in [0, 7, 8, 100_000, (1 << 18) - 1] {
            mapping.write(page);
        }
        assert_eq!(mapping.written(), [(0, 1), (7, 9), (100_000, 100_001), ((1 << 18) - 1, 1 << 18)]);
    }

    #[test]
    fn many_ranges_take_several_calls() {
        let mapping = Mapping::new(4 << 20, None);
        (0..1000).step_by(2).for_each(|page| mapping.write(page));
        let expected: Vec<(usize, usize)> = (0..1000).step_by(2).map(|page| (page, page + 1)).collect();
        assert_eq!(mapping.written(), expected);
    }

    #[test]
    fn pages_of_a_file_are_not_written_before_they_are() {
        let path = std::env::temp_dir().join(format!("smpi-pages-{}", std::process::id()));
        std::fs::write(&path, vec![3; 64 * PAGE]).unwrap();
        let mapping = Mapping::new(64 * PAGE, Some(&File::open(&path).unwrap()));
        std::fs::remove_file(&path).unwrap();
        assert_eq!((0..64).map(|page| usize::from(mapping.read(page))).sum::<usize>(), 192);
        assert_eq!(mapping.written(), []);
        mapping.write(9);
        assert_eq!(mapping.written(), [(9, 10)]);
    }
}

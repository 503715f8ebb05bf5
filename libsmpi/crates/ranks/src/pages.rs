//! Which pages of a rank's memory were written to. The others read as zeros, or as the file behind them, and take no
//! memory as long as nobody reads them; so a snapshot copies the former only.
//!
//! The kernel knows: `PAGEMAP_SCAN` of `/proc/self/pagemap` (Linux 6.7) passes over empty tables; on older kernels the
//! entry of each page is read (Linux Documentation/admin-guide/mm/pagemap.rst). Swapped pages count; pages of the file
//! and the kernel's page of zeros do not.
//!
//! It also knows which pages were written to since somebody looked last ([`Changes`]): pages are protected against
//! writing, and the kernel itself takes the protection off at the first write and remembers that
//! (`UFFD_FEATURE_WP_ASYNC` of userfaultfd, Linux 6.7; Documentation/admin-guide/mm/userfaultfd.rst).

use crate::layout::PAGE;
use std::fs::File;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
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
#[derive(Clone, Copy, Default)]
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

impl PageRegion {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// `PAGEMAP_SCAN`: `_IOWR('f', 16, struct pm_scan_arg)`.
const PAGEMAP_SCAN: libc::c_ulong = 0xC000_6610 | ((size_of::<ScanArgument>() as libc::c_ulong) << 16);
/// Flags: matching pages are protected against writing again; all must be watched.
const PROTECT_MATCHING: u64 = 1 << 0;
const CHECK_WATCHED: u64 = 1 << 1;
const IS_WRITTEN: u64 = 1 << 1;
const IS_FILE: u64 = 1 << 2;
const IS_PRESENT: u64 = 1 << 3;
const IS_SWAPPED: u64 = 1 << 4;
const IS_ZERO: u64 = 1 << 5;
/// Ranges that one call gives.
const REGIONS: usize = 64;

fn scan(map: &File, pages: Range<usize>) -> Option<Runs> {
    let mut runs = Runs::new();
    let of_ranks = ScanArgument {
        category_inverted: IS_FILE | IS_ZERO,
        category_mask: IS_FILE | IS_ZERO,
        category_anyof_mask: IS_PRESENT | IS_SWAPPED,
        return_mask: IS_PRESENT,
        ..ScanArgument::default()
    };
    walk(map, pages, of_ranks, &mut |region| add(&mut runs, region.range()))?;
    Some(runs)
}

/// Calls `found` for the regions of what `wanted` says.
fn walk(map: &File, pages: Range<usize>, wanted: ScanArgument, found: &mut dyn FnMut(PageRegion)) -> Option<()> {
    let mut regions = [PageRegion::default(); REGIONS];
    let mut start = pages.start;
    while start < pages.end {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            start: start as u64,
            end: pages.end as u64,
            vec: regions.as_mut_ptr().expose_provenance() as u64,
            vec_len: REGIONS as u64,
            ..wanted
        };
        // SAFETY: `vec` and `vec_len` describe `regions`, which nobody else uses during the call; `size` is the size of
        // the argument itself.
        let count = unsafe { libc::ioctl(map.as_raw_fd(), PAGEMAP_SCAN, &raw mut argument) };
        let walked = argument.walk_end as usize;
        if count < 0 || walked <= start {
            return None;
        }
        regions.iter().take(count as usize).for_each(|region| found(*region));
        start = walked;
    }
    Some(())
}

/// `userfaultfd(2)` with `UFFD_USER_MODE_ONLY`, which every user may call.
const USER_MODE_ONLY: libc::c_int = 1;
/// `UFFDIO_API`: `_IOWR(0xaa, 0x3f, struct uffdio_api)`; `UFFDIO_REGISTER`: `_IOWR(0xaa, 0, struct uffdio_register)`.
const UFFDIO_API: libc::c_ulong = 0xC018_AA3F;
const UFFDIO_REGISTER: libc::c_ulong = 0xC020_AA00;
/// The version of the interface, and its features `UFFD_FEATURE_WP_UNPOPULATED` and `UFFD_FEATURE_WP_ASYNC`.
const API: u64 = 0xAA;
const FEATURES: u64 = 1 << 13 | 1 << 15;
/// `UFFDIO_REGISTER_MODE_WP`.
const REGISTER_WRITES: u64 = 1 << 1;

/// Which pages of a range were written to, again and again. For the process that has made it: a child of `fork` needs
/// its own.
pub struct Changes {
    watcher: OwnedFd,
    process: u32,
}

/// What became of a range since it was looked at last. The rest of it has not changed.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Changed {
    /// Pages that the process, or the kernel for it, has written to.
    pub written: Runs,
    /// Pages that were read, and hold what they held before the program: zeros, or the file behind them.
    pub untouched: Runs,
    /// Pages of which the kernel has a note instead of memory: that they were swapped out, or that they were protected
    /// against writing before they were given back to a file (`madvise`). In the second case they hold what the file
    /// does, and nothing tells it from the first: only reading them says what they hold.
    pub away: Runs,
    /// All pages that have memory or a note now. The others hold what they held before the program.
    pub present: Runs,
}

impl Changes {
    /// `None` when the kernel does not tell. The descriptor may be moved by `hide` to where the program does not see
    /// it.
    pub fn new(hide: fn(OwnedFd) -> Option<OwnedFd>) -> Option<Changes> {
        // SAFETY: system calls that give a descriptor, which is ours, and describe their argument by its type.
        unsafe {
            let watcher = libc::syscall(libc::SYS_userfaultfd, libc::O_CLOEXEC | USER_MODE_ONLY);
            let watcher = (watcher >= 0).then(|| OwnedFd::from_raw_fd(watcher as libc::c_int))?;
            let watcher = hide(watcher)?;
            let mut api = [API, FEATURES, 0];
            let is_known = libc::ioctl(watcher.as_raw_fd(), UFFDIO_API, api.as_mut_ptr()) == 0;
            is_known.then(|| Changes { watcher, process: std::process::id() })
        }
    }

    /// Whether it is of this process.
    pub fn is_of_this_process(&self) -> bool {
        self.process == std::process::id()
    }

    /// Begins to watch pages: all count as changed. False when the kernel refuses.
    pub fn watch(&self, pages: Range<usize>) -> bool {
        let mut argument = [pages.start as u64, pages.len() as u64, REGISTER_WRITES, 0];
        // SAFETY: the argument is as long as its type says.
        unsafe { libc::ioctl(self.watcher.as_raw_fd(), UFFDIO_REGISTER, argument.as_mut_ptr()) == 0 }
    }

    /// What has changed since the last call, or since the pages are watched. `None` when some are not watched.
    pub fn take(&self, pages: Range<usize>) -> Option<Changed> {
        let map = File::open("/proc/self/pagemap").ok()?;
        let mut changed = Changed::default();
        let there = IS_PRESENT | IS_SWAPPED;
        let kinds = IS_SWAPPED | IS_FILE | IS_ZERO;
        let watched = ScanArgument {
            flags: CHECK_WATCHED,
            category_anyof_mask: there,
            return_mask: kinds,
            ..ScanArgument::default()
        };
        walk(&map, pages.clone(), watched, &mut |region| {
            let run = region.range();
            if region.categories & IS_SWAPPED != 0 {
                add(&mut changed.away, run.clone());
            } else if region.categories & kinds != 0 {
                add(&mut changed.untouched, run.clone());
            }
            add(&mut changed.present, run);
        })?;
        // The kernel is fast where nothing else is asked. Then pages without memory count as changed.
        let mut written = Runs::new();
        let fast = ScanArgument { category_mask: IS_WRITTEN, return_mask: IS_WRITTEN, ..ScanArgument::default() };
        walk(&map, pages, fast, &mut |region| add(&mut written, region.range()))?;
        let exact = ScanArgument {
            flags: PROTECT_MATCHING | CHECK_WATCHED,
            category_anyof_mask: there,
            return_mask: IS_FILE | IS_ZERO,
            ..fast
        };
        for run in written {
            walk(&map, run, exact, &mut |region| {
                if region.categories & (IS_FILE | IS_ZERO) == 0 {
                    add(&mut changed.written, region.range());
                }
            })?;
        }
        Some(changed)
    }
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

    #[test]
    fn what_is_written_later_is_told_once() {
        let Some(changes) = Changes::new(Some) else { return };
        let mapping = Mapping::new(1024 * PAGE, None);
        let pages = mapping.0..mapping.0 + mapping.1;
        let numbers = |runs: Runs| -> Vec<(usize, usize)> {
            runs.into_iter().map(|run| ((run.start - mapping.0) / PAGE, (run.end - mapping.0) / PAGE)).collect()
        };
        let taken = || {
            let Changed { written, present, untouched, away } = changes.take(pages.clone()).unwrap();
            assert_eq!(away, []);
            (numbers(written), numbers(present), numbers(untouched))
        };
        mapping.write(3);
        assert_eq!(changes.take(pages.clone()), None);
        assert!(changes.is_of_this_process() && changes.watch(pages.clone()));
        assert_eq!(taken(), (vec![(3, 4)], vec![(3, 4)], vec![]));
        assert_eq!(taken(), (vec![], vec![(3, 4)], vec![]));
        assert_eq!(mapping.read(7), 0);
        assert_eq!(taken(), (vec![], vec![(3, 4), (7, 8)], vec![(7, 8)]));
        [3, 7, 9].into_iter().for_each(|page| mapping.write(page));
        assert_eq!(taken(), (vec![(3, 4), (7, 8), (9, 10)], vec![(3, 4), (7, 8), (9, 10)], vec![]));
        // The kernel writes, too.
        let (mut pipe, at) = ([0; 2], mapping.0 + 8 * PAGE);
        // SAFETY: a pipe of the test's, and bytes inside the mapping.
        unsafe {
            assert_eq!(libc::pipe(pipe.as_mut_ptr()), 0);
            assert_eq!(libc::write(pipe[1], b"abc".as_ptr().cast(), 3), 3);
            assert_eq!(libc::read(pipe[0], at as *mut c_void, 3), 3);
            libc::close(pipe[0]);
            libc::close(pipe[1]);
        }
        assert_eq!(taken(), (vec![(8, 9)], vec![(3, 4), (7, 10)], vec![]));
        // What is given back has no memory any more, be it a page or all of them, with the tables.
        for (page, left) in [(3, vec![(7, 10)]), (0, vec![])] {
            let len = if page == 0 { mapping.1 } else { PAGE };
            // SAFETY: inside the mapping.
            unsafe { libc::madvise((mapping.0 + page * PAGE) as *mut c_void, len, libc::MADV_DONTNEED) };
            assert_eq!(taken(), (vec![], left, vec![]));
        }
        mapping.write(3);
        assert_eq!(taken(), (vec![(3, 4)], vec![(3, 4)], vec![]));
    }

    /// A page of a file that was protected and is given back leaves a mark, and is no less given back for that.
    #[test]
    fn what_a_file_gets_back_is_not_what_was_there() {
        let Some(changes) = Changes::new(Some) else { return };
        let path = std::env::temp_dir().join(format!("smpi-marks-{}", std::process::id()));
        std::fs::write(&path, vec![3; 64 * PAGE]).unwrap();
        let mapping = Mapping::new(64 * PAGE, Some(&File::open(&path).unwrap()));
        std::fs::remove_file(&path).unwrap();
        let pages = mapping.0..mapping.0 + mapping.1;
        let page = |number| mapping.0 + number * PAGE..mapping.0 + (number + 1) * PAGE;
        assert!(changes.watch(pages.clone()));
        [2, 5, 9].into_iter().for_each(|number| mapping.write(number));
        assert_eq!(changes.take(pages.clone()).unwrap().written, [page(2), page(5), page(9)]);
        for number in [5, 9] {
            // SAFETY: inside the mapping.
            unsafe { libc::madvise((mapping.0 + number * PAGE) as *mut c_void, PAGE, libc::MADV_DONTNEED) };
        }
        // As after a trim that nobody has looked at since, and after one that somebody has.
        assert_eq!(mapping.read(9), 3);
        let taken = changes.take(pages.clone()).unwrap();
        let is_kept = |taken: &Changed, number| {
            let here = page(number);
            inside(&taken.present, &here)
                && ![&taken.written, &taken.untouched, &taken.away].into_iter().any(|runs| inside(runs, &here))
        };
        assert!(is_kept(&taken, 2) && !is_kept(&taken, 5) && !is_kept(&taken, 9));
        assert_eq!(mapping.read(5), 3);
        assert_eq!(
            changes.take(pages.clone()).unwrap(),
            Changed {
                untouched: vec![page(5), page(9)],
                present: vec![page(2), page(5), page(9)],
                ..Changed::default()
            }
        );
    }
}

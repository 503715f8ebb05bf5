//! Descriptors of this process: those of ranks have low numbers, ours that are opened while ranks run have high ones.
//!
//! Whether ranks have files open is asked about the first numbers, all at once. A file gets the lowest number that is
//! free. So a higher one was given while the last of those that are asked about was in use, and that one was closed
//! since, or the program has chosen the number itself. Both are noted here.

use crate::state;
use std::collections::BTreeSet;
use std::ffi::{CString, c_int};
use std::fs;
use std::mem::zeroed;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Numbers below this one are asked about, all at once: with more, the kernel needs memory for its answer.
pub const ASKED: c_int = 64;
/// Descriptors that a process may have at least, where the system allows it; the upper half is for ours.
const DESCRIPTORS: u64 = 4096;

/// Descriptors without which programs and libraries cannot be read.
const LEAST: u64 = 16;

/// Has the process allowed as many descriptors as it needs to begin, where the user may.
///
/// # Errors
/// Text for the user.
pub fn require_least() -> Result<(), String> {
    match allow(LEAST) {
        LEAST.. => Ok(()),
        few => Err(format!("{few} files may be open at a time (ulimit -n), expected {LEAST} or more; raise it")),
    }
}

/// Lets the process have so many descriptors, or as many as the user may; never fewer. Returns how many it may have.
pub fn allow(wanted: u64) -> u64 {
    // SAFETY: a place of this function for the limits, and a limit that is not above the hard one.
    unsafe {
        let mut limit: libc::rlimit = zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
        limit.rlim_cur
    }
}

static HIGH: AtomicBool = AtomicBool::new(false);
static GAPS: AtomicBool = AtomicBool::new(false);

/// Whether a number may be free below one that is in use: a rank has closed something, or chosen a number.
pub fn may_have_gaps() -> bool {
    GAPS.load(Ordering::Relaxed)
}

/// A rank is about to close a descriptor.
pub fn note_closed(descriptor: c_int) {
    GAPS.store(true, Ordering::Relaxed);
    if descriptor == ASKED - 1 {
        HIGH.store(true, Ordering::Relaxed);
    }
}

/// A rank has chosen the number of a descriptor, or from where on it is looked for.
pub fn note_chosen(descriptor: c_int) {
    GAPS.store(true, Ordering::Relaxed);
    if descriptor >= ASKED {
        HIGH.store(true, Ordering::Relaxed);
    }
}

/// Whether higher numbers may be in use.
pub fn may_be_high() -> bool {
    HIGH.load(Ordering::Relaxed)
}

/// Makes room for descriptors of ours beside the program's; returns the first of ours.
pub fn make_room() -> c_int {
    (allow(DESCRIPTORS).min(DESCRIPTORS) / 2) as c_int
}

/// Moves a descriptor of ours that is opened while ranks run out of the ranks' part of the table, which is put back.
/// `None` when there is no room.
pub fn hide(descriptor: OwnedFd) -> Option<OwnedFd> {
    // SAFETY: makes a descriptor of ours; the old one is closed by its owner.
    unsafe {
        let hidden = libc::fcntl(descriptor.as_raw_fd(), libc::F_DUPFD_CLOEXEC, make_room());
        (hidden >= 0).then(|| OwnedFd::from_raw_fd(hidden))
    }
}

/// Whether a descriptor is out of the ranks' part of the table.
pub fn is_hidden(descriptor: c_int) -> bool {
    descriptor >= make_room()
}

/// What the system says of an open file.
pub fn about(descriptor: c_int) -> Option<libc::stat> {
    // SAFETY: a place of this function for the answer; plain data, for which zeroes are valid.
    unsafe {
        let mut found: libc::stat = zeroed();
        (libc::fstat(descriptor, &mut found) == 0).then_some(found)
    }
}

/// Whether there is an open file of this number.
pub fn is_open(descriptor: c_int) -> bool {
    // SAFETY: asks about a number, and any.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) >= 0 }
}

/// All open descriptors, lowest first; reading the list opens one itself, which is closed again. They are listed
/// outside of the heap of the rank that calls.
pub fn open_now() -> Vec<c_int> {
    let mut numbers: Vec<c_int> = state::outside_heaps(|| {
        let entries = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    });
    numbers.sort_unstable();
    numbers.retain(|&number| is_open(number));
    numbers
}

/// The flags of an open file, with its access mode.
pub fn status(descriptor: c_int) -> c_int {
    // SAFETY: asks about a descriptor.
    unsafe { libc::fcntl(descriptor, libc::F_GETFL) }
}

/// Where an open file is read and written next; `None` where there is no such place.
pub fn offset(descriptor: c_int) -> Option<i64> {
    // SAFETY: asks about a descriptor.
    let offset = unsafe { libc::lseek(descriptor, 0, libc::SEEK_CUR) };
    (offset >= 0).then_some(offset)
}

/// Whether two descriptors are one open file: then both have the same offset, whichever is moved.
pub fn is_same(one: c_int, other: c_int) -> bool {
    const KCMP_FILE: c_int = 0;
    // SAFETY: asks about numbers, and moves an offset of the program's only to put it back.
    unsafe {
        let process = libc::getpid();
        let order = libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, one, other);
        if order >= 0 {
            return order == 0;
        }
        // The system does not tell.
        let Some(at) = offset(one).filter(|&at| offset(other) == Some(at)) else { return false };
        libc::lseek(one, at + 1, libc::SEEK_SET);
        let same = offset(other) == Some(at + 1);
        libc::lseek(one, at, libc::SEEK_SET);
        same
    }
}

/// Files that somebody in this process can write to, by device and number: under a descriptor, or in memory.
pub fn written() -> BTreeSet<(u64, u64)> {
    let is_written = |descriptor: &c_int| status(*descriptor) & libc::O_ACCMODE != libc::O_RDONLY;
    let identity = |descriptor| about(descriptor).map(|about| (about.st_dev, about.st_ino));
    let mut written: BTreeSet<(u64, u64)> = open_now().into_iter().filter(is_written).filter_map(identity).collect();
    written.extend(mapped().filter(|map| map.1).map(|map| map.0));
    written
}

/// Files that are mapped so that changes are shared: which, and whether they can be written there.
fn mapped() -> impl Iterator<Item = ((u64, u64), bool)> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    // proc_pid_maps(5): addresses, permissions, offset, device, inode, name.
    let one = |line: &str| {
        let mut fields = line.split_whitespace();
        let permissions = fields.nth(1).filter(|permissions| permissions.ends_with('s'))?.to_string();
        let (major, minor) = fields.nth(1)?.split_once(':')?;
        let number = |text| u32::from_str_radix(text, 16).ok();
        let device = libc::makedev(number(major)?, number(minor)?);
        let inode = fields.next()?.parse::<u64>().ok().filter(|inode| *inode > 0)?;
        // What may not be written now may become so.
        Some(((device, inode), permissions.contains('w')))
    };
    maps.lines().filter_map(one).collect::<Vec<_>>().into_iter()
}

/// Whether a file is mapped so that changes to it are seen.
pub fn is_mapped(file: (u64, u64)) -> bool {
    mapped().any(|map| map.0 == file)
}

/// Lets whoever has the file in `old` open to read have the one in `new`, at the same place: it is the same file, of
/// which a copy is about to be changed. Descriptors of ours stay as they are: they are there to come back to.
pub fn open_instead(old: &Path, new: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Ok(found) = fs::metadata(old) else { return true };
    let first_kept = make_room();
    let is_it = |about: libc::stat| (about.st_dev, about.st_ino) == (found.dev(), found.ino());
    let is_meant = |&number: &c_int| (3..first_kept).contains(&number) && about(number).is_some_and(is_it);
    let mut rest: Vec<c_int> = open_now().into_iter().filter(is_meant).collect();
    let Ok(path) = CString::new(new.as_os_str().as_bytes()) else { return false };
    while let Some(first) = rest.first().copied() {
        let (these, others): (Vec<c_int>, Vec<c_int>) =
            rest.into_iter().partition(|&number| number == first || is_same(first, number));
        rest = others;
        // SAFETY: a valid path, and descriptors of ranks that are open. By its number: `open` is one of the functions
        // that ranks are given.
        unsafe {
            let flags = status(first) & !(libc::O_CREAT | libc::O_EXCL | libc::O_TRUNC | libc::O_NOFOLLOW);
            let opened = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags) as c_int;
            if opened < 0 {
                return false;
            }
            if let Some(at) = offset(first) {
                libc::lseek(opened, at, libc::SEEK_SET);
            }
            for number in these {
                let is_closed = libc::fcntl(number, libc::F_GETFD) & libc::FD_CLOEXEC != 0;
                libc::dup3(opened, number, if is_closed { libc::O_CLOEXEC } else { 0 });
            }
            libc::close(opened);
        }
    }
    true
}

//! Open files under the checker: with the ranks, the table of descriptors is put back, with offsets, flags and
//! contents.
//!
//! The table is the process's, so one copy of it belongs to a snapshot of all ranks. Which files a rank opened is not
//! tracked: most programs have none open when a choice is made, and that is seen by one question, whether the lowest
//! descriptor that was free at the start is still free, since every new file takes the lowest. Otherwise the table is
//! read.
//!
//! A file that is open in a snapshot is kept open under a second number, so that it is still there when ranks close it.
//! What is written to a file that is open for writing is undone when it is small; what cannot be put back (pipes,
//! sockets, terminals, large files) makes the exploration incomplete. Files that were closed stay as they were written.

use crate::state;
use crate::verification::note_uncontrolled;
use smpi_base::print;
use std::ffi::{CString, c_int};
use std::fs::File;
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::rc::{Rc, Weak};

/// Descriptors that a process may have at least, where the system allows it; the upper half is for ours.
const DESCRIPTORS: u64 = 4096;
/// Contents of larger files are not copied.
const MOST_CONTENTS: i64 = 1 << 20;

/// The table of descriptors of this process, as far as it is the ranks'.
pub struct Files {
    /// Descriptors that were open before ranks ran.
    own: Vec<c_int>,
    /// The lowest one that was free.
    lowest: c_int,
    /// Ours begin here.
    first_kept: c_int,
    /// Files that some snapshot knows.
    known: Vec<Weak<Kept>>,
    /// Ranks had files open when it was looked at last.
    any: bool,
}

/// The open files of one moment.
#[derive(Clone, Default)]
pub struct OpenFiles(Option<Rc<[Open]>>);

/// One descriptor of a moment.
struct Open {
    descriptor: c_int,
    closes_on_exec: bool,
    file: Rc<Kept>,
    /// Offset; `None` where there is none.
    offset: Option<i64>,
    /// Flags such as `O_APPEND`.
    status: c_int,
    contents: Option<Rc<[u8]>>,
}

/// An open file (POSIX's open file description) under a descriptor of ours.
struct Kept {
    descriptor: c_int,
    identity: (u64, u64),
    /// For files that may be written: another opening of the same file, to read and write anywhere.
    raw: Option<c_int>,
}

impl Drop for Kept {
    fn drop(&mut self) {
        close(self.descriptor);
        self.raw.into_iter().for_each(close);
    }
}

fn close(descriptor: c_int) {
    // SAFETY: a descriptor of ours, or one that a rank opened in an execution that is given up.
    unsafe { libc::close(descriptor) };
}

fn stat(descriptor: c_int) -> Option<libc::stat> {
    // SAFETY: a place of this function for the answer; plain data, for which zeroes are valid.
    unsafe {
        let mut found: libc::stat = zeroed();
        (libc::fstat(descriptor, &mut found) == 0).then_some(found)
    }
}

/// All open descriptors; they are listed outside of the heap of the rank that calls.
pub fn open_descriptors() -> Vec<c_int> {
    state::outside_heaps(open_now)
}

/// All open descriptors, lowest first; reading the list opens one itself, which is closed again.
fn open_now() -> Vec<c_int> {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let mut numbers: Vec<c_int> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers.retain(|&number| is_open(number));
    numbers
}

fn is_open(descriptor: c_int) -> bool {
    // SAFETY: asks about a number, and any.
    unsafe { libc::fcntl(descriptor, libc::F_GETFD) >= 0 }
}

/// Makes room for descriptors of ours beside the program's; returns the first of ours.
fn make_room() -> c_int {
    // SAFETY: a place of this function for the limits, and limits that the kernel has told.
    unsafe {
        let mut limit: libc::rlimit = zeroed();
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
        if limit.rlim_cur < DESCRIPTORS {
            limit.rlim_cur = DESCRIPTORS.min(limit.rlim_max);
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
        (limit.rlim_cur.min(DESCRIPTORS) / 2) as c_int
    }
}

/// Makes the table of descriptors as large as ours will need it. That is to be done before there are threads: with
/// several of them the kernel waits until no processor can be looking at the old table, which takes 15 ms.
pub fn grow_table() {
    drop(File::open("/dev/null").ok().and_then(|file| hide(file.into())));
}

/// Keeps a copy of standard error for what this process has to say: ranks may close theirs.
pub fn keep_error() {
    if let Some(copy) = std::io::stderr().as_fd().try_clone_to_owned().ok().and_then(hide) {
        print::keep_error(copy.into());
    }
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

impl Files {
    /// Looks at the table before ranks run.
    pub fn new() -> Files {
        let own = open_now();
        let lowest = (0..).find(|number| !own.contains(number)).unwrap_or(0);
        Files { own, lowest, first_kept: make_room(), known: Vec::new(), any: false }
    }

    /// Whether no rank has a file open, and none had when it was looked at last.
    pub fn are_none(&self) -> bool {
        !self.any && !is_open(self.lowest)
    }

    /// Descriptors of ranks.
    fn of_ranks(&self) -> Vec<c_int> {
        let mut numbers = open_now();
        numbers.retain(|number| *number < self.first_kept && self.own.binary_search(number).is_err());
        numbers
    }

    /// The open files now.
    pub fn capture(&mut self) -> OpenFiles {
        if self.are_none() {
            return OpenFiles(None);
        }
        self.known.retain(|file| file.strong_count() > 0);
        let open: Vec<Open> = self.of_ranks().into_iter().filter_map(|descriptor| self.open(descriptor)).collect();
        self.any = !open.is_empty();
        OpenFiles(self.any.then(|| open.into()))
    }

    fn open(&mut self, descriptor: c_int) -> Option<Open> {
        let found = stat(descriptor)?;
        let offset = offset_of(descriptor);
        if offset.is_none() {
            note_uncontrolled(
                "what a rank did with a pipe, a socket or a terminal that was open at a choice is not put back",
            );
        }
        let file = self.kept(descriptor, &found)?;
        let contents = file.raw.and_then(|raw| contents_of(raw, found.st_size));
        // SAFETY: asks about a descriptor.
        let (flags, status) =
            unsafe { (libc::fcntl(descriptor, libc::F_GETFD), libc::fcntl(descriptor, libc::F_GETFL)) };
        Some(Open { descriptor, closes_on_exec: flags & libc::FD_CLOEXEC != 0, file, offset, status, contents })
    }

    /// The file behind a descriptor, as it is known already, or under a new descriptor of ours.
    fn kept(&mut self, descriptor: c_int, found: &libc::stat) -> Option<Rc<Kept>> {
        let identity = (found.st_dev, found.st_ino);
        let known = self.known.iter().filter_map(Weak::upgrade);
        let mut same = known.filter(|file| file.identity == identity && is_same(descriptor, file.descriptor));
        if let Some(file) = same.next() {
            return Some(file);
        }
        // SAFETY: makes a descriptor of ours.
        let copy = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, self.first_kept) };
        if copy < 0 {
            note_uncontrolled("more files were open at a choice than can be put back");
            return None;
        }
        let raw = self.raw(descriptor, found);
        let file = Rc::new(Kept { descriptor: copy, identity, raw });
        self.known.push(Rc::downgrade(&file));
        Some(file)
    }

    /// Opens a file once more that the descriptor may write to.
    fn raw(&self, descriptor: c_int, found: &libc::stat) -> Option<c_int> {
        // SAFETY: asks about a descriptor.
        let mode = unsafe { libc::fcntl(descriptor, libc::F_GETFL) } & libc::O_ACCMODE;
        if mode == libc::O_RDONLY || found.st_mode & libc::S_IFMT != libc::S_IFREG {
            return None;
        }
        let path = CString::new(format!("/proc/self/fd/{descriptor}")).ok()?;
        // SAFETY: a valid path; the descriptor is moved up to ours at once.
        let raw = unsafe {
            let first = libc::open(path.as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            let raw = if first < 0 { -1 } else { libc::fcntl(first, libc::F_DUPFD_CLOEXEC, self.first_kept) };
            if first >= 0 {
                libc::close(first);
            }
            raw
        };
        if raw < 0 {
            note_uncontrolled("what a rank wrote to a file that it may not read is not put back");
        }
        (raw >= 0).then_some(raw)
    }

    /// Puts the table back to another moment.
    pub fn restore(&mut self, files: &OpenFiles) {
        if files.0.is_none() && self.are_none() {
            return;
        }
        let wanted = files.0.as_deref().unwrap_or(&[]);
        for descriptor in self.of_ranks() {
            if !wanted.iter().any(|open| open.descriptor == descriptor) {
                close(descriptor);
            }
        }
        wanted.iter().for_each(Open::put_back);
        self.any = !wanted.is_empty();
    }
}

impl Open {
    fn put_back(&self) {
        let flags = if self.closes_on_exec { libc::O_CLOEXEC } else { 0 };
        // SAFETY: descriptors of ours and of ranks; what the rank's has now is given up.
        unsafe {
            libc::dup3(self.file.descriptor, self.descriptor, flags);
            libc::fcntl(self.descriptor, libc::F_SETFL, self.status);
            if let Some(offset) = self.offset {
                libc::lseek(self.descriptor, offset, libc::SEEK_SET);
            }
        }
        if let Some((raw, contents)) = self.file.raw.zip(self.contents.as_deref()) {
            write_back(raw, contents);
        }
    }
}

fn offset_of(descriptor: c_int) -> Option<i64> {
    // SAFETY: asks about a descriptor.
    let offset = unsafe { libc::lseek(descriptor, 0, libc::SEEK_CUR) };
    (offset >= 0).then_some(offset)
}

/// Whether two descriptors are one open file: then both have the same offset, whichever is moved.
fn is_same(one: c_int, other: c_int) -> bool {
    const KCMP_FILE: c_int = 0;
    // SAFETY: asks about numbers, and moves an offset of the program's only to put it back.
    unsafe {
        let process = libc::getpid();
        let order = libc::syscall(libc::SYS_kcmp, process, process, KCMP_FILE, one, other);
        if order >= 0 {
            return order == 0;
        }
        // The system does not tell.
        let Some(offset) = offset_of(one).filter(|&offset| offset_of(other) == Some(offset)) else { return false };
        libc::lseek(one, offset + 1, libc::SEEK_SET);
        let same = offset_of(other) == Some(offset + 1);
        libc::lseek(one, offset, libc::SEEK_SET);
        same
    }
}

fn contents_of(raw: c_int, size: i64) -> Option<Rc<[u8]>> {
    if size > MOST_CONTENTS {
        note_uncontrolled("what a rank wrote to a file of more than 1 MiB is not put back");
        return None;
    }
    let mut bytes = vec![0; size as usize];
    let mut len = 0;
    while len < bytes.len() {
        // SAFETY: the rest of `bytes`.
        let got = unsafe { libc::pread(raw, bytes[len..].as_mut_ptr().cast(), bytes.len() - len, len as i64) };
        if got <= 0 {
            break;
        }
        len += got as usize;
    }
    bytes.truncate(len);
    Some(bytes.into())
}

/// Makes the contents of a file what they were.
fn write_back(raw: c_int, contents: &[u8]) {
    let size = stat(raw).map_or(0, |found| found.st_size);
    let now = if size <= MOST_CONTENTS { contents_of(raw, size) } else { None };
    if now.as_deref() == Some(contents) {
        return;
    }
    let mut at = 0;
    // SAFETY: parts of `contents`; the file is the program's, and what it wrote since is what is undone.
    unsafe {
        libc::ftruncate(raw, contents.len() as i64);
        while at < contents.len() {
            let put = libc::pwrite(raw, contents[at..].as_ptr().cast(), contents.len() - at, at as i64);
            if put <= 0 {
                note_uncontrolled("what a rank wrote to a file could not be put back");
                return;
            }
            at += put as usize;
        }
    }
}

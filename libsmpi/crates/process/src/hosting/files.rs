//! Open files under the checker: with the ranks, the table of descriptors is put back, with offsets, flags and
//! contents.
//!
//! The table is the process's, so one copy of it belongs to a snapshot of all ranks. Which files a rank opened is not
//! tracked: most programs have none open when a choice is made. As long as no rank has closed a file or chosen a
//! number ([`crate::descriptors`]), one question tells so: whether the lowest number that was free at the start still
//! is, since every new file takes the lowest. Later the first [`ASKED`] numbers are asked about, all at once. A file
//! has a higher number when the last of these was in use, and whoever closes that one says so, or when the program has
//! chosen the number. Otherwise the table is read.
//!
//! A file that is open in a snapshot is kept open under a second number, so that it is still there when ranks close it.
//! What is written to files that have names is put back by [`crate::overlay`]. What is written to others is undone
//! when it is small, and so is what is put into a pipe or a counter ([`super::channels`]); what cannot be put back
//! (sockets, terminals, timers, large files) makes the exploration incomplete.

use super::channels::{self, Channel};
pub use crate::descriptors::hide;
use crate::descriptors::{self, ASKED, about, is_same, make_room, offset, open_now, status};
use crate::overlay::{self, Saved};
use crate::verification::note_uncontrolled;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::print;
use std::ffi::{CString, c_int};
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::rc::{Rc, Weak};

/// Contents of larger files are not copied.
const MOST_CONTENTS: i64 = 1 << 20;
/// The table of descriptors of this process, as far as it is the ranks'.
pub struct Files {
    /// Descriptors that were open before ranks ran.
    own: Vec<c_int>,
    /// The first numbers, without those.
    asked: Vec<libc::pollfd>,
    /// Ranks had files open when it was looked at last.
    any: bool,
    /// Ours begin here.
    first_kept: c_int,
    /// Files that some snapshot knows.
    known: Vec<Weak<Kept>>,
}

/// The open files of one moment.
#[derive(Clone, Default)]
pub struct OpenFiles {
    /// Nothing where ranks had none.
    open: Option<Rc<[Open]>>,
    /// What they had changed.
    changed: Option<Rc<Saved>>,
}

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
    channel: Option<Channel>,
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

impl Files {
    /// Looks at the table before ranks run.
    pub fn new() -> Files {
        let own = open_now();
        let free = (0..ASKED).filter(|number| !own.contains(number));
        let asked = free.map(|fd| libc::pollfd { fd, events: 0, revents: 0 }).collect();
        Files { own, asked, any: false, first_kept: make_room(), known: Vec::new() }
    }

    /// Whether no rank has a file open.
    pub fn are_none(&mut self) -> bool {
        // As long as none was closed, the lowest number that was free tells of all.
        let lowest = self.asked.first().map(|one| one.fd);
        let is_plain = !self.any && !descriptors::may_have_gaps();
        if is_plain && lowest.is_some_and(|lowest| !descriptors::is_open(lowest)) {
            return true;
        }
        self.any = !self.none_is_open();
        !self.any
    }

    /// The same, whatever ranks have closed.
    fn none_is_open(&mut self) -> bool {
        let len = self.asked.len();
        // SAFETY: a valid array, and no time to wait. Numbers that are not open are answered so.
        let answered = unsafe { libc::poll(self.asked.as_mut_ptr(), len as libc::nfds_t, 0) };
        let is_free = |one: &libc::pollfd| one.revents & libc::POLLNVAL != 0;
        let are_free = answered == len as c_int && self.asked.iter().all(is_free);
        are_free && (!descriptors::may_be_high() || self.of_ranks().is_empty())
    }

    /// Descriptors of ranks.
    fn of_ranks(&self) -> Vec<c_int> {
        let mut numbers = open_now();
        numbers.retain(|number| *number < self.first_kept && self.own.binary_search(number).is_err());
        numbers
    }

    /// Adds what ranks have open: which file each is, which of them are one, and all that can be seen of it.
    ///
    /// # Errors
    /// Not all can be seen.
    pub fn name(&mut self, into: &mut Digest) -> Named {
        if self.are_none() {
            return Ok(());
        }
        let mut files: Vec<(c_int, u128)> = Vec::new();
        for number in self.of_ranks() {
            let told = of_descriptor(number)?;
            let first = files.iter().find(|&&(other, known)| known == told && is_same(number, other));
            into.add((number, told, first.map(|&(other, _)| other)));
            files.push((number, told));
        }
        Ok(())
    }

    /// The open files now.
    pub fn capture(&mut self) -> OpenFiles {
        let changed = overlay::save();
        if self.are_none() {
            return OpenFiles { open: None, changed };
        }
        self.known.retain(|file| file.strong_count() > 0);
        let open: Vec<Open> = self.of_ranks().into_iter().filter_map(|descriptor| self.open(descriptor)).collect();
        OpenFiles { open: (!open.is_empty()).then(|| open.into()), changed }
    }

    fn open(&mut self, descriptor: c_int) -> Option<Open> {
        let found = about(descriptor)?;
        let offset = offset(descriptor);
        let channel = match channels::kind_of(descriptor, &found) {
            channels::Kind::Plain => None,
            kind => {
                let channel = Channel::of(descriptor, kind);
                if channel.is_none() {
                    note_uncontrolled(
                        "what a rank did with a socket, a terminal, a timer or the like that was open at a choice is not put back",
                    );
                }
                channel
            }
        };
        let file = self.kept(descriptor, &found)?;
        let contents = file.raw.and_then(|raw| contents_of(raw, found.st_size));
        // SAFETY: asks about a descriptor.
        let (flags, status) =
            unsafe { (libc::fcntl(descriptor, libc::F_GETFD), libc::fcntl(descriptor, libc::F_GETFL)) };
        Some(Open {
            descriptor,
            closes_on_exec: flags & libc::FD_CLOEXEC != 0,
            file,
            offset,
            status,
            contents,
            channel,
        })
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

    /// Opens a file once more that the descriptor may write to, if it has no name by which it is put back.
    fn raw(&self, descriptor: c_int, found: &libc::stat) -> Option<c_int> {
        // SAFETY: asks about a descriptor.
        let mode = unsafe { libc::fcntl(descriptor, libc::F_GETFL) } & libc::O_ACCMODE;
        if mode == libc::O_RDONLY || overlay::is_kept(descriptor) || found.st_mode & libc::S_IFMT != libc::S_IFREG {
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
        overlay::put_back(files.changed.as_deref());
        if files.open.is_none() && self.are_none() {
            return;
        }
        let wanted = files.open.as_deref().unwrap_or(&[]);
        for descriptor in self.of_ranks() {
            if !wanted.iter().any(|open| open.descriptor == descriptor) {
                close(descriptor);
            }
        }
        wanted.iter().for_each(Open::put_back);
    }
}

impl Open {
    fn put_back(&self) {
        if self.channel.as_ref().is_some_and(|channel| !channel.put_back(self.file.descriptor)) {
            note_uncontrolled("what a rank put into a pipe or a counter could not be put back");
        }
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

/// What a descriptor is: which file, its place, its flags, what is in it.
///
/// # Errors
/// Not all of it can be seen.
pub(super) fn of_descriptor(number: c_int) -> Named<u128> {
    let gone = Unnamed("the system does not tell of an open file");
    let found = about(number).ok_or(gone)?;
    let mut digest = Digest::new();
    digest.add((found.st_dev, found.st_ino, found.st_mode));
    // Place, flags (with the one that closes it), and the value of a counter (proc_pid_fdinfo(5)).
    let told = fs::read_to_string(format!("/proc/self/fdinfo/{number}")).map_err(|_| gone)?;
    let is_kept = |line: &&str| ["pos:", "flags:", "eventfd-count:"].iter().any(|key| line.starts_with(key));
    told.lines().filter(is_kept).for_each(|line| digest.add(line));
    match channels::kind_of(number, &found) {
        channels::Kind::Plain => {
            // What has a name and is not written here is as its name says, or as what was written to it.
            let is_written = status(number) & libc::O_ACCMODE != libc::O_RDONLY;
            if found.st_mode & libc::S_IFMT == libc::S_IFREG && (is_written || found.st_nlink == 0) {
                let small = (found.st_size <= MOST_CONTENTS).then(|| bytes_of(number, found.st_size)).flatten();
                digest.add(small.ok_or(Unnamed("a rank writes to a file of more than 1 MiB"))?);
            }
        }
        kind => match Channel::of(number, kind) {
            Some(Channel::Pipe(bytes)) => digest.add(&bytes[..]),
            Some(Channel::Counter(_)) => {}
            None => return Err(Unnamed("a rank has a socket, a terminal, a timer or the like open")),
        },
    }
    Ok(digest.bits())
}

/// The bytes of an open file, however it was opened, which another opening reads: its place stays.
pub(super) fn bytes_of(number: c_int, size: i64) -> Option<Vec<u8>> {
    let file = File::open(format!("/proc/self/fd/{number}")).ok()?;
    let mut bytes = vec![0; size as usize];
    file.read_exact_at(&mut bytes, 0).ok()?;
    Some(bytes)
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
    let size = about(raw).map_or(0, |found| found.st_size);
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

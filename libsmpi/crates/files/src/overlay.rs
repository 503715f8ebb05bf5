//! The disk as it was, with changes that stay in memory: files of a program that is explored.
//!
//! Nothing here ever changes the disk. A copy of the overlay costs a few reference counts, and two copies share all
//! pages that neither has changed since. So each state of an exploration has its own files.
//!
//! A file that was not changed here is the one on the disk, as that is now. From the first change on, its bytes are
//! those of its pages, where it has pages; before `base_len`, those of the file on the disk; and zeros otherwise.
//!
//! The program also reaches the disk without MPI. What it finds there instead of a changed file is [`Shown`]. What it
//! leaves there is not put back, so a later execution may find it. This is noticed ([`Overlay::left_out`]) by the times
//! at which files were changed, unless a file is as this execution has left it, which its digest tells.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{AccessFlags, access};
use smpi_base::digest::Digest;

use crate::failure::errno;
use crate::store::{Number, Store, Wanted, entry};

/// Files that are longer have no digest.
const MOST_DIGESTED: u64 = 1 << 20;
/// Bytes of a page.
const PAGE: usize = 4096;

/// Why an exploration is not complete: a later execution finds what an earlier one has written.
const WRITTEN: &str = "a rank uses a file by MPI that the program has written without MPI: the disk is not put back, so an execution may find \
                       what an earlier one wrote";
/// Why an exploration is not complete: nobody knows what both changes together are.
const MIXED: &str = "a file was changed without MPI after MPI had changed it: changes by MPI stay in memory, and the two are not put together";

/// Why an exploration is not complete: the system knows other names of a file, and what the file was.
const LINKED: &str =
    "MPI has changed a file that has several names (hard links): the change stays in memory, under one of them";
/// Links that are followed, one after the other, as Linux does (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Takes a descriptor where the program's descriptors are not.
pub type Hide = fn(OwnedFd) -> Option<OwnedFd>;

/// What a program without MPI finds under a name.
#[derive(Debug)]
pub enum Shown {
    /// What the disk has.
    Disk,
    /// Nothing.
    Gone,
    /// These contents.
    Contents(OwnedFd),
}

/// When and how long a file was: another stamp, another file.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Stamp {
    changed: (i64, i64),
    len: u64,
    identity: (u64, u64),
}

impl Stamp {
    fn of(about: &Metadata) -> Stamp {
        Stamp { changed: (about.ctime(), about.ctime_nsec()), len: about.len(), identity: (about.dev(), about.ino()) }
    }
}

/// What was noticed about the disk. All copies of an overlay know the same.
#[derive(Debug)]
struct Noticed {
    /// When the run began, by the clock that the system stamps files with.
    start: (i64, i64),
    /// The disk had something that was written since.
    has_written: Cell<bool>,
    /// Some state was put back.
    is_repeated: Cell<bool>,
    /// Several processes explore, which have one disk.
    is_shared: Cell<bool>,
    /// A file was changed here and there.
    is_mixed: Cell<bool>,
    /// A file that was changed here has other names.
    is_linked: Cell<bool>,
}

/// The bytes of a file that is not too long.
fn digest_of(file: &File) -> Option<u128> {
    let mut bytes = Vec::new();
    let mut rest = file.take(MOST_DIGESTED + 1);
    rest.read_to_end(&mut bytes).ok().filter(|len| *len as u64 <= MOST_DIGESTED)?;
    let mut digest = Digest::new();
    digest.add(bytes);
    Some(digest.bits())
}

/// The contents of one file.
#[derive(Clone, Default, Debug)]
struct Content {
    name: PathBuf,
    /// The file on the disk, where there is one.
    base: Option<Arc<File>>,
    /// As it was when it was looked at last; since it was changed here, as it was then.
    stamp: Stamp,
    /// As many of its bytes count.
    base_len: u64,
    size: u64,
    pages: BTreeMap<u64, Arc<[u8; PAGE]>>,
    /// It is not what the disk has.
    is_changed: bool,
}

impl Content {
    fn on_disk(file: File, about: &Metadata) -> Content {
        let size = about.len();
        Content { base: Some(Arc::new(file)), stamp: Stamp::of(about), base_len: size, size, ..Content::default() }
    }

    /// The page of this number as it is.
    fn page(&self, number: u64) -> io::Result<Arc<[u8; PAGE]>> {
        if let Some(page) = self.pages.get(&number) {
            return Ok(page.clone());
        }
        let mut bytes = [0; PAGE];
        let start = number * PAGE as u64;
        let there = self.base_len.saturating_sub(start).min(PAGE as u64) as usize;
        if let Some(base) = &self.base {
            read_fully(base, start, &mut bytes[..there])?;
        }
        Ok(Arc::new(bytes))
    }

    fn read(&self, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let len = self.size.saturating_sub(at).min(into.len() as u64) as usize;
        let mut done = 0;
        while done < len {
            let (number, from, part) = piece(at + done as u64, len - done);
            into[done..done + part].copy_from_slice(&self.page(number)?[from..from + part]);
            done += part;
        }
        Ok(len)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut done = 0;
        while done < bytes.len() {
            let (number, from, part) = piece(at + done as u64, bytes.len() - done);
            let known = self.page(number)?;
            // No second reference, which would make it a copy.
            self.pages.remove(&number);
            let mut page = known;
            Arc::make_mut(&mut page)[from..from + part].copy_from_slice(&bytes[done..done + part]);
            self.pages.insert(number, page);
            done += part;
        }
        if !bytes.is_empty() {
            self.size = self.size.max(at + bytes.len() as u64);
        }
        Ok(done)
    }

    fn resize(&mut self, size: u64) -> io::Result<()> {
        if size < self.size {
            let (last, within, _) = piece(size, 1);
            if within > 0 {
                let mut page = self.page(last)?;
                Arc::make_mut(&mut page)[within..].fill(0);
                self.pages.insert(last, page);
            }
            self.pages.split_off(&size.div_ceil(PAGE as u64));
            self.base_len = self.base_len.min(size);
        }
        self.size = size;
        Ok(())
    }

    /// The same in a file without a name.
    fn copied(&self, hide: Hide) -> io::Result<OwnedFd> {
        let copy = memfd_create(c"smpi-file", MFdFlags::MFD_CLOEXEC).map_err(|number| errno(number as i32))?;
        let copy = File::from(hide(copy).ok_or_else(|| errno(libc::EMFILE))?);
        copy.set_len(self.size)?;
        let mut bytes = vec![0; 1 << 20];
        let mut at = 0;
        while at < self.size {
            let len = self.read(at, &mut bytes)?;
            copy.write_all_at(&bytes[..len], at)?;
            at += len as u64;
        }
        Ok(copy.into())
    }
}

/// The page of a byte, where in it, and how many of `len` bytes from there on are in it.
fn piece(at: u64, len: usize) -> (u64, usize, usize) {
    let within = (at % PAGE as u64) as usize;
    (at / PAGE as u64, within, len.min(PAGE - within))
}

/// Reads bytes of a file; those that it does not have any more stay as they are.
fn read_fully(file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    let mut done = 0;
    while done < into.len() {
        match file.read_at(&mut into[done..], at + done as u64)? {
            0 => break,
            more => done += more,
        }
    }
    Ok(())
}

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    /// The content of this number.
    Is(usize),
    /// Nothing: it was removed.
    Gone,
}

/// Files whose changes stay in memory.
#[derive(Clone, Debug)]
pub struct Overlay {
    names: Arc<BTreeMap<PathBuf, Name>>,
    contents: Vec<Arc<Content>>,
    open: Vec<Option<usize>>,
    /// Digests of files that this execution has written without MPI, as they were when it had.
    written: Arc<BTreeMap<PathBuf, u128>>,
    noticed: Rc<Noticed>,
    hide: Hide,
}

impl Overlay {
    /// Of the disk as it is now. `hide` takes the descriptors of its files where the program's are not.
    pub fn new(hide: Hide) -> Overlay {
        let start = clock_gettime(ClockId::CLOCK_REALTIME_COARSE).map_or((0, 0), |now| (now.tv_sec(), now.tv_nsec()));
        let noticed = Noticed {
            start,
            has_written: Cell::new(false),
            is_repeated: Cell::new(false),
            is_shared: Cell::new(false),
            is_mixed: Cell::new(false),
            is_linked: Cell::new(false),
        };
        let (names, written) = (Arc::default(), Arc::default());
        Overlay { names, contents: Vec::new(), open: Vec::new(), written, noticed: Rc::new(noticed), hide }
    }

    /// Whether nothing was changed or removed here.
    pub fn is_untouched(&self) -> bool {
        !self.names.values().any(|name| self.is_changed(*name))
    }

    /// An earlier state is put back.
    pub fn note_repetition(&self) {
        self.noticed.is_repeated.set(true);
    }

    /// Other processes explore the same program.
    pub fn note_others(&self) {
        self.noticed.is_repeated.set(true);
        self.noticed.is_shared.set(true);
    }

    /// The program has written a file without MPI, and closed it.
    pub fn note_written(&mut self, name: &Path) {
        let written = Arc::make_mut(&mut self.written);
        match File::open(name).ok().and_then(|file| digest_of(&file)) {
            Some(digest) => written.insert(name.to_path_buf(), digest),
            None => written.remove(name),
        };
    }

    /// Notices that a file was written in this run, by another execution for all that is known.
    fn look(&self, name: &Path, stamp: Stamp) {
        if stamp.changed < self.noticed.start || self.noticed.has_written.get() {
            return;
        }
        let now = || File::open(name).ok().and_then(|file| digest_of(&file));
        let left = self.written.get(name).copied();
        if self.noticed.is_shared.get() || left.is_none() || left != now() {
            self.noticed.has_written.set(true);
        }
    }

    /// Why what was explored so far is not complete, if the disk is why.
    pub fn left_out(&self) -> Option<&'static str> {
        if self.noticed.is_mixed.get() {
            return Some(MIXED);
        }
        if self.noticed.is_linked.get() {
            return Some(LINKED);
        }
        (self.noticed.has_written.get() && self.noticed.is_repeated.get()).then_some(WRITTEN)
    }

    /// The one name of a file, however it is reached: symbolic links are followed, unless they were removed here.
    ///
    /// # Errors
    /// As [`entry`], and `ELOOP`.
    pub fn name_of(&self, path: &Path) -> io::Result<PathBuf> {
        let mut path = path.to_path_buf();
        for _ in 0..=MOST_LINKS {
            let name = entry(&path)?;
            match fs::read_link(&name) {
                Ok(target) if !self.has(&name) => path = name.parent().unwrap_or(Path::new("/")).join(target),
                _ => return Ok(name),
            }
        }
        Err(errno(libc::ELOOP))
    }

    /// What somebody who does not use MPI finds under a name, which is that of [`Overlay::name_of`].
    ///
    /// # Errors
    /// Where there is no memory, or no descriptor.
    pub fn shown(&self, name: &Path) -> io::Result<Shown> {
        match self.names.get(name) {
            Some(Name::Gone) => Ok(Shown::Gone),
            Some(Name::Is(number)) if self.contents[*number].is_changed => {
                self.contents[*number].copied(self.hide).map(Shown::Contents)
            }
            _ => Ok(Shown::Disk),
        }
    }

    fn is_changed(&self, name: Name) -> bool {
        match name {
            Name::Is(number) => self.contents[number].is_changed,
            Name::Gone => true,
        }
    }

    /// Whether the disk has something else under a name.
    pub fn has(&self, name: &Path) -> bool {
        self.names.get(name).is_some_and(|what| self.is_changed(*what))
    }

    /// Whether a name was removed here.
    pub fn is_gone(&self, name: &Path) -> bool {
        self.names.get(name) == Some(&Name::Gone)
    }

    /// Whether the disk has something else under a name in this directory.
    pub fn has_in(&self, directory: &Path) -> bool {
        self.names.iter().any(|(name, what)| name.parent() == Some(directory) && self.is_changed(*what))
    }

    /// Whether the disk has something else under a name in this directory, or in those below it.
    pub fn has_below(&self, directory: &Path) -> bool {
        let is_below = |name: &Path| name != directory && name.starts_with(directory);
        self.names.iter().any(|(name, what)| is_below(name) && self.is_changed(*what))
    }

    fn content(&self, file: Number) -> io::Result<usize> {
        self.open.get(file.0 as usize).copied().flatten().ok_or_else(|| errno(libc::EBADF))
    }

    /// The number of an open file's content, as the disk has it now if it was not changed here.
    fn current(&mut self, file: Number) -> io::Result<usize> {
        let number = self.content(file)?;
        let content = &self.contents[number];
        if let Some(base) = &content.base {
            let stamp = Stamp::of(&base.metadata()?);
            self.look(&content.name, stamp);
            if stamp != content.stamp {
                if content.is_changed {
                    self.noticed.is_mixed.set(true);
                } else {
                    let content = Arc::make_mut(&mut self.contents[number]);
                    (content.stamp, content.base_len, content.size) = (stamp, stamp.len, stamp.len);
                }
            }
        }
        Ok(number)
    }

    /// The content of an open file, to be changed.
    fn changing(&mut self, file: Number) -> io::Result<&mut Content> {
        let number = self.current(file)?;
        let content = Arc::make_mut(&mut self.contents[number]);
        if let (Some(base), false) = (&content.base, content.is_changed) {
            self.noticed.is_linked.set(self.noticed.is_linked.get() || base.metadata()?.nlink() > 1);
        }
        content.is_changed = true;
        Ok(content)
    }

    fn add(&mut self, name: &Path, content: Content) -> usize {
        let number = self.contents.len();
        self.contents.push(Arc::new(Content { name: name.to_path_buf(), ..content }));
        Arc::make_mut(&mut self.names).insert(name.to_path_buf(), Name::Is(number));
        number
    }

    /// The content of a name that is there, in the overlay or on the disk.
    fn find(&mut self, name: &Path, wanted: Wanted) -> io::Result<Option<usize>> {
        let known = match self.names.get(name) {
            Some(Name::Is(number)) if self.contents[*number].is_changed => return Ok(Some(*number)),
            Some(Name::Gone) => return Ok(None),
            Some(Name::Is(number)) => Some(*number),
            None => None,
        };
        let about = match fs::metadata(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about?,
        };
        if about.is_dir() {
            return Err(errno(libc::EISDIR));
        }
        if wanted.is_exclusive && wanted.creates {
            return Err(errno(libc::EEXIST));
        }
        let stamp = Stamp::of(&about);
        self.look(name, stamp);
        // Whether it may be written is asked by opening it, which changes nothing.
        let file = OpenOptions::new().read(true).write(wanted.writes).open(name)?;
        if let Some(number) = known.filter(|number| self.contents[*number].stamp.identity == stamp.identity) {
            return Ok(Some(number));
        }
        let file = File::from((self.hide)(file.into()).ok_or_else(|| errno(libc::EMFILE))?);
        Ok(Some(self.add(name, Content::on_disk(file, &about))))
    }
}

/// Refuses to make or remove a name in a directory that may not be written.
fn check_directory(name: &Path) -> io::Result<()> {
    let directory = name.parent().unwrap_or(Path::new("/"));
    access(directory, AccessFlags::W_OK).map_err(|number| errno(number as i32))
}

impl Store for Overlay {
    fn open(&mut self, path: &Path, wanted: Wanted) -> io::Result<Number> {
        let name = self.name_of(path)?;
        let content = match self.find(&name, wanted)? {
            Some(_) if wanted.creates && wanted.is_exclusive => return Err(errno(libc::EEXIST)),
            Some(content) => content,
            None if wanted.creates => {
                check_directory(&name)?;
                self.add(&name, Content { is_changed: true, ..Content::default() })
            }
            None => return Err(errno(libc::ENOENT)),
        };
        self.open.push(Some(content));
        Ok(Number(self.open.len() as u32 - 1))
    }

    fn close(&mut self, file: Number) {
        if let Some(open) = self.open.get_mut(file.0 as usize) {
            *open = None;
        }
    }

    fn read_at(&mut self, file: Number, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let number = self.current(file)?;
        self.contents[number].read(at, into)
    }

    fn write_at(&mut self, file: Number, at: u64, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_empty() { Ok(0) } else { self.changing(file)?.write(at, bytes) }
    }

    fn is_readable(&self, _file: Number) -> bool {
        true
    }

    fn size(&mut self, file: Number) -> io::Result<u64> {
        let number = self.current(file)?;
        Ok(self.contents[number].size)
    }

    fn resize(&mut self, file: Number, size: u64) -> io::Result<()> {
        self.changing(file)?.resize(size)
    }

    fn allocate(&mut self, file: Number, size: u64) -> io::Result<()> {
        if size > self.size(file)? { self.changing(file)?.resize(size) } else { Ok(()) }
    }

    fn sync(&mut self, file: Number) -> io::Result<()> {
        self.content(file).map(|_| ())
    }

    fn delete(&mut self, path: &Path) -> io::Result<()> {
        // A link is removed, and not what it stands for.
        let name = entry(path)?;
        if self.is_gone(&name) {
            return Err(errno(libc::ENOENT));
        }
        if !self.has(&name) {
            let about = fs::symlink_metadata(&name)?;
            if about.is_dir() {
                return Err(errno(libc::EISDIR));
            }
            if !about.is_symlink() {
                self.look(&name, Stamp::of(&about));
            }
        }
        check_directory(&name)?;
        Arc::make_mut(&mut self.names).insert(name, Name::Gone);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted { reads: true, writes: true, creates: true, is_exclusive: false };

    fn read(store: &mut Overlay, file: Number, at: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![9; len];
        let there = store.read_at(file, at, &mut bytes).unwrap();
        bytes.truncate(there);
        bytes
    }

    /// A file of the disk, and what an overlay makes of it.
    #[test]
    fn changes_stay_in_memory_and_copies_are_apart() {
        let path = std::env::temp_dir().join(format!("smpi-overlay-{}", std::process::id()));
        let on_disk: Vec<u8> = (0..10_000u32).map(|index| index as u8).collect();
        fs::write(&path, &on_disk).unwrap();
        let mut store = Overlay::new(Some);
        let file = store.open(&path, ALL).unwrap();
        assert_eq!(read(&mut store, file, 4090, 12), on_disk[4090..4102]);
        assert_eq!(store.write_at(file, 4094, &[1, 2, 3]).unwrap(), 3);
        assert_eq!(read(&mut store, file, 4092, 6), [on_disk[4092], on_disk[4093], 1, 2, 3, on_disk[4097]]);
        let earlier = store.clone();
        store.write_at(file, 20_000, &[7]).unwrap();
        assert_eq!(store.size(file).unwrap(), 20_001);
        assert_eq!(read(&mut store, file, 9_999, 3), [on_disk[9_999], 0, 0]);
        store.resize(file, 4095).unwrap();
        store.resize(file, 5000).unwrap();
        assert_eq!(read(&mut store, file, 4093, 4), [on_disk[4093], 1, 0, 0]);
        store.delete(&path).unwrap();
        assert_eq!(store.delete(&path).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        // Who has it open still has it.
        assert_eq!(store.size(file).unwrap(), 5000);
        let none = Wanted { creates: false, ..ALL };
        assert_eq!(store.open(&path, none).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        let mut store = earlier;
        assert_eq!(store.size(file).unwrap(), 10_000);
        assert_eq!(read(&mut store, file, 4095, 1), [2]);
        let exclusive = Wanted { is_exclusive: true, ..ALL };
        assert_eq!(store.open(&path, exclusive).unwrap_err().raw_os_error(), Some(libc::EEXIST));
        assert_eq!(fs::read(&path).unwrap(), on_disk);
        fs::remove_file(&path).unwrap();
    }
    fn shown(store: &Overlay, path: &Path) -> Option<Vec<u8>> {
        match store.shown(&store.name_of(path).unwrap()).unwrap() {
            Shown::Disk => Some(fs::read(path).unwrap()),
            Shown::Gone => None,
            Shown::Contents(copy) => {
                let copy = File::from(copy);
                let mut bytes = vec![0; copy.metadata().unwrap().len() as usize];
                copy.read_exact_at(&mut bytes, 0).unwrap();
                Some(bytes)
            }
        }
    }

    #[test]
    fn a_link_is_removed_and_not_what_it_stands_for() {
        let directory = std::env::temp_dir().join(format!("smpi-overlay-links-{}", std::process::id()));
        fs::create_dir(&directory).unwrap();
        let (file, link, far) = (directory.join("file"), directory.join("link"), directory.join("far"));
        fs::write(&file, b"one").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        std::os::unix::fs::symlink(&link, &far).unwrap();
        let mut store = Overlay::new(Some);
        assert_eq!(store.name_of(&far).unwrap(), store.name_of(&file).unwrap());
        let open = store.open(&far, ALL).unwrap();
        store.write_at(open, 0, b"two").unwrap();
        assert_eq!(shown(&store, &file).as_deref(), Some(&b"two"[..]));
        store.delete(&link).unwrap();
        assert_eq!((shown(&store, &file).as_deref(), shown(&store, &link)), (Some(&b"two"[..]), None));
        assert_eq!(store.delete(&link).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        // What is left of the longer way ends where the link was.
        assert_eq!(store.name_of(&far).unwrap(), entry(&link).unwrap());
        let open = store.open(&far, ALL).unwrap();
        store.write_at(open, 0, b"new").unwrap();
        assert_eq!(shown(&store, &link).as_deref(), Some(&b"new"[..]));
        assert_eq!(shown(&store, &file).as_deref(), Some(&b"two"[..]));
        assert!(store.has_below(directory.parent().unwrap()) && !store.has_in(directory.parent().unwrap()));
        // A second name of a file is not known here.
        let (one, other) = (directory.join("one"), directory.join("other"));
        fs::write(&one, b"one").unwrap();
        fs::hard_link(&one, &other).unwrap();
        let open = store.open(&other, ALL).unwrap();
        assert_eq!(store.left_out(), None);
        store.write_at(open, 0, b"two").unwrap();
        assert_eq!(store.left_out(), Some(LINKED));
        fs::remove_dir_all(&directory).unwrap();
    }

    /// What is written without MPI is read while nothing was changed here, and noticed.
    #[test]
    fn the_disk_is_what_it_is_now_until_the_first_change() {
        let path = std::env::temp_dir().join(format!("smpi-overlay-now-{}", std::process::id()));
        fs::write(&path, b"one").unwrap();
        let mut store = Overlay::new(Some);
        store.noticed = Rc::new(Noticed {
            start: (i64::MAX, 0),
            has_written: Cell::new(false),
            is_repeated: Cell::new(true),
            is_shared: Cell::new(false),
            is_mixed: Cell::new(false),
            is_linked: Cell::new(false),
        });
        let file = store.open(&path, ALL).unwrap();
        assert_eq!(read(&mut store, file, 0, 9), b"one");
        fs::write(&path, b"three").unwrap();
        assert_eq!(read(&mut store, file, 0, 9), b"three");
        // Another file under the same name.
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"four").unwrap();
        let file = store.open(&path, ALL).unwrap();
        assert_eq!(read(&mut store, file, 0, 9), b"four");
        assert!(store.is_untouched() && store.left_out().is_none());
        assert_eq!(shown(&store, &path).as_deref(), Some(&b"four"[..]));
        store.write_at(file, 5, b"!").unwrap();
        assert_eq!(shown(&store, &path).as_deref(), Some(&b"four\0!"[..]));
        assert!(store.has(&path) && store.has_in(path.parent().unwrap()));
        let before = store.clone();
        fs::write(&path, b"other").unwrap();
        store.size(file).unwrap();
        assert_eq!((store.left_out(), before.left_out()), (Some(MIXED), Some(MIXED)));
        store.delete(&path).unwrap();
        assert_eq!(shown(&store, &path), None);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_the_run_has_written_is_left_over_for_the_next_execution() {
        let path = std::env::temp_dir().join(format!("smpi-overlay-later-{}", std::process::id()));
        let mut store = Overlay::new(Some);
        assert_eq!(store.open(&path, Wanted { creates: false, ..ALL }).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        fs::write(&path, b"one").unwrap();
        store.open(&path, ALL).unwrap();
        assert_eq!(store.left_out(), None);
        store.note_repetition();
        assert_eq!(store.left_out(), Some(WRITTEN));
        // Unless it is as this execution has left it.
        let mut store = Overlay::new(Some);
        fs::write(&path, b"two").unwrap();
        store.note_written(&path);
        store.note_repetition();
        let file = store.open(&path, ALL).unwrap();
        assert_eq!((read(&mut store, file, 0, 9).as_slice(), store.left_out()), (&b"two"[..], None));
        fs::write(&path, b"one").unwrap();
        store.size(file).unwrap();
        assert_eq!(store.left_out(), Some(WRITTEN));
        let mut store = Overlay::new(Some);
        store.note_written(&path);
        store.note_others();
        store.open(&path, ALL).unwrap();
        assert_eq!(store.left_out(), Some(WRITTEN));
        fs::remove_file(&path).unwrap();
    }
}

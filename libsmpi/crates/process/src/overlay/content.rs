//! What has been written in this run, or made: each thing has a file of its own in the folder of the process
//! ([`super::folder`]), whatever its names are, and is removed when neither a name nor a snapshot needs it any more.
//!
//! An image is what is in it at one moment, to be put back. Images share the blocks that have not changed between them.

use super::folder::Folder;
use crate::verification::note_uncontrolled;
use smpi_base::digest::Digest;
use std::cell::{Cell, RefCell};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Bytes of a block.
const BLOCK: usize = 1 << 16;
/// Files with more bytes than these are not copied; zeros that were never written are none.
const MOST: u64 = 64 << 20;
/// Neither are files that are longer, whatever is in them.
const LONGEST: u64 = 16 << 30;

/// Something of this run.
#[derive(Debug)]
pub struct Content {
    place: PathBuf,
    folder: Rc<Folder>,
    /// As it was when it was looked at last.
    seen: RefCell<Option<Rc<Image>>>,
    /// It may have been changed since.
    may_differ: Cell<bool>,
}

/// What is in it at one moment.
#[derive(Debug)]
pub struct Image {
    mode: u32,
    changed: (i64, i64),
    size: u64,
    body: Body,
    digest: u128,
}

#[derive(Debug)]
enum Body {
    /// Nothing that could be put back: it is no file.
    None,
    /// These bytes; zeros for blocks that are missing.
    Blocks(Vec<Option<Rc<[u8]>>>),
    /// Too many bytes.
    Large,
}

impl Drop for Content {
    fn drop(&mut self) {
        // A child of `fork` has what belongs to its parent.
        if self.folder.is_own() {
            remove(&self.place);
        }
    }
}

/// Removes what is there, if anything is. By its number: the function is one of those that ranks are given, and a rank
/// may be running.
fn remove(place: &Path) {
    let Ok(path) = CString::new(place.as_os_str().as_bytes()) else { return };
    for flags in [0, libc::AT_REMOVEDIR] {
        // SAFETY: a valid path.
        unsafe { libc::syscall(libc::SYS_unlinkat, libc::AT_FDCWD, path.as_ptr(), flags) };
    }
}

impl Content {
    /// Something new, which is to be made in its place.
    pub fn new(folder: &Rc<Folder>) -> Content {
        let place = folder.next_place();
        Content { place, folder: Rc::clone(folder), seen: RefCell::new(None), may_differ: Cell::new(true) }
    }

    /// Where it is.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Whether this process has made it: a child of `fork` leaves alone what its parent has.
    pub fn is_own(&self) -> bool {
        self.folder.is_own()
    }

    /// Somebody may change it from now on, as long as it is open.
    pub fn note_change(&self) {
        self.may_differ.set(true);
    }

    /// Whether it may have been changed since it was looked at.
    pub fn may_differ(&self) -> bool {
        self.may_differ.get()
    }

    /// Nobody can change it before [`Content::note_change`].
    pub fn note_rest(&self) {
        self.may_differ.set(false);
    }

    /// What is in it now. Nothing where the system refuses to tell, which is noted.
    pub fn image(&self) -> Option<Rc<Image>> {
        let seen = self.seen.borrow().clone();
        if let Some(seen) = seen.as_ref().filter(|_| !self.may_differ.get()) {
            return Some(Rc::clone(seen));
        }
        match Image::of(&self.place, seen.as_deref()) {
            Ok(image) => {
                let image = match seen {
                    Some(seen) if seen.is_like(&image) => seen,
                    _ => Rc::new(image),
                };
                *self.seen.borrow_mut() = Some(Rc::clone(&image));
                Some(image)
            }
            Err(_) => {
                note_uncontrolled("what a rank wrote to a file that it may not read is not put back");
                None
            }
        }
    }

    /// A digest of what is in it now, with its permissions and the time of its last change, as far as it is put back.
    pub fn raw(&self) -> Option<u128> {
        let about = fs::symlink_metadata(&self.place).ok()?;
        let mut digest = Digest::new();
        digest.add(about.mode());
        if about.is_symlink() {
            digest.add(fs::read_link(&self.place).ok()?);
        } else if about.is_file() && about.size() <= MOST {
            let mut bytes = Vec::new();
            readable(&self.place).ok()?.read_to_end(&mut bytes).ok()?;
            digest.add((about.mtime(), about.mtime_nsec(), bytes));
        }
        Some(digest.bits())
    }

    /// Puts back what was in it.
    pub fn put_back(&self, wanted: &Rc<Image>) {
        let Some(now) = self.image() else { return };
        if Rc::ptr_eq(&now, wanted) {
            if matches!(wanted.body, Body::Large) && self.may_differ.get() {
                note_uncontrolled("what a rank wrote to a file of more than 64 MiB is not put back");
            }
            return;
        }
        match wanted.write_to(&self.place, &now) {
            Ok(()) => *self.seen.borrow_mut() = Some(Rc::clone(wanted)),
            Err(_) => note_uncontrolled("what a rank wrote to a file could not be put back"),
        }
    }
}

impl Image {
    fn of(place: &Path, before: Option<&Image>) -> io::Result<Image> {
        let about = fs::symlink_metadata(place)?;
        let (mode, changed, size) = (about.mode(), (about.mtime(), about.mtime_nsec()), about.size());
        let body = match about.is_file() {
            false => Body::None,
            true if about.blocks() * 512 > MOST && size > MOST || size > LONGEST => Body::Large,
            true => Body::Blocks(blocks_of(place, size, before)?),
        };
        let mut digest = Digest::new();
        digest.add(mode);
        match &body {
            Body::None if about.is_symlink() => digest.add(fs::read_link(place)?),
            Body::None => {}
            Body::Blocks(blocks) => digest.add((size, blocks)),
            // Two moments are the same only if nothing was done between them.
            Body::Large => digest.add((size, changed)),
        };
        let size = if matches!(body, Body::None) { 0 } else { size };
        Ok(Image { mode, changed, size, body, digest: digest.bits() })
    }

    /// What tells it from others, whenever it was made.
    pub fn digest(&self) -> u128 {
        self.digest
    }

    fn is_like(&self, other: &Image) -> bool {
        self.digest == other.digest && self.changed == other.changed
    }

    fn write_to(&self, place: &Path, now: &Image) -> io::Result<()> {
        if let (Body::Blocks(wanted), before) = (&self.body, &now.body) {
            let file = writable(place)?;
            let known = if let Body::Blocks(blocks) = before { &blocks[..] } else { &[] };
            if !matches!(before, Body::Blocks(_)) {
                file.set_len(0)?;
            }
            // From here on there are zeros where nothing is known.
            file.set_len(self.size)?;
            for (index, block) in wanted.iter().enumerate() {
                let is_there = match (known.get(index).and_then(Option::as_ref), block) {
                    (Some(known), Some(block)) => Rc::ptr_eq(known, block),
                    (known, block) => known.is_none() && block.is_none(),
                };
                if is_there {
                    continue;
                }
                let at = (index * BLOCK) as u64;
                let len = (self.size - at).min(BLOCK as u64) as usize;
                match block {
                    Some(block) => file.write_all_at(block, at)?,
                    None => file.write_all_at(&vec![0; len], at)?,
                }
            }
        }
        if matches!(self.body, Body::Large) {
            note_uncontrolled("what a rank wrote to a file of more than 64 MiB is not put back");
        }
        if self.mode != now.mode {
            fs::set_permissions(place, fs::Permissions::from_mode(self.mode & 0o7777))?;
        }
        if !matches!(self.body, Body::None) {
            set_changed(place, self.changed)?;
        }
        Ok(())
    }
}

/// A file opened to be put back, whatever its permissions are.
fn writable(place: &Path) -> io::Result<File> {
    let open = || OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW).open(place);
    open().or_else(|error| {
        if error.kind() != io::ErrorKind::PermissionDenied {
            return Err(error);
        }
        let before = fs::metadata(place)?.permissions();
        fs::set_permissions(place, fs::Permissions::from_mode(0o600))?;
        let file = open();
        fs::set_permissions(place, before)?;
        file
    })
}

/// The same to be read.
fn readable(place: &Path) -> io::Result<File> {
    File::open(place).or_else(|error| {
        if error.kind() != io::ErrorKind::PermissionDenied {
            return Err(error);
        }
        let before = fs::metadata(place)?.permissions();
        fs::set_permissions(place, fs::Permissions::from_mode(0o600))?;
        let file = File::open(place);
        fs::set_permissions(place, before)?;
        file
    })
}

fn blocks_of(place: &Path, size: u64, before: Option<&Image>) -> io::Result<Vec<Option<Rc<[u8]>>>> {
    let known = match before.map(|image| &image.body) {
        Some(Body::Blocks(blocks)) => &blocks[..],
        _ => &[],
    };
    let file = readable(place)?;
    let mut bytes = vec![0; (size as usize).min(BLOCK)];
    let mut blocks = Vec::with_capacity((size as usize).div_ceil(BLOCK));
    let mut data = next_data(&file, 0);
    for index in 0..(size as usize).div_ceil(BLOCK) {
        let at = (index * BLOCK) as u64;
        let len = (size - at).min(BLOCK as u64) as usize;
        if data < at {
            data = next_data(&file, at);
        }
        if data >= at + len as u64 {
            blocks.push(None);
            continue;
        }
        file.read_exact_at(&mut bytes[..len], at)?;
        let same = known.get(index).and_then(Option::as_ref).filter(|known| known[..] == bytes[..len]);
        blocks.push(match same {
            Some(known) => Some(Rc::clone(known)),
            None if bytes[..len].iter().all(|byte| *byte == 0) => None,
            None => Some(bytes[..len].into()),
        });
    }
    Ok(blocks)
}

/// From where on there is something in a file, at this place or behind it; where the system does not know, here.
fn next_data(file: &File, at: u64) -> u64 {
    // SAFETY: a descriptor of ours, whose place is of no meaning.
    let found = unsafe { libc::lseek(file.as_raw_fd(), at as i64, libc::SEEK_DATA) };
    match u64::try_from(found) {
        Ok(found) => found,
        Err(_) if io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO) => u64::MAX,
        Err(_) => at,
    }
}

/// Sets the time at which a file was changed last.
pub fn set_changed(place: &Path, (seconds, nanoseconds): (i64, i64)) -> io::Result<()> {
    let path = CString::new(place.as_os_str().as_bytes())?;
    let times = [
        libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT },
        libc::timespec { tv_sec: seconds, tv_nsec: nanoseconds },
    ];
    // SAFETY: a valid path and two times. By its number: the function is one of those that ranks are given.
    let result = unsafe {
        libc::syscall(libc::SYS_utimensat, libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

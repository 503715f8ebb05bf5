//! Files on the disk, or where a program that is explored has them.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

use crate::failure::errno;
use crate::store::{Number, Store, Wanted};

/// How files are found that are not simply those of the disk: a program that is explored has its own.
#[derive(Clone, Copy, Debug)]
pub struct Through {
    /// Opens a file to be read, to be written, with flags as of `open`.
    pub open: fn(&Path, (bool, bool), i32) -> io::Result<File>,
    /// Removes a name.
    pub remove: fn(&Path) -> io::Result<()>,
    /// The one name of a file, or of a link if that is not followed.
    pub name_of: fn(&Path, bool) -> io::Result<PathBuf>,
    /// A number that is another one whenever a name may stand for something else.
    pub turn: fn() -> u64,
}

/// An open file.
#[derive(Clone, Debug)]
struct Open {
    file: Arc<File>,
    is_readable: bool,
    path: Arc<Path>,
    writes: bool,
    /// When it was opened.
    turn: u64,
}

/// The files of the system.
#[derive(Clone, Default, Debug)]
pub struct Posix {
    open: Vec<Option<Open>>,
    through: Option<Through>,
}

impl Posix {
    /// Files that are found in this way.
    pub fn through(through: Through) -> Posix {
        Posix { open: Vec::new(), through: Some(through) }
    }

    /// How files are found, where that is not simply on the disk.
    pub fn way(&self) -> Option<&Through> {
        self.through.as_ref()
    }

    /// An open file. Where names may have got another meaning since it was opened, it is opened again: what is open may
    /// be what the disk has, and changed by now.
    fn file(&mut self, file: Number) -> io::Result<&File> {
        let open = self.open.get_mut(file.0 as usize).and_then(Option::as_mut).ok_or_else(|| errno(libc::EBADF))?;
        if let Some(through) = self.through.filter(|through| (through.turn)() != open.turn) {
            if let Ok(now) = (through.open)(&open.path, (open.is_readable, open.writes), 0) {
                open.file = Arc::new(now);
            }
            open.turn = (through.turn)();
        }
        Ok(&open.file)
    }

    fn opened(&self, path: &Path, reads: bool, wanted: Wanted) -> io::Result<File> {
        let Some(through) = self.through else { return open(path, reads, wanted) };
        let flag = |is_set: bool, flag| if is_set { flag } else { 0 };
        let flags = flag(wanted.creates, libc::O_CREAT) | flag(wanted.is_exclusive, libc::O_EXCL);
        let file = (through.open)(path, (reads, wanted.writes), flags)?;
        if file.metadata()?.is_dir() { Err(errno(libc::EISDIR)) } else { Ok(file) }
    }
}

/// How many of these bytes the system lets be written: it ends who writes beyond a limit (`RLIMIT_FSIZE`) by a signal,
/// which concerns all ranks.
///
/// # Errors
/// `EFBIG` where the first one is beyond it.
fn within_limit(file: &File, at: u64, len: u64) -> io::Result<u64> {
    let (limit, _) = getrlimit(Resource::RLIMIT_FSIZE).map_err(|number| errno(number as i32))?;
    if limit == RLIM_INFINITY || at.saturating_add(len) <= limit || !file.metadata()?.is_file() {
        return Ok(len);
    }
    if at < limit { Ok(limit - at) } else { Err(errno(libc::EFBIG)) }
}

/// Refuses to make a file as long as that where a limit forbids it.
fn check_limit(file: &File, size: u64) -> io::Result<()> {
    let is_allowed = size == 0 || within_limit(file, 0, size)? == size || size <= file.metadata()?.len();
    if is_allowed { Ok(()) } else { Err(errno(libc::EFBIG)) }
}

/// Opens a file, which is no directory.
fn open(path: &Path, reads: bool, wanted: Wanted) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(reads).write(wanted.writes);
    if wanted.is_exclusive {
        options.create_new(wanted.creates);
    } else {
        options.create(wanted.creates);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_dir() { Err(errno(libc::EISDIR)) } else { Ok(file) }
}

impl Store for Posix {
    fn open(&mut self, path: &Path, wanted: Wanted) -> io::Result<Number> {
        // Small pieces are written together with what lies between them, which is read before: so a file is opened
        // for reading, too, where that is allowed.
        let (file, is_readable) = match self.opened(path, true, wanted) {
            Err(error) if !wanted.reads && error.raw_os_error() == Some(libc::EACCES) => {
                (self.opened(path, false, wanted)?, false)
            }
            opened => (opened?, true),
        };
        // Once it is open, another name for it changes nothing.
        let name = self.through.map(|through| (through.name_of)(path, true)).transpose()?;
        let path: Arc<Path> = name.as_deref().unwrap_or(path).into();
        let turn = self.through.map_or(0, |through| (through.turn)());
        let open = Some(Open { file: Arc::new(file), is_readable, path, writes: wanted.writes, turn });
        let place = self.open.iter().position(Option::is_none).unwrap_or(self.open.len());
        if place == self.open.len() {
            self.open.push(open);
        } else {
            self.open[place] = open;
        }
        Ok(Number(place as u32))
    }

    fn close(&mut self, file: Number) {
        if let Some(open) = self.open.get_mut(file.0 as usize) {
            *open = None;
        }
    }

    fn read_at(&mut self, file: Number, at: u64, into: &mut [u8]) -> io::Result<usize> {
        let file = self.file(file)?;
        let mut done = 0;
        while done < into.len() {
            match file.read_at(&mut into[done..], at + done as u64) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn write_at(&mut self, file: Number, at: u64, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file(file)?;
        let bytes = &bytes[..within_limit(file, at, bytes.len() as u64)? as usize];
        let mut done = 0;
        while done < bytes.len() {
            match file.write_at(&bytes[done..], at + done as u64) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn is_readable(&self, file: Number) -> bool {
        self.open.get(file.0 as usize).and_then(Option::as_ref).is_some_and(|open| open.is_readable)
    }

    fn size(&mut self, file: Number) -> io::Result<u64> {
        Ok(self.file(file)?.metadata()?.len())
    }

    fn resize(&mut self, file: Number, size: u64) -> io::Result<()> {
        let file = self.file(file)?;
        check_limit(file, size)?;
        file.set_len(size)
    }

    fn allocate(&mut self, file: Number, size: u64) -> io::Result<()> {
        if size == 0 {
            return Ok(());
        }
        let file = self.file(file)?;
        check_limit(file, size)?;
        let length = i64::try_from(size).map_err(|_| errno(libc::EFBIG))?;
        nix::fcntl::posix_fallocate(file, 0, length).map_err(|number| errno(number as i32))
    }

    fn sync(&mut self, file: Number) -> io::Result<()> {
        match self.file(file)?.sync_all() {
            // There is nothing behind it that could be written later: a pipe, or a device such as /dev/null.
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
            outcome => outcome,
        }
    }

    fn delete(&mut self, path: &Path) -> io::Result<()> {
        self.through.map_or_else(|| fs::remove_file(path), |through| (through.remove)(path))
    }
}

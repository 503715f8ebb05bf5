//! The folder of a process that explores: what ranks write goes there, and the user's files stay as they are.
//!
//! A folder is locked as long as one of the processes lives that may use it: the one that made it, and its children.
//! So whoever comes later knows which ones are left over, and removes them: the supervisor at the end, and the next
//! process that needs a folder. They are in `TMPDIR`, or in `/tmp`.

use super::kind::Kind;
use crate::descriptors::hide;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;

/// What the names of all folders begin with.
pub const PREFIX: &str = "smpi-verify-";
/// Attempts to find a name that nobody has.
const ATTEMPTS: u32 = 1000;

/// Names in a directory, and what they are.
type List = BTreeMap<OsString, Kind>;

/// The folder of a process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    process: u32,
    /// The lock.
    _lock: File,
    /// Places that were given.
    places: Cell<u64>,
    /// Directories that show what is in one that ranks have changed, by its name and what is in it.
    lists: RefCell<BTreeMap<(PathBuf, List), PathBuf>>,
}

/// Locks a directory; `None` where somebody else has.
fn locked(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    // SAFETY: a descriptor of ours.
    (unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0).then_some(file)
}

/// Whether a file still has this name.
fn is_named(file: &File, path: &Path) -> bool {
    let same = |own: fs::Metadata| fs::symlink_metadata(path).is_ok_and(|named| own.ino() == named.ino());
    file.metadata().is_ok_and(same)
}

/// Removes folders that no living process uses.
pub fn sweep() {
    let directory = std::env::temp_dir();
    // SAFETY: asks who this process is.
    let user = unsafe { libc::geteuid() };
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        // Of the many that may be there, only the names are looked at.
        if !entry.file_name().as_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        if fs::symlink_metadata(&path).is_ok_and(|about| about.is_dir() && about.uid() == user) {
            // Nobody uses it any more, and nobody will. Another folder may have got the name of one that has gone.
            if let Some(lock) = locked(&path).filter(|lock| is_named(lock, &path)) {
                remove(&path);
                drop(lock);
            }
        }
    }
}

/// Removes a folder with what is in it, whatever permissions ranks have given that.
fn remove(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o700));
            remove(&entry.path());
        } else {
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(path);
}

/// Whether folders are in this directory.
pub fn is_parent(directory: &Path) -> bool {
    static PARENT: OnceLock<PathBuf> = OnceLock::new();
    PARENT.get_or_init(|| fs::canonicalize(std::env::temp_dir()).unwrap_or_default()) == directory
}

impl Folder {
    /// Makes a folder for this process.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> io::Result<Folder> {
        sweep();
        let (directory, process) = (fs::canonicalize(std::env::temp_dir())?, process::id());
        for attempt in 0..ATTEMPTS {
            let path = directory.join(format!("{PREFIX}{process}-{attempt}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Until it is locked, it looks left over, and somebody who removes such folders may come between.
            // The rank that runs may mask any permission.
            match fs::set_permissions(&path, fs::Permissions::from_mode(0o700)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                allowed => allowed?,
            }
            let Some(lock) = locked(&path).filter(|lock| is_named(lock, &path)) else { continue };
            let lock = File::from(hide(lock.into()).ok_or_else(|| io::Error::from_raw_os_error(libc::EMFILE))?);
            let (places, lists) = (Cell::new(0), RefCell::default());
            return Ok(Folder { path, process, _lock: lock, places, lists });
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Whether this process has made it.
    pub fn is_own(&self) -> bool {
        self.process == process::id()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A name in it that nobody has had.
    pub fn next_place(&self) -> PathBuf {
        let number = self.places.get();
        self.places.set(number + 1);
        self.path.join(number.to_string())
    }

    /// A directory that shows what is in the one of this name. It stays as long as the folder.
    ///
    /// # Errors
    /// The system's.
    pub fn shown(&self, name: &Path, list: List) -> io::Result<PathBuf> {
        let key = (name.to_path_buf(), list);
        if let Some(known) = self.lists.borrow().get(&key) {
            return Ok(known.clone());
        }
        let place = self.next_place();
        fs::create_dir(&place)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(0o700))?;
        for (name, kind) in &key.1 {
            let path = place.join(name);
            match kind {
                Kind::Directory => fs::create_dir(path)?,
                Kind::Link => symlink("link", path)?,
                Kind::File | Kind::Fifo | Kind::Other => drop(File::create(path)?),
            }
        }
        self.lists.borrow_mut().insert(key, place.clone());
        Ok(place)
    }

    /// The name of the directory that such a one shows.
    pub fn name_of_shown(&self, place: &Path) -> Option<PathBuf> {
        self.lists.borrow().iter().find(|(_, shown)| *shown == place).map(|((name, _), _)| name.clone())
    }

    /// Removes it; no name in it is used any more.
    pub fn remove(&self) {
        if self.is_own() {
            remove(&self.path);
        }
    }
}

//! The folder of a process that explores: what ranks write goes there, and the user's files stay as they are.

use super::kind::Kind;
use crate::descriptors::hide;
use smpi_scratch::Scratch;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Names in a directory, and what they are.
type List = BTreeMap<OsString, Kind>;

/// The folder of a process.
#[derive(Debug)]
pub struct Folder {
    scratch: Scratch,
    /// Places that were given.
    places: Cell<u64>,
    /// Directories that show what is in one that ranks have changed, by its name and what is in it.
    lists: RefCell<BTreeMap<(PathBuf, List), PathBuf>>,
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
        let hidden = |lock: File| hide(lock.into()).ok_or_else(|| io::Error::from_raw_os_error(libc::EMFILE));
        let scratch = Scratch::new(|lock| hidden(lock).map(File::from))?;
        Ok(Folder { scratch, places: Cell::new(0), lists: RefCell::default() })
    }

    /// Whether this process has made it.
    pub fn is_own(&self) -> bool {
        self.scratch.is_own()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    /// A name in it that nobody has had.
    pub fn next_place(&self) -> PathBuf {
        let number = self.places.get();
        self.places.set(number + 1);
        self.path().join(number.to_string())
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
        self.scratch.remove();
    }
}

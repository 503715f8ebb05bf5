//! Open files, as all ranks that have opened them know them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use smpi_base::map::Map;
use smpi_mpi::error::{ErrorClass, MpiError, Result};

use crate::amode::Amode;
use crate::failure;
use crate::posix::{Posix, Through};
use crate::store::{Number, Store, Wanted};
use crate::together::{Together, WINDOW};
use crate::transfer::{Moved, Target};
use crate::view::View;

/// Names what ranks have opened together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Id(pub u32);

/// An open file.
#[derive(Clone, Debug)]
pub struct Open {
    /// Its absolute name.
    pub path: Arc<Path>,
    /// The one name of the file, however it was reached; as [`Open::path`] where nothing is explored.
    pub name: Arc<Path>,
    /// What it was opened for.
    pub amode: Amode,
    /// Where the shared file pointer is, in etypes.
    pub shared: u64,
    /// Accesses are to be atomic, which they always are.
    pub is_atomic: bool,
    number: Number,
}

/// The files of a run. A copy of those of an exploration is a state to come back to.
#[derive(Clone, Debug)]
pub struct Files {
    disk: Posix,
    open: Map<Id, Open>,
    /// How many files were ever opened.
    pub opened: u64,
}

impl Files {
    /// Files on the disk.
    pub fn on_disk() -> Files {
        Files { disk: Posix::default(), open: Map::default(), opened: 0 }
    }

    /// Files of a program that is explored, which are found in this way.
    pub fn explored(through: Through) -> Files {
        Files { disk: Posix::through(through), open: Map::default(), opened: 0 }
    }

    /// Whether the program is explored.
    pub fn are_explored(&self) -> bool {
        self.disk.way().is_some()
    }

    /// Whether no file is open.
    pub fn are_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// The one name of a file, where it matters that there is only one: in a program that is explored.
    pub fn name_of(&self, path: &Path) -> PathBuf {
        self.named(path, true)
    }

    /// The same of what is removed, which may be a link.
    pub fn entry_of(&self, path: &Path) -> PathBuf {
        self.named(path, false)
    }

    fn named(&self, path: &Path, follows: bool) -> PathBuf {
        let name = self.disk.way().and_then(|through| (through.name_of)(path, follows).ok());
        name.unwrap_or_else(|| path.to_path_buf())
    }

    /// An open file.
    ///
    /// # Errors
    /// `MPI_ERR_FILE` where it has been closed.
    pub fn get(&self, id: Id) -> Result<&Open> {
        self.open.get(&id).ok_or_else(closed)
    }

    /// The same, to be changed.
    ///
    /// # Errors
    /// As [`Files::get`].
    pub fn get_mut(&mut self, id: Id) -> Result<&mut Open> {
        self.open.get_mut(&id).ok_or_else(closed)
    }

    /// Opens a file by its absolute name.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn open(&mut self, id: Id, path: PathBuf, amode: Amode) -> Result<()> {
        let wanted = Wanted {
            reads: amode.reads(),
            writes: amode.writes(),
            creates: amode.creates(),
            is_exclusive: amode.is_exclusive(),
        };
        let store = &mut self.disk;
        let opened = store.open(&path, wanted).map_err(|error| failure::error("open", &path, &error))?;
        let mut shared = 0;
        if amode.appends() {
            shared = store.size(opened).map_err(|error| failure::error("open", &path, &error))?;
        }
        self.opened += 1;
        let path: Arc<Path> = path.into();
        let name = self.name_of(&path).into();
        let open = Open { path, name, amode, shared, is_atomic: false, number: opened };
        self.open.insert(id, open);
        Ok(())
    }

    /// Closes a file, and removes it where it was opened so.
    ///
    /// # Errors
    /// The system's, as classes of MPI. The file is closed all the same.
    pub fn close(&mut self, id: Id) -> Result<()> {
        let open = self.open.remove(&id).ok_or_else(closed)?;
        let store = &mut self.disk;
        store.close(open.number);
        if open.amode.deletes() {
            store.delete(&open.path).map_err(|error| failure::error("delete", &open.path, &error))?;
        }
        Ok(())
    }

    /// Removes a file by its absolute name.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn delete(&mut self, path: &Path) -> Result<()> {
        self.disk.delete(path).map_err(|error| failure::error("delete", path, &error))
    }

    /// Bytes of a file.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn size(&mut self, id: Id) -> Result<u64> {
        self.with(id, "ask for the size of", |store, number| store.size(number))
    }

    /// Cuts a file, or lets it end later.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn resize(&mut self, id: Id, size: u64) -> Result<()> {
        self.with(id, "set the size of", |store, number| store.resize(number, size))
    }

    /// Makes sure that there is room for the first `size` bytes.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn allocate(&mut self, id: Id, size: u64) -> Result<()> {
        self.with(id, "allocate room for", |store, number| store.allocate(number, size))
    }

    /// Lets what was written reach the device.
    ///
    /// # Errors
    /// The system's, as classes of MPI.
    pub fn sync(&mut self, id: Id) -> Result<()> {
        let writes = self.get(id)?.amode.writes();
        self.with(id, "sync", |store, number| if writes { store.sync(number) } else { Ok(()) })
    }

    fn with<R>(
        &mut self,
        id: Id,
        doing: &str,
        action: impl FnOnce(&mut dyn Store, Number) -> std::io::Result<R>,
    ) -> Result<R> {
        let open = self.open.get(&id).ok_or_else(closed)?;
        action(&mut self.disk, open.number).map_err(|error| failure::error(doing, &open.path, &error))
    }

    /// Runs the action on a file that several ranks access at once; `None` where it was closed.
    pub fn moving_together(&mut self, id: Id, action: impl FnOnce(&mut Together) -> Vec<Moved>) -> Option<Vec<Moved>> {
        let open = self.open.get(&id)?;
        let (store, number) = (&mut self.disk, open.number);
        let mut together = Together { store, number, path: &open.path, window: WINDOW };
        Some(action(&mut together))
    }

    /// Runs the action on a file as it is seen by a view.
    pub fn moving(&mut self, id: Id, view: &View, action: impl FnOnce(&mut Target) -> Moved) -> Moved {
        let Some(open) = self.open.get(&id) else { return Moved { bytes: 0, error: Some(closed()) } };
        action(&mut Target { store: &mut self.disk, number: open.number, path: &open.path, view })
    }
}

fn closed() -> MpiError {
    MpiError::new(ErrorClass::FILE, "the file was closed")
}

//! Files under the checker: the disk stays as it is, and what ranks change goes to a folder of the process that
//! explores. So each execution finds the files as they were before the run, whatever other executions did, and those
//! of other processes.
//!
//! ```text
//!   files    what is looked for, changed, made, removed; states
//!   walk     from paths to names
//!   tree     what names stand for
//!   content  what is in something of this run
//!   kind     files, directories, links
//!   folder   where that is, and how it is removed
//! ```
//!
//! The functions of libc that take names use this (`calls/paths.rs`, `calls/names.rs`), and so do MPI's files
//! ([`open_file`]). A file that is changed is copied first; a name that is removed is an entry that says so; a
//! directory with other names than on the disk is shown by one of that contents. Descriptors and offsets are the
//! kernel's. Whatever takes names from a rank in another way, such as `glob`, finds what the disk has.

mod content;
mod files;
mod folder;
mod kind;
mod tree;
mod walk;

#[cfg(test)]
mod tests;

use crate::contract::{errno, set_errno};
use crate::host_cell::HostCell;
use crate::state;
use smpi_base::digest::Digest;
use std::cell::{Cell, LazyCell};
use std::collections::BTreeMap;
use std::ffi::{OsStr, c_int};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

pub use files::{Files, Fresh, Needs, Removes, Saved, Target};
pub use walk::Way;

/// The files of this process, and whether they are looked at.
struct Overlay {
    files: LazyCell<Files>,
    is_busy: Cell<bool>,
}

// SAFETY: ranks use it in their turns, and the event loop between them, after they have asked who calls.
static OVERLAY: HostCell<Overlay> =
    unsafe { HostCell::new(Overlay { files: LazyCell::new(Files::default), is_busy: Cell::new(false) }) };

/// Looks at the files. `None` while somebody else does: what is used then are files of ours.
pub fn with<R>(action: impl FnOnce(&Files) -> R) -> Option<R> {
    if OVERLAY.is_busy.replace(true) {
        return None;
    }
    let before = errno();
    // Neither are they of the rank that calls, nor is what libc needs to look at them in its heap.
    let result = state::outside_heaps(|| action(&OVERLAY.files));
    set_errno(before);
    OVERLAY.is_busy.set(false);
    Some(result)
}

/// Whether somebody looks at the files.
pub fn is_busy() -> bool {
    OVERLAY.is_busy.get()
}

/// The working directory of this process, by the name that ranks know it by.
///
/// # Errors
/// `ENOENT` where it has none any more.
pub fn here(files: &Files) -> Result<PathBuf, c_int> {
    let place = fs::read_link("/proc/self/cwd").map_err(|_| libc::ENOENT)?;
    files.name_of_place(&place).ok_or(libc::ENOENT)
}

/// From where a path goes: from the working directory, or from an open one.
///
/// # Errors
/// `EBADF`, `ENOENT`.
pub fn start(files: &Files, directory: c_int, path: &Path) -> Result<PathBuf, c_int> {
    if path.is_absolute() {
        return Ok(PathBuf::from("/"));
    }
    if directory == libc::AT_FDCWD {
        return here(files);
    }
    let place = fs::read_link(format!("/proc/self/fd/{directory}")).map_err(|_| libc::EBADF)?;
    files.name_of_place(&place).ok_or(libc::ENOENT)
}

/// Whether the working directory is none of the disk's, or not by the name that it has there.
pub fn is_away(files: &Files) -> bool {
    fs::read_link("/proc/self/cwd").is_ok_and(|place| files.name_of_place(&place).as_deref() != Some(&*place))
}

/// Whether an open file is put back with the names.
pub fn is_kept(descriptor: c_int) -> bool {
    let place = fs::read_link(format!("/proc/self/fd/{descriptor}"));
    place.is_ok_and(|place| OVERLAY.files.is_inside(&place) && fs::symlink_metadata(&place).is_ok())
}

/// Where what is said of an open file is changed. `None` where it has no name: then it is the caller's alone.
pub fn place_to_change(files: &Files, descriptor: c_int) -> Option<Result<PathBuf, c_int>> {
    let place = fs::read_link(format!("/proc/self/fd/{descriptor}")).ok()?;
    let name = files.name_of_place(&place).filter(|_| place.is_absolute() && place.exists())?;
    match files.change(Path::new("/"), &name, false, Needs::Owning) {
        Ok(Target::Place(place)) => Some(Ok(place)),
        Ok(_) => None,
        Err(error) => Some(Err(error)),
    }
}

/// A path of C.
pub fn path_of(bytes: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(bytes))
}

fn failed(number: c_int) -> io::Error {
    io::Error::from_raw_os_error(number)
}

fn busy() -> io::Error {
    io::ErrorKind::ResourceBusy.into()
}

/// The one name of what a path leads to; of a link at its end, if that is not followed.
///
/// # Errors
/// As of the system.
pub fn name_of(path: &Path, follows: bool) -> io::Result<PathBuf> {
    let found = with(|files| {
        let from = start(files, libc::AT_FDCWD, path)?;
        match files.way(&from, path, follows)? {
            Way::Elsewhere => Ok(path.to_path_buf()),
            Way::To(name, _) => Ok(name),
        }
    });
    found.ok_or_else(busy)?.map_err(failed)
}

/// A number that is another one whenever a name may stand for something else.
pub fn turn() -> u64 {
    OVERLAY.files.turn()
}

/// Opens a file for MPI, under a descriptor of ours.
///
/// # Errors
/// As of `open`.
pub fn open_file(path: &Path, (reads, writes): (bool, bool), flags: c_int) -> io::Result<File> {
    let opened = with(|files| -> io::Result<File> {
        let access = if writes { libc::O_RDWR } else { libc::O_RDONLY };
        let target = files.open(Path::new("/"), path, access | flags).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.read(reads).write(writes);
        let (place, fresh) = match target {
            Target::Same => (path.to_path_buf(), None),
            Target::Place(place) => (place, None),
            Target::New(fresh) => (fresh.place().to_path_buf(), Some(fresh)),
        };
        let file = options.create_new(fresh.is_some()).open(&place)?;
        fresh.into_iter().for_each(|fresh| files.made(fresh));
        Ok(file)
    });
    let file = opened.ok_or_else(busy)??;
    crate::descriptors::hide(file.into()).map(File::from).ok_or_else(|| failed(libc::EMFILE))
}

/// Removes a file for MPI.
///
/// # Errors
/// As of `unlink`.
pub fn remove_file(path: &Path) -> io::Result<()> {
    let removed = with(|files| files.remove(Path::new("/"), path, Removes::File));
    match removed.ok_or_else(busy)?.map_err(failed)? {
        true => Ok(()),
        false => fs::remove_file(path),
    }
}

/// The state of all files now; nothing where ranks have changed none.
pub fn save() -> Option<Rc<Saved>> {
    with(Files::save).flatten()
}

/// Puts all files back.
pub fn put_back(saved: Option<&Saved>) {
    with(|files| files.put_back(saved));
}

/// What names stand for that ranks have changed, read from the disk, as digests: for the check of ourselves.
pub fn raw() -> BTreeMap<PathBuf, u128> {
    with(Files::raw).unwrap_or_default()
}

/// Whether ranks have changed no files, as far as one can tell now.
pub fn is_untouched() -> bool {
    with(|files| files.is_untouched()).unwrap_or(false)
}

/// Adds what tells these files from those of other states.
pub fn name(into: &mut Digest) {
    with(|files| files.name(into));
}

/// Removes what this process has written, and what processes that are no more have left.
pub fn remove_all() {
    with(Files::remove_folder);
    with(|_| smpi_scratch::sweep());
}

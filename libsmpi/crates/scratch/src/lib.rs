//! Folders for what a process needs for as long as it lives: what ranks write while they are explored, what one run of
//! a program hands to the next. They are in `TMPDIR`, or in `/tmp`.
//!
//! A folder is locked as long as one of the processes lives that may use it: the one that made it, and its children by
//! fork(2). So whoever comes later knows which ones are left over, however their process ended, and removes them.
//!
//! *Invariant.* A folder whose process lives is never removed by others, and one that another user made is never
//! touched.
#![forbid(unsafe_code)]

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;

/// What the names of all folders begin with.
pub const PREFIX: &str = "smpi-scratch-";
/// Attempts to find a name that nobody has.
const ATTEMPTS: u32 = 1000;

/// A folder of this process. It is removed when this value is dropped in the process that made it.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    process: u32,
    /// The lock.
    _lock: File,
}

/// Locks a directory; `None` where somebody else has.
fn locked(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

/// Whether a file still has this name.
fn is_named(file: &File, path: &Path) -> bool {
    let same = |own: fs::Metadata| fs::symlink_metadata(path).is_ok_and(|named| own.ino() == named.ino());
    file.metadata().is_ok_and(same)
}

/// Removes folders that no living process uses.
pub fn sweep() {
    sweep_in(&std::env::temp_dir());
}

fn sweep_in(directory: &Path) {
    // The directory of a process belongs to the user that it acts for (proc(5)).
    let Ok(user) = fs::metadata("/proc/self").map(|about| about.uid()) else { return };
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
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

/// Removes a folder with what is in it, whatever permissions that was given.
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

impl Scratch {
    /// Makes a folder for this process, and removes those that are left over. The lock is the file that `keep` gives
    /// back: the same description under a number where it is not in the way.
    ///
    /// # Errors
    /// The system's.
    pub fn new(keep: impl FnOnce(File) -> io::Result<File>) -> io::Result<Scratch> {
        Scratch::new_in(&std::env::temp_dir(), keep)
    }

    fn new_in(directory: &Path, keep: impl FnOnce(File) -> io::Result<File>) -> io::Result<Scratch> {
        sweep_in(directory);
        let (directory, process) = (fs::canonicalize(directory)?, process::id());
        for attempt in 0..ATTEMPTS {
            let path = directory.join(format!("{PREFIX}{process}-{attempt}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            // Until it is locked, it looks left over, and somebody who removes such folders may come between.
            // Who asks may have masked any permission.
            match fs::set_permissions(&path, fs::Permissions::from_mode(0o700)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                allowed => allowed?,
            }
            let lock = match File::open(&path) {
                Ok(lock) => lock,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let _ = fs::remove_dir(&path);
                    return Err(error);
                }
            };
            if lock.try_lock().is_err() || !is_named(&lock, &path) {
                continue;
            }
            return Ok(Scratch { path, process, _lock: keep(lock)? });
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

    /// Removes it; no name in it is used any more.
    pub fn remove(&self) {
        if self.is_own() {
            remove(&self.path);
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        self.remove();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before a folder is locked, others take it for one that is left over.
    #[test]
    fn folders_are_made_while_others_remove_what_is_left_over() {
        let make = || {
            for _ in 0..400 {
                let scratch = Scratch::new(Ok).expect("another name is tried");
                fs::write(scratch.path().join("file"), "content").unwrap();
                sweep();
                assert!(scratch.path().is_dir(), "a locked folder stays");
            }
        };
        std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(make))));
    }

    /// In a directory of its own: in one that is shared, others sweep, too, before the folder is what it is to be.
    #[test]
    fn what_a_process_leaves_is_removed_by_the_next() {
        let shared = Scratch::new(Ok).unwrap();
        let left = shared.path().join(format!("{PREFIX}left"));
        fs::create_dir_all(left.join("inner")).unwrap();
        fs::set_permissions(left.join("inner"), fs::Permissions::from_mode(0o0)).unwrap();
        drop(Scratch::new_in(shared.path(), Ok).unwrap());
        assert!(!left.exists());
    }
}

//! Files that are there as a whole or not at all: written under another name beside their own, and renamed at the end.
//! A run that fails, is killed or finds the disk full leaves what was there before.
//!
//! What is no ordinary file (a terminal, a pipe, `/dev/stdout`) is written as it is, and so is a file in a directory
//! where no other can be made.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Attempts to find a name that nobody has.
const ATTEMPTS: u32 = 1000;

/// A file that is being written.
#[derive(Debug)]
pub struct Whole {
    file: File,
    /// Its name so far, and the one that it is to have; `None` where it has it already.
    names: Option<(PathBuf, PathBuf)>,
}

/// Writes a file.
///
/// # Errors
/// The system's.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut whole = Whole::create(path.as_ref())?;
    whole.write_all(bytes.as_ref())?;
    whole.finish()
}

impl Whole {
    /// Begins a file that is to have this name.
    ///
    /// # Errors
    /// The system's.
    pub fn create(path: &Path) -> io::Result<Whole> {
        let plain = || File::create(path).map(|file| Whole { file, names: None });
        // A link stays, and what it leads to is written.
        let (target, permissions) = match fs::metadata(path) {
            Ok(found) if found.is_file() => {
                // Who may not change the file may not put another in its place, either.
                OpenOptions::new().append(true).open(path)?;
                (fs::canonicalize(path)?, Some(found.permissions()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
                (path.to_owned(), None)
            }
            _ => return plain(),
        };
        let Some(name) = target.file_name() else { return plain() };
        for attempt in 0..ATTEMPTS {
            let mut own = std::ffi::OsString::from(".");
            own.push(name);
            own.push(format!(".{}-{attempt}", std::process::id()));
            let beside = target.with_file_name(own);
            match OpenOptions::new().write(true).create_new(true).open(&beside) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                Err(_) => return plain(),
                Ok(file) => {
                    let whole = Whole { file, names: Some((beside, target)) };
                    permissions.map_or(Ok(()), |permissions| whole.file.set_permissions(permissions))?;
                    return Ok(whole);
                }
            }
        }
        plain()
    }

    /// Gives the file its name, now that all is written.
    ///
    /// # Errors
    /// The system's.
    pub fn finish(mut self) -> io::Result<()> {
        let Some((beside, target)) = self.names.take() else { return Ok(()) };
        fs::rename(&beside, target).inspect_err(|_| drop(fs::remove_file(&beside)))
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some((beside, _)) = self.names.take() {
            // It was not finished, and says nothing.
            let _ = fs::remove_file(beside);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_whole_or_as_before() {
        let folder = std::env::temp_dir().join(format!("smpi-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let mut unfinished = Whole::create(&file).unwrap();
        unfinished.write_all(b"two").unwrap();
        drop(unfinished);
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), names(&folder)), ("one", vec!["file".to_string()]));
        symlink("file", folder.join("link")).unwrap();
        write(folder.join("link"), "three").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "three");
        assert_eq!(names(&folder), ["file", "link"]);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_symlink());
        write("/dev/null", "four").unwrap();
        assert!(write("/dev/full", "five").is_err());
        assert!(write(folder.join("no/such/folder"), "six").is_err());
        fs::remove_dir_all(folder).unwrap();
    }
}

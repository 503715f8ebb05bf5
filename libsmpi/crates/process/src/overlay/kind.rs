//! What there can be under a name.

use std::fs::{self, FileType};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// What something is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A FIFO.
    Fifo,
    /// A device or a socket.
    Other,
}

impl Kind {
    /// What the system says it is.
    pub fn of(kind: FileType) -> Kind {
        match kind {
            kind if kind.is_dir() => Kind::Directory,
            kind if kind.is_symlink() => Kind::Link,
            kind if kind.is_file() => Kind::File,
            kind if kind.is_fifo() => Kind::Fifo,
            _ => Kind::Other,
        }
    }

    /// What the disk has under a name; `None` where it has nothing.
    pub fn on_disk(name: &Path) -> Option<Kind> {
        fs::symlink_metadata(name).ok().map(|about| Kind::of(about.file_type()))
    }
}

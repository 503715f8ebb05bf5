//! Files that a command reads and writes, by the words that name them: what is written must be none of those that are
//! read, and is written once. Whether a file can be written is not asked here.

use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// The files of a command.
#[derive(Default)]
pub struct Files {
    read: Vec<(&'static str, PathBuf)>,
    written: Vec<(&'static str, PathBuf)>,
}

impl Files {
    /// `name` says who reads this file.
    pub fn reads(&mut self, name: &'static str, path: impl Into<PathBuf>) {
        self.read.push((name, path.into()));
    }

    /// The same of a trace: of its files, too, where it is a list of them.
    pub fn reads_trace(&mut self, name: &'static str, trace: &str) {
        self.reads(name, trace);
        // What is no list of files is the trace itself.
        let named = smpi_trace::files_of(Path::new(trace)).unwrap_or_default();
        named.into_iter().for_each(|path| self.reads(name, path));
    }

    /// `name` says who writes this file, or all that is in this folder.
    pub fn writes(&mut self, name: &'static str, path: impl Into<PathBuf>) {
        self.written.push((name, path.into()));
    }

    /// The folder that a trace has beside the file which names its files.
    pub fn writes_beside_trace(&mut self, name: &'static str, trace: &str) {
        self.writes(name, format!("{trace}_files"));
    }

    /// Refuses files that would be written over what is read, or over each other. Those of a folder are in it.
    ///
    /// # Errors
    /// Which file, who writes it, and who else needs it.
    pub fn check(&self) -> Result<(), Failure> {
        let refused = |(one, path): &(&str, PathBuf), (other, _): &(&str, PathBuf), does: &str| {
            Err(Failure::Refused(format!(
                "{one} {}: {other} {does} this file, which would be lost; expected another one: name it",
                path.display()
            )))
        };
        for (index, written) in self.written.iter().enumerate() {
            let place = place_of(&written.1);
            if let Some(read) = self.read.iter().find(|read| is_in(place_of(&read.1), &place)) {
                return refused(written, read, "reads");
            }
            // The folder of a trace is that trace's.
            let others = self.written[..index].iter().filter(|other| other.0 != written.0);
            if let Some(other) = others.into_iter().find(|other| is_in(place_of(&other.1), &place)) {
                return refused(written, other, "writes");
            }
        }
        Ok(())
    }
}

/// A file whatever its name: what it is on the disk, or where it will be; `None` for what is no file, as a terminal.
fn place_of(path: &Path) -> Option<PathBuf> {
    match path.metadata() {
        Ok(found) if !found.is_file() && !found.is_dir() => None,
        Ok(_) => path.canonicalize().ok(),
        Err(_) => {
            let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(directory.canonicalize().ok()?.join(path.file_name()?))
        }
    }
}

fn is_in(file: Option<PathBuf>, place: &Option<PathBuf>) -> bool {
    file.zip(place.as_ref()).is_some_and(|(file, place)| file.starts_with(place))
}

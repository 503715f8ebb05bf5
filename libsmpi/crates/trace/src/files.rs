//! Where lines go: one file for each rank, or one for all, and a file that names them.
//!
//! SMPI's `-replay` is given the file of names. Lines are kept until there are enough to be worth a write; with many
//! ranks, files are opened for each write, because a process may not have so many open.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use smpi_base::WorldRank;
use smpi_base::print::reason;

use crate::marker::{END, MARKER};

/// Bytes of lines that are kept for all ranks together, and bounds of it for each.
const KEPT: usize = 64 << 20;
const KEPT_FOR_EACH: (usize, usize) = (512, 64 << 10);
/// Files that stay open.
const OPEN: usize = 256;
/// `EMFILE` of Linux: this process has as many open as it may.
const TOO_MANY: i32 = 24;

/// The files of a trace that is being written.
#[derive(Debug)]
pub struct Output {
    /// The option of smpirun that asks for it, for messages.
    option: &'static str,
    /// The file with the names of the others.
    index: PathBuf,
    /// One for each rank, or one for all.
    paths: Vec<PathBuf>,
    files: Vec<Option<File>>,
    lines: Vec<String>,
    most: usize,
    /// The folder, which nobody else writes to meanwhile.
    _lock: File,
}

/// What went wrong with a file, for the user.
fn failed(option: &str, path: &Path, error: &io::Error) -> String {
    let why = reason(error);
    format!("{option}: {}: cannot write the trace: {why}; expected a file that can be written", path.display())
}

impl Output {
    /// Makes the files of a trace whose names are to be in `index`: in the folder of that name with `_files` behind
    /// it, one for each rank, or `one_file` for all. Messages name `option`, which asks for them.
    ///
    /// # Errors
    /// Text for the user when a file cannot be made. Then there is no folder that was not there before.
    pub fn create(option: &'static str, index: &str, ranks: u32, one_file: bool) -> Result<Output, String> {
        let folder = PathBuf::from(format!("{index}_files"));
        let is_new = !folder.exists();
        std::fs::create_dir_all(&folder).map_err(|error| failed(option, &folder, &error))?;
        let lock = File::open(&folder).map_err(|error| failed(option, &folder, &error))?;
        if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(format!(
                "{option}: {index}: another run writes this trace just now; expected one: wait for its end, or name \
                 another file"
            ));
        }
        let paths: Vec<PathBuf> = if one_file {
            vec![folder.join("all-ranks.txt")]
        } else {
            (0..ranks).map(|rank| folder.join(format!("rank-{rank}.txt"))).collect()
        };
        let (least, most) = KEPT_FOR_EACH;
        let mut output = Output {
            option,
            index: PathBuf::from(index),
            files: (0..paths.len()).map(|_| None).collect(),
            lines: vec![String::new(); ranks as usize],
            most: (KEPT / ranks.max(1) as usize).clamp(least, most),
            paths,
            _lock: lock,
        };
        // Taken away while the lock is held: nobody else has written to it.
        output.begin().inspect_err(|_| {
            if is_new {
                let _ = std::fs::remove_dir_all(&folder);
            }
        })?;
        Ok(output)
    }

    /// Makes the files, which are empty but for their first line, and the file with their names.
    fn begin(&mut self) -> Result<(), String> {
        let (mut place, mut most_open) = (0, OPEN);
        while place < self.paths.len() {
            let made = File::create(&self.paths[place]).and_then(|mut file| {
                writeln!(file, "{MARKER}")?;
                Ok(file)
            });
            match made {
                Ok(file) if self.paths.len() <= most_open => self.files[place] = Some(file),
                Ok(_) => {}
                // Fewer may be open than usual: none stays so.
                Err(error) if error.raw_os_error() == Some(TOO_MANY) && most_open > 0 => {
                    most_open = 0;
                    self.files.iter_mut().for_each(|file| *file = None);
                    continue;
                }
                Err(error) => return Err(failed(self.option, &self.paths[place], &error)),
            }
            place += 1;
        }
        let names: String = self.paths.iter().map(|path| format!("{}\n", path.display())).collect();
        smpi_base::whole::write(&self.index, names).map_err(|error| failed(self.option, &self.index, &error))
    }

    /// The lines of a rank that are not in its file yet, to add more.
    pub fn lines(&mut self, rank: WorldRank) -> &mut String {
        &mut self.lines[rank.index()]
    }

    /// Writes the lines of a rank when there are many; in any case where they are the last ones.
    ///
    /// # Errors
    /// Text for the user when that fails.
    pub fn settle(&mut self, rank: WorldRank, are_last: bool) -> Result<(), String> {
        let lines = &mut self.lines[rank.index()];
        if are_last {
            lines.push_str(&format!("{END}{rank}\n"));
        } else if lines.len() < self.most {
            return Ok(());
        }
        let place = if self.paths.len() == 1 { 0 } else { rank.index() };
        let written = match &mut self.files[place] {
            Some(file) => file.write_all(lines.as_bytes()),
            None => OpenOptions::new()
                .append(true)
                .open(&self.paths[place])
                .and_then(|mut file| file.write_all(lines.as_bytes())),
        };
        lines.clear();
        if are_last {
            *lines = String::new();
        }
        written.map_err(|error| failed(self.option, &self.paths[place], &error))
    }
}

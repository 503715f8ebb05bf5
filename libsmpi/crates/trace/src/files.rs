//! Where lines go: one file for each rank, or one for all, and a file that names them.
//!
//! SMPI's `-replay` is given the file of names. Lines are kept until there are enough to be worth a write; with many
//! ranks, files are opened for each write, because a process may not have so many open.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use smpi_base::WorldRank;

use crate::marker::MARKER;

/// Bytes of lines that are kept for all ranks together, and bounds of it for each.
const KEPT: usize = 64 << 20;
const KEPT_FOR_EACH: (usize, usize) = (512, 64 << 10);
/// Files that stay open.
const OPEN: usize = 256;

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
}

/// What went wrong with a file, for the user.
fn failed(option: &str, path: &Path, error: &io::Error) -> String {
    format!("{option}: {}: cannot write the trace: {error}; expected a file that can be written", path.display())
}

impl Output {
    /// Makes the files of a trace whose names are to be in `index`: in the folder of that name with `_files` behind
    /// it, one for each rank, or `one_file` for all. Messages name `option`, which asks for them.
    ///
    /// # Errors
    /// Text for the user when a file cannot be made.
    pub fn create(option: &'static str, index: &str, ranks: u32, one_file: bool) -> Result<Output, String> {
        let folder = PathBuf::from(format!("{index}_files"));
        std::fs::create_dir_all(&folder).map_err(|error| failed(option, &folder, &error))?;
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
        };
        for place in 0..output.paths.len() {
            let made = File::create(&output.paths[place]).and_then(|mut file| {
                writeln!(file, "{MARKER}")?;
                Ok(file)
            });
            let file = made.map_err(|error| failed(option, &output.paths[place], &error))?;
            if output.paths.len() <= OPEN {
                output.files[place] = Some(file);
            }
        }
        let names: String = output.paths.iter().map(|path| format!("{}\n", path.display())).collect();
        std::fs::write(&output.index, names).map_err(|error| failed(option, &output.index, &error))?;
        Ok(output)
    }

    /// The lines of a rank that are not in its file yet, to add more.
    pub fn lines(&mut self, rank: WorldRank) -> &mut String {
        &mut self.lines[rank.index()]
    }

    /// Writes the lines of a rank when there are many, or in any case.
    ///
    /// # Errors
    /// Text for the user when that fails.
    pub fn settle(&mut self, rank: WorldRank, in_any_case: bool) -> Result<(), String> {
        let lines = &mut self.lines[rank.index()];
        if lines.is_empty() || !in_any_case && lines.len() < self.most {
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
        if in_any_case {
            *lines = String::new();
        }
        written.map_err(|error| failed(self.option, &self.paths[place], &error))
    }
}

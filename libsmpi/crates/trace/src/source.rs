//! The lines of a trace, rank by rank: read in pieces, so that of a long trace little is in memory.
//!
//! A trace is one file for each rank, or one file for all of them. Of the latter it is known where each rank's lines
//! are; lines of a rank that follow each other are one entry of that index.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use smpi_base::print::reason;

use crate::marker::{MARKER, MARKER_START, end_of};
use crate::parse::{Problem, rank_of};

/// Bytes that are read at once for all ranks together, and bounds of it for each.
const READ: usize = 256 << 20;
const READ_FOR_EACH: (usize, usize) = (2 << 10, 64 << 10);
/// Files that stay open.
const OPEN: usize = 256;
/// Longest line.
const LONGEST: usize = 256 << 20;

/// Where lines of one rank are: first byte, length and number of the first line.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    at: u64,
    len: u64,
    line: u64,
}

/// How far one rank is.
#[derive(Debug, Default)]
struct Cursor {
    /// Stretches that follow the present one; the next one last.
    stretches: Vec<Stretch>,
    /// What is to be read of the present one.
    at: u64,
    left: u64,
    /// What is read of it, and how much of that is over.
    read: Vec<u8>,
    over: usize,
    /// The number of the line before.
    line: u64,
    /// It was said that its trace ends here.
    is_whole: bool,
}

/// The files of a trace, and how far each rank is in them.
#[derive(Debug)]
pub struct Source {
    paths: Vec<PathBuf>,
    files: Vec<Option<File>>,
    cursors: Vec<Cursor>,
    piece: usize,
    /// The line that was read last.
    text: String,
    /// The trace says that it was written here.
    is_own: bool,
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!(
        "{}: cannot read the trace: {}; expected a trace, or a file that names one for each rank",
        path.display(),
        reason(error)
    )
}

impl Source {
    /// Opens the trace that `file` is or names; `ranks`: as many as the user says, or 0.
    ///
    /// # Errors
    /// Text for the user.
    pub fn open(file: &str, ranks: u32) -> Result<Source, String> {
        let path = PathBuf::from(file);
        let first = first_line(&path)?;
        if let Some(line) = &first
            && rank_of(line).is_ok()
        {
            return Source::of_all(path, ranks);
        }
        let paths = names(&path)?;
        match paths.len() {
            0 => {
                Err(format!("{file}: there is nothing in it; expected a trace, or a file that names one for each rank"))
            }
            1 => Source::of_all(paths.into_iter().next().unwrap_or_default(), ranks),
            count if (count as u64) < u64::from(ranks) => Err(format!(
                "{file}: names the traces of {count} ranks, expected {ranks} as -np says; leave out -np, or record the \
                 program with {ranks} ranks"
            )),
            count => Source::of_each(paths, if ranks == 0 { count } else { ranks as usize }),
        }
    }

    fn of_each(mut paths: Vec<PathBuf>, ranks: usize) -> Result<Source, String> {
        paths.truncate(ranks);
        let mut files = Vec::new();
        for path in &paths {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            files.push((paths.len() <= OPEN).then_some(file));
        }
        let cursor = |_| Cursor { left: u64::MAX, ..Cursor::default() };
        let cursors = (0..ranks).map(cursor).collect();
        let is_own = paths.first().is_some_and(|path| is_marked(path));
        Ok(Source { paths, files, cursors, piece: piece(ranks), text: String::new(), is_own })
    }

    /// A file with the lines of all ranks: finds out where those of each are.
    fn of_all(path: PathBuf, ranks: u32) -> Result<Source, String> {
        let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        let mut cursors: Vec<Cursor> = (0..ranks).map(|_| Cursor::default()).collect();
        let mut lines = BufReader::with_capacity(1 << 20, &file);
        let (mut at, mut number, mut line) = (0u64, 0u64, Vec::new());
        // Whose the last line was, and where it ended.
        let mut last = (usize::MAX, 0);
        loop {
            line.clear();
            let len = lines.read_until(b'\n', &mut line).map_err(|error| unreadable(&path, &error))? as u64;
            if len == 0 {
                break;
            }
            number += 1;
            let place = || format!("{}:{number}", path.display());
            if line.len() > LONGEST {
                return Err(format!("{}: a line of more than {LONGEST} bytes; expected a trace", place()));
            }
            let text = std::str::from_utf8(&line).map_err(|_| not_text(&place()))?;
            check_version(text, &place)?;
            if let Some(cursor) = end_of(text).and_then(|rank| cursors.get_mut(rank)) {
                cursor.is_whole = true;
            }
            if let Some((rank, _)) = rank_of(text).map_err(|problem| in_words(&place(), &problem))? {
                let index = rank as usize;
                if ranks > 0 && rank >= ranks {
                    return Err(format!(
                        "{}: an action of rank {rank}, expected ranks below {ranks} as -np says; leave out -np",
                        place()
                    ));
                }
                if index >= cursors.len() {
                    cursors.resize_with(index + 1, Cursor::default);
                }
                let stretches = &mut cursors[index].stretches;
                match stretches.last_mut() {
                    Some(stretch) if last == (index, at) => stretch.len += len,
                    _ => stretches.push(Stretch { at, len, line: number }),
                }
                last = (index, at + len);
            }
            at += len;
        }
        if cursors.is_empty() {
            return Err(format!(
                "{}: there is no action in it; expected lines as in \"0 compute 1e9\"",
                path.display()
            ));
        }
        for cursor in &mut cursors {
            cursor.stretches.reverse();
            cursor.stretches.shrink_to_fit();
        }
        let (piece, is_own) = (piece(cursors.len()), is_marked(&path));
        Ok(Source { paths: vec![path], files: vec![Some(file)], cursors, piece, text: String::new(), is_own })
    }

    /// How many ranks the trace has.
    pub fn ranks(&self) -> u32 {
        self.cursors.len() as u32
    }

    /// Whether the trace says that it was written here, and not by SMPI.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// Whether what was read of a rank is all that was recorded of it, where the trace was written here.
    pub fn is_whole(&self, rank: usize) -> bool {
        !self.is_own || self.cursors[rank].is_whole
    }

    /// The line that a rank had last, as a place.
    pub fn place(&self, rank: usize) -> String {
        let path = &self.paths[if self.paths.len() == 1 { 0 } else { rank }];
        format!("{}:{}", path.display(), self.cursors[rank].line)
    }

    /// The next line of a rank that has an action, without the rank; `None` when there is none.
    ///
    /// # Errors
    /// Text for the user.
    pub fn next(&mut self, rank: usize) -> Result<Option<&str>, String> {
        loop {
            if !self.read_line(rank)? {
                let cursor = &mut self.cursors[rank];
                (cursor.read, cursor.over) = (Vec::new(), 0);
                return Ok(None);
            }
            check_version(&self.text, &|| self.place(rank))?;
            let found = rank_of(&self.text).map_err(|problem| in_words(&self.place(rank), &problem))?;
            let Some((number, rest)) = found else {
                self.cursors[rank].is_whole |= end_of(&self.text) == Some(rank);
                continue;
            };
            if number as usize != rank {
                let place = self.place(rank);
                return Err(format!(
                    "{place}: an action of rank {number}, expected one of rank {rank}: the file is named as that of rank \
                     {rank}; name the files in the order of ranks"
                ));
            }
            // It is the end of the trimmed line.
            let offset = self.text.trim().len() - rest.len();
            return Ok(Some(&self.text.trim()[offset..]));
        }
    }

    /// Reads a line of a rank into `text`; false at the end.
    fn read_line(&mut self, rank: usize) -> Result<bool, String> {
        loop {
            let cursor = &mut self.cursors[rank];
            let rest = &cursor.read[cursor.over..];
            let ends = rest.iter().position(|byte| *byte == b'\n');
            let is_last = cursor.left == 0;
            if ends.is_some() || is_last && !rest.is_empty() {
                let line = &rest[..ends.unwrap_or(rest.len())];
                self.text.clear();
                match std::str::from_utf8(line) {
                    Ok(line) => self.text.push_str(line),
                    Err(_) => return Err(not_text(&self.place(rank))),
                }
                cursor.over += line.len() + usize::from(ends.is_some());
                cursor.line += 1;
                return Ok(true);
            }
            if is_last {
                let Some(next) = cursor.stretches.pop() else { return Ok(false) };
                (cursor.at, cursor.left, cursor.line) = (next.at, next.len, next.line - 1);
            }
            self.read_piece(rank)?;
        }
    }

    fn read_piece(&mut self, rank: usize) -> Result<(), String> {
        let place = if self.paths.len() == 1 { 0 } else { rank };
        let cursor = &mut self.cursors[rank];
        cursor.read.drain(..cursor.over);
        cursor.over = 0;
        let before = cursor.read.len();
        if before > LONGEST {
            return Err(format!("{}: a line of more than {LONGEST} bytes; expected a trace", self.place(rank)));
        }
        let more = cursor.left.min(self.piece.max(before) as u64) as usize;
        cursor.read.resize(before + more, 0);
        let opened;
        let file = match &self.files[place] {
            Some(file) => file,
            None => {
                opened = File::open(&self.paths[place]).map_err(|error| unreadable(&self.paths[place], &error))?;
                &opened
            }
        };
        let count = file
            .read_at(&mut cursor.read[before..], cursor.at)
            .map_err(|error| unreadable(&self.paths[place], &error))?;
        cursor.read.truncate(before + count);
        cursor.at += count as u64;
        cursor.left = if count == 0 { 0 } else { cursor.left - count as u64 };
        Ok(())
    }
}

fn piece(ranks: usize) -> usize {
    (READ / ranks.max(1)).clamp(READ_FOR_EACH.0, READ_FOR_EACH.1)
}

fn not_text(place: &str) -> String {
    format!("{place}: bytes that are not UTF-8 text; expected a time-independent trace")
}

/// A problem at a place, for the user.
pub fn in_words(place: &str, problem: &Problem) -> String {
    format!("{place}: {}; expected {}", problem.found, problem.expected)
}

/// Refuses traces of other versions.
fn check_version(line: &str, place: &impl Fn() -> String) -> Result<(), String> {
    if !line.starts_with(MARKER_START) || line.trim_end() == MARKER {
        return Ok(());
    }
    let version = line.trim_end().strip_prefix(MARKER_START).unwrap_or_default();
    Err(format!(
        "{}: a trace of version {version}, expected version 1; replay it with the libsmpi that wrote it, or record it again",
        place()
    ))
}

/// Whether the file begins with the marker of traces that are written here.
fn is_marked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut line = Vec::new();
    let is_read = io::Read::take(BufReader::new(file), 1 << 10).read_until(b'\n', &mut line).is_ok();
    is_read && line.starts_with(MARKER_START.as_bytes())
}

/// The first line that is no comment.
fn first_line(path: &Path) -> Result<Option<String>, String> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = io::Read::take(&mut lines, 1 << 20).read_until(b'\n', &mut line);
        if read.map_err(|error| unreadable(path, &error))? == 0 {
            return Ok(None);
        }
        let text = std::str::from_utf8(&line).map_err(|_| not_text(&path.display().to_string()))?.trim();
        if !text.is_empty() && !text.starts_with('#') {
            return Ok(Some(text.to_string()));
        }
    }
}

/// The files of a trace: those that this file names, or itself where it has lines of ranks.
///
/// # Errors
/// Text for the user when a file cannot be read, or there is none of a name.
pub fn files_of(path: &Path) -> Result<Vec<PathBuf>, String> {
    let is_list = first_line(path)?.is_some_and(|line| rank_of(&line).is_err());
    if is_list { names(path) } else { Ok(vec![path.to_owned()]) }
}

/// The files that a file names: beside it where they are not where the name says.
fn names(path: &Path) -> Result<Vec<PathBuf>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut paths = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let candidates = [PathBuf::from(name), folder.join(name)];
        match candidates.into_iter().find(|candidate| candidate.is_file()) {
            Some(found) => paths.push(found),
            None => {
                return Err(format!(
                    "{}:{number}: there is no file \"{name}\", expected the trace of a rank in each line, or an action as \
                     in \"0 compute 1e9\"",
                    path.display()
                ));
            }
        }
    }
    Ok(paths)
}

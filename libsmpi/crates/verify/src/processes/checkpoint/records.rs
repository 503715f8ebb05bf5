//! The file of a checkpoint: a line that names the format, then records that are only ever appended.
//!
//! ```text
//!   smpi-checkpoint 2 ⏎ │ record │ record │ … │ the beginning of a record that was cut off
//!   record:   length of the bytes (8) │ their check sum (8) │ bytes        numbers are little-endian
//! ```
//!
//! A process may be killed, and a disk may be full, in the middle of a record: whoever reads the file stops at the
//! first record that is not whole, and whoever goes on with it cuts it there. So the file needs no second copy beside
//! it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use smpi_base::digest::Digest;
use smpi_process as process;
use smpi_runtime::summary::Wall;

/// The first line, which changes when the meaning of the records does.
const FORMAT: &[u8] = b"smpi-checkpoint 2\n";

/// What stands before the number of a format.
const NAME: &[u8] = b"smpi-checkpoint ";

/// Bytes before those of a record.
const HEAD: usize = 16;

/// Seconds after which what was written is forced to the disk.
const FORCED_SECS: f64 = 1.0;

/// Seconds that another process has to give the file up.
const PATIENCE_SECS: f64 = 3.0;

/// A file that records are appended to.
pub struct Records {
    file: File,
    path: String,
    /// Bytes up to the end of the last whole record.
    len: u64,
    /// A record could not be written.
    has_failed: bool,
    /// When the disk has got all.
    forced_secs: f64,
    wall: Wall,
}

/// What a file held.
#[derive(Default)]
pub struct Held {
    bytes: Vec<u8>,
    /// Where the records are in it.
    pub records: Vec<Range<usize>>,
    /// Bytes behind the last whole record, which were dropped.
    pub dropped: usize,
}

impl Held {
    /// The bytes of a record, or of a part of it.
    pub fn bytes(&self, of: Range<usize>) -> &[u8] {
        self.bytes.get(of).unwrap_or_default()
    }
}

impl Records {
    /// Makes a file.
    ///
    /// # Errors
    /// Text for the user: there is one already, or it cannot be written.
    pub fn create(path: &str) -> Result<Records, String> {
        let open = || OpenOptions::new().append(true).create(true).open(path);
        let mut records = Records::lock(path, open)?;
        match records.file.metadata() {
            Ok(found) if found.len() == 0 => {}
            Ok(_) => {
                return Err(format!(
                    "--checkpoint {path}: the file exists; go on with what it holds by --resume {path}, or remove it"
                ));
            }
            Err(error) => return Err(cannot("--checkpoint", path, &error)),
        }
        records.write(FORMAT).map_err(|error| cannot("--checkpoint", path, &error))?;
        Ok(records)
    }

    /// Opens a file and reads what it holds.
    ///
    /// # Errors
    /// Text for the user: there is none, it is no checkpoint, it has another format, or it cannot be written.
    pub fn open(path: &str) -> Result<(Records, Held), String> {
        let mut records = Records::lock(path, || OpenOptions::new().read(true).append(true).open(path))?;
        let mut bytes = Vec::new();
        records.file.read_to_end(&mut bytes).map_err(|error| cannot("--resume", path, &error))?;
        if !bytes.starts_with(FORMAT) {
            return Err(other_format(path, &bytes));
        }
        let (found, end) = whole(&bytes);
        records.len = end as u64;
        let dropped = bytes.len() - end;
        if dropped > 0 {
            records.file.set_len(records.len).map_err(|error| cannot("--resume", path, &error))?;
        }
        bytes.truncate(end);
        Ok((records, Held { bytes, records: found, dropped }))
    }

    /// Opens a file that no other process writes.
    fn lock(path: &str, open: impl FnOnce() -> io::Result<File>) -> Result<Records, String> {
        let option = "--checkpoint and --resume";
        let file = process::at_home(open).map_err(|error| cannot(option, path, &error))?;
        let no_room = || format!("{option} {path}: too many files are open");
        let file = File::from(process::hide(OwnedFd::from(file)).ok_or_else(no_room)?);
        let wall = Wall::start();
        // Some file systems have no locks: then nobody notices who else writes. Workers of a process that was killed
        // may take a moment to end.
        while let Err(TryLockError::WouldBlock) = file.try_lock() {
            if wall.seconds() > PATIENCE_SECS {
                return Err(format!(
                    "{option} {path}: another exploration writes it; wait for its end, or take another file"
                ));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Records { file, path: path.to_string(), len: 0, has_failed: false, forced_secs: 0.0, wall })
    }

    /// Appends a record of these parts: whether that was possible. Returns text for the user the first time that it was
    /// not. What could not be written is cut off again, so that the file holds whole records.
    ///
    /// # Errors
    /// The disk is full, or the like.
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<bool, String> {
        let body = parts.concat();
        let mut record = Vec::with_capacity(HEAD + body.len());
        record.extend((body.len() as u64).to_le_bytes());
        record.extend(sum(&body));
        record.extend(body);
        let Err(error) = self.write(&record) else { return Ok(true) };
        let _ = self.file.set_len(self.len);
        if std::mem::replace(&mut self.has_failed, true) {
            return Ok(false);
        }
        Err(format!(
            "{}: cannot write the checkpoint: {}; the exploration goes on, and what cannot be written is explored again \
             by --resume",
            self.path,
            smpi_base::print::reason(&error)
        ))
    }

    /// What a part of the file holds, of one that was opened to go on with it; `None` where it cannot be read.
    pub fn read(&self, of: Range<usize>) -> Option<Vec<u8>> {
        let mut bytes = vec![0; of.len()];
        self.file.read_exact_at(&mut bytes, of.start as u64).ok()?;
        Some(bytes)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        without_signal(|| self.file.write_all(bytes))?;
        self.len += bytes.len() as u64;
        if self.wall.seconds() > self.forced_secs + FORCED_SECS {
            self.file.sync_data()?;
            self.forced_secs = self.wall.seconds();
        }
        Ok(())
    }
}

/// Writes where a limit of the size of files is an error and no signal.
fn without_signal<R>(write: impl FnOnce() -> R) -> R {
    // SAFETY: system calls with valid arguments; the signal that was held back is taken before it is let through
    // again.
    unsafe {
        let (mut held, mut before): (libc::sigset_t, libc::sigset_t) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigemptyset(&mut held);
        libc::sigaddset(&mut held, libc::SIGXFSZ);
        libc::sigprocmask(libc::SIG_BLOCK, &held, &mut before);
        let result = write();
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        libc::sigtimedwait(&held, std::ptr::null_mut(), &now);
        libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        result
    }
}

/// Where the whole records are, and where the last of them ends.
fn whole(bytes: &[u8]) -> (Vec<Range<usize>>, usize) {
    let (mut found, mut at) = (Vec::new(), FORMAT.len());
    while let Some(head) = bytes.get(at..at + HEAD) {
        let (len, check) = head.split_at(8);
        let len = u64::from_le_bytes(len.try_into().unwrap_or_default()) as usize;
        let from = at + HEAD;
        let Some(to) = from.checked_add(len).filter(|&to| to <= bytes.len()) else { break };
        if sum(&bytes[from..to]) != check {
            break;
        }
        found.push(from..to);
        at = to;
    }
    (found, at)
}

/// The check sum of a record.
fn sum(bytes: &[u8]) -> [u8; 8] {
    (Digest::of_bytes(bytes) as u64).to_le_bytes()
}

/// Why a file is none of this format.
fn other_format(path: &str, bytes: &[u8]) -> String {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    match line.strip_prefix(NAME) {
        Some(number) => format!(
            "--resume {path}: the checkpoint has format {}, expected 2: another version of smpirun has written it; go on \
             with that version, or begin again with --checkpoint",
            String::from_utf8_lossy(number)
        ),
        None => format!("--resume {path}: the file is no checkpoint; expected one that --checkpoint has written"),
    }
}

fn cannot(option: &str, path: &str, error: &io::Error) -> String {
    let reason = smpi_base::print::reason(error);
    let next = match error.kind() {
        io::ErrorKind::NotFound => "expected a file that --checkpoint has written, in a directory that exists",
        _ => "expected a file that can be read and written",
    };
    format!("{option} {path}: {reason}; {next}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &str) -> String {
        let path = std::env::temp_dir().join(format!("smpi-records-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path.display().to_string()
    }

    fn texts(held: &Held) -> Vec<&[u8]> {
        held.records.iter().map(|record| held.bytes(record.clone())).collect()
    }

    /// Wherever a file is cut off, all records before that place are read, and others can be appended.
    #[test]
    fn a_file_that_was_cut_off_anywhere_holds_its_whole_records() {
        let path = path("cut");
        let mut records = Records::create(&path).unwrap();
        let all: [&[u8]; 3] = [b"first", b"", b"the third"];
        let mut ends = vec![records.len];
        for text in all {
            records.append(&[&text[..text.len() / 2], &text[text.len() / 2..]]).unwrap();
            ends.push(records.len);
        }
        drop(records);
        let bytes = std::fs::read(&path).unwrap();
        for cut in ends[0] as usize..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let count = ends.iter().filter(|&&end| end <= cut as u64).count() - 1;
            let (mut records, held) = Records::open(&path).unwrap();
            assert_eq!(texts(&held), all[..count], "{cut}");
            assert_eq!(held.dropped as u64, cut as u64 - ends[count]);
            records.append(&[b"more"]).unwrap();
            drop(records);
            let (_, held) = Records::open(&path).unwrap();
            assert_eq!((texts(&held).len(), held.dropped), (count + 1, 0));
        }
        // A byte that is not what was written: what comes before it counts.
        let mut wrong = bytes.clone();
        wrong[bytes.len() - 1] ^= 1;
        std::fs::write(&path, &wrong).unwrap();
        assert_eq!(texts(&Records::open(&path).unwrap().1), all[..2]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn files_of_others_are_refused_by_name() {
        let path = path("others");
        assert!(Records::open(&path).err().unwrap().contains("--checkpoint has written"));
        std::fs::write(&path, "a report").unwrap();
        assert!(Records::open(&path).err().unwrap().contains("no checkpoint"));
        assert!(Records::create(&path).err().unwrap().contains("--resume"));
        std::fs::write(&path, "smpi-checkpoint 7\n").unwrap();
        assert!(Records::open(&path).err().unwrap().contains("format 7, expected 2"));
        std::fs::remove_file(&path).unwrap();
        assert!(Records::create("/nowhere/at/all").is_err());
    }
}

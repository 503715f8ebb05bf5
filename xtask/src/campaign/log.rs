//! The log of all campaigns on this machine, one line for each turn and each cell of what was covered, and the folder
//! of what failed.

use crate::shell;
use smpi_tests::covered::Covered;
use std::io::Write;
use std::path::PathBuf;

/// One turn of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// When it ended.
    pub date: String,
    /// The commit of the tree.
    pub commit: String,
    /// The campaign.
    pub name: String,
    /// The first seed.
    pub seed: u64,
    /// How many cases.
    pub count: u64,
    /// How long they took.
    pub secs: f64,
    /// File that says what failed; empty if nothing did.
    pub failure: String,
}

impl Turn {
    fn line(&self) -> String {
        let Turn { date, commit, name, seed, count, secs, failure } = self;
        format!("turn\t{date}\t{commit}\t{name}\t{seed}\t{count}\t{secs:.1}\t{failure}\n")
    }

    fn read(line: &str) -> Option<Turn> {
        let words: Vec<&str> = line.split('\t').collect();
        let ["turn", date, commit, name, seed, count, secs, failure] = words[..] else { return None };
        Some(Turn {
            date: date.into(),
            commit: commit.into(),
            name: name.into(),
            seed: seed.parse().ok()?,
            count: count.parse().ok()?,
            secs: secs.parse().ok()?,
            failure: failure.into(),
        })
    }
}

/// The log and its folder, `target/campaign`.
pub struct Log {
    directory: PathBuf,
}

impl Log {
    /// Makes the folder if there is none.
    ///
    /// # Errors
    /// When that does not work.
    pub fn open() -> Result<Log, String> {
        let directory = shell::target()?.join("campaign");
        shell::make_parent(&directory.join("failures/one"))?;
        Ok(Log { directory })
    }

    fn path(&self) -> PathBuf {
        self.directory.join("log.tsv")
    }

    /// Appends a turn.
    ///
    /// # Errors
    /// When the log cannot be written.
    pub fn append(&self, turn: &Turn, covered: &Covered) -> Result<(), String> {
        let path = self.path();
        let file = std::fs::File::options().append(true).create(true).open(&path);
        let write = |mut file: std::fs::File| file.write_all((turn.line() + &covered.lines()).as_bytes());
        file.and_then(write).map_err(|e| format!("{}: {e}", path.display()))
    }

    /// Everything that was appended.
    ///
    /// # Errors
    /// When there is no log.
    pub fn read(&self) -> Result<(Vec<Turn>, Covered), String> {
        let path = self.path();
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok((text.lines().filter_map(Turn::read).collect(), Covered::read(&text)))
    }

    /// Writes what a failed turn said, below the commands that repeat it; returns the file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn failure(&self, name: &str, seed: u64, text: &str) -> Result<String, String> {
        let path = self.directory.join(format!("failures/{name}-{seed}.txt"));
        shell::write(&path, text)?;
        Ok(path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_were_written() {
        let turn = Turn { name: "memory".into(), seed: 3, count: 40, secs: 1.5, ..Turn::default() };
        assert_eq!(Turn::read(turn.line().trim_end_matches('\n')), Some(turn));
        assert_eq!(Turn::read("covered\ta\tb\tc\t1"), None);
    }
}

//! Which run is being made, on a terminal; nothing elsewhere.

use std::io::{IsTerminal, Write};

/// Takes the cursor to the start of the line and removes what is there.
const CLEAR_LINE: &str = "\r\x1b[K";

/// A line on stderr that is overwritten.
#[derive(Debug)]
pub struct Progress {
    total: usize,
    done: usize,
    shown: bool,
}

impl Progress {
    /// For this many runs.
    pub fn new(total: usize) -> Progress {
        Progress { total, done: 0, shown: std::io::stderr().is_terminal() }
    }

    /// The next run begins.
    pub fn next(&mut self, what: &str) {
        self.done += 1;
        self.overwrite(&format!("[{}/{}] {what} ...", self.done, self.total));
    }

    /// Makes room for a line of the table.
    pub fn clear(&self) {
        self.overwrite("");
    }

    fn overwrite(&self, line: &str) {
        if self.shown {
            // A terminal that is gone needs no progress.
            let _ = write!(std::io::stderr(), "{CLEAR_LINE}{line}");
        }
    }
}

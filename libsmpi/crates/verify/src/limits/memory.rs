//! `--memory`: how much of it an exploration has.
//!
//! A copy of a state is a cache: without it, the choices since the last one are made again. So from half of the limit
//! on, copies are taken rarely. From three quarters on, states that were explored are moved to files. What remains is
//! the path to the present state, for the most part: if that reaches the limit, the exploration ends, and says so.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use smpi_base::plan::VerifyPlan;
use smpi_process as process;

/// So many states are worth a file: half a MiB.
const LEAST_MOVED: usize = 1 << 12;

/// Of so many questions, one looks.
const SHARE: u32 = 128;

/// The memory of this process beside its limit. What the program has at its first choice is not what is short.
pub(crate) struct Memory {
    limit: u64,
    asked: u32,
    /// Bytes, when it looked first.
    first: Option<u64>,
    /// Bytes, when it looked last.
    used: u64,
}

impl Memory {
    /// With the limit that is wanted, if one is.
    pub fn of(options: &VerifyPlan) -> Memory {
        Memory { limit: options.memory_bytes, asked: 0, first: None, used: 0 }
    }

    /// More than half of what was free at first is used.
    pub fn is_short(&mut self) -> bool {
        self.uses(2)
    }

    /// Three quarters are, and there are so many states that moving them to files gains something.
    pub fn wants_room(&mut self, movable: usize) -> bool {
        movable >= LEAST_MOVED && self.uses(3)
    }

    /// All of it is used.
    pub fn is_over(&mut self) -> bool {
        self.look() > self.limit && self.limit > 0
    }

    /// More quarters than this are used of what was free when it looked first.
    fn uses(&mut self, quarters: u64) -> bool {
        let used = self.look();
        let first = *self.first.get_or_insert(used);
        self.limit > 0 && used > first + self.limit.saturating_sub(first) / 4 * quarters
    }

    fn look(&mut self) -> u64 {
        if self.limit > 0 && self.asked.is_multiple_of(SHARE) {
            self.used = resident().unwrap_or(0);
        }
        self.asked = self.asked.wrapping_add(1);
        self.used
    }
}

/// A file without a name, in `TMPDIR` or where large temporary files belong (`hier(7)`).
pub(crate) fn new_file() -> io::Result<File> {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let directory = std::env::var_os("TMPDIR").map_or_else(|| PathBuf::from("/var/tmp"), PathBuf::from);
    let number = MADE.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!("libsmpi-states-{}-{number}", std::process::id()));
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).map_err(named)?;
    std::fs::remove_file(&path).map_err(named)?;
    let hidden = process::hide(file.into()).ok_or_else(io::Error::last_os_error)?;
    Ok(hidden.into())
}

/// Bytes that this process has in memory (`proc_pid_status(5)`).
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_is_compared_with_the_limit() {
        let with =
            |memory_bytes, first| Memory { first, ..Memory::of(&VerifyPlan { memory_bytes, ..VerifyPlan::default() }) };
        let used = resident().unwrap();
        assert!(used > 1 << 16);
        assert!(with(1, Some(0)).is_short() && with(1, None).is_over());
        assert!(with(used + used / 2, Some(0)).is_short() && !with(2 * used, None).is_over());
        assert!(with(used, Some(0)).wants_room(LEAST_MOVED) && !with(used, Some(0)).wants_room(LEAST_MOVED - 1));
        assert!(!with(64 * used, Some(0)).is_short() && !with(2 * used, Some(0)).wants_room(LEAST_MOVED));
        // What is used when one looks first is no reason.
        assert!(!with(used + used / 8, None).is_short() && !with(0, None).is_over() && !with(0, None).is_short());
    }

    #[test]
    fn a_file_for_states_has_no_name() {
        use std::os::unix::fs::{FileExt, MetadataExt};
        let file = new_file().unwrap();
        file.write_all_at(b"states", 3).unwrap();
        assert_eq!((file.metadata().unwrap().len(), file.metadata().unwrap().nlink()), (9, 0));
    }
}

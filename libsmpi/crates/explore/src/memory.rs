//! `--memory`: how much of it an exploration has.
//!
//! A copy of a state is a cache: without it, the choices since the last one are made again. So from half of the limit
//! on, copies are taken rarely. At the limit the exploration ends, and says so.

use smpi_base::plan::VerifyPlan;

/// Of so many questions, one looks.
const SHARE: u32 = 32;

/// The memory of this process beside its limit.
pub(super) struct Memory {
    limit: u64,
    asked: u32,
    /// Bytes, when it looked last.
    used: u64,
}

impl Memory {
    /// With the limit that is wanted, if one is.
    pub fn of(options: &VerifyPlan) -> Memory {
        Memory { limit: options.memory_bytes, asked: 0, used: 0 }
    }

    /// More than half of it is used.
    pub fn is_short(&mut self) -> bool {
        self.look() > self.limit / 2 && self.limit > 0
    }

    /// All of it is used.
    pub fn is_over(&mut self) -> bool {
        self.look() > self.limit && self.limit > 0
    }

    fn look(&mut self) -> u64 {
        if self.limit > 0 && self.asked.is_multiple_of(SHARE) {
            self.used = resident().unwrap_or(0);
        }
        self.asked = self.asked.wrapping_add(1);
        self.used
    }
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
        let with = |memory_bytes| Memory::of(&VerifyPlan { memory_bytes, ..VerifyPlan::default() });
        let used = resident().unwrap();
        assert!(used > 1 << 16);
        assert!(with(1).is_short() && with(1).is_over());
        assert!(with(used + used / 2).is_short() && !with(2 * used).is_over());
        assert!(!with(64 * used).is_short() && !with(0).is_short() && !with(0).is_over());
    }
}

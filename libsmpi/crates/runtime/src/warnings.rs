//! Warnings of a simulation, each cause once.

use smpi_report::Finding;
use smpi_report::finding::Findings;

/// Warnings of a simulation, each cause once.
#[derive(Default)]
pub struct Warnings {
    /// What was found.
    pub found: Findings,
}

/// Causes that are printed one by one; the others are counted.
pub const MAX_WARNINGS: usize = 20;

impl Warnings {
    /// The finding, if it is to be printed.
    pub fn add(&mut self, finding: Finding) -> Option<&Finding> {
        if !self.found.add(finding) {
            return None;
        }
        let all = self.found.as_slice();
        if all.len() <= MAX_WARNINGS { all.last() } else { None }
    }
}

//! Warnings of a simulation, each cause once.

use smpi_report::{Finding, Findings};

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

#[cfg(test)]
mod tests {
    use smpi_report::FindingKey;
    use smpi_report::finding::Location;

    use super::*;

    #[test]
    fn each_cause_is_printed_once_and_not_too_many() {
        let mut warnings = Warnings::default();
        let names: Vec<String> = (0..MAX_WARNINGS + 3).map(|number| format!("MPI_Function{number}")).collect();
        let of = |name: &str| Finding::new(FindingKey::TypeMismatch, name).located(Location::new(0, name));
        let mut printed = Vec::new();
        for name in names.iter().chain(&names) {
            printed.extend(warnings.add(of(name)).map(|finding| finding.message.clone()));
        }
        assert_eq!(printed, names[..MAX_WARNINGS]);
        assert_eq!(warnings.found.as_slice().len(), names.len());
    }
}

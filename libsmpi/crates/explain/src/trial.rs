//! What comes of a program that is made otherwise: as many executions as there are, counted by what they show.

use crate::known::{Fault, Known};
use crate::program::Program;

/// What came of it.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Trial {
    /// Executions that were seen to their end, each once.
    pub executions: u64,
    /// How many of them show the failure, or something else that counts as one.
    pub failing: u64,
    /// How many of the others have an error of another kind.
    pub elsewhere: u64,
    /// There are no others.
    pub complete: bool,
}

/// Explores a program that is made otherwise, with at most so many executions. `faults`: what counts as a failure.
pub fn trial<P: Program>(program: &mut P, faults: &[Fault], most: u64) -> Trial {
    let mut known = Known::default();
    let seen = program.below(&[], most, None, &mut |row| known.add(row));
    // Where executions are merged, each end is shown all the same.
    let mut trial = Trial { complete: seen.complete, ..Trial::default() };
    for row in known.rows() {
        trial.executions += 1;
        let fails = faults.iter().any(|&fault| row.fails(fault));
        trial.failing += u64::from(fails);
        trial.elsewhere += u64::from(!fails && !row.is_clean);
    }
    trial
}

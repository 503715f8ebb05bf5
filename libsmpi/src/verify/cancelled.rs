//! Exploring a program that cancels requests ([`smpi_mpi::cancel`]): which ones is found out, and then everything
//! begins again.

use std::collections::BTreeSet;

use smpi_report::Findings;
use smpi_verification::Name;

use super::system::{Program, driven};
use super::workers::Explored;
use super::{interrupt, trail};

/// Requests that the program may cancel.
pub type Names = BTreeSet<Name>;

/// Requests that the present exploration knows as cancellable.
pub fn names() -> Names {
    driven(|driver, _| driver.known_cancels().cancellable.clone())
}

/// Whether a request was cancelled that was not known as cancellable: what is explored now is of no use.
pub fn is_surprised() -> bool {
    driven(|driver, _| !driver.known_cancels().discovered.is_empty())
}

impl Program {
    /// Declares which requests the program may cancel, from the next reset on.
    pub fn set_cancellable(&mut self, names: Names) {
        trail::note_cancellable(&names);
        driven(|driver, _| driver.set_cancellable(names));
    }

    /// Explores one mode, again and again until all requests are known that are cancelled in it.
    pub fn explore_cancels(
        &mut self,
        findings: &mut Findings,
        mut explore: impl FnMut(&mut Program, &mut Findings) -> Explored,
    ) -> Explored {
        let before = findings.clone();
        let mut known = Names::new();
        loop {
            self.set_cancellable(known.clone());
            let mut explored = explore(self, findings);
            explored.discovered.extend(driven(|driver, _| driver.take_discovered()));
            if explored.discovered.is_empty() || explored.timed_out || interrupt::wanted() {
                return explored;
            }
            known.append(&mut explored.discovered);
            findings.clone_from(&before);
            trail::forget_findings(findings.as_slice());
        }
    }
}

//! Exploring a program that does what its exploration has to know of from the start: it cancels requests
//! (`driver/cancel.rs` of `smpi-choices`), or the order of its locks or atomic accesses matters
//! (`driver/order.rs`). When the exploration finds out something new of this kind, it begins again.

use smpi_choices::{Discoveries, bound};
use smpi_report::Findings;

use crate::limits::interrupt;
use crate::program::{Program, driven};
use crate::search::outcome::Explored;
use crate::trail;

impl Program {
    /// Explores one mode, again and again until all is known that has to be.
    pub fn explore_knowing(
        &mut self,
        findings: &mut Findings,
        mut explore: impl FnMut(&mut Program, &mut Findings) -> Explored,
    ) -> Explored {
        let before = findings.clone();
        let mut known = Discoveries::new();
        loop {
            self.foresee(&known);
            let mut explored = explore(self, findings);
            explored.discovered.extend(driven(|driver, _| driver.take_discovered()));
            if explored.discovered.is_empty() || explored.timed_out || interrupt::wanted() {
                if explored.instead.is_some() {
                    begin_anew(findings, &before);
                }
                return explored;
            }
            known.append(&mut explored.discovered);
            bound(&mut known);
            begin_anew(findings, &before);
        }
    }
}

/// Nothing counts that was found since then.
fn begin_anew(findings: &mut Findings, before: &Findings) {
    findings.clone_from(before);
    trail::forget_findings(findings.as_slice());
}

//! Exploring a program that cancels requests (`driver/cancel.rs` of `smpi-verification`): when the exploration finds a
//! new cancelled request, it begins again with the name of this request.

use smpi_report::Findings;
use smpi_verification::Names;

use super::explored::Explored;
use super::system::{Program, driven};
use super::{interrupt, trail};

impl Program {
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

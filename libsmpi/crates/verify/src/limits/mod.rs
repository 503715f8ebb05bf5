//! What ends an exploration from outside: interrupts, memory, and calls that do not end.

pub(crate) mod interrupt;
pub(crate) mod memory;

use smpi_base::plan::VerifyPlan;
use smpi_checker::{Flow, Observer, Outlook, Stats};
use smpi_process as process;
use smpi_runtime::summary::Wall;

/// Starts to watch for calls that do not end, if that is wanted; false where the system refuses.
pub(crate) fn watch_steps(options: &VerifyPlan) -> bool {
    process::grow_table();
    options.call_timeout_secs <= 0.0 || process::watch_steps(options.call_timeout_secs)
}

/// Ends walks when the time is up, and at Ctrl-C.
pub struct Patient<'a> {
    /// The time limit is one of these.
    pub options: &'a VerifyPlan,
    /// The time.
    pub wall: &'a Wall,
}

impl<S> Observer<S> for Patient<'_> {
    fn visit(&mut self, _: &Stats, _: &dyn Fn() -> Option<Outlook>) -> Flow {
        let limit = self.options.time_limit_secs;
        let is_late = limit > 0.0 && self.wall.seconds() > limit;
        if is_late || interrupt::wanted() { Flow::Stop } else { Flow::Continue }
    }
}

/// This process, a child of `parent`, ends when that one does, or now if it has ended already: nobody would end it
/// then, and nobody waits for what it finds.
pub fn end_with(parent: u32) {
    // SAFETY: system calls with valid arguments; the last one ends this process only.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() as u32 != parent {
            libc::_exit(smpi_base::exit::INTERNAL_BUG);
        }
    }
}

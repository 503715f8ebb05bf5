//! gprof's profile (`-pg`): libc keeps one a process, for the code of one program. Ranks get none, rather than one that
//! is not right, and the run says so once; gcov's counters are in each rank's image and need nothing from us.

use crate::contract::Table;
use smpi_base::eprintln;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the start files of a program with a profile call at its begin and end.
pub const REPLACED: Table =
    &[("__monstartup", begin as *const ()), ("monstartup", begin as *const ()), ("_mcleanup", end as *const ())];

/// Leaves libc's profile off, in which state `mcount` counts nothing.
extern "C" fn begin(_low: usize, _high: usize) {
    static IS_SAID: AtomicBool = AtomicBool::new(false);
    if !IS_SAID.swap(true, Ordering::Relaxed) {
        eprintln!(
            "smpirun: warning: compiled with -pg, but libc has one profile a process, which is that of all ranks: there \
             will be no gmon.out; -wrapper \"valgrind --tool=callgrind\" makes a profile"
        );
    }
}

extern "C" fn end() {}

//! Exit codes of `smpirun`, in one table. The user's view of it is in `docs/smpirun.md`.
//!
//! A run that ends by itself has the code of the lowest rank that failed (0 when none did); the codes here are for
//! everything that is not the program's own doing.

/// A verification found an error in the program.
pub const FOUND: i32 = 1;
/// The command line, the platform, the hostfile or a program file is refused; nothing ran.
pub const REFUSED: i32 = 2;
/// All ranks wait for each other.
pub const DEADLOCK: i32 = 3;
/// libsmpi did something it must not do; please report it.
pub const INTERNAL_BUG: i32 = 4;
/// The simulated host of a rank failed, and that ended the rank.
pub const HOST_FAILED: i32 = 5;

/// A verification found nothing, and is not complete, although that was required.
pub const INCOMPLETE: i32 = 6;

/// Exit code of a run whose rank died of `signal` (or that was interrupted by it), as shells count.
pub fn of_signal(signal: i32) -> i32 {
    128 + signal
}

//! Signals of ranks: dispositions, masks and pending signals belong to the rank, not to the process.
//!
//! The kernel has one handler for each signal of interest, ours ([`handler`]); what a rank asked for stands in
//! its own table, and the handler looks there. A signal that a rank sends itself (`raise`, a timer) does not go through
//! the kernel: its handler is called like a function, on the rank's stack. Masks are the kernel's, so that `sigsetjmp`
//! and `siglongjmp` see them; they are only switched with ranks that ever changed one. Signals from outside are for all
//! ranks that have a handler, as under mpirun. In children of `fork`, and on threads that ranks started, everything is
//! libc's.
//!
//! Source: POSIX.1-2017, System Interfaces 2.4; signal(7) for default actions.

pub mod calls;
mod computing;
pub mod deliver;
mod forward;
pub mod handler;
pub mod question;
pub mod sleeping;
mod timer_calls;
pub mod timers;

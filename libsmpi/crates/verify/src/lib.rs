//! Verification: the ranks of a run under the checker.
//!
//! [`program`] makes the ranks a [`smpi_checker::System`]: they run until nothing moves, and the checker makes one of
//! the open choices. To make another choice, the checker first restores the ranks' earlier state. All of this runs in a
//! child process of the [`supervisor`], which follows its progress by the [`trail`].
//!
//! Rooms, each of which needs only those above it:
//!
//! | room | what |
//! |---|---|
//! | [`limits`], [`trail`] | what ends an exploration from outside; its present schedule, in memory that outlives it |
//! | [`program`] | the hosted ranks: their states, copies of them, names for them, single steps |
//! | [`schedule`] | executions as texts that replay, in words, as charts |
//! | [`findings`] | what is wrong: at one state, or by comparing executions |
//! | [`explaining`] | why an execution failed |
//! | [`options`] | what options mean for the exploration |
//! | [`search`] | one process explores: what it watches, what came out, how much there would be |
//! | [`page`] | what an exploration consists of, drawn |
//! | [`property`] | `--ltl` and `--automaton`, on the graph of states |
//! | [`processes`] | several processes share the work |
//! | [`stepping`] | one schedule, step by step in both directions |
//! | [`report`], [`replay`], [`modes`] | what is said; one schedule; all kinds of buffering |
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod explaining;
mod findings;
mod limits;
mod modes;
mod options;
mod page;
mod processes;
mod program;
mod property;
mod replay;
mod report;
mod schedule;
mod search;
mod stepping;
mod supervisor;
mod trail;

use std::os::fd::{FromRawFd, OwnedFd};

use smpi_base::eprintln;
use smpi_base::exit::REFUSED;
use smpi_base::plan::RunPlan;
use smpi_process::{self as process, Ranks};
use smpi_report::verdict::Report;

use limits::watch_steps;
use modes::verify;
use processes::nodes::serving::serve;
use program::Program;
use replay::replay;
use report::empty_report;

/// The stream to the process that has the messages of an explorer which is one of several. It is taken out of the
/// ranks' part of the table of descriptors before they see it.
pub fn link(plan: &RunPlan) -> Option<OwnedFd> {
    let node = plan.verify.as_ref()?.node.as_ref()?;
    // SAFETY: whoever started this process has handed the descriptor on for this, and nobody else knows of it.
    process::hide(unsafe { OwnedFd::from_raw_fd(node.descriptor) })
}

/// Verifies a program, or executes one schedule of it; returns the exit code.
///
/// `link` is what [`link()`] gave.
pub fn run(plan: &RunPlan, ranks: Ranks, link: Option<OwnedFd>) -> i32 {
    let Some(options) = &plan.verify else { return REFUSED };
    process::catch_crashes();
    process::keep_error();
    smpi_watch::access::look_at(ranks.files());
    let report = Report { libraries: ranks.libraries(), ..empty_report(plan, options, ranks.first_count()) };
    supervisor::supervise(plan, options, report.clone(), move |wall| {
        let mut ranks = ranks;
        if !watch_steps(options) {
            eprintln!("smpirun: note: the system has no timer left: --call-timeout has no effect");
        }
        ranks.isolate();
        let mut program = Program::new(ranks, options);
        match &options.replay {
            Some(token) => replay(&mut program, (options, report), token),
            None => match (link, &options.node) {
                (Some(link), Some(node)) if node.rank > 0 => serve(&mut program, link, (plan, options), wall),
                (link, _) => verify(&mut program, report, (plan, options), link, wall),
            },
        }
    })
}

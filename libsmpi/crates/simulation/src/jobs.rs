//! Jobs: messages between hosts and accesses of disks that other layers than MPI ask for. A job is done in stages, one
//! after another; what is in a stage goes on at the same time.

use std::collections::VecDeque;

use smpi_base::HostId;
use smpi_base::map::Map;
use smpi_engine::{Engine, Token};
use smpi_platform::DiskId;

/// A part of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// So many bytes travel from one host to another.
    Message {
        /// Where from.
        from: HostId,
        /// Where to.
        to: HostId,
        /// What is on the wire.
        bytes: u64,
    },
    /// So many bytes are read from a disk, or written to it.
    Disk {
        /// Which one.
        disk: DiskId,
        /// How many bytes.
        bytes: u64,
        /// They are written.
        writes: bool,
    },
}

/// Parts of a job that go on at the same time.
pub type Stage = Vec<Step>;

#[derive(Debug)]
struct Job {
    later: VecDeque<Stage>,
    /// Steps of the present stage that are not over.
    open: usize,
}

/// The jobs under way.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    under_way: Map<u32, Job>,
    started: u32,
}

impl Jobs {
    /// Starts a job, unless it has no steps; gives its number. `token` marks the activities of a job.
    pub fn start(&mut self, engine: &mut Engine, stages: Vec<Stage>, token: u64) -> Option<u32> {
        let later: VecDeque<Stage> = stages.into_iter().filter(|stage| !stage.is_empty()).collect();
        if later.is_empty() {
            return None;
        }
        let number = self.started;
        self.started = self.started.wrapping_add(1);
        self.under_way.insert(number, Job { later, open: 0 });
        self.next_stage(engine, number, token);
        Some(number)
    }

    /// A step of a job is over; whether the job is.
    pub fn step_over(&mut self, engine: &mut Engine, number: u32, token: u64) -> bool {
        let Some(job) = self.under_way.get_mut(&number) else { return false };
        job.open -= 1;
        job.open == 0 && !self.next_stage(engine, number, token)
    }

    /// Begins the next stage; false when there is none, and the job is over.
    fn next_stage(&mut self, engine: &mut Engine, number: u32, token: u64) -> bool {
        let Some(job) = self.under_way.get_mut(&number) else { return false };
        let Some(stage) = job.later.pop_front() else {
            self.under_way.remove(&number);
            return false;
        };
        job.open = stage.len();
        let token = Token(token | u64::from(number));
        for step in stage {
            match step {
                Step::Message { from, to, bytes } => engine.start_flow(from, to, bytes, token),
                Step::Disk { disk, bytes, writes } => engine.start_access(disk, bytes, writes, token),
            };
        }
        true
    }
}

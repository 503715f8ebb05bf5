//! Accesses of files that take simulated time, until the jobs that the simulated machine does for them are over.

use smpi_base::map::Map;
use smpi_base::{SimTime, WorldRank};
use smpi_files::Moved;

use crate::files::Reply;

/// What a run has spent on files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    /// Bytes of files that were read and took time.
    pub read_bytes: u64,
    /// Bytes that were written and took time.
    pub written_bytes: u64,
    /// Bytes of files that no disk of the platform has: they took no time.
    pub free_bytes: u64,
    /// Seconds from the begin of each rank's accesses to their ends, all together.
    pub secs: f64,
}

/// What a rank is told at the end of its access.
pub(crate) type Answer = (WorldRank, Reply, Moved);

/// Accesses that are over together.
#[derive(Debug)]
struct Group {
    /// Jobs that are not over.
    open: usize,
    began: SimTime,
    answers: Vec<Answer>,
}

/// The accesses that take time.
#[derive(Debug, Default)]
pub(crate) struct FileJobs {
    /// The group of each job under way.
    groups_of: Map<u32, u32>,
    groups: Map<u32, Group>,
    begun: u32,
    pub spent: Spent,
}

impl FileJobs {
    /// Ranks will be told when all of these jobs are over, of which there is one at least.
    pub fn begin(&mut self, now: SimTime, jobs: &[u32], answers: Vec<Answer>) {
        let number = self.begun;
        self.begun = number.wrapping_add(1);
        self.groups_of.extend(jobs.iter().map(|job| (*job, number)));
        self.groups.insert(number, Group { open: jobs.len(), began: now, answers });
    }

    /// A job is over: who is told so.
    pub fn end(&mut self, now: SimTime, job: u32) -> Vec<Answer> {
        let Some(number) = self.groups_of.remove(&job) else { return Vec::new() };
        let Some(group) = self.groups.get_mut(&number) else { return Vec::new() };
        group.open -= 1;
        if group.open > 0 {
            return Vec::new();
        }
        let Some(Group { began, answers, .. }) = self.groups.remove(&number) else { return Vec::new() };
        self.spent.secs += (now.secs() - began.secs()) * answers.len() as f64;
        answers
    }
}

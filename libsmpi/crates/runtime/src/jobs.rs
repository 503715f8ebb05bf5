//! Ranks that were spawned together, and what a rank wants to be spawned.

use std::hash::{BuildHasher, Hash, Hasher};
use std::rc::Rc;

use smpi_base::HostId;
use smpi_base::map::FxBuildHasher;
use smpi_mailbox::Context;
use smpi_mpi::group::Group;
use smpi_process::AppSpec;

/// Ranks that were spawned together.
#[derive(Clone, Hash, Debug)]
pub struct Job {
    /// The context of their communicator `MPI_COMM_WORLD`.
    pub context: Context,
    /// Its members.
    pub members: Group,
    /// The context of the intercommunicator with those that spawned them, and these.
    pub parents: (Context, Group),
    /// One past the last rank of each of their programs.
    pub ends: Vec<u32>,
}

impl Job {
    /// Which of the programs the rank at this place runs.
    pub fn app_of(&self, place: u32) -> u32 {
        self.ends.partition_point(|&end| end <= place) as u32
    }

    /// Where the ranks of the same program as that at this place begin, and one past the last.
    pub fn range_of(&self, place: u32) -> (u32, u32) {
        let app = self.app_of(place) as usize;
        let start = if app == 0 { 0 } else { self.ends.get(app - 1).copied().unwrap_or(0) };
        (start, self.ends.get(app).copied().unwrap_or(self.members.size()))
    }
}

/// What a rank wants to be spawned.
#[derive(Clone, Debug)]
pub struct Spawn {
    /// The programs, and for each the hosts that its ranks go to, one after the other; none: those that are due.
    pub apps: Vec<(AppSpec, Vec<HostId>)>,
    /// The ranks that get the intercommunicator.
    pub parents: Group,
}

impl Spawn {
    /// How many ranks that are.
    pub fn count(&self) -> u32 {
        self.apps.iter().map(|(app, _)| app.ranks).sum()
    }

    /// A digest of what is spawned, which is the same in every execution.
    pub fn digest(&self) -> u32 {
        let mut hasher = FxBuildHasher.build_hasher();
        for (AppSpec { path, args, ranks, directory }, hosts) in &self.apps {
            (path, args, ranks, directory, hosts).hash(&mut hasher);
        }
        let all = hasher.finish();
        (all ^ all >> 32) as u32
    }
}

/// What has become of it.
#[derive(Clone, Debug)]
pub enum Spawned {
    /// The ranks are there; the context is that of the intercommunicator.
    There {
        /// They.
        members: Group,
        /// The context of the intercommunicator.
        context: Context,
    },
    /// A program cannot be loaded: why.
    Refused(Rc<str>),
    /// There are not enough numbers for them: so many are left.
    TooMany(u32),
}

//! What the runtime keeps: the MPI world, the simulated platform under it, and where every rank stands.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use smpi_abi::Callee;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_base::{HostId, SimTime, WorldRank};
use smpi_mailbox::Context;
use smpi_mpi::comm::WORLD_CONTEXT;
use smpi_mpi::error::Result;
use smpi_mpi::group::{Group, Shared};
use smpi_mpi::ports::NameCall;
use smpi_mpi::rma::WindowId;
use smpi_mpi::usage::Origin;
use smpi_mpi::world::{Clock, World};
use smpi_platform::Platform;
use smpi_process::Naps;
use smpi_trace::Recorder;

use crate::amend::Amend;
use crate::below::Below;
use crate::config::Settings;
use crate::failure::Failure;
use crate::file_jobs::FileJobs;
use crate::files::FileSystem;
use crate::jobs::{Job, Spawn, Spawned};
use crate::memory::Touched;
use crate::objects::RankObjects;
pub use crate::phase::MpiPhase;
use crate::warnings::Warnings;
use crate::watch::Watch;

/// Where one rank stands.
#[derive(Clone, Debug, Default)]
pub struct RankRun {
    /// Relation to `MPI_Init` and `MPI_Finalize`.
    pub phase: MpiPhase,
    /// Where it called `MPI_Init`.
    pub initialised: Origin,
    /// Errors that its calls have returned, each place and class once.
    pub returned: Vec<Returned>,
    /// What `MPI_Init_thread` provided; `MPI_THREAD_SINGLE` is 0.
    pub thread_level: i32,
    /// The MPI function it is in, or was in last.
    pub call: Callee,
    /// Whose code it runs.
    pub doing: Doing,
    /// In how many further ones it is: by functions of the program that those before have called.
    pub inner_calls: u32,
    /// How often it has waited in this call for something that is over, and been told the outcome.
    pub waited: u32,
    /// An access has waited for its target to expose its memory, and might not have. The rank has done nothing else
    /// since.
    pub awaited_post: Option<AwaitedPost>,
    /// Whether it runs, waits, or is over.
    pub standing: Standing,
    /// Delays and computations of it that are under way.
    pub under_way: u32,
    /// Where in its program it waits, or waited last, while it is explored: a number of `own_site`.
    pub waits_at: u64,
    /// The function of that call.
    pub waits_in: Callee,
    /// Where it waited last for a request that was not started, while it is explored, and where that was made.
    pub idle: Option<(Origin, Origin)>,
    /// What it waits for, in words that are only made when asked for.
    pub waits: Waits,
    /// When it entered the MPI function it is in.
    pub entered: SimTime,
    /// Time spent inside MPI functions.
    pub communication: SimTime,
    /// Time in which it slept outside of them.
    pub asleep: SimTime,
    /// When it ended.
    pub ended: SimTime,
    /// Sleeps since it last entered MPI, where time does not pass.
    pub naps: Option<Naps>,
    /// What the program said about its next Waitany.
    pub annotation: Option<Annotation>,
    /// Memory of interest, for programs that report their accesses.
    pub watch: Watch,
    /// Callbacks of its tool wait for events.
    pub is_observed: bool,
    /// How much of its work the program says is done, from 0 to 1: for people who wait.
    pub done: Option<f64>,
    /// What the program has said is to be observed.
    pub propositions: Rc<[Proposition]>,
    /// Memory that it has declared not to matter (`MC_ignore`).
    pub ignored: Rc<[Range<usize>]>,
    /// The ranks that were spawned with it; `None` for those of the command line.
    pub job: Option<Rc<Job>>,
    /// What has become of the ranks that it spawns, until it takes notice.
    pub spawned: Option<Spawned>,
    /// The answer to what it did with a name of a port, until it takes notice.
    pub named: Option<Result<String>>,
    /// Calls that it has made at the line that is amended, as far as they are counted.
    pub amended: u32,
}

/// Whether a rank runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Standing {
    /// It may be spawned, and has not been: it counts as one that has ended well.
    Unborn,
    /// It waits, in a call or before its first instruction.
    #[default]
    Waiting,
    /// It waits, and is in the next batch because of a signal, though what it waits for has not happened.
    Signalled,
    /// It is in the next batch, or runs.
    Ready,
    /// It ends at a call that cannot go on as the program wants, so that nothing after it is explored.
    Stopping,
    /// It is over.
    Over {
        /// Its exit code.
        exit: i32,
        /// It was [`Standing::Stopping`] before.
        stopped: bool,
    },
}

impl Standing {
    /// The exit code of a rank that does nothing any more.
    pub fn exit(self) -> Option<i32> {
        match self {
            Standing::Unborn => Some(0),
            Standing::Over { exit, .. } => Some(exit),
            Standing::Waiting | Standing::Signalled | Standing::Ready | Standing::Stopping => None,
        }
    }

    /// The rank does nothing any more, or not yet.
    pub fn is_over(self) -> bool {
        self.exit().is_some()
    }

    /// The rank is in the next batch.
    pub fn is_due(self) -> bool {
        matches!(self, Standing::Ready | Standing::Signalled)
    }

    /// The rank was ended, or is about to be, at a call that cannot go on as its program wants.
    pub fn is_stopped(self) -> bool {
        matches!(self, Standing::Stopping | Standing::Over { stopped: true, .. })
    }
}

/// Whose code a rank runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Doing {
    /// Its program's, outside of MPI.
    #[default]
    Program,
    /// That of an MPI function.
    Call,
    /// A reduction of its program's, for a call.
    Reduction,
    /// A function of its program's that says whether a proposition is true, at the beginning of a call.
    Proposition,
}

impl Doing {
    /// The rank is in a call, which may run a function of its program.
    pub fn is_call(self) -> bool {
        self != Doing::Program
    }
}

/// Errors that calls at one place have returned to their program.
#[derive(Clone, Debug)]
pub struct Returned {
    /// Where.
    pub origin: Origin,
    /// The error class, or the program's own code.
    pub class: i32,
    /// What was wrong with which argument of the first one.
    pub why: Option<String>,
    /// How many.
    pub count: u64,
}

/// A statement about one rank, which is true or not at any moment.
#[derive(Clone, Hash, Debug)]
pub struct Proposition {
    /// As the program names it.
    pub name: Rc<str>,
    /// What says whether it is true.
    pub source: Source,
    /// Whether it was true at the rank's last call.
    pub is_true: bool,
    /// Whether it was true when others saw it last.
    pub is_shown: bool,
}

/// What says whether a proposition is true, by its address.
#[derive(Clone, Copy, Hash, Debug)]
pub enum Source {
    /// An `int` of the rank's that is not 0 then.
    Variable(usize),
    /// A function of the rank's that returns something else than 0 then.
    Function(usize),
}

impl Source {
    /// Whether the proposition is true now. On the stack of the rank, because a function of its program may be called.
    pub fn now(self) -> bool {
        let value = match self {
            // SAFETY: the program has said that there is an `int` of its own, which lives until it says otherwise by
            // its end.
            Source::Variable(address) => unsafe { std::ptr::with_exposed_provenance::<c_int>(address).read_volatile() },
            Source::Function(address) => {
                let address = std::ptr::with_exposed_provenance::<c_void>(address);
                // SAFETY: the program has said that there is a function of this type, which lives as long as its image.
                let function = unsafe { std::mem::transmute::<*const c_void, extern "C" fn() -> c_int>(address) };
                function()
            }
        };
        value != 0
    }
}

impl RankRun {
    /// Adds what may still become of the rank as far as it is said here. A rank in a call that has been told something
    /// already has none, because the call may remember it, and neither has one in a function of the program that a call
    /// runs.
    pub fn name(&self, into: &mut Digest) -> Named {
        let RankRun {
            phase,
            initialised: _,
            returned: _,
            thread_level,
            call,
            doing,
            inner_calls,
            waited,
            awaited_post,
            standing,
            under_way,
            waits_at: _,
            waits_in: _,
            idle: _,
            waits,
            entered: _,
            communication: _,
            asleep: _,
            ended: _,
            naps,
            annotation,
            watch,
            is_observed: _,
            done: _,
            propositions,
            ignored,
            job,
            spawned,
            named,
            amended,
        } = self;
        into.add((standing, job));
        if standing.is_over() {
            into.add((phase, propositions));
            return Ok(());
        }
        let unnamed = [
            (
                *inner_calls > 0 || matches!(doing, Doing::Reduction | Doing::Proposition),
                "a call runs a function of the program",
            ),
            (*waited > 0, "a call waits for the second time"),
            (*standing == Standing::Signalled || *under_way > 0, "a rank handles a signal, or sleeps"),
            (spawned.is_some() || named.is_some(), "ranks are being spawned, or names of ports are used"),
            (
                annotation.is_some() || watch.name(into),
                "accesses to windows, or results that do not matter, are followed",
            ),
        ];
        if let Some((_, why)) = unnamed.iter().find(|(is_so, _)| *is_so) {
            return Err(Unnamed(why));
        }
        into.add((phase, thread_level, call, doing, waits, awaited_post));
        into.add((naps.is_some(), propositions, ignored, amended));
        Ok(())
    }
}

/// What an access has waited for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct AwaitedPost {
    /// The window.
    pub window: WindowId,
    /// The target, as a rank of it.
    pub target: u32,
    /// Choices that were made before it waited.
    pub choices: u64,
}

/// An annotation that waits for its call.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// One entry for each request: it matters that this one is returned.
    pub relevant: Box<[bool]>,
    /// Where it was made.
    pub origin: Origin,
}

/// What a blocked rank waits for.
#[derive(Clone, Copy, Hash, Debug, Default, PartialEq)]
pub enum Waits {
    /// Nothing, or simulated time.
    #[default]
    Time,
    /// Requests.
    Requests,
    /// A message that a blocking probe looks for.
    Message,
    /// Its attached buffer to become empty.
    Buffer,
    /// An answer of the driver.
    Answer,
}

/// Which ranks there are, of which programs, and where.
pub struct Layout {
    /// The host of every rank.
    pub placement: Vec<HostId>,
    /// World ranks at which the programs of the command line start, and one past the last.
    pub app_starts: Vec<u32>,
    /// The speed that this machine is taken to have for each of these programs, in flop/s.
    pub host_speeds: Vec<f64>,
    /// The number of ranks of the command line.
    pub first_ranks: u32,
    /// One past the highest number of a rank that has been there.
    pub highest: u32,
}

/// What went wrong, until it is told.
#[derive(Default)]
pub struct Trouble {
    /// What the checks found in a simulation.
    pub warnings: Warnings,
    /// What went wrong on the path that is explored now.
    pub failures: Vec<Failure>,
    /// Ranks whose hosts have failed, as far as that was not said.
    pub fallen: Vec<WorldRank>,
    /// Set by `MPI_Abort` and fatal errors: who did so in this instant, and the codes of the run.
    pub aborted: Vec<(WorldRank, i32)>,
    /// What a function that says whether a proposition is true has done and must not do.
    pub misused_proposition: Option<String>,
}

/// What ranks have asked for that is done when all that run now have stopped, and what stays of it.
#[derive(Default)]
pub struct Asked {
    /// What is done with files and takes time.
    pub(crate) file_jobs: FileJobs,
    /// Ranks that are to be spawned when all that run now have stopped.
    pub to_spawn: Vec<(WorldRank, Spawn)>,
    /// What ranks do with names of ports at this instant.
    pub name_calls: Vec<(WorldRank, String, NameCall)>,
    /// Ranks that stay connected though they have freed the communicators that they had in common.
    pub links: Vec<(WorldRank, WorldRank)>,
}

impl Asked {
    /// What ranks have asked for in an instant that is not executed to its end.
    pub fn forget_instant(&mut self) {
        self.to_spawn.clear();
        self.name_calls.clear();
    }
}

/// What is followed beside what happens.
pub struct Follows {
    /// Where objects are made is remembered: in a verification, and with `--strict`.
    pub track_sites: bool,
    /// Where states are remembered: ranks whose memory was written by others.
    pub touched: Option<Touched>,
    /// What programs say is to be observed is: ranks wait until others have seen what has changed.
    pub shows_propositions: bool,
    /// What ranks do is written to a trace.
    pub trace: Option<Box<Recorder>>,
}

/// The whole run.
pub struct Runtime {
    /// MPI state.
    pub world: World,
    /// What is below MPI.
    pub driver: Below,
    /// The objects behind every rank's C handles.
    pub objects: Vec<RankObjects>,
    /// Members of groups that several ranks have.
    pub groups: Shared,
    /// Where the ranks stand.
    pub ranks: Vec<RankRun>,
    /// Ranks to run in the next batch.
    pub ready: Vec<WorldRank>,
    /// Everything configurable.
    pub settings: Settings,
    /// The platform, for names.
    pub platform: Arc<Platform>,
    /// Files, and what is to be done with them.
    pub files: FileSystem,
    /// Which ranks there are, of which programs, and where.
    pub layout: Layout,
    /// What went wrong, until it is told.
    pub trouble: Trouble,
    /// What ranks have asked for that is done when all that run now have stopped, and what stays of it.
    pub asked: Asked,
    /// What is followed beside what happens.
    pub follows: Follows,
    /// Calls that are made as if the program were written otherwise.
    pub amend: Amend,
}

impl Runtime {
    /// Where a rank stands.
    pub fn run(&mut self, rank: WorldRank) -> &mut RankRun {
        &mut self.ranks[rank.index()]
    }

    /// Puts a rank into the next batch.
    pub fn make_ready(&mut self, rank: WorldRank) {
        let standing = &mut self.ranks[rank.index()].standing;
        match *standing {
            Standing::Waiting => self.ready.push(rank),
            Standing::Signalled => {}
            Standing::Unborn | Standing::Ready | Standing::Stopping | Standing::Over { .. } => return,
        }
        *standing = Standing::Ready;
    }

    /// Puts a rank into the next batch so that it handles a signal; then it goes on waiting.
    pub fn signal(&mut self, rank: WorldRank) {
        let standing = &mut self.ranks[rank.index()].standing;
        if *standing == Standing::Waiting {
            *standing = Standing::Signalled;
            self.ready.push(rank);
        }
    }

    /// Ends a rank's burst of computation; true when the rank has to wait until it is done.
    #[inline]
    pub fn charge(&mut self, rank: WorldRank) -> bool {
        let waits = self.driver.burst_ends(rank);
        if waits && self.follows.trace.is_some() {
            self.note_computation(rank);
        }
        waits
    }

    #[cold]
    fn note_computation(&mut self, rank: WorldRank) {
        let charged = self.driver.simulation().map(|simulation| simulation.charged().to_vec()).unwrap_or_default();
        if let Some(trace) = &mut self.follows.trace {
            trace.computed(rank, &charged);
        }
    }

    /// The communicator `MPI_COMM_WORLD` of a rank: its context and its members.
    pub fn world_of(&self, rank: WorldRank) -> (Context, Group) {
        match &self.ranks[rank.index()].job {
            Some(job) => (job.context, job.members.clone()),
            None => (WORLD_CONTEXT, Group::range(0, self.layout.first_ranks)),
        }
    }

    /// Of the ranks that were started together, the first that runs the same program as this one, and one past the
    /// last.
    pub fn range_of(&self, rank: WorldRank) -> (u32, u32) {
        if let Some(job) = &self.ranks[rank.index()].job {
            return job.range_of(job.members.rank_of(rank).unwrap_or(0));
        }
        let program = self.app_of(rank) as usize;
        let end = self.layout.app_starts.get(program + 1).copied().unwrap_or(self.layout.first_ranks);
        (self.layout.app_starts.get(program).copied().unwrap_or(0), end)
    }

    /// Index of the program that a rank runs, among those that were started with it.
    pub fn app_of(&self, rank: WorldRank) -> u32 {
        if let Some(job) = &self.ranks[rank.index()].job {
            return job.members.rank_of(rank).map_or(0, |place| job.app_of(place));
        }
        self.layout.app_starts.partition_point(|&start| start <= rank.0).saturating_sub(1) as u32
    }
}

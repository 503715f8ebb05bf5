//! The state of MPI in a run: every rank's requests and what was posted but not yet committed.
//!
//! A rank that calls MPI changes its own [`RankState`] at once and *posts* what concerns others. When all ranks that
//! were ready at an instant have blocked, [`World::commit`] hands the posts to the mailbox in rank order, so that
//! nothing depends on the order in which the host ran the ranks. Nothing here blocks: the C layer suspends a rank
//! when [`World::wait_begin`] says that it has to, and runs it again when its number is in [`World::take_woken`].
//!
//! Time and policy are below: the [`Fabric`] says how long a transfer takes (simulation) or when it happens (checker).

use smpi_base::WorldRank;
use smpi_base::table::Table;
use smpi_checker::history::History;
use smpi_mailbox::{CommId, Mailboxes, Pattern};

use crate::bsend::{BufferOwner, Buffers};
use crate::cancel::Cancels;
use crate::causality::{Causality, Sent};
use crate::choosing::Choosing;
use crate::comm::Agreements;
use crate::datatype::Datatype;
use crate::error::{ErrorClass, MpiError, Result};
use crate::gate::Meetings;
use crate::memory::{Addr, Memory};
use crate::notes::Note;
use crate::polls::Polls;
use crate::progress::{Data, Outgoing};
use crate::protocol::Thresholds;
use crate::request::{Body, Completion, Phase, Request, RequestKey, Status};
use crate::tape::Tape;

/// What moves the messages: the simulated network, or the checker.
pub trait Fabric {
    /// Starts to move a message of `wire_size` bytes (envelope included). [`World::transfer_done`] is called when it
    /// has arrived, never from within this call.
    fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64);
}

/// Memory of the ranks, and scratch memory in it.
pub trait RankMemory: Memory {
    /// A block of `len` bytes aligned to 16 that [`Memory`] reaches as memory of `rank`. Contents arbitrary.
    fn reserve(&mut self, rank: WorldRank, len: usize) -> Addr;
    /// Gives a block back.
    fn release(&mut self, rank: WorldRank, at: Addr, len: usize);
}

/// What one rank has.
#[derive(Clone, Debug, Default)]
pub struct RankState {
    /// Its requests.
    pub requests: Table<Request>,
    /// Requests that must still finish before the rank goes on; 0 when it does not wait for requests.
    pub(crate) waiting: u32,
    /// The probe it is blocked in: pattern, and whether it takes the message.
    pub(crate) probing: Option<(Pattern, bool)>,
    /// Answer to its last probe.
    pub(crate) probed: Option<Probed>,
    /// Requests whose next step is a reduction with the program's own function.
    pub(crate) user_work: Vec<u32>,
    /// The attached buffer that it waits for to become empty.
    pub(crate) draining: Option<BufferOwner>,
    /// Messages it sent.
    pub traffic: Traffic,
    /// The buffers attached for buffered sends.
    pub buffers: Buffers,
}

/// What a probe found.
#[derive(Clone, Copy, Debug)]
pub struct Probed {
    /// Envelope and size of the message.
    pub status: Status,
    /// The message, when the probe took it (`MPI_Mprobe`).
    pub message: Option<CommId>,
}

/// What a rank posted in this instant, to be committed.
#[derive(Clone, Debug)]
pub(crate) enum Post {
    /// Send a message.
    Send(Outgoing),
    /// Start the receive or collective of this slot.
    Start(u32),
    /// Go on with the collective of this slot.
    Advance(u32),
    /// Cancel a request; what its rank knew then.
    Cancel(RequestKey, History),
    /// Answer a probe; `take` for matched probes, `block` to wait for a message; `polls`: failed ones before.
    Probe { pattern: Pattern, take: bool, block: bool, polls: Polls },
}

/// A message on its way, beside what the mailbox knows of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flight {
    /// The data, until it is copied.
    pub data: Option<Data>,
    /// Bytes of one of the sender's attached buffers that the message occupies until it is matched.
    pub buffered: Option<(BufferOwner, u64)>,
    /// The sender's request, where it does not wait for the message.
    pub request: Option<RequestKey>,
    /// Type of the program's elements, until the message is matched.
    pub sent: Option<Datatype>,
    /// Choices that the message depends on.
    pub history: History,
    /// What it tells of causality, until it is matched.
    pub causes: Option<Box<Sent>>,
    /// Its number on the tape.
    pub message: u64,
    /// The transfer was given to the fabric.
    pub started: bool,
    /// It has arrived (before its receiver, if that is not matched yet).
    pub arrived: bool,
}

/// Numbers for the summary.
#[derive(Clone, Copy, Debug, Default)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
}

/// All MPI state of the run.
pub struct World {
    /// Per-rank state.
    pub ranks: Vec<RankState>,
    /// Communicators being created.
    pub agreements: Agreements,
    /// Protocol switch points.
    pub thresholds: Thresholds,
    /// Under the checker: what waits for choices, and causality.
    pub choosing: Option<Box<Choosing>>,
    /// Which receives are sure to have been posted, where sends in ready mode are judged.
    pub(crate) causality: Option<Box<Causality>>,
    /// Under the checker: completed requests beyond which not all sets that Waitsome can return are tried.
    pub max_waitsome: u32,
    /// Under the checker: some set was left out for that reason.
    pub left_out: bool,
    /// Under the checker: the choices that were listed last are polls that find nothing.
    pub(crate) forced: bool,
    /// Under the checker: that a send of standard mode is buffered is a choice (`reluctant.rs`).
    pub reluctant_sends: bool,
    /// Under the checker: steps are explored one by one (`steps.rs`).
    pub stepping: bool,
    /// Under the checker: what is known of `MPI_Cancel`.
    pub cancels: Cancels,
    /// Collective operations that not all ranks have called yet.
    pub(crate) meetings: Meetings,
    /// What was noticed about the program.
    pub(crate) notes: Vec<Note>,
    /// A record for a sequence chart.
    pub(crate) tape: Option<Tape>,
    pub(crate) memory: Box<dyn RankMemory>,
    pub(crate) boxes: Mailboxes,
    pub(crate) flights: Vec<Flight>,
    pub(crate) posts: Vec<(WorldRank, Post)>,
    pub(crate) woken: Vec<WorldRank>,
    /// Payload buffers to be used again.
    pub(crate) spare: Vec<Vec<u8>>,
}

impl World {
    /// The world of `ranks` ranks before anything happened.
    pub fn new(ranks: u32, memory: Box<dyn RankMemory>, thresholds: Thresholds) -> World {
        World {
            ranks: (0..ranks).map(|_| RankState::default()).collect(),
            agreements: Agreements::default(),
            thresholds,
            choosing: None,
            causality: None,
            max_waitsome: u32::MAX,
            left_out: false,
            forced: false,
            reluctant_sends: false,
            stepping: false,
            cancels: Cancels::default(),
            tape: None,
            meetings: Meetings::default(),
            notes: Vec::new(),
            memory,
            boxes: Mailboxes::new(ranks),
            flights: Vec::new(),
            posts: Vec::new(),
            woken: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// State of one rank.
    pub fn rank(&mut self, rank: WorldRank) -> &mut RankState {
        &mut self.ranks[rank.index()]
    }

    /// Read and write access to the ranks' memory.
    pub fn memory(&mut self) -> &mut dyn RankMemory {
        &mut *self.memory
    }

    /// Stores a new request.
    ///
    /// # Errors
    /// `MPI_ERR_OTHER` when the rank already has [`smpi_base::table::Key::MAX_SLOTS`] requests.
    #[inline]
    pub fn new_request(&mut self, rank: WorldRank, request: Request) -> Result<RequestKey> {
        self.ranks[rank.index()].requests.insert(request).ok_or_else(too_many_requests)
    }

    /// The request of a key; `None` when it is stale.
    #[inline]
    pub fn request(&mut self, rank: WorldRank, key: RequestKey) -> Option<&mut Request> {
        self.ranks[rank.index()].requests.get_mut(key)
    }

    /// Declares that `rank` waits for `keys`: for all of them, or for any one. Returns true when there is nothing to
    /// wait for; otherwise the rank must be suspended until it is woken, and ask again.
    pub fn wait_begin(&mut self, rank: WorldRank, keys: impl Iterator<Item = RequestKey> + Clone, all: bool) -> bool {
        let state = &mut self.ranks[rank.index()];
        let mut open = 0;
        for key in keys.clone() {
            let Some(request) = state.requests.get(key) else { continue };
            if request.phase == Phase::Active {
                open += 1;
            } else if !all && request.phase == Phase::Done {
                return true;
            }
        }
        if open == 0 {
            return true;
        }
        for key in keys {
            if let Some(request) = state.requests.get_mut(key) {
                request.waited = request.phase == Phase::Active;
            }
        }
        state.waiting = if all { open } else { 1 };
        false
    }

    /// Ends a wait that was not for all: the other requests do not wake the rank any more.
    pub fn wait_end(&mut self, rank: WorldRank, keys: impl Iterator<Item = RequestKey>) {
        let state = &mut self.ranks[rank.index()];
        state.waiting = 0;
        for key in keys {
            if let Some(request) = state.requests.get_mut(key) {
                request.waited = false;
            }
        }
    }

    /// True when the request is over and can be taken.
    #[inline]
    pub fn is_done(&self, rank: WorldRank, key: RequestKey) -> bool {
        self.ranks[rank.index()].requests.get(key).is_some_and(|request| request.phase == Phase::Done)
    }

    /// Hands a finished request to its rank: a persistent one becomes inactive, any other is gone.
    pub fn take_completion(&mut self, rank: WorldRank, key: RequestKey) -> Option<Completion> {
        if self.choosing.is_some() && self.is_done(rank, key) {
            self.check_buffer(rank, key.slot, true);
        }
        if self.causality.is_some() && self.is_done(rank, key) {
            self.take_causes(rank, key);
        }
        let table = &mut self.ranks[rank.index()].requests;
        let request = table.get_mut(key).filter(|request| request.phase == Phase::Done)?;
        let generalized = if let Body::Generalized(id) = request.body { Some(id) } else { None };
        let is_receive =
            !matches!(request.body, Body::Send(_) | Body::Collective(_) | Body::Generalized(_) | Body::Flush(_));
        let completion = Completion {
            status: request.status,
            error: request.error.take().map(|error| error.on(request.comm_handle)),
            gone: !request.persistent,
            generalized,
            received: (is_receive && request.status.source >= 0).then_some(request.status.bytes),
        };
        request.comm = None;
        request.watched.iter_mut().for_each(|watched| watched.content = None);
        if let Some(choosing) = &mut self.choosing {
            choosing.progress[rank.index()] += 1;
            if !choosing.unseen.takes(rank, key, &request.history) {
                choosing.histories[rank.index()].join(&request.history);
            }
        }
        if request.persistent {
            request.phase = Phase::Inactive;
        } else {
            table.discard(key);
        }
        Some(completion)
    }

    /// The program forgets a request (MPI 5.0 §3.7.3): at once, or when the operation is over.
    pub fn free_request(&mut self, rank: WorldRank, key: RequestKey) {
        let table = &mut self.ranks[rank.index()].requests;
        if let Some(request) = table.get_mut(key) {
            if request.phase == Phase::Active {
                request.freed = true;
            } else if let Some(Request { body: Body::Collective(collective), .. }) = table.remove(key) {
                for block in collective.schedule.scratch {
                    self.memory.release(rank, block.at, block.len);
                }
            }
        }
    }

    /// Ranks that can go on, in the order in which they were woken.
    pub fn take_woken(&mut self, into: &mut Vec<WorldRank>) {
        into.append(&mut self.woken);
    }

    /// Posts a probe; the answer is in [`World::take_probed`] after the rank was suspended and woken.
    pub fn post_probe(&mut self, rank: WorldRank, pattern: Pattern, take: bool, block: bool, polls: Polls) {
        self.posts.push((rank, Post::Probe { pattern, take, block, polls }));
    }

    /// Whether the rank is blocked in a probe.
    pub fn is_probing(&self, rank: WorldRank) -> bool {
        self.ranks[rank.index()].probing.is_some() || self.is_asking(rank)
    }

    /// The answer to the last probe.
    pub fn take_probed(&mut self, rank: WorldRank) -> Option<Probed> {
        self.ranks[rank.index()].probed.take()
    }

    /// Marks a generalized request as over.
    pub fn complete_generalized(&mut self, rank: WorldRank, key: RequestKey) {
        self.complete(rank, key.slot);
    }
}

#[cold]
fn too_many_requests() -> MpiError {
    MpiError::new(ErrorClass::OTHER, "this rank has 1048576 live requests, the most that handles can name")
}

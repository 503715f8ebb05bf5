//! The state of MPI in a run, and how it changes: every rank's requests, and what was posted but not yet committed.
//!
//! A rank that calls MPI changes its own [`RankState`] at once and *posts* what concerns others. When all ranks that
//! were ready at an instant have blocked, [`World::commit`] hands the posts to the mailboxes in rank order, so the
//! result does not depend on the order in which the host ran the ranks. Nothing here blocks: the event loop suspends a
//! rank when a wait says so (`wait.rs`), and resumes the rank when its number is in [`World::take_woken`].
//!
//! Time and choices are below: the [`Driver`] says how long a transfer takes, and which of several outcomes happens.
//!
//! ```text
//! rank:    start ──post──►│ commit: mailbox ─► match ─► data copied ─► transfer … transfer_done ─► complete ─► woken
//!                         │                              (eager transfers start before the match)
//! ```
//!
//! Data is copied when both sides are known: straight from one buffer to the other where the sender waits (rendezvous)
//! or has not gone on yet (`late.rs`), else from the packed payload that was taken before it went on.
//!
//! | file | what happens |
//! |---|---|
//! | `start.rs` | a rank starts requests and posts |
//! | `commit.rs` | posts reach the mailboxes |
//! | `late.rs` | payloads are copied as late as possible |
//! | `transit.rs` | what messages under way keep |
//! | `matching.rs` | both sides are known: data, status, transfer, arrival |
//! | `schedule.rs` | collective requests go through their steps |
//! | `meeting.rs` | the ranks of a collective operation come together |
//! | `naming.rs` | what may still become of the world, as a name |
//! | `fallen.rs` | hosts fail, and with them what waits for their ranks |
//! | `complete.rs` | operations end, ranks are woken, completions are taken |
//! | `wait.rs` | WaitAny, WaitAll and other waits |
//! | `list.rs` | an array of requests that calls are about again and again |
//! | `partitioned.rs` | partitions are ready, and arrive |
//! | `cancel.rs` | `MPI_Cancel` |
//! | `connecting.rs` | connections that nobody accepts |
//! | `observe.rs`, `contents.rs`, `causality.rs`, `tape.rs`, `leftovers.rs` | observations about the program |
//! | `tally.rs` | what tools count |
//! | `windows.rs` | accesses to windows travel, take place, and are waited for |
//! | `races.rs` | accesses that nothing orders are noticed |
//! | `own.rs` | what ranks do with their own memory, to be compared with accesses |
//! | `servers.rs` | who gets the lock of a window, and in which order atomic accesses take place |
//! | `describe.rs` | what ranks wait for, in words |
//! | `relevant.rs` | what of causality belongs to the name of a state |

mod cancel;
mod causality;
mod commit;
mod complete;
mod conduct;
mod connecting;
mod contents;
pub mod describe;
mod driver;
mod exchange;
mod fallen;
mod known;
mod late;
mod leftovers;
mod list;
mod matching;
mod meeting;
mod naming;
mod near;
mod observe;
mod own;
mod partitioned;
mod races;
mod relevant;
mod schedule;
mod servers;
mod snapshot;
mod start;
mod tally;
mod tape;
mod transit;
mod wait;
mod windows;

use smpi_base::WorldRank;
use smpi_base::map::Map;
use smpi_base::table::{Key, Table};
use smpi_mailbox::{CommId, Envelope, Mailboxes, Pattern};

use crate::agreements::Agreements;
use crate::datatype::Datatype;
use crate::error::{ErrorClass, MpiError, Result};
use crate::memory::{Addr, Memory};
use crate::p2p::buffered::{self, BufferOwner, Buffers};
use crate::p2p::partitioned::{Lane, Lanes};
use crate::p2p::protocol::{Protocol, Thresholds};
use crate::p2p::request::{Operation, Request, RequestKey, Status, Watched};
use crate::ports::Ports;
use crate::rma::{Access, Window, WindowId};
use crate::tool::Tally;
use crate::usage::{Observation, Sent, Tape};

use causality::Causality;
use late::InPlace;
use list::List;
use meeting::Meetings;
use servers::Servers;
use transit::{InTransit, Rare};

pub use crate::tool::Volume;
pub use causality::Moment;
pub use conduct::{COMPLETED, POSTED, Says};
pub use driver::{
    Chooser, Clock, Driver, Ended, Hints, HowMany, Matter, Notice, Numbers, Order, Picked, Poll, ServerName, Spawning,
    Undecided,
};
pub use list::ListId;
pub use naming::Tags;
pub use near::{Made, Near};
pub use schedule::UserReduction;

/// Token of a sender that does not wait for its message.
pub const NOBODY: u64 = u64::MAX;

/// Memory of the ranks, and scratch memory in it.
pub trait RankMemory: Memory {
    /// A block of `len` bytes aligned to 16 that [`Memory`] reaches as memory of `rank`. Contents arbitrary.
    fn reserve(&mut self, rank: WorldRank, len: usize) -> Addr;
    /// The same, full of zeros; [`Addr::BOTTOM`] where there is no memory.
    fn reserve_zeros(&mut self, rank: WorldRank, len: usize) -> Addr {
        let at = self.reserve(rank, len);
        if at != Addr::BOTTOM {
            self.write(rank, at, &vec![0; len]);
        }
        at
    }
    /// The contents of these bytes do not matter from now on ([`Memory::is_void`]), or (`false`) they do again; a block
    /// that is given back is forgotten.
    fn disregard(&mut self, _at: Addr, _len: usize, _is_void: bool) {}
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
    /// The rank that the probe names.
    pub(crate) probes: Option<WorldRank>,
    /// The array of requests that it waits for or tests again and again.
    pub(crate) list: Option<Box<List>>,
    /// Answer to its last probe.
    pub(crate) probed: Option<Probed>,
    /// Requests whose next step is a reduction with the program's own function.
    pub(crate) user_work: Vec<u32>,
    /// The attached buffer that it waits for to become empty.
    pub(crate) draining: Option<BufferOwner>,
    /// It is through.
    pub(crate) ended: bool,
    /// Its host has failed.
    pub(crate) fallen: bool,
    /// Messages it sent.
    pub sent: Volume,
    /// The buffers attached for buffered sends.
    pub buffers: Buffers,
    /// The windows that it is in, by their numbers.
    pub(crate) windows: Vec<Option<WindowId>>,
    /// A range around its memory that others reach by windows.
    pub(crate) exposed: Option<(u64, u64)>,
    /// Payloads in its memory of messages that it does not wait for.
    in_place: InPlace,
    /// What its tool has counted.
    pub(crate) tally: Option<Box<Tally>>,
    /// Its own protocol switch points, if its tool has set any.
    pub(crate) own_thresholds: Option<Box<Thresholds>>,
}

impl RankState {
    /// Whether it is suspended until requests are over.
    pub fn waits_for_requests(&self) -> bool {
        self.waiting > 0
    }
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
pub enum Post {
    /// Send a message.
    Send(Outgoing),
    /// Start the receive or collective of this slot.
    Start(u32),
    /// One end of these partitioned operations is new, or started.
    Join(Lane),
    /// Go on with the collective of this slot.
    Advance(u32),
    /// Cancel a request.
    Cancel(RequestKey),
    /// Answer a probe.
    Probe {
        /// What is looked for.
        pattern: Pattern,
        /// The message is taken out of matching (`MPI_Mprobe`).
        take: bool,
        /// The rank waits until there is one.
        block: bool,
    },
    /// Start an access to a window.
    Access(Key),
    /// Give back a lock of a window.
    Release(Release),
}

/// A lock that is given back.
#[derive(Clone, Debug)]
pub struct Release {
    pub(crate) window: WindowId,
    /// Whose memory was locked, as a rank of the window.
    pub(crate) target: u32,
    /// What its holder knows, where that is followed.
    pub(crate) causes: Option<Box<Sent>>,
}

/// A send on its way to the mailbox.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The receiver.
    pub to: WorldRank,
    /// Context, sender and tag, by which the receiver knows it.
    pub(crate) envelope: Envelope,
    /// Payload in bytes.
    pub(crate) size: u64,
    pub(crate) protocol: Protocol,
    /// Until it is on its way.
    pub(crate) data: Option<Data>,
    /// The owner that waits for it, or [`NOBODY`].
    pub(crate) token: u64,
    /// Type of the elements, for messages of the program.
    pub(crate) sent: Option<Datatype>,
    /// What few messages have.
    pub(crate) rare: Option<Box<Rare>>,
    /// The request of a program that need not wait for its message.
    pub(crate) request: Option<RequestKey>,
    /// See [`Send::caller`].
    pub(crate) caller: usize,
}

/// Where the data of an outgoing message is.
#[derive(Clone, Hash, Debug)]
pub(crate) enum Data {
    /// Packed already.
    Packed(Vec<u8>),
    /// Still in the sender's buffer.
    InPlace(crate::collective::Part),
    /// In the receiver's buffer already.
    Delivered,
}

/// What is noticed about the program, in whatever execution. Nothing of it changes what happens.
#[derive(Default)]
pub struct Observers {
    /// The contents of buffers that belong to MPI are compared, to notice that the program changed them.
    pub contents: bool,
    /// Blocks of collective operations are compared pair by pair where they differ from rank to rank.
    pub exchanges: bool,
    /// What the program has done that is not explored in all its ways, in words. It stays.
    pub unexplored: Option<&'static str>,
    /// The program locks windows. It stays so.
    pub locks_windows: bool,
    /// Some rank has a tally. It stays so.
    is_tallied: bool,
    /// Receiver, sender and tag of messages that have found their receives, where somebody wants to know.
    pub matched: Option<Vec<(WorldRank, WorldRank, i32)>>,
    /// A record for a sequence chart.
    tape: Option<Tape>,
    /// What was noticed.
    observations: Vec<Observation>,
}

/// What holds for the whole run.
#[derive(Debug)]
pub struct Rules {
    /// How many ranks the program has.
    programs: u32,
    /// Protocol switch points.
    pub thresholds: Thresholds,
    /// Bytes of an attached buffer that a message takes beyond its data: what the standard asks programs to provide, or
    /// 0 where they are taken as other libraries take them.
    pub bsend_overhead: u64,
    /// Every send makes a request, so that each can be followed; else those that wait for nothing make none.
    pub requests_for_all: bool,
    /// The payloads of sends that wait for nobody are copied as late as possible (`late.rs`).
    pub copies_late: bool,
    /// Ranks that have called different collective operations where the same one is due stay in their calls. (Else the
    /// user is told, and they go on as far as they get.)
    pub mismatched_stay: bool,
    /// States are recognised whatever led to them.
    by_states: bool,
}

/// What all ranks have done so far, as far as it decides what may still happen. A snapshot is a copy of it.
pub struct WorldState {
    /// Per-rank state; behind the program's ranks, that of servers.
    pub ranks: Vec<RankState>,
    servers: Servers,
    windows: Map<WindowId, Window>,
    /// What the program has done that is not explored in all its ways if anything is left open before all ranks meet
    /// next, in words.
    pub unexplored_if_open: Option<&'static str>,
    /// Choices made so far that others might have been, had ranks waited less.
    pub choices: u64,
    /// Accesses to windows that are under way.
    accesses: Table<Access>,
    /// Who matches whom.
    pub boxes: Mailboxes,
    /// Communicators being created.
    pub agreements: Agreements,
    /// Ports, and names of ports.
    pub ports: Ports,
    /// Which partitioned operations belong together.
    lanes: Lanes,
    /// The host of some rank has failed. Never in a verification.
    any_fallen: bool,
    /// Collective operations that not all ranks have called yet.
    meetings: Meetings,
    in_transit: InTransit,
    posts: Vec<(WorldRank, Post)>,
    /// Which receives are sure to have been posted, where sends in ready mode are judged.
    causality: Option<Box<Causality>>,
}

/// All of MPI in a run: what always holds, what has happened, and what is noticed about it.
pub struct World {
    /// What holds for the whole run.
    pub rules: Rules,
    /// What has happened so far.
    pub state: WorldState,
    /// What is noticed about the program.
    pub observers: Observers,
    memory: Box<dyn RankMemory>,
    /// Operations with files that ranks have taken in this instant: it is asked for when all have blocked.
    file_ends: Vec<(RequestKey, Moment)>,
    /// To be taken by the event loop.
    woken: Vec<WorldRank>,
    /// Ranks with payloads in place: those that run in this instant.
    with_payloads: Vec<WorldRank>,
    /// Payload buffers to be used again.
    spare: Vec<Vec<u8>>,
    /// What checks remembered of requests that are gone: places to be used again.
    #[expect(clippy::vec_box, reason = "it is the boxes that are used again")]
    spare_watched: Vec<Box<Watched>>,
}

impl World {
    /// The world of `ranks` ranks before anything happened.
    pub fn new(ranks: u32, memory: Box<dyn RankMemory>, thresholds: Thresholds) -> World {
        World {
            rules: Rules {
                programs: ranks,
                thresholds,
                bsend_overhead: buffered::OVERHEAD,
                requests_for_all: false,
                copies_late: false,
                mismatched_stay: false,
                by_states: false,
            },
            state: WorldState {
                ranks: (0..ranks).map(|_| RankState::default()).collect(),
                servers: Servers::default(),
                windows: Map::default(),
                unexplored_if_open: None,
                choices: 0,
                accesses: Table::default(),
                boxes: Mailboxes::new(ranks),
                agreements: Agreements::default(),
                ports: Ports::default(),
                lanes: Lanes::default(),
                any_fallen: false,
                meetings: Meetings::default(),
                in_transit: InTransit::default(),
                posts: Vec::new(),
                causality: None,
            },
            observers: Observers::default(),
            memory,
            file_ends: Vec::new(),
            woken: Vec::new(),
            with_payloads: Vec::new(),
            spare: Vec::new(),
            spare_watched: Vec::new(),
        }
    }

    /// State of one rank.
    pub fn rank(&mut self, rank: WorldRank) -> &mut RankState {
        &mut self.state.ranks[rank.index()]
    }

    /// The ranks of the program.
    pub fn all_ranks(&self) -> impl Iterator<Item = WorldRank> + use<> {
        (0..self.rules.programs).map(WorldRank)
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
        self.state.ranks[rank.index()].requests.insert(request).ok_or_else(too_many_requests)
    }

    /// The request of a key; `None` when it is stale.
    #[inline]
    pub fn request(&mut self, rank: WorldRank, key: RequestKey) -> Option<&mut Request> {
        self.state.ranks[rank.index()].requests.get_mut(key)
    }

    /// Whether there is such a request.
    #[inline]
    pub fn has_request(&self, rank: WorldRank, key: RequestKey) -> bool {
        self.state.ranks[rank.index()].requests.contains(key)
    }

    /// The request in a slot.
    #[inline]
    pub fn request_at(&self, rank: WorldRank, slot: u32) -> Option<&Request> {
        self.state.ranks[rank.index()].requests.at_slot(slot)
    }

    #[inline]
    fn request_at_mut(&mut self, rank: WorldRank, slot: u32) -> Option<&mut Request> {
        self.state.ranks[rank.index()].requests.at_slot_mut(slot)
    }

    /// What was posted and not committed, in the order in which it was posted.
    pub fn posts(&self) -> &[(WorldRank, Post)] {
        &self.state.posts
    }

    /// Whether the sender of an unmatched message goes on before it is received, and its request if it has one still.
    pub fn detached_request(&self, comm: CommId) -> Option<RequestKey> {
        self.state.in_transit.kept(comm)?.request
    }

    /// Whether there are windows.
    pub fn has_windows(&self) -> bool {
        !self.state.windows.is_empty()
    }

    /// Whether a collective operation has ranks that have not called it yet.
    pub fn is_awaited(&self, operation: Operation) -> bool {
        self.state.meetings.contains_key(&operation)
    }
}

/// The place of a communication in tables of those who keep something for it.
pub fn slot_of(comm: CommId) -> usize {
    (comm.to_bits() & u64::from(u32::MAX)) as usize
}

#[cold]
fn too_many_requests() -> MpiError {
    MpiError::new(ErrorClass::OTHER, "this rank has 1048576 live requests, the most that handles can name")
}

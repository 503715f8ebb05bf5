//! Requests: operations that were started and are not yet over (MPI 5.0 §3.7).

use smpi_abi::c::constants::{MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_PROC_NULL};
use smpi_base::WorldRank;
use smpi_base::table::Key;
use smpi_mailbox::{CommId, Context, Envelope, Pattern};

use super::buffered::BufferOwner;
use super::partitioned::Partitioned;
use super::protocol::Mode;
use crate::collective::{Part, Schedule, Scratch};
use crate::comm::{CommCore, TrafficKind};
use crate::error::MpiError;
use crate::rma::{Wait, WindowId};
use crate::usage::{Call, Causes, Origin};

/// What `MPI_Status` tells, before it is put into its C form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Status {
    /// Rank of the sender in the communicator; `MPI_ANY_SOURCE` in an empty status.
    pub source: i32,
    /// Tag of the message; `MPI_ANY_TAG` in an empty status.
    pub tag: i32,
    /// Error class of this operation.
    pub error: i32,
    /// Bytes received.
    pub bytes: u64,
    /// Whether the operation was cancelled.
    pub cancelled: bool,
}

impl Status {
    /// The empty status (MPI 5.0 §3.7.3): for null and inactive requests and for sends.
    pub const EMPTY: Status = Status::without_message(MPI_ANY_SOURCE);
    /// The status of a receive from `MPI_PROC_NULL` (MPI 5.0 §3.10).
    pub const PROC_NULL: Status = Status::without_message(MPI_PROC_NULL);

    const fn without_message(source: i32) -> Status {
        Status { source, tag: MPI_ANY_TAG, error: 0, bytes: 0, cancelled: false }
    }
}

/// Arguments of a send, kept for persistent requests, late copies and reports.
#[derive(Clone, Hash, Debug)]
pub struct Send {
    /// Data.
    pub part: Part,
    /// Receiver; `None` is `MPI_PROC_NULL`.
    pub to: Option<WorldRank>,
    /// Context of the communicator for this traffic.
    pub context: Context,
    /// The own rank, as the receiver names it.
    pub source: u32,
    /// Receiver's rank in the communicator, for reports.
    pub dest: i32,
    /// Message tag.
    pub tag: i32,
    /// Communication mode.
    pub mode: Mode,
    /// Where the program goes on behind the call that made it, as a number of the C layer's; 0 where nobody knows.
    pub caller: usize,
}

/// Arguments of a receive.
#[derive(Clone, Hash, Debug)]
pub struct Recv {
    /// Where the data goes.
    pub part: Part,
    /// Sender in the communicator, −1 for any, −3 for `MPI_PROC_NULL`.
    pub source: i32,
    /// The same as a rank of the world, when it is one.
    pub from: Option<WorldRank>,
    /// Tag, −2 for any.
    pub tag: i32,
    /// Context of the communicator for this traffic.
    pub context: Context,
    /// As of [`Send`].
    pub caller: usize,
}

impl Recv {
    /// What the mailbox is asked for.
    pub fn pattern(&self) -> Pattern {
        Pattern {
            context: self.context,
            source: u32::try_from(self.source).ok(),
            tag: (self.tag >= 0).then_some(self.tag),
        }
    }
}

impl Send {
    /// By what its message is matched.
    pub fn envelope(&self) -> Envelope {
        Envelope { context: self.context, source: self.source, tag: self.tag }
    }
}

/// What a request stands for.
#[derive(Clone, Debug)]
pub enum Body {
    /// A send in any mode.
    Send(Send),
    /// A receive.
    Recv(Recv),
    /// A receive of a message that a matched probe took.
    MatchedRecv(Part, CommId),
    /// A send and a receive that complete together (`MPI_Isendrecv`).
    SendRecv(Box<SendRecv>),
    /// A collective operation; the communicator's contexts and groups for its messages, and its tag.
    Collective(Box<Collective>),
    /// A partitioned send or receive; the pieces of a receive are its steps.
    Partitioned(Box<Partitioned>),
    /// One partition of a partitioned receive: over when all of it has arrived.
    Portion,
    /// `MPI_Buffer_iflush`: over when the attached buffer is empty.
    Flush(BufferOwner),
    /// An access to a window (`MPI_Rput` and its kin), and to which target of it; `None` is `MPI_PROC_NULL`.
    Access(Option<(WindowId, u32)>),
    /// What its rank waits for at a window.
    Window(Box<Wait>),
    /// Something that is done with a file; who does it completes it.
    File(FileBuffer),
    /// `MPI_Grequest_start`: the program completes it; the C layer keeps the callbacks under this number.
    Generalized(u64),
}

/// The program's buffer of an access to a file.
#[derive(Clone, Hash, Debug, Default)]
pub struct FileBuffer {
    /// Where data is taken from or put, if it is.
    pub part: Option<Box<Part>>,
    /// It is put there.
    pub receives: bool,
}

/// The two halves of a combined send and receive.
#[derive(Clone, Hash, Debug)]
pub struct SendRecv {
    /// Outgoing half; its messages are step [`SendRecv::SEND`].
    pub send: Send,
    /// Incoming half; its messages are step [`SendRecv::RECV`].
    pub recv: Recv,
    /// Halves that are not over.
    pub open: u8,
    /// Scratch memory with the outgoing data, for the variant with one buffer.
    pub copy: Option<Scratch>,
    /// That variant: what is sent is no buffer of the program's.
    pub replaces: bool,
}

impl SendRecv {
    /// Step number of the outgoing message.
    pub const SEND: u32 = 0;
    /// Step number of the incoming message.
    pub const RECV: u32 = 1;
}

/// A collective operation in progress.
#[derive(Clone, Hash, Debug)]
pub struct Collective {
    /// Steps and where they stand.
    pub schedule: Schedule,
    /// Whose contexts and groups the messages use.
    pub comm: CommCore,
    /// Tag of all its messages: number of the collective on its communicator.
    pub tag: i32,
    /// How often it was started: more than once if it is persistent.
    pub round: u32,
    /// The call, for reports and for comparison with the calls of other ranks.
    pub call: Call,
}

impl Collective {
    /// Which operation on its communicator it is now. Ranks that wait for nobody may be rounds ahead of others.
    pub fn operation(&self) -> Operation {
        (self.comm.context_of(TrafficKind::Collective), self.tag, self.round)
    }
}

/// A collective operation of a run: the context of its communicator's collectives, its number there, and of a
/// persistent one the round.
pub type Operation = (Context, i32, u32);

/// Life of a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Phase {
    /// Persistent and not started.
    Inactive,
    /// Started, not over.
    Active,
    /// Over; the program has not seen it yet.
    Done,
}

/// One request of one rank.
#[derive(Clone, Debug)]
pub struct Request {
    /// What it does.
    pub body: Body,
    /// Where it stands.
    pub phase: Phase,
    /// Survives its completion (MPI 5.0 §3.9).
    pub persistent: bool,
    /// The rank is blocked in a call for this request (among others) that is not for its list.
    pub(crate) waited: bool,
    /// Where the list of its rank has it, while that is the list that it names.
    pub(crate) place: Place,
    /// `MPI_Request_free` was called: forget it when it is done.
    pub freed: bool,
    /// The communication it is part of, once posted.
    pub comm: Option<CommId>,
    /// What the program will be told.
    pub status: Status,
    /// What went wrong.
    pub error: Option<MpiError>,
    /// The sender of the message that it receives did not wait for it.
    pub unawaited: bool,
    /// The C handle of the communicator, for its error handler.
    pub comm_handle: u64,
    /// What the checks remember of a request, when anybody asks.
    pub watched: Option<Box<Watched>>,
    /// A persistent request was started at least once.
    pub started: bool,
    /// Its rank knows that it is done, without having taken its completion ([`crate::world`] says how).
    pub shown: bool,
    /// What it has to do with causality, where that is followed.
    pub(crate) causes: Option<Box<Causes>>,
    /// Something is done with a file until its rank has taken the completion, which is followed.
    pub uses_file: bool,
    /// The place among the posts of this instant of a send whose payload is not put away.
    pub(crate) late_post: Option<u32>,
    /// The slot of the partitioned operation of which it is one partition.
    pub part_of: Option<u32>,
}

/// A place in a list of requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    /// The number of the list, 0 for none.
    pub list: u32,
    /// The index in the array of the list.
    pub index: u32,
}

/// What the checks remember of a request.
#[derive(Clone, Hash, Debug, Default)]
pub struct Watched {
    /// Where the program made it.
    pub origin: Origin,
    /// What its buffers held when they were looked at last, where that is watched.
    pub content: Option<Content>,
    /// The program is known to have touched them: their contents tell nothing any more.
    pub is_misused: bool,
    /// The program has no handle of it, because the call that made it waits for it: it cannot touch them meanwhile.
    pub in_call: bool,
}

/// Hashes of what the buffers of a request held.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Content {
    /// What it sends.
    pub sent: u64,
    /// Where it receives; of collective operations unknown, and 0.
    pub received: u64,
}

impl Body {
    /// Whether an operation is over as soon as it is started, because all of it is with `MPI_PROC_NULL` (MPI 5.0
    /// §3.10, §4.2, §12.3).
    pub fn is_with_nobody(&self) -> bool {
        let is_null = |recv: &Recv| recv.source == Status::PROC_NULL.source;
        match self {
            Body::Send(send) => send.to.is_none(),
            Body::Recv(recv) => is_null(recv),
            Body::SendRecv(both) => both.send.to.is_none() && is_null(&both.recv),
            Body::Partitioned(partitioned) => partitioned.peer.is_none(),
            Body::Access(target) => target.is_none(),
            _ => false,
        }
    }

    /// Whether nobody takes part but this rank, whose operation it is: all of it is with `MPI_PROC_NULL`, it is a
    /// collective operation of one rank, or it sends to itself what it receives. Another message to oneself may meet a
    /// receive of the same rank from any source, which others can see.
    pub fn is_alone(&self, rank: WorldRank) -> bool {
        match self {
            Body::SendRecv(both) if both.send.to == Some(rank) => {
                both.recv.from == Some(rank) && both.recv.tag == both.send.tag
            }
            Body::Collective(collective) => collective.comm.remote.is_none() && collective.comm.group.size() == 1,
            _ => self.is_with_nobody(),
        }
    }
}

impl Request {
    /// Where the program made it; unknown when nobody asks.
    pub fn origin(&self) -> Origin {
        self.watched.as_ref().map_or(Origin::default(), |watched| watched.origin)
    }

    /// Where the program goes on behind the call that made it; 0 where nobody knows.
    pub fn caller(&self) -> usize {
        match &self.body {
            Body::Send(send) => send.caller,
            Body::Recv(recv) => recv.caller,
            Body::SendRecv(both) => both.send.caller,
            _ => 0,
        }
    }

    /// A request that has not been started.
    #[inline]
    pub fn new(body: Body, persistent: bool, comm_handle: u64) -> Request {
        Request {
            body,
            phase: Phase::Inactive,
            persistent,
            waited: false,
            place: Place::default(),
            freed: false,
            comm: None,
            status: Status::EMPTY,
            error: None,
            unawaited: false,
            comm_handle,
            watched: None,
            started: false,
            shown: false,
            causes: None,
            uses_file: false,
            late_post: None,
            part_of: None,
        }
    }
}

/// Who a message belongs to: a request, or a step of a collective request. Travels through the mailbox as its token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Owner {
    /// The rank.
    pub rank: WorldRank,
    /// Slot of the request in the rank's table. Requests with messages in flight are never removed, so it is enough.
    pub slot: u32,
    /// Step of the schedule; `None` for a plain request.
    pub step: Option<u32>,
}

impl Owner {
    const SLOT_BITS: u32 = 20;
    const STEP_BITS: u32 = 20;

    /// The owner as the number that the mailbox keeps.
    pub fn token(self) -> u64 {
        let step = self.step.map_or(0, |step| step as u64 + 1);
        debug_assert!(step < 1 << Self::STEP_BITS && u64::from(self.slot) < 1 << Self::SLOT_BITS);
        (u64::from(self.rank.0) << (Self::SLOT_BITS + Self::STEP_BITS))
            | (u64::from(self.slot) << Self::STEP_BITS)
            | step
    }

    /// The owner of a token.
    pub fn of(token: u64) -> Owner {
        let step = token & ((1 << Self::STEP_BITS) - 1);
        Owner {
            rank: WorldRank((token >> (Self::SLOT_BITS + Self::STEP_BITS)) as u32),
            slot: ((token >> Self::STEP_BITS) & ((1 << Self::SLOT_BITS) - 1)) as u32,
            step: step.checked_sub(1).map(|step| step as u32),
        }
    }
}

/// What a finished request leaves behind.
#[derive(Debug)]
pub struct Completion {
    /// For the program's `MPI_Status`.
    pub status: Status,
    /// For its error handler.
    pub error: Option<MpiError>,
    /// The request is gone: the program's handle becomes `MPI_REQUEST_NULL`.
    pub gone: bool,
    /// The number of a generalized request whose callbacks are due.
    pub generalized: Option<u64>,
    /// Bytes of a message that its sender did not wait for, if one was received (`smpi/or` applies).
    pub received: Option<u64>,
}

/// Key of a request in its rank's table.
pub type RequestKey = Key;

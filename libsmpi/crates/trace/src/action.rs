//! What one line of a trace says.
//!
//! Buffers are amounts: elements and the size of one. Communicators are named by their base contexts, as the recorded
//! run numbered them; requests and messages taken by probes by how many their rank had before.

use smpi_mailbox::Context;
use smpi_mpi::collective::{Root, Shape};
use smpi_mpi::topology::Neighbours;

/// `MPI_ANY_SOURCE` in traces: SMPI's value.
pub const ANY_SOURCE: i32 = -555;
/// `MPI_ANY_TAG` in traces: SMPI's value.
pub const ANY_TAG: i32 = -444;
/// `MPI_PROC_NULL` in traces: SMPI's value.
pub const PROC_NULL: i32 = -666;

/// Elements of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Items {
    /// How many.
    pub count: i64,
    /// Bytes of each.
    pub size: u64,
}

impl Items {
    /// Bytes of all.
    pub fn bytes(self) -> u64 {
        (self.count.max(0) as u64).saturating_mul(self.size)
    }
}

/// Blocks of a collective call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Blocks {
    /// One buffer, or one block for each rank.
    Even(Items),
    /// Counts of elements of one size.
    Varying {
        /// Elements of each block.
        counts: Vec<i64>,
        /// Bytes of an element.
        size: u64,
    },
    /// Elements of a size of their own for each rank.
    Typed(Vec<Items>),
}

/// In which mode a message is sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// `MPI_Send`
    Standard,
    /// `MPI_Bsend`
    Buffered,
    /// `MPI_Ssend`
    Synchronous,
    /// `MPI_Rsend`
    Ready,
}

/// How an operation is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// And waited for.
    Blocking,
    /// As a nonblocking operation.
    Immediate,
    /// As a persistent one.
    Persistent,
    /// By the library, for a call that is about something else: it costs no processor time.
    Internal,
}

/// A message of the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// Is sent.
    Send {
        /// The mode.
        mode: Named,
        /// Receiver in the communicator.
        to: i32,
        /// Tag.
        tag: i32,
        /// Data.
        items: Items,
    },
    /// Is received.
    Recv {
        /// Sender in the communicator.
        from: i32,
        /// Tag.
        tag: i32,
        /// Room.
        items: Items,
    },
    /// One is sent and one received.
    Both {
        /// Receiver, tag, data.
        send: (i32, i32, Items),
        /// Sender, tag, room.
        recv: (i32, i32, Items),
    },
    /// A message that a probe took is received.
    Matched {
        /// Its number among those that probes of this rank took.
        message: u32,
        /// Room.
        items: Items,
    },
}

/// What a reduction combines with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// A predefined operation.
    Predefined,
    /// The program's, which commutes or not.
    User {
        /// It commutes.
        commutes: bool,
    },
}

/// A collective call.
#[derive(Clone, PartialEq, Debug)]
pub struct Collective {
    /// Which it is.
    pub shape: Shape,
    /// How it is started.
    pub start: Start,
    /// Base context of the communicator.
    pub comm: Context,
    /// The number of the call on its communicator; `None`: the next one.
    pub number: Option<u32>,
    /// The root.
    pub root: Option<Root>,
    /// The operation of a reduction.
    pub op: Option<Reduction>,
    /// What is sent.
    pub send: Option<Blocks>,
    /// Where to is received.
    pub recv: Option<Blocks>,
    /// Elements of each rank, of a reduction whose result is scattered.
    pub counts: Vec<i64>,
    /// Neighbours, and whether there is a block for each of those to whom is sent.
    pub around: Option<(Neighbours, bool)>,
    /// Flops that the rank computes afterwards (SMPI's traces only).
    pub flops: f64,
}

impl Collective {
    /// A blocking call on `MPI_COMM_WORLD` without arguments.
    pub fn new(shape: Shape, comm: Context) -> Collective {
        Collective {
            shape,
            start: Start::Blocking,
            comm,
            number: None,
            root: None,
            op: None,
            send: None,
            recv: None,
            counts: Vec::new(),
            around: None,
            flops: 0.0,
        }
    }
}

/// A look for a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Sender in the communicator.
    pub from: i32,
    /// Tag.
    pub tag: i32,
    /// It takes the message (`MPI_Mprobe`).
    pub take: bool,
    /// It waits for one; else whether there was one.
    pub found: Option<bool>,
}

/// What an access to a window does at its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AccessKind {
    /// `MPI_Put`
    Put,
    /// `MPI_Get`
    Get,
    /// It combines what it brings with what is there.
    Combine,
    /// It reads what is there as one that combines.
    Fetch,
    /// `MPI_Compare_and_swap`
    Swap,
}

/// An access to a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The window's base context.
    pub window: Context,
    /// The target's rank in the window.
    pub target: i32,
    /// What it does.
    pub kind: AccessKind,
    /// Bytes of memory at the target.
    pub there: u64,
    /// Bytes that it brings, if it brings something.
    pub brings: Option<u64>,
    /// Bytes that it takes back, if somebody asks for them.
    pub result: Option<u64>,
    /// The program waits for it by a request.
    pub by_request: bool,
}

/// What must have happened to accesses before a rank goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settled {
    /// Memory of the origin is free again.
    Local,
    /// They have taken place.
    Arrived,
    /// The origin knows it.
    Known,
}

/// What one line says.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// `MPI_Init`; the size of elements whose type is left out from here on.
    Init(u64),
    /// `MPI_Finalize`.
    Finalize,
    /// Nothing that takes time: notes of SMPI.
    Nothing,
    /// The rank computes, and its threads beside it, in flops.
    Compute(Vec<f64>),
    /// The rank sleeps, in seconds.
    Sleep(f64),
    /// It looks at a clock.
    Clock,
    /// A message, with the context of its traffic.
    Message(Start, Context, Message),
    /// A collective call.
    Collective(Box<Collective>),
    /// Waits for the oldest open request between these ranks with this tag; nothing where there is none.
    WaitFor(i32, i32, i32),
    /// Tests the same.
    TestFor(i32, i32, i32),
    /// Waits for all open requests.
    WaitOpen,
    /// Waits for a request by its number.
    Wait(u32),
    /// Waits for all of these, in the order in which they are taken afterwards.
    WaitAll(Vec<u32>),
    /// Waits until no buffered message is in the attached buffer.
    Drain,
    /// A test of requests: whether it found anything.
    Test(bool),
    /// A test without open requests, which takes no time: whether it counts as one that found something.
    TestNothing(bool),
    /// The program is told that a request is complete, whose completion it does not take.
    Show(u32),
    /// `MPI_Request_free`
    Free(u32),
    /// `MPI_Cancel`
    Cancel(u32),
    /// A look for a message, with the context of its traffic.
    Probe(Context, Probe),
    /// A communicator of this rank: context, own rank, members as runs (first, last, step) of the own side, and of the
    /// other one.
    Comm(Context, u32, Vec<Run>, Vec<Run>),
    /// A window of this rank, whose own communicator has this base context.
    Window(Context),
    /// An access to a window.
    Access(Access),
    /// Waits for the own accesses to a target of a window, or to all.
    Settle(Context, Option<u32>, Settled),
    /// Asks for the lock of a target, exclusive or not.
    Lock(Start, Context, u32, bool),
    /// Gives a lock back.
    Release(Context, u32),
    /// Tells a rank of a window something, with this tag.
    Word(Context, u32, i32),
    /// The recorded program did something here that traces cannot hold: what, and where.
    Missing(String),
}

/// Ranks of the world: the first, the last, and the distance between two; never empty.
pub type Run = (u32, u32, u32);

/// Members as runs.
pub fn runs(members: impl IntoIterator<Item = u32>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for member in members {
        match runs.last_mut() {
            Some((first, last, step)) if first == last && member > *last => {
                (*last, *step) = (member, member - *first);
            }
            Some((first, last, step)) if first != last && member == *last + *step => *last = member,
            _ => runs.push((member, member, 1)),
        }
    }
    runs
}

/// The members of runs.
pub fn members(runs: &[Run]) -> impl Iterator<Item = u32> + '_ {
    runs.iter().flat_map(|&(first, last, step)| (first..=last).step_by(step.max(1) as usize))
}

//! Observations that no single call shows: types, collective calls and buffers that do not fit together. They are typed
//! data; `smpi-watch` puts them into words, as warnings of a simulation or findings of a verification.
//!
//! Source: MPI 5.0 §3.3.1 (type matching), §3.7.2 (buffers of nonblocking operations), §6.1 and §6.2 (which arguments
//! of collective operations must agree).

use smpi_abi::Callee;
use smpi_base::WorldRank;

use super::call::{Call, Difference};
use super::items::Items;
use crate::datatype::Basic;
use crate::op::Predefined;

/// Where the program made something, as far as the C layer was asked to remember it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Origin {
    /// A number of the C layer's; 0 when it is not known.
    pub site: u64,
    /// The MPI function; empty when it is not known.
    pub call: Callee,
}

/// One side of a message or collective operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    /// Whose.
    pub rank: WorldRank,
    /// Where its request was made, when it has one that the program knows.
    pub origin: Origin,
    /// The call has returned or its request is the program's: the rank may be anywhere now.
    pub away: bool,
}

/// An object of the program that holds data of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Holder {
    /// A block of the heap of so many bytes.
    Block(u64),
    /// A variable: its name, and its bytes.
    Variable(String, u64),
    /// No block, although it is memory of the heap.
    Nothing,
    /// No variable, although it lies among those with static storage.
    NoVariable,
    /// No function that still runs, although it is memory of the stack.
    NoFrame,
}

/// An element of a buffer that is not what the program declared.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mistyped {
    /// The parameter of the call.
    pub parameter: String,
    /// What the datatype has.
    pub basic: Basic,
    /// The variable.
    pub variable: String,
    /// What it was declared to be.
    pub declared: String,
    /// Where in the variable the element begins, bytes.
    pub offset: u64,
    /// The way to what is there, such as `.place[1]`; empty when the variable is one value.
    pub part: String,
    /// What that was declared to be.
    pub is: String,
}

/// Something that does not fit.
#[derive(Clone, Debug)]
pub enum Observation {
    /// A receive takes a message of other types.
    Types {
        /// The sender.
        sender: Side,
        /// The receiver.
        receiver: Side,
        /// What was sent.
        sent: Items,
        /// What the receive asked for.
        wanted: Items,
        /// Tag of the message.
        tag: i32,
    },
    /// Two ranks call different things in the same collective operation of a communicator.
    Collective {
        /// One of them and its call.
        first: (Side, Call),
        /// The other.
        second: (Side, Call),
        /// What is different.
        difference: Difference,
    },
    /// In a collective operation, a rank gives another something else than that one expects.
    Exchange {
        /// Who gives, and its call.
        giver: (Side, Call),
        /// Who expects, and its call.
        taker: (Side, Call),
        /// What is given, block by block.
        given: Vec<Items>,
        /// What is expected.
        taken: Vec<Items>,
    },
    /// The program changed a buffer that belonged to MPI.
    Buffer {
        /// Whose.
        side: Side,
        /// It was the buffer of a send, else of a receive.
        send: bool,
        /// It was noticed when the rank completed the operation; else when the message was matched.
        at_completion: bool,
        /// Where the rank completed it, if so.
        noticed: Origin,
    },
    /// The program touched a byte of a buffer that belonged to MPI.
    Access {
        /// Whose, and where the operation was started.
        side: Side,
        /// What it did.
        touch: Touch,
        /// The buffer is one to receive into, else to send from.
        receives: bool,
        /// Where the program did it.
        place: Origin,
    },
    /// A call uses memory that belongs to an operation under way.
    Shared {
        /// The call.
        call: Side,
        /// It writes to that memory, else it reads it.
        writes: bool,
        /// The operation under way.
        other: Side,
        /// That one receives there, else it sends from there.
        receives: bool,
    },
    /// The data of a call reaches beyond the object of the program in which it lies.
    Outside {
        /// The call.
        side: Side,
        /// The object.
        holder: Holder,
        /// Bytes beyond its end.
        beyond: u64,
    },
    /// A persistent request is started whose buffer the program has freed.
    Gone {
        /// The call that starts it.
        side: Side,
        /// Where the request was made.
        made: Origin,
        /// Where the buffer was freed.
        freed: Origin,
    },
    /// The program gives up memory that MPI has for longer than an operation.
    GivenUp {
        /// Whose, and where: of a function that has returned, where that was noticed.
        side: Side,
        /// How.
        touch: Touch,
        /// What MPI has it for.
        lent: Lent,
    },
    /// What is said or done at a window does not fit.
    Breach {
        /// How.
        breach: Breach,
        /// Whose call it is.
        side: Side,
        /// What it does not fit to.
        other: Option<Side>,
    },
    /// A call's datatype does not describe the variable in which its data lies.
    Mistyped(Side, Box<Mistyped>),
    /// The buffers of one call overlap.
    Overlap {
        /// The call.
        side: Side,
        /// It receives twice into the same memory; else into memory that it sends from.
        twice: bool,
    },
    /// A message was sent in ready mode, and nothing made sure that its receive was posted before.
    Ready {
        /// The sender.
        sender: Side,
        /// The receiver.
        receiver: Side,
        /// Tag of the message.
        tag: i32,
        /// The receive came; else the ranks wait for ever without it.
        is_received: bool,
    },
    /// Two accesses to the same bytes of a window that nothing orders.
    Window {
        /// The one that came first here.
        first: Side,
        /// The other.
        second: Side,
        /// Whose memory.
        target: WorldRank,
        /// The first byte from the start of the target's memory (of a dynamic window, its address), and how many.
        bytes: (u64, u64),
    },
    /// Two accesses to the same bytes of a file that nothing orders.
    File {
        /// The one that came first here.
        first: Side,
        /// The other.
        second: Side,
        /// The file.
        path: String,
        /// The first byte, and how many.
        bytes: (u64, u64),
    },
    /// An access to a window computes with characters (MPI 5.0 §6.9.2): with which operation, if it is not one of its
    /// own.
    Characters(Side, Option<Predefined>),
    /// A call has no datatype, for no elements.
    NoDatatype(Side),
    /// What a program says about its next Waitany does not fit.
    Annotation(Side, Trouble),
}

/// What a program does to memory that belongs to MPI.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Touch {
    /// It reads it.
    Read,
    /// It writes to it.
    Write,
    /// It frees it.
    Free,
    /// It leaves the function whose variable it is.
    Leave,
}

/// What a rank says or does at a window that is not so, or not allowed then (MPI 5.0 §12.5.3 and §12.5.5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Breach {
    /// `MPI_MODE_NOPRECEDE`, and the rank has accessed the window since the last fence.
    PrecededFence,
    /// `MPI_MODE_NOSTORE`, and the rank has changed its memory: the other place.
    StoredBefore,
    /// An access changes memory for which `MPI_MODE_NOPUT` was said at the other place.
    PutDespite,
    /// A start with `MPI_MODE_NOCHECK` for a post without.
    CheckedPost,
    /// A start without `MPI_MODE_NOCHECK` for a post with it.
    CheckedStart,
    /// Both have it, and nothing makes sure that the post is called before the start.
    UnorderedStart,
    /// A lock excludes another one at the same time, and one of them is with `MPI_MODE_NOCHECK`.
    UncheckedLock,
    /// A lock of memory that may be exposed by a post at the same time.
    LockedExposed,
    /// A lock of memory that an access between the same fences reaches.
    LockedFenced,
}

/// What MPI has memory of a rank for, until it is given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lent {
    /// Others reach it by a window.
    Window,
    /// It is attached for sends in buffered mode.
    Attached,
}

/// What is wrong with an annotation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Trouble {
    /// The count is negative, or the vector is null or has other values than 0 and 1.
    Vector,
    /// The call has another number of requests.
    Count {
        /// Requests that the annotation has a value for.
        announced: u64,
        /// Requests of the call.
        asked: u64,
    },
    /// Another one followed before any call that it could concern.
    Unused,
}

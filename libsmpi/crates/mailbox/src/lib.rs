//! The network state machine: mailboxes, communications and matching. No time, no policy, no payloads, no MPI handles.
//!
//! # Two of four primitives
//!
//! All communication of a run uses the four primitives of "A Simple Model of Communication APIs" (Rosa, Merz, Quinson;
//! AVOCS 2010). MPI adds the matching rule: (context, source, tag) with wildcards, and posting order. Send and Recv are
//! here. WaitAny and TestAny concern requests, and a request may stand for several messages. So they are beside
//! requests, in `world/wait.rs` of `smpi-mpi`.
//!
//! | primitive | here | MPI functions made of it |
//! |---|---|---|
//! | Send | [`Mailboxes::send`] | all sends, the send half of `MPI_Sendrecv`, the send steps of collectives |
//! | Recv | [`Mailboxes::recv`] | all receives; [`Mailboxes::claim`] and [`Mailboxes::attach`] for `MPI_Mprobe` |
//!
//! [`Mailboxes::probe`] and [`Mailboxes::cancel`] serve `MPI_Probe`/`MPI_Iprobe` and `MPI_Cancel`. [`independence`]
//! says which operations of different ranks commute, Waits and Tests included: the theorems of the same paper, which
//! the tests of this crate check.
//!
//! # A communication's life
//!
//! ```text
//!            send, no receive waits         recv (joins)
//!   ───────────────────────────► SendPosted ───────────► Matched ──finish──► (slot reused)
//!                                    │ claim               ▲  ▲
//!                                    └───────► Claimed ────┘  │
//!            recv, no send waits                attach        │
//!   ───────────────────────────► RecvPosted ──────────────────┘
//!                                          send (joins)
//!   cancel: SendPosted or RecvPosted ──► (slot reused)
//! ```
//!
//! # A mailbox
//!
//! Every rank owns one mailbox with two queues in posting order. A waiting send never matches a posted receive: they
//! would have been joined when the later one was posted.
//!
//! ```text
//!   mailbox of rank 3
//!   sends     ─► (ctx 0, src 1, tag 7) ◄─► (ctx 0, src 2, tag 7) ◄─► (ctx 0, src 1, tag 9)     arrival order
//!   receives  ─► (ctx 0, src 4, any  ) ◄─► (ctx 2, any,   tag 0)                               posting order
//!
//!   more than 8 entries: key lists, each in posting order too, in one hash map for all ranks
//!   (3, sends, exact,      ctx 0, src 1, tag 7) ─► first ◄─► ...       for receives that name source and tag
//!   (3, sends, any source, ctx 0,        tag 7) ─► first ◄─► second    built when MPI_ANY_SOURCE is first used here
//! ```
//!
//! So the cost of a match depends neither on the number of pending operations nor on that of ranks. Posting both sides
//! and finishing takes 14 ns with empty queues, 17 ns with 4 entries before the match, and 46 ns with 64 or 65,536
//! entries, exact or wildcard. It takes 17 ns when the messages go round 50,000 ranks (`cargo bench -p smpi-mailbox`,
//! one core of a 2-core VM). An empty mailbox takes 48 bytes, a communication 72, and 32 more if queues are long.
//! Nothing is allocated once the tables have reached their final size.
//!
//! # Order
//!
//! Of several candidates, the one posted first is taken (MPI 5.0 §3.5). For messages of one sender, posting order is
//! program order. Across senders, it is the order of the calls of `send`. The simulated world calls `send` in its
//! commit order, so results do not depend on the host.
#![forbid(unsafe_code)]

pub mod canonical;
mod communication;
mod envelope;
pub mod independence;
mod mailboxes;
mod queue;

pub use communication::{CommId, Communication, NO_RANK, State};
pub use envelope::{Context, Envelope, Pattern};
pub use mailboxes::{Mailboxes, Posted};

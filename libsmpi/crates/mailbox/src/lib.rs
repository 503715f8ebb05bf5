//! The network state machine: mailboxes, communications and matching. No time, no policy, no payloads, no MPI handles.
//!
//! # Two of four primitives
//!
//! All communication of a run is expressed by the four primitives of "A Simple Model of Communication APIs" (Rosa,
//! Merz, Quinson; AVOCS 2010). What MPI adds to them is who matches whom: (context, source, tag) with wildcards and
//! posting order. Send and Recv are here. WaitAny and TestAny are questions about requests, of which one may stand for
//! several messages: they are where requests are, in `world/wait.rs` of `smpi-mpi`.
//!
//! | primitive | here | MPI functions made of it |
//! |---|---|---|
//! | Send | [`Mailboxes::send`] | all sends, the send half of `MPI_Sendrecv`, the send steps of collectives |
//! | Recv | [`Mailboxes::recv`] | all receives; [`Mailboxes::claim`] and [`Mailboxes::attach`] for `MPI_Mprobe` |
//!
//! [`Mailboxes::probe`] and [`Mailboxes::cancel`] complete what `MPI_Probe`/`MPI_Iprobe` and `MPI_Cancel` need. Which
//! operations of different ranks commute, Waits and Tests among them, is in [`independence`]: the theorems of the same
//! paper, which the tests of this crate check.
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
//! Every rank owns one mailbox with two queues in posting order. Never does a waiting send match a posted receive: they
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
//! So matching costs the same however many operations are pending and however many ranks there are: posting both sides
//! and finishing takes 14 ns with empty queues, 17 ns with 4 entries before the match, and 46 ns with 64 as with
//! 65,536, exact or wildcard; 17 ns when the messages go round 50,000 ranks (`cargo bench -p smpi-mailbox`, one core of
//! a 2-core VM). An empty mailbox takes 48 bytes, a communication 72 and 32 more where queues are long; nothing is
//! allocated once the tables have grown to the run's need.
//!
//! # Order
//!
//! Among several candidates the one posted first is taken (MPI 5.0 §3.5). For messages of one sender this is its
//! program order. Across senders it is the order in which `send` was called; the simulated world calls it in its commit
//! order, so that results do not depend on the host.
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

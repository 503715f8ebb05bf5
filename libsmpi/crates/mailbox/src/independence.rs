//! Which operations of different ranks commute, whatever the state: the theorems of "A Simple Model of Communication
//! APIs" §3.2, restated for mailboxes with MPI matching.
//!
//! Two operations are independent when, from every state in which both are enabled, neither disables the other, both
//! orders lead to the same [`crate::canonical::Canonical`] state, and each gives the same answer in either order.
//!
//! With one mailbox per destination rank and MPI's wildcards:
//!
//! - *Theorem 1, Send and Recv:* independent, always, wildcards included. If each has an older partner, the two do not
//!   meet in either order. If neither has one, they meet in both orders (or never, if the pattern rejects the
//!   envelope). If one of them has an older partner, it takes this partner, and the other waits.
//! - *Theorem 2, Send and Send:* independent when mailboxes *or contexts* differ: a pattern names its context, so no
//!   receive ever compares the two. To one mailbox in one context they are dependent: a receive with two wildcards
//!   takes the first. Only this dependence remains in MPI programs, and a checker branches on the *receiver's* choice.
//! - *Theorem 2, Recv and Recv:* independent, always: only the owner receives at a mailbox, so different ranks mean
//!   different mailboxes.
//! - *Theorem 3, Wait and Test on one communication:* independent, always, and also on different ones: completing one
//!   changes the readiness of none.
//! - *Theorems 4, 5, 6, local actions:* independent of everything: mailboxes hold no memory of ranks, and local actions
//!   no mailboxes.
//!
//! What MPI adds: a probe that may answer "no" depends on sends that it would see; a cancel depends on every operation
//! that may match the cancelled one; a Test, or a WaitAny with several choices, depends on postings that may make one
//! of its communications ready. A blocking probe or a Wait on one communication is enabled only when its answer is
//! already fixed, so it depends on no posting.

use smpi_base::WorldRank;

use crate::envelope::{Envelope, Pattern};

/// A posted send or receive, described without ids so that traces can be compared across states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Posting {
    /// A send to the mailbox of `to`.
    Send {
        /// Owner of the mailbox.
        to: WorldRank,
        /// What the message carries.
        envelope: Envelope,
    },
    /// A receive at the mailbox of `at`.
    Recv {
        /// Owner of the mailbox, which is the rank that receives.
        at: WorldRank,
        /// What the receive accepts.
        pattern: Pattern,
    },
}

impl Posting {
    /// True when one is a send, the other a receive that accepts it, at the same mailbox.
    pub fn may_join(&self, other: &Posting) -> bool {
        match (self, other) {
            (Posting::Send { to, envelope }, Posting::Recv { at, pattern })
            | (Posting::Recv { at, pattern }, Posting::Send { to, envelope }) => to == at && pattern.matches(envelope),
            _ => false,
        }
    }
}

/// A transition of one rank on the network. Communications are named by what that rank posted for them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// Send or Recv.
    Post(Posting),
    /// A probe at the rank's own mailbox; with `claim` it takes the message (matched probe).
    Probe {
        /// What it accepts.
        pattern: Pattern,
        /// True when it is enabled only if such a message waits (`MPI_Probe`, not `MPI_Iprobe`).
        blocking: bool,
        /// True for `MPI_Mprobe` and `MPI_Improbe`.
        claim: bool,
    },
    /// The receive of a claimed message (`MPI_Mrecv`).
    Attach {
        /// Envelope of the claimed message.
        envelope: Envelope,
    },
    /// Withdrawal of a posted operation.
    Cancel(Posting),
    /// WaitAny over the communications of these postings; enabled when one is ready.
    WaitAny(Vec<Posting>),
    /// TestAny over them; always enabled.
    TestAny(Vec<Posting>),
    /// Anything that does not touch the network.
    Local,
}

/// An action and the rank that takes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// The rank.
    pub by: WorldRank,
    /// What it does.
    pub action: Action,
}

/// True when the two operations are independent in every state (see the table above); symmetric.
///
/// Operations of one rank never are: its program orders them. Exact in this sense: for every pair of different ranks'
/// operations that it calls dependent, some state tells their orders apart.
pub fn independent(a: &Operation, b: &Operation) -> bool {
    a.by != b.by && !(depends(a, b) || depends(b, a))
}

/// One direction of the dependence of two operations of different ranks.
fn depends(a: &Operation, b: &Operation) -> bool {
    match (&a.action, &b.action) {
        // Theorem 2; theorem 1 is the absence of a line for a send and a receive.
        (Action::Post(Posting::Send { to, envelope }), Action::Post(Posting::Send { to: other, envelope: second })) => {
            to == other && envelope.context == second.context
        }
        // A probe that finds nothing is told apart from one that finds the send; a blocking one has found an older
        // send.
        (Action::Post(Posting::Send { to, envelope }), Action::Probe { pattern, blocking, .. }) => {
            !blocking && *to == b.by && pattern.matches(envelope)
        }
        // Who comes first decides whether the cancel succeeds.
        (Action::Post(posting), Action::Cancel(cancelled)) => posting.may_join(cancelled),
        (Action::Cancel(Posting::Send { to, envelope }), Action::Probe { pattern, .. }) => {
            *to == b.by && pattern.matches(envelope)
        }
        // The posting may make ready what is asked about. With a single communication, Wait is enabled only afterwards.
        (Action::Post(posting), Action::TestAny(asked)) => asked.iter().any(|one| posting.may_join(one)),
        (Action::Post(posting), Action::WaitAny(asked)) => {
            asked.len() > 1 && asked.iter().any(|one| posting.may_join(one))
        }
        (Action::Attach { envelope }, Action::TestAny(asked)) => asked.contains(&claimed(a.by, envelope)),
        (Action::Attach { envelope }, Action::WaitAny(asked)) => {
            asked.len() > 1 && asked.contains(&claimed(a.by, envelope))
        }
        _ => false,
    }
}

/// The send whose message `owner` claimed.
fn claimed(owner: WorldRank, envelope: &Envelope) -> Posting {
    Posting::Send { to: owner, envelope: *envelope }
}

//! Operations that the program may cancel: their names, and the outcome chosen in advance for each.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use smpi_base::WorldRank;
use smpi_checker::history::History;
use smpi_mailbox::{CommId, Envelope};
use smpi_mpi::p2p::request::{Request, RequestKey};

/// A request that was started: by whom, and as which of that rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// The rank.
    pub rank: WorldRank,
    /// Its number among the requests that the rank started, from 0.
    pub start: u32,
}

/// Requests by their names.
pub(crate) type Names = BTreeSet<Name>;

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.rank, self.start)
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Name, ()> {
        let (rank, start) = text.split_once('.').ok_or(())?;
        Ok(Name { rank: WorldRank(number(rank)?), start: number(start)? })
    }
}

/// A number without a sign.
pub(super) fn number<N: FromStr>(text: &str) -> Result<N, ()> {
    text.parse().ok().filter(|_| !text.starts_with('+')).ok_or(())
}

/// What is known of cancellation in the present exploration. Not part of the state that snapshots restore.
#[derive(Clone, Default, Debug)]
pub struct Cancels {
    /// Requests that the program may cancel.
    pub cancellable: Names,
    /// Further ones that it did.
    pub discovered: Names,
    /// Something was met of which not everything is tried.
    pub is_partial: bool,
}

/// A cancellable request that was started, and the number of its choice. The request itself may be over before its
/// message is on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Started {
    pub key: RequestKey,
    pub number: u32,
}

/// A cancellable operation under way.
#[derive(Clone, Debug)]
pub(crate) struct Anticipated {
    pub key: RequestKey,
    /// Of its choice; another one each time a persistent request is started.
    pub number: u32,
    pub operation: Operation,
    /// Whether it takes part in matching, and the position of that choice.
    pub decided: Option<(bool, u32)>,
    /// It was cancelled: what the rank knew then.
    pub marked: Option<History>,
    /// Messages of the same sender that were taken while this one kept them from others, and what they depended on.
    pub behind: Vec<(Envelope, History)>,
}

/// What is under way.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Operation {
    Receive,
    /// `detached`: the sender does not wait for its message.
    Send {
        comm: CommId,
        to: WorldRank,
        detached: bool,
    },
}

impl Cancels {
    /// Whether the program may cancel this request, the one of this number among those that its rank started.
    pub(crate) fn expect(&self, rank: WorldRank, request: &Request, start: u32) -> bool {
        !self.cancellable.is_empty() && request.may_be_cancelled() && self.cancellable.contains(&Name { rank, start })
    }
}

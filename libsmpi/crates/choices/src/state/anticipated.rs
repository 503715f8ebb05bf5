//! Operations that the program may cancel: their names, and the outcome chosen in advance for each.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use smpi_base::WorldRank;
use smpi_base::digest::{Digest, Named, Unnamed};
use smpi_checker::history::History;
use smpi_mailbox::{CommId, Envelope, State as Life};
use smpi_mpi::p2p::request::{Request, RequestKey};
use smpi_mpi::world::World;

/// A request that was started: by whom, and as which of that rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// The rank.
    pub rank: WorldRank,
    /// Its number among the requests that the rank started, from 0.
    pub start: u32,
}

/// A place in the program from which a rank starts requests.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The rank.
    pub rank: WorldRank,
    /// A number of the call; 0 where it is not known.
    pub place: u32,
}

impl Site {
    /// The largest number of a place.
    pub(super) const MOST: u32 = (1 << 28) - 1;

    /// Where a request of a rank was made. In programs beyond 256 MiB, several places may have one number: then
    /// operations are taken for cancellable that are not.
    pub(crate) fn of(rank: WorldRank, request: &Request) -> Site {
        Site { rank, place: request.origin().site as u32 & Site::MOST }
    }
}

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
    /// Requests that the program may cancel, and where they are made: others of the same number are not cancelled.
    pub(crate) requests: BTreeSet<(Name, Site)>,
    /// Places of which it may cancel all requests that are made there.
    pub(crate) sites: BTreeSet<Site>,
    /// Further ones that it did.
    pub(crate) discovered: BTreeSet<(Name, Site)>,
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

impl Anticipated {
    /// Whether something may still become of it.
    pub(crate) fn is_open(&self, world: &World, rank: WorldRank) -> bool {
        let is_taken = |comm| world.state.boxes.get(comm).is_none_or(|message| message.state != Life::SendPosted);
        let is_over = match self.operation {
            Operation::Send { comm, .. } => matches!(self.decided, Some((true, _))) && is_taken(comm),
            Operation::Receive => false,
        };
        !is_over || world.state.ranks[rank.index()].requests.get(self.key).is_some()
    }

    /// Adds what may still become of it, where that has a name. The message of a send is known by its place among those
    /// of its sender that nobody has taken.
    pub(crate) fn name(&self, world: &World, rank: WorldRank, into: &mut Digest) -> Named {
        let Anticipated { key, number: _, operation, decided, marked, behind } = self;
        if !behind.is_empty() {
            return Err(Unnamed("a message was taken before one that may be cancelled"));
        }
        into.add((key.slot, decided.map(|(takes_part, _)| takes_part), marked.is_some()));
        into.add(match *operation {
            Operation::Receive => None,
            Operation::Send { comm, to, detached } => {
                let mut its = world.state.boxes.waiting_sends(to).filter(|(_, message)| message.from == rank);
                Some((its.position(|(other, _)| other == comm), to, detached))
            }
        });
        Ok(())
    }
}

impl Cancels {
    /// Whether nothing is known that the program cancels.
    pub(crate) fn are_none(&self) -> bool {
        self.requests.is_empty() && self.sites.is_empty()
    }

    /// Whether the program may cancel this request, the one of this number among those that its rank started.
    pub(crate) fn expect(&self, rank: WorldRank, request: &Request, start: u32) -> bool {
        !self.are_none() && request.may_be_cancelled() && self.expects(Name { rank, start }, Site::of(rank, request))
    }

    pub(crate) fn expects(&self, name: Name, site: Site) -> bool {
        let anywhere = Site { place: 0, ..site };
        self.sites.contains(&site) || [site, anywhere].iter().any(|site| self.requests.contains(&(name, *site)))
    }

    /// The requests among them that a rank has not started yet: how many more it has to start before, and the place.
    pub(crate) fn to_come(&self, rank: WorldRank, started: u32) -> impl Iterator<Item = (u32, u32)> {
        let first = |start, place| (Name { rank, start }, Site { rank, place });
        let names = self.requests.range(first(started, 0)..=first(u32::MAX, u32::MAX));
        names.map(move |(name, site)| (name.start - started, site.place))
    }
}

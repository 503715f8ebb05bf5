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

/// A request that was started: by whom, as which of that rank, and where. What has this number elsewhere is another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name {
    /// The rank.
    pub rank: WorldRank,
    /// Its number among the requests that the rank started, from 0.
    pub start: u32,
    /// As of [`Site::place`].
    pub place: u32,
}

impl Name {
    /// Where it is made.
    pub(crate) fn site(self) -> Site {
        Site { rank: self.rank, place: self.place }
    }
}

/// Requests by their names.
pub(crate) type Names = BTreeSet<Name>;

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
    const MOST: u32 = (1 << 28) - 1;

    /// Where a request of a rank was made. In programs beyond 256 MiB, several places may have one number: then
    /// operations are taken for cancellable that are not.
    pub(crate) fn of(rank: WorldRank, request: &Request) -> Site {
        Site { rank, place: request.origin().site as u32 & Site::MOST }
    }

    /// The request with this number, made there.
    pub(crate) fn name(self, start: u32) -> Name {
        let Site { rank, place } = self;
        Name { rank, start, place }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.rank, self.start)?;
        if self.place > 0 { write!(f, ".{}", self.place) } else { Ok(()) }
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Name, ()> {
        let (rank, rest) = text.split_once('.').ok_or(())?;
        let (start, place) = rest.split_once('.').map_or((rest, None), |(start, place)| (start, Some(place)));
        let place = place.map_or(Ok(0), self::place)?;
        Ok(Name { rank: WorldRank(number(rank)?), start: number(start)?, place })
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}c{}", self.rank, self.place)
    }
}

impl FromStr for Site {
    type Err = ();

    fn from_str(text: &str) -> Result<Site, ()> {
        let (rank, at) = text.split_once('c').ok_or(())?;
        Ok(Site { rank: WorldRank(number(rank)?), place: place(at)? })
    }
}

/// A place that is known.
fn place(text: &str) -> Result<u32, ()> {
    number(text).and_then(|place| if (1..=Site::MOST).contains(&place) { Ok(place) } else { Err(()) })
}

/// A number without a sign.
pub(super) fn number<N: FromStr>(text: &str) -> Result<N, ()> {
    text.parse().ok().filter(|_| !text.starts_with('+')).ok_or(())
}

/// What is known of cancellation in the present exploration. Not part of the state that snapshots restore.
#[derive(Clone, Default, Debug)]
pub struct Cancels {
    /// Requests that the program may cancel.
    pub(crate) requests: Names,
    /// Places of which it may cancel all requests that are made there.
    pub(crate) sites: BTreeSet<Site>,
    /// Further ones that it did.
    pub(crate) discovered: Names,
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
        !self.are_none() && request.may_be_cancelled() && self.expects(Site::of(rank, request).name(start))
    }

    /// Whether the program may cancel the request with this name; one whose place is not known is any of its number.
    pub(crate) fn expects(&self, name: Name) -> bool {
        self.sites.contains(&name.site())
            || [name.place, 0].iter().any(|&place| self.requests.contains(&Name { place, ..name }))
    }

    /// The requests among them that a rank has not started yet: how many more it has to start before, and the place.
    pub(crate) fn to_come(&self, rank: WorldRank, started: u32) -> impl Iterator<Item = (u32, u32)> {
        let name = |start, place| Name { rank, start, place };
        let names = self.requests.range(name(started, 0)..=name(u32::MAX, u32::MAX));
        names.map(move |name| (name.start - started, name.place))
    }
}

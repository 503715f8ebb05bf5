//! Choices, below MPI: which of several outcomes happens.

use smpi_base::WorldRank;
use smpi_mailbox::{Pattern, Posted};

use super::Clock;
use crate::p2p::request::{Owner, RequestKey};
use crate::world::{ListId, World};

/// How many of the finished requests a wait or test returns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HowMany {
    /// One (`Waitany`, `Testany`).
    One,
    /// Any number (`Waitsome`, `Testsome`).
    Some,
    /// All of them or none (`Testall`, `Test`).
    All,
}

/// What is known about a wait or test beside its requests.
#[derive(Clone, Debug, Default)]
pub struct Hints {
    /// For each active request, whether it matters to the program that it is this one; `None`: all do.
    pub relevant: Option<Box<[bool]>>,
    /// Nobody has looked at the difference so far; of a test: nobody has looked at its answer if it is "not yet".
    pub alike: bool,
    /// The requests are those of this list.
    pub list: Option<ListId>,
}

/// What is decided about one target of a window, or about a file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Matter {
    /// Who gets the lock next.
    Locks,
    /// In which order all atomic accesses take place, each as a whole.
    Accesses,
    /// In which order atomic accesses to one element take place: at this byte of the target's memory in the window.
    Element(u64),
    /// Who uses the file next: its shared file pointer, or its bytes in atomic mode.
    File,
}

/// Names a server: it means the same in every execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ServerName {
    /// The target; of a file, the first rank of those that were the first to open it.
    pub target: WorldRank,
    /// The number of the window among those that the target is in; of a file, among those that have this rank.
    pub window: u32,
    /// What it decides.
    pub matter: Matter,
}

/// In which order ranks get the lock of a window, or access its memory atomically.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As they come.
    Arrival,
    /// As the driver chooses: it decides what the server with this number among all servers receives.
    Chosen(u32),
    /// In any. Nobody asks the server; [`super::Notice::OrderMatters`] says when the order makes a difference after
    /// all.
    Any,
}

/// Ranks that are spawned at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spawning {
    /// Who spawns them: the root of the call.
    pub parent: WorldRank,
    /// How many they are.
    pub count: u32,
    /// A digest of the programs that they run, and of where.
    pub what: u32,
}

/// Which numbers spawned ranks get.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// The next ones that nobody has had.
    Next,
    /// Those from here on.
    From(u32),
    /// None: nobody is spawned, and the caller waits for ever.
    Unknown,
}

/// Which finished requests a wait or test returns. Positions are those among the active requests that it is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Picked {
    /// None: there is nothing to wait for, or a test says "not yet".
    Nothing,
    /// The first that is finished.
    First,
    /// The one at this position.
    At(u32),
    /// All that are finished.
    Finished,
    /// Those at these positions, ascending.
    Set(Box<[u32]>),
}

impl Picked {
    /// Whether a finished request at this position is among several that are returned.
    pub fn contains(&self, position: u32) -> bool {
        match self {
            Picked::Nothing => false,
            Picked::First | Picked::Finished => true,
            Picked::At(at) => *at == position,
            Picked::Set(positions) => positions.binary_search(&position).is_ok(),
        }
    }
}

/// What may happen. No method has a default: whoever hands them on to another driver cannot forget one. A driver that
/// decides nothing is [`Undecided`], and has all of them.
///
/// Where an answer is `None`, the rank must be suspended, and ask again when it is woken.
pub trait Chooser {
    /// Whether other outcomes are tried, too.
    fn explores(&self) -> bool;

    /// The seconds that a rank is shown that looks at a clock.
    fn look(&mut self, world: &mut World, rank: WorldRank) -> Option<f64>;

    /// A number of `MC_random`, from `min` to `max`.
    fn random(&mut self, world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64>;

    /// Something has changed in a rank that others can see: whether they have seen it. The rank goes on when they have.
    fn show(&mut self, world: &mut World, rank: WorldRank) -> bool;

    /// A rank is about to look once more at memory of windows, by a call at this place of its program: whether it goes
    /// on. It may have nothing else to do until that has changed.
    fn looks_again(&mut self, world: &mut World, rank: WorldRank, site: u64) -> bool;

    /// What a rank gets that waits for one of these requests or for some of them. A driver that needs the hints takes
    /// them.
    fn wait_any(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked>;

    /// What a rank gets that tests these requests.
    fn test(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked>;

    /// Whether the rank has put a question that is not answered yet: it is suspended, and goes on to be.
    fn is_asking(&self, rank: WorldRank) -> bool;

    /// `MPI_Cancel` is called for a request. True when the driver says what becomes of one that does not wait for its
    /// message; else the request is active again until the cancellation is committed.
    fn cancelling(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool;

    /// Which numbers ranks get that a rank spawns now.
    fn numbers_of(&mut self, spawned: Spawning) -> Numbers;

    /// Gives a receive to its mailbox; `None` when the driver keeps it for now.
    fn receive(&mut self, world: &mut World, at: WorldRank, pattern: Pattern, owner: Owner) -> Option<Posted>;

    /// A receive is cancelled that is in no mailbox: true when the driver kept it, and keeps it no longer.
    fn forget_receive(&mut self, rank: WorldRank, owner: Owner) -> bool;

    /// A probe is committed. True when the driver answers it, later.
    fn probes(&mut self, world: &World, rank: WorldRank, pattern: Pattern, take: bool, block: bool) -> bool;

    /// A cancellation is committed. True when the driver decides what becomes of it.
    fn cancels(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) -> bool;

    /// In which order ranks get what a server is there for, whether or not it is asked.
    fn order(&self, server: ServerName) -> Order;

    /// A rank's part of a collective operation is done. False when the rank stays in it for now.
    fn may_leave(&mut self, world: &mut World, rank: WorldRank, slot: u32) -> bool;
}

/// A driver that decides nothing: what comes first is taken first, and every question is answered at once.
pub trait Undecided: Clock {
    /// A rank looks at a clock: the seconds that it is shown.
    fn shown_time(&mut self, rank: WorldRank) -> f64;

    /// A number of `MC_random`, from `min` to `max`.
    fn any_number(&mut self, rank: WorldRank, min: i64, max: i64) -> i64;
}

impl<D: Undecided> Chooser for D {
    #[inline]
    fn explores(&self) -> bool {
        false
    }

    fn look(&mut self, _world: &mut World, rank: WorldRank) -> Option<f64> {
        Some(self.shown_time(rank))
    }

    fn random(&mut self, _world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64> {
        Some(self.any_number(rank, min, max))
    }

    #[inline]
    fn show(&mut self, _world: &mut World, _rank: WorldRank) -> bool {
        true
    }

    #[inline]
    fn looks_again(&mut self, _world: &mut World, _rank: WorldRank, _site: u64) -> bool {
        true
    }

    #[inline]
    fn wait_any(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        hints: &mut Hints,
    ) -> Option<Picked> {
        let goes_on = hints.list.and_then(|list| world.wait_for_list(rank, list)).unwrap_or_else(|| {
            let goes_on = world.wait_begin(rank, keys.clone(), false);
            if goes_on {
                world.wait_end(rank, keys);
            }
            goes_on
        });
        goes_on.then_some(if how_many == HowMany::One { Picked::First } else { Picked::Finished })
    }

    #[inline]
    fn test(
        &mut self,
        world: &mut World,
        rank: WorldRank,
        keys: impl Iterator<Item = RequestKey> + Clone,
        how_many: HowMany,
        _hints: &mut Hints,
    ) -> Option<Picked> {
        Some(match how_many {
            HowMany::One => Picked::First,
            HowMany::Some => Picked::Finished,
            HowMany::All if world.all_finished(rank, keys) => Picked::Finished,
            HowMany::All => Picked::Nothing,
        })
    }

    #[inline]
    fn is_asking(&self, _rank: WorldRank) -> bool {
        false
    }

    #[inline]
    fn cancelling(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) -> bool {
        false
    }

    #[inline]
    fn numbers_of(&mut self, _spawned: Spawning) -> Numbers {
        Numbers::Next
    }

    #[inline]
    fn receive(&mut self, world: &mut World, at: WorldRank, pattern: Pattern, owner: Owner) -> Option<Posted> {
        Some(world.state.boxes.recv(at, pattern, owner.token()))
    }

    #[inline]
    fn forget_receive(&mut self, _rank: WorldRank, _owner: Owner) -> bool {
        false
    }

    #[inline]
    fn probes(&mut self, _world: &World, _rank: WorldRank, _pattern: Pattern, _take: bool, _block: bool) -> bool {
        false
    }

    #[inline]
    fn cancels(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) -> bool {
        false
    }

    #[inline]
    fn order(&self, _server: ServerName) -> Order {
        Order::Arrival
    }

    #[inline]
    fn may_leave(&mut self, _world: &mut World, _rank: WorldRank, _slot: u32) -> bool {
        true
    }
}

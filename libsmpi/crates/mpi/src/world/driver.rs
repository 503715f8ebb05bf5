//! The interface below MPI's semantics: what a driver is told, and what it decides.
//!
//! [`World`] is a state machine without time and without choices of its own. It tells its driver what happens, and asks
//! the driver what may happen. This project has two drivers, and the tests of this crate have a third:
//!
//! | | simulation | verification | the tests' |
//! |---|---|---|---|
//! | a transfer takes | what the network takes | nothing | one tick |
//! | a receive from any source takes | the message that came first | whichever is chosen | as simulation |
//! | a test is answered | with the truth | yes or "not yet", as is chosen | as simulation |
//! | a standard send waits | as its size says | as the buffering mode says | as simulation |
//!
//! All calls are dispatched statically: a method of `World` that may call its driver takes the driver as an argument. A
//! driver keeps its data about requests and messages in tables of its own, indexed by ranks, slots and communications.
//! So `World` stores nothing for any driver.
//!
//! **A driver may** call `World` from within every method that gets it, and complete requests, match messages and wake
//! ranks there. It must not block and must not run a rank.

use smpi_abi::Function;
use smpi_base::{SimTime, WorldRank};
use smpi_mailbox::{CommId, Context, Pattern, Posted};

use super::{ListId, Post, World};
use crate::p2p::request::{Operation, Owner, RequestKey};

/// Something that took time and is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// A message has arrived: [`World::transfer_done`] is due.
    Transfer(CommId),
    /// A rank's computation or sleep is over.
    Rank(WorldRank),
    /// A rank's alarm goes off, whatever it does.
    Alarm(WorldRank),
    /// Something that another layer has asked the driver for, by its number.
    Job(u32),
}

/// What polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Poll {
    /// `MPI_Test` and its kin.
    Test,
    /// `MPI_Iprobe` and `MPI_Improbe`.
    Probe,
}

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
    /// Nobody has looked at the difference so far.
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
    /// In any. Nobody asks the server; [`Driver::order_matters`] says when the order makes a difference after all.
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

/// What is below MPI: time, or choices. Methods without a default are what every driver has to say; the defaults of the
/// others are those of a driver that never interferes.
pub trait Driver: Sized {
    // Time.

    /// Simulated time since the start of the run.
    fn now(&self) -> SimTime;

    /// Starts to move a message of `wire_size` bytes (envelope included). It comes back as [`Ended::Transfer`], never
    /// from within this call.
    fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64);

    /// Lets `rank` hear ([`Ended::Rank`]) when `duration` has passed.
    fn start_delay(&mut self, rank: WorldRank, duration: SimTime);

    /// Lets `rank` hear when its host has computed `flops` for it.
    fn start_computation(&mut self, rank: WorldRank, flops: f64);

    /// Sets a rank's alarm to a date, or cancels it when that is infinite.
    fn set_alarm(&mut self, rank: WorldRank, date: SimTime);

    /// Goes to the next instant at which something ends, and appends what does. False when nothing ever will.
    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool;

    /// Whether time passes at all. Where it does not, a rank that sleeps in a loop makes no headway.
    fn time_passes(&self) -> bool {
        true
    }

    /// What a poll takes before it looks, in seconds; 0 lets the other ranks run that are ready now. `None`: it needs
    /// no pause, because looking suspends the rank anyway.
    fn poll_takes(&mut self, rank: WorldRank, poll: Poll) -> Option<f64>;

    /// A poll has found something, or not.
    fn polled(&mut self, rank: WorldRank, found: bool);

    /// What a look at the clock takes, in seconds.
    fn look_takes(&mut self, _rank: WorldRank) -> f64 {
        0.0
    }

    /// The seconds that a rank is shown that looks at a clock; `None`: it must be suspended, and ask again when it is
    /// woken.
    fn look(&mut self, _world: &mut World, _rank: WorldRank) -> Option<f64> {
        Some(self.now().secs())
    }

    /// A number of `MC_random`, from `min` to `max`; `None` as for [`Driver::look`].
    fn random(&mut self, world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64>;

    /// Something has changed in a rank that others can see: whether they have seen it. The rank goes on when they have.
    fn show(&mut self, _world: &mut World, _rank: WorldRank) -> bool {
        true
    }

    /// A rank leaves MPI and computes from now on.
    fn burst_begins(&mut self, _rank: WorldRank) {}

    /// A rank enters MPI. True when it has to wait ([`Ended::Rank`]) until its host has done what it computed.
    fn burst_ends(&mut self, _rank: WorldRank) -> bool {
        false
    }

    /// A rank is suspended, maybe in the middle of a burst.
    fn burst_pauses(&mut self, _rank: WorldRank) {}

    /// It goes on.
    fn burst_goes_on(&mut self, _rank: WorldRank) {}

    /// Whether what happens may depend on measured times.
    fn measures(&self) -> bool {
        false
    }

    /// Adds seconds of this machine to the burst of a rank that it did not spend, because its program skipped what it
    /// measured before.
    fn add_to_burst(&mut self, _rank: WorldRank, _secs: f64) {}

    /// Whether other outcomes are tried, too.
    fn explores(&self) -> bool {
        false
    }

    // A rank and its calls. They come while the rank runs, in whatever order ranks run.

    /// A rank calls a function of MPI, from its program and not from another call.
    fn entered(&mut self, _rank: WorldRank, _function: Function) {}

    /// A rank posts something, which is committed later, in the order in which the rank posted.
    fn posting(&mut self, _world: &World, _rank: WorldRank, _post: &Post) {}

    /// A request is started; nothing of it was posted yet.
    fn started(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) {}

    /// `MPI_Cancel` is called for a request. True when the driver says what becomes of one that does not wait for its
    /// message; else the request is active again until the cancellation is committed.
    fn cancelling(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) -> bool {
        false
    }

    /// The rank takes the completion of a finished request, or is told of it without taking it (`shown`).
    fn taken(&mut self, _world: &World, _rank: WorldRank, _key: RequestKey, _shown: bool) {}

    /// What a rank gets that waits for one of these requests or for some of them; `None`: it must be suspended, and
    /// ask again when it is woken. A driver that needs the hints takes them.
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

    /// What a rank gets that tests these requests; `None` as for [`Driver::wait_any`].
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

    /// Whether the rank has put a question that is not answered yet: it is suspended, and goes on to be.
    fn is_asking(&self, _rank: WorldRank) -> bool {
        false
    }

    /// A rank is through: it posts nothing any more.
    fn rank_ended(&mut self, _rank: WorldRank) {}

    // Ranks that are spawned. They are through from the start, until somebody spawns them.

    /// Which numbers ranks get that a rank spawns now.
    fn numbers_of(&mut self, _spawned: Spawning) -> Numbers {
        Numbers::Next
    }

    /// `rank` is there from now on: `parent` has spawned it.
    fn rank_begins(&mut self, _rank: WorldRank, _parent: WorldRank) {}

    // Commits: what ranks have posted takes place, in the order of ranks.

    /// A post of a rank is committed now.
    fn committing(&mut self, _world: &World, _rank: WorldRank, _post: &Post) {}

    /// What ranks do with files and the like is done now, for this rank.
    fn acting_for(&mut self, _world: &World, _rank: WorldRank) {}

    /// What [`Driver::advance`] has told is dealt with now, in the same order.
    fn ending(&mut self, _world: &World, _ended: Ended) {}

    /// All that concerns an instant so far is done, and the ranks that were woken are about to be taken.
    fn instant_over(&mut self, _world: &World) {}

    /// A message is in its mailbox, or matched already; it does not travel yet. `owner`: the slot of the request whose
    /// step it is; `None` when it is a post of its own.
    fn sent(&mut self, _world: &mut World, _comm: CommId, _owner: Option<u32>) {}

    /// The same message found nobody who waits for it.
    fn unmatched(&mut self, _world: &mut World, _comm: CommId) {}

    /// Gives a receive to its mailbox; `None` when the driver keeps it for now.
    fn receive(&mut self, world: &mut World, at: WorldRank, pattern: Pattern, owner: Owner) -> Option<Posted> {
        Some(world.boxes.recv(at, pattern, owner.token()))
    }

    /// A message and its receive are matched; nothing was copied yet.
    fn matched(&mut self, _world: &mut World, _comm: CommId, _receiver: Owner) {}

    /// A partition of a partitioned receive, with a request of its own in the slot `part`, waits for its data since the
    /// whole was started, in the slot `whole`.
    fn begun_within(&mut self, _rank: WorldRank, _whole: u32, _part: u32) {}

    /// A message has arrived that is a step of a partitioned receive and belongs to the partition in the slot `part`.
    fn piece_arrived(&mut self, _rank: WorldRank, (_whole, _step): (u32, u32), _part: u32) {}

    /// A partition is over that is part of a partitioned operation.
    fn partition_over(&mut self, _rank: WorldRank, _whole: u32, _part: u32) {}

    /// A probe is committed. True when the driver answers it, later.
    fn probes(&mut self, _world: &World, _rank: WorldRank, _pattern: Pattern, _take: bool, _block: bool) -> bool {
        false
    }

    /// A cancellation is committed. True when the driver decides what becomes of it.
    fn cancels(&mut self, _world: &mut World, _rank: WorldRank, _key: RequestKey) -> bool {
        false
    }

    /// A receive is cancelled that is in no mailbox: true when the driver kept it, and keeps it no longer.
    fn forget_receive(&mut self, _rank: WorldRank, _owner: Owner) -> bool {
        false
    }

    /// A message or receive was taken out of its mailbox.
    fn taken_back(&mut self, _comm: CommId) {}

    /// A cancelled operation of a rank is complete.
    fn cancelled(&mut self, _world: &mut World, _rank: WorldRank) {}

    /// An operation is over; its rank was not told yet.
    fn completed(&mut self, _world: &World, _rank: WorldRank, _slot: u32) {}

    // Windows.

    /// There are servers up to this number of ranks in all.
    fn grow(&mut self, _ranks: u32) {}

    /// In which order ranks get what a server is there for, whether or not it is asked.
    fn order(&self, _server: ServerName) -> Order {
        Order::Arrival
    }

    /// The order that was taken not to matter does. A lock that was asked for is not given; an access takes place as it
    /// arrives.
    fn order_matters(&mut self, _server: ServerName) {}

    /// A server has done what a rank asked for: an access to this target of a window, or what the request in a slot
    /// waits for.
    fn answered(&mut self, _server: WorldRank, _rank: WorldRank, _about: (Context, u32), _slot: Option<u32>) {}

    /// A server has given a rank its turn for what the request in a slot waits for.
    fn served(&mut self, _server: WorldRank, _rank: WorldRank, _slot: u32) {}

    /// A rank learns that its accesses to this target of a window are over.
    fn heard(&mut self, _rank: WorldRank, _about: (Context, u32)) {}

    // Collective operations.

    /// All messages of a collective request so far are over, and it goes on behind a fence.
    fn fence_passed(&mut self, _rank: WorldRank, _slot: u32) {}

    /// The message that a step of a collective request posted is over, and it goes on behind a step that waited for
    /// that.
    fn message_awaited(&mut self, _rank: WorldRank, _slot: u32, _step: u32) {}

    /// The ranks of a collective operation that has a gate are all there; these requests go on.
    fn gate_opens(&mut self, _ready: &[(WorldRank, u32)]) {}

    /// All ranks have called a collective operation.
    fn all_called(&mut self, _world: &mut World, _operation: Operation) {}

    /// A rank's part of a collective operation is done. False when the rank stays in it for now.
    fn may_leave(&mut self, _world: &mut World, _rank: WorldRank, _slot: u32) -> bool {
        true
    }
}

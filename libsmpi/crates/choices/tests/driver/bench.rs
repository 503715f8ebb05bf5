//! A world and a verification without programs: the tests make the calls of all ranks.

use std::cell::Cell;

use smpi_base::WorldRank;
use smpi_checker::{ChoiceId, ChoiceKind, Choices, Event};
use smpi_choices::Verification;
use smpi_mailbox::Pattern;
use smpi_mpi::collective::Part;
use smpi_mpi::datatype::{Basic, Datatype};
use smpi_mpi::memory::{Addr, Memory};
use smpi_mpi::p2p::protocol::{Mode, Thresholds};
use smpi_mpi::p2p::request::{Body, Completion, Recv, Request, RequestKey, Send};
use smpi_mpi::world::{Chooser, Clock, Driver, Ended, Hints, HowMany, Notice, Picked, RankMemory, World};

pub use smpi_abi::c::constants::MPI_ANY_SOURCE as ANY_SOURCE;
/// Polls in vain that are allowed.
pub const MAX_FUTILE: u32 = 2;

const CONTEXT: u32 = 4;
const TAG: i32 = 7;
/// Address of every rank's first byte.
const BASE: u64 = 1 << 20;

/// An open choice: its rank and number, what it is about, and its candidates.
pub type Open = (u32, u32, ChoiceKind, Vec<u64>);

/// Memory of the ranks, in which every buffer is new.
struct Arenas(Vec<Vec<Cell<u8>>>);

/// The ranks, MPI's state and the driver.
pub struct Bench {
    pub world: World,
    pub driver: Verification,
    /// Buffers of each rank so far.
    buffers: Vec<u64>,
}

/// A receive that was started, and where its value goes.
#[derive(Clone, Copy)]
pub struct Receive {
    pub key: RequestKey,
    at: Addr,
}

impl Bench {
    /// Ranks whose standard sends are all buffered, or all wait.
    pub fn new(ranks: u32, buffered: bool) -> Bench {
        let thresholds = Thresholds { eager_below: 0, detached_below: if buffered { u64::MAX } else { 0 } };
        let memory = Arenas((0..ranks).map(|_| vec![Cell::new(0); 1024]).collect());
        let mut world = World::new(ranks, Box::new(memory), thresholds);
        Verification::prepare(&mut world);
        Bench { world, driver: Verification::new(ranks, 3, false), buffers: vec![0; ranks as usize] }
    }

    fn buffer(&mut self, rank: u32) -> Part {
        let number = &mut self.buffers[rank as usize];
        *number += 1;
        Part { at: Addr(BASE + 8 * *number), count: 1, datatype: Datatype::basic(Basic::Int64) }
    }

    fn start(&mut self, rank: u32, body: Body) -> RequestKey {
        let rank = WorldRank(rank);
        let key = self.world.new_request(rank, Request::new(body, false, 1)).unwrap();
        self.world.start(&mut self.driver, rank, key).unwrap();
        key
    }

    /// `MPI_Isend` of one value; also the address of its buffer.
    pub fn send(&mut self, from: u32, to: u32, value: i64) -> (RequestKey, Addr) {
        let part = self.buffer(from);
        let at = part.at;
        self.write(from, at, value);
        let (to, dest, mode) = (Some(WorldRank(to)), to as i32, Mode::Standard);
        let send = Send { part, to, context: CONTEXT, source: from, dest, tag: TAG, mode, caller: 0 };
        (self.start(from, Body::Send(send)), at)
    }

    pub fn write(&mut self, rank: u32, at: Addr, value: i64) {
        self.world.memory().write(WorldRank(rank), at, &value.to_ne_bytes());
    }

    /// `MPI_Irecv` of one value.
    pub fn recv(&mut self, rank: u32, source: i32) -> Receive {
        let part = self.buffer(rank);
        let at = part.at;
        let from = u32::try_from(source).ok().map(WorldRank);
        let key = self.start(rank, Body::Recv(Recv { part, source, from, tag: TAG, context: CONTEXT, caller: 0 }));
        Receive { key, at }
    }

    /// A posted probe; it is answered by a choice.
    pub fn probe(&mut self, rank: u32, block: bool) {
        let pattern = Pattern { context: CONTEXT, source: None, tag: Some(TAG) };
        self.world.post_probe(&mut self.driver, WorldRank(rank), pattern, false, block);
        self.settle();
    }

    /// The sender of the message that the last probe has found.
    pub fn probed(&mut self, rank: u32) -> Option<i32> {
        let probed = self.world.take_probed(WorldRank(rank));
        self.driver.told(&self.world, Notice::Polled { rank: WorldRank(rank), found: probed.is_some() });
        probed.map(|probed| probed.status.source)
    }

    /// Whether a rank that waits for this goes on.
    pub fn wait(&mut self, rank: u32, key: RequestKey) -> bool {
        self.world.wait_all(WorldRank(rank), [key].into_iter())
    }

    pub fn wait_any(&mut self, rank: u32, keys: &[RequestKey], how_many: HowMany) -> Option<Picked> {
        let (keys, hints) = (keys.iter().copied(), &mut Hints::default());
        self.driver.wait_any(&mut self.world, WorldRank(rank), keys, how_many, hints)
    }

    pub fn test(&mut self, rank: u32, key: RequestKey) -> Option<Picked> {
        let hints = &mut Hints::default();
        self.driver.test(&mut self.world, WorldRank(rank), [key].into_iter(), HowMany::All, hints)
    }

    pub fn is_done(&self, rank: u32, key: RequestKey) -> bool {
        self.world.is_done(WorldRank(rank), key)
    }

    pub fn take(&mut self, rank: u32, key: RequestKey) -> Completion {
        self.world.take_completion(&mut self.driver, WorldRank(rank), key).expect("the request is over")
    }

    /// Takes a receive that is over: the sender, and the value.
    pub fn received(&mut self, rank: u32, receive: Receive) -> (i32, i64) {
        let source = self.take(rank, receive.key).status.source;
        let mut bytes = Vec::new();
        self.world.memory().append(WorldRank(rank), receive.at, 8, &mut bytes);
        (source, i64::from_ne_bytes(bytes.try_into().unwrap()))
    }

    pub fn cancel(&mut self, rank: u32, key: RequestKey) {
        self.world.post_cancel(&mut self.driver, WorldRank(rank), key);
        self.settle();
    }

    /// Lets everything happen that is no choice.
    pub fn settle(&mut self) {
        let mut ended = Vec::new();
        loop {
            self.world.commit(&mut self.driver);
            if !self.driver.advance(&mut ended) {
                return;
            }
            for one in ended.drain(..) {
                match one {
                    Ended::Transfer(comm) => self.world.transfer_done(&mut self.driver, comm),
                    other => panic!("no rank sleeps or computes here: {other:?}"),
                }
            }
        }
    }

    pub fn choices(&mut self) -> Choices {
        let mut choices = Choices::new();
        self.driver.open_choices(&self.world, MAX_FUTILE, &mut choices);
        choices
    }

    /// The open choices.
    pub fn open(&mut self) -> Vec<Open> {
        let choices = self.choices();
        let open = choices.all().map(|choice| {
            let (rank, number) = (choice.id.rank(), choice.id.number);
            (rank.0, number, choice.kind, choices.candidates(choice).to_vec())
        });
        open.collect()
    }

    /// The only open choice.
    #[track_caller]
    pub fn only(&mut self) -> Open {
        let mut open = self.open();
        assert_eq!(open.len(), 1, "{open:?}");
        open.remove(0)
    }

    /// Makes a choice of a rank, with whatever follows from it.
    pub fn choose(&mut self, rank: u32, number: u32, candidate: u64) {
        let choice = ChoiceId::of(WorldRank(rank), number);
        self.driver.choose(&mut self.world, Event { choice, candidate });
        self.settle();
    }

    /// Makes the only choice that a rank has.
    #[track_caller]
    pub fn answer(&mut self, rank: u32, candidate: u64) {
        let open = self.open();
        let mut its = open.iter().filter(|open| open.0 == rank);
        let (Some(one), None) = (its.next(), its.next()) else { panic!("rank {rank} has not one choice: {open:?}") };
        assert!(one.3.contains(&candidate), "{candidate} is no candidate: {open:?}");
        self.choose(rank, one.1, candidate);
    }

    /// Ranks that were woken since somebody asked last.
    pub fn woken(&mut self) -> Vec<u32> {
        let mut woken = Vec::new();
        self.world.take_woken(&mut woken);
        woken.into_iter().map(|rank| rank.0).collect()
    }

    /// The positions of the choices that a rank knows of.
    pub fn past(&self, rank: u32) -> Vec<usize> {
        let mut past = Vec::new();
        self.driver.past_of_rank(WorldRank(rank), &mut past);
        past
    }

    /// The senders of the messages that wait at a rank.
    pub fn waiting(&self, rank: u32) -> Vec<u32> {
        self.world.state.boxes.waiting_sends(WorldRank(rank)).map(|(_, message)| message.from.0).collect()
    }
}

impl Memory for Arenas {
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        &self.0[rank.index()][(at.0 - BASE) as usize..][..len]
    }

    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.bytes(rank, at, len)
    }
}

impl RankMemory for Arenas {
    fn reserve(&mut self, _: WorldRank, _: usize) -> Addr {
        unreachable!("no collective operations here")
    }

    fn release(&mut self, _: WorldRank, _: Addr, _: usize) {
        unreachable!("no collective operations here")
    }
}

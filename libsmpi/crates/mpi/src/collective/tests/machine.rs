//! The machine that executes schedules: memory of all ranks, messages in flight, and checks of the rules.

use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use smpi_base::rng::Rng;
use smpi_base::{HostId, WorldRank};

use crate::collective::{Builder, Part, Peer, Placement, Schedule, ScratchSource, Step};
use crate::datatype::{Basic, Datatype, copy_typed};
use crate::group::Group;
use crate::memory::{Addr, Memory};

/// Address of every rank's first byte.
const BASE: u64 = 1 << 20;
/// Contents of memory that nobody wrote.
const JUNK: u8 = 0xA5;

/// Memory of one rank.
#[derive(Clone)]
struct Arena(Vec<Cell<u8>>);

impl Arena {
    fn at(&self, at: Addr, len: usize) -> &[Cell<u8>] {
        &self.0[(at.0 - BASE) as usize..][..len]
    }
}

impl ScratchSource for Arena {
    fn reserve(&mut self, len: usize) -> Addr {
        let start = self.0.len().next_multiple_of(16);
        // A gap, so that writing too far is noticed as a wrong result.
        self.0.resize(start + len + 16, Cell::new(JUNK));
        Addr(BASE + start as u64)
    }
}

#[derive(Clone)]
struct Arenas(Vec<Arena>);

impl Memory for Arenas {
    fn bytes(&self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.0[rank.index()].at(at, len)
    }

    fn bytes_to_write(&mut self, rank: WorldRank, at: Addr, len: usize) -> &[Cell<u8>] {
        self.bytes(rank, at, len)
    }
}

/// How a rank's data lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// One value after the other.
    Dense,
    /// One value every 24 bytes.
    Gaps,
    /// Elements of two values with a hole between and after them.
    Pairs,
    /// Elements of one value that follow each other downwards in memory.
    Down,
}

impl Shape {
    pub(super) fn any(rng: &mut Rng) -> Shape {
        [Shape::Dense, Shape::Gaps, Shape::Pairs, Shape::Down][rng.below(4)]
    }

    /// A shape whose elements are single values.
    pub(super) fn single(rng: &mut Rng) -> Shape {
        [Shape::Dense, Shape::Gaps][rng.below(2)]
    }

    pub(super) fn datatype(self) -> Datatype {
        let number = Datatype::basic(Basic::Int64);
        match self {
            Shape::Dense => number,
            Shape::Gaps => number.resized(0, 24).unwrap(),
            Shape::Pairs => Datatype::vector(2, 1, 2, &number).unwrap().resized(-8, 40).unwrap(),
            Shape::Down => number.resized(0, -16).unwrap(),
        }
    }

    /// Elements for this many values.
    pub(super) fn count(self, values: usize) -> i64 {
        if self == Shape::Pairs { values as i64 / 2 } else { values as i64 }
    }
}

/// A posted message: its rank, the step, and the data.
type Message = (usize, u32, Part);

#[derive(Default)]
struct Channel {
    sends: VecDeque<Message>,
    recvs: VecDeque<Message>,
}

/// From and to which rank, and whether both are of one group.
type Way = (u32, u32, bool);

/// What was posted.
#[derive(Default)]
struct Network {
    channels: BTreeMap<Way, Channel>,
    /// Sends with their receives.
    flying: Vec<(Message, Message)>,
}

impl Network {
    /// Puts a message into its channel, and lets it fly when its other side is there.
    fn post(&mut self, way: Way, put: impl FnOnce(&mut Channel)) {
        let channel = self.channels.entry(way).or_default();
        put(channel);
        if !channel.sends.is_empty() && !channel.recvs.is_empty() {
            self.flying.extend(channel.sends.pop_front().zip(channel.recvs.pop_front()));
        }
    }
}

/// Memory that a message uses, from and up to, and the step that posted it.
type Range = (u64, u64, u32);

/// What a rank's messages use until its next fence, or until it awaits the message.
#[derive(Default)]
struct InUse {
    read: Vec<Range>,
    written: Vec<Range>,
}

/// All ranks: of one group, or of the two groups of an intercommunicator.
pub(super) struct Machine {
    groups: Vec<u32>,
    /// The host of each rank.
    hosts: Vec<u32>,
    memory: Arenas,
    schedules: Vec<Schedule>,
    /// Contents of the buffers before the run.
    before: Option<Arenas>,
}

impl Machine {
    pub(super) fn new(groups: &[u32]) -> Machine {
        let ranks = groups.iter().sum::<u32>() as usize;
        let schedules = (0..ranks).map(|_| Schedule::default()).collect();
        let memory = Arenas(vec![Arena(Vec::new()); ranks]);
        Machine { groups: groups.to_vec(), hosts: (0..ranks as u32).collect(), memory, schedules, before: None }
    }

    /// One group, with as many ranks on each host, going round, or anywhere.
    pub(super) fn on_hosts(ranks: u32, rng: &mut Rng) -> Machine {
        let some = 1 + rng.below(4) as u32;
        let way = rng.below(4);
        let host = |rank: u32| match way {
            0 => rank,
            1 => rank / some,
            2 => rank % some,
            _ => rng.below(some as usize) as u32,
        };
        let hosts = (0..ranks).map(host).collect();
        Machine { hosts, ..Machine::new(&[ranks]) }
    }

    /// A buffer of a rank, with room around it.
    pub(super) fn buffer(&mut self, world: u32, values: usize, shape: Shape) -> Part {
        let arena = &mut self.memory.0[world as usize];
        let (count, datatype) = (shape.count(values), shape.datatype());
        let Some((low, high)) = datatype.span(count as u64) else {
            return Part { at: arena.reserve(0), count, datatype };
        };
        let at = arena.reserve((high - low) as usize).offset(-low);
        Part { at, count, datatype }
    }

    pub(super) fn write(&mut self, world: u32, part: &Part, values: &[i64]) {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        assert_eq!(bytes.len() as u64, part.size());
        part.datatype.unpack(&mut self.memory, WorldRank(world), part.at, part.count as u64, &bytes);
    }

    pub(super) fn read(&self, world: u32, part: &Part) -> Vec<i64> {
        read(&self.memory, world, part)
    }

    /// Fills the schedule of a rank. All buffers exist before.
    pub(super) fn build(&mut self, world: u32, fill: impl FnOnce(&mut Builder)) {
        self.before.get_or_insert_with(|| self.memory.clone());
        let (rank, size, remote) = match *self.groups {
            [first, second] if world < first => (world, first, second),
            [first, second] => (world - first, second, first),
            _ => (world, self.groups[0], 0),
        };
        let mut builder = Builder::new(rank, size, remote, &mut self.memory.0[world as usize]);
        let hosts: Vec<HostId> = self.hosts.iter().copied().map(HostId).collect();
        builder.set_hosts(Arc::new(Placement::new(&hosts)), Group::range(world - rank, size));
        fill(&mut builder);
        self.schedules[world as usize] = builder.finish();
    }

    /// Runs all schedules to their end.
    pub(super) fn run(&mut self, rng: &mut Rng) {
        let left = self.go(rng, |_| true);
        for (rank, schedule) in self.schedules.iter().enumerate() {
            assert_eq!(schedule.next, schedule.steps.len(), "rank {rank} is stuck: {:?}", schedule.steps);
            assert_eq!(schedule.outstanding, 0);
        }
        assert_eq!(left, 0, "messages that nobody received");
    }

    /// Checks that nobody gets to its end while rank `late` does nothing. The schedules move no data; they start anew
    /// afterwards.
    pub(super) fn stuck_without(&mut self, late: u32, rng: &mut Rng) {
        let others: Vec<u32> = (0..self.schedules.len() as u32).filter(|&rank| rank != late).collect();
        self.stuck_without_among(late, &others, rng);
    }

    /// The same for some of the ranks.
    pub(super) fn stuck_without_among(&mut self, late: u32, waiting: &[u32], rng: &mut Rng) {
        self.go(rng, |rank| rank != late as usize);
        for &rank in waiting {
            let schedule = &self.schedules[rank as usize];
            assert!(schedule.next < schedule.steps.len(), "rank {rank} did not wait for rank {late}");
        }
        for schedule in &mut self.schedules {
            schedule.rewind();
        }
    }

    /// Runs the ranks that take part until nothing moves. Gives the number of messages that are left over.
    fn go(&mut self, rng: &mut Rng, takes_part: impl Fn(usize) -> bool) -> usize {
        let ranks = self.schedules.len();
        let mut network = Network::default();
        let mut in_use: Vec<InUse> = (0..ranks).map(|_| InUse::default()).collect();
        let mut order: Vec<usize> = (0..ranks).collect();
        loop {
            rng.shuffle(&mut order);
            for &rank in order.iter().filter(|&&rank| takes_part(rank)) {
                self.advance(rank, &mut network, &mut in_use[rank]);
            }
            if network.flying.is_empty() {
                break;
            }
            let any = rng.below(network.flying.len());
            let ((from, sending, send), (to, receiving, recv)) = network.flying.swap_remove(any);
            assert!(send.size() <= recv.size(), "a message of {} bytes, room for {}", send.size(), recv.size());
            assert_eq!(send.size(), recv.size(), "collective messages fill their buffers");
            let (source, target) = (WorldRank(from as u32), WorldRank(to as u32));
            copy_typed(&mut self.memory, send.place(source), recv.place(target));
            self.schedules[from].message_done(sending);
            self.schedules[to].message_done(receiving);
            // Nobody else can go on because of it.
            order.clear();
            order.extend([from, to]);
        }
        network.channels.values().map(|channel| channel.sends.len() + channel.recvs.len()).sum()
    }

    /// Runs a rank up to a fence that has to wait.
    fn advance(&mut self, rank: usize, network: &mut Network, in_use: &mut InUse) {
        while let Some(step) = self.schedules[rank].steps.get(self.schedules[rank].next).cloned() {
            let here = WorldRank(rank as u32);
            let index = self.schedules[rank].next as u32;
            match step {
                Step::Fence if self.schedules[rank].outstanding > 0 => break,
                Step::Fence => *in_use = InUse::default(),
                Step::Await(awaited) if !self.schedules[rank].is_done(awaited) => break,
                Step::Await(awaited) => in_use.release(awaited),
                Step::Send(peer, part) => {
                    in_use.check(&[&part], &[]);
                    in_use.read.extend(range(&part).map(|(low, high)| (low, high, index)));
                    let (to, local) = self.world(rank, peer);
                    network.post((here.0, to, local), |channel| channel.sends.push_back((rank, index, part)));
                    self.schedules[rank].outstanding += 1;
                }
                Step::Recv(peer, part) => {
                    in_use.check(&[], &[&part]);
                    in_use.written.extend(range(&part).map(|(low, high)| (low, high, index)));
                    let (from, local) = self.world(rank, peer);
                    network.post((from, here.0, local), |channel| channel.recvs.push_back((rank, index, part)));
                    self.schedules[rank].outstanding += 1;
                }
                Step::Copy(both) => {
                    let [from, to] = *both;
                    in_use.check(&[&from], &[&to]);
                    assert_eq!(from.size(), to.size());
                    copy_typed(&mut self.memory, from.place(here), to.place(here));
                }
                Step::Reduce(both) => {
                    let [input, inout] = *both;
                    in_use.check(&[&input, &inout], &[&inout]);
                    let apart = |(a, b): ((u64, u64), (u64, u64))| a.1 <= b.0 || b.1 <= a.0;
                    assert!(range(&input).zip(range(&inout)).is_none_or(apart));
                    self.reduce(here, &input, &inout);
                }
            }
            self.schedules[rank].next += 1;
        }
    }

    /// The peer of a rank, and whether the message stays within one group of two.
    fn world(&self, rank: usize, peer: Peer) -> (u32, bool) {
        let first = self.groups[0];
        let in_first = (rank as u32) < first;
        let (number, is_local) = (peer.number(), !peer.is_remote());
        (if in_first == is_local { number } else { first + number }, is_local)
    }

    /// Composition of affine functions modulo a prime: associative and not commutative. Sums for operations that
    /// commute.
    fn reduce(&mut self, rank: WorldRank, input: &Part, inout: &Part) {
        let commutes = self.schedules[rank.index()].op.is_some_and(|op| op.is_commutative());
        let (left, right) = (self.read(rank.0, input), self.read(rank.0, inout));
        let result: Vec<i64> = left.iter().zip(&right).map(|(&l, &r)| combine(commutes, l, r)).collect();
        self.write(rank.0, inout, &result);
    }

    /// Checks that only these parts of the buffers changed since they were filled.
    pub(super) fn only_changed(&mut self, parts: &[(u32, Part)]) {
        let mut expected = self.before.take().expect("schedules were built");
        let mut bytes = Vec::new();
        for (world, part) in parts {
            let rank = WorldRank(*world);
            bytes.clear();
            part.datatype.pack(&self.memory, rank, part.at, part.count as u64, &mut bytes);
            part.datatype.unpack(&mut expected, rank, part.at, part.count as u64, &bytes);
        }
        for (rank, (expected, found)) in expected.0.iter().zip(&self.memory.0).enumerate() {
            assert_eq!(expected.0, found.0[..expected.0.len()], "memory of rank {rank} changed outside of the result");
        }
    }
}

/// The reduction of two values.
pub(super) fn combine(commutes: bool, left: i64, right: i64) -> i64 {
    const PRIME: i64 = 65_521;
    if commutes {
        return left.wrapping_add(right);
    }
    let ((a, b), (c, d)) = ((left >> 20, left & 0xF_FFFF), (right >> 20, right & 0xF_FFFF));
    (a * c % PRIME) << 20 | ((a * d + b) % PRIME)
}

fn read(memory: &Arenas, world: u32, part: &Part) -> Vec<i64> {
    let mut bytes = Vec::new();
    part.datatype.pack(memory, WorldRank(world), part.at, part.count as u64, &mut bytes);
    bytes.chunks_exact(8).map(|chunk| i64::from_ne_bytes(chunk.try_into().unwrap())).collect()
}

/// The memory around a part's data.
fn range(part: &Part) -> Option<(u64, u64)> {
    let (low, high) = part.datatype.span(part.count as u64)?;
    (high > low).then(|| (part.at.offset(low).0, part.at.offset(high).0))
}

fn touches(some: &[&Part], others: &[Range]) -> bool {
    !others.is_empty()
        && some.iter().filter_map(|part| range(part)).any(|a| others.iter().any(|b| a.0 < b.1 && b.0 < a.1))
}

impl InUse {
    /// The message of a step is complete.
    fn release(&mut self, step: u32) {
        self.read.retain(|&(.., other)| other != step);
        self.written.retain(|&(.., other)| other != step);
    }

    fn check(&self, reads: &[&Part], writes: &[&Part]) {
        assert!(!touches(reads, &self.written), "reads what a receive may not have written yet");
        assert!(!touches(writes, &self.written), "writes where a receive writes");
        assert!(!touches(writes, &self.read), "writes what a send may not have read yet");
    }
}

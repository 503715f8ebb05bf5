//! What a simulation tells, call by call and activity by activity, and what becomes of it.
//!
//! The driver of a simulation tells a [`Recorder`] what ranks do and which activities begin and end. The recorder keeps
//! sums (`places.rs`, [`RankSums`]), the chains of what caused what (`chain.rs`), and pictures of fixed size
//! (`timeline.rs`). Nothing that it is told changes the run, and nothing that it keeps grows with the number of events,
//! but for the chains of ranks that have nothing to do with each other and, as long as there are few, the events
//! themselves ([`Details`]).

use std::collections::VecDeque;

use smpi_abi::{Chapter, Function};
use smpi_base::WorldRank;
use smpi_base::map::Map;

use crate::activity::{Activity, What};
use crate::chain::{Cause, Chains};
use crate::collectives::{Collective, Collectives, Part};
use crate::details::{CallDetail, Details, MessageDetail};
use crate::ideal::{Carried, Clock, Sent};
use crate::links::Links;
use crate::places::{Parts, Place, Places, Spot, Wait};
use crate::spool::{Event, Spool};
use crate::stem::Stem;
use crate::timeline::{Bins, State};
use crate::waits::{Reason, Waits};

/// Activities behind each other in which causes of one wait are looked for.
const LONGEST_WALK: usize = 256;

/// Activities that are kept without looking whether all are needed.
const FEWEST_KEPT: usize = 256;

/// Cells of the timeline of ranks.
const CELLS: usize = 1 << 20;
/// Intervals that a row of it has, at least and at most.
const FEWEST_INTERVALS: usize = 32;
const MOST_INTERVALS: usize = 1024;

/// Pairs of ranks that are told apart, at most: about 40 MB.
const MOST_PAIRS: usize = 1 << 20;

/// Sums of one rank, in simulated seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankSums {
    /// It computed.
    pub compute_secs: f64,
    /// It slept outside of calls.
    pub sleep_secs: f64,
    /// It was in calls of MPI.
    pub call_secs: f64,
    /// What these are made up of.
    pub parts: Parts,
    /// Others waited while it computed or was busy.
    pub caused_secs: f64,
    /// When it ended, if it did.
    pub end_secs: Option<f64>,
}

/// Messages, and bytes of their payloads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Volume {
    /// How many.
    pub messages: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Volume {
    fn add(&mut self, bytes: u64) {
        self.messages += 1;
        self.bytes += bytes;
    }
}

/// What is counted for a communicator, over all ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommSums {
    /// Calls that were about it.
    pub calls: u64,
    /// Time in them, in seconds.
    pub secs: f64,
    /// What this is made up of.
    pub parts: Parts,
}

/// Where a rank stands.
#[derive(Debug, Default)]
struct Log {
    /// What its present turn was caused by.
    turn: Cause,
    /// Computations and delays of it that are under way.
    busy: Vec<Cause>,
    /// What set its alarm.
    alarm: Cause,
    /// The call that it is in or was in last.
    place: Place,
    in_call: bool,
    /// The call as which others are counted now.
    all_as: Option<Place>,
    program: Option<u32>,
    /// Its call waits for others together, and not for one message.
    is_collective: bool,
    entered: f64,
    parts: Parts,
    /// When it was suspended, if it is.
    paused: Option<f64>,
    /// The context of the communicator that its call is about.
    comm: Option<u64>,
    /// Places of the posts that are not committed, in their order, and the clocks at them.
    posts: VecDeque<(Place, f64)>,
    clock: Clock,
    /// Places at which requests were started, by slot.
    slots: Vec<Place>,
    /// What requests take part in, by slot.
    parts_of_collectives: Vec<Part>,
    /// Messages of the program in its mailbox that it has not asked for.
    unreceived: u32,
    sums: RankSums,
}

/// Observes a simulation. Dates are simulated seconds since the start.
#[derive(Debug)]
pub struct Recorder {
    /// What caused what.
    pub chains: Chains,
    /// Sums by call.
    pub places: Places,
    /// What ranks did over time: a row for each, with a value for each [`State`].
    pub timeline: Bins,
    /// Messages between pairs of ranks in the order in which these were met, as long as there are not too many.
    pub pairs: Vec<((u32, u32), Volume)>,
    /// The place of a pair in `pairs`.
    pair_numbers: Map<(u32, u32), u32>,
    /// Some pairs are missing.
    pub lacks_pairs: bool,
    /// Messages by size: the i-th have less than 2^i bytes, and not less than half of it.
    pub sizes: [Volume; 65],
    /// Sums by communicator, with the context of its messages, in the order in which these were met.
    pub comms: Vec<(u64, CommSums)>,
    /// The place of a context in `comms`, and the one that was asked for last.
    comm_numbers: Map<u64, usize>,
    recent_comm: usize,
    /// What ranks waited for.
    pub waits: Waits,
    /// Collective operations by their algorithms.
    pub collectives: Collectives,
    /// What links carried.
    pub links: Links,
    /// Single events.
    pub details: Details,
    /// All events, where somebody wants them.
    pub spool: Option<Spool>,
    ranks: Vec<Log>,
    /// What is the cause of what happens now, and the call that it belongs to.
    context: Cause,
    context_place: Place,
    context_clock: f64,
    /// The clocks of messages on an ideal network.
    carried: Carried,
    /// The message that was sent or matched last: if it begins to travel, that is now.
    matching: Option<(usize, Sent)>,
    /// Payload of the message that arrived last, and what it took of the bandwidth of its links.
    recent_work: (u64, f64),
    /// How many of the ranks that were woken have their cause.
    attributed: usize,
    /// Activities that ended at this instant, in their order.
    over: VecDeque<Cause>,
    /// The rank that ended last, and what its last turn was caused by.
    last: Option<(f64, Cause)>,
    /// Activities that are kept before it is looked whether all are needed.
    most_kept: usize,
}

impl Recorder {
    /// Nothing has happened yet; there will be up to so many ranks.
    pub fn new(ranks: usize) -> Recorder {
        let intervals = (CELLS / ranks.max(1)).clamp(FEWEST_INTERVALS, MOST_INTERVALS).next_power_of_two();
        Recorder {
            chains: Chains::default(),
            places: Places::default(),
            timeline: Bins::new(intervals, State::COUNT),
            pairs: Vec::new(),
            pair_numbers: Map::default(),
            lacks_pairs: false,
            sizes: [Volume::default(); 65],
            comms: Vec::new(),
            comm_numbers: Map::default(),
            recent_comm: 0,
            waits: Waits::default(),
            collectives: Collectives::default(),
            links: Links::default(),
            details: Details::default(),
            spool: None,
            ranks: (0..ranks).map(|_| Log::default()).collect(),
            context: Cause::START,
            context_place: Place::START,
            context_clock: 0.0,
            carried: Carried::default(),
            matching: None,
            recent_work: (u64::MAX, 0.0),
            attributed: 0,
            over: VecDeque::new(),
            last: None,
            most_kept: FEWEST_KEPT,
        }
    }

    // Calls.

    /// The number of a rank's program as a [`Spot`] has it, once somebody has told it.
    pub fn program_of(&self, rank: WorldRank) -> Option<u32> {
        self.ranks[rank.index()].program
    }

    /// A rank enters a call of MPI; its computation before is over.
    pub fn enter(&mut self, rank: WorldRank, spot: Spot, now: f64) {
        let log = &mut self.ranks[rank.index()];
        log.program = Some(spot.program);
        log.place = match log.all_as {
            Some(place) if spot.function != Function::Pcontrol => place,
            _ => self.places.number(spot),
        };
        log.is_collective = waits_for_many(spot.function);
        log.in_call = true;
        if let Some(spool) = &mut self.spool {
            spool.add(now, rank.0, Event::Enter(log.place));
        }
        log.entered = now;
        log.parts = Parts::default();
        log.comm = None;
    }

    /// From now on the calls of a rank are told apart, or (`false`) all but `MPI_Pcontrol` are counted as the one that
    /// it is in.
    pub fn tell_apart(&mut self, rank: WorldRank, wanted: bool) {
        let log = &mut self.ranks[rank.index()];
        log.all_as = (!wanted).then_some(log.place);
    }

    /// It goes back to its program.
    pub fn leave(&mut self, rank: WorldRank, now: f64) {
        let log = &mut self.ranks[rank.index()];
        if !log.in_call {
            return;
        }
        log.in_call = false;
        if let Some(spool) = &mut self.spool {
            spool.add(now, rank.0, Event::Leave);
        }
        let comm = log.comm.map(|context| self.number_of_comm(context));
        let log = &mut self.ranks[rank.index()];
        let counted = self.places.at(log.place);
        counted.calls += 1;
        if let Some(comm) = comm {
            self.comms[comm].1.calls += 1;
        }
        let secs = now - log.entered;
        if secs <= 0.0 {
            // Nothing to add.
            return;
        }
        log.sums.call_secs += secs;
        log.sums.parts.add(&log.parts);
        counted.secs += secs;
        counted.longest_secs = counted.longest_secs.max(secs);
        counted.parts.add(&log.parts);
        if let Some(comm) = comm {
            let sums = &mut self.comms[comm].1;
            sums.secs += secs;
            sums.parts.add(&log.parts);
        }
        let (place, start, parts) = (log.place, log.entered, log.parts);
        self.details.call(CallDetail { rank: rank.0, place, start, end: now, parts });
    }

    /// The place of a communicator's sums.
    #[inline]
    fn number_of_comm(&mut self, context: u64) -> usize {
        if self.comms.get(self.recent_comm).is_some_and(|(recent, _)| *recent == context) {
            return self.recent_comm;
        }
        let next = self.comms.len();
        let number = *self.comm_numbers.entry(context).or_insert(next);
        if number == next {
            self.comms.push((context, CommSums::default()));
        }
        self.recent_comm = number;
        number
    }

    /// The call of a rank is about a communicator, which has this context.
    pub fn about(&mut self, rank: WorldRank, comm: u64) {
        if let Some(log) = self.ranks.get_mut(rank.index()) {
            log.comm = Some(comm);
        }
    }

    /// A rank posts something.
    pub fn post(&mut self, rank: WorldRank) {
        let log = &mut self.ranks[rank.index()];
        log.posts.push_back((log.place, log.clock.now));
    }

    /// A rank starts the request of a slot. Nothing is kept of servers of windows, whose numbers are behind those of
    /// the ranks: what they do belongs to whoever has asked them.
    pub fn started(&mut self, rank: WorldRank, slot: u32) {
        let Some(log) = self.ranks.get_mut(rank.index()) else { return };
        if log.slots.len() <= slot as usize {
            log.slots.resize(slot as usize + 1, Place::START);
        }
        log.slots[slot as usize] = log.place;
        log.clock.started(slot);
    }

    /// The request of a slot that a rank has started takes part in a collective operation; `request` tells it from
    /// others of the same slot.
    pub fn collective(&mut self, rank: WorldRank, slot: u32, request: u64, collective: Collective, now: f64) {
        let log = &mut self.ranks[rank.index()];
        if log.parts_of_collectives.len() <= slot as usize {
            log.parts_of_collectives.resize(slot as usize + 1, Part::default());
        }
        let part = &mut log.parts_of_collectives[slot as usize];
        *part = self.collectives.begin(request, *part, collective, log.place, now);
    }

    /// What the request of a slot stands for is done.
    pub fn completed(&mut self, rank: WorldRank, slot: u32, now: f64) {
        let log = self.ranks.get_mut(rank.index());
        if let Some(part) = log.and_then(|log| log.parts_of_collectives.get_mut(slot as usize)) {
            self.collectives.end(part, now);
        }
    }

    /// A rank takes the completion of the request of a slot.
    pub fn taken(&mut self, rank: WorldRank, slot: u32) {
        if let Some(log) = self.ranks.get_mut(rank.index()) {
            log.clock.taken(slot);
        }
    }

    /// A message is in its mailbox; `step_of`: it is a step of the request of this slot of the sender's. `to`: the
    /// receiver of a message of the program's own.
    pub fn sent(&mut self, from: WorldRank, message: usize, step_of: Option<u32>, to: Option<WorldRank>) {
        let log = self.ranks.get(from.index());
        let clock = step_of.zip(log).map_or(self.context_clock, |(slot, log)| log.clock.of(slot));
        let of_slot = step_of.zip(log).and_then(|(slot, log)| log.slots.get(slot as usize).copied());
        let place = of_slot.or(log.filter(|_| self.context_place == Place::START).map(|log| log.place));
        let place = place.unwrap_or(self.context_place);
        // A message that had the same place before may have been left over, as those for ranks that are gone.
        self.take_sent(message);
        let mut sent = Sent { clock, place, is_programs: to.is_some(), wrong_order: false, unreceived: to };
        if let Some(receiver) = to.and_then(|to| self.ranks.get_mut(to.index())) {
            sent.wrong_order = receiver.unreceived > 0;
            receiver.unreceived += 1;
        }
        self.carried.set(message, sent);
        self.matching = Some((message, sent));
    }

    /// A message is taken back: nobody will receive it.
    pub fn withdrawn(&mut self, message: usize) {
        self.take_sent(message);
    }

    fn take_sent(&mut self, message: usize) -> Sent {
        let sent = self.carried.take(message);
        if let Some(receiver) = sent.unreceived.and_then(|to| self.ranks.get_mut(to.index())) {
            receiver.unreceived -= 1;
        }
        sent
    }

    /// A message has found its receiver, the request of a slot; `sender`: that waits for it, too, in the request of a
    /// slot of its own.
    pub fn matched(
        &mut self,
        message: usize,
        bytes: u64,
        receiver: (WorldRank, u32),
        sender: Option<(WorldRank, u32)>,
    ) {
        let (rank, slot) = receiver;
        let sent = self.take_sent(message);
        let Some(log) = self.ranks.get_mut(rank.index()) else { return };
        let place = log.slots.get(slot as usize).copied().unwrap_or(log.place);
        self.places.at(place).received_bytes += bytes;
        let receivers = log.clock.of(slot);
        log.clock.met(slot, sent.clock);
        self.matching = Some((message, sent));
        if let Some((rank, slot)) = sender
            && let Some(log) = self.ranks.get_mut(rank.index())
        {
            log.clock.met(slot, receivers);
        }
    }

    /// A rank is suspended.
    pub fn pause(&mut self, rank: WorldRank, now: f64) {
        self.ranks[rank.index()].paused = Some(now);
    }

    /// It goes on: what it has waited for is what woke it.
    pub fn resume(&mut self, rank: WorldRank, now: f64) {
        let log = &mut self.ranks[rank.index()];
        let (turn, in_call) = (log.turn, log.in_call);
        let Some(since) = log.paused.take().filter(|since| *since < now) else { return };
        let secs = now - since;
        let Some(activity) = self.chains.get(turn) else { return };
        let (what, is_own) = (activity.what, activity.rank == rank.0);
        match what {
            What::Compute | What::Overhead | What::Sleep if is_own => {
                if what == What::Compute || !in_call {
                    self.ranks[rank.index()].clock.now += secs;
                }
                self.did(rank, what, since, now);
            }
            _ => self.waited(rank, since, now),
        }
    }

    /// A rank has done something itself.
    fn did(&mut self, rank: WorldRank, what: What, since: f64, now: f64) {
        let (log, secs) = (&mut self.ranks[rank.index()], now - since);
        let state = match what {
            What::Compute => {
                log.sums.compute_secs += secs;
                let counted = self.places.at(log.place);
                counted.computations += 1;
                counted.computation_secs += secs;
                State::Compute
            }
            What::Sleep if !log.in_call => {
                log.sums.sleep_secs += secs;
                State::Sleep
            }
            _ => {
                log.parts.overhead += secs;
                State::Overhead
            }
        };
        self.draw(rank, state, since, now);
    }

    /// A rank is suspended still and will not go on: its host has failed, it was ended, or what it waits for never
    /// comes. Its time until now is that of what it was doing, or waiting; why nobody knows.
    fn cut(&mut self, rank: WorldRank, now: f64) {
        let log = &mut self.ranks[rank.index()];
        let Some(since) = log.paused.take() else { return };
        let busy = log.busy.last().and_then(|cause| self.chains.get(*cause)).map(|activity| activity.what);
        if let Some(spool) = self.spool.as_mut().filter(|_| busy == Some(What::Compute)) {
            spool.add(now, rank.0, Event::Computed);
        }
        match busy {
            _ if now <= since => {}
            Some(what) => self.did(rank, what, since, now),
            None => {
                self.ranks[rank.index()].parts.wait(Wait::LatePartner, now - since);
                self.draw(rank, State::Wait, since, now);
            }
        }
        self.leave(rank, now);
    }

    /// The run is over.
    pub fn finish(&mut self, now: f64) {
        (0..self.ranks.len() as u32).for_each(|rank| self.cut(WorldRank(rank), now));
    }

    /// A rank has waited for others.
    fn waited(&mut self, rank: WorldRank, since: f64, now: f64) {
        let log = &self.ranks[rank.index()];
        let (turn, in_collective, place) = (log.turn, log.is_collective, log.place);
        let message = self.chains.get(turn).filter(|activity| activity.what == What::Transfer);
        // A call that waits for a request may wait for a collective operation.
        let is_collective = in_collective || message.is_some_and(|message| !message.is_programs);
        let is_out_of_order = message.is_some_and(|message| message.wrong_order);
        let wait = match message.filter(|_| !is_collective) {
            Some(message) if message.peer == rank.0 => Wait::LateSender,
            Some(message) if message.rank == rank.0 => Wait::LateReceiver,
            _ => Wait::LatePartner,
        };
        let (mut transfer, mut contention, mut late) = (0.0, 0.0, 0.0);
        let (mut cursor, mut until) = (turn, now);
        let mut is_direct = true;
        for _ in 0..LONGEST_WALK {
            let Some(activity) = self.chains.get(cursor) else { break };
            let begin = activity.start.max(since);
            let secs = until - begin;
            match activity.what {
                What::Transfer | What::File if is_collective || is_direct => {
                    let lost = secs * activity.contention();
                    contention += lost;
                    transfer += secs - lost;
                }
                What::Transfer | What::File => {
                    late += secs;
                    let reason = Reason { place, what: activity.what, of: activity.place };
                    self.waits.add(reason, activity.rank, secs);
                }
                What::Compute | What::Overhead | What::Sleep => {
                    late += secs;
                    if activity.rank != rank.0 {
                        let reason = Reason { place, what: activity.what, of: activity.place };
                        self.waits.add(reason, activity.rank, secs);
                        self.ranks[activity.rank as usize].sums.caused_secs += secs;
                    }
                }
            }
            is_direct = false;
            until = begin;
            if until <= since {
                break;
            }
            cursor = self.chains.before(cursor);
        }
        // What lies further back is not looked at.
        late += (until - since).max(0.0);
        let parts = &mut self.ranks[rank.index()].parts;
        parts.wait(wait, late);
        if is_out_of_order && wait == Wait::LateSender {
            parts.wrong_order += late;
        }
        parts.transfer += transfer;
        parts.contention += contention;
        let (moves, shares) = (since + late, since + late + transfer);
        self.draw(rank, State::Wait, since, moves);
        self.draw(rank, State::Transfer, moves, shares);
        self.draw(rank, State::Contention, shares, now);
    }

    fn draw(&mut self, rank: WorldRank, state: State, from: f64, to: f64) {
        self.timeline.add(rank.index(), state as usize, (from, to), to - from);
        if state == State::Compute {
            let place = self.ranks[rank.index()].place;
            self.details.computation(CallDetail { rank: rank.0, place, start: from, end: to, parts: Parts::default() });
        }
    }

    // Activities.

    /// A rank is busy from now on: it computes, or a delay of it begins.
    pub fn busy(&mut self, rank: WorldRank, computes: bool, now: f64) {
        let log = &self.ranks[rank.index()];
        let what = match (computes, log.in_call) {
            (true, _) => What::Compute,
            (false, true) => What::Overhead,
            (false, false) => What::Sleep,
        };
        let (turn, place) = (log.turn, log.place);
        if let Some(spool) = self.spool.as_mut().filter(|_| computes) {
            spool.add(now, rank.0, Event::Compute);
        }
        let cause = self.chains.begin(Activity::of_rank(what, rank.0, place, now), turn);
        self.ranks[rank.index()].busy.push(cause);
    }

    /// That is over.
    pub fn busy_over(&mut self, rank: WorldRank, now: f64) {
        let cause = self.ranks[rank.index()].busy.pop().unwrap_or_default();
        let computed = self.chains.end(cause, now).is_some_and(|activity| activity.what == What::Compute);
        if let Some(spool) = self.spool.as_mut().filter(|_| computed) {
            spool.add(now, rank.0, Event::Computed);
        }
        self.over.push_back(cause);
    }

    /// The alarm of a rank is set, or (`false`) cancelled.
    pub fn alarm(&mut self, rank: WorldRank, is_set: bool, now: f64) {
        let log = &self.ranks[rank.index()];
        let (old, turn, place) = (log.alarm, log.turn, log.place);
        let new = match is_set {
            true => self.chains.begin(Activity::of_rank(What::Sleep, rank.0, place, now), turn),
            false => Cause::START,
        };
        self.ranks[rank.index()].alarm = new;
        self.chains.release(old);
    }

    /// The alarm of a rank goes off.
    pub fn alarm_over(&mut self, rank: WorldRank, now: f64) {
        let cause = std::mem::take(&mut self.ranks[rank.index()].alarm);
        self.chains.end(cause, now);
        self.over.push_back(cause);
    }

    /// A message begins to travel; alone it would take `alone_secs`.
    pub fn transfer(
        &mut self,
        message: usize,
        (from, to): (WorldRank, WorldRank),
        bytes: u64,
        alone_secs: f64,
        now: f64,
    ) -> Cause {
        let known = self.matching.take().filter(|(matched, _)| *matched == message).map(|(_, sent)| sent);
        let place = match known {
            Some(sent) => sent.place,
            None if self.context_place == Place::START => {
                self.ranks.get(from.index()).map_or(Place::START, |log| log.place)
            }
            None => self.context_place,
        };
        let counted = self.places.at(place);
        counted.messages += 1;
        counted.sent_bytes += bytes;
        self.sizes[64 - bytes.leading_zeros() as usize].add(bytes);
        let pair = self.number_of_pair((from.0, to.0));
        match self.pairs.get_mut(pair as usize) {
            Some((_, volume)) => volume.add(bytes),
            None => self.lacks_pairs = true,
        }
        let number = self.spool.as_mut().map_or(0, |spool| {
            let message = spool.next_message();
            spool.add(now, from.0, Event::Depart { message, to: to.0, bytes });
            message
        });
        let activity = Activity {
            what: What::Transfer,
            rank: from.0,
            peer: to.0,
            place,
            bytes,
            start: now,
            end: now,
            alone_secs,
            number,
            pair,
            is_programs: known.is_some_and(|sent| sent.is_programs),
            wrong_order: known.is_some_and(|sent| sent.wrong_order),
        };
        self.chains.begin(activity, self.context)
    }

    /// The place of a pair's messages in `pairs`; beyond its end when there are too many.
    #[inline]
    fn number_of_pair(&mut self, pair: (u32, u32)) -> u32 {
        let next = self.pairs.len() as u32;
        match self.pair_numbers.get(&pair) {
            Some(&number) => number,
            None if self.pairs.len() < MOST_PAIRS => {
                self.pair_numbers.insert(pair, next);
                self.pairs.push((pair, Volume::default()));
                next
            }
            None => u32::MAX,
        }
    }

    /// Something begins that is done with files.
    pub fn file(&mut self, now: f64) -> Cause {
        let rank = self.chains.get(self.context).map_or(0, |activity| activity.rank);
        self.chains.begin(Activity::of_rank(What::File, rank, self.context_place, now), self.context)
    }

    /// What [`Recorder::transfer`] or [`Recorder::file`] began is over. A message with so many bytes of payload has
    /// taken `work` bytes of the bandwidth of its links, which depends on nothing else. `way` puts the channels between
    /// sender and receiver into a list, each with its bandwidth in bytes a second, as [`Links::carry`] wants them.
    pub fn over(
        &mut self,
        cause: Cause,
        now: f64,
        work: impl FnOnce(u64) -> f64,
        way: impl FnOnce(WorldRank, WorldRank, &mut Vec<(usize, f64)>),
    ) {
        self.over.push_back(cause);
        let Some(activity) = self.chains.end(cause, now).filter(|activity| activity.what == What::Transfer) else {
            return;
        };
        let &Activity { rank, peer, place, bytes, start, end, number, pair, .. } = activity;
        if let Some(spool) = &mut self.spool {
            spool.add(now, peer, Event::Arrive { message: number, from: rank, bytes });
        }
        self.details.message(MessageDetail { from: rank, to: peer, place, bytes, start, end });
        if self.recent_work.0 != bytes {
            self.recent_work = (bytes, work(bytes));
        }
        self.links
            .carry(pair, place, self.recent_work.1, (start, end), |list| way(WorldRank(rank), WorldRank(peer), list));
    }

    // Causes.

    /// What the next activity that is over leads to happens now; `rank`: it is that rank's own. `woken`: the ranks that
    /// were woken at this instant so far.
    pub fn ending(&mut self, rank: Option<WorldRank>, woken: &[WorldRank]) {
        self.attribute(woken);
        self.matching = None;
        let cause = self.over.pop_front().unwrap_or_default();
        if let Some(rank) = rank {
            self.chains.keep(cause);
            self.set_turn(rank, cause);
        }
        self.set_context(cause, Place::START);
    }

    /// What a rank has posted is committed now.
    pub fn committing(&mut self, rank: WorldRank, woken: &[WorldRank]) {
        self.attribute(woken);
        self.matching = None;
        let log = &mut self.ranks[rank.index()];
        let (place, clock) = log.posts.pop_front().unwrap_or((log.place, log.clock.now));
        let cause = log.turn;
        self.context_clock = clock;
        if cause == self.context {
            self.context_place = place;
        } else {
            self.chains.keep(cause);
            self.set_context(cause, place);
        }
    }

    /// What a rank does with files and the like is done now.
    pub fn acting_for(&mut self, rank: WorldRank, woken: &[WorldRank]) {
        self.attribute(woken);
        let log = &self.ranks[rank.index()];
        let (place, cause) = (log.place, log.turn);
        self.chains.keep(cause);
        self.set_context(cause, place);
    }

    /// The woken ranks are about to go on.
    pub fn all_woken(&mut self, woken: &[WorldRank]) {
        self.attribute(woken);
        self.attributed = 0;
        if self.chains.len() > self.most_kept {
            self.fold();
        }
    }

    /// Keeps only sums of what lies so far back that no rank has to look at it.
    #[cold]
    fn fold(&mut self) {
        // What they have posted is committed.
        for log in self.ranks.iter_mut().filter(|log| log.sums.end_secs.is_some()) {
            self.chains.release(std::mem::take(&mut log.turn));
        }
        let mut there = self.ranks.iter().filter(|log| log.program.is_some() && log.sums.end_secs.is_none()).peekable();
        // Whoever is there ends later.
        if there.peek().is_some()
            && let Some((_, cause)) = self.last.take()
        {
            self.chains.release(cause);
        }
        // A rank whose turn the start of the run has caused has waited since then.
        if there.all(|log| log.turn != Cause::START) {
            self.chains.fold();
        }
        self.most_kept = (2 * self.chains.len()).max(FEWEST_KEPT);
    }

    /// A rank is there that another has spawned.
    pub fn born(&mut self, rank: WorldRank, parent: WorldRank) {
        let turn = self.chains.keep(self.ranks[parent.index()].turn);
        self.ranks[rank.index()].clock.now = self.ranks[parent.index()].clock.now;
        self.set_turn(rank, turn);
    }

    /// A rank has ended.
    pub fn ended(&mut self, rank: WorldRank, now: f64) {
        self.cut(rank, now);
        let log = &mut self.ranks[rank.index()];
        log.sums.end_secs = Some(now);
        let turn = log.turn;
        if self.last.is_none_or(|(date, _)| date < now) {
            self.chains.keep(turn);
            if let Some((_, old)) = self.last.replace((now, turn)) {
                self.chains.release(old);
            }
        }
    }

    #[inline]
    fn attribute(&mut self, woken: &[WorldRank]) {
        if woken.len() != self.attributed {
            self.attribute_all(woken);
        }
    }

    fn attribute_all(&mut self, woken: &[WorldRank]) {
        for &rank in woken.iter().skip(self.attributed) {
            let cause = self.chains.keep(self.context);
            self.set_turn(rank, cause);
        }
        self.attributed = woken.len();
    }

    /// Takes over the reference.
    fn set_context(&mut self, cause: Cause, place: Place) {
        let old = std::mem::replace(&mut self.context, cause);
        self.context_place = place;
        self.chains.release(old);
    }

    /// Takes over the reference.
    fn set_turn(&mut self, rank: WorldRank, cause: Cause) {
        let Some(log) = self.ranks.get_mut(rank.index()) else { return self.chains.release(cause) };
        let old = std::mem::replace(&mut log.turn, cause);
        self.chains.release(old);
        self.chains.merge(cause);
    }

    // Results.

    /// The critical path of the run: activities without gaps from the start to the end of the rank that ended last.
    pub fn critical_path(&self) -> Stem {
        self.last.map_or_else(Stem::default, |(_, cause)| self.chains.path(cause))
    }

    /// How long the run would have taken on an ideal network, in seconds.
    pub fn ideal_secs(&self) -> f64 {
        self.ranks.iter().map(|log| log.clock.now).fold(0.0, f64::max)
    }

    /// Sums of all ranks.
    pub fn rank_sums(&self) -> impl Iterator<Item = &RankSums> {
        self.ranks.iter().map(|log| &log.sums)
    }
}

/// Whether a call waits for several others together: what its ranks wait for follows from what led to the last message.
fn waits_for_many(function: Function) -> bool {
    !matches!(function.chapter(), Chapter::P2p | Chapter::Request | Chapter::Partitioned | Chapter::Buffer)
}

//! The driver of a simulation: it has a network, processors and a clock.
//!
//! [`Simulation`] is a [`smpi_mpi::world::Driver`]: messages become flows of the engine, and computation becomes work
//! of the rank's host. Events happen in the order of their dates. The driver knows the hosts of ranks, but neither
//! processes nor memory.
//!
//! | where | what |
//! |---|---|
//! | `lib.rs` | the world's reports and questions; the time of polls, sleeps and looks at the clock |
//! | `network.rs` | activities of the engine, and the ranks or messages that they belong to |
//! | `jobs.rs` | messages and accesses of disks that are not MPI's: what ranks do with files |
//! | `noise.rs` | what interrupts computations |
//! | `compute.rs` | what the computation between MPI calls costs: measured, nothing, or as recorded |
//!
//! *Invariant: no wall-clock time reaches a result, except as the computation that was measured.*
#![forbid(unsafe_code)]

mod compute;
mod jobs;
mod network;
mod noise;

use smpi_base::map::Map;
use smpi_base::plan;
use smpi_base::rng::Rng;
use smpi_base::{HostId, SimTime, WorldRank};
use smpi_engine::{Energy, Engine, HostChange};
use smpi_mailbox::CommId;
use smpi_mpi::collective::Chosen;
use smpi_mpi::comm::TrafficKind;
use smpi_mpi::p2p::request::{self, Body, Operation, Owner, RequestKey};
use smpi_mpi::world::{Clock, Driver, Ended, NOBODY, Notice, Poll, Post, Undecided, World, slot_of};
use smpi_recording::Recorder;
use smpi_recording::collectives::Collective;
use smpi_recording::spool::Spool;

pub use compute::{Compute, Meter};
pub use jobs::{Stage, Step};
use network::Network;
use noise::Noise;

/// Looks of a rank at the clock, in a row, that each take no longer than the first.
const SHORT_LOOKS: u32 = 1000;

/// What calls take that do nothing else, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    /// A look at the clock (`smpi/wtime`).
    pub look_secs: f64,
    /// A test (`smpi/test`).
    pub test_secs: f64,
    /// A probe without waiting (`smpi/iprobe`).
    pub probe_secs: f64,
    /// Whether failed polls and looks in a row take longer and longer (`smpi/grow-injected-times`).
    pub grow: bool,
}

/// What polls and looks have cost one rank so far.
#[derive(Clone, Copy, Debug, Default)]
struct Patience {
    /// Failed polls in a row, which make the next ones longer.
    polls: u32,
    /// When it last looked at a clock.
    looked: SimTime,
    /// Looks at clocks in a row between which nothing took time.
    looks: u32,
}

/// The driver of a simulation.
pub struct Simulation {
    network: Network,
    compute: Compute,
    costs: Costs,
    patience: Vec<Patience>,
    /// Sources of `MC_random`, by rank.
    random: Map<WorldRank, Rng>,
    /// Who is told what happens, if anybody is.
    recorder: Option<Box<Recorder>>,
    /// What was charged last: flops of the rank, and of its threads.
    charged: Vec<f64>,
}

impl Simulation {
    /// A simulation in which nothing moves yet; `placement` has the host of every rank.
    pub fn new(
        engine: Engine,
        placement: Vec<HostId>,
        compute: Compute,
        costs: Costs,
        noise: Option<&plan::Noise>,
    ) -> Simulation {
        let patience = vec![Patience::default(); placement.len()];
        Simulation {
            network: Network::new(engine, placement, noise.map(Noise::new)),
            compute,
            costs,
            patience,
            random: Map::default(),
            recorder: None,
            charged: Vec::new(),
        }
    }

    /// From now on, what happens is recorded; single events, too, where there is a place for them.
    pub fn record(&mut self, spool: Option<Spool>) {
        let mut recorder = Recorder::new(self.network.placement.len());
        recorder.spool = spool;
        self.recorder = Some(Box::new(recorder));
    }

    /// Who is told what happens, if anybody is.
    #[inline]
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_deref_mut()
    }

    /// The same with the date, in seconds.
    #[inline]
    fn recording(&mut self) -> Option<(&mut Recorder, f64)> {
        let now = self.network.engine.now().secs();
        self.recorder.as_deref_mut().map(|recorder| (recorder, now))
    }

    /// Whether something takes so long that no number tells when it ends.
    pub fn is_beyond(&self) -> bool {
        self.network.engine.is_beyond()
    }

    /// Flops of the burst that was charged last: of the rank itself, and of its threads.
    pub fn charged(&self) -> &[f64] {
        &self.charged
    }

    /// Lets `rank` hear when its host has done `flops` for it and, at the same time, `beside` for its threads. False
    /// when there is nothing to do.
    pub fn start_computations(&mut self, rank: WorldRank, flops: f64, beside: &[f64]) -> bool {
        let computes = self.network.start_computations(rank, flops, beside);
        if computes && let Some((recorder, now)) = self.recording() {
            recorder.busy(rank, true, now);
        }
        computes
    }

    /// The hosts that were turned off or on since somebody asked last.
    pub fn take_host_changes(&mut self) -> Vec<HostChange> {
        self.network.engine.take_host_changes()
    }

    /// What hosts, the `used` ones among them, and links have consumed until now, where the platform says what they
    /// draw.
    pub fn energy(&self, used: &[HostId]) -> Energy {
        self.network.engine.energy(used)
    }

    /// Which part of the bandwidth of the first link on the way from one host to another is used now, from 0 to 1.
    pub fn use_on_way(&self, src: HostId, dst: HostId) -> f64 {
        self.network.engine.use_on_way(src, dst)
    }

    /// A rank runs on this host; before it does anything.
    pub fn place(&mut self, rank: WorldRank, host: HostId) {
        self.network.placement[rank.index()] = host;
    }

    /// Starts what other layers than MPI ask for; gives its number, by which its end is told ([`Ended::Job`]), unless
    /// there is nothing to do.
    pub fn start_job(&mut self, stages: Vec<Stage>) -> Option<u32> {
        self.network.start_job(stages, self.recorder.as_deref_mut())
    }

    /// How computation is charged.
    pub fn compute(&self) -> &Compute {
        &self.compute
    }

    fn charge(&mut self, rank: WorldRank) -> bool {
        let flops = self.compute.burst(rank);
        let beside = self.compute.beside();
        self.charged.clear();
        self.charged.push(flops);
        self.charged.extend_from_slice(beside);
        let computes = if beside.is_empty() {
            if flops > 0.0 {
                self.network.start_computation(rank, flops);
            }
            flops > 0.0
        } else {
            let computes = self.network.start_computations(rank, flops, beside);
            beside.clear();
            computes
        };
        if computes && let Some((recorder, now)) = self.recording() {
            recorder.busy(rank, true, now);
        }
        computes
    }
}

/// A collective operation that a rank takes part in, as a recorder wants it.
fn as_recorded(collective: &request::Collective, chosen: Chosen) -> Collective {
    let comm = &collective.comm;
    Collective {
        context: u64::from(comm.context),
        number: collective.tag,
        members: comm.group.size() + comm.remote.as_ref().map_or(0, |group| group.size()),
        is_first_member: comm.rank == 0,
        operation: chosen.operation.name(),
        algorithm: chosen.algorithm,
        bytes: chosen.bytes,
    }
}

impl Clock for Simulation {
    #[inline]
    fn now(&self) -> SimTime {
        self.network.engine.now()
    }

    fn time_passes(&self) -> bool {
        true
    }

    fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64) {
        self.network.start_transfer(comm, from, to, wire_size, self.recorder.as_deref_mut());
    }

    fn start_delay(&mut self, rank: WorldRank, duration: SimTime) {
        self.network.start_delay(rank, duration);
        if let Some((recorder, now)) = self.recording() {
            recorder.busy(rank, false, now);
        }
    }

    fn start_computation(&mut self, rank: WorldRank, flops: f64) {
        self.network.start_computation(rank, flops);
        if let Some((recorder, now)) = self.recording() {
            recorder.busy(rank, true, now);
        }
    }

    fn set_alarm(&mut self, rank: WorldRank, date: SimTime) {
        self.network.set_alarm(rank, date);
        if let Some((recorder, now)) = self.recording() {
            recorder.alarm(rank, date.0 < f64::INFINITY, now);
        }
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool {
        self.network.advance(ended, self.recorder.as_deref_mut())
    }

    fn poll_takes(&mut self, rank: WorldRank, poll: Poll) -> Option<f64> {
        let polls = if self.costs.grow { self.patience[rank.index()].polls } else { 0 };
        let unit = match poll {
            Poll::Test => self.costs.test_secs,
            Poll::Probe => self.costs.probe_secs,
        };
        Some(unit * f64::from(polls + 1))
    }

    /// After many looks between which nothing else took time they take longer and longer: a loop that waits for a
    /// second makes some 10^5 of them instead of 10^8.
    fn look_takes(&mut self, rank: WorldRank) -> f64 {
        let now = self.now();
        let patience = &mut self.patience[rank.index()];
        patience.looks = if patience.looked == now { patience.looks.saturating_add(1) } else { 0 };
        self.costs.look_secs * f64::from(1 + if self.costs.grow { patience.looks / SHORT_LOOKS } else { 0 })
    }

    fn measures(&self) -> bool {
        self.compute.measures()
    }

    #[inline]
    fn burst_begins(&mut self, rank: WorldRank) {
        self.compute.begin(rank);
    }

    #[inline]
    fn burst_ends(&mut self, rank: WorldRank) -> bool {
        self.compute.is_on() && self.charge(rank)
    }

    #[inline]
    fn burst_pauses(&mut self, rank: WorldRank) {
        self.compute.stop(rank);
        if let Some((recorder, now)) = self.recording() {
            recorder.pause(rank, now);
        }
    }

    #[inline]
    fn burst_goes_on(&mut self, rank: WorldRank) {
        if let Some((recorder, now)) = self.recording() {
            recorder.resume(rank, now);
        }
        self.compute.go_on(rank);
    }

    fn add_to_burst(&mut self, rank: WorldRank, secs: f64) {
        self.compute.add(rank, secs);
    }
}

impl Undecided for Simulation {
    fn shown_time(&mut self, rank: WorldRank) -> f64 {
        let now = self.now();
        self.patience[rank.index()].looked = now;
        now.secs()
    }

    fn any_number(&mut self, rank: WorldRank, min: i64, max: i64) -> i64 {
        let random = self.random.entry(rank).or_insert_with(|| Rng::new(u64::from(rank.0)));
        min + random.below((max - min + 1) as usize) as i64
    }
}

impl Driver for Simulation {
    #[inline(always)]
    fn told(&mut self, world: &World, notice: Notice<'_>) {
        if let Notice::Polled { rank, found } = notice {
            let patience = &mut self.patience[rank.index()];
            patience.polls = if found { 0 } else { patience.polls.saturating_add(1) };
        }
        let now = self.network.engine.now().secs();
        let Some(recorder) = self.recorder.as_deref_mut() else { return };
        match notice {
            Notice::Posting { rank, post } => {
                recorder.post(rank);
                if let Post::Send(outgoing) = post {
                    recorder.about(rank, u64::from(outgoing.context()));
                }
            }
            Notice::Taken { rank, key, .. } => recorder.taken(rank, key.slot),
            Notice::Committing { rank, .. } => recorder.committing(rank, world.woken()),
            Notice::ActingFor(rank) => recorder.acting_for(rank, world.woken()),
            Notice::Ending(Ended::Rank(rank) | Ended::Alarm(rank)) => recorder.ending(Some(rank), world.woken()),
            Notice::Ending(Ended::Transfer(_) | Ended::Job(_)) => recorder.ending(None, world.woken()),
            Notice::InstantOver => recorder.all_woken(world.woken()),
            Notice::TakenBack(comm) => recorder.withdrawn(slot_of(comm)),
            Notice::Completed { rank, slot } => recorder.completed(rank, slot, now),
            Notice::RankBegins { rank, parent } => recorder.born(rank, parent),
            Notice::RankEnded(rank) => recorder.ended(rank, now),
            // What a rank knows decides nothing here, and the order in which servers answer is that of the clock.
            Notice::Entered { .. }
            | Notice::Polled { .. }
            | Notice::BegunWithin { .. }
            | Notice::PieceArrived { .. }
            | Notice::PartitionOver { .. }
            | Notice::Grow(_)
            | Notice::OrderMatters(_)
            | Notice::Changed { .. }
            | Notice::Answered { .. }
            | Notice::Served { .. }
            | Notice::Heard { .. }
            | Notice::FencePassed { .. }
            | Notice::MessageAwaited { .. }
            | Notice::GateOpens(_) => {}
        }
    }

    fn started(&mut self, world: &mut World, rank: WorldRank, key: RequestKey) {
        let Some((recorder, now)) = self.recording() else { return };
        recorder.started(rank, key.slot);
        let comm = match world.request(rank, key).map(|request| &request.body) {
            Some(Body::Send(send)) => send.context,
            Some(Body::Recv(recv)) => recv.context,
            Some(Body::SendRecv(both)) => both.send.context,
            Some(Body::Collective(collective)) => {
                if let Some(chosen) = collective.schedule.chosen {
                    recorder.collective(rank, key.slot, key.generation.into(), as_recorded(collective, chosen), now);
                }
                collective.comm.context_of(TrafficKind::PointToPoint)
            }
            _ => return,
        };
        recorder.about(rank, u64::from(comm));
    }

    fn sent(&mut self, world: &mut World, comm: CommId, owner: Option<u32>) {
        if let Some(recorder) = self.recorder()
            && let Some(communication) = world.state.boxes.get(comm)
        {
            let is_programs = TrafficKind::base_of_programs(communication.envelope.context).is_some();
            recorder.sent(communication.from, slot_of(comm), owner, is_programs.then_some(communication.to));
        }
    }

    fn unmatched(&mut self, _world: &mut World, _comm: CommId) {}

    fn matched(&mut self, world: &mut World, comm: CommId, receiver: Owner) {
        if let Some(recorder) = self.recorder()
            && let Some(communication) = world.state.boxes.get(comm)
        {
            let token = Some(communication.send_token).filter(|&token| token != NOBODY);
            let sender = token.map(Owner::of).map(|owner| (owner.rank, owner.slot));
            recorder.matched(slot_of(comm), communication.size, (receiver.rank, receiver.slot), sender);
        }
    }

    fn cancelled(&mut self, _world: &mut World, _rank: WorldRank) {}

    fn all_called(&mut self, _world: &mut World, _operation: Operation) {}
}

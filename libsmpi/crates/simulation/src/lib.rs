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
use smpi_mpi::world::{Driver, Ended, Poll, World};

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
        }
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

    /// A rank runs on this host; before it does anything.
    pub fn place(&mut self, rank: WorldRank, host: HostId) {
        self.network.placement[rank.index()] = host;
    }

    /// Starts what other layers than MPI ask for; gives its number, by which its end is told ([`Ended::Job`]), unless
    /// there is nothing to do.
    pub fn start_job(&mut self, stages: Vec<Stage>) -> Option<u32> {
        self.network.start_job(stages)
    }

    /// How computation is charged.
    pub fn compute(&self) -> &Compute {
        &self.compute
    }

    fn charge(&mut self, rank: WorldRank) -> bool {
        let flops = self.compute.burst(rank);
        let beside = self.compute.beside();
        if beside.is_empty() {
            if flops > 0.0 {
                self.network.start_computation(rank, flops);
            }
            return flops > 0.0;
        }
        let computes = self.network.start_computations(rank, flops, beside);
        beside.clear();
        computes
    }
}

impl Driver for Simulation {
    #[inline]
    fn now(&self) -> SimTime {
        self.network.engine.now()
    }

    fn start_transfer(&mut self, comm: CommId, from: WorldRank, to: WorldRank, wire_size: u64) {
        self.network.start_transfer(comm, from, to, wire_size);
    }

    fn start_delay(&mut self, rank: WorldRank, duration: SimTime) {
        self.network.start_delay(rank, duration);
    }

    fn start_computation(&mut self, rank: WorldRank, flops: f64) {
        self.network.start_computation(rank, flops);
    }

    fn set_alarm(&mut self, rank: WorldRank, date: SimTime) {
        self.network.set_alarm(rank, date);
    }

    fn advance(&mut self, ended: &mut Vec<Ended>) -> bool {
        self.network.advance(ended)
    }

    fn poll_takes(&mut self, rank: WorldRank, poll: Poll) -> Option<f64> {
        let polls = if self.costs.grow { self.patience[rank.index()].polls } else { 0 };
        let unit = match poll {
            Poll::Test => self.costs.test_secs,
            Poll::Probe => self.costs.probe_secs,
        };
        Some(unit * f64::from(polls + 1))
    }

    fn polled(&mut self, rank: WorldRank, found: bool) {
        let patience = &mut self.patience[rank.index()];
        patience.polls = if found { 0 } else { patience.polls.saturating_add(1) };
    }

    /// After many looks between which nothing else took time they take longer and longer: a loop that waits for a
    /// second makes some 10^5 of them instead of 10^8.
    fn look_takes(&mut self, rank: WorldRank) -> f64 {
        let now = self.now();
        let patience = &mut self.patience[rank.index()];
        patience.looks = if patience.looked == now { patience.looks.saturating_add(1) } else { 0 };
        self.costs.look_secs * f64::from(1 + if self.costs.grow { patience.looks / SHORT_LOOKS } else { 0 })
    }

    fn look(&mut self, _world: &mut World, rank: WorldRank) -> Option<f64> {
        let now = self.now();
        self.patience[rank.index()].looked = now;
        Some(now.secs())
    }

    fn random(&mut self, _world: &mut World, rank: WorldRank, min: i64, max: i64) -> Option<i64> {
        let random = self.random.entry(rank).or_insert_with(|| Rng::new(u64::from(rank.0)));
        Some(min + random.below((max - min + 1) as usize) as i64)
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
    }

    #[inline]
    fn burst_goes_on(&mut self, rank: WorldRank) {
        self.compute.go_on(rank);
    }

    fn measures(&self) -> bool {
        self.compute.measures()
    }

    fn add_to_burst(&mut self, rank: WorldRank, secs: f64) {
        self.compute.add(rank, secs);
    }
}

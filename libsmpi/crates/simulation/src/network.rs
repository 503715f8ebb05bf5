//! The simulated network and processors under MPI: turns communications and computations into activities of the engine.

use smpi_base::map::Map;
use smpi_base::{HostId, SimTime, WorldRank};
use smpi_engine::{ActivityId, Engine, Token};
use smpi_mailbox::CommId;
use smpi_mpi::p2p::protocol::ENVELOPE_BYTES;
use smpi_mpi::world::{Ended, slot_of};
use smpi_platform::{LinkId, Route};
use smpi_recording::{Cause, Recorder};

use crate::jobs::{Jobs, Stage};
use crate::noise::Noise;

/// Marks the tokens of ranks that wait for a date or a computation; other tokens are communications.
const RANK_TOKEN: u64 = 1 << 63;

/// Marks the tokens of ranks whose alarm goes off.
const ALARM_TOKEN: u64 = 1 << 62;

/// Marks the tokens of jobs.
const JOB_TOKEN: u64 = 1 << 61;

const _: () = assert!(CommId::BITS <= 61);

/// Engine, placement of the ranks, and transfers under way.
pub(crate) struct Network {
    /// The simulated platform.
    pub engine: Engine,
    /// Host of every rank.
    pub placement: Vec<HostId>,
    /// What interrupts computations.
    noise: Option<Noise>,
    /// What a recorder knows transfers under way by. A message that was taken back may share its mailbox slot with a
    /// younger one, so they are not by slot.
    causes: Map<CommId, Cause>,
    /// Computations that a rank waits for, by rank, where it ever had several at once.
    computing: Vec<u32>,
    /// Alarms that are set.
    alarms: Map<WorldRank, ActivityId>,
    jobs: Jobs,
    /// What a recorder knows jobs by, by their numbers.
    job_causes: Map<u32, Cause>,
    /// What has ended at the present instant, in the engine's words.
    done: Vec<Token>,
}

impl Network {
    /// A network on which nothing moves yet.
    pub fn new(engine: Engine, placement: Vec<HostId>, noise: Option<Noise>) -> Network {
        let (causes, computing, alarms) = (Map::default(), Vec::new(), Map::default());
        let (jobs, job_causes, done) = (Jobs::default(), Map::default(), Vec::new());
        Network { engine, placement, noise, causes, computing, alarms, jobs, job_causes, done }
    }

    /// Lets `rank` be woken after `duration`.
    pub fn start_delay(&mut self, rank: WorldRank, duration: SimTime) {
        self.engine.start_timer(duration, Token(RANK_TOKEN | u64::from(rank.0)));
    }

    /// Lets `rank` be woken when its host has done `flops` for it.
    pub fn start_computation(&mut self, rank: WorldRank, flops: f64) {
        let host = self.placement[rank.index()];
        let flops = match &mut self.noise {
            None => flops,
            Some(noise) => {
                let speed = self.engine.flops_per_sec(host);
                flops + speed * noise.delay(rank, self.engine.now().secs(), flops / speed)
            }
        };
        self.engine.start_execution(host, flops, Token(RANK_TOKEN | u64::from(rank.0)));
    }

    /// Lets `rank` be woken when its host has done `flops` for it and, at the same time, `beside` for its threads. Each
    /// takes a core as long as there are some. False when there is nothing to do.
    pub fn start_computations(&mut self, rank: WorldRank, flops: f64, beside: &[f64]) -> bool {
        let mut count = 0;
        for flops in beside.iter().copied().chain([flops]).filter(|&flops| flops > 0.0) {
            self.start_computation(rank, flops);
            count += 1;
        }
        if self.computing.len() <= rank.index() {
            self.computing.resize(rank.index() + 1, 0);
        }
        self.computing[rank.index()] = count;
        count > 0
    }

    /// Sets a rank's alarm to a date, or cancels it when that is infinite.
    pub fn set_alarm(&mut self, rank: WorldRank, date: SimTime) {
        if let Some(set) = self.alarms.remove(&rank) {
            self.engine.cancel(set);
        }
        if date.0 < f64::INFINITY {
            let after = SimTime(date.0 - self.engine.now().0);
            self.alarms.insert(rank, self.engine.start_timer(after, Token(ALARM_TOKEN | u64::from(rank.0))));
        }
    }

    /// Moves the clock to the next instant at which something ends; false when nothing is under way.
    pub fn advance(&mut self, ended: &mut Vec<Ended>, mut recorder: Option<&mut Recorder>) -> bool {
        let mut done = std::mem::take(&mut self.done);
        let moved = self.engine.advance(&mut done).is_some();
        for token in done.drain(..) {
            let Some((what, cause)) = self.ended(token) else { continue };
            if let Some(recorder) = &mut recorder {
                let now = self.engine.now().secs();
                match what {
                    Ended::Rank(rank) => recorder.busy_over(rank, now),
                    Ended::Alarm(rank) => recorder.alarm_over(rank, now),
                    Ended::Transfer(_) | Ended::Job(_) => self.over(recorder, cause, now),
                }
            }
            ended.push(what);
        }
        self.done = done;
        moved
    }

    /// A recorded message has arrived, or a job is over.
    fn over(&self, recorder: &mut Recorder, cause: Cause, now: f64) {
        let platform = self.engine.platform();
        let work = |bytes| self.engine.work(bytes);
        recorder.over(cause, now, work, |from, to, list| {
            let mut way = Route::default();
            platform.route(self.placement[from.index()], self.placement[to.index()], &mut way);
            let bandwidth = |link: LinkId| platform.links()[link.index()].bandwidth_bytes_per_sec;
            list.extend(way.channels.iter().map(|channel| (channel.index(), bandwidth(channel.link()))));
        });
    }

    /// What has ended with a token; `None` when its rank has to wait for more.
    fn ended(&mut self, token: Token) -> Option<(Ended, Cause)> {
        if token.0 & RANK_TOKEN != 0 {
            let rank = WorldRank(token.0 as u32);
            if let Some(left) = self.computing.get_mut(rank.index()) {
                *left = left.saturating_sub(1);
                if *left > 0 {
                    return None;
                }
            }
            return Some((Ended::Rank(rank), Cause::START));
        }
        if token.0 & ALARM_TOKEN != 0 {
            let rank = WorldRank(token.0 as u32);
            self.alarms.remove(&rank);
            return Some((Ended::Alarm(rank), Cause::START));
        }
        if token.0 & JOB_TOKEN != 0 {
            let number = token.0 as u32;
            let is_over = self.jobs.step_over(&mut self.engine, number, JOB_TOKEN);
            return is_over.then(|| (Ended::Job(number), self.job_causes.remove(&number).unwrap_or_default()));
        }
        let comm = CommId::from_bits(token.0);
        let cause = if self.causes.is_empty() { None } else { self.causes.remove(&comm) };
        Some((Ended::Transfer(comm), cause.unwrap_or_default()))
    }

    /// Starts a job, unless it has no steps; gives its number.
    pub fn start_job(&mut self, stages: Vec<Stage>, recorder: Option<&mut Recorder>) -> Option<u32> {
        let number = self.jobs.start(&mut self.engine, stages, JOB_TOKEN)?;
        if let Some(recorder) = recorder {
            self.job_causes.insert(number, recorder.file(self.engine.now().secs()));
        }
        Some(number)
    }

    /// Lets a message of `wire_size` bytes travel.
    pub fn start_transfer(
        &mut self,
        comm: CommId,
        from: WorldRank,
        to: WorldRank,
        wire_size: u64,
        recorder: Option<&mut Recorder>,
    ) {
        let (source, target) = (self.placement[from.index()], self.placement[to.index()]);
        let token = Token(comm.to_bits());
        match recorder {
            None => _ = self.engine.start_flow(source, target, wire_size, token),
            Some(recorder) => {
                let (_, alone_secs) = self.engine.start_known_flow(source, target, wire_size, token);
                let (bytes, now) = (wire_size - ENVELOPE_BYTES, self.engine.now().secs());
                let cause = recorder.transfer(slot_of(comm), (from, to), bytes, alone_secs, now);
                self.causes.insert(comm, cause);
            }
        }
    }
}

//! Activities, the clock, and the order in which ends are answered.
//!
//! # Time
//! Dates are doubles in seconds. Ends that lie within `precision/timing` (1e-9 s) of the next one are the same
//! instant: flows that are symmetric in theory differ by rounding, and must not be told apart by it.
//! Changes made at one instant are gathered; shares are computed again only when the clock is about to move.

use crate::changing::Ends;
use crate::config::Config;
use crate::cpu::Cpu;
use crate::energy::Energy;
use crate::network::Network;
use crate::over_time::{HostChange, OverTime};
use crate::what_if::bandwidth_factor;
use smpi_base::heap::IndexedHeap;
use smpi_base::map::Map;
use smpi_base::{HostId, SimTime};
use smpi_platform::{DiskId, LinkId, Platform, Quantity, Route};
use smpi_settings::WhatIf;
use std::sync::Arc;

/// What the engine answers when an activity ends: chosen by the caller, and not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token(pub u64);

/// Names an activity. Ids of ended activities are recognised and harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActivityId {
    slot: u32,
    /// Position in the order of all starts, which no other activity has.
    sequence: u64,
}

/// What an activity is waiting for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Timer,
    /// A flow whose first byte is still on its way.
    Latency,
    /// A flow that gets a share of its links.
    Transfer,
    Execution {
        host: u32,
    },
    /// An access of a disk that no data moves for yet.
    Seek {
        disk: u32,
    },
    Access {
        disk: u32,
    },
}

#[derive(Clone, Copy, Debug)]
struct Activity {
    token: Token,
    /// Position in the order of all starts; [`FREE`] when the slot is not in use.
    sequence: u64,
    phase: Phase,
}

// There may be millions.
const _: () = assert!(size_of::<Activity>() == 24);

/// Sequence of slots that are not in use.
const FREE: u64 = u64::MAX;

/// The simulated world. See the crate's page.
#[derive(Debug)]
pub struct Engine {
    now: f64,
    /// Something was started whose end has no date: it would be later than the largest number.
    is_beyond: bool,
    precision: f64,
    next_sequence: u64,
    activities: Vec<Activity>,
    /// Slots that are not in use. Invariant: those whose sequence is [`FREE`], each once.
    free: Vec<u32>,
    /// Next date, by slot, of every timer and of the flows that share nothing: they are in their latency phase, or at
    /// their bound.
    dates: IndexedHeap<f64>,
    network: Network,
    cpu: Cpu,
    disks: Cpu,
    /// The seconds of a disk that accesses will take for which no data moves yet, by slot.
    seeks: Map<u32, f64>,
    /// What changes over time.
    over_time: OverTime,
    /// Hosts that were turned off or on, and nobody has asked for yet.
    host_changes: Vec<HostChange>,
    platform: Arc<Platform>,
    what_if: WhatIf,
    /// Sequence and token of what ended at this instant (scratch).
    ended: Vec<(u64, Token)>,
    ended_executions: Vec<u32>,
    /// Slots of the timers and flows that are due (scratch).
    due: Vec<u32>,
}

impl Engine {
    /// An engine at time zero with nothing in flight.
    pub fn new(platform: Arc<Platform>, config: Config) -> Engine {
        let constants = config.constants();
        let what_if = constants.what_if.clone();
        let platform = match bandwidth_factor(&what_if) {
            1.0 => platform,
            factor => Arc::new(platform.with_bandwidths(factor)),
        };
        Engine {
            now: 0.0,
            is_beyond: false,
            what_if,
            precision: constants.timing_precision_secs,
            next_sequence: 0,
            activities: Vec::new(),
            free: Vec::new(),
            dates: IndexedHeap::new(),
            cpu: Cpu::new(&platform),
            disks: Cpu::of_disks(&platform),
            seeks: Map::default(),
            over_time: OverTime::new(platform.clone()),
            host_changes: Vec::new(),
            network: Network::new(platform.clone(), constants),
            platform,
            ended: Vec::new(),
            ended_executions: Vec::new(),
            due: Vec::new(),
        }
    }

    /// The current date.
    pub fn now(&self) -> SimTime {
        SimTime(self.now)
    }

    /// Sends `size` bytes (with whatever the protocol adds to the payload) from one host to another.
    ///
    /// # Panics
    /// When a host is not of this platform.
    pub fn start_flow(&mut self, src: HostId, dst: HostId, size: u64, token: Token) -> ActivityId {
        self.start(src, dst, size, token, None)
    }

    /// The same, and tells how long the flow would take, in seconds, if it shared nothing with others.
    ///
    /// # Panics
    /// As [`Engine::start_flow`].
    pub fn start_known_flow(&mut self, src: HostId, dst: HostId, size: u64, token: Token) -> (ActivityId, f64) {
        let mut alone_secs = 0.0;
        let id = self.start(src, dst, size, token, Some(&mut alone_secs));
        (id, alone_secs)
    }

    #[inline]
    fn start(&mut self, src: HostId, dst: HostId, size: u64, token: Token, alone_secs: Option<&mut f64>) -> ActivityId {
        let id = self.allocate(Phase::Latency, token);
        let latency = self.network.start(self.now, id.slot, Ends { src, dst }, size as f64, alone_secs);
        self.ends_at(self.now + latency);
        if latency > 0.0 {
            self.dates.set(id.slot, self.now + latency);
        } else {
            self.begin_transfer(id.slot);
        }
        id
    }

    /// What a flow of so many bytes takes of the bandwidth of links, in bytes.
    pub fn work(&self, size: u64) -> f64 {
        self.network.work(size as f64)
    }

    /// The platform that is simulated.
    pub fn platform(&self) -> &Arc<Platform> {
        &self.platform
    }

    /// Computes `flops` on a host, on one core at most.
    ///
    /// # Panics
    /// When the host is not of this platform.
    pub fn start_execution(&mut self, host: HostId, flops: f64, token: Token) -> ActivityId {
        let id = self.allocate(Phase::Execution { host: host.0 }, token);
        let flops = flops / self.what_if.speed;
        self.ends_at(self.now + flops / self.flops_per_sec(host));
        let activities = &self.activities;
        self.cpu.start(self.now, host.0, flops, id.slot, id.sequence, |slot, sequence| {
            activities[slot as usize].sequence == sequence
        });
        id
    }

    /// Reads or writes `bytes` on a disk: its latency passes, then the access gets a share of the disk's time. With `n`
    /// accesses under way, whichever of them read or write, each proceeds at the n-th part of its bandwidth.
    ///
    /// # Panics
    /// When the disk is not of this platform.
    pub fn start_access(&mut self, disk: DiskId, bytes: u64, writes: bool, token: Token) -> ActivityId {
        let described = &self.platform.disks()[disk.index()];
        let rate = if writes { described.write_bytes_per_sec } else { described.read_bytes_per_sec };
        let date = self.now + described.latency_secs;
        let id = self.allocate(Phase::Seek { disk: disk.0 }, token);
        self.seeks.insert(id.slot, bytes as f64 / rate);
        self.dates.set(id.slot, date);
        id
    }

    /// Ends after this duration; a negative one counts as zero.
    pub fn start_timer(&mut self, after: SimTime, token: Token) -> ActivityId {
        let id = self.allocate(Phase::Timer, token);
        let date = self.ends_at(self.now + after.0.max(0.0));
        self.dates.set(id.slot, date);
        id
    }

    /// Notes whether a date is too large.
    fn ends_at(&mut self, date: f64) -> f64 {
        self.is_beyond |= date == f64::INFINITY;
        date
    }

    /// Whether something was started that takes so long that no number tells when it ends: it never will.
    pub fn is_beyond(&self) -> bool {
        self.is_beyond
    }

    /// Removes an activity; its token will not be answered. Does nothing when it has ended.
    pub fn cancel(&mut self, id: ActivityId) {
        let Some(activity) = self.activities.get(id.slot as usize).filter(|a| a.sequence == id.sequence) else {
            return;
        };
        let phase = activity.phase;
        self.release(id.slot);
        match phase {
            Phase::Timer | Phase::Seek { .. } => {
                self.dates.remove(id.slot);
                self.seeks.remove(&id.slot);
            }
            Phase::Latency | Phase::Transfer => {
                self.dates.remove(id.slot);
                self.network.stop(self.now, id.slot);
            }
            Phase::Execution { host } => {
                let activities = &self.activities;
                self.cpu.cancelled(self.now, host, |slot, sequence| activities[slot as usize].sequence == sequence);
            }
            Phase::Access { disk } => {
                let activities = &self.activities;
                self.disks.cancelled(self.now, disk, |slot, sequence| activities[slot as usize].sequence == sequence);
            }
        }
    }

    /// Moves the clock to the next instant at which something ends, and appends what ended in the order of its start.
    /// Also stops, perhaps with nothing ended, where a host is turned off or on. `None` when nothing is in flight, or
    /// what is waits for a link or host that no profile will bring back.
    pub fn advance(&mut self, done: &mut Vec<Token>) -> Option<SimTime> {
        loop {
            self.network.share(self.now, &mut self.dates);
            let shared = earlier(self.network.next(), earlier(self.cpu.next(), self.disks.next()));
            let end = earlier(self.dates.peek().map(|(date, _)| date), shared);
            let date = match (end.filter(|date| *date < f64::INFINITY), self.over_time.next()) {
                (Some(end), change) => earlier(Some(end), change)?,
                (None, Some(change)) if self.is_held_up() => change,
                (None, _) => return None,
            };
            // A date may lie behind by rounding; the clock never goes back.
            self.now = self.now.max(date);
            while let Some((of, value)) = self.over_time.take(self.now) {
                self.change(of, value);
            }
            self.collect();
            if !self.ended.is_empty() || !self.host_changes.is_empty() {
                self.ended.sort_unstable_by_key(|(sequence, _)| *sequence);
                done.extend(self.ended.drain(..).map(|(_, token)| token));
                return Some(SimTime(self.now));
            }
        }
    }

    /// The hosts that were turned off or on since somebody asked last.
    pub fn take_host_changes(&mut self) -> Vec<HostChange> {
        std::mem::take(&mut self.host_changes)
    }

    /// The speed that a core of a host is described with.
    ///
    /// # Panics
    /// When the host is not of this platform.
    pub fn flops_per_sec(&self, host: HostId) -> f64 {
        self.platform.hosts()[host.index()].speed_flops_per_sec
    }

    /// Which part of the bandwidth messages use, from 0 to 1, of the first channel on the way from one host to another:
    /// what was shared out last. 0 where there is no such channel.
    ///
    /// # Panics
    /// When there is no way.
    pub fn use_on_way(&self, src: HostId, dst: HostId) -> f64 {
        let mut way = Route::default();
        self.platform.route(src, dst, &mut way);
        way.channels.first().map_or(0.0, |&channel| self.network.use_of(channel))
    }

    /// What hosts, the `used` ones among them (in ascending order), and links have consumed until now.
    pub fn energy(&self, used: &[HostId]) -> Energy {
        let mut energy = Energy::default();
        for powered in self.platform.host_watts() {
            for host in powered.range.clone() {
                let (watts, usage) = (powered.watts, self.cpu.usage(self.now, host));
                let idle_secs = self.now - usage.busy_secs - usage.off_secs;
                let computing = watts.busy * usage.busy_secs + (watts.full - watts.busy) * usage.load_secs;
                let joules = watts.idle * idle_secs + watts.off * usage.off_secs + computing;
                *energy.hosts.get_or_insert(0.0) += joules;
                if used.binary_search(&HostId(host)).is_ok() {
                    energy.used_hosts += joules;
                }
            }
        }
        for powered in self.platform.link_watts() {
            for link in powered.range.clone() {
                let used_secs = self.network.used_secs(LinkId(link));
                let watts = powered.watts;
                *energy.links.get_or_insert(0.0) += watts.idle * self.now + (watts.full - watts.idle) * used_secs;
            }
        }
        energy
    }

    /// Whether something waits for a link or host that will change.
    fn is_held_up(&self) -> bool {
        self.over_time.will_change(|of| match of {
            Quantity::LinkState(link) => self.network.is_awaited(link),
            Quantity::Speed(host) => self.cpu.is_awaited(host.0),
            _ => false,
        })
    }

    /// A profile's change takes place.
    fn change(&mut self, of: Quantity, value: f64) {
        let now = self.now;
        match of {
            Quantity::Speed(host) => {
                let speed = self.platform.hosts()[host.index()].speed_flops_per_sec * value;
                let activities = &self.activities;
                let alive = |slot: u32, sequence| activities[slot as usize].sequence == sequence;
                self.cpu.set_speed(now, host.0, speed, alive);
            }
            Quantity::HostState(host) => {
                let is_on = value > 0.0;
                if !is_on {
                    self.cancel_executions(host.0);
                }
                self.cpu.set_state(now, host.0, is_on);
                self.host_changes.push(HostChange { host, is_on });
            }
            Quantity::Bandwidth(link) => {
                self.network.set_bandwidth(now, link, value * bandwidth_factor(&self.what_if));
            }
            Quantity::Latency(link) => self.network.set_latency(link, value),
            Quantity::LinkState(link) => self.network.set_state(link, value > 0.0, now, &mut self.dates),
        }
    }

    /// Ends what a host computes; nobody is told.
    fn cancel_executions(&mut self, host: u32) {
        for slot in 0..self.activities.len() as u32 {
            let Activity { sequence, phase, .. } = self.activities[slot as usize];
            if sequence != FREE && phase == (Phase::Execution { host }) {
                self.cancel(ActivityId { slot, sequence });
            }
        }
    }

    /// Whether a date belongs to this instant, also when the precision is zero or vanishes beside a late date.
    fn is_due(&self) -> impl Fn(f64) -> bool + use<> {
        let (now, precision) = (self.now, self.precision);
        move |date| date <= now || date < now + precision
    }

    /// Handles everything that is due at this instant.
    fn collect(&mut self) {
        while self.collect_due() {}
        let mut ended = std::mem::take(&mut self.ended_executions);
        loop {
            let activities = &self.activities;
            let alive = |slot: u32, sequence: u64| activities[slot as usize].sequence == sequence;
            if !self.cpu.collect(self.now, self.precision, &mut ended, alive)
                && !self.disks.collect(self.now, self.precision, &mut ended, alive)
            {
                break;
            }
            for slot in ended.drain(..) {
                self.end(slot);
            }
        }
        self.ended_executions = ended;
    }

    /// Handles the timers and flows that are due; true when that made something else due. Flows begin in the order of
    /// their start and stop in the reverse order: then the last entry of a link's list is what leaves it, which moves
    /// nothing.
    fn collect_due(&mut self) -> bool {
        let mut due = std::mem::take(&mut self.due);
        let is_due = self.is_due();
        while let Some((_, slot)) = self.dates.peek().filter(|(date, _)| is_due(*date)) {
            self.dates.pop();
            due.push(slot);
        }
        self.network.collect(is_due, |slot| due.push(slot));
        due.sort_unstable_by_key(|&slot| self.activities[slot as usize].sequence);
        for &slot in due.iter().rev() {
            match self.activities[slot as usize].phase {
                Phase::Latency | Phase::Seek { .. } => {}
                Phase::Transfer => {
                    self.network.stop(self.now, slot);
                    self.end(slot);
                }
                Phase::Timer | Phase::Execution { .. } | Phase::Access { .. } => self.end(slot),
            }
        }
        let mut is_more_due = false;
        for &slot in &due {
            let Activity { sequence, phase, .. } = self.activities[slot as usize];
            match phase {
                _ if sequence == FREE => {}
                Phase::Seek { disk } => self.begin_access(slot, sequence, disk),
                _ => is_more_due |= !self.begin_transfer(slot),
            }
        }
        due.clear();
        self.due = due;
        is_more_due
    }

    /// The first byte of a flow arrives. False when it is also the last: then the flow is due.
    fn begin_transfer(&mut self, slot: u32) -> bool {
        self.activities[slot as usize].phase = Phase::Transfer;
        let is_moving = self.network.begin_transfer(slot);
        if !is_moving {
            // It ends at this instant, but in the order of `advance`.
            self.dates.set(slot, self.now);
        }
        is_moving
    }

    /// Data of an access begins to move.
    fn begin_access(&mut self, slot: u32, sequence: u64, disk: u32) {
        self.activities[slot as usize].phase = Phase::Access { disk };
        let Some(secs) = self.seeks.remove(&slot) else { return };
        let activities = &self.activities;
        self.disks.start(self.now, disk, secs, slot, sequence, |slot, sequence| {
            activities[slot as usize].sequence == sequence
        });
    }

    fn allocate(&mut self, phase: Phase, token: Token) -> ActivityId {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let activity = Activity { token, sequence, phase };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.activities[slot as usize] = activity;
                slot
            }
            None => {
                self.activities.push(activity);
                (self.activities.len() - 1) as u32
            }
        };
        ActivityId { slot, sequence }
    }

    fn end(&mut self, slot: u32) {
        let Activity { sequence, token, .. } = self.activities[slot as usize];
        self.ended.push((sequence, token));
        self.release(slot);
    }

    fn release(&mut self, slot: u32) {
        self.activities[slot as usize].sequence = FREE;
        self.free.push(slot);
    }
}

/// The earlier of two dates, either of which may be none.
fn earlier(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        _ => one.or(other),
    }
}

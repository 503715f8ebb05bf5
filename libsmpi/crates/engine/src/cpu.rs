//! Cores shared by executions, and disks shared by accesses.
//!
//! An execution uses at most one core. With `n` executions on a host of `cores` cores at `speed` flop/s each, all of
//! them run at `speed · min(1, cores / n)`. As they all run at one rate, the host keeps a single progress counter `V(t)
//! = ∫ rate dt`; an execution of `w` flops that starts at `V₀` ends when `V = V₀ + w`. So a change of `n` costs O(log
//! n), not O(n).

use crate::energy::Usage;
use smpi_base::heap::IndexedHeap;
use smpi_platform::Platform;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// All hosts.
#[derive(Debug)]
pub(crate) struct Cpu {
    hosts: Vec<HostCpu>,
    /// Date of the next end on every host that has an execution.
    dates: IndexedHeap<f64>,
}

#[derive(Debug)]
struct HostCpu {
    /// Flop/s of a core at present.
    speed: f64,
    /// The same as it is described.
    full_speed: f64,
    usage: Usage,
    is_off: bool,
    cores: f64,
    /// Executions that run. Invariant: those of `ends` that were not cancelled.
    running: u32,
    /// Flops that every execution has received since the host was last idle.
    progress: f64,
    /// Date of `progress`.
    updated: f64,
    /// Executions by the progress at which they end. A cancelled one stays until it comes to the top.
    ends: BinaryHeap<Reverse<End>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct End {
    progress: f64,
    sequence: u64,
    slot: u32,
}

impl Eq for End {}

impl PartialOrd for End {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for End {
    fn cmp(&self, other: &Self) -> Ordering {
        self.progress.total_cmp(&other.progress).then(self.sequence.cmp(&other.sequence))
    }
}

impl HostCpu {
    /// What each execution receives per second.
    fn rate(&self) -> f64 {
        if f64::from(self.running) <= self.cores {
            self.speed
        } else {
            self.speed * self.cores / f64::from(self.running)
        }
    }

    /// Brings the progress up to date.
    fn advance(&mut self, now: f64) {
        if self.running == 0 {
            // Starting from zero keeps the counter precise however long the run is.
            self.progress = 0.0;
        } else {
            self.progress += self.rate() * (now - self.updated);
        }
        let secs = now - self.updated;
        if self.is_off {
            self.usage.off_secs += secs;
        } else if self.running > 0 {
            self.usage.busy_secs += secs;
            let done = f64::from(self.running) * self.rate() / (self.cores * self.full_speed);
            self.usage.load_secs += secs * done.min(1.0);
        }
        self.updated = now;
    }

    /// Date of the next end. Drops cancelled executions from the top.
    fn next(&mut self, alive: &impl Fn(u32, u64) -> bool) -> Option<f64> {
        while let Some(Reverse(end)) = self.ends.peek() {
            if alive(end.slot, end.sequence) {
                let left = (end.progress - self.progress).max(0.0);
                // What is over is so at any rate.
                return Some(if left == 0.0 { self.updated } else { self.updated + left / self.rate() });
            }
            self.ends.pop();
        }
        None
    }
}

impl HostCpu {
    /// Cores of this speed that are idle at date zero.
    fn new(speed: f64, cores: f64) -> HostCpu {
        HostCpu {
            speed,
            full_speed: speed,
            usage: Usage::default(),
            is_off: false,
            cores,
            running: 0,
            progress: 0.0,
            updated: 0.0,
            ends: BinaryHeap::new(),
        }
    }
}

impl Cpu {
    pub fn new(platform: &Platform) -> Cpu {
        let host = |h: &smpi_platform::Host| HostCpu::new(h.speed_flops_per_sec, f64::from(h.cores));
        Cpu { hosts: platform.hosts().iter().map(host).collect(), dates: IndexedHeap::new() }
    }

    /// The disks of a platform: one does a second of work in a second, which all its accesses share as executions
    /// share a core.
    pub fn of_disks(platform: &Platform) -> Cpu {
        Cpu { hosts: platform.disks().iter().map(|_| HostCpu::new(1.0, 1.0)).collect(), dates: IndexedHeap::new() }
    }

    /// The next date at which an execution ends.
    pub fn next(&self) -> Option<f64> {
        self.dates.peek().map(|(date, _)| date)
    }

    /// Starts an execution. `alive(slot, sequence)` tells which executions were not cancelled.
    pub fn start(
        &mut self,
        now: f64,
        host: u32,
        flops: f64,
        slot: u32,
        sequence: u64,
        alive: impl Fn(u32, u64) -> bool,
    ) {
        let cpu = &mut self.hosts[host as usize];
        cpu.advance(now);
        cpu.running += 1;
        cpu.ends.push(Reverse(End { progress: cpu.progress + flops.max(0.0), sequence, slot }));
        self.schedule(host, &alive);
    }

    /// An execution of this host was cancelled; `alive` says so already.
    pub fn cancelled(&mut self, now: f64, host: u32, alive: impl Fn(u32, u64) -> bool) {
        let cpu = &mut self.hosts[host as usize];
        cpu.advance(now);
        cpu.running -= 1;
        self.schedule(host, &alive);
    }

    /// A core of this host does so many flop/s from now on.
    pub fn set_speed(&mut self, now: f64, host: u32, speed: f64, alive: impl Fn(u32, u64) -> bool) {
        let cpu = &mut self.hosts[host as usize];
        cpu.advance(now);
        cpu.speed = speed;
        self.schedule(host, &alive);
    }

    /// Turns a host off or on. The caller has cancelled its executions.
    pub fn set_state(&mut self, now: f64, host: u32, is_on: bool) {
        let cpu = &mut self.hosts[host as usize];
        cpu.advance(now);
        cpu.is_off = !is_on;
    }

    /// Whether executions wait for this host to have a speed.
    pub fn is_awaited(&self, host: u32) -> bool {
        let cpu = &self.hosts[host as usize];
        cpu.running > 0 && cpu.speed == 0.0
    }

    /// For how long this host has been in which state.
    pub fn usage(&self, now: f64, host: u32) -> Usage {
        let cpu = &self.hosts[host as usize];
        let mut copy = HostCpu { ends: BinaryHeap::new(), ..*cpu };
        copy.advance(now);
        copy.usage
    }

    /// Ends the executions of one host that are due within `precision`, and appends their slots. False when there is no
    /// such host.
    #[inline]
    pub fn collect(
        &mut self,
        now: f64,
        precision: f64,
        ended: &mut Vec<u32>,
        alive: impl Fn(u32, u64) -> bool,
    ) -> bool {
        let is_due = |date: f64| date <= now || date < now + precision;
        let Some((_, host)) = self.dates.peek().filter(|(date, _)| is_due(*date)) else { return false };
        self.collect_of(host, now, precision, ended, alive);
        true
    }

    /// Ends those executions of a host.
    #[inline(never)]
    fn collect_of(
        &mut self,
        host: u32,
        now: f64,
        precision: f64,
        ended: &mut Vec<u32>,
        alive: impl Fn(u32, u64) -> bool,
    ) {
        let cpu = &mut self.hosts[host as usize];
        cpu.advance(now);
        let reached = cpu.progress + cpu.rate() * precision;
        let mut first = true;
        while let Some(Reverse(end)) = cpu.ends.peek().copied() {
            let live = alive(end.slot, end.sequence);
            // The first live one is due by its date, whatever rounding says about the progress.
            if live && !first && end.progress > reached {
                break;
            }
            cpu.ends.pop();
            if live {
                first = false;
                cpu.running -= 1;
                ended.push(end.slot);
            }
        }
        self.schedule(host, &alive);
    }

    /// Sets the date of the next end on a host.
    fn schedule(&mut self, host: u32, alive: &impl Fn(u32, u64) -> bool) {
        match self.hosts[host as usize].next(alive) {
            Some(date) => self.dates.set(host, date),
            None => {
                self.dates.remove(host);
            }
        }
    }
}

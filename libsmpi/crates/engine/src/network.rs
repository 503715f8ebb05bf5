//! The flow model: what a flow asks of the network, and when its last byte arrives.
//!
//! For a flow of `S` bytes over links with bandwidths `B_l` and latencies `L_l`, with `L = Σ L_l` (SMPI's fluid model;
//! Velho and Legrand, "Accuracy Study and Improvement of Network Simulation in the SimGrid Framework", SIMUTools 2009):
//!
//! ```text
//! latency phase   f_lat(S) · L
//! rate            x ≤ min(min_l B_l, gamma / 2L)        and its max-min share of every link, see `solver`
//! penalty         p = L + Σ weight_S / B_l, 1 if L = 0  of two flows that share a link, x₁ p₁ = x₂ p₂
//! cross-traffic   consumes x on the way and 0.05 x on the way back (acknowledgements)
//! transfer phase  remaining work decreases at f_bw(S) · x
//! ```

use crate::config::Config;
use crate::factors::FactorTable;
use crate::solver::MaxMin;
use smpi_base::HostId;
use smpi_base::heap::IndexedHeap;
use smpi_platform::{Platform, Route, Sharing};
use std::sync::Arc;

/// Part of its rate that a flow consumes on the way back.
const CROSSTRAFFIC: f64 = 0.05;

/// All flows, addressed by the slots of the engine's activities.
#[derive(Debug)]
pub(crate) struct Network {
    platform: Arc<Platform>,
    latency_factor: FactorTable,
    bandwidth_factor: FactorTable,
    weight_s: f64,
    tcp_gamma: f64,
    crosstraffic: bool,
    /// Bandwidth and latency of messages inside a host outside clusters.
    loopback: (f64, f64),
    constant_secs: Option<f64>,
    /// Bytes to transfer by slot, divided by the factor of the bandwidth.
    sizes: Vec<f64>,
    /// Its resources are the channels of the platform, by their numbers.
    solver: MaxMin,
    /// The route of the flow that is started, and the one back (scratch).
    way: Route,
    back: Route,
    /// Channels and what the flow consumes of them per unit of its rate (scratch).
    uses: Uses,
}

impl Network {
    pub fn new(platform: Arc<Platform>, config: &Config) -> Network {
        let mut solver = MaxMin::new();
        for link in platform.links() {
            // Two channels per link, used or not, as `Channel` numbers them.
            solver.add_resource(link.bandwidth_bytes_per_sec);
            solver.add_resource(link.bandwidth_bytes_per_sec);
        }
        Network {
            latency_factor: config.latency_factor(),
            bandwidth_factor: config.bandwidth_factor(),
            weight_s: config.weight_s(),
            tcp_gamma: config.tcp_gamma(),
            crosstraffic: config.crosstraffic(),
            loopback: config.loopback(),
            constant_secs: config.constant_secs(),
            platform,
            sizes: Vec::new(),
            solver,
            way: Route::default(),
            back: Route::default(),
            uses: Uses::default(),
        }
    }

    /// Prepares the flow of a slot and returns the duration of its latency phase.
    pub fn start(&mut self, slot: u32, src: HostId, dst: HostId, size: f64) -> f64 {
        if slot as usize >= self.sizes.len() {
            self.sizes.resize(slot as usize + 1, 0.0);
        }
        self.uses.clear();
        if let Some(secs) = self.constant_secs {
            return self.only_wait(slot, secs);
        }
        self.platform.route(src, dst, &mut self.way);
        if self.way.channels.is_empty() && self.way.latency_secs > 0.0 {
            // Nothing but distance lies between the hosts.
            return self.only_wait(slot, self.latency_factor.at(size) * self.way.latency_secs);
        }
        let (latency, bandwidth, penalty) = if self.way.channels.is_empty() {
            let (bandwidth, latency) = self.loopback;
            (latency, bandwidth, latency + self.weight_s / bandwidth)
        } else {
            if self.crosstraffic {
                self.platform.route(dst, src, &mut self.back);
            }
            let (bandwidth, penalty) = self.gather();
            (self.way.latency_secs, bandwidth, penalty)
        };
        let window =
            if self.tcp_gamma > 0.0 && latency > 0.0 { self.tcp_gamma / (2.0 * latency) } else { f64::INFINITY };
        // SMPI's rule; when all links of a platform have no latency, all flows are alike.
        let penalty = if latency > 0.0 { penalty } else { 1.0 };
        self.sizes[slot as usize] = size / self.bandwidth_factor.at(size);
        self.solver.add(slot, penalty, bandwidth.min(window), &self.uses.list);
        self.latency_factor.at(size) * latency
    }

    /// The flow of a slot has a latency phase and no transfer.
    fn only_wait(&mut self, slot: u32, secs: f64) -> f64 {
        self.sizes[slot as usize] = 0.0;
        self.solver.add(slot, 1.0, f64::INFINITY, &self.uses.list);
        secs
    }

    /// Fills `uses` from the way and the way back; returns the least bandwidth and the penalty.
    fn gather(&mut self) -> (f64, f64) {
        let links = self.platform.links();
        let mut bandwidth = f64::INFINITY;
        let mut penalty = self.way.latency_secs;
        for channel in &self.way.channels {
            let link = &links[channel.link().index()];
            bandwidth = bandwidth.min(link.bandwidth_bytes_per_sec);
            penalty += self.weight_s / link.bandwidth_bytes_per_sec;
            // A fat pipe bounds every flow and is not shared, so the solver need not know it.
            if link.sharing != Sharing::FatPipe {
                self.uses.add(channel.0, 1.0);
            }
        }
        if self.crosstraffic {
            for channel in &self.back.channels {
                if links[channel.link().index()].sharing != Sharing::FatPipe {
                    self.uses.add(channel.0, CROSSTRAFFIC);
                }
            }
        }
        (bandwidth, penalty)
    }

    /// The latency phase is over. False when there is nothing to transfer.
    pub fn begin_transfer(&mut self, slot: u32) -> bool {
        let size = self.sizes[slot as usize];
        if size <= 0.0 {
            return false;
        }
        self.solver.activate(slot, size);
        true
    }

    /// The flow has ended or was cancelled, in whatever phase.
    pub fn stop(&mut self, slot: u32) {
        self.solver.remove(slot);
    }

    /// Computes the shares after the changes of this instant. Flows that run at their bound get their date of
    /// end in `dates`, the others are known to [`Network::next`] and [`Network::collect`].
    pub fn share(&mut self, now: f64, dates: &mut IndexedHeap<f64>) {
        self.solver.solve(now, dates);
    }

    /// The date of the next end among the flows that are not in `dates`.
    pub fn next(&self) -> Option<f64> {
        self.solver.next()
    }

    /// Calls `ended` for each of those that are due; the caller stops them.
    pub fn collect(&mut self, due: impl Fn(f64) -> bool, ended: impl FnMut(u32)) {
        self.solver.collect(due, ended);
    }
}

/// What a flow consumes of each channel, in the order in which the channels lie on its way.
#[derive(Debug, Default)]
struct Uses {
    list: Vec<(u32, f64)>,
    /// For each channel the place in the list that it had last: it is there if the list says so.
    places: Vec<u32>,
}

impl Uses {
    fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds to what is consumed of a channel; a shared link may lie on the way and on the way back.
    fn add(&mut self, channel: u32, amount: f64) {
        if self.places.len() <= channel as usize {
            self.places.resize(channel as usize + 1, 0);
        }
        let place = &mut self.places[channel as usize];
        match self.list.get_mut(*place as usize).filter(|(known, _)| *known == channel) {
            Some((_, sum)) => *sum += amount,
            None => {
                *place = self.list.len() as u32;
                self.list.push((channel, amount));
            }
        }
    }
}

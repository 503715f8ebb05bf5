//! The flow model: what a flow asks of the network, and when its last byte arrives.
//!
//! For a flow of `S` bytes over links with bandwidths `B_l` and latencies `L_l`, with `L = Σ L_l` (SMPI's fluid model;
//! Velho and Legrand, "Accuracy Study and Improvement of Network Simulation in the SimGrid Framework", SIMUTools
//! 2009):
//!
//! ```text
//! latency phase   f_lat(S) · L
//! rate            x ≤ min(min_l B_l, gamma / 2L)        and its max-min share of every link, see `solver`
//! penalty         p = L + Σ weight_S / B_l, 1 if L = 0  of two flows that share a link, x₁ p₁ = x₂ p₂
//! cross-traffic   consumes x on the way and 0.05 x on the way back (acknowledgements)
//! transfer phase  remaining work decreases at f_bw(S) · x
//! ```
//!
//! What changes while a flow is under way (links over time, penalties of InfiniBand) is noted in `changing.rs`, and
//! takes effect when the shares are next computed.

use crate::changing::{Changing, Ends};
use crate::config::Constants;
use crate::infiniband::InfiniBand;
use crate::models::Kind;
use crate::nics::Nics;
use crate::pairs::{Demand, Pairs};
use crate::pipes::{PipeUse, Pipes};
use crate::solver::MaxMin;
use crate::what_if::bandwidth_factor;
use smpi_base::HostId;
use smpi_base::heap::IndexedHeap;
use smpi_platform::{Channel, Link, LinkId, Platform, Route, Sharing};
use smpi_settings::{FactorTable, WhatIf};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Part of its rate that a flow consumes on the way back.
const CROSSTRAFFIC: f64 = 0.05;

/// A resource of the solver, as [`Network::resources`] stores it: its number plus one.
type Numbered = Option<NonZeroU32>;

/// All flows, addressed by the slots of the engine's activities.
#[derive(Debug)]
pub(crate) struct Network {
    platform: Arc<Platform>,
    latency_factor: FactorTable,
    bandwidth_factor: FactorTable,
    /// Of the last message: most are as long as the one before.
    scaled: Scaled,
    weight_s: f64,
    tcp_gamma: f64,
    crosstraffic: bool,
    /// Bandwidth and latency of messages inside a host outside clusters.
    loopback: (f64, f64),
    kind: Kind,
    what_if: WhatIf,
    /// Its resources are the channels of the platform that messages have crossed so far. With each flow it keeps the
    /// bytes to transfer, divided by the factor of the bandwidth; what remains, once some are accounted for.
    solver: MaxMin,
    /// The resource of each channel, once a message has crossed it. A large platform has many channels that no message
    /// ever crosses; as long as they are zeros, they take no memory.
    resources: Vec<Numbered>,
    /// Where messages wait in the model LogGOPS.
    nics: Option<Nics>,
    /// Who hinders whom in the model IB.
    infiniband: Option<InfiniBand>,
    /// Who crosses fat pipes, where these stop all their flows together.
    pipes: Option<Box<Pipes>>,
    /// Links and flows that change, where there may be some.
    changing: Option<Box<Changing>>,
    /// What pairs of hosts have asked for, where that stays the same.
    pairs: Option<Pairs>,
    /// For how many seconds of its full use each resource has carried messages, where it is known what links draw.
    used_secs: Option<Vec<f64>>,
    /// The route of the flow that is started, and the one back (scratch).
    way: Route,
    back: Route,
    /// Resources and what the flow consumes of them per unit of its rate (scratch).
    uses: Uses,
    /// The fat pipes on its way, where [`Network::pipes`] is there (scratch).
    pipe_uses: Vec<PipeUse>,
}

/// What follows from the size of a message.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    /// The size in bytes; no number before the first message, which is as long as no other.
    size: f64,
    latency_factor: f64,
    /// See [`Network::work`].
    work: f64,
}

impl Network {
    pub fn new(platform: Arc<Platform>, constants: Constants) -> Network {
        let (kind, hosts) = (constants.kind, platform.hosts().len());
        let has_changes = kind == Kind::InfiniBand || platform.profiles().iter().any(|profile| profile.of.is_link());
        let has_levels =
            constants.fat_pipes_have_levels && platform.links().iter().any(|link| link.sharing == Sharing::FatPipe);
        Network {
            latency_factor: constants.latency_factor,
            bandwidth_factor: constants.bandwidth_factor,
            scaled: Scaled { size: f64::NAN, latency_factor: 1.0, work: 0.0 },
            weight_s: constants.weight_s,
            tcp_gamma: constants.tcp_gamma,
            crosstraffic: constants.crosstraffic,
            loopback: constants.loopback,
            kind,
            what_if: constants.what_if,
            nics: (kind == Kind::LogGops).then(|| Nics::new(hosts, constants.gap_secs)),
            infiniband: (kind == Kind::InfiniBand).then(|| InfiniBand::new(hosts, constants.penalties)),
            pipes: has_levels.then(Box::default),
            changing: has_changes.then(Box::default),
            pairs: (!has_changes && !has_levels).then(Pairs::default),
            used_secs: (!platform.link_watts().is_empty()).then(Vec::new),
            // Two channels per link, as `Channel` numbers them.
            resources: vec![None; 2 * platform.links().len()],
            platform,
            solver: MaxMin::new(),
            way: Route::default(),
            back: Route::default(),
            uses: Uses::default(),
            pipe_uses: Vec::new(),
        }
    }

    /// Prepares the flow of a slot and returns the duration of its latency phase. `alone_secs` becomes how long it
    /// would take if it shared no link with others: its latency phase and its transfer at the rate that its bound and
    /// its own traffic, on the way and back, leave it.
    #[inline]
    pub fn start(&mut self, now: f64, slot: u32, ends: Ends, size: f64, alone_secs: Option<&mut f64>) -> f64 {
        if self.kind == Kind::Constant {
            if let Some(alone_secs) = alone_secs {
                *alone_secs = 1.0;
            }
            return self.only_wait(slot, 1.0);
        }
        let Ends { src, dst } = ends;
        let demand = self.known_demand(src, dst);
        if self.scaled.size != size {
            let (latency_factor, work) = (self.latency_factor.at(size), self.work(size));
            self.scaled = Scaled { size, latency_factor, work };
        }
        let Scaled { latency_factor, work, .. } = self.scaled;
        let latency_secs = latency_factor * demand.latency_secs;
        if let Some(alone_secs) = alone_secs {
            *alone_secs = latency_secs + work / self.alone_rate(demand.bound);
        }
        if demand.bound == f64::INFINITY {
            // Nothing but distance lies between the hosts.
            return self.only_wait(slot, latency_secs);
        }
        if let Some(nics) = &mut self.nics {
            let transfer_secs = work / demand.bound;
            let secs = match src == dst {
                true => latency_secs + transfer_secs,
                false => nics.send(now, src.0, dst.0, latency_secs, transfer_secs),
            };
            return self.only_wait(slot, secs);
        }
        if let Some(changing) = &mut self.changing {
            changing.begin(slot, ends);
        }
        self.solver.add(slot, demand.penalty, demand.bound, &self.uses.list);
        self.solver.set_size(slot, work);
        if let Some(pipes) = &mut self.pipes {
            pipes.set(slot, demand.penalty, demand.bound, &self.pipe_uses);
        }
        if let (Some(infiniband), Some(changing)) = (&mut self.infiniband, &mut self.changing) {
            infiniband.begin(slot, src.0, dst.0, |slot| changing.touch(slot));
        }
        latency_secs
    }

    /// What a flow of so many bytes takes of the bandwidth of links, in bytes: more than its size where the model lets
    /// messages of that size reach only a part of it.
    pub fn work(&self, size: f64) -> f64 {
        size / self.bandwidth_factor.at(size)
    }

    /// The flow of a slot has a latency phase and no transfer.
    fn only_wait(&mut self, slot: u32, secs: f64) -> f64 {
        self.solver.add(slot, 1.0, f64::INFINITY, &[]);
        self.solver.set_size(slot, 0.0);
        secs
    }

    /// [`Network::demand`], which need not be worked out again where nothing changes.
    fn known_demand(&mut self, src: HostId, dst: HostId) -> Demand {
        let Some(pairs) = &self.pairs else { return self.demand(src, dst) };
        if let Some(demand) = pairs.find(src, dst, &mut self.uses.list) {
            return demand;
        }
        let demand = self.demand(src, dst);
        if let Some(pairs) = &mut self.pairs {
            pairs.keep(src, dst, demand, &self.uses.list);
        }
        demand
    }

    /// What a flow between two hosts asks for at this instant; fills `uses`. The bound of one that crosses nothing but
    /// distance is infinite.
    fn demand(&mut self, src: HostId, dst: HostId) -> Demand {
        self.uses.clear();
        self.pipe_uses.clear();
        self.platform.route(src, dst, &mut self.way);
        if self.way.channels.is_empty() && self.way.latency_secs > 0.0 {
            let latency_secs = self.way.latency_secs * self.what_if.latency;
            return Demand { latency_secs, penalty: 1.0, bound: f64::INFINITY };
        }
        let (latency_secs, bandwidth, penalty) = if self.way.channels.is_empty() {
            let (bandwidth, latency) = self.loopback;
            let bandwidth = bandwidth * bandwidth_factor(&self.what_if);
            (latency, bandwidth, latency + self.weight_s / bandwidth)
        } else {
            if self.crosstraffic {
                self.platform.route(dst, src, &mut self.back);
            }
            self.gather()
        };
        let latency_secs = latency_secs * self.what_if.latency;
        let window = if self.tcp_gamma > 0.0 && latency_secs > 0.0 && self.what_if.bandwidth.is_finite() {
            self.tcp_gamma / (2.0 * latency_secs)
        } else {
            f64::INFINITY
        };
        // SMPI's rule; when all links of a platform have no latency, all flows are alike.
        let penalty = if latency_secs > 0.0 { penalty } else { 1.0 };
        let mut bound = bandwidth.min(window);
        if !self.what_if.contention {
            // What a flow would have alone is its bound, and it needs to share nothing.
            bound = self.alone_rate(bound);
            self.uses.clear();
            self.pipe_uses.clear();
        }
        Demand { latency_secs, penalty, bound }
    }

    /// The rate of a flow with this bound that has what it uses for itself.
    fn alone_rate(&self, bound: f64) -> f64 {
        let of_links = self.uses.list.iter().map(|&(resource, amount)| self.solver.capacity(resource) / amount);
        of_links.fold(bound, f64::min)
    }

    /// Fills `uses` from the way and the way back; returns latency, least bandwidth and penalty.
    fn gather(&mut self) -> (f64, f64, f64) {
        let links = self.platform.links();
        let mut bandwidth = f64::INFINITY;
        let mut latency_secs = self.way.latency_secs;
        if let Some(changing) = &self.changing {
            latency_secs += changing.added_latency(&self.way.channels, links);
        }
        let mut penalty = latency_secs;
        for channel in &self.way.channels {
            let link = &links[channel.link().index()];
            let of_link = bandwidth_of(channel.link(), links, self.changing.as_deref());
            bandwidth = bandwidth.min(of_link);
            penalty += self.weight_s / of_link;
            // A fat pipe bounds every flow and is not shared, so the solver need not know it.
            if link.sharing != Sharing::FatPipe {
                let resource = resource_of(*channel, of_link, &mut self.resources, &mut self.solver);
                self.uses.add(resource, 1.0);
            } else if self.pipes.is_some() {
                add_pipe(&mut self.pipe_uses, PipeUse { pipe: channel.link(), capacity: of_link, amount: 1.0 });
            }
        }
        if self.crosstraffic {
            for channel in &self.back.channels {
                let link = &links[channel.link().index()];
                let of_link = bandwidth_of(channel.link(), links, self.changing.as_deref());
                if link.sharing != Sharing::FatPipe {
                    let resource = resource_of(*channel, of_link, &mut self.resources, &mut self.solver);
                    self.uses.add(resource, CROSSTRAFFIC);
                } else if self.pipes.is_some() {
                    let of_way_back = PipeUse { pipe: channel.link(), capacity: of_link, amount: CROSSTRAFFIC };
                    add_pipe(&mut self.pipe_uses, of_way_back);
                }
            }
        }
        (latency_secs, bandwidth, penalty)
    }

    /// The latency phase is over. False when there is nothing to transfer.
    pub fn begin_transfer(&mut self, slot: u32) -> bool {
        let size = self.solver.size(slot);
        if size <= 0.0 {
            return false;
        }
        if self.changing.as_mut().is_some_and(|changing| changing.waits(slot, size, &self.platform)) {
            return true;
        }
        self.activate(slot, size);
        true
    }

    /// The flow takes a share.
    fn activate(&mut self, slot: u32, size: f64) {
        self.solver.activate(slot, size);
        if let Some(pipes) = &mut self.pipes {
            pipes.take_share(slot, true);
        }
    }

    /// The flow has ended or was cancelled, in whatever phase.
    pub fn stop(&mut self, now: f64, slot: u32) {
        self.account(now, slot);
        self.solver.remove(slot);
        if let Some(pipes) = &mut self.pipes {
            pipes.remove(slot);
        }
        let Some(changing) = &mut self.changing else { return };
        let ends = changing.end(slot);
        if let (Some(ends), Some(infiniband)) = (ends, &mut self.infiniband) {
            infiniband.end(slot, ends.src.0, ends.dst.0, |slot| changing.touch(slot));
        }
    }

    /// Notes for how long the flow of a slot has used its links since it was noted last.
    fn account(&mut self, now: f64, slot: u32) {
        if let Some(used_secs) = &mut self.used_secs
            && let Some(left) = self.solver.left(slot, now)
        {
            let done = self.solver.size(slot) - left;
            self.solver.set_size(slot, left);
            for (resource, amount) in self.solver.uses(slot) {
                if used_secs.len() <= resource as usize {
                    used_secs.resize(resource as usize + 1, 0.0);
                }
                used_secs[resource as usize] += amount * done / self.solver.capacity(resource);
            }
        }
    }

    /// Computes the shares after the changes of this instant. Flows that run at their bound get their date of
    /// end in `dates`, the others are known to [`Network::next`] and [`Network::collect`].
    pub fn share(&mut self, now: f64, dates: &mut IndexedHeap<f64>) {
        if self.changing.as_ref().is_some_and(|changing| changing.has_touched()) {
            self.change_flows(now, dates);
        }
        if self.pipes.is_some() {
            self.fill_pipes(now, dates);
        }
        self.solver.solve(now, dates);
    }

    /// Bounds the flows on fat pipes by the levels of these, see `pipes.rs`.
    fn fill_pipes(&mut self, now: f64, dates: &mut IndexedHeap<f64>) {
        let Some(pipes) = &mut self.pipes else { return };
        if !pipes.take_changed() && !self.solver.has_changed() {
            return;
        }
        pipes.begin();
        loop {
            for (slot, penalty, bound) in pipes.new_bounds() {
                if self.solver.change(slot, penalty, bound, now) {
                    dates.remove(slot);
                }
            }
            self.solver.solve(now, dates);
            if !pipes.raise(|slot| self.solver.level(slot)) {
                break;
            }
        }
    }

    /// Gives the flows that something has changed for their present bounds and penalties.
    fn change_flows(&mut self, now: f64, dates: &mut IndexedHeap<f64>) {
        let touched = self.changing.as_mut().map_or_else(Vec::new, |changing| changing.take_touched());
        if let Some(infiniband) = &mut self.infiniband {
            infiniband.settle();
        }
        let mut of_sender = None;
        for (slot, ends) in touched {
            let mut demand = self.demand(ends.src, ends.dst);
            if let Some(infiniband) = &self.infiniband {
                demand.bound /= infiniband.penalty(ends.src.0, ends.dst.0, &mut of_sender);
            }
            if self.solver.change(slot, demand.penalty, demand.bound, now) {
                dates.remove(slot);
            }
            if let Some(pipes) = &mut self.pipes {
                pipes.set(slot, demand.penalty, demand.bound, &self.pipe_uses);
            }
        }
    }

    /// A link has another bandwidth from now on.
    pub fn set_bandwidth(&mut self, now: f64, link: LinkId, bytes_per_sec: f64) {
        let resources: Vec<u32> = self.resources_of(link).collect();
        let flows: Vec<u32> = resources.iter().flat_map(|resource| self.solver.flows_on(*resource)).collect();
        flows.iter().for_each(|slot| self.account(now, *slot));
        let Some(changing) = &mut self.changing else { return };
        resources.into_iter().for_each(|resource| self.solver.set_capacity(resource, bytes_per_sec));
        flows.into_iter().for_each(|slot| changing.touch(slot));
        changing.set_bandwidth(link, bytes_per_sec);
        changing.touch_crossing(link, &self.platform);
    }

    /// A link has another latency from now on. Messages whose first byte is under way do not notice.
    pub fn set_latency(&mut self, link: LinkId, secs: f64) {
        let Some(changing) = &mut self.changing else { return };
        changing.set_latency(link, secs);
        changing.touch_crossing(link, &self.platform);
    }

    /// A link carries messages again, or stops to: they wait on their way. `dates` loses those that stop.
    pub fn set_state(&mut self, link: LinkId, is_on: bool, now: f64, dates: &mut IndexedHeap<f64>) {
        let Some(changing) = &mut self.changing else { return };
        if is_on {
            for (slot, work) in changing.turn_on(link, &self.platform) {
                self.activate(slot, work);
            }
            return;
        }
        changing.turn_off(link);
        let flows = changing.crossing(link, &self.platform);
        flows.iter().for_each(|slot| self.account(now, *slot));
        let Some(changing) = &mut self.changing else { return };
        for slot in flows {
            if let Some(work) = self.solver.suspend(slot, now) {
                dates.remove(slot);
                changing.wait(slot, work);
                if let Some(pipes) = &mut self.pipes {
                    pipes.take_share(slot, false);
                }
            }
        }
    }

    /// For how many seconds of its full use a link has carried messages, of both its directions if it has two.
    pub fn used_secs(&self, link: LinkId) -> f64 {
        let is_split = self.platform.links()[link.index()].sharing == Sharing::SplitDuplex;
        let channels = if is_split { 2.0 } else { 1.0 };
        let of_resource = |resource: u32| self.used_secs.as_ref()?.get(resource as usize).copied();
        self.resources_of(link).filter_map(of_resource).sum::<f64>() / channels
    }

    /// Which part of a channel's bandwidth messages use now, from 0 to 1.
    pub fn use_of(&self, channel: Channel) -> f64 {
        self.resources[channel.index()].map_or(0.0, |numbered| self.solver.use_of(numbered.get() - 1))
    }

    /// The resources of a link's channels.
    fn resources_of(&self, link: LinkId) -> impl Iterator<Item = u32> {
        self.resources[link.index() * 2..][..2].iter().flatten().map(|numbered| numbered.get() - 1)
    }

    /// Whether a message waits for this link.
    pub fn is_awaited(&self, link: LinkId) -> bool {
        self.changing.as_ref().is_some_and(|changing| changing.is_awaited(link, &self.platform))
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

/// The bandwidth of a link at present.
fn bandwidth_of(link: LinkId, links: &[Link], changing: Option<&Changing>) -> f64 {
    match changing {
        None => links[link.index()].bandwidth_bytes_per_sec,
        Some(changing) => changing.bandwidth(link, links),
    }
}

/// Notes a fat pipe of a way. One that is crossed again is as much in use as where it is most (SimGrid's rule).
fn add_pipe(uses: &mut Vec<PipeUse>, used: PipeUse) {
    match uses.iter_mut().find(|known| known.pipe == used.pipe) {
        Some(known) => known.amount = known.amount.max(used.amount),
        None => uses.push(used),
    }
}

/// The resource of a channel, which it gets when a message crosses it for the first time.
fn resource_of(channel: Channel, bytes_per_sec: f64, resources: &mut [Numbered], solver: &mut MaxMin) -> u32 {
    let numbered = &mut resources[channel.0 as usize];
    match *numbered {
        Some(known) => known.get() - 1,
        None => {
            let resource = solver.add_resource(bytes_per_sec);
            *numbered = NonZeroU32::new(resource + 1);
            resource
        }
    }
}

/// What a flow consumes of each resource, in the order in which the channels lie on its way.
#[derive(Debug, Default)]
struct Uses {
    list: Vec<(u32, f64)>,
    /// For each resource the place in the list that it had last: it is there if the list says so.
    places: Vec<u32>,
}

impl Uses {
    fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds to what is consumed of a resource; a shared link may lie on the way and on the way back.
    fn add(&mut self, resource: u32, amount: f64) {
        if self.places.len() <= resource as usize {
            self.places.resize(resource as usize + 1, 0);
        }
        let place = &mut self.places[resource as usize];
        match self.list.get_mut(*place as usize).filter(|(known, _)| *known == resource) {
            Some((_, sum)) => *sum += amount,
            None => {
                *place = self.list.len() as u32;
                self.list.push((resource, amount));
            }
        }
    }
}

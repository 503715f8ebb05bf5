//! Which channels a message crosses.
//!
//! The smallest zone that sender and receiver are in knows the way between those of its members that they belong to.
//! Where such a member is a zone, the way goes on to its gateway in the same manner. A zone's bypasses take precedence
//! over its ways: the one of the innermost ends is taken.
//!
//! In a cluster around a switch: the sender's private link up, the backbone if there is one, the receiver's private
//! link down. Its gateway is the switch. In other clusters the topology says the way; messages that leave the cluster
//! do not cross its links, unless the route's gateway is one of its hosts.
//!
//! Messages inside one host: over the cluster's `loopback` if it has one; else, in a cluster, over the network from the
//! host to itself, as SimGrid's `<cluster>` does; outside clusters over the engine's global loopback.

use crate::model::{Channel, Direction, LinkId, Point, Sharing, Way};
use crate::platform::Platform;
use crate::topology::{Step, Topology};
use crate::zones::{ClusterInfo, Kind, Spoke, Star, Within};
use smpi_base::HostId;

/// The way from one host to another. Reuse one value for many calls to [`Platform::route`]: it keeps its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Channels in the order of the way. Without any, and without a latency, the engine's global loopback applies:
    /// sender and receiver are one host.
    pub channels: Vec<Channel>,
    /// Sum of the links' latencies, and what distance costs, before any model factor.
    pub latency_secs: f64,
}

impl Platform {
    /// Fills `out` with the way from `src` to `dst`, in O(length of the way).
    ///
    /// # Panics
    /// When an id is not of this platform, or there is no way: [`Platform::check_ways`] finds out before.
    pub fn route(&self, src: HostId, dst: HostId, out: &mut Route) {
        out.channels.clear();
        let mut walk = Walk { platform: self, channels: &mut out.channels, distance_secs: 0.0 };
        let found = walk.go(Point::Host(src), Point::Host(dst));
        let distance_secs = walk.distance_secs;
        assert!(found, "no way from host {} to {}", src.0, dst.0);
        let of_links: f64 = out.channels.iter().map(|c| self.links[c.link().index()].latency_secs).sum();
        out.latency_secs = of_links + distance_secs;
    }

    /// Whether there is a way from one host to another.
    pub fn has_route(&self, src: HostId, dst: HostId) -> bool {
        self.has_way(Point::Host(src), Point::Host(dst))
    }

    /// Whether there is a way between two hosts or routers.
    pub(crate) fn has_way(&self, src: Point, dst: Point) -> bool {
        Walk { platform: self, channels: &mut Vec::new(), distance_secs: 0.0 }.go(src, dst)
    }

    /// The zone that this is a member of.
    pub(crate) fn zone_of(&self, point: Point) -> u32 {
        match point {
            Point::Host(host) => self.zone_of[host.index()],
            Point::Router(router) => self.routers[router as usize].zone,
            Point::Zone(zone) => self.zones[zone as usize].parent,
        }
    }

    /// The smallest zone that both are in, and its members that they are or belong to.
    pub(crate) fn common(&self, src: Point, dst: Point) -> (u32, Point, Point) {
        let (mut src, mut dst) = (src, dst);
        let depth = |zone: u32| self.zones[zone as usize].depth;
        loop {
            let (from, to) = (self.zone_of(src), self.zone_of(dst));
            if from == to {
                return (from, src, dst);
            }
            let (a, b) = (depth(from), depth(to));
            if a >= b {
                src = Point::Zone(from);
            }
            if b >= a {
                dst = Point::Zone(to);
            }
        }
    }

    /// The bypass that applies between two points, and the ends under which it is written down.
    fn bypass(&self, zone: u32, src: Point, dst: Point) -> Option<((Point, Point), &Way)> {
        let bypasses = &self.zones[zone as usize].bypasses;
        if bypasses.is_empty() {
            return None;
        }
        let (from, to) = (self.chain(zone, src), self.chain(zone, dst));
        let look = |a: usize, b: usize| {
            let ends = (*from.get(a)?, *to.get(b)?);
            bypasses.get(&ends).map(|way| (ends, way))
        };
        // From the inside to the outside, as far as one end only first.
        (0..from.len().max(to.len())).find_map(|most| {
            let mixed = (0..most).find_map(|least| look(least, most).or_else(|| look(most, least)));
            mixed.or_else(|| look(most, most))
        })
    }

    /// Where the spoke of a star ends inside a member that is a zone.
    pub(crate) fn middle_gateway(&self, member: Point, spoke: &Spoke) -> Option<Point> {
        spoke.gateway.or_else(|| match member {
            Point::Zone(zone) => self.zones[zone as usize].gateway,
            _ => None,
        })
    }

    /// A point and the zones it is in, up to the member of this zone.
    fn chain(&self, zone: u32, point: Point) -> Vec<Point> {
        let mut chain = vec![point];
        let mut at = self.zone_of(point);
        while at != zone {
            chain.push(Point::Zone(at));
            at = self.zones[at as usize].parent;
        }
        chain
    }
}

/// A way as far as it is known.
struct Walk<'a> {
    platform: &'a Platform,
    channels: &'a mut Vec<Channel>,
    /// What distance costs.
    distance_secs: f64,
}

impl<'a> Walk<'a> {
    /// Adds the way between two hosts or routers; false when there is none.
    fn go(&mut self, src: Point, dst: Point) -> bool {
        let (zone, from, to) = self.platform.common(src, dst);
        if let Some(((from, to), way)) = self.platform.bypass(zone, src, dst) {
            return self.through_bypass(src, from, dst, to, way);
        }
        match &self.platform.zones[zone as usize].kind {
            Kind::Full(ways) => match ways.get(&(from, to)) {
                Some(way) => self.through(src, dst, &[way]),
                None => src == dst,
            },
            Kind::Graph(graph) => match graph.way(from, to) {
                Some(ways) => self.through(src, dst, &ways),
                None => src == dst,
            },
            Kind::Star(star) => self.through_star(star, src, from, dst, to),
            Kind::Cluster(info) => {
                self.through_cluster(info, src, dst);
                true
            }
        }
    }

    /// Adds ways between members that follow each other, and before, after and between them those in the members.
    fn through(&mut self, src: Point, dst: Point, ways: &[&Way]) -> bool {
        let mut at = src;
        for way in ways {
            if at != way.gateways.0 && !self.go(at, way.gateways.0) {
                return false;
            }
            self.channels.extend_from_slice(&way.channels);
            at = way.gateways.1;
        }
        at == dst || self.go(at, dst)
    }

    /// Adds a bypass, and the ways to its gateways. As in SimGrid, a host that is the gateway of its zone takes the way
    /// to itself.
    fn through_bypass(&mut self, src: Point, from: Point, dst: Point, to: Point, way: &Way) -> bool {
        if src != from && !self.go(src, way.gateways.0) {
            return false;
        }
        self.channels.extend_from_slice(&way.channels);
        dst == to || self.go(way.gateways.1, dst)
    }

    fn through_star(&mut self, star: &Star, src: Point, from: Point, dst: Point, to: Point) -> bool {
        let (Some(first), Some(last)) = (star.spokes.get(&from), star.spokes.get(&to)) else { return false };
        let leave = self.platform.middle_gateway(from, first).unwrap_or(src);
        let enter = self.platform.middle_gateway(to, last).unwrap_or(dst);
        if src != from && src != leave && !self.go(src, leave) {
            return false;
        }
        if src == dst && !first.own.is_empty() {
            self.channels.extend_from_slice(&first.own);
            return true;
        }
        let start = self.channels.len();
        for channel in first.up.iter().chain(&last.down) {
            self.cross_once(start, *channel);
        }
        if let Some(places) = &star.places {
            let (Some(a), Some(b)) = (places.get(&from), places.get(&to)) else { return false };
            let plane = ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
            self.distance_secs += (plane + a[2].abs() + b[2].abs()) / 1000.0;
        }
        dst == to || dst == enter || self.go(enter, dst)
    }

    /// Members of a cluster are its hosts and its router.
    fn through_cluster(&mut self, info: &ClusterInfo, src: Point, dst: Point) {
        let index = |point: Point| if let Point::Host(host) = point { Some(host.0 - info.first_host) } else { None };
        let (from, to) = (index(src), index(dst));
        let is_inside_host = from.is_some() && from == to;
        match info.within {
            Within::Link(link) if is_inside_host => return self.cross(link, Direction::Up),
            Within::Engine if is_inside_host => return,
            _ => {}
        }
        if info.topology == Topology::Switch {
            self.through_switch(info, from, to);
        } else if let (Some(from), Some(to)) = (from, to) {
            info.topology.walk(from, to, info.spread, &mut |step| match step {
                Step::Link(link, direction) => self.cross(LinkId(info.links.start + link), direction),
                Step::Node(node) => self.limit(info, node),
            });
        }
    }

    /// Up from the sender and down to the receiver, if these are hosts. No link is crossed twice in one direction.
    fn through_switch(&mut self, info: &ClusterInfo, from: Option<u32>, to: Option<u32>) {
        let private = |host: u32| LinkId(info.links.start + host);
        if let Some(host) = from {
            self.limit(info, host);
            self.cross(private(host), Direction::Up);
        }
        if let Some(link) = info.backbone.filter(|_| from.is_some() || to.is_some()) {
            self.cross(link, Direction::Up);
        }
        if let Some(host) = to {
            let link = private(host);
            if from != to || self.platform.links[link.index()].sharing == Sharing::SplitDuplex {
                self.cross(link, Direction::Down);
            }
            if from != to {
                self.limit(info, host);
            }
        }
    }

    /// Crosses what limits a node of a cluster.
    fn limit(&mut self, info: &ClusterInfo, node: u32) {
        if let Some(first) = info.first_limiter {
            self.cross(LinkId(first + node), Direction::Up);
        }
    }

    fn cross(&mut self, link: LinkId, direction: Direction) {
        self.channels.push(self.platform.channel(link, direction));
    }

    /// Adds a channel, unless the way crosses it already after `start`.
    fn cross_once(&mut self, start: usize, channel: Channel) {
        if !self.channels[start..].contains(&channel) {
            self.channels.push(channel);
        }
    }
}

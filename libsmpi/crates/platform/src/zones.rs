//! Zones: the parts of a platform, each with its own way to find routes, one in another.
//!
//! A zone has members: hosts, routers and other zones. It knows the way between any two of them. A way between two
//! zones names its gateways, the hosts or routers inside them where it begins and ends.

use crate::graph::Graph;
use crate::model::{Channel, LinkId, Point, Way};
use crate::names::HostNames;
use crate::topology::Topology;
use smpi_base::map::Map;
use std::ops::Range;

/// The zone that contains all others.
pub(crate) const ROOT: u32 = 0;

/// A part of the platform.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    pub name: String,
    /// The zone that this one is in; the root is in itself.
    pub parent: u32,
    /// How many zones this one is in.
    pub depth: u32,
    /// Where routes end that name the zone and no gateway.
    pub gateway: Option<Point>,
    pub kind: Kind,
    /// Ways that take precedence over those of the zone, between members or what is inside them.
    pub bypasses: Map<(Point, Point), Way>,
}

/// How a zone finds ways.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Every way is written down.
    Full(Map<(Point, Point), Way>),
    /// Ways are put together from those that are written down, with as few links as possible.
    Graph(Graph),
    /// Every member has a way to the middle and one from there.
    Star(Star),
    /// Hosts that are all alike, joined by a rule.
    Cluster(ClusterInfo),
}

/// Members around a middle.
#[derive(Clone, Debug, Default)]
pub(crate) struct Star {
    pub spokes: Map<Point, Spoke>,
    /// Where members are in the network's space, if distance costs time: the third coordinate is a height, and all are
    /// in milliseconds (Dabek and others, "Vivaldi: a Decentralized Network Coordinate System", 2004).
    pub places: Option<Map<Point, [f64; 3]>>,
}

/// How a member of a star is joined to the middle.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spoke {
    pub up: Vec<Channel>,
    pub down: Vec<Channel>,
    /// The way from the member to itself.
    pub own: Vec<Channel>,
    /// Where the way ends if the member is a zone; by default the zone's gateway.
    pub gateway: Option<Point>,
}

/// Hosts `first_host .. first_host + hosts`. Their links are numbered in the order: private links or the topology's
/// links, the backbone, the loopback, the limiters.
#[derive(Clone, Debug)]
pub(crate) struct ClusterInfo {
    pub first_host: u32,
    pub hosts: u32,
    /// How the hosts are named, unless each has a name of its own.
    pub names: Option<HostNames>,
    /// All links of the cluster.
    pub links: Range<u32>,
    pub topology: Topology,
    /// Pairs of hosts are spread over the shortest ways.
    pub spread: bool,
    /// The first limiter, if there are limiters: links that all the traffic of a node crosses.
    pub first_limiter: Option<u32>,
    /// The link in the middle of a switch.
    pub backbone: Option<LinkId>,
    /// The way of messages inside a host.
    pub within: Within,
}

/// Which way a message takes whose sender and receiver are on one host of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Within {
    /// The way between hosts, from the host to itself: the private link up and down again, as in SimGrid's `<cluster>`.
    Network,
    /// This link.
    Link(LinkId),
    /// The engine's global loopback, as outside clusters.
    Engine,
}

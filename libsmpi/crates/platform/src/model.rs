//! The data of a platform: hosts, links, clusters and explicit routes.

use smpi_base::HostId;
use smpi_base::map::Map;

/// A machine that runs ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Unique name, as hostfiles use it.
    pub name: String,
    /// Speed of one core.
    pub speed_flops_per_sec: f64,
    /// Number of cores, at least 1.
    pub cores: u32,
}

/// Index of a link of the platform, in the order of its description.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LinkId(pub u32);

/// A network link.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Unique name.
    pub name: String,
    /// Capacity (of each direction, for a split-duplex link).
    pub bandwidth_bytes_per_sec: f64,
    /// Time that every message spends on it.
    pub latency_secs: f64,
    /// How flows compete for the capacity.
    pub sharing: Sharing,
}

/// How the flows on a link compete for its capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sharing {
    /// One capacity for both directions together.
    Shared,
    /// One capacity for each direction.
    #[default]
    SplitDuplex,
    /// No competition: every flow may use the whole capacity.
    FatPipe,
}

/// Which way a flow crosses a link. Only split-duplex links tell the two apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// From a host towards the rest of the network; the written direction of an explicit route.
    Up,
    /// Back.
    Down,
}

/// One capacity that flows compete for: a link, or one direction of a split-duplex link.
///
/// Channels number the capacities densely, two per link, so that the engine can use flat arrays.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Channel(pub u32);

impl Channel {
    /// The capacity that a flow takes which crosses a link in this direction.
    pub(crate) fn of(link: LinkId, sharing: Sharing, direction: Direction) -> Channel {
        let split = sharing == Sharing::SplitDuplex;
        Channel(link.0 * 2 + u32::from(split && direction == Direction::Down))
    }

    /// The link this is a capacity of.
    pub fn link(self) -> LinkId {
        LinkId(self.0 / 2)
    }

    /// The channel as an index into per-channel tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LinkId {
    /// The link as an index into per-link tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a route starts or ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Endpoint {
    /// A host.
    Host(HostId),
    /// All hosts of a cluster, by the cluster's number.
    Cluster(u32),
}

/// A group of hosts `first_host .. first_host + hosts`, each with a private link.
#[derive(Clone, Debug)]
pub(crate) struct ClusterInfo {
    pub first_host: u32,
    /// The private link of the first host. Invariant: those of the other hosts follow in their order.
    pub first_link: u32,
    /// The link that all messages between hosts of the cluster cross, and those that leave it.
    pub backbone: Option<LinkId>,
    /// The way of messages inside a host.
    pub within: Within,
}

/// Which way a message takes whose sender and receiver are on one host of a cluster.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Within {
    /// The host's private link up and down again, as in SimGrid's `<cluster>`.
    PrivateLink,
    /// This link.
    Link(LinkId),
    /// The engine's global loopback, as outside clusters.
    Engine,
}

impl ClusterInfo {
    /// The private link of a host of the cluster.
    pub fn link_of(&self, host: HostId) -> LinkId {
        LinkId(self.first_link + host.0 - self.first_host)
    }
}

/// The simulated machine. Made by [`Platform::load`], [`Platform::parse`] or [`crate::PlatformBuilder`]; never changes.
#[derive(Clone, Debug)]
pub struct Platform {
    pub(crate) name: String,
    pub(crate) hosts: Vec<Host>,
    pub(crate) links: Vec<Link>,
    pub(crate) host_names: Map<String, HostId>,
    /// Cluster of every host, or [`NO_CLUSTER`]. Invariant: as many as hosts.
    pub(crate) cluster_of: Vec<u32>,
    pub(crate) clusters: Vec<ClusterInfo>,
    /// Explicit routes; both directions are entered. Invariant: there is one between every two clusters and hosts
    /// outside clusters.
    pub(crate) routes: Map<(Endpoint, Endpoint), Vec<Channel>>,
    /// Some route joins two hosts of which one is in a cluster.
    pub(crate) has_host_routes: bool,
    pub(crate) settings: Vec<(String, String)>,
    /// Line and column of each setting. Invariant: as many as settings.
    pub(crate) setting_places: Vec<Option<(usize, usize)>>,
}

/// Marks a host outside all clusters in [`Platform::cluster_of`].
pub(crate) const NO_CLUSTER: u32 = u32::MAX;

impl Platform {
    /// Path or name of the description, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All hosts, indexed by [`HostId`].
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<HostId> {
        self.host_names.get(name).copied()
    }

    /// All links, indexed by [`LinkId`].
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The channel of a link in a direction.
    pub fn channel(&self, link: LinkId, direction: Direction) -> Channel {
        Channel::of(link, self.links[link.index()].sharing, direction)
    }

    /// Overrides of simulation constants, in `--cfg` form and in the order of the file: `("network/TCP-gamma",
    /// "4194304")`.
    pub fn settings(&self) -> &[(String, String)] {
        &self.settings
    }

    /// Where the `index`-th setting was written, as `file:line:column`, for messages about its value.
    pub fn setting_place(&self, index: usize) -> String {
        match self.setting_places.get(index) {
            Some(Some((line, column))) => format!("{}:{line}:{column}", self.name),
            _ => self.name.clone(),
        }
    }
}

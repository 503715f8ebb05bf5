//! What platforms are made of: hosts, links, what flows compete for, and ways.

use smpi_base::HostId;

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
    /// Unique name; a large platform has many of them.
    pub name: Box<str>,
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

/// A member of a zone.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Point {
    /// A host.
    Host(HostId),
    /// A router, by its number: it runs nothing, routes lead over it.
    Router(u32),
    /// A zone with everything in it, by its number.
    Zone(u32),
}

/// A way between two members of a zone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    /// Where the way leaves and enters those members that are zones. Otherwise the members themselves.
    pub gateways: (Point, Point),
    pub channels: Box<[Channel]>,
}

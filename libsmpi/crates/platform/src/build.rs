//! Building a platform piece by piece, with the checks that do not depend on a file format.

use crate::error::Gap;
use crate::graph::{Graph, Shortest};
use crate::index::HostIndex;
use crate::model::{Channel, Direction, Host, Link, LinkId, Point, Sharing, Way};
use crate::names::HostNames;
use crate::platform::{Platform, Router};
use crate::profile::{Changes, Profile, Quantity, out_of_range};
use crate::storage::{Disk, DiskId, FileSystem};
use crate::topology::Topology;
use crate::watts::{HostWatts, LinkWatts, Powered};
use crate::zones::{ClusterInfo, Kind, ROOT, Star, Within, Zone};
use smpi_base::HostId;
use smpi_base::map::Map;

/// A link of an explicit route, and the way it is crossed.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RouteLink {
    /// The link.
    pub link: LinkId,
    /// The direction in which the written route crosses it; the symmetric route takes the other one.
    pub direction: Direction,
}

impl RouteLink {
    /// The same link in the other direction.
    pub(crate) fn reversed(self) -> RouteLink {
        let direction = if self.direction == Direction::Up { Direction::Down } else { Direction::Up };
        RouteLink { direction, ..self }
    }
}

/// A cluster: hosts that are all alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// The cluster's name in routes.
    pub name: String,
    /// Its hosts, at least 1.
    pub hosts: HostNames,
    /// Cores of each host.
    pub cores: u32,
    /// Speed of each core.
    pub speed_flops_per_sec: f64,
    /// Bandwidth of each link: the hosts' private ones, or those of the topology.
    pub bandwidth_bytes_per_sec: f64,
    /// Latency of each of these links.
    pub latency_secs: f64,
    /// Sharing of these links.
    pub sharing: Sharing,
    /// How the hosts are joined.
    pub topology: Topology,
    /// Messages take one of the shortest ways, another one for each pair of hosts, instead of that of SimGrid's rule.
    pub spread: bool,
    /// Bandwidth, latency and sharing (not split duplex) of a link in the middle of a switch that all messages cross.
    pub backbone: Option<(f64, f64, Sharing)>,
    /// Bandwidth and latency of messages inside one host, instead of the network's.
    pub loopback: Option<(f64, f64)>,
    /// Bandwidth of a link that all the traffic of a host or a switch of the topology crosses, both ways together.
    pub limiter: Option<f64>,
}

/// How the zones that hold other members find ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Routing {
    /// Every way is written down.
    Full,
    /// Shortest ways over those that are written down.
    Shortest(Shortest),
    /// Every member has a way to the middle and one from there.
    Star,
    /// A star in which distance costs time.
    Vivaldi,
}

/// Builds a [`Platform`]. Errors are sentences without a place; the caller adds where.
#[derive(Clone, Debug)]
pub struct PlatformBuilder {
    platform: Platform,
    link_names: Map<String, LinkId>,
    points: Map<String, Point>,
    /// Names of clusters, zones and routers in their order.
    named: Vec<(String, Point)>,
}

/// Hosts and links a platform can have: ids are 32-bit and a link has two channels.
const MOST: usize = (u32::MAX / 2 - 1) as usize;

impl Default for PlatformBuilder {
    fn default() -> Self {
        Self::new(Routing::Full)
    }
}

impl PlatformBuilder {
    /// A platform of a root zone and nothing in it.
    pub fn new(routing: Routing) -> Self {
        let root = Zone {
            name: String::new(),
            parent: ROOT,
            depth: 0,
            gateway: None,
            kind: kind(routing),
            bypasses: Map::default(),
        };
        let platform = Platform {
            name: String::new(),
            hosts: Vec::new(),
            links: Vec::new(),
            host_names: HostIndex::default(),
            zone_of: Vec::new(),
            routers: Vec::new(),
            zones: vec![root],
            order: Vec::new(),
            profiles: Vec::new(),
            host_watts: Vec::new(),
            link_watts: Vec::new(),
            disks: Vec::new(),
            disk_of: Map::default(),
            file_systems: Vec::new(),
            settings: Vec::new(),
            setting_places: Vec::new(),
        };
        PlatformBuilder { platform, link_names: Map::default(), points: Map::default(), named: Vec::new() }
    }

    /// Adds a zone in another one.
    pub fn zone(&mut self, name: &str, routing: Routing, parent: u32) -> Result<u32, String> {
        self.add_zone(name, kind(routing), parent)
    }

    /// Adds a host to a zone.
    pub fn host(&mut self, name: &str, speed_flops_per_sec: f64, cores: u32, zone: u32) -> Result<HostId, String> {
        let id = self.add_host(name.to_owned(), speed_flops_per_sec, cores, zone)?;
        self.join_zone(Point::Host(id), zone);
        Ok(id)
    }

    /// Adds a router to a zone: routes may end and begin there.
    pub fn router(&mut self, name: &str, zone: u32) -> Result<Point, String> {
        let point = Point::Router(self.platform.routers.len() as u32);
        if self.platform.host_named(name).is_some() {
            return Err(format!("a second host or router named \"{name}\""));
        }
        self.take_name(name, point, "router")?;
        self.platform.routers.push(Router { name: name.to_owned(), zone });
        self.join_zone(point, zone);
        Ok(point)
    }

    /// Adds a link.
    pub fn link(&mut self, link: Link) -> Result<LinkId, String> {
        let id = LinkId(self.platform.links.len() as u32);
        if self.link_names.insert(link.name.to_string(), id).is_some() {
            return Err(format!("a second link named \"{}\"", link.name));
        }
        self.push_link(link)
    }

    /// Adds a cluster, its hosts and their links; its number serves in [`Point::Zone`].
    pub fn cluster(&mut self, cluster: &Cluster, parent: u32) -> Result<u32, String> {
        let count = cluster.hosts.count();
        if let Some(expected) = cluster.topology.hosts().filter(|expected| *expected != count) {
            return Err(format!("the topology has {expected} hosts, and {count} are named"));
        }
        let first_link = self.platform.links.len() as u32;
        let info = ClusterInfo {
            first_host: self.platform.hosts.len() as u32,
            hosts: count,
            names: Some(cluster.hosts.clone()),
            links: first_link..first_link,
            topology: cluster.topology.clone(),
            spread: cluster.spread,
            first_limiter: None,
            backbone: None,
            within: Within::Network,
        };
        let id = self.add_zone(&cluster.name, Kind::Cluster(info), parent)?;
        for index in 0..count {
            let name = cluster.hosts.name(index);
            if cluster.topology == Topology::Switch {
                self.cluster_link(cluster, &format!("{name}-link"), 1)?;
            }
            self.add_host(name, cluster.speed_flops_per_sec, cluster.cores, id)?;
        }
        let topology = cluster.topology.clone();
        topology
            .links(&mut |name, bundled| self.cluster_link(cluster, &format!("{}-{name}", cluster.name), bundled))?;
        let mut extra = |suffix: String, (bandwidth, latency, sharing): (f64, f64, Sharing)| {
            self.push_link(Link {
                name: format!("{}-{suffix}", cluster.name).into(),
                bandwidth_bytes_per_sec: bandwidth,
                latency_secs: latency,
                sharing,
            })
        };
        let backbone = cluster.backbone.map(|b| extra("backbone".to_owned(), b)).transpose()?;
        // One link serves the loopbacks of all hosts, because a fat pipe is not shared.
        let loopback =
            cluster.loopback.map(|(b, l)| extra("loopback".to_owned(), (b, l, Sharing::FatPipe))).transpose()?;
        let mut first_limiter = None;
        if let Some(bandwidth) = cluster.limiter {
            for node in 0..topology.nodes(count) {
                let link = extra(format!("{node}-limiter"), (bandwidth, 0.0, Sharing::Shared))?;
                first_limiter.get_or_insert(link.0);
            }
        }
        let gateway = self.unnamed_router(format!("{}-router", cluster.name), id);
        self.platform.zones[id as usize].gateway = Some(gateway);
        let end = self.platform.links.len() as u32;
        if let Kind::Cluster(info) = &mut self.platform.zones[id as usize].kind {
            info.backbone = backbone;
            info.within = loopback.map_or(Within::Network, Within::Link);
            info.first_limiter = first_limiter;
            info.links.end = end;
        }
        Ok(id)
    }

    /// Adds hosts of these names, each with a link of its own; a message between two of them crosses the links of both,
    /// one inside a host the engine's global loopback. That is a cluster without a backbone, so that memory grows with
    /// the hosts and not with their pairs.
    pub fn mesh(&mut self, names: &[String], speed_flops_per_sec: f64, link: &Link) -> Result<(), String> {
        let first_link = self.platform.links.len() as u32;
        let info = ClusterInfo {
            first_host: self.platform.hosts.len() as u32,
            hosts: names.len() as u32,
            names: None,
            links: first_link..first_link + names.len() as u32,
            topology: Topology::Switch,
            spread: false,
            first_limiter: None,
            backbone: None,
            within: Within::Engine,
        };
        let id = self.add_zone("mesh", Kind::Cluster(info), ROOT)?;
        for name in names {
            self.push_link(Link { name: format!("{name}-link").into(), ..link.clone() })?;
            self.add_host(name.clone(), speed_flops_per_sec, 1, id)?;
        }
        Ok(())
    }

    /// Where routes end that name a zone and no gateway: a host or router inside the zone.
    pub fn gateway(&mut self, zone: u32, gateway: Point) -> Result<(), String> {
        if !self.is_inside(gateway, Point::Zone(zone)) {
            let (inner, outer) = (self.name_of(gateway), self.name_of(Point::Zone(zone)));
            return Err(format!("the gateway \"{inner}\" is not inside \"{outer}\""));
        }
        self.platform.zones[zone as usize].gateway = Some(gateway);
        Ok(())
    }

    /// Adds the way from one member of a zone to another, and with `symmetric` the way back over the same links in
    /// reverse. The gateways are where the way ends inside members that are zones; by default those of the zones.
    /// Between two hosts of which one is in a cluster, the way is a bypass of the smallest zone that both are in.
    pub fn route(
        &mut self,
        (src, dst): (Point, Point),
        gateways: (Option<Point>, Option<Point>),
        links: &[RouteLink],
        symmetric: bool,
    ) -> Result<(), String> {
        if src == dst {
            return Err("source and destination of the route are the same".to_owned());
        }
        if self.is_inside(src, dst) || self.is_inside(dst, src) {
            return Err("one end of the route lies inside the other".to_owned());
        }
        if links.is_empty() {
            return Err("the route has no links".to_owned());
        }
        let (zone, from, to) = self.platform.common(src, dst);
        let in_cluster = |zone: u32| matches!(self.platform.zones[zone as usize].kind, Kind::Cluster(_));
        let is_member = (from, to) == (src, dst) && !in_cluster(zone);
        if !is_member {
            let both_hosts = matches!((src, dst), (Point::Host(_), Point::Host(_)));
            if !both_hosts {
                let inner = [src, dst].into_iter().find(|p| in_cluster(self.platform.zone_of(*p)));
                return Err(match inner.filter(|p| matches!(p, Point::Host(_))) {
                    Some(host) => {
                        let name = self.name_of(host);
                        format!("the route joins \"{name}\", a host inside a cluster, to a cluster")
                    }
                    None => {
                        let (a, b) = (self.name_of(src), self.name_of(dst));
                        format!("\"{a}\" and \"{b}\" are not members of one zone")
                    }
                });
            }
        }
        let gateways = (self.end(src, gateways.0)?, self.end(dst, gateways.1)?);
        let (forth, back) = (self.channels(links, false), self.channels(links, true));
        self.enter(zone, (src, dst), Way { gateways, channels: forth.into() }, !is_member)?;
        if symmetric {
            let gateways = (gateways.1, gateways.0);
            self.enter(zone, (dst, src), Way { gateways, channels: back.into() }, !is_member)?;
        }
        Ok(())
    }

    /// Adds the way from a host or router to itself.
    pub fn own_way(&mut self, point: Point, links: &[RouteLink]) -> Result<(), String> {
        let channels = self.channels(links, false);
        let zone = self.platform.zone_of(point);
        self.enter(zone, (point, point), Way { gateways: (point, point), channels: channels.into() }, false)
    }

    /// Gives the router of a cluster a name that routes may use.
    pub fn name_router(&mut self, name: &str, cluster: u32) -> Result<(), String> {
        match self.platform.zones[cluster as usize].gateway {
            Some(router) => self.take_name(name, router, "router"),
            None => Ok(()),
        }
    }

    /// Adds a way of a zone that takes precedence over its ordinary ways.
    pub fn bypass(
        &mut self,
        ends: (Point, Point),
        gateways: (Option<Point>, Option<Point>),
        links: &[RouteLink],
    ) -> Result<(), String> {
        let (zone, _, _) = self.platform.common(ends.0, ends.1);
        let gateways = (self.end(ends.0, gateways.0)?, self.end(ends.1, gateways.1)?);
        let channels = self.channels(links, false);
        self.enter(zone, ends, Way { gateways, channels: channels.into() }, true)
    }

    /// Adds the way between a member of a star and its middle: there and back, where given, and to the member itself.
    pub fn spoke(
        &mut self,
        member: Point,
        gateway: Option<Point>,
        [up, down, own]: [Option<&[RouteLink]>; 3],
    ) -> Result<(), String> {
        let gateway = gateway.map(|gateway| self.end(member, Some(gateway))).transpose()?;
        let channels = [up, down, own].map(|links| links.map(|links| self.channels(links, false)));
        let (zone, name) = (self.platform.zone_of(member), self.name_of(member).to_owned());
        let Kind::Star(star) = &mut self.platform.zones[zone as usize].kind else {
            return Err(format!("\"{name}\" is not a member of a star"));
        };
        let spoke = star.spokes.entry(member).or_default();
        spoke.gateway = gateway.or(spoke.gateway);
        for (given, place) in channels.into_iter().zip([&mut spoke.up, &mut spoke.down, &mut spoke.own]) {
            if let Some(given) = given {
                *place = given;
            }
        }
        Ok(())
    }

    /// Says where a member of a zone with distances is.
    pub fn place(&mut self, member: Point, place: [f64; 3]) {
        let zone = self.platform.zone_of(member);
        if let Kind::Star(Star { places: Some(places), .. }) = &mut self.platform.zones[zone as usize].kind {
            places.insert(member, place);
        }
    }

    /// Lets something change over time.
    ///
    /// # Errors
    /// A sentence without its end: it does so already, or the values do not fit.
    pub fn profile(&mut self, of: Quantity, changes: Changes) -> Result<(), String> {
        if self.platform.profiles.iter().any(|profile| profile.of == of) {
            return Err("a second profile of the same quantity, expected one".to_owned());
        }
        let is_state = matches!(of, Quantity::HostState(_) | Quantity::LinkState(_));
        if let Some((date, value)) = changes.negative().filter(|_| !is_state) {
            return Err(out_of_range(date, value));
        }
        match of {
            Quantity::Bandwidth(_) if changes.has(0.0) => {
                Err("a bandwidth of zero, expected more; a link that carries nothing is off".to_owned())
            }
            Quantity::Speed(_) if !changes.has_more_than(0.0) => {
                Err("the speed is always zero, expected more at some date".to_owned())
            }
            _ => {
                self.platform.profiles.push(Profile { of, changes });
                Ok(())
            }
        }
    }

    /// How many hosts and links there are so far.
    pub fn counts(&self) -> (u32, u32) {
        (self.platform.hosts.len() as u32, self.platform.links.len() as u32)
    }

    /// Gives a host a disk.
    ///
    /// # Errors
    /// A sentence without its end: it has one.
    pub fn disk(&mut self, disk: Disk) -> Result<(), String> {
        let id = DiskId(self.platform.disks.len() as u32);
        if self.platform.disk_of.insert(disk.host, id).is_some() {
            return Err(format!("a second disk of \"{}\"", self.host_name(disk.host)));
        }
        self.platform.disks.push(disk);
        Ok(())
    }

    /// The disk that a host was given.
    pub fn disk_of(&self, host: HostId) -> Option<DiskId> {
        self.platform.disk_of(host)
    }

    /// The name of a host.
    pub fn host_name(&self, host: HostId) -> &str {
        &self.platform.hosts[host.index()].name
    }

    /// Adds a file system on disks that were added.
    ///
    /// # Errors
    /// A sentence without its end: there is one with this mount.
    pub fn file_system(&mut self, system: FileSystem) -> Result<(), String> {
        if self.platform.file_systems.iter().any(|other| other.mount == system.mount) {
            return Err(format!("a second file system at {}", system.mount.display()));
        }
        self.platform.file_systems.push(system);
        Ok(())
    }

    /// Says what hosts draw that were added since there were `from`.
    pub fn host_watts(&mut self, from: u32, watts: HostWatts) {
        let range = from..self.counts().0;
        self.platform.host_watts.push(Powered { range, watts });
    }

    /// Says what links draw that were added since there were `from`.
    pub fn link_watts(&mut self, from: u32, watts: LinkWatts) {
        let range = from..self.counts().1;
        self.platform.link_watts.push(Powered { range, watts });
    }

    /// The links of clusters and all others by their names.
    pub fn any_link_named(&self, name: &str) -> Option<LinkId> {
        let links = &self.platform.links;
        self.link_named(name).or_else(|| Some(LinkId(links.iter().position(|link| *link.name == *name)? as u32)))
    }

    /// Adds an override of a simulation constant, in `--cfg` form.
    pub fn setting(&mut self, key: &str, value: &str, place: Option<(usize, usize)>) {
        self.platform.settings.push((key.to_owned(), value.to_owned()));
        self.platform.setting_places.push(place);
    }

    /// The host, cluster, zone or router of this name, hosts first. `name-router` is the switch of a cluster.
    pub fn point_named(&self, name: &str) -> Option<Point> {
        let host = self.platform.host_named(name).map(Point::Host);
        let named = host.or_else(|| self.points.get(name).copied());
        named.or_else(|| match self.points.get(name.strip_suffix("-router")?)? {
            Point::Zone(zone) if !self.is_open(*zone) => self.platform.zones[*zone as usize].gateway,
            _ => None,
        })
    }

    /// The host of this name.
    pub fn host_named(&self, name: &str) -> Option<HostId> {
        self.platform.host_named(name)
    }

    /// The link of this name.
    pub fn link_named(&self, name: &str) -> Option<LinkId> {
        self.link_names.get(name).copied()
    }

    /// Names that a route may use for its ends, in the order of their addition (for suggestions).
    pub fn point_names(&self) -> Vec<&str> {
        let hosts = self.platform.hosts.iter().map(|h| h.name.as_str());
        self.named.iter().map(|(name, _)| name.as_str()).chain(hosts).collect()
    }

    /// Names of the links that a route may use (for suggestions).
    pub fn link_names(&self) -> Vec<&str> {
        let mut names: Vec<(LinkId, &str)> = self.link_names.iter().map(|(n, l)| (*l, n.as_str())).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, n)| n).collect()
    }

    /// Whether this is a member of a zone of distances.
    pub fn needs_place(&self, member: Point) -> bool {
        let kind = &self.platform.zones[self.platform.zone_of(member) as usize].kind;
        matches!(kind, Kind::Star(Star { places: Some(_), .. })) && !matches!(member, Point::Router(_))
    }

    /// Whether this is a host or router that routes may lead to in its zone.
    pub fn is_lone(&self, point: Point) -> bool {
        !matches!(point, Point::Zone(_)) && self.is_open(self.platform.zone_of(point))
    }

    /// Whether a zone may have members besides those it was made with.
    pub fn is_open(&self, zone: u32) -> bool {
        !matches!(self.platform.zones[zone as usize].kind, Kind::Cluster(_))
    }

    /// How a link competes.
    pub fn sharing(&self, link: LinkId) -> Sharing {
        self.platform.links[link.index()].sharing
    }

    /// The zone that a host, router or zone is in.
    pub fn zone_of(&self, point: Point) -> u32 {
        self.platform.zone_of(point)
    }

    /// Whether a host or router is inside a zone, or in one inside it.
    pub fn is_inside(&self, inner: Point, outer: Point) -> bool {
        let Point::Zone(outer) = outer else { return false };
        let mut zone = self.platform.zone_of(inner);
        while zone != outer && zone != ROOT {
            zone = self.platform.zones[zone as usize].parent;
        }
        zone == outer
    }

    /// Finishes. `name` is the file's path for messages.
    ///
    /// # Errors
    /// A sentence: there is no host, or there are two without a way between them.
    pub fn build(self, name: &str) -> Result<Platform, String> {
        if self.platform.hosts.is_empty() {
            return Err("the platform has no host, expected a [[cluster]] or a [[host]]; add one".to_owned());
        }
        let platform = self.build_with_gaps(name);
        if let Some(zone) = platform.zone_without_gateway() {
            return Err(format!(
                "the zone \"{zone}\" in a star has no gateway, expected a host or router inside it; add gateway = \"...\" \
                 to the zone"
            ));
        }
        platform.check_ways(None).map_err(|Gap { src, dst }| {
            format!(
                "no route from \"{src}\" to \"{dst}\", expected one between every two clusters and lone hosts; \
                 add [[route]] src = \"{src}\" dst = \"{dst}\" links = [...]"
            )
        })?;
        Ok(platform)
    }

    /// The same, but there may be hosts without a way between them: [`Platform::check_ways`] finds them.
    pub(crate) fn build_with_gaps(mut self, name: &str) -> Platform {
        self.platform.name = name.to_owned();
        self.platform
    }

    /// Name of a host, router or zone.
    pub fn name_of(&self, point: Point) -> &str {
        self.platform.name_of(point)
    }

    /// The host or router where a way ends that leads to this member.
    fn end(&self, member: Point, gateway: Option<Point>) -> Result<Point, String> {
        let Point::Zone(zone) = member else {
            return match gateway.filter(|gateway| *gateway != member) {
                None => Ok(member),
                Some(_) => Err(format!("\"{}\" is not a zone and has no gateway", self.name_of(member))),
            };
        };
        match gateway.or(self.platform.zones[zone as usize].gateway) {
            Some(Point::Zone(inner)) => {
                let name = &self.platform.zones[inner as usize].name;
                Err(format!("the gateway \"{name}\" is a zone, not a host or router"))
            }
            Some(gateway) if self.is_inside(gateway, member) => Ok(gateway),
            Some(gateway) => {
                Err(format!("the gateway \"{}\" is not inside \"{}\"", self.name_of(gateway), self.name_of(member)))
            }
            None => Err(format!("the zone \"{}\" has no gateway", self.name_of(member))),
        }
    }

    fn enter(&mut self, zone: u32, (src, dst): (Point, Point), way: Way, bypass: bool) -> Result<(), String> {
        let zone = &mut self.platform.zones[zone as usize];
        let is_new = match &mut zone.kind {
            _ if bypass => zone.bypasses.insert((src, dst), way).is_none(),
            Kind::Full(ways) => ways.insert((src, dst), way).is_none(),
            Kind::Graph(graph) => graph.join(src, dst, way),
            Kind::Star(_) | Kind::Cluster(_) => {
                return Err(format!("the zone \"{}\" has no routes between two members", zone.name));
            }
        };
        if !is_new {
            let (a, b) = (self.name_of(src), self.name_of(dst));
            return Err(format!(
                "a second route from \"{a}\" to \"{b}\" (a route is symmetric unless symmetric = false)"
            ));
        }
        Ok(())
    }

    /// The channels of a written route, or of the way back.
    fn channels(&self, links: &[RouteLink], back: bool) -> Vec<Channel> {
        let channel = |link: RouteLink| self.platform.channel(link.link, link.direction);
        match back {
            false => links.iter().map(|link| channel(*link)).collect(),
            true => links.iter().rev().map(|link| channel(link.reversed())).collect(),
        }
    }

    fn add_zone(&mut self, name: &str, kind: Kind, parent: u32) -> Result<u32, String> {
        let id = self.platform.zones.len() as u32;
        let what = if matches!(kind, Kind::Cluster(_)) { "cluster" } else { "zone" };
        self.take_name(name, Point::Zone(id), what)?;
        let depth = self.platform.zones[parent as usize].depth + 1;
        let name = name.to_owned();
        self.platform.zones.push(Zone { name, parent, depth, gateway: None, kind, bypasses: Map::default() });
        self.join_zone(Point::Zone(id), parent);
        Ok(id)
    }

    /// Makes a host, router or zone known to the zone that it is in.
    fn join_zone(&mut self, point: Point, zone: u32) {
        self.platform.order.push(point);
        match &mut self.platform.zones[zone as usize].kind {
            // Dijkstra numbers members in the order in which routes name them.
            Kind::Graph(graph) if graph.algorithm == Shortest::Floyd => drop(graph.add(point)),
            Kind::Star(star) => drop(star.spokes.entry(point).or_default()),
            _ => {}
        }
    }

    fn take_name(&mut self, name: &str, point: Point, what: &str) -> Result<(), String> {
        if self.points.insert(name.to_owned(), point).is_some() {
            return Err(format!("a second {what} named \"{name}\""));
        }
        self.named.push((name.to_owned(), point));
        Ok(())
    }

    fn unnamed_router(&mut self, name: String, zone: u32) -> Point {
        self.platform.routers.push(Router { name, zone });
        Point::Router(self.platform.routers.len() as u32 - 1)
    }

    fn cluster_link(&mut self, cluster: &Cluster, name: &str, bundled: u32) -> Result<(), String> {
        let link = Link {
            name: name.into(),
            bandwidth_bytes_per_sec: cluster.bandwidth_bytes_per_sec * f64::from(bundled),
            latency_secs: cluster.latency_secs,
            sharing: cluster.sharing,
        };
        self.push_link(link).map(drop)
    }

    fn add_host(&mut self, name: String, speed: f64, cores: u32, zone: u32) -> Result<HostId, String> {
        let id = HostId(self.platform.hosts.len() as u32);
        if self.platform.hosts.len() >= MOST {
            return Err(format!("more than {MOST} hosts"));
        }
        if !self.platform.host_names.insert(&self.platform.hosts, &name) {
            return Err(format!("a second host named \"{name}\""));
        }
        self.platform.hosts.push(Host { name, speed_flops_per_sec: speed, cores });
        self.platform.zone_of.push(zone);
        Ok(id)
    }

    fn push_link(&mut self, link: Link) -> Result<LinkId, String> {
        if self.platform.links.len() >= MOST {
            return Err(format!("more than {MOST} links"));
        }
        let id = LinkId(self.platform.links.len() as u32);
        self.platform.links.push(link);
        Ok(id)
    }
}

fn kind(routing: Routing) -> Kind {
    match routing {
        Routing::Full => Kind::Full(Map::default()),
        Routing::Shortest(algorithm) => Kind::Graph(Graph::new(algorithm)),
        Routing::Star => Kind::Star(Star::default()),
        Routing::Vivaldi => Kind::Star(Star { spokes: Map::default(), places: Some(Map::default()) }),
    }
}

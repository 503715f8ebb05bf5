//! Building a platform piece by piece, with the checks that do not depend on a file format.

use crate::model::{
    Channel, ClusterInfo, Direction, Endpoint, Host, Link, LinkId, NO_CLUSTER, Platform, Sharing, Within,
};
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

/// A cluster: hosts `name-0`, `name-1`, … around a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Prefix of the hosts' names.
    pub name: String,
    /// Number of hosts, at least 1.
    pub hosts: u32,
    /// Cores of each host.
    pub cores: u32,
    /// Speed of each core.
    pub speed_flops_per_sec: f64,
    /// Bandwidth of each host's private link.
    pub bandwidth_bytes_per_sec: f64,
    /// Latency of each host's private link; a message pays it twice, going up and going down.
    pub latency_secs: f64,
    /// Sharing of the private links.
    pub sharing: Sharing,
    /// Bandwidth, latency and sharing (not split duplex) of a link in the middle that all messages cross.
    pub backbone: Option<(f64, f64, Sharing)>,
    /// Bandwidth and latency of messages inside one host, instead of the global loopback's.
    pub loopback: Option<(f64, f64)>,
}

/// Builds a [`Platform`]. Errors are sentences without a place; the caller adds where.
#[derive(Clone, Debug, Default)]
pub struct PlatformBuilder {
    hosts: Vec<Host>,
    links: Vec<Link>,
    host_names: Map<String, HostId>,
    link_names: Map<String, LinkId>,
    cluster_names: Map<String, u32>,
    cluster_of: Vec<u32>,
    clusters: Vec<ClusterInfo>,
    routes: Map<(Endpoint, Endpoint), Vec<Channel>>,
    has_host_routes: bool,
    settings: Vec<(String, String)>,
    setting_places: Vec<Option<(usize, usize)>>,
}

/// Hosts and links a platform can have: ids are 32-bit and a link has two channels.
const MOST: usize = (u32::MAX / 2 - 1) as usize;

impl PlatformBuilder {
    /// An empty platform.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a host that is in no cluster.
    pub fn host(&mut self, name: &str, speed_flops_per_sec: f64, cores: u32) -> Result<HostId, String> {
        self.add_host(name.to_owned(), speed_flops_per_sec, cores, NO_CLUSTER)
    }

    /// Adds a link.
    pub fn link(&mut self, link: Link) -> Result<LinkId, String> {
        let id = LinkId(self.links.len() as u32);
        if self.link_names.insert(link.name.clone(), id).is_some() {
            return Err(format!("a second link named \"{}\"", link.name));
        }
        self.push_link(link)
    }

    /// Adds a cluster, its hosts and their links; its number serves in [`Endpoint::Cluster`].
    pub fn cluster(&mut self, cluster: &Cluster) -> Result<u32, String> {
        let id = self.clusters.len() as u32;
        if self.cluster_names.insert(cluster.name.clone(), id).is_some() {
            return Err(format!("a second cluster named \"{}\"", cluster.name));
        }
        let (first_host, first_link) = (self.hosts.len() as u32, self.links.len() as u32);
        for index in 0..cluster.hosts {
            self.add_member(format!("{}-{index}", cluster.name), cluster, id)?;
        }
        let mut extra = |suffix: &str, (bandwidth, latency, sharing): (f64, f64, Sharing)| {
            self.push_link(Link {
                name: format!("{}-{suffix}", cluster.name),
                bandwidth_bytes_per_sec: bandwidth,
                latency_secs: latency,
                sharing,
            })
        };
        let backbone = cluster.backbone.map(|b| extra("backbone", b)).transpose()?;
        // One link serves the loopbacks of all hosts, because a fat pipe is not shared.
        let loopback = cluster.loopback.map(|(b, l)| extra("loopback", (b, l, Sharing::FatPipe))).transpose()?;
        let within = loopback.map_or(Within::PrivateLink, Within::Link);
        self.clusters.push(ClusterInfo { first_host, first_link, backbone, within });
        Ok(id)
    }

    /// Adds hosts of these names, each with a link of its own; a message between two of them crosses the links of both,
    /// one inside a host the engine's global loopback. That is a cluster without a backbone, so that memory grows with
    /// the hosts and not with their pairs.
    pub fn mesh(&mut self, names: &[String], hosts: &Cluster) -> Result<(), String> {
        let id = self.clusters.len() as u32;
        let (first_host, first_link) = (self.hosts.len() as u32, self.links.len() as u32);
        for name in names {
            self.add_member(name.clone(), hosts, id)?;
        }
        self.clusters.push(ClusterInfo { first_host, first_link, backbone: None, within: Within::Engine });
        Ok(())
    }

    /// Adds a host of a cluster and its private link.
    fn add_member(&mut self, host: String, cluster: &Cluster, id: u32) -> Result<(), String> {
        let link = Link {
            name: format!("{host}-link"),
            bandwidth_bytes_per_sec: cluster.bandwidth_bytes_per_sec,
            latency_secs: cluster.latency_secs,
            sharing: cluster.sharing,
        };
        self.push_link(link)?;
        self.add_host(host, cluster.speed_flops_per_sec, cluster.cores, id).map(drop)
    }

    /// Adds the way from one endpoint to another, and with `symmetric` the way back over the same links in reverse.
    pub fn route(&mut self, src: Endpoint, dst: Endpoint, links: &[RouteLink], symmetric: bool) -> Result<(), String> {
        if src == dst {
            return Err("source and destination of the route are the same".to_owned());
        }
        if self.is_inside(src, dst) || self.is_inside(dst, src) {
            return Err("one end of the route lies inside the other".to_owned());
        }
        if links.is_empty() {
            return Err("the route has no links".to_owned());
        }
        for end in [src, dst] {
            if let Endpoint::Host(host) = end
                && self.cluster_of[host.index()] != NO_CLUSTER
            {
                let both_hosts = matches!((src, dst), (Endpoint::Host(_), Endpoint::Host(_)));
                if !both_hosts {
                    let name = &self.hosts[host.index()].name;
                    return Err(format!("the route joins \"{name}\", a host inside a cluster, to a cluster"));
                }
                self.has_host_routes = true;
            }
        }
        let way = links.iter().map(|l| self.channel(l.link, l.direction)).collect();
        self.enter(src, dst, way)?;
        if symmetric {
            let flip = |d| if d == Direction::Up { Direction::Down } else { Direction::Up };
            let back = links.iter().rev().map(|l| self.channel(l.link, flip(l.direction))).collect();
            self.enter(dst, src, back)?;
        }
        Ok(())
    }

    /// Adds an override of a simulation constant, in `--cfg` form.
    pub fn setting(&mut self, key: &str, value: &str, place: Option<(usize, usize)>) {
        self.settings.push((key.to_owned(), value.to_owned()));
        self.setting_places.push(place);
    }

    /// The host or cluster of this name, hosts first.
    pub fn endpoint_named(&self, name: &str) -> Option<Endpoint> {
        let host = self.host_names.get(name).map(|h| Endpoint::Host(*h));
        host.or_else(|| self.cluster_names.get(name).map(|c| Endpoint::Cluster(*c)))
    }

    /// The link of this name.
    pub fn link_named(&self, name: &str) -> Option<LinkId> {
        self.link_names.get(name).copied()
    }

    /// Names that a route may use for its ends, in the order of their addition (for suggestions).
    pub fn endpoint_names(&self) -> Vec<&str> {
        let mut names: Vec<(u32, &str)> = self.cluster_names.iter().map(|(n, c)| (*c, n.as_str())).collect();
        names.sort_unstable();
        let hosts = self.hosts.iter().map(|h| h.name.as_str());
        names.into_iter().map(|(_, n)| n).chain(hosts).collect()
    }

    /// Names of the links that a route may use (for suggestions).
    pub fn link_names(&self) -> Vec<&str> {
        let mut names: Vec<(LinkId, &str)> = self.link_names.iter().map(|(n, l)| (*l, n.as_str())).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, n)| n).collect()
    }

    /// Finishes. `name` is the file's path for messages. Refuses platforms without hosts or with unconnected hosts.
    pub fn build(self, name: &str) -> Result<Platform, String> {
        if self.hosts.is_empty() {
            return Err("the platform has no host, expected a [[cluster]] or a [[host]]; add one".to_owned());
        }
        self.check_connected()?;
        Ok(Platform {
            name: name.to_owned(),
            hosts: self.hosts,
            links: self.links,
            host_names: self.host_names,
            cluster_of: self.cluster_of,
            clusters: self.clusters,
            routes: self.routes,
            has_host_routes: self.has_host_routes,
            settings: self.settings,
            setting_places: self.setting_places,
        })
    }

    /// Every two zones (clusters, and hosts outside clusters) need a route both ways: otherwise a message without one
    /// would be noticed only in the middle of a run.
    fn check_connected(&self) -> Result<(), String> {
        let single = (0..self.hosts.len()).filter(|h| self.cluster_of[*h] == NO_CLUSTER);
        let mut zones: Vec<Endpoint> = (0..self.clusters.len()).map(|c| Endpoint::Cluster(c as u32)).collect();
        zones.extend(single.map(|h| Endpoint::Host(HostId(h as u32))));
        for &src in &zones {
            for &dst in &zones {
                if src != dst && !self.routes.contains_key(&(src, dst)) {
                    let (a, b) = (self.endpoint_name(src), self.endpoint_name(dst));
                    return Err(format!(
                        "no route from \"{a}\" to \"{b}\", expected one between every two clusters and lone hosts; \
                         add [[route]] src = \"{a}\" dst = \"{b}\" links = [...]"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Name of an endpoint.
    pub fn endpoint_name(&self, end: Endpoint) -> &str {
        match end {
            Endpoint::Host(host) => &self.hosts[host.index()].name,
            Endpoint::Cluster(id) => {
                self.cluster_names.iter().find(|(_, c)| **c == id).map_or("", |(name, _)| name.as_str())
            }
        }
    }

    fn is_inside(&self, inner: Endpoint, outer: Endpoint) -> bool {
        matches!((inner, outer), (Endpoint::Host(h), Endpoint::Cluster(c)) if self.cluster_of[h.index()] == c)
    }

    fn enter(&mut self, src: Endpoint, dst: Endpoint, way: Vec<Channel>) -> Result<(), String> {
        if self.routes.insert((src, dst), way).is_some() {
            let (a, b) = (self.endpoint_name(src), self.endpoint_name(dst));
            return Err(format!(
                "a second route from \"{a}\" to \"{b}\" (a route is symmetric unless symmetric = false)"
            ));
        }
        Ok(())
    }

    fn channel(&self, link: LinkId, direction: Direction) -> Channel {
        Channel::of(link, self.links[link.index()].sharing, direction)
    }

    fn add_host(&mut self, name: String, speed: f64, cores: u32, cluster: u32) -> Result<HostId, String> {
        let id = HostId(self.hosts.len() as u32);
        if self.hosts.len() >= MOST {
            return Err(format!("more than {MOST} hosts"));
        }
        if self.host_names.insert(name.clone(), id).is_some() {
            return Err(format!("a second host named \"{name}\""));
        }
        self.hosts.push(Host { name, speed_flops_per_sec: speed, cores });
        self.cluster_of.push(cluster);
        Ok(id)
    }

    fn push_link(&mut self, link: Link) -> Result<LinkId, String> {
        if self.links.len() >= MOST {
            return Err(format!("more than {MOST} links"));
        }
        let id = LinkId(self.links.len() as u32);
        self.links.push(link);
        Ok(id)
    }
}

//! Which channels a message crosses.
//!
//! Inside a cluster: the sender's private link up, the backbone if there is one, the receiver's private link down.
//! Between clusters: up, own backbone, the links of the route between the clusters, the other backbone, down.
//! A route that names both hosts takes precedence over everything.
//!
//! Messages inside one host: over the cluster's `loopback` if it has one; else, in a cluster, over the host's private
//! link up and down again, as SimGrid's `<cluster>` does; outside clusters over the engine's global loopback.

use crate::model::{Channel, Direction, Endpoint, NO_CLUSTER, Platform, Within};
use smpi_base::HostId;

/// The way from one host to another. Reuse one value for many calls to [`Platform::route`]: it keeps its memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Channels in the order of the way. Empty when sender and receiver are one host outside all clusters: then the
    /// engine's global loopback applies.
    pub channels: Vec<Channel>,
    /// Sum of the links' latencies, before any model factor.
    pub latency_secs: f64,
}

impl Platform {
    /// Fills `out` with the way from `src` to `dst`, in O(length of the way).
    ///
    /// # Panics
    /// When an id is not of this platform. A missing way cannot happen: descriptions with one are refused.
    pub fn route(&self, src: HostId, dst: HostId, out: &mut Route) {
        out.channels.clear();
        let from = self.cluster_of[src.index()];
        let within = if from == NO_CLUSTER { Within::Engine } else { self.clusters[from as usize].within };
        if src == dst && within != Within::PrivateLink {
            if let Within::Link(link) = within {
                out.channels.push(self.channel(link, Direction::Up));
            }
        } else if !self.host_route(src, dst, &mut out.channels) {
            let to = self.cluster_of[dst.index()];
            self.leave(src, from, &mut out.channels);
            if from != to || from == NO_CLUSTER {
                self.between(self.zone(src, from), self.zone(dst, to), &mut out.channels);
                self.enter_backbone(to, &mut out.channels);
            }
            let own_link_again = src == dst && self.is_undirected(src, from);
            if !own_link_again {
                self.enter(dst, to, &mut out.channels);
            }
        }
        out.latency_secs = out.channels.iter().map(|c| self.links[c.link().index()].latency_secs).sum();
    }

    /// The endpoint under which routes of this host are entered.
    fn zone(&self, host: HostId, cluster: u32) -> Endpoint {
        if cluster == NO_CLUSTER { Endpoint::Host(host) } else { Endpoint::Cluster(cluster) }
    }

    /// True when the host's private link has one capacity for both directions: then a message to the host itself
    /// crosses it once.
    fn is_undirected(&self, host: HostId, cluster: u32) -> bool {
        let link = self.clusters[cluster as usize].link_of(host);
        self.channel(link, Direction::Up) == self.channel(link, Direction::Down)
    }

    /// A route that names both hosts although one is in a cluster.
    fn host_route(&self, src: HostId, dst: HostId, out: &mut Vec<Channel>) -> bool {
        if !self.has_host_routes {
            return false;
        }
        match self.routes.get(&(Endpoint::Host(src), Endpoint::Host(dst))) {
            Some(channels) => {
                out.extend_from_slice(channels);
                true
            }
            None => false,
        }
    }

    fn between(&self, from: Endpoint, to: Endpoint, out: &mut Vec<Channel>) {
        if let Some(channels) = self.routes.get(&(from, to)) {
            out.extend_from_slice(channels);
        }
    }

    /// Private link up and backbone of the sender's cluster.
    fn leave(&self, host: HostId, cluster: u32, out: &mut Vec<Channel>) {
        if cluster != NO_CLUSTER {
            let info = &self.clusters[cluster as usize];
            out.push(self.channel(info.link_of(host), Direction::Up));
            out.extend(info.backbone.map(|link| self.channel(link, Direction::Up)));
        }
    }

    fn enter_backbone(&self, cluster: u32, out: &mut Vec<Channel>) {
        if cluster != NO_CLUSTER {
            let backbone = self.clusters[cluster as usize].backbone;
            out.extend(backbone.map(|link| self.channel(link, Direction::Up)));
        }
    }

    /// Private link down to the receiver.
    fn enter(&self, host: HostId, cluster: u32, out: &mut Vec<Channel>) {
        if cluster != NO_CLUSTER {
            let info = &self.clusters[cluster as usize];
            out.push(self.channel(info.link_of(host), Direction::Down));
        }
    }
}

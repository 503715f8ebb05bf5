//! The structure of a platform, for pictures: zones in zones, their members, and what joins these.

use crate::model::{Channel, LinkId, Point};
use crate::platform::Platform;
use crate::topology::Topology;
use crate::zones::{Kind, ROOT};

/// A zone or a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Its name; empty for the platform as a whole.
    pub name: String,
    /// How ways are found in it: `full`, `dijkstra`, …; of a cluster what joins its hosts.
    pub kind: String,
    /// The members of a zone in the order of the description; those of a cluster are its hosts.
    pub members: Vec<Member>,
    /// Which two members a written way joins, and the names of its links. The second is the middle where there is none.
    pub joins: Vec<(usize, Option<usize>, Vec<String>)>,
    /// How the hosts of a cluster are joined.
    pub topology: Option<Topology>,
}

/// A member of a zone.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// A host, by its name.
    Host(String),
    /// A router, by its name.
    Router(String),
    /// A zone or cluster.
    Zone(Outline),
}

impl Platform {
    /// The structure as a whole. A cluster has at most `most` of its hosts.
    pub fn outline(&self, most: usize) -> Outline {
        self.outline_of(ROOT, most)
    }

    fn outline_of(&self, zone: u32, most: usize) -> Outline {
        let described = &self.zones[zone as usize];
        let name = described.name.clone();
        if let Kind::Cluster(info) = &described.kind {
            let hosts = self.hosts[info.first_host as usize..].iter().take((info.hosts as usize).min(most));
            let members = hosts.map(|host| Member::Host(host.name.clone())).collect();
            let kind = format!("{}, {} hosts", info.topology.words(), info.hosts);
            return Outline { name, kind, members, joins: Vec::new(), topology: Some(info.topology.clone()) };
        }
        let points: Vec<Point> = self.order.iter().copied().filter(|point| self.is_member(*point, zone)).collect();
        let place = |point: Point| points.iter().position(|other| *other == point);
        let mut joins = Vec::new();
        let mut join = |src: Point, dst: Option<Point>, channels: &[Channel]| {
            let (Some(from), to) = (place(src), dst.and_then(place)) else { return };
            // The way back says nothing new.
            let is_new =
                |known: &(usize, Option<usize>, Vec<String>)| (known.0, known.1) != (to.unwrap_or(from), Some(from));
            if from != to.unwrap_or(usize::MAX) && joins.iter().all(is_new) {
                joins.push((from, to, channels.iter().map(|channel| self.name_of_link(channel.link())).collect()));
            }
        };
        match &described.kind {
            Kind::Full(known) => {
                let mut known: Vec<_> = known.iter().map(|((src, dst), way)| (*src, *dst, way)).collect();
                known.sort_unstable_by_key(|(src, dst, _)| (*src, *dst));
                known.into_iter().for_each(|(src, dst, way)| join(src, Some(dst), &way.channels));
            }
            Kind::Graph(graph) => graph.edges().for_each(|(src, dst, way)| join(src, Some(dst), &way.channels)),
            Kind::Star(star) => {
                for point in &points {
                    if let Some(spoke) = star.spokes.get(point) {
                        join(*point, None, &spoke.up);
                    }
                }
            }
            Kind::Cluster(_) => {}
        }
        let member = |point: &Point| match *point {
            Point::Host(host) => Member::Host(self.hosts[host.index()].name.clone()),
            Point::Router(_) => Member::Router(self.name_of(*point).to_owned()),
            Point::Zone(inner) => Member::Zone(self.outline_of(inner, most)),
        };
        let kind = match &described.kind {
            Kind::Graph(_) => "shortest ways",
            Kind::Star(star) if star.places.is_some() => "vivaldi",
            Kind::Star(_) => "star",
            _ => "full",
        };
        let members = points.iter().map(member).collect();
        Outline { name, kind: kind.to_owned(), members, joins, topology: None }
    }

    fn is_member(&self, point: Point, zone: u32) -> bool {
        point != Point::Zone(ROOT) && self.zone_of(point) == zone
    }

    fn name_of_link(&self, link: LinkId) -> String {
        self.links[link.index()].name.to_string()
    }
}

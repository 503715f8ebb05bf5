//! Whether there is a way between every two hosts, found without trying every two hosts: a missing one would be noticed
//! only in the middle of a run.
//!
//! In every zone, all members that hold hosts need ways to each other. Where such a way ends at a gateway, all hosts of
//! the member need ways to the gateway and back. That is looked up once for each zone and gateway.

use crate::error::Gap;
use crate::model::{Point, Way};
use crate::platform::Platform;
use crate::zones::{Kind, Zone};
use smpi_base::HostId;
use smpi_base::map::Set;
use std::collections::BTreeSet;

/// Hosts of a run of which every pair is looked up.
const MOST_PAIRED: usize = 256;

/// Two points without a way between them.
type Missing = (Point, Point);

struct Check<'a> {
    platform: &'a Platform,
    /// Members of each zone that hold hosts, zones first.
    members: Vec<Vec<Point>>,
    /// Zones and gateways that are looked up already.
    seen: Set<(u32, Point)>,
}

impl Platform {
    /// Looks for hosts without a way between them, among all or among these.
    ///
    /// # Errors
    /// The first gap.
    pub fn check_ways(&self, hosts: Option<&[HostId]>) -> Result<(), Gap> {
        let is_of_run = hosts.is_some();
        let hosts = match hosts {
            None => (0..self.hosts.len() as u32).map(HostId).collect(),
            Some(hosts) => hosts.iter().copied().collect::<BTreeSet<_>>(),
        };
        let mut check = Check { platform: self, members: self.members(&hosts), seen: Set::default() };
        let missing = (0..self.zones.len() as u32).try_for_each(|zone| check.zone(zone));
        let Err(missing) = missing else { return Ok(()) };
        // Hosts may have a way although their zones have none. Those of a run may be few enough to ask for each pair.
        let missing = match hosts.len() {
            ..=MOST_PAIRED if is_of_run => self.missing_pair(&hosts),
            _ => Some(missing),
        };
        missing.map_or(Ok(()), |(src, dst)| {
            Err(Gap { src: self.name_of(src).to_owned(), dst: self.name_of(dst).to_owned() })
        })
    }

    /// The first pair of these hosts without a way.
    fn missing_pair(&self, hosts: &BTreeSet<HostId>) -> Option<Missing> {
        let pairs = hosts.iter().flat_map(|src| hosts.iter().map(move |dst| (*src, *dst)));
        let missing = pairs.filter(|(src, dst)| src != dst).find(|(src, dst)| !self.has_route(*src, *dst));
        missing.map(|(src, dst)| (Point::Host(src), Point::Host(dst)))
    }

    /// The members of each zone that hold hosts, zones first.
    fn members(&self, hosts: &BTreeSet<HostId>) -> Vec<Vec<Point>> {
        let mut holds = vec![false; self.zones.len()];
        hosts.iter().for_each(|host| holds[self.zone_of[host.index()] as usize] = true);
        for (zone, parent) in self.zones.iter().map(|zone| zone.parent as usize).enumerate().skip(1).rev() {
            holds[parent] |= holds[zone];
        }
        let mut members = vec![Vec::new(); self.zones.len()];
        for (zone, Zone { parent, .. }) in self.zones.iter().enumerate().skip(1).filter(|(zone, _)| holds[*zone]) {
            members[*parent as usize].push(Point::Zone(zone as u32));
        }
        for host in hosts {
            let zone = self.zone_of[host.index()] as usize;
            if !matches!(self.zones[zone].kind, Kind::Cluster(_)) {
                members[zone].push(Point::Host(*host));
            }
        }
        members
    }

    /// A zone in a star that routes cannot enter.
    pub(crate) fn zone_without_gateway(&self) -> Option<&str> {
        self.zones.iter().find_map(|zone| {
            let Kind::Star(star) = &zone.kind else { return None };
            let is_closed =
                |point: &Point, spoke| matches!(point, Point::Zone(_)) && self.middle_gateway(*point, spoke).is_none();
            let (closed, _) = star.spokes.iter().find(|(point, spoke)| is_closed(point, spoke))?;
            Some(self.name_of(*closed))
        })
    }

    /// Name of a host, router or zone.
    pub(crate) fn name_of(&self, point: Point) -> &str {
        match point {
            Point::Host(host) => &self.hosts[host.index()].name,
            Point::Router(router) => &self.routers[router as usize].name,
            Point::Zone(zone) => &self.zones[zone as usize].name,
        }
    }
}

impl<'a> Check<'a> {
    fn zone(&mut self, zone: u32) -> Result<(), Missing> {
        let members = std::mem::take(&mut self.members[zone as usize]);
        let result = self.among(zone, &members);
        self.members[zone as usize] = members;
        result
    }

    fn among(&mut self, zone: u32, members: &[Point]) -> Result<(), Missing> {
        let platform = self.platform;
        match &platform.zones[zone as usize].kind {
            Kind::Full(ways) => {
                for &src in members {
                    for &dst in members.iter().filter(|dst| **dst != src) {
                        let way = ways.get(&(src, dst)).ok_or((src, dst))?;
                        self.gateways(src, dst, way)?;
                    }
                }
            }
            Kind::Graph(graph) => {
                // All reach the first one, and it reaches all.
                for &member in members.iter().skip(1) {
                    for (src, dst) in [(members[0], member), (member, members[0])] {
                        let ways = graph.way(src, dst).ok_or((src, dst))?;
                        ways.windows(2).try_for_each(|pair| self.exists(pair[0].gateways.1, pair[1].gateways.0))?;
                    }
                }
                let holds: Set<Point> = members.iter().copied().collect();
                for (src, dst, way) in graph.edges() {
                    if holds.contains(&src) && holds.contains(&dst) {
                        self.gateways(src, dst, way)?;
                    }
                }
            }
            Kind::Star(star) if members.len() > 1 => {
                for &member in members {
                    let gateway = star.spokes.get(&member).and_then(|spoke| platform.middle_gateway(member, spoke));
                    if let Point::Zone(inner) = member {
                        let gateway = gateway.ok_or((member, Point::Zone(zone)))?;
                        self.reaches(inner, gateway)?;
                    }
                    if star.places.as_ref().is_some_and(|places| !places.contains_key(&member)) {
                        return Err((member, Point::Zone(zone)));
                    }
                }
            }
            Kind::Star(_) | Kind::Cluster(_) => {}
        }
        Ok(())
    }

    fn gateways(&mut self, src: Point, dst: Point, way: &Way) -> Result<(), Missing> {
        for (member, gateway) in [(src, way.gateways.0), (dst, way.gateways.1)] {
            if let Point::Zone(zone) = member {
                self.reaches(zone, gateway)?;
            }
        }
        Ok(())
    }

    /// All hosts inside a zone have ways to a gateway inside it and back.
    fn reaches(&mut self, zone: u32, gateway: Point) -> Result<(), Missing> {
        let is_cluster = matches!(self.platform.zones[zone as usize].kind, Kind::Cluster(_));
        if is_cluster || !self.seen.insert((zone, gateway)) {
            return Ok(());
        }
        let members = self.members[zone as usize].clone();
        for member in members {
            match member {
                Point::Zone(inner) => {
                    // Inside, all members are joined, so that one host stands for all.
                    if let Some(host) = self.some_host(inner) {
                        self.exists(host, gateway)?;
                        self.exists(gateway, host)?;
                    }
                }
                host => {
                    self.exists(host, gateway)?;
                    self.exists(gateway, host)?;
                }
            }
        }
        Ok(())
    }

    fn some_host(&self, zone: u32) -> Option<Point> {
        if let Kind::Cluster(info) = &self.platform.zones[zone as usize].kind {
            return Some(Point::Host(HostId(info.first_host)));
        }
        match *self.members[zone as usize].first()? {
            Point::Zone(inner) => self.some_host(inner),
            host => Some(host),
        }
    }

    fn exists(&self, src: Point, dst: Point) -> Result<(), Missing> {
        if src == dst || self.platform.has_way(src, dst) { Ok(()) } else { Err((src, dst)) }
    }
}

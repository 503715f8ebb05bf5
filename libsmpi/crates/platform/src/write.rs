//! A platform as TOML, in the format that `read/` reads: it gives the same hosts and the same routes.

use crate::graph::Shortest;
use crate::model::{Channel, LinkId, Point, Sharing, Way};
use crate::names::HostNames;
use crate::platform::Platform;
use crate::profile::{Profile, Quantity};
use crate::routing::Route;
use crate::storage::Disk;
use crate::topology::Topology;
use crate::watts::{HostWatts, LinkWatts};
use crate::zones::{ClusterInfo, Kind, ROOT, Spoke, Within};
use smpi_base::HostId;
use smpi_base::quantity::{Flops, Rate, Unit, parse_duration};
use smpi_settings::{Found, find};
use std::fmt::Write;

impl Platform {
    /// The platform as TOML.
    ///
    /// # Errors
    /// A sentence: a name that TOML platforms cannot have, or something that they cannot say.
    pub fn to_toml(&self) -> Result<String, String> {
        let writer = Writer { platform: self, root: self.outermost(), text: String::new() };
        let text = writer.write()?;
        let read = Platform::parse("the result", &text).map_err(|why| format!("{why}; write the TOML file by hand"))?;
        match self.is_like(&read) {
            true => Ok(text),
            false => Err("this platform has names or routes that TOML cannot say; write the file by hand".to_owned()),
        }
    }

    /// The zone that is the file as a whole: one around all others says nothing.
    fn outermost(&self) -> u32 {
        let inner = || self.zones.iter().enumerate().skip(1).filter(|(_, zone)| zone.parent == ROOT);
        let only = inner().count() == 1 && !self.zone_of.contains(&ROOT) && self.routers.iter().all(|r| r.zone != ROOT);
        match inner().next() {
            Some((zone, inner)) if only && !matches!(inner.kind, Kind::Cluster(_)) => zone as u32,
            _ => ROOT,
        }
    }

    /// Whether hosts, what changes over time, and the routes of a sample of hosts are the same.
    fn is_like(&self, other: &Platform) -> bool {
        let count = self.hosts.len();
        let sample = |index: usize| HostId((index * 7919 % count) as u32);
        let (mut ours, mut theirs) = (Route::default(), Route::default());
        let changes = |platform: &Platform| -> Vec<_> {
            platform.profiles.iter().map(|profile| profile.changes.clone()).collect()
        };
        self.hosts == other.hosts
            && self.host_watts == other.host_watts
            && changes(self) == changes(other)
            && self.disks == other.disks
            && self.file_systems == other.file_systems
            && (0..500).map(|index| (sample(index), sample(index / 7 + index % 7))).all(|(src, dst)| {
                if !self.has_route(src, dst) {
                    return !other.has_route(src, dst);
                }
                self.route(src, dst, &mut ours);
                other.route(src, dst, &mut theirs);
                let link = |platform: &Platform, channel: &Channel| {
                    let link = &platform.links[channel.link().index()];
                    (link.bandwidth_bytes_per_sec.to_bits(), link.latency_secs.to_bits(), channel.0 % 2)
                };
                let same = |(a, b): (&Channel, &Channel)| link(self, a) == link(other, b);
                ours.channels.len() == theirs.channels.len() && ours.channels.iter().zip(&theirs.channels).all(same)
            })
    }
}

struct Writer<'a> {
    platform: &'a Platform,
    root: u32,
    text: String,
}

impl<'a> Writer<'a> {
    fn write(mut self) -> Result<String, String> {
        let (platform, root) = (self.platform, self.root);
        let routing = self.routing(root);
        if routing != "full" {
            self.line("routing", &quoted(routing));
        }
        let mut in_clusters: Vec<&ClusterInfo> = Vec::new();
        for &point in platform.order.iter().filter(|point| **point != Point::Zone(root)) {
            self.member(point)?;
            if let Some(info) = self.cluster_info(point) {
                in_clusters.push(info);
            }
        }
        for index in 0..platform.links.len() as u32 {
            if !in_clusters.iter().any(|info| info.links.contains(&index)) {
                self.link(LinkId(index))?;
            }
        }
        for zone in 0..platform.zones.len() as u32 {
            self.ways(zone);
        }
        for profile in &platform.profiles {
            self.profile(profile);
        }
        self.storage();
        self.settings();
        Ok(self.text)
    }

    fn cluster_info(&self, point: Point) -> Option<&'a ClusterInfo> {
        let Point::Zone(zone) = point else { return None };
        match &self.platform.zones[zone as usize].kind {
            Kind::Cluster(info) => Some(info),
            _ => None,
        }
    }

    fn line(&mut self, key: &str, value: &str) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{key} = {value}");
    }

    /// The head of a table, its name, and where it is.
    fn head(&mut self, table: &str, name: &str, point: Option<Point>) -> Result<(), String> {
        if name.is_empty() || name.contains(|c: char| c.is_whitespace() || c == ':' || c == '#') {
            return Err(format!(
                "the name \"{name}\" is empty or holds a blank, ':' or '#', which TOML platforms refuse"
            ));
        }
        let blank = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{blank}[[{table}]]");
        self.line("name", &quoted(name));
        let Some(point) = point else { return Ok(()) };
        let zone = self.platform.zone_of(point);
        if zone != self.root {
            self.line("in", &quoted(&self.platform.zones[zone as usize].name));
        }
        if let Kind::Star(star) = &self.platform.zones[zone as usize].kind
            && let Some([x, y, height]) = star.places.as_ref().and_then(|places| places.get(&point))
        {
            self.line("place", &format!("[{x:?}, {y:?}, {height:?}]"));
        }
        Ok(())
    }

    fn member(&mut self, point: Point) -> Result<(), String> {
        let name = self.platform.name_of(point);
        match point {
            Point::Host(id) => {
                let host = &self.platform.hosts[id.index()];
                self.head("host", name, Some(point))?;
                self.line("speed", &speed(host.speed_flops_per_sec));
                if host.cores != 1 {
                    self.line("cores", &host.cores.to_string());
                }
                self.host_watts(id.0);
                Ok(())
            }
            Point::Router(_) => self.head("router", name, Some(point)),
            Point::Zone(zone) => {
                let gateway = self.platform.zones[zone as usize].gateway;
                if let Some(info) = self.cluster_info(point) {
                    self.cluster(zone, info)?;
                    if let Some(Point::Host(host)) = gateway {
                        self.line("gateway", &quoted(&self.platform.hosts[host.index()].name));
                    }
                    return Ok(());
                }
                self.head("zone", name, Some(point))?;
                self.line("routing", &quoted(self.routing(zone)));
                if let Some(gateway) = gateway {
                    self.line("gateway", &quoted(self.platform.name_of(gateway)));
                }
                Ok(())
            }
        }
    }

    fn routing(&self, zone: u32) -> &'static str {
        match &self.platform.zones[zone as usize].kind {
            Kind::Graph(graph) if graph.algorithm == Shortest::Floyd => "floyd",
            Kind::Graph(_) => "dijkstra",
            Kind::Star(star) if star.places.is_some() => "vivaldi",
            Kind::Star(_) => "star",
            Kind::Full(_) | Kind::Cluster(_) => "full",
        }
    }

    fn cluster(&mut self, zone: u32, info: &ClusterInfo) -> Result<(), String> {
        let name = &self.platform.zones[zone as usize].name;
        let Some(names) = &info.names else { return Err(format!("the hosts of \"{name}\" have no pattern")) };
        let (host, link) =
            (&self.platform.hosts[info.first_host as usize], &self.platform.links[info.links.start as usize]);
        self.head("cluster", name, Some(Point::Zone(zone)))?;
        if *names != HostNames::counted(name, info.hosts) {
            self.line("hosts", &quoted(&names.to_string()));
        } else if info.topology == Topology::Switch {
            self.line("hosts", &info.hosts.to_string());
        }
        if let Some((key, value)) = info.topology.written() {
            self.line(key, &value);
        }
        if info.spread {
            self.line("spread", "true");
        }
        self.line("speed", &speed(host.speed_flops_per_sec));
        if host.cores != 1 {
            self.line("cores", &host.cores.to_string());
        }
        self.line("bandwidth", &bandwidth(link.bandwidth_bytes_per_sec));
        self.line("latency", &latency(link.latency_secs));
        if link.sharing != Sharing::SplitDuplex {
            self.line("sharing", &quoted(sharing(link.sharing)));
        }
        let both = |link: LinkId| {
            let link = &self.platform.links[link.index()];
            let (rate, time) = (bandwidth(link.bandwidth_bytes_per_sec), latency(link.latency_secs));
            (format!("bandwidth = {rate}, latency = {time}"), link.sharing)
        };
        if let Some((values, kind)) = info.backbone.map(both) {
            let kind =
                if kind == Sharing::Shared { String::new() } else { format!(", sharing = {}", quoted(sharing(kind))) };
            self.line("backbone", &format!("{{ {values}{kind} }}"));
        }
        if let Within::Link(link) = info.within {
            self.line("loopback", &format!("{{ {} }}", both(link).0));
        }
        if let Some(limiter) = info.first_limiter {
            self.line("limiter", &bandwidth(self.platform.links[limiter as usize].bandwidth_bytes_per_sec));
        }
        self.host_watts(info.first_host);
        self.link_watts("link-watts", info.links.start);
        Ok(())
    }

    fn link(&mut self, id: LinkId) -> Result<(), String> {
        let link = &self.platform.links[id.index()];
        self.head("link", &link.name, None)?;
        self.line("bandwidth", &bandwidth(link.bandwidth_bytes_per_sec));
        self.line("latency", &latency(link.latency_secs));
        if link.sharing != Sharing::Shared {
            self.line("sharing", &quoted(sharing(link.sharing)));
        }
        self.link_watts("watts", id.0);
        Ok(())
    }

    fn profile(&mut self, profile: &Profile) {
        let (hosts, links) = (&self.platform.hosts, &self.platform.links);
        let _ = writeln!(self.text, "\n[[profile]]");
        let (what, name) = match profile.of {
            Quantity::Speed(host) | Quantity::HostState(host) => ("host", &*hosts[host.index()].name),
            Quantity::Bandwidth(link) | Quantity::Latency(link) | Quantity::LinkState(link) => {
                ("link", &*links[link.index()].name)
            }
        };
        self.line(what, &quoted(name));
        type Text = fn(f64) -> String;
        let (key, text): (&str, Text) = match profile.of {
            Quantity::Speed(_) => ("speed", |value| format!("{value:?}")),
            Quantity::HostState(_) | Quantity::LinkState(_) => {
                ("state", |value| quoted(if value > 0.0 { "on" } else { "off" }))
            }
            Quantity::Bandwidth(_) => ("bandwidth", bandwidth),
            Quantity::Latency(_) => ("latency", latency),
        };
        let points = profile.changes.points().iter();
        let points: Vec<String> =
            points.map(|(date, value)| format!("[{}, {}]", latency(*date), text(*value))).collect();
        self.line(key, &format!("[{}]", points.join(", ")));
        if let Some(period) = profile.changes.period_secs() {
            self.line("period", &latency(period));
        }
    }

    /// Disks, and file systems on them.
    fn storage(&mut self) {
        let platform = self.platform;
        let name = |disk: &Disk| quoted(&platform.hosts[disk.host.index()].name);
        for disk in &platform.disks {
            let _ = writeln!(self.text, "\n[[disk]]");
            self.line("host", &name(disk));
            self.line("read-bandwidth", &bandwidth(disk.read_bytes_per_sec));
            self.line("write-bandwidth", &bandwidth(disk.write_bytes_per_sec));
            self.line("latency", &latency(disk.latency_secs));
        }
        for system in &platform.file_systems {
            let _ = writeln!(self.text, "\n[[filesystem]]");
            self.line("mount", &quoted(&system.mount.to_string_lossy()));
            let servers: Vec<String> = system.servers.iter().map(|disk| name(&platform.disks[disk.index()])).collect();
            self.line("servers", &format!("[{}]", servers.join(", ")));
            self.line("stripe-size", &quoted(&format!("{}B", system.stripe_bytes)));
        }
    }

    /// The key `watts` of hosts, those of a cluster or one alone.
    fn host_watts(&mut self, first: u32) {
        if let Some(powered) = self.platform.host_watts.iter().find(|powered| powered.range.contains(&first)) {
            let HostWatts { idle, busy, full, off } = powered.watts;
            self.line("watts", &format!("{{ idle = {idle:?}, busy = {busy:?}, full = {full:?}, off = {off:?} }}"));
        }
    }

    /// The same of links, under a key.
    fn link_watts(&mut self, key: &str, first: u32) {
        if let Some(powered) = self.platform.link_watts.iter().find(|powered| powered.range.contains(&first)) {
            let LinkWatts { idle, full } = powered.watts;
            self.line(key, &format!("{{ idle = {idle:?}, full = {full:?} }}"));
        }
    }

    /// Routes, spokes and bypasses of a zone.
    fn ways(&mut self, zone: u32) {
        let zone = &self.platform.zones[zone as usize];
        match &zone.kind {
            Kind::Full(ways) => {
                let mut ways: Vec<(Point, Point, &Way)> = ways.iter().map(|((a, b), way)| (*a, *b, way)).collect();
                // The two directions of a pair side by side, the one from the first member first.
                ways.sort_unstable_by_key(|(a, b, _)| (*a.min(b), *a.max(b), *a));
                self.routes(ways);
            }
            Kind::Graph(graph) => self.routes(graph.edges().collect()),
            Kind::Star(star) => {
                let members: Vec<Point> =
                    self.platform.order.iter().filter(|point| star.spokes.contains_key(point)).copied().collect();
                members.into_iter().for_each(|member| self.spoke(member, &star.spokes[&member]));
            }
            Kind::Cluster(_) => {}
        }
        let mut bypasses: Vec<_> = zone.bypasses.iter().collect();
        bypasses.sort_unstable_by_key(|(ends, _)| **ends);
        for ((src, dst), way) in bypasses {
            self.route((*src, *dst), way);
            self.line("bypass", "true");
        }
    }

    /// Routes; one that follows its own way back is written once.
    fn routes(&mut self, ways: Vec<(Point, Point, &Way)>) {
        let mut ways = ways.into_iter().peekable();
        while let Some((src, dst, way)) = ways.next() {
            self.route((src, dst), way);
            let is_back = |next: &(Point, Point, &Way)| {
                let gateways = (next.2.gateways.1, next.2.gateways.0);
                (next.1, next.0) == (src, dst) && gateways == way.gateways && next.2.channels[..] == self.reversed(way)
            };
            if src == dst {
                continue;
            }
            match ways.peek().is_some_and(is_back) {
                true => drop(ways.next()),
                false => self.line("symmetric", "false"),
            }
        }
    }

    fn reversed(&self, way: &Way) -> Vec<Channel> {
        let is_split = |link: LinkId| self.platform.links[link.index()].sharing == Sharing::SplitDuplex;
        let flipped = |channel: &Channel| if is_split(channel.link()) { Channel(channel.0 ^ 1) } else { *channel };
        way.channels.iter().rev().map(flipped).collect()
    }

    fn route(&mut self, (src, dst): (Point, Point), way: &Way) {
        let platform = self.platform;
        self.text.push_str("\n[[route]]\n");
        self.line("src", &quoted(platform.name_of(src)));
        self.line("dst", &quoted(platform.name_of(dst)));
        let default = |member: Point| match member {
            Point::Zone(zone) => platform.zones[zone as usize].gateway,
            lone => Some(lone),
        };
        if (default(src), default(dst)) != (Some(way.gateways.0), Some(way.gateways.1)) {
            let [first, last] = [way.gateways.0, way.gateways.1].map(|point| quoted(platform.name_of(point)));
            self.line("gateways", &format!("[{first}, {last}]"));
        }
        self.line("links", &self.links(&way.channels));
    }

    fn spoke(&mut self, member: Point, spoke: &Spoke) {
        if *spoke == Spoke::default() {
            return;
        }
        self.text.push_str("\n[[spoke]]\n");
        self.line("of", &quoted(self.platform.name_of(member)));
        let up = Way { gateways: (member, member), channels: spoke.up.clone().into() };
        self.line("up", &self.links(&spoke.up));
        if spoke.down != self.reversed(&up) {
            self.line("down", &self.links(&spoke.down));
        }
        if !spoke.own.is_empty() {
            self.line("own", &self.links(&spoke.own));
        }
        if let Some(gateway) = spoke.gateway {
            self.line("gateway", &quoted(self.platform.name_of(gateway)));
        }
    }

    fn links(&self, channels: &[Channel]) -> String {
        let name = |channel: &Channel| {
            let down = if channel.0 % 2 == 1 { ":down" } else { "" };
            quoted(&format!("{}{down}", self.platform.links[channel.link().index()].name))
        };
        format!("[{}]", channels.iter().map(name).collect::<Vec<_>>().join(", "))
    }

    fn settings(&mut self) {
        for (table, prefixes) in [("network", &["network/", "precision/"][..]), ("mpi", &["smpi/"])] {
            let of_table = |(key, value): &'a (String, String)| {
                let key = canonical(key);
                let name = prefixes.iter().find_map(|prefix| key.strip_prefix(prefix))?;
                Some((name, value.as_str()))
            };
            let settings: Vec<(&str, &str)> = self.platform.settings.iter().filter_map(of_table).collect();
            if !settings.is_empty() {
                let _ = writeln!(self.text, "\n[{table}]");
                settings.into_iter().for_each(|(name, value)| self.line(name, &quoted(value)));
            }
        }
    }
}

/// The name of a setting here, whatever it is called in the version of SimGrid that the platform is for.
fn canonical(key: &str) -> &str {
    match find(key) {
        Some(Found::Row(row)) => row.name,
        _ => key,
    }
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn sharing(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Shared => "shared",
        Sharing::SplitDuplex => "split-duplex",
        Sharing::FatPipe => "fatpipe",
    }
}

/// The shortest of the texts of a number in these units that reads as the same number.
fn shortest(value: f64, units: &[(&str, f64)], read: impl Fn(&str) -> Option<f64>) -> String {
    let texts = units.iter().map(|(unit, scale)| format!("{}{unit}", value / scale));
    let same = texts.filter(|text| read(text).is_some_and(|found| found.to_bits() == value.to_bits()));
    quoted(&same.min_by_key(String::len).unwrap_or_else(|| format!("{value}{}", units[0].0)))
}

pub(crate) fn bandwidth(value: f64) -> String {
    let units = [("Bps", 1.0), ("GBps", 1e9), ("MBps", 1e6), ("kBps", 1e3)];
    shortest(value, &units, |text| Rate::parse(text, Unit::Required).ok().map(|rate| rate.0))
}

pub(crate) fn latency(value: f64) -> String {
    let units = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9), ("ps", 1e-12)];
    shortest(value, &units, |text| parse_duration(text, Unit::Required).ok().map(|time| time.0))
}

pub(crate) fn speed(value: f64) -> String {
    let units = [("f", 1.0), ("Gf", 1e9), ("Mf", 1e6), ("kf", 1e3), ("Tf", 1e12)];
    shortest(value, &units, |text| Flops::parse(text, Unit::Required).ok().map(|speed| speed.0))
}

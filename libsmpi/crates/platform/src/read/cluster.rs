//! `[[cluster]]`: a switch, torus, fat tree or dragonfly and its hosts.

use super::section::Section;
use super::{Reader, Result, listed, renamed};
use crate::build::Cluster;
use crate::model::{Point, Sharing};
use crate::names::HostNames;
use crate::topology::{Dragonfly, FatTree, Topology, Torus};
use toml::de::DeValue;

/// Keys, in the order in which they are named: those of topologies come between.
const KEYS: [&[&str]; 2] = [
    &["name", "hosts", "cores", "speed", "bandwidth", "latency", "sharing", "backbone", "loopback", "limiter"],
    &["spread", "in", "gateway", "place", "watts", "link-watts"],
];

/// What a key describes, or why there is none such.
type Described = std::result::Result<Topology, String>;
/// Reads what a key of a cluster describes.
type Read = fn(&Section<'_>, &'static str) -> Result<Described>;

/// The topologies that have a key of their own.
const TOPOLOGIES: [(&str, Read); 3] = [(Torus::KEY, torus), (FatTree::KEY, fat_tree), (Dragonfly::KEY, dragonfly)];

fn torus(section: &Section<'_>, key: &'static str) -> Result<Described> {
    Ok(Torus::new(&section.counts(key)?.0).map(Topology::Torus))
}

fn fat_tree(section: &Section<'_>, key: &'static str) -> Result<Described> {
    let inner = section.table_like(key, "{ down = [4, 4], up = [1, 2], parallel = [1, 2] }")?;
    inner.only(&["down", "up", "parallel"])?;
    let [down, up] = [inner.counts("down")?.0, inner.counts("up")?.0];
    let parallel = match inner.entry("parallel") {
        Some(_) => inner.counts("parallel")?.0,
        None => vec![1; down.len()],
    };
    Ok(FatTree::new(&down, &up, &parallel).map(Topology::FatTree))
}

fn dragonfly(section: &Section<'_>, key: &'static str) -> Result<Described> {
    let inner = section.table_like(key, "{ groups = 3, chassis = 4, routers = 5, nodes = 2 }")?;
    inner.only(&["groups", "chassis", "routers", "nodes", "group-links", "chassis-links", "router-links"])?;
    let dragonfly = Dragonfly {
        groups: inner.count("groups", None)?,
        chassis: inner.count("chassis", None)?,
        routers: inner.count("routers", None)?,
        nodes: inner.count("nodes", None)?,
        group_links: inner.count("group-links", Some(1))?,
        chassis_links: inner.count("chassis-links", Some(1))?,
        router_links: inner.count("router-links", Some(1))?,
    };
    Ok(dragonfly.check().map(|()| Topology::Dragonfly(dragonfly)))
}

impl<'a> Reader<'a> {
    pub(super) fn cluster(&mut self, section: &Section<'a>) -> Result<()> {
        section.only(&[KEYS[0], &TOPOLOGIES.map(|(key, _)| key), KEYS[1]].concat())?;
        let topology = self.topology(section)?;
        let backbone = self.backbone(section, &topology)?;
        let loopback = match section.table("loopback")? {
            None => None,
            Some(inner) => {
                inner.only(&["bandwidth", "latency"])?;
                Some((inner.bandwidth("bandwidth")?, inner.latency("latency")?))
            }
        };
        let cluster = Cluster {
            name: section.name()?.to_owned(),
            hosts: self.host_names(section, &topology)?,
            cores: section.count("cores", Some(1))?,
            speed_flops_per_sec: section.speed("speed")?,
            bandwidth_bytes_per_sec: section.bandwidth("bandwidth")?,
            latency_secs: section.latency("latency")?,
            sharing: section.sharing(Sharing::SplitDuplex)?,
            spread: self.spread(section, &topology)?,
            topology,
            backbone,
            loopback,
            limiter: section.entry("limiter").map(|_| section.bandwidth("limiter")).transpose()?,
        };
        let zone = self.zone_of(section)?;
        let (hosts, links) = self.builder.counts();
        let id = self.builder.cluster(&cluster, zone).map_err(|m| renamed(section, m))?;
        self.host_watts(section, hosts)?;
        self.link_watts(section, "link-watts", links)?;
        self.place(section, Point::Zone(id))
    }

    fn topology(&self, section: &Section<'a>) -> Result<Topology> {
        let mut described = TOPOLOGIES.iter().filter(|(key, _)| section.entry(key).is_some());
        let Some((key, read)) = described.next() else { return Ok(Topology::Switch) };
        if let Some((second, _)) = described.next() {
            let message = format!("\"{second}\" beside \"{key}\", expected one topology; remove one");
            return Err(self.source.error(section.key_span(second), message));
        }
        read(section, key)?.map_err(|why| {
            self.source.error(section.key_span(key), format!("{why}, expected a {key} that exists; change the numbers"))
        })
    }

    fn spread(&self, section: &Section<'a>, topology: &Topology) -> Result<bool> {
        let spread = section.flag("spread", false)?;
        if spread && *topology == Topology::Switch {
            let keys = listed(&TOPOLOGIES.map(|(key, _)| key));
            let message =
                format!("spread at a switch, where there is one way only, expected one of {keys} beside it; remove it");
            return Err(self.source.error(section.key_span("spread"), message));
        }
        Ok(spread)
    }

    fn backbone(&self, section: &Section<'a>, topology: &Topology) -> Result<Option<(f64, f64, Sharing)>> {
        let Some(inner) = section.table("backbone")? else { return Ok(None) };
        inner.only(&["bandwidth", "latency", "sharing"])?;
        if *topology != Topology::Switch {
            let message = "a backbone in a topology without a middle, expected it at a switch only; remove it";
            return Err(self.source.error(section.key_span("backbone"), message.to_owned()));
        }
        let sharing = inner.sharing(Sharing::Shared)?;
        if sharing == Sharing::SplitDuplex {
            let message = "a backbone has no direction to split, expected \"shared\" or \"fatpipe\"; choose one";
            return Err(self.source.error(inner.key_span("sharing"), message.to_owned()));
        }
        Ok(Some((inner.bandwidth("bandwidth")?, inner.latency("latency")?, sharing)))
    }

    /// `hosts`: a number, a pattern, or what the topology says.
    fn host_names(&self, section: &Section<'a>, topology: &Topology) -> Result<HostNames> {
        let span = section.key_span("hosts");
        let names = match (section.entry("hosts").map(|value| value.get_ref()), topology.hosts()) {
            (Some(DeValue::String(pattern)), _) => HostNames::parse(pattern)
                .map_err(|why| self.source.error(span.clone(), format!("hosts: {why}; correct the pattern")))?,
            (None, Some(count)) => HostNames::counted(section.name()?, count),
            _ => HostNames::counted(section.name()?, section.count("hosts", None)?),
        };
        match topology.hosts() {
            Some(count) if count != names.count() => {
                let message = format!(
                    "hosts = {} does not fit the topology, expected {count} hosts; change one of them",
                    names.count()
                );
                Err(self.source.error(span, message))
            }
            _ => Ok(names),
        }
    }
}
